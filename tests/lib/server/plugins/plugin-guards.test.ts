/** Plugins that fail in unusual ways, and plugins that are modules or promises. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, type Plugin, type Server } from 'alcove/lib'

test('the first error of a plugin is the one that is reported', async () => {
  const server = createServer()
  const plugin: Plugin = (_instance, _options, done) => {
    done(new Error('first'))
    throw new Error('second')
  }
  server.register(plugin)
  await assert.rejects(Promise.resolve(server.ready()), { message: 'first' })
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

test('a callback of after may return the server, as a short function that declares a route does', async () => {
  const server = createServer()
  server.after(() => server.get('/', () => 'text'))
  await server.ready()
  assert.equal((await server.inject('/')).body, 'text')
  await server.close()
})

test('a plugin may be a module with a default export, or a promise of a plugin', async () => {
  const server: any = createServer()
  const seen: string[] = []
  server.register({ default: async (_instance: Server, { name }: { name: string }) => void seen.push(name) }, { name: 'module' })
  server.register(Promise.resolve({ default: async () => void seen.push('promised') }))
  server.register(Promise.resolve(async () => void seen.push('bare')))
  await server.ready()
  assert.deepEqual(seen, ['module', 'promised', 'bare'])
  await server.close()
})

for (const failure of [undefined, null, new Error('no module')]) {
  test(`a promise of a plugin that is rejected with ${String(failure)} fails the boot`, async () => {
    const server: any = createServer()
    server.register(async () => new Promise((resolve) => setTimeout(resolve, 20)))
    server.register(Promise.reject(failure))
    await assert.rejects(server.ready(), failure ?? { code: 'ALC_ERR_PLUGIN_REJECTED_EMPTY' })
    await server.close()
  })
}
