/** The contract of fastify-plugin: names, versions, dependencies and required decorators. */
import assert from 'node:assert/strict'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createServer, type Plugin, type Server } from 'alcove/lib'
import fastifyPlugin from 'fastify-plugin'

const wrap = (meta: object) => fastifyPlugin(async () => {}, meta as never)

describe('a plugin with metadata', () => {
  for (const range of ['4.x', '^4.0.0', '5.x', '>=4.0.0', '4.x || 5.x']) {
    test(`is accepted with the version range ${range}`, async () => {
      const server = createServer()
      server.register(wrap({ name: 'mine', fastify: range }))
      await server.ready()
      assert.equal(server.hasPlugin('mine'), true)
      await server.close()
    })
  }
  for (const [version, range, isAccepted] of [
    ['99.0.0-rc.1', '^98.1.0', true],
    ['99.0.0-pre.1', '98.x', true],
    ['99.0.0-alpha.1', '^100.0.0', false],
    ['99.0.0', '^98.1.0', false],
  ] as const) {
    test(`for ${range} is ${isAccepted ? 'accepted' : 'refused'} by a server whose version was set to ${version}`, async () => {
      const server = createServer()
      Object.defineProperty(server, 'version', { value: version })
      server.register(wrap({ name: 'mine', fastify: range }))
      if (isAccepted) await server.ready()
      else await assert.rejects(async () => server.ready(), { code: 'ALC_ERR_PLUGIN_VERSION_MISMATCH' })
      await server.close()
    })
  }

  const refused: [title: string, meta: object, code: string, message: RegExp][] = [
    ['another version', { name: 'mine', fastify: '3.x' }, 'ALC_ERR_PLUGIN_VERSION_MISMATCH', /mine.*3\.x.*5\.0\.0 or 5\.99\.99/],
    [
      'a missing decorator',
      { name: 'mine', decorators: { request: ['user'] } },
      'ALC_ERR_PLUGIN_NOT_PRESENT_IN_INSTANCE',
      /'user'.*Request/,
    ],
    ['a missing dependency', { name: 'mine', dependencies: ['other'] }, 'ALC_ERR_PLUGIN_DEPENDENCY_NOT_REGISTERED', /'other'.*'mine'/],
  ]
  for (const [title, meta, code, message] of refused) {
    test(`fails the boot with ${title}`, async () => {
      const server = createServer()
      server.register(wrap(meta))
      await assert.rejects(async () => server.ready(), { code, message })
      await server.close()
    })
  }

  test('finds dependencies that were registered before it in an ancestor, but not in a sibling', async () => {
    const server = createServer()
    server.register(wrap({ name: 'base' }))
    server.register(async (child: Server) => void child.register(wrap({ name: 'needs', dependencies: ['base'] })))
    await server.ready()
    await server.close()

    const other = createServer()
    other.register(async (child: Server) => void child.register(wrap({ name: 'base' })))
    other.register(async (child: Server) => void child.register(wrap({ name: 'needs', dependencies: ['base'] })))
    await assert.rejects(async () => other.ready(), { code: 'ALC_ERR_PLUGIN_DEPENDENCY_NOT_REGISTERED' })
    await other.close()
  })
})

test('a plugin without a name in its metadata is named after its function, and its requirements count too', async () => {
  const needs = { decorators: { fastify: ['db'] } }
  const plugin = Object.assign(async function mine() {}, { [Symbol.for('plugin-meta')]: needs })
  const server = createServer()
  server.register(plugin)
  await assert.rejects(async () => server.ready(), {
    code: 'ALC_ERR_PLUGIN_NOT_PRESENT_IN_INSTANCE',
    message: /^(?!.*required by).*'db'/,
  })
  await server.close()
  const old = createServer()
  old.register(Object.assign(async function mine() {}, { [Symbol.for('plugin-meta')]: { fastify: '1.x' } }))
  await assert.rejects(async () => old.ready(), { code: 'ALC_ERR_PLUGIN_VERSION_MISMATCH', message: /mine/ })
  await old.close()
})

test('the names of shared plugins appear in the pluginName of the instance', async () => {
  const server = createServer()
  const plugin: Plugin = async (instance) => assert.equal(instance.pluginName, 'fastify -> one')
  server.register(Object.assign(plugin, { [Symbol.for('skip-override')]: true, [Symbol.for('fastify.display-name')]: 'one' }))
  server.register(async function two(instance) {
    assert.equal(instance.pluginName, 'two')
  })
  await server.ready()
  assert.equal(server.pluginName, 'fastify -> one')
  assert.ok(server.hasPlugin('one'))
})

test('a plugin that is a CommonJS module is named by its file, unless it has a name for display', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'alcove-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const load = (name: string, text: string): any => {
    const file = join(folder, name)
    writeFileSync(file, text)
    return { file: realpathSync(file), plugin: createRequire(import.meta.url)(file) }
  }
  const named = load('named.cjs', 'module.exports = async function routes(server) { server.get("/named", () => server.pluginName) }')
  const wrapped = load(
    'wrapped.cjs',
    'module.exports = async (server) => { server.get("/wrapped", () => server.pluginName) }; ' +
      'module.exports[Symbol.for("fastify.display-name")] = "shown"',
  )
  const server = createServer()
  server.register(named.plugin).register(wrapped.plugin)
  assert.equal((await server.inject('/named')).body, named.file)
  assert.equal((await server.inject('/wrapped')).body, 'shown')
  await server.close()
})
