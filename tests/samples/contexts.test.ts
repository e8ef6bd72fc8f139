import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { createServer as createNetServer, type AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { bootstrap, type Server } from 'alcove'
import { App, SharingApp } from '../../samples/contexts/app.js'
import { createProgrammatic } from '../../samples/contexts/programmatic.js'
import { startProgram } from '../fixtures/children.js'

interface Ask {
  path: string
  method?: string
  headers?: Record<string, string>
  body?: string
}
interface Answer {
  status: number
  type: string | undefined
  length: string | undefined
  body: string
}

/** Sends one request over a socket of its own. */
function ask(origin: string, { path, method = 'GET', headers = {}, body }: Ask): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const request = httpRequest(`${origin}${path}`, { method, headers: { ...headers, ...length }, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          type: response.headers['content-type'],
          length: response.headers['content-length'],
          body: Buffer.concat(chunks).toString('latin1'),
        }),
      )
    })
    request.on('error', reject)
    request.end(body)
  })
}

const JSON_TYPE = 'application/json; charset=utf-8'
const json = (status: number, body: string): Answer => ({ status, type: JSON_TYPE, length: String(body.length), body })
const post = (body: string, type = 'application/json'): Ask => ({
  path: '/greetings',
  method: 'POST',
  headers: { 'content-type': type },
  body,
})
const bearer = (token: string): Ask => ({ path: '/one', headers: { authorization: `Bearer ${token}` } })

const rows: { title: string; ask: Ask; answer: (isShared: boolean) => Partial<Answer> }[] = [
  { title: 'GET /one without a token is refused', ask: { path: '/one' }, answer: () => ({ status: 401 }) },
  { title: 'GET /one with a wrong token is refused', ask: bearer('nope'), answer: () => ({ status: 401 }) },
  { title: 'GET /one with the token sees answer only', ask: bearer('abc123'), answer: () => json(200, '{"answer":42}') },
  {
    title: 'GET /two sees answer and foo, and bar only if the grandchild is shared',
    ask: { path: '/two' },
    answer: (isShared) => json(200, isShared ? '{"answer":42,"foo":"foo","bar":"bar"}' : '{"answer":42,"foo":"foo"}'),
  },
  {
    title: 'GET /three sees answer, foo and bar',
    ask: { path: '/three' },
    answer: () => json(200, '{"answer":42,"foo":"foo","bar":"bar"}'),
  },
  {
    title: 'a POST without the required name is refused with the reason',
    ask: post('{}'),
    answer: () => json(400, `{"statusCode":400,"error":"Bad Request","message":"body should have required property 'name'"}`),
  },
  {
    title: 'a POST with a name gets the declared status',
    ask: post('{"name":"Ada"}'),
    answer: () => json(201, '{"greeting":"Hello, Ada"}'),
  },
  { title: 'a POST of another media type is refused', ask: post('name=Ada', 'text/plain'), answer: () => ({ status: 415 }) },
  { title: 'a POST of broken JSON is refused', ask: post('{"name":'), answer: () => ({ status: 400 }) },
  {
    title: 'HEAD /two answers with the length of GET and no body',
    ask: { path: '/two', method: 'HEAD' },
    answer: (isShared) => ({ status: 200, type: JSON_TYPE, length: isShared ? '37' : '25', body: '' }),
  },
  { title: 'an unknown path is not found', ask: { path: '/four' }, answer: () => ({ status: 404 }) },
]

for (const isShared of [false, true]) {
  describe(`the reference scenario, the grandchild ${isShared ? 'shared' : 'not shared'}`, () => {
    const servers: Server[] = []
    const origins: string[] = []

    before(async () => {
      servers.push(await bootstrap(isShared ? SharingApp : App), createProgrammatic(isShared))
      for (const server of servers) origins.push(await server.listen({ port: 0, host: '127.0.0.1' }))
    })
    after(async () => {
      for (const server of servers) await server.close()
    })

    for (const row of rows) {
      test(`${row.title}, and both faces send the same bytes`, async () => {
        const [decorated, programmatic] = await Promise.all([ask(origins[0]!, row.ask), ask(origins[1]!, row.ask)])
        assert.deepEqual({ ...decorated, ...row.answer(isShared) }, decorated)
        assert.deepEqual(programmatic, decorated)
      })
    }
  })
}

