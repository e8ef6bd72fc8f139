/** Builds: written by `alcove build`, used by a server that matches them. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { bootstrap, BuildRecording, createServer, Plugin, type Prebuilt, type Server, type ServerOptions } from 'alcove'
import App, { options } from '../../fixtures/built-app.js'

const cli = fileURLToPath(new URL('../../../decorators/cli.js', import.meta.url))
const app = fileURLToPath(new URL('../../fixtures/built-app.js', import.meta.url))
const directory = await mkdtemp(join(tmpdir(), 'alcove-build-'))

const run = (...args: string[]): Promise<{ code: number; output: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, args, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    )
  })

const built = await run(cli, 'build', app, '--out', join(directory, 'built'))
const prebuilt = (await import(pathToFileURL(join(directory, 'built', 'index.mjs')).href)) as Prebuilt

const json = (method: 'GET' | 'HEAD' | 'POST', url: string, payload?: object, headers: Record<string, string> = {}) => ({
  method,
  url,
  headers,
  ...(payload !== undefined && { payload }),
})
const requests = [
  json('POST', '/items/a?limit=5&tags=x', { id: 1, parts: [{ id: '2' }] }),
  json('POST', '/items/a', { id: 0, parts: [{}] }),
  json('POST', '/items/a?limit=many', { id: 1 }),
  json('POST', '/items/abcdef', { id: 1 }),
  json('POST', '/items/a', { id: 1 }, { 'x-trace': 'nonsense' }),
  json('POST', '/items/a', undefined),
  json('POST', '/items/%', { id: 1 }),
  json('POST', '/conditions', { kind: 'a' }),
  json('POST', '/conditions', { kind: 'b', b: 1, n: 3 }),
  ...['abc', 'abcd'].map((payload) => ({ method: 'POST' as const, url: '/bytes', headers: { 'content-type': 'image/png' }, payload })),
  json('POST', '/bytes', { bytes: 'abcd' }),
  json('POST', '/alternatives?n=1', { n: 1 }),
  json('POST', '/alternatives?n=1&s=2', { n: '12', s: 3 }),
  json('POST', '/alternatives?s=x', { n: '1' }),
  json('POST', '/alternatives?n=1', { n: '1', s: 1 }),
  json('POST', '/alternatives?n=1', { n: 'x', s: 0 }),
  json('POST', '/referring', { n: '1', again: '2' }),
  json('POST', '/referring', { again: 'x' }),
  json('POST', '/names', {}),
  json('POST', '/names', { constructor: 'own' }),
  json('POST', '/values', { price: 19.99, origin: { y: 0, x: 0 }, corner: [2], list: [1, '1', { a: 1 }] }),
  json('POST', '/values', {
    price: 19.999,
    origin: { y: 0, x: 1 },
    corner: [3],
    list: [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
  }),
  json('POST', '/libraries?number=1&other=1', { number: 1, other: 1 }, { number: '2' }),
  json('POST', '/libraries?number=1', { number: '1' }, { number: '2' }),
  json('POST', '/libraries?number=0', { number: 1 }, { number: '2' }),
  json('POST', '/libraries?number=1', { number: 1 }, { number: '3' }),
  json('GET', '/ticks', undefined, { accept: 'text/event-stream' }),
  json('GET', '/versions', undefined, { 'accept-version': '1.x' }),
  json('GET', '/versions', undefined, { 'accept-version': '2.0.0' }),
  json('GET', '/versions'),
  json('GET', '/hosts', undefined, { host: 'a.example' }),
  json('HEAD', '/hosts', undefined, { host: 'a.example' }),
  json('GET', '/hosts'),
  json('GET', '/files/one-two/three%20four'),
  json('GET', '/many/1/2/3/4/5/6?x=1'),
  json('GET', '/below/it'),
  json('POST', '/exact/item?n=1', { id: '1' }),
  json('POST', '/exact/item?n=1', { id: 1, parts: [{ id: 2 }] }),
  json('POST', '/exact/alternatives?n=1', { n: 1 }),
  json('POST', '/exact/alternatives?n=1', { n: '1' }),
  json('POST', '/exact/alternatives?n=1', { n: '12', s: 3 }),
  json('GET', '/nowhere'),
]
const answers = async (server: Server): Promise<string[]> => {
  const all: string[] = []
  for (const request of requests) {
    const { statusCode, body } = await server.inject(request)
    all.push(`${statusCode} ${body}`)
  }
  return all
}

const logged = (): { lines: string[]; logger: object } => {
  const lines: string[] = []
  return {
    lines,
    logger: { level: 'warn', stream: { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) } },
  }
}

const expected = await (async () => {
  const server = await bootstrap(App, options)
  after(() => server.close())
  return answers(server)
})()

test('alcove build writes modules, and tells how to use them', async () => {
  assert.equal(built.code, 0, built.output)
  assert.match(built.output, /App is built: import .*index\.mjs and pass it to bootstrap as the option prebuilt\./)
  assert.deepEqual((await readdir(join(directory, 'built'))).toSorted(), ['0.cjs', 'index.mjs'])
})

test('A server with its build answers every request like one without, and logs no warning', async () => {
  const { lines, logger } = logged()
  const server = await bootstrap(App, { ...options, prebuilt, logger })
  assert.deepEqual(await answers(server), expected)
  assert.deepEqual(lines, [])
  await server.close()
})

test('A server with its build runs where code cannot be generated from strings', async () => {
  const main = join(directory, 'main.mjs')
  const from = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
  await writeFile(
    main,
    `import { bootstrap } from ${from('../../../decorators/index.js')}
     import App, { options } from ${from('../../fixtures/built-app.js')}
     import * as prebuilt from './built/index.mjs'
     let isForbidden = false
     try { new Function('') } catch { isForbidden = true }
     if (!isForbidden) throw new Error('code can be generated')
     const server = await bootstrap(App, { ...options, prebuilt, logger: { level: 'warn' } })
     const answers = []
     for (const request of ${JSON.stringify(requests)}) {
       const { statusCode, body } = await server.inject(request)
       answers.push(statusCode + ' ' + body)
     }
     const address = await server.listen({ port: 0 })
     answers.push((await fetch(address + '/nowhere')).status)
     await server.close()
     console.log(JSON.stringify(answers))`,
  )
  const { code, output } = await run('--disallow-code-generation-from-strings', main)
  assert.equal(code, 0, output)
  assert.deepEqual(JSON.parse(output), [...expected, 404])
})

test('A build made with other options or versions is ignored, and the server logs the differences', async () => {
  const differing: [ServerOptions, Prebuilt, RegExp][] = [
    [{}, prebuilt, /options of the engines .*allErrors.* in the build, .* here/],
    [
      options,
      { ...prebuilt, madeOf: { ...prebuilt.madeOf, versions: { ...prebuilt.madeOf.versions, ajv: '8.0.0' } } },
      /ajv 8\.0\.0 in the build, 8\.\S+ here/,
    ],
  ]
  for (const [given, build, text] of differing) {
    const { lines, logger } = logged()
    const server = await bootstrap(App, { ...given, prebuilt: build, logger })
    const [line, ...more] = lines.filter((each) => !each.includes('strict mode'))
    assert.equal(more.length, 0)
    assert.match(line!, text)
    assert.match(line!, /Run alcove build again\./)
    assert.equal((await server.inject(json('POST', '/items/a', { id: 0 }))).statusCode, 400)
    await server.close()
  }
})

test('Schemas that the build lacks are compiled, and the server names the first of them', async () => {
  const { lines, logger } = logged()
  @Plugin({ imports: [App] })
  class Larger {
    setup(server: Server): void {
      server.post('/more', { schema: { body: { type: 'object', properties: { more: { type: 'integer' } } } }, handler: () => '' })
    }
  }
  const server = await bootstrap(Larger, { ...options, prebuilt, logger })
  assert.deepEqual(lines, [
    'Not in the build, so compiled here: POST /more body and 1 more. Run alcove build again, with the options of this server.',
  ])
  assert.equal((await server.inject(json('POST', '/more', { more: 'x' }))).statusCode, 400)
  await server.close()
})

test('A shared schema that changed is not taken from the build', async () => {
  const recording = new BuildRecording()
  const make = async (minimum: number, build: ServerOptions['prebuilt']): Promise<Server> => {
    const server = createServer({ prebuilt: build!, logger: logged().logger })
    server.addSchema({ $id: 'number', type: 'integer', minimum })
    server.post('/', { schema: { body: { $ref: 'number#' } } }, () => '')
    await server.ready()
    return server
  }
  await make(1, recording)
  await recording.write(join(directory, 'small'))
  const build = (await import(pathToFileURL(join(directory, 'small', 'index.mjs')).href)) as Prebuilt
  const status = async (server: Server): Promise<number> =>
    (await server.inject({ method: 'POST', url: '/', payload: '4', headers: { 'content-type': 'application/json' } })).statusCode
  assert.equal(await status(await make(1, build)), 200)
  assert.equal(await status(await make(5, build)), 400)
})

test('Where code cannot be generated, a schema that the build lacks fails the boot and not a request', async () => {
  const main = join(directory, 'lacking.mjs')
  await writeFile(
    main,
    `import { createServer } from ${JSON.stringify(new URL('../../../lib/index.js', import.meta.url).href)}
     import * as prebuilt from './small/index.mjs'
     const server = createServer({ prebuilt, logger: { level: 'error' } })
     server.post('/', { schema: { body: { type: 'object' } } }, () => '')
     await server.ready().catch(({ code, message }) => console.log(code, message))`,
  )
  const { output } = await run('--disallow-code-generation-from-strings', main)
  assert.match(output, /ALC_ERR_SCH_VALIDATION_BUILD .*POST.*Code generation from strings disallowed.* \(in the schema of body\)/)
})

/** Starts a server with these options where no code can be generated, and returns what it prints of its failure. */
async function startWithoutCode(server: string, route = "server.get('/x/:id', () => '')"): Promise<string> {
  const main = join(directory, 'without-code.mjs')
  await writeFile(
    main,
    `import { createServer } from ${JSON.stringify(new URL('../../../lib/index.js', import.meta.url).href)}
     import * as prebuilt from './small/index.mjs'
     try {
       const server = createServer({ logger: { level: 'warn' }, ${server} })
       ${route}
       await server.ready()
     } catch ({ code, message }) {
       console.log(code, message)
     }`,
  )
  return (await run('--disallow-code-generation-from-strings', main)).output
}

