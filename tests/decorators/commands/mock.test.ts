/** `alcove mock`: a server from a contract. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createMock } from '../../../decorators/commands/mock.js'
import { Values } from '../../../decorators/commands/mock/values.js'
import { readContract } from '../../../decorators/contract/document/read.js'
import type { Server } from '../../../lib/index.js'
import { hard } from '../../fixtures/contracts/hard.js'
import { shop } from '../../fixtures/contracts/shop.js'
import { readText } from '../../fixtures/project.js'

const cli = fileURLToPath(new URL('../../../decorators/cli.js', import.meta.url))
let directory: string
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'alcove-mock-'))
})
after(() => rm(directory, { recursive: true, force: true }))

let count = 0
async function write(contract: unknown): Promise<string> {
  const file = join(directory, `${++count}.json`)
  await writeFile(file, JSON.stringify(contract))
  return file
}

async function start(contract: unknown, seed = 1): Promise<{ readonly server: Server; readonly warnings: readonly string[] }> {
  const warnings: string[] = []
  return { server: await createMock(await write(contract), { seed }, (text) => warnings.push(text)), warnings }
}

for (const [name, contract] of Object.entries({ shop, hard, api: JSON.parse(readText('templates/api/openapi.json')) as object }))
  test(`every declared reply is valid against its schema: ${name}`, async () => {
    const { operations, schemas } = readContract(contract)
    const values = await Values.create(schemas, 7)
    const { server } = await start(contract)
    const prefix = name === 'shop' ? '/v1' : ''
    let checked = 0
    for (const { method, path, responses, parameters, body } of operations) {
      if (['trace', 'head'].includes(method) || path.includes('*')) continue
      const given = (kind: string) =>
        parameters.filter((each) => each.in === kind).map((each) => [each.name, String(values.generate(each.schema))])
      const ofPath = new Map(given('path') as [string, string][])
      const url = prefix + path.replaceAll(/\{([^}]*)\}/g, (_, parameter: string) => encodeURIComponent(ofPath.get(parameter) || 'x'))
      const schema = body?.content['application/json']?.schema
      const payload = schema === undefined || method === 'get' ? {} : { payload: values.generate(schema) as object }
      for (const [key, { content }] of Object.entries(responses)) {
        const status = key === 'default' ? 500 : Number(key.replace('XX', '07'))
        const headers = { ...(Object.fromEntries(given('header')) as object), prefer: `code=${status}`, accept: 'application/json, */*' }
        const reply = await server.inject({ method: method.toUpperCase(), url, headers, ...payload })
        assert.equal(reply.statusCode, status, `${method} ${url}: ${reply.body}`)
        const type = String(reply.headers['content-type'] ?? '').split(';')[0]!
        if (!type.endsWith('json')) continue
        assert.equal(values.problemOf(content[type]!.schema, reply.json()), undefined, `${method} ${url} ${status}: ${reply.body}`)
        checked++
      }
    }
    assert.ok(checked > 3)
    await server.close()
  })

