import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, type Server } from 'alcove/lib'
import fastifyPlugin from 'fastify-plugin'

const wrap = (meta: object) => fastifyPlugin(async () => {}, meta as never)

describe('a plugin that says what it needs', () => {
  for (const range of ['4.x', '^4.0.0', '5.x', '>=4.0.0', '4.x || 5.x']) {
    test(`is welcome with the version range ${range}`, async () => {
      const server = createServer()
      server.register(wrap({ name: 'mine', fastify: range }))
      await server.ready()
      assert.equal(server.hasPlugin('mine'), true)
      await server.close()
    })
  }
  const refused: [title: string, meta: object, code: string, message: RegExp][] = [
    ['another version', { name: 'mine', fastify: '3.x' }, 'ALC_ERR_PLUGIN_VERSION_MISMATCH', /mine.*3\.x/],
    [
      'a decorator that is missing',
      { name: 'mine', decorators: { request: ['user'] } },
      'ALC_ERR_PLUGIN_NOT_PRESENT_IN_INSTANCE',
      /'user'.*Request/,
    ],
    ['a plugin that is missing', { name: 'mine', dependencies: ['other'] }, 'ALC_ERR_PLUGIN_DEPENDENCY_MISSING', /'other'.*'mine'/],
  ]
  for (const [title, meta, code, message] of refused) {
    test(`fails the boot with ${title}`, async () => {
      const server = createServer()
      server.register(wrap(meta))
      await assert.rejects(async () => server.ready(), { code, message })
      await server.close()
    })
  }

  test('finds what is registered before it in an ancestor, not in a sibling', async () => {
    const server = createServer()
    server.register(wrap({ name: 'base' }))
    server.register(async (child: Server) => void child.register(wrap({ name: 'needs', dependencies: ['base'] })))
    await server.ready()
    await server.close()

    const other = createServer()
    other.register(async (child: Server) => void child.register(wrap({ name: 'base' })))
    other.register(async (child: Server) => void child.register(wrap({ name: 'needs', dependencies: ['base'] })))
    await assert.rejects(async () => other.ready(), { code: 'ALC_ERR_PLUGIN_DEPENDENCY_MISSING' })
    await other.close()
  })
})

for (const failure of [undefined, null]) {
  test(`a plugin that rejects with ${String(failure)} fails the boot`, async () => {
    const server = createServer()
    server.register(async function empty() {
      throw failure
    })
    await assert.rejects(async () => server.ready(), { code: 'ALC_ERR_PLUGIN_REJECTED_EMPTY', message: /'empty'/ })
    await server.close()
  })
}

test('what is no plugin, or comes too late, is refused by its own code, whenever that is noticed', async () => {
  for (const given of [undefined, null, 7, 'name', {}, { default: 7 }, Promise.resolve(null), Promise.resolve({ default: 7 })]) {
    const server: any = createServer()
    const registering = async (): Promise<void> => {
      server.register(given)
      await server.ready()
    }
    await assert.rejects(registering, { code: 'ALC_ERR_PLUGIN_NOT_VALID' })
    await server.close()
  }
  const server = createServer()
  await server.ready()
  assert.throws(() => server.register(async () => {}), { code: 'ALC_ERR_ROOT_PLG_BOOTED' })
  await server.close()
})

test('a plugin may come as a module, or as the promise of one', async () => {
  const server: any = createServer()
  const seen: string[] = []
  server.register({ default: async (_instance: Server, { name }: { name: string }) => void seen.push(name) }, { name: 'module' })
  server.register(Promise.resolve({ default: async () => void seen.push('promised') }))
  server.register(Promise.resolve(async () => void seen.push('bare')))
  await server.ready()
  assert.deepEqual(seen, ['module', 'promised', 'bare'])
  await server.close()
})

test('a plugin without a name may need something too, and is named after its function', async () => {
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

for (const failure of [undefined, null, new Error('no module')]) {
  test(`the promise of a plugin that is rejected with ${String(failure)} fails the boot`, async () => {
    const server: any = createServer()
    server.register(async () => new Promise((resolve) => setTimeout(resolve, 20)))
    server.register(Promise.reject(failure))
    await assert.rejects(server.ready(), failure ?? { code: 'ALC_ERR_PLUGIN_REJECTED_EMPTY' })
    await server.close()
  })
}
