/** The JavaScript that is published: one file for each entry and the chunks that they share, as ES modules and as CommonJS. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Consumer, installPacked } from '../fixtures/packed.js'

/** Compares what entries have in common. `load` returns the exports of an entry. */
const identity = `
async function compare(load) {
  const [root, lib, fastify, contract] = await Promise.all(['', 'lib', 'fastify', 'contract'].map(load))
  class Missing extends root.HttpError { constructor() { super(404, 'none') } }
  class Users { list() { throw new Missing() } }
  root.Get('/users')(Users.prototype, 'list', Object.getOwnPropertyDescriptor(Users.prototype, 'list'))
  root.Controller()(Users)
  class App {}
  root.Plugin({ routes: [Users] })(App)
  // An error of one entry, thrown in a server of another, and what the caller of a third one gets.
  const server = fastify.fastify()
  server.get('/', () => { throw new Missing() })
  const answer = await server.inject('/')
  await server.close()
  const file = contract.clientFile(App)
  const app = await root.testServer(App)
  const failure = await app.call(Users, 'list').expect(200).catch((error) => error)
  await app.close()
  return {
    functions: [root.createServer === lib.createServer, root.HttpError === lib.HttpError, root.LogController === fastify.LogController],
    decorators: contract.describe(App).routes.map(({ url }) => url)[0],
    file: file.includes('/users'),
    status: answer.statusCode,
    failure: failure instanceof root.ReplyError,
  }
}
`
const isOne = '{"functions":[true,true,true],"decorators":"/users","file":true,"status":404,"failure":true}\n'

/** Prints the stack of an error that alcove throws. */
const throwing = `try { createServer({ bodyLimit: 'much' }) } catch (error) { console.log(error.stack) }`

const names = `
const found = []
for (const [entry, exports] of Object.entries(entries))
  for (const [name, value] of Object.entries(exports)) if (typeof value === 'function') found.push([entry, name, value.name])
console.log(JSON.stringify(found))
`

const files: Record<string, string> = {
  'package.json': '{ "name": "consumer", "private": true, "type": "module" }',
  'imported.mjs': `${identity}
console.log(JSON.stringify(await compare((entry) => import(entry === '' ? 'alcove' : 'alcove/' + entry))))`,
  'mixed.cjs': `${identity}
const isRequired = ['', 'contract']
const load = (entry) => {
  const name = entry === '' ? 'alcove' : 'alcove/' + entry
  return isRequired.includes(entry) ? require(name) : import(name)
}
compare(load).then((result) => console.log(JSON.stringify(result)))`,
  // As tools do that load no ES modules.
  'required.cjs': `${identity}
compare((entry) => require('./node_modules/alcove/dist/cjs/' + (entry || 'index') + '.js')).then((result) => console.log(JSON.stringify(result)))`,
  'stack.mjs': `import { createServer } from 'alcove/lib'\n${throwing}`,
  'names.mjs': `import * as root from 'alcove'\nimport * as contract from 'alcove/contract'\nconst entries = { root, contract }\n${names}`,
  'names.cjs': `const load = (name) => require('./node_modules/alcove/dist/cjs/' + name + '.js')
const entries = { root: load('index'), contract: load('contract') }\n${names}`,
  'app.mjs': `
import { Controller, Get, Plugin, Schema } from 'alcove'
export class Users { list() { return { name: 'Ada' } } }
const descriptor = Object.getOwnPropertyDescriptor(Users.prototype, 'list')
Get('/users')(Users.prototype, 'list', descriptor)
Schema({ response: { 200: { type: 'object', properties: { name: { type: 'string' } } } } })(Users.prototype, 'list', descriptor)
Controller()(Users)
export class App {}
Plugin({ routes: [Users] })(App)`,
  'built.mjs': `
import { bootstrap } from 'alcove'
import { App } from './app.mjs'
import * as prebuilt from './alcove.build/index.mjs'
const server = await bootstrap(App, { prebuilt })
console.log((await server.inject('/users')).body)
await server.close()`,
  'loaded.mjs': `
import { createRequire } from 'node:module'
await import('alcove')
const packages = Object.keys(createRequire(import.meta.url).cache).map((file) => /.*node_modules.((?:@[^\\\\/]+.)?[^\\\\/]+)/.exec(file)?.[1])
console.log(JSON.stringify({ modules: process.moduleLoadList.map((name) => name.replace('NativeModule ', '')), packages }))`,
}

