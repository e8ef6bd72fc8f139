/** Builds of servers with validator plugins: those of installed packages are built, others are refused by name. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import ajvErrors from 'ajv-errors'
import ajvFormats from 'ajv-formats'
import ajvKeywords from 'ajv-keywords'
import transform from 'ajv-keywords/dist/keywords/transform.js'
import { BuildRecording, createServer, type Prebuilt, type Server, type ServerOptions } from 'alcove/lib'
import { packageOf } from '../../../lib/build/plugin-packages.js'
import { type Line, loggedServer, messages } from '../../fixtures/logged-server.js'

const directory = await mkdtemp(join(tmpdir(), 'alcove-plugins-'))
after(() => rm(directory, { recursive: true, force: true }))

/** A package in a folder of its own, as npm installs it: a keyword whose code needs a module of the package, and a format. */
async function install(version: string): Promise<(jsv: any) => void> {
  const folder = join(directory, version, 'node_modules', 'even-numbers')
  await mkdir(join(folder, 'dist'), { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'even-numbers', version, main: './dist/index.js' }))
  await writeFile(join(folder, 'dist', 'is-even.js'), 'exports.isEven = (value) => value % 2 === 0\n')
  await writeFile(
    join(folder, 'dist', 'index.js'),
    `const { isEven } = require('./is-even.js')
     const { _ } = require(${JSON.stringify(createRequire(import.meta.url).resolve('ajv'))})
     module.exports = function evenNumbers(jsv) {
       jsv.addFormat('even', (text) => isEven(text.length))
       jsv.addKeyword({ keyword: 'isEven', type: 'number', schemaType: 'boolean', code(context) {
         const check = context.gen.scopeValue('func', { ref: isEven, code: _\`require("even-numbers/dist/is-even.js").isEven\` })
         context.fail(_\`!\${check}(\${context.data})\`)
       } })
     }\n`,
  )
  return createRequire(import.meta.url)(join(folder, 'dist', 'index.js')) as (jsv: any) => void
}

const evenNumbers = await install('1.0.0')
const options = (...plugins: unknown[]): ServerOptions => ({ jsv: { plugins, customOptions: { allErrors: true } } })
const all = [ajvErrors, [ajvKeywords, ['transform', 'range', 'regexp', 'instanceof', 'typeof']], evenNumbers]

const bodies = {
  '/messages': {
    type: 'object',
    required: ['mail'],
    properties: { mail: { type: 'string', format: 'email', errorMessage: 'no address' } },
    errorMessage: { required: 'tell us your address' },
  },
  '/keywords': {
    type: 'object',
    properties: {
      name: { type: 'string', transform: ['trim', 'toLowerCase'] },
      age: { type: 'number', range: [1, 3] },
      code: { type: 'string', regexp: '/^a$/i' },
    },
  },
  '/own': { type: 'object', properties: { n: { type: 'integer', isEven: true }, text: { type: 'string', format: 'even' } } },
  '/alternatives': { type: 'object', anyOf: [{ properties: { n: { type: 'integer', isEven: true } } }, { required: ['other'] }] },
  '/functions': { type: 'object', properties: { list: { instanceof: 'Array' } } },
}
const ownBody = { '/own': bodies['/own'] }

const requests = [
  ['/messages', {}],
  ['/messages', { mail: 'nobody' }],
  ['/messages', { mail: 'a@example.com' }],
  ['/keywords', { name: '  ANN ', age: 2, code: 'A' }],
  ['/keywords', { name: '  ANN ', age: 4, code: 'b' }],
  ['/own', { n: 2, text: 'ab' }],
  ['/own', { n: 3, text: 'abc' }],
  ['/own', { n: '4' }],
  ['/alternatives', { n: 1 }],
  ['/alternatives', { n: '2' }],
  ['/functions', { list: [] }],
  ['/functions', { list: {} }],
] as const

async function start(given: ServerOptions, routes: object = ownBody): Promise<{ server: Server; lines: Line[] }> {
  const { server, lines } = loggedServer(given)
  for (const [url, body] of Object.entries(routes)) server.post(url, { schema: { body } }, (request) => request.body)
  await server.ready()
  return { server, lines }
}

