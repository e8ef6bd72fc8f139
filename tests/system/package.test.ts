/** The package as npm packs it: run and compiled in a project that has it installed. Part of the system tests, as it takes long. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { type Consumer, installPacked } from '../fixtures/packed.js'
import { project } from '../fixtures/project.js'

const run = promisify(execFile)
/** The files of a consumer's project. */
const files: Record<string, string> = {
  'package.json': '{ "name": "consumer", "private": true, "type": "module" }',
  'esm.mjs': `
import { bootstrap, Plugin, Route } from 'alcove'
class Hello { handle() { return { hello: 'esm' } } }
Route({ method: 'GET', path: '/' })(Hello)
class App {}
Plugin({ routes: [Hello] })(App)
const server = await bootstrap(App)
console.log((await server.inject('/')).body)
await server.close()
`,
  'common.cjs': `
const { createServer, bootstrap } = require('alcove')
const lib = require('alcove/lib')
const fastify = require('alcove/fastify')
const server = createServer()
server.get('/', async () => ({ hello: 'common', isSame: lib.createServer === createServer, has: typeof bootstrap, calls: typeof fastify }))
server.inject('/').then((answer) => { console.log(answer.body); return server.close() })
`,
  'both.cjs': `
const { SERVER, token, Plugin, testServer } = require('alcove')
import('alcove').then(async (imported) => {
  const Clock = token('Clock')
  class Required {}
  Plugin({ shared: true, providers: [{ provide: Clock, useValue: 'shared' }] })(Required)
  class App {}
  imported.Plugin({ imports: [Required] })(App)
  const app = await imported.testServer(App)
  console.log(imported.SERVER === SERVER, app.resolve(Clock), imported.testServer === testServer)
  await app.close()
})
`,
  'contract.mjs': `
import { createRequire } from 'node:module'
import { clientFile, describe } from 'alcove/contract'
import { Get, Controller, Plugin } from 'alcove'
class Users { list() {} }
Get('/users')(Users.prototype, 'list', Object.getOwnPropertyDescriptor(Users.prototype, 'list'))
Controller()(Users)
class App {}
Plugin({ routes: [Users] })(App)
const required = createRequire(import.meta.url)('alcove/contract')
console.log(describe(App).routes.map(({ methods, url }) => methods + ' ' + url).join(), required.describe === describe)
console.log(clientFile(App).includes('sendRequest'))
`,
  'sandbox.cjs': `
const { errorCodes, fastify } = require('./node_modules/alcove/dist/cjs/fastify.js')
const server = fastify()
server.get('/', () => ({ hello: 'sandbox' }))
server.inject('/').then((answer) => { console.log(answer.body, typeof errorCodes.FST_ERR_NOT_FOUND); return server.close() })
`,
  'manifest.mjs': `
import manifest from 'alcove/package.json' with { type: 'json' }
import { createRequire } from 'node:module'
console.log(manifest.name, createRequire(import.meta.url)('alcove/package.json').version === manifest.version)
import('alcove/dist/esm/server.js').catch((error) => console.log(error.code))
`,
  'typed.ts': `
import { bootstrap, type BootstrappedServer, Get, Controller, Injectable, Plugin, requestDecorator, Route, type RouteRequest, testServer, token } from 'alcove'
import { createServer, type Server } from 'alcove/lib'
import { type ApplicationDescription, clientFile, describe } from 'alcove/contract'

const Answer = requestDecorator('answer', 42)
export const CLOCK = token<() => number>('CLOCK')
const schema = { querystring: { name: { type: 'string' } }, response: { 200: { type: 'object', properties: { hello: { type: 'string' } } } } } as const

@Injectable()
export class Greeter { greet(name = 'world') { return name } }

@Route({ method: 'GET', path: '/' }, schema)
class Hello {
  constructor(private readonly greeter: Greeter) {}
  handle({ query }: RouteRequest<typeof schema, [typeof Answer]>) { return { hello: this.greeter.greet(query.name) } }
}
@Controller('/more')
export class More { @Get() all() { return [] } }
@Plugin({ providers: [Greeter], decorateRequest: [Answer], routes: [Hello, More] })
class App {}

export const server: BootstrappedServer = await bootstrap(App, { bodyLimit: 10 })
export const plain: Server = createServer()
console.log((await server.inject('/?name=typed')).body)
await server.close()
await using app = await testServer(App)
export const hello: string | undefined = (await app.call(Hello).expect(200)).hello
export const text: string = clientFile(App)
export const described: ApplicationDescription = describe(App, { bodyLimit: 10 })
`,
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      target: 'ES2023',
      lib: ['ES2023', 'ESNext.Disposable'],
      module: 'NodeNext',
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noPropertyAccessFromIndexSignature: true,
      verbatimModuleSyntax: true,
      skipLibCheck: false,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
    },
    files: ['typed.ts'],
  }),
}