describe('npm start', () => {
  test('prints its address, the tree of contexts with their routes, and three requests to try that work', async () => {
    const child = startProgram('samples/contexts/main.js', [], { PORT: '0' })
    await child.printed(/curl .*\/greetings.*\n/)
    const { stdout } = child.output
    const origin = /^(http:\/\/127\.0\.0\.1:\d+)\n/.exec(stdout)?.[1]
    assert.ok(origin, stdout)
    assert.match(
      stdout,
      new RegExp(
        [
          'App {2}\\(request\\.answer\\)',
          '├── AuthenticatedPlugin',
          '│ {3}└── GET /one',
          '└── PublicPlugin {2}\\(request\\.foo\\)',
          ' {4}├── GET /two',
          ' {4}├── POST /greetings',
          ' {4}└── GrandchildPlugin {2}\\(request\\.bar\\)',
          ' {8}└── GET /three',
        ].join('\n'),
      ),
    )
    assert.equal(stdout.match(/^ {2}curl /gm)?.length, 3)
    const printed = [...stdout.matchAll(/^ {2}curl (\S+)/gm)].map(([, url]) => url!)
    assert.deepEqual(printed, [`${origin}/two`, `${origin}/one`, `${origin}/greetings`])
    assert.equal((await fetch(printed[0]!)).status, 200)
    assert.equal((await fetch(printed[1]!, { headers: { authorization: 'Bearer abc123' } })).status, 200)
    const greeted = await fetch(printed[2]!, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"Ada"}' })
    assert.equal(greeted.status, 201)
    child.process.kill('SIGINT')
    assert.equal(await child.exited, 0)
    assert.equal(child.output.stderr, '')
  })

  test('listens on PORT and HOST', async () => {
    const probe = createNetServer().listen(0, '127.0.0.1')
    await once(probe, 'listening')
    const { port } = probe.address() as AddressInfo
    probe.close()
    await once(probe, 'close')
    const child = startProgram('samples/contexts/main.js', [], { PORT: String(port), HOST: '0.0.0.0' })
    await child.printed(new RegExp(`^http://0\\.0\\.0\\.0:${port}\n`))
    assert.equal((await fetch(`http://127.0.0.1:${port}/two`)).status, 200)
    child.process.kill('SIGTERM')
    assert.equal(await child.exited, 0)
  })

  test('ends with an error of one screen, and never listens, when the port is used', async () => {
    const other = createNetServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const child = startProgram('samples/contexts/main.js', [], { PORT: String(port) })
    assert.equal(await child.exited, 1)
    assert.equal(child.output.stdout, '')
    assert.match(child.output.stderr, new RegExp(`address already in use 127\\.0\\.0\\.1:${port}`))
    assert.ok(child.output.stderr.split('\n').length <= 24, child.output.stderr)
    other.close()
  })
})

describe('a signal', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`${signal} lets the request in flight end, closes, and exits with 0`, async () => {
      const child = startProgram('tests/fixtures/slow-app.js')
      const [origin] = await child.printed(/^http\S+/)
      const answered = ask(origin, { path: '/slow' })
      await child.printed(/in flight/)
      child.process.kill(signal)
      const answer = await answered
      assert.deepEqual([answer.status, answer.body], [200, '{"done":true}'])
      assert.equal(await child.exited, 0)
      assert.match(child.output.stdout, /closed/)
      await assert.rejects(ask(origin, { path: '/slow' }), { code: 'ECONNREFUSED' })
    })
  }
})

describe('a faulty application ends with an error of one screen and never listens:', () => {
  const faults: Record<string, RegExp[]> = {
    'unknown option': [/'bodylimit' is not an option\. Did you mean 'bodyLimit'\?/],
    'no @Plugin': [/ImportsPlainClass imports Plain, which is not a plugin\./, /Write @Plugin\(\{ … \}\) above the class/],
    'no handle': [/RouteWithoutHandle > Silent has no method handle\(request, reply\)/],
    'invisible provider': [
      /Asks \(in InvisibleProvider\) asks for CLOCK, which is not visible there\./,
      /It is provided in InvisibleProvider > Owner\./,
      /Provide it in InvisibleProvider or an ancestor, or share that plugin: write imports: \[shared\(Owner\)\] in InvisibleProvider\./,
    ],
  }
  for (const [name, patterns] of Object.entries(faults)) {
    test(name, async () => {
      const child = startProgram('tests/fixtures/faulty-app.js', [name])
      assert.equal(await child.exited, 1)
      assert.equal(child.output.stdout, '')
      for (const pattern of patterns) assert.match(child.output.stderr, pattern)
      assert.ok(child.output.stderr.split('\n').length <= 24, child.output.stderr)
    })
  }
})