async function answers(server: Server): Promise<string[]> {
  const replies = requests.map(([url, payload]) => server.inject({ method: 'POST', url, payload }))
  return (await Promise.all(replies)).map(({ statusCode, body }) => `${statusCode} ${body}`)
}

async function statuses(server: Server, url: string, payloads: readonly object[]): Promise<number[]> {
  const replies = payloads.map((payload) => server.inject({ method: 'POST', url, payload }))
  return (await Promise.all(replies)).map(({ statusCode }) => statusCode)
}

/** What a process of Node prints. */
const run = (...args: string[]): Promise<string> =>
  new Promise((resolve) => {
    execFile(process.execPath, args, (_error, stdout, stderr) => resolve(stdout + stderr))
  })

let builds = 0
async function build(
  given: ServerOptions,
  routes?: object,
): Promise<{ folder: string; prebuilt: Prebuilt; keywordsLeft: readonly string[] }> {
  const folder = join(directory, `build-${builds++}`)
  const recording = new BuildRecording()
  await start({ ...given, prebuilt: recording }, routes)
  const { keywordsLeft } = await recording.write(folder)
  return { folder, prebuilt: (await import(pathToFileURL(join(folder, 'index.mjs')).href)) as Prebuilt, keywordsLeft }
}

test('A server with validator plugins of packages answers with its build as it does without', async () => {
  const { prebuilt, keywordsLeft } = await build(options(...all), bodies)
  const { server, lines } = await start({ ...options(...all), prebuilt }, bodies)
  const { server: compiling } = await start(options(...all), bodies)
  assert.deepEqual(await answers(server), await answers(compiling))
  // A schema whose keyword is a function is compiled by every server: building again would not change that.
  assert.deepEqual(keywordsLeft, ['instanceof'])
  assert.deepEqual(lines, [])
})

for (const [title, given, schema, [valid, invalid]] of [
  [
    'ajv-formats as a plugin, with options of its own,',
    options([ajvFormats, { mode: 'fast', formats: ['date', 'email'] }]),
    { type: 'string', format: 'date' },
    // The fast mode looks at the shape of a date only.
    ['2020-02-31', 'today'],
  ],
  [
    'A format that jsv.customOptions adds as a text',
    { jsv: { customOptions: { formats: { short: '^.{1,3}$' } } } },
    { type: 'string', format: 'short' },
    ['abc', 'abcd'],
  ],
] as const) {
  test(`${title} is built too`, async () => {
    const routes = { '/': { type: 'object', properties: { value: schema } } }
    const { prebuilt } = await build(given, routes)
    const { server, lines } = await start({ ...given, prebuilt }, routes)
    assert.deepEqual(await statuses(server, '/', [{ value: valid }, { value: invalid }]), [200, 400])
    assert.deepEqual(lines, [])
  })
}

test('alcove build names the keywords whose schemas it leaves to the server', async () => {
  const file = join(directory, 'app.mjs')
  await writeFile(
    file,
    `import { createRequire } from 'node:module'
     import { Plugin } from ${JSON.stringify(import.meta.resolve('alcove'))}
     const ajvKeywords = createRequire(${JSON.stringify(import.meta.url)})('ajv-keywords')
     export const options = { jsv: { plugins: [[ajvKeywords, ['instanceof']]] } }
     export default class App {
       setup(server) { server.post('/', { schema: { body: ${JSON.stringify(bodies['/functions'])} } }, () => '') }
     }
     Plugin({})(App)`,
  )
  const output = await run(join(import.meta.dirname, '../../../decorators/cli.js'), 'build', file, '--out', join(directory, 'left'))
  assert.match(output, /^The server compiles schemas with instanceof itself: these keywords are functions/m)
})

