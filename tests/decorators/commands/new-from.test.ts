/** `alcove new --from`: the application compiles, boots and keeps its contract from the first minute, whatever the document contains. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { hard } from '../../fixtures/contracts/hard.js'
import { hostile } from '../../fixtures/contracts/hostile.js'
import { shop } from '../../fixtures/contracts/shop.js'
import { project } from '../../fixtures/project.js'

const cli = fileURLToPath(new URL('../../../decorators/cli.js', import.meta.url))
const contracts = { shop, hard, hostile }
type Name = keyof typeof contracts

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function run(cwd: string, ...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    // Without what the test runner tells its own processes.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    execFile(process.execPath, args, { cwd, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

let directory: string

let count = 0

async function create(name: string, document: unknown): Promise<Ended> {
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  const file = join(directory, /[.]ya?ml$/.test(name) ? name : `${name}.json`)
  await writeFile(file, text)
  return run(directory, cli, 'new', join(directory, name.replace(/[.].*/, '')), '--from', file)
}

/** As `npm install` would do it. */
async function install(app: string): Promise<void> {
  await mkdir(join(app, 'node_modules'))
  await symlink(project, join(app, 'node_modules/alcove'))
  await symlink(join(project, 'node_modules/@types'), join(app, 'node_modules/@types'))
}

const created = new Map<Name, Ended>()

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'alcove-new-from-'))
  await Promise.all(
    (Object.keys(contracts) as Name[]).map(async (name) => {
      const ended = await create(name, contracts[name])
      created.set(name, ended)
      assert.equal(ended.code, 0, ended.stderr)
      await install(join(directory, name))
      const compiled = await run(join(directory, name), join(project, 'node_modules/typescript/bin/tsc'))
      assert.equal(compiled.code, 0, `${name}: ${compiled.stdout}`)
    }),
  )
})
after(() => rm(directory, { recursive: true, force: true }))