describe('the bundles of the package', () => {
  let consumer: Consumer
  before(async () => {
    consumer = await installPacked(files)
  })
  after(() => consumer.remove())

  for (const [file, how] of [
    ['imported.mjs', 'imports'],
    ['mixed.cjs', 'imports some and requires others of'],
    ['required.cjs', 'loads as CommonJS modules'],
  ] as const)
    test(`every class, function and map exists once in a program that ${how} all entries`, async () => {
      assert.equal(await consumer.node(file), isOne)
    })

  test('with source maps, the stack of an error leads to the TypeScript sources', async () => {
    const stack = await consumer.node('stack.mjs', ['--enable-source-maps'])
    assert.match(stack, /lib\/server\/options\.ts:\d+:\d+/)
    assert.doesNotMatch(stack, /dist\/(?:esm|cjs)\/[\w-]+\.js/)
  })

  for (const file of ['names.mjs', 'names.cjs'])
    test(`classes and functions have the names of the sources, also if several modules have one name (${file})`, async () => {
      const found = JSON.parse(await consumer.node(file)) as [entry: string, name: string, own: string][]
      assert.ok(found.length > 50)
      assert.deepEqual(
        found.filter(([, , own]) => /\$\d*$/.test(own)),
        [],
      )
      // Functions that another one makes have the name of its result.
      assert.ok(found.some(([, name, own]) => name === 'HttpError' && own === name))
    })

  test('an entry is one file, with few chunks beside it', () => {
    for (const folder of ['esm', 'cjs']) {
      const written = readdirSync(join(consumer.installed, 'dist', folder)).filter((file) => file.endsWith('.js'))
      const { exports } = JSON.parse(readFileSync(join(consumer.installed, 'package.json'), 'utf8')) as { exports: Record<string, any> }
      const files = Object.values(exports).flatMap(({ import: main }) => /\/esm\/(.+)$/.exec(String(main?.default))?.[1] ?? [])
      for (const entry of ['index.js', 'lib.js', 'fastify.js', 'contract.js', 'jobs.js']) assert.ok(files.includes(entry), entry)
      for (const entry of files) assert.ok(written.includes(entry), entry)
      const chunks = written.filter((file) => !files.includes(file) && file !== 'cli.js')
      assert.ok(chunks.length <= 9, chunks.join())
    }
  })

  test('every command of the package works on an application that imports it, and finds its own files', async () => {
    const alcove = (...args: string[]): Promise<string> => consumer.node('node_modules/alcove/dist/esm/cli.js', [], args)
    assert.match(await alcove('--version'), /^\d+\.\d+\.\d+/)
    assert.match(await alcove('check', 'app.mjs'), /The wiring of App is correct/)
    assert.equal(JSON.parse(await alcove('check', 'app.mjs', '--json')).ok, true)
    assert.match(await alcove('explain', 'app.mjs', 'GET /users'), /Users\.list/)
    assert.deepEqual(Object.keys(JSON.parse(await alcove('openapi', 'app.mjs')).paths), ['/users'])
    assert.match(await alcove('client', 'app.mjs'), /class ReplyError/)
    assert.match(await alcove('new', 'created'), /created is ready/)
    await alcove('build', 'app.mjs')
    assert.equal(await consumer.node('built.mjs', ['--disallow-code-generation-from-strings']), '{"name":"Ada"}\n')
  })

  test('an import of alcove loads no HTTP/2, TLS or fetch of Node, and no logger', async () => {
    const { modules, packages } = JSON.parse(await consumer.node('loaded.mjs')) as Record<'modules' | 'packages', string[]>
    const unneeded = [
      'http2',
      'https',
      'tls',
      'internal/http2/core',
      'internal/deps/undici/undici',
      'inspector',
      'child_process',
      'worker_threads',
    ]
    assert.deepEqual(
      unneeded.filter((name) => modules.includes(name)),
      [],
    )
    assert.ok(modules.includes('http') && packages.includes('ajv'))
    assert.deepEqual(
      ['pino', 'light-my-request'].filter((name) => packages.includes(name)),
      [],
    )
  })
})