test('Where code cannot be generated, a server without a build says so, with the cure', async () => {
  assert.match(
    await startWithoutCode(''),
    /^ALC_ERR_BUILD_MISSING This process must not generate code from strings, but the server has no build that it can use\. Run alcove build with/,
  )
})

test('Where code cannot be generated, a server that needs other functions of the router than its build has names the options that differ', async () => {
  const text = await startWithoutCode('prebuilt, caseSensitive: false, maxParamLength: 7', "server.get('/Bigger/:id', () => '')")
  assert.match(
    text,
    /^ALC_ERR_BUILD_MISSING .*, but its build lacks functions of the router \(caseSensitive is true in the build, false here, maxParamLength is 100 in the build, 7 here\)\. Run/,
  )
  assert.match(await startWithoutCode('prebuilt', "server.get('/longer/:id', () => '')"), /its build lacks functions of the router\. Run/)
})

test('A server with other options of the router than its build compiles what it lacks, and the log names the options', async () => {
  const { lines, logger } = logged()
  const server = await bootstrap(App, { ...options, prebuilt, logger, routerOptions: { caseSensitive: false, compile: true } })
  assert.deepEqual(lines, [
    'Not in the build, so compiled here: functions of the router (caseSensitive is true in the build, false here, routerOptions.compile is false in the build, true here). Run alcove build again, with the options of this server.',
  ])
  assert.deepEqual(await answers(server), expected)
  await server.close()
})