test('A build with plugins is used where code cannot be generated; a schema that needs that fails the boot', async () => {
  const { folder } = await build(options(evenNumbers))
  const main = join(folder, 'main.mjs')
  await writeFile(
    main,
    `import { createRequire } from 'node:module'
     import { createServer } from ${JSON.stringify(import.meta.resolve('alcove/lib'))}
     import * as prebuilt from './index.mjs'
     const evenNumbers = createRequire(import.meta.url)(${JSON.stringify(join(directory, '1.0.0', 'node_modules', 'even-numbers'))})
     const ajvKeywords = createRequire(${JSON.stringify(import.meta.url)})('ajv-keywords')
     const answer = async (plugins, build) => {
       const server = createServer({ jsv: { plugins, customOptions: { allErrors: true } }, prebuilt: build })
       server.post('/own', { schema: { body: ${JSON.stringify(bodies['/own'])} } }, () => '')
       const inject = async (payload) => (await server.inject({ method: 'POST', url: '/own', payload })).statusCode
       return [await inject({ n: 2, text: 'ab' }), await inject({ n: 3 }), await inject({ text: 'a' })]
     }
     console.log(JSON.stringify(await answer([evenNumbers], prebuilt)))
     await answer([[ajvKeywords, ['range']]], undefined).catch(({ message }) => console.log(message))`,
  )
  const output = await run('--disallow-code-generation-from-strings', main)
  assert.match(output, /^\[200,400,400\]\nThis process must not generate code from strings, but the server has no build that it can use/)
})

test('A build is ignored if a plugin has another version, other options or another place in the list', async () => {
  const { prebuilt } = await build(options(ajvErrors, evenNumbers))
  const other = await install('2.0.0')
  for (const [plugins, text] of [
    [[ajvErrors, other], /even-numbers@1\.0\.0\/dist\/index\.js.* in the build, .*even-numbers@2\.0\.0\/dist\/index\.js.* here/],
    [[[ajvErrors, { singleError: true }], evenNumbers], /"singleError":true.* here/],
    [[evenNumbers, ajvErrors], /Run alcove build again/],
  ] as const) {
    const { server, lines } = await start({ ...options(...plugins), prebuilt })
    assert.equal(lines.length, 1)
    assert.match(lines[0]!.msg, text)
    assert.deepEqual(await statuses(server, '/own', [{ n: 2 }, { n: 3 }]), [200, 400])
  }
})

test('A plugin that cannot be told from another one is named, by the build and by the server that ignores a build', async () => {
  const { prebuilt } = await build(options(evenNumbers))
  const cases: [ServerOptions['jsv'], string][] = [
    [{ plugins: [ajvErrors, () => {}] }, 'jsv.plugins[1] is not exported by a CommonJS module of an installed package'],
    [{ plugins: [[ajvErrors, { keepErrors: () => true }]] }, 'the options of jsv.plugins[0] are not JSON'],
    [{ onCreate: () => {} }, 'jsv.onCreate is a function, whose changes of ajv cannot be compared'],
    [{ customOptions: { formats: { own: () => true } } }, 'a value in jsv.customOptions or serializerOpts is not JSON'],
  ]
  for (const [jsv, problem] of cases) {
    const given = { jsv: { ...jsv, customOptions: { allErrors: true, ...jsv!.customOptions } } }
    const recording = new BuildRecording()
    await createServer({ ...given, prebuilt: recording }).ready()
    await assert.rejects(recording.write(join(directory, 'none')), {
      code: 'ALC_ERR_BUILD_OPTIONS',
      message: `Nothing can be built ahead of time: ${problem}. Start the server without a build: it compiles its schemas itself.`,
    })
    const { server, lines } = loggedServer({ ...given, prebuilt })
    await server.ready()
    assert.deepEqual(messages(lines), [`Ignoring the prebuilt schemas: ${problem}.`])
  }
})

test('The package of a function is found by the file that exports it, and not for a function of the application', () => {
  assert.equal(packageOf(ajvErrors)?.identity, 'ajv-errors@3.0.0/dist/index.js')
  assert.match(packageOf(transform)?.identity ?? '', /^ajv-keywords@\S+\/dist\/keywords\/transform\.js$/)
  assert.equal(packageOf(evenNumbers)?.name, 'even-numbers')
  assert.equal(
    packageOf(() => {}),
    undefined,
  )
})
