/** preClose, onClose, onRoute and onRegister hooks that fail or are late. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, test } from 'node:test'
import { createServer } from 'alcove/lib'

test(
  'a preClose hook that exceeds pluginTimeout fails the closing with its name, and everything else is closed',
  { timeout: 5000 },
  async () => {
    const server = createServer({ pluginTimeout: 50 })
    let isClosed = false
    server.addHook('onClose', () => void (isClosed = true))
    server.addHook('preClose', async function slow() {
      await new Promise((resolve) => setTimeout(resolve, 200))
    })
    await server.listen({ port: 0, host: '127.0.0.1' })
    await assert.rejects(Promise.resolve(server.close()), { code: 'ALC_ERR_HOOK_TIMEOUT', context: "preClose hook 'slow' of 'root'" })
    assert.deepEqual([isClosed, server.server.listening], [true, false])
  },
)

describe('an onClose hook that fails', () => {
  const hooks: Record<string, (...args: any[]) => unknown> = {
    'throws although it takes a callback': (_instance: unknown, _done: unknown) => {
      throw new Error('broken')
    },
    'passes an error to its callback': (_instance: unknown, done: (error: Error) => void) => done(new Error('broken')),
  }
  for (const [name, hook] of Object.entries(hooks)) {
    test(`and ${name} fails the closing; the other hooks still run`, { timeout: 5_000 }, async () => {
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

test('each preClose and onClose hook that fails is logged, and the others run', { timeout: 5_000 }, async () => {
  const lines: { level: number; msg: string; err?: { message: string } }[] = []
  const server = createServer({ logger: { stream: { write: (line: string) => void lines.push(JSON.parse(line)) } } })
  const seen: string[] = []
  server.addHook('preClose', async function leave() {
    throw new Error('one')
  })
  server.addHook('preClose', async () => void seen.push('preClose'))
  server.addHook('onClose', async function disconnect() {
    throw new Error('two')
  })
  server.addHook('onClose', (_instance, done) => done(new Error('three')))
  await server.listen({ port: 0, host: '127.0.0.1' })
  await assert.rejects(server.close())
  assert.deepEqual(seen, ['preClose'])
  assert.deepEqual(
    lines.filter(({ level }) => level === 50).map(({ msg, err }) => [msg, err?.message]),
    [
      ["the preClose hook 'leave' of 'root' failed", 'one'],
      ["the onClose hook of 'root' failed", 'three'],
      ["the onClose hook 'disconnect' of 'root' failed", 'two'],
    ],
  )
})

test('a hook that is bound, as a method of a class is, is named as it was written if it fails', async () => {
  const texts: string[] = []
  const server = createServer({ logger: { stream: { write: (line: string) => void texts.push(JSON.parse(line).msg) } } })
  const hooks = {
    async leave(): Promise<void> {
      throw new Error('one')
    },
    async disconnect(): Promise<void> {
      throw new Error('two')
    },
  }
  server.addHook('preClose', hooks.leave.bind(hooks))
  server.addHook('onClose', hooks.disconnect.bind(hooks))
  await assert.rejects(server.close())
  assert.deepEqual(texts, ["the preClose hook 'leave' of 'root' failed", "the onClose hook 'disconnect' of 'root' failed"])
})

const failures: Record<string, { fail: () => unknown; message: RegExp }> = {
  'throws an error': {
    fail: () => {
      throw new Error('of the hook')
    },
    message: /of the hook/,
  },
  'throws null': {
    fail: () => {
      throw null
    },
    message: /failed with null/,
  },
  'rejects with an error': { fail: () => Promise.reject(new Error('of the hook')), message: /of the hook/ },
  'rejects with undefined': { fail: () => Promise.reject(), message: /failed with undefined/ },
  'rejects with 0': { fail: () => Promise.reject(0), message: /failed with 0/ },
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
    test(`a ${name} hook that ${deed} fails the closing, and everything else is closed`, { timeout: 5000 }, async () => {
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

for (const hooks of ['no', 'some']) {
  test(`ready() of contexts is over before that of the root, in the order of their plugins, with ${hooks} onReady hooks`, async () => {
    const server = createServer()
    const order: string[] = []
    if (hooks === 'some') server.addHook('onReady', async () => void order.push('hook'))
    server.register(async (one) => {
      void one.ready().then(() => order.push('one'))
      one.register(async (inner) => void inner.ready().then(() => order.push('inner')))
    })
    server.register(async (two) => void two.ready().then(() => order.push('two')))
    await server.ready()
    assert.deepEqual(
      order.filter((name) => name !== 'hook'),
      ['one', 'inner', 'two'],
    )
    await server.close()
  })
}

test('an onClose hook that was added after ready runs before the others, but after the requests', async () => {
  const server = createServer()
  const order: string[] = []
  let arrived!: () => void
  const isServed = new Promise<void>((resolve) => (arrived = resolve))
  server.addHook('preClose', async () => void order.push('preClose'))
  server.addHook('onClose', async () => void order.push('onClose'))
  server.get('/', async () => {
    arrived()
    await delay(50)
    order.push('handler')
    return 'done'
  })
  const address = await server.listen({ port: 0, host: '127.0.0.1' })
  server.onClose(() => void order.push('late onClose'))
  const reply = fetch(address)
  await isServed
  await server.close()
  assert.equal(await (await reply).text(), 'done')
  assert.deepEqual(order, ['preClose', 'handler', 'late onClose', 'onClose'])
})