describe('the package, as npm packs it', () => {
  let consumer: Consumer
  before(async () => {
    consumer = await installPacked(files)
  })
  after(() => consumer.remove())

  const node = (file: string): Promise<string> => consumer.node(file)

  test('contains the compiled library and its types, and no samples, tests or sources', () => {
    const [first] = readdirSync(join(consumer.installed, 'dist')).filter(
      (folder) => !['cjs', 'decorators', 'esm', 'lib', 'page'].includes(folder),
    )
    assert.equal(first, undefined)
    assert.ok(existsSync(join(consumer.installed, 'LICENSE')))
    assert.deepEqual(readdirSync(join(consumer.installed, 'schemas')), ['check.json', 'diff.json', 'explain.json'])
    for (const folder of ['lib', 'decorators', 'cjs/lib', 'cjs/decorators']) {
      const published = readdirSync(join(consumer.installed, 'dist', folder), { recursive: true, withFileTypes: true }).filter((file) =>
        file.isFile(),
      )
      assert.ok(published.some(({ name }) => name === 'index.d.ts'))
      assert.deepEqual(
        published.filter(({ name }) => !name.endsWith('.d.ts')).map(({ name }) => name),
        [],
      )
    }
  })

  test('runs an application that imports it', async () => {
    assert.equal(await node('esm.mjs'), '{"hello":"esm"}\n')
  })

  test('runs an application that requires it, and both entries share one library', async () => {
    assert.equal(await node('common.cjs'), '{"hello":"common","isSame":true,"has":"function","calls":"function"}\n')
  })

  test('shares its state with an application that imports and requires it', async () => {
    assert.equal(await node('both.cjs'), 'true shared true\n')
  })

  test('exports the description of an application, to modules of both kinds', async () => {
    assert.equal(await node('contract.mjs'), 'GET /users,HEAD /users true\ntrue\n')
  })

  test('has CommonJS modules for tools that load no ES modules', async () => {
    assert.equal(await node('sandbox.cjs'), '{"hello":"sandbox"} function\n')
  })

  test('exports its package.json, and none of its other files', async () => {
    assert.equal(await node('manifest.mjs'), 'alcove true\nERR_PACKAGE_PATH_NOT_EXPORTED\n')
  })

  test('has types that compile in a strict project, its own declarations also without skipLibCheck', async () => {
    const compiler = join(project, 'node_modules/typescript/bin/tsc')
    const { stdout } = await run(process.execPath, [compiler, '-p', consumer.home], { cwd: consumer.home }).catch(
      (error: { stdout: string }) => error,
    )
    // Errors in the declarations of its dependencies do not count.
    assert.deepEqual(
      stdout.split('\n').filter((line) => line.includes('node_modules/alcove') || line.startsWith('typed.ts')),
      [],
    )
    assert.equal(await node('typed.js'), '{"hello":"typed"}\n')
  })
})
