import assert from 'node:assert/strict'
import { createServer as createHttpServer } from 'node:http'
import { connect } from 'node:net'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { createServer, type Plugin } from 'alcove/lib'

const broken = { type: 'object', properties: { name: { type: 'no-such-type' } } }

test('one broken schema is one fault, though its route has a HEAD twin', async () => {
  const server = createServer()
  server.get('/', { schema: { querystring: broken } }, () => '')
  await assert.rejects(Promise.resolve(server.ready()), { code: 'ALC_ERR_SCH_VALIDATION_BUILD', message: /GET: \// })
})

test('several faults are reported together, under the code that they share', async () => {
  const server = createServer()
  server.get('/one', { schema: { querystring: broken } }, () => '')
  server.post('/two', { schema: { body: broken } }, () => '')
  await assert.rejects(Promise.resolve(server.ready()), {
    code: 'ALC_ERR_SCH_VALIDATION_BUILD',
    message: /^2 faults were found:\n.*GET: \/one.*\n.*POST: \/two/,
  })
  await server.close()

  const mixed = createServer()
  mixed.get('/one', { schema: { querystring: broken } }, () => '')
  mixed.get('/two', { schema: { response: { 200: { $ref: 'nowhere#' } } } }, () => '')
  await assert.rejects(Promise.resolve(mixed.ready()), { code: 'ALC_ERR_BOOT_FAULTS' })
})

test('the first failure of a plugin is the one that is reported', async () => {
  const server = createServer()
  const plugin: Plugin = (_instance, _options, done) => {
    done(new Error('first'))
    throw new Error('second')
  }
  server.register(plugin)
  await assert.rejects(Promise.resolve(server.ready()), { message: 'first' })
})

test('what is called back must be a function', async () => {
  const server: any = createServer()
  for (const method of ['ready', 'after', 'onClose', 'close']) {
    assert.throws(() => server[method]('x'), {
      code: 'ALC_ERR_PLUGIN_CALLBACK_NOT_FN',
      message: `${method} expects a function, got 'string'`,
    })
  }
  let atChild: unknown
  server.register(async (child: any) => {
    try {
      child.ready('x')
    } catch (error) {
      atChild = (error as { code: string }).code
    }
  })
  await server.ready()
  assert.equal(atChild, 'ALC_ERR_PLUGIN_CALLBACK_NOT_FN')
  await server.close()
})

test('a preClose hook that is late fails the closing by its name, and the rest is closed', { timeout: 5000 }, async () => {
  const server = createServer({ pluginTimeout: 50 })
  let isClosed = false
  server.addHook('onClose', () => void (isClosed = true))
  server.addHook('preClose', async function slow() {
    await new Promise((resolve) => setTimeout(resolve, 200))
  })
  await server.listen({ port: 0, host: '127.0.0.1' })
  await assert.rejects(Promise.resolve(server.close()), { code: 'ALC_ERR_HOOK_TIMEOUT', context: "preClose hook 'slow' of 'root'" })
  assert.deepEqual([isClosed, server.server.listening], [true, false])
})

test('the names of shared plugins appear in the name of the instance', async () => {
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

test('the sockets of a server that cannot close them are closed for it', { timeout: 5_000 }, async () => {
  const server = createServer({
    forceCloseConnections: true,
    serverFactory: (handler) => Object.assign(createHttpServer(handler), { closeAllConnections: undefined as never }),
  })
  server.get('/', () => '')
  const { port } = new URL(await server.listen())
  const socket = connect(Number(port), '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await once(socket, 'data')
  await Promise.all([server.close(), once(socket, 'close')])
})

test('idle connections cannot be closed where the server does not know them', () => {
  const bare = () => Object.assign(createHttpServer(), { closeIdleConnections: undefined as never })
  assert.throws(() => createServer({ forceCloseConnections: 'idle', serverFactory: bare }), {
    code: 'ALC_ERR_FORCE_CLOSE_CONNECTIONS_IDLE_NOT_AVAILABLE',
  })
})

describe('an onClose hook that fails', () => {
  const hooks: Record<string, (...args: any[]) => unknown> = {
    'throws beside its callback': (_instance: unknown, _done: unknown) => {
      throw new Error('broken')
    },
    'gives its callback an error': (_instance: unknown, done: (error: Error) => void) => done(new Error('broken')),
  }
  for (const [name, hook] of Object.entries(hooks)) {
    test(`and ${name} fails the closing; the other hooks run`, { timeout: 5_000 }, async () => {
      const server = createServer()
      const seen: string[] = []
      server.addHook('onClose', async () => void seen.push('first'))
      server.addHook('onClose', hook)
      await server.listen({ port: 0, host: '127.0.0.1' })
      await assert.rejects(server.close(), /broken/)
      assert.deepEqual(seen, ['first'])
    })
  }
})

const failures: Record<string, { fail: () => unknown; message: RegExp }> = {
  'throws an error': {
    fail: () => {
      throw new Error('of the hook')
    },
    message: /of the hook/,
  },
  'throws nothing': {
    fail: () => {
      throw null
    },
    message: /Undefined error|failed with null/,
  },
  'rejects an error': { fail: () => Promise.reject(new Error('of the hook')), message: /of the hook/ },
  'rejects nothing': { fail: () => Promise.reject(), message: /Undefined error|failed with undefined/ },
}

for (const [deed, { fail, message }] of Object.entries(failures)) {
  for (const name of ['onRoute', 'onRegister'] as const) {
    test(`an ${name} hook that ${deed} fails the boot`, async () => {
      const server = createServer()
      server.addHook(name, fail as any)
      server.register(async (child) => void child.get('/', () => 'ok'))
      await assert.rejects(server.listen({ port: 0 }), message)
      assert.equal(server.server.listening, false)
    })
  }

  for (const name of ['preClose', 'onClose'] as const) {
    test(`a ${name} hook that ${deed} fails the closing, and all the rest is closed`, { timeout: 5000 }, async () => {
      const server = createServer()
      const closed: string[] = []
      server.addHook('onClose', () => void closed.push('first'))
      server.addHook(name, fail)
      server.addHook('onClose', (_instance, done) => (closed.push('last'), done()))
      await server.listen({ port: 0 })
      await assert.rejects(server.close(), message)
      assert.deepEqual(closed, ['last', 'first'])
      assert.equal(server.server.listening, false)
    })
  }
}