test('Where code cannot be generated, requests and replies have their decorators', async () => {
  const main = join(directory, 'decorated.mjs')
  await writeFile(
    main,
    `import { createServer } from ${JSON.stringify(new URL('../../../lib/index.js', import.meta.url).href)}
     import * as prebuilt from './small/index.mjs'
     const server = createServer({ prebuilt })
     server.decorateRequest('one', 1).decorateRequest('two', 'b').decorateReply('three', true)
     server.get('/', (request, reply) => JSON.stringify([request, reply].flatMap((each) => ['one', 'two', 'three'].map((name) => each[name]))))
     console.log((await server.inject('/')).body)`,
  )
  const { output } = await run('--disallow-code-generation-from-strings', main)
  assert.deepEqual(JSON.parse(output), [1, 'b', null, null, null, true])
})

test('A recording that no server was given to writes nothing', async () => {
  await assert.rejects(new BuildRecording().write(join(directory, 'none')), {
    code: 'ALC_ERR_BUILD_OPTIONS',
    message: /no server was created with this recording as its option prebuilt/,
  })
})

test('A build contains one validator for a schema of one pass, three for one of several passes, and none if a shared schema is not JSON', async () => {
  const validatorsOf = async (body: object, shared?: object): Promise<number> => {
    const recording = new BuildRecording()
    const server = createServer({ prebuilt: recording })
    if (shared !== undefined) server.addSchema(shared)
    server.post('/', { schema: { body } }, () => '')
    await server.ready()
    await recording.write(join(directory, 'counted'))
    const { href } = pathToFileURL(join(directory, 'counted', 'index.mjs'))
    return Object.keys(((await import(`${href}?${JSON.stringify([body, shared])}`)) as Prebuilt).validators).length
  }
  assert.equal(await validatorsOf({ type: 'object' }), 1 + 1, 'and that the shared ones compile')
  assert.equal(await validatorsOf({ type: 'object', anyOf: [{ required: ['a'] }] }), 3 + 1)
  assert.equal(await validatorsOf({ type: 'object' }, { $id: 'dated', type: 'string', examples: [new Date(0)] }), 0)
})

test('Other files in the directory of a build are left alone', async () => {
  const target = join(directory, 'kept')
  const record = async (): Promise<void> => {
    const recording = new BuildRecording()
    await createServer({ prebuilt: recording }).ready()
    await recording.write(target)
  }
  await record()
  await writeFile(join(target, '7.cjs'), '// mine')
  await writeFile(join(target, '8.cjs'), '// Written by alcove build.\n')
  await record()
  assert.deepEqual((await readdir(target)).toSorted(), ['0.cjs', '7.cjs', 'index.mjs'])
})