describe('the mock of a contract', () => {
  const notes = {
    openapi: '3.1.0',
    info: { title: 'Notes', version: '1' },
    paths: {
      '/notes': {
        get: {
          parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 9 } }],
          responses: {
            200: {
              description: 'Notes',
              headers: { 'X-Total': { schema: { type: 'integer', examples: [2] } } },
              content: {
                'application/json': {
                  schema: { type: 'array', items: { type: 'integer' } },
                  examples: { two: { value: [1, 2] }, none: { value: [] }, wrong: { value: 'x' } },
                },
                'text/csv': { schema: { type: 'string' }, example: '1,2' },
                'application/x-yaml': { schema: { const: 'a: 1' } },
              },
            },
            404: {
              description: 'None',
              content: {
                'application/json': {
                  schema: {
                    type: 'object',
                    required: ['status'],
                    properties: { status: { type: 'integer' }, message: { type: 'string' } },
                  },
                },
              },
            },
          },
        },
        post: {
          requestBody: { required: true, content: { 'multipart/form-data': { schema: { type: 'object' } } } },
          responses: { 201: { description: 'Added', headers: { Location: { schema: { type: 'string' }, example: '/notes/3' } } } },
        },
      },
    },
  }
  let server: Server
  before(async () => {
    ;({ server } = await start(notes))
  })
  after(() => server.close())
  const get = async (headers: Record<string, string> = {}, url = '/notes') => {
    const reply = await server.inject({ method: 'GET', url, headers })
    return [reply.statusCode, reply.body, reply.headers['preference-applied'], reply.headers['x-total']]
  }

  test('answers with the first example, and with the headers of the reply', async () => {
    assert.deepEqual(await get(), [200, '[1,2]', undefined, '2'])
  })

  test('answers with the example of a header', async () => {
    const { headers } = await server.inject({
      method: 'POST',
      url: '/notes',
      headers: { 'content-type': 'multipart/form-data' },
      payload: '',
    })
    assert.equal(headers['location'], '/notes/3')
  })

  test('answers with what the header Prefer names (RFC 7240)', async () => {
    assert.deepEqual((await get({ prefer: 'example=none' })).slice(0, 3), [200, '[]', 'example="none"'])
    assert.deepEqual((await get({ prefer: 'respond-async; x=1, Example = "none", example=two' })).slice(0, 2), [200, '[]'])
    const [status, body, applied] = await get({ prefer: 'code=404' })
    assert.deepEqual([status, (JSON.parse(String(body)) as { status: number }).status, applied], [404, 404, 'code=404'])
  })

  test('says which replies and examples there are, if another one is asked for', async () => {
    const message = async (prefer: string) => (JSON.parse(String((await get({ prefer }))[1])) as { message: string }).message
    assert.equal(await message('code=418'), 'The contract has no response 418. It has 200, 404.')
    assert.equal(await message('example=toString'), "The response 200 has no example 'toString'. It has two, none, wrong.")
    assert.equal(await message('code=404, example=a'), "The response 404 has no example 'a'. It has none.")
  })

  test('answers in the media type that the client accepts', async () => {
    assert.deepEqual((await get({ accept: 'text/*' })).slice(0, 2), [200, '1,2'])
    assert.deepEqual((await get({ accept: 'image/png' })).slice(0, 2), [200, '[1,2]'])
    // Texts other than JSON are generated, too.
    assert.deepEqual((await get({ accept: 'application/x-yaml' })).slice(0, 2), [200, 'a: 1'])
  })

  test('refuses a request that the contract does not allow', async () => {
    const [status, body] = await get({}, '/notes?limit=10')
    assert.deepEqual([status, (JSON.parse(String(body)) as { message: string }).message], [400, 'querystring/limit should be <= 9'])
  })

  test('takes bodies that only a parser of the application could read', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    assert.equal((await server.inject({ method: 'POST', url: '/notes', headers, payload: '--x--' })).statusCode, 201)
  })

  test('names what is nearest to an unknown path', async () => {
    const [status, body] = await get({}, '/note?a=1')
    assert.equal(status, 404)
    assert.equal(
      (JSON.parse(String(body)) as { message: string }).message,
      'The contract has no GET /note. Nearest: GET /notes, POST /notes.',
    )
  })

  test('lets pages of every origin ask (CORS)', async () => {
    const origin = 'http://localhost:5173'
    const headers = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-a' }
    const preflight = await server.inject({ method: 'OPTIONS', url: '/notes', headers })
    assert.deepEqual(
      [
        preflight.statusCode,
        preflight.headers['access-control-allow-origin'],
        preflight.headers['access-control-allow-methods'],
        preflight.headers['access-control-allow-headers'],
      ],
      [204, origin, 'POST', 'x-a'],
    )
    const reply = await server.inject({ method: 'GET', url: '/notes', headers: { origin } })
    assert.deepEqual(
      [reply.headers['access-control-allow-origin'], reply.headers['access-control-expose-headers']],
      [origin, 'X-Total, Location, preference-applied'],
    )
  })

  test('generates the same values again, other ones for another seed, and others each time with dynamic=true', async () => {
    const url = '/v1/animals/7'
    const ask = async (seed: number, prefer = '') => {
      const { server: mock } = await start(shop, seed)
      const replies = [await mock.inject({ url, headers: { prefer } }), await mock.inject({ url, headers: { prefer } })]
      await mock.close()
      return replies.map(({ body }) => body)
    }
    const [first, again] = await ask(1)
    assert.equal(first, again)
    assert.deepEqual(await ask(1), [first, again])
    assert.notEqual((await ask(2))[0], first)
    const [one, other] = await ask(1, 'dynamic=true')
    assert.notEqual(one, other)
    // A value is the same whatever was asked before.
    const { server: mock } = await start(shop, 1)
    await mock.inject({ url, headers: { prefer: 'dynamic=true' } })
    assert.equal((await mock.inject({ url })).body, first)
    await mock.close()
  })

  test('says why it has no prefix although the servers have paths', async () => {
    for (const [urls, reason] of [
      [['https://notes.example/v1:beta'], 'The path /v1:beta of the server is not a prefix of the routes.'],
      [['https://notes.example/v1', '/v2'], 'The paths of the servers differ, so the routes are below none of them.'],
    ] as const) {
      const { server: mock, warnings } = await start({ ...notes, servers: urls.map((url) => ({ url })) })
      assert.deepEqual(
        warnings.filter((warning) => !warning.includes('the example of')),
        [`/servers: ${reason}`],
      )
      assert.equal((await mock.inject('/notes')).statusCode, 200)
      await mock.close()
    }
  })

  test('warns of examples that are not valid', async () => {
    const wrong = structuredClone(notes) as any
    delete wrong.paths['/notes'].get.responses[200].content['application/json'].examples.two
    delete wrong.paths['/notes'].get.responses[200].content['application/json'].examples.none
    const { server: mock, warnings } = await start(wrong)
    assert.deepEqual(warnings, ['/paths/~1notes/get/responses/200: the example of application/json is not valid: value must be array.'])
    await mock.close()
  })
})

