/** The table of hooks, the store of a context, and the values that `addHook` refuses. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createServer, type Server } from 'alcove/lib'
import { assertHook, createHookStore, hookNames, lifecycleHookNames } from '../../../lib/context/hooks.js'

const handler = (): string => ''

const refused: [title: string, declare: (server: any) => unknown, code: string][] = [
  ['a hook whose name is not a string', (server) => server.addHook(7, handler), 'ALC_ERR_HOOK_INVALID_TYPE'],
  ['an unknown hook', (server) => server.addHook('onNothing', handler), 'ALC_ERR_HOOK_NOT_SUPPORTED'],
  ['a missing hook', (server) => server.addHook('onRequest'), 'ALC_ERR_HOOK_INVALID_HANDLER'],
  ['an object as a hook', (server) => server.addHook('onRequest', {}), 'ALC_ERR_HOOK_INVALID_HANDLER'],
  [
    'an async hook that takes a callback',
    (server) => server.addHook('onRequest', async (_a: 1, _b: 2, _c: 3) => {}),
    'ALC_ERR_HOOK_INVALID_ASYNC_HANDLER',
  ],
  [
    'an async onSend hook that takes a callback',
    (server) => server.addHook('onSend', async (_a: 1, _b: 2, _c: 3, _d: 4) => {}),
    'ALC_ERR_HOOK_INVALID_ASYNC_HANDLER',
  ],
  [
    'an async onReady hook that takes a callback',
    (server) => server.addHook('onReady', async (_a: 1) => {}),
    'ALC_ERR_HOOK_INVALID_ASYNC_HANDLER',
  ],
  [
    'an async onRequestAbort hook that takes a callback',
    (server) => server.addHook('onRequestAbort', async (_a: 1, _b: 2) => {}),
    'ALC_ERR_HOOK_INVALID_ASYNC_HANDLER',
  ],
]
for (const [title, declare, code] of refused) {
  test(`an instance refuses ${title}`, () => {
    assert.throws(() => declare(createServer()), { code })
  })
}

describe('the table of hooks', () => {
  test('lists the hooks of a request in their order, then the others', () => {
    assert.deepEqual(
      [...lifecycleHookNames],
      [
        'onRequest',
        'preParsing',
        'preValidation',
        'preHandler',
        'preSerialization',
        'onSend',
        'onResponse',
        'onError',
        'onTimeout',
        'onRequestAbort',
      ],
    )
    assert.deepEqual(hookNames.slice(lifecycleHookNames.length), ['onRoute', 'onRegister', 'onReady', 'onListen', 'preClose', 'onClose'])
  })

  for (const [name, accepted, refusedLengths] of [
    ['onRequest', [0, 1, 2], [3]],
    ['preParsing', [0, 3], [4]],
    ['onSend', [0, 2, 3], [4]],
    ['onError', [0, 3], [4]],
    ['onRequestAbort', [0, 1], [2]],
    ['onReady', [0, 2], [1]],
    ['onListen', [0, 2], [1]],
    ['preClose', [0], [1]],
    ['onClose', [0, 1, 2], []],
    ['onRoute', [0, 1], []],
  ] as const) {
    const lengths = (list: readonly number[]): string => list.join(', ') || 'none'
    test(`accepts async ${name} hooks with ${lengths(accepted)} parameters, and refuses ${lengths(refusedLengths)}`, () => {
      const asyncOf = (length: number): unknown => Object.defineProperty(async () => {}, 'length', { value: length })
      for (const length of accepted) assertHook(name, asyncOf(length))
      for (const length of refusedLengths)
        assert.throws(() => assertHook(name, asyncOf(length)), { code: 'ALC_ERR_HOOK_INVALID_ASYNC_HANDLER' })
    })
  }
})

test('a new store has the hooks of the parent, but not those of the application, and keeps its own apart', () => {
  const parent = createHookStore()
  const added = { hookFunction: () => {}, from: { path: 'root' } }
  for (const name of hookNames) if (name !== 'onClose') parent[name].push(added)
  const child = createHookStore(parent)
  assert.deepEqual(
    hookNames.filter((name) => name !== 'onClose' && child[name].length === 0),
    ['onReady', 'onListen', 'preClose'],
  )
  child.onRequest.push(added)
  assert.equal(parent.onRequest.length, 1)
})

test('a hook that is added late reaches the children that exist already; an onRoute hook reaches only later ones', async () => {
  const server = createServer()
  const seen: string[] = []
  server.register(async (child: Server) => void child.get('/early', () => 'x'))
  server.after(() => {
    server.addHook('onRequest', async ({ url }) => void seen.push(`onRequest ${url}`))
    server.addHook('onRoute', ({ url, method }) => void (method === 'GET' && seen.push(`onRoute ${url}`)))
  })
  server.register(async (child: Server) => void child.get('/late', () => 'x'))
  await server.ready()
  for (const url of ['/early', '/late']) await server.inject(url)
  assert.deepEqual(seen, ['onRoute /late', 'onRequest /early', 'onRequest /late'])
  await server.close()
})

describe('a resource as onClose hook', () => {
  test('is disposed of when the server closes, resources of children first', async () => {
    const disposed: string[] = []
    const server = createServer()
    server.addHook('onClose', { [Symbol.dispose]: () => void disposed.push('of the root') })
    server.register(async (child: Server) => {
      child.addHook('onClose', {
        [Symbol.dispose]: () => assert.fail('it can be disposed of asynchronously'),
        async [Symbol.asyncDispose]() {
          await setImmediate()
          disposed.push('of the child')
        },
      })
    })
    await server.listen({ port: 0, host: '127.0.0.1' })
    assert.deepEqual(disposed, [])
    await server.close()
    assert.deepEqual(disposed, ['of the child', 'of the root'])
  })

  for (const [title, resource] of [
    ['throws', { [Symbol.dispose]: () => fail() }],
    ['rejects', { [Symbol.asyncDispose]: async () => fail() }],
  ] as const) {
    test(`that ${title} fails the closing`, async () => {
      const server = createServer()
      server.addHook('onClose', resource)
      await server.ready()
      await assert.rejects(server.close(), { message: 'away' })
    })
  }

  test('may return anything', async () => {
    const server = createServer()
    server.addHook('onClose', { [Symbol.asyncDispose]: async () => 'text' as never })
    await server.ready()
    await server.close()
  })

  test('is refused by other hooks, and other objects are refused', () => {
    const server: any = createServer()
    const resource = { [Symbol.dispose]() {} }
    for (const name of hookNames)
      if (name !== 'onClose') assert.throws(() => server.addHook(name, resource), { code: 'ALC_ERR_HOOK_INVALID_HANDLER' })
    for (const given of [{}, null, 'text', { [Symbol.dispose]: 1 }]) {
      assert.throws(() => server.addHook('onClose', given), { code: 'ALC_ERR_HOOK_INVALID_HANDLER' })
    }
  })
})

function fail(): never {
  throw new Error('away')
}

test('an onClose hook has its instance as this', async () => {
  const seen: boolean[] = []
  const note = function (this: unknown, instance: Server): void {
    seen.push(this === instance)
  }
  const server = createServer()
  server.addHook('onClose', note).onClose(note)
  server.register(async (child: Server) => void child.addHook('onClose', note))
  await server.ready()
  await server.close()
  assert.deepEqual(seen, [true, true, true])
})