describe('the application of a contract', { concurrency: 4 }, () => {
  for (const name of Object.keys(contracts) as Name[])
    test(`compiles and passes its own test: ${name}`, async () => {
      const { code, stdout } = await run(join(directory, name, 'dist'), '--test', '--test-reporter=tap')
      assert.equal(code, 0, stdout)
      assert.match(stdout, /^# pass 2$/m)
    })

  test('answers 501 to what is left to write, refuses invalid requests in the form of the contract, and lets nobody through a guard', async () => {
    const script = `
      import { testServer } from 'alcove'
      import { App, options } from './dist/app.js'
      const app = await testServer(App, { server: options, replies: 'ignore' })
      const ask = async (method, url, payload) => (await app.inject({ method, url, payload })).statusCode
      console.log(JSON.stringify([
        await ask('GET', '/v1/animals?limit=5'), await ask('GET', '/v1/animals?limit=0'), await ask('GET', '/v1/animals/x'),
        await ask('POST', '/v1/orders', { animal: { id: 1, name: 'Rex' }, count: 1 }), await ask('POST', '/v1/orders', { count: 1 }),
        await ask('POST', '/v1/orders'), (await app.inject('/v1/animals?limit=0')).json(), await ask('POST', '/v1/animals', {}), await ask('GET', '/animals'),
        await ask('GET', '/v1/docs'), await ask('GET', '/docs'),
      ]))
      await app.server.close()`
    const { stdout, stderr } = await run(join(directory, 'shop'), '--input-type=module', '-e', script)
    assert.deepEqual(
      JSON.parse(stdout || '[]'),
      [501, 400, 400, 501, 400, 501, { code: 400, message: 'querystring/limit should be >= 1' }, 501, 404, 200, 404],
      stderr,
    )
  })

  test('has a folder with plugin and controller for each tag, and keeps the document', async () => {
    const files = (await readdir(join(directory, 'shop/src'), { recursive: true })).filter((name) => name.endsWith('.ts')).toSorted()
    assert.deepEqual(files, [
      'animals/animals.controller.ts',
      'animals/animals.plugin.ts',
      'app.ts',
      'contract.test.ts',
      'errors.ts',
      'guards.ts',
      'main.ts',
      'models.ts',
      'orders/orders.controller.ts',
      'orders/orders.plugin.ts',
    ])
    assert.deepEqual(JSON.parse(await readFile(join(directory, 'shop/contract/openapi.json'), 'utf8')), shop)
    assert.match(created.get('shop')!.stdout, /has 5 operations and 5 schemas .*\nIts document says all that the contract says\.\n/)
  })

  test('has a page of its documentation, which the command names, unless an operation has this path', async () => {
    assert.match(created.get('shop')!.stdout, /npm run dev\n\nThen open http:\/\/localhost:3000\/v1\/docs\n$/)
    assert.match(await readFile(join(directory, 'shop/README.md'), 'utf8'), /# http:\/\/localhost:3000\/v1\/docs; runs/)
    const get = { responses: { 200: { description: 'A file' } } }
    const taken = { openapi: '3.1.0', info: { title: 'Files', version: '1' }, paths: { '/docs/files': { get }, '/docs/notes': { get } } }
    const { stdout } = await create('taken', taken)
    assert.match(stdout, /npm run dev\n$/)
    assert.doesNotMatch(await readFile(join(directory, 'taken/src/app.ts'), 'utf8'), /docsPage/)
    assert.match(await readFile(join(directory, 'taken/README.md'), 'utf8'), /npm run dev +# runs/)
  })

  test('lists everything that it does not keep, with place and reason', async () => {
    const known = JSON.parse(await readFile(join(directory, 'hard/contract/differences.json'), 'utf8')) as Record<string, string>
    assert.deepEqual(
      Object.entries(known).map(([line, reason]) => `${line.slice(0, 60)} | ${reason.slice(0, 40)}`),
      [
        '- /paths/~1trees~1{tree-id}~1{part}.{ext}/get/parameters/que | The server reads lists as tag=a&tag=b. F',
        '+ /paths/~1trees~1{tree-id}~1{part}.{ext}/get/parameters/que | The server reads lists as tag=a&tag=b. F',
        '+ /paths/~1trees~1{tree-id}~1{part}.{ext}/get/responses/404/ | The framework refuses some requests with',
        '- /paths/~1uploads/get/requestBody: {"required":false,"conte | The body of GET has no meaning (RFC 9110',
        '- /paths/~1uploads/get/security/0: "key" | A guard that lets everyone in is left to',
        '- /paths/~1uploads/get/security/1: "nothing" | A guard that lets everyone in is left to',
        '+ /paths/~1shapes~1{a}{b}/get/parameters/path a/schema/patte | The router needs a pattern to tell where',
        '- /paths/~1stars~1*: {"get":{"parameters":{},"responses":{"2 | The router has no such path: /stars/*. I',
        '- /components/schemas/Circle/unevaluatedProperties: false | Draft 7 of JSON Schema has no unevaluate',
        '- /components/schemas/Unused: {"type":"object","dependentReq | The document has only the components tha',
      ],
    )
    const { stdout } = created.get('hard')!
    for (const place of [
      '/webhooks',
      "/paths/~1trees~1{tree-id}~1{part}.{ext}/get/parameters: The query parameter 'raw'",
      '/paths/~1trees~1{tree-id}~1{part}.{ext}/get: The parameter {tree-id} of the path is called treeId',
      '/paths/~1uploads/post/requestBody/content/multipart~1form-data: A parser for multipart/form-data is left to add',
      '/servers',
      '- /components/schemas/Unused',
    ])
      assert.ok(stdout.includes(`\n  ${place}`), `${place} is not in\n${stdout}`)
  })

  test('does not say that its document says all if something is not kept that the comparison leaves out', async () => {
    const document = { openapi: '3.1.0', info: { title: 'Notes', version: '1' }, servers: [{ url: 'https://api.example.com/v1:beta' }] }
    const get = { responses: { 200: { description: 'All' } } }
    const { stdout } = await create('beta', { ...document, paths: { '/notes': { get } } })
    assert.match(stdout, /not kept or left to do:\n {2}\/servers: The path \/v1:beta of the server is not a prefix of the routes\.\n\n/)
    assert.doesNotMatch(stdout, /Its document says all/)
    assert.equal(await readFile(join(directory, 'beta/contract/differences.json'), 'utf8'), '{}\n')
  })

  test('says that it reads one value of a list in a header', async () => {
    const list = { name: 'X-Ids', in: 'header', schema: { type: 'array', items: { type: 'integer' } } }
    const get = { parameters: [list], responses: { 200: { description: 'A note' } } }
    await create('lists', { openapi: '3.1.0', info: { title: 'Notes', version: '1' }, paths: { '/notes': { get } } })
    const reasons = JSON.parse(await readFile(join(directory, 'lists/contract/differences.json'), 'utf8')) as Record<string, string>
    const [line, reason] = Object.entries(reasons)[0]!
    assert.equal(line, '- /paths/~1notes/get/parameters/header x-ids/schema/type: "array"')
    assert.equal(reason, 'The server reads one value of such a list, because only the query string can contain several.')
  })

  test('leaves a key of content out that is no media type, which would fail the boot', async () => {
    const content = { 'application/*+json': { schema: { type: 'object' } }, 'text/plain': { schema: { type: 'string' } } }
    const paths = { '/notes': { get: { responses: { 200: { description: 'Notes', content } } } } }
    const { stdout } = await create('ranges', { openapi: '3.1.0', info: { title: 'Notes', version: '1' }, paths })
    assert.match(
      stdout,
      /responses\/200\/content\/application~1\*\+json: application\/\*\+json is no media type\. Write the media type of the reply\./,
    )
    const written = await readFile(join(directory, 'ranges/src/notes/notes.controller.ts'), 'utf8')
    assert.match(written, /text\/plain/)
    assert.doesNotMatch(written, /\+json/)
  })

  test('has no method of a route with a name that alcove calls itself, and keeps its operationId', async () => {
    const of = (operationId: string) => ({ operationId, responses: { 204: { description: 'Done' } } })
    const paths = { '/session': { delete: of('dispose'), put: of('onReady') } }
    await create('lifecycle', { openapi: '3.1.0', info: { title: 'Session', version: '1' }, paths })
    const written = await readFile(join(directory, 'lifecycle/src/session/session.controller.ts'), 'utf8')
    assert.match(written, /operationId: 'dispose'/)
    assert.match(written, / dispose2\(/)
    assert.match(written, / onReady2\(/)
  })

  test('keeps the callbacks and links without references, and lists each of the others', async () => {
    const seen = { '{$request.body#/url}': { post: { responses: { 200: { description: 'Seen' } } } } }
    const failed = { '{$request.body#/url}': { $ref: '#/components/pathItems/Failed' } }
    const ok = {
      description: 'Stored',
      links: { next: { operationId: 'list' }, 'the/last': { $ref: '#/components/links/Last' }, $ref: {} },
    }
    const post = { operationId: 'add', callbacks: { seen, failed }, responses: { 201: ok } }
    const get = { operationId: 'list', callbacks: { failed }, responses: { 200: { description: 'All' } } }
    const info = { title: 'Notes', version: '1' }
    const { stdout } = await create('callbacks', { openapi: '3.1.0', info, paths: { '/notes': { post, get } } })
    const listed = stdout.split('\n').filter((line) => line.startsWith('  /'))
    assert.deepEqual(listed, [
      '  /paths/~1notes/get/callbacks/failed: A callback is kept only if it has no references. Write its schemas in it.',
      '  /paths/~1notes/post/callbacks/failed: A callback is kept only if it has no references. Write its schemas in it.',
      '  /paths/~1notes/post/responses/201/links/the~1last: A link is kept only if it has no references.',
      '  /paths/~1notes/post/responses/201/links/$ref: A link is kept only if it has no references.',
    ])
    const written = await readFile(join(directory, 'callbacks/src/notes/notes.controller.ts'), 'utf8')
    assert.match(written, /callbacks: \{\s*seen: \{/)
    assert.match(written, /links: \{ next: \{ operationId: 'list' \} \}/)
    assert.doesNotMatch(written, /failed|\$ref|last/)
  })

  test('has an error handler if the contract demands a code, which errors of alcove may lack; forms that it does not make are listed', async () => {
    const failure = (...required: string[]) => ({
      type: 'object',
      required,
      properties: { code: { type: 'string' }, message: { type: 'string' } },
    })
    const json = (schema: object) => ({ description: '', content: { 'application/json': { schema } } })
    const { properties } = failure()
    const detailed = { type: 'object', required: ['statusCode'], properties: { ...properties, statusCode: { type: 'integer' } } }
    const note = {
      type: 'object',
      required: ['id', 'text'],
      properties: { id: { type: 'integer', readOnly: true }, text: { type: 'string' } },
    }
    const post = {
      requestBody: { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/Note' } } } },
      responses: { 201: json({ $ref: '#/components/schemas/Note' }), 400: json(failure('code', 'message')), 404: json(detailed) },
    }
    // `default` is the success here, and no payload of an error is a list.
    const list = {
      responses: {
        default: { ...json({ type: 'array' }), headers: { Total: { schema: { type: 'integer' }, examples: { two: { value: 2 } } } } },
      },
    }
    const broken = { responses: { 200: json({}), 500: json({ type: 'array' }) } }
    const document = {
      openapi: '3.0.3',
      info: { title: 'Notes', version: '1' },
      paths: { '/lists': { get: list }, '/broken': { get: broken }, '/notes': { post } },
      components: { schemas: { Note: note } },
    }
    const { stdout } = await create('coded', document)
    assert.match(await readFile(join(directory, 'coded/src/errors.ts'), 'utf8'), /send\(\{ code: error\.code \?\? .*, message \}\)/)
    assert.match(
      stdout,
      /\n {2}\/paths\/~1notes\/post\/responses\/404: The error handler makes the payload of \/paths\/~1notes\/post\/responses\/400, which this schema refuses\./,
    )
    assert.match(
      await readFile(join(directory, 'coded/src/lists/lists.controller.ts'), 'utf8'),
      /Total: \{ type: 'integer', examples: \[2\] \}/,
    )
    assert.match(stdout, /\n {2}\/paths\/~1broken\/get\/responses\/500: The error handler makes/)
    assert.doesNotMatch(stdout, /~1lists/)
    assert.match(stdout, /requestBody\/content\/application~1json\/schema: Requests need the member 'id' too, although it is readOnly\./)
  })

  test('writes no code that stands in the document, and no file outside of its folder', async () => {
    const files = (await readdir(join(directory, 'hostile'), { recursive: true, withFileTypes: true }))
      .filter((each) => each.isFile() && each.parentPath.includes('/src'))
      .map((each) => join(each.parentPath, each.name))
    assert.ok(!existsSync(join(directory, 'outside')))
    for (const file of files) {
      assert.match(file, /^[\w./-]+$/)
      const text = await readFile(file, 'utf8')
      // eslint-disable-next-line no-control-regex
      assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u2028\u2029]/)
      const withoutTexts = text.replaceAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, '')
      assert.doesNotMatch(withoutTexts, /injected|process\.exit|__proto__/, file)
    }
  })
})

describe('a document that is refused', { concurrency: 4 }, () => {
  const minimal = { openapi: '3.1.0', info: { title: 'A', version: '1' } }
  const replying = (schema: object) => ({ get: { responses: { 200: { description: '', content: { 'application/json': { schema } } } } } })

  for (const [title, document, message] of [
    ['of another version', { swagger: '2.0' }, /not of OpenAPI 3\.0 or 3\.1 \(swagger "2\.0"\)\. Convert it/],
    [
      'with a reference to another file',
      { ...minimal, paths: { '/a': replying({ $ref: './pet.json' }) } },
      /\/paths\/~1a\/get\/responses\/200\/content\/application~1json\/schema: the reference '\.\/pet\.json' leads to another file\. Bundle/,
    ],
    [
      'with a reference to a URL',
      { ...minimal, paths: { '/a': { $ref: 'https://evil.example/a.json#/x' } } },
      /the reference 'https:.*' leads to another file/,
    ],
    ['with a reference to nothing', { ...minimal, paths: { '/a': replying({ $ref: '#/components/schemas/A' }) } }, /leads nowhere/],
    [
      'with a circle of references that are not schemas',
      { ...minimal, paths: { '/a': { $ref: '#/paths/~1b' }, '/b': { $ref: '#/paths/~1a' } } },
      /leads to itself/,
    ],
    ['with a schema that does not compile', { ...minimal, paths: { '/a': replying({ type: 'strange' }) } }, /would not start: .*GET: \/a/s],
    ['that is no JSON', '{', /cannot be read: /],
  ] as const)
    test(`${title} is named, and nothing is written`, async () => {
      const name = `refused${++count}`
      const { code, stderr } = await create(name, document)
      assert.equal(code, 1)
      assert.match(stderr, message)
      assert.doesNotMatch(stderr, /\n {4}at /)
      assert.ok(!existsSync(join(directory, name)))
    })

  test('a document of YAML is read by the package yaml', async () => {
    const { code, stderr, stdout } = await create(
      'notes.yaml',
      'openapi: 3.0.3\ninfo: { title: A, version: "1" }\npaths: { /a: { get: { responses: {} } } }',
    )
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /has 1 operation and 0 schemas/)
  })

  test('--api beside --from is refused', async () => {
    const { code, stderr } = await run(directory, cli, 'new', 'other', '--api', '--from', 'a.json')
    assert.deepEqual([code, stderr], [1, 'alcove new takes one of --api, --plain and --from.\n'])
  })
})