test('a schema that allows any object gets an empty one, and nothing of the other schemas', async () => {
  const values = await Values.create({ User: { type: 'object', properties: { name: { type: 'string' } } }, Any: { type: 'object' } }, 1)
  for (const schema of [{ type: 'object' }, { type: 'object', additionalProperties: true }, { $ref: '#/components/schemas/Any' }])
    assert.deepEqual(values.generate(schema), {})
  assert.equal(values.generate({ description: 'anything' }), null)
})

test('a document with a byte order mark is read', async () => {
  const file = await write({})
  await writeFile(file, `\uFEFF${JSON.stringify(shop)}`)
  const server = await createMock(file, { seed: 1 }, () => {})
  await server.close()
})

test('a document without operations is refused', async () => {
  const file = await write({ openapi: '3.1.0', info: { title: 'Empty', version: '1' }, paths: {} })
  await assert.rejects(
    createMock(file, { seed: 1 }, () => {}),
    { message: `${file} has no operations. Write some below paths.` },
  )
})

test('a schema without a value gets a 500 that says so, and an example that is elsewhere is not one to ask for', async () => {
  const content = { 'application/json': { schema: false, examples: { far: { externalValue: 'https://example.com/a.json' } } } }
  const { server } = await start({
    openapi: '3.1.0',
    info: { title: 'None', version: '1' },
    paths: { '/none': { get: { responses: { 200: { description: 'Nothing fits', content } } } } },
  })
  const reply = await server.inject('/none')
  assert.equal(reply.statusCode, 500)
  assert.match(reply.json().message, /^No valid value was found for the schema: .* Write an example of it in the document\.$/)
  const asked = await server.inject({ url: '/none', headers: { prefer: 'example=far' } })
  assert.equal(asked.json().message, "The response 200 has no example 'far'. It has none.")
  await server.close()
})

test('the command listens, and refuses a port that is none', async () => {
  const file = await write(shop)
  const child = spawn(process.execPath, [cli, 'mock', file, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const address = await new Promise<string>((resolve) =>
      child.stdout.on('data', (data) => /is answered at (\S+)/.exec(String(data))?.slice(1).forEach(resolve)),
    )
    assert.equal((await fetch(`${address}/v1/animals`)).status, 200)
  } finally {
    child.kill()
  }
  for (const [port, message] of [
    ['x', '--port is a whole number, not x.\n'],
    ['65536', '--port is a port, at most 65535, not 65536.\n'],
  ] as const) {
    const stderr = await new Promise((resolve) =>
      execFile(process.execPath, [cli, 'mock', file, '--port', port], (_error, _out, text) => resolve(text)),
    )
    assert.equal(stderr, message)
  }
})
