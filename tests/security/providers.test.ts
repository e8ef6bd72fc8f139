/** Providers of a request that fail in any way: the request gets an error reply, the next one is served, the process lives. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, type AddressInfo } from 'node:net'
import { bootstrap, Hook, Plugin, Route, testServer } from 'alcove'
import { thrownValues, revoked } from './wire.js'
import { until } from '../fixtures/elapse.js'

const TX = Symbol('tx')
const SIBLING = Symbol('sibling')

function app(factory: () => unknown, sibling: () => unknown = () => 'sibling', scope: 'request' | 'transient' = 'request'): any {
  @Route({ method: 'GET', path: '/' })
  class GetIt {
    static inject = [SIBLING, TX] as const
    constructor(
      readonly sibling: unknown,
      readonly tx: unknown,
    ) {}
    handle(): string {
      return 'fine'
    }
  }
  @Plugin({
    providers: [
      { provide: TX, useFactory: factory, scope: 'request' },
      { provide: SIBLING, useFactory: sibling, scope },
    ] as any,
    routes: [GetIt],
  })
  class App {}
  return App
}

for (const [name, make] of Object.entries(thrownValues())) {
  test(`a provider of a request that throws ${name} fails only that request`, async () => {
    let fails = true
    const factory = (isAsync: boolean) => (): unknown => {
      if (!fails) return {}
      if (isAsync) return Promise.reject(make())
      throw make()
    }
    for (const isAsync of [false, true]) {
      fails = true
      await using server = await testServer(app(factory(isAsync)))
      const failed = await server.inject('/')
      assert.equal(failed.statusCode, 500)
      if (name !== 'an error with a bigint for a code') assert.ok(!failed.body.includes('secret'), failed.body)
      fails = false
      assert.equal((await server.inject('/')).body, 'fine')
    }
  })
}

for (const scope of ['request', 'transient'] as const) {
  test(`a provider (${scope}) that rejects after its sibling threw does not end the process`, async () => {
    const rejects = (): unknown => new Promise((_resolve, reject) => setImmediate(() => reject(new Error('secret'))))
    const throws = (): unknown => {
      throw new Error('first')
    }
    await using server = await testServer(app(throws, rejects, scope))
    assert.equal((await server.inject('/')).statusCode, 500)
    await new Promise((resolve) => setTimeout(resolve, 20))
  })
}

test('a request whose provider never settles is answered after handlerTimeout', async () => {
  const alive = setTimeout(() => {}, 3000)
  await using server = await testServer(
    app(() => new Promise(() => {})),
    { server: { handlerTimeout: 50 } } as any,
  )
  assert.equal((await server.inject('/')).statusCode, 503)
  clearTimeout(alive)
})

for (const [what, provide] of [
  ['synchronous', () => 'tx'],
  ['asynchronous', async () => 'tx'],
] as const) {
  /** An application with one route, whose hook has a provider of the request. */
  function guarded(name: string, hook: (...args: any[]) => unknown): any {
    class Guard {
      static readonly inject = [TX] as const
      constructor(readonly tx: unknown) {}
    }
    // Not wrapped, because its arity says whether it takes `done`
    Object.defineProperty(Guard.prototype, name, { value: hook })
    @Hook(name as any, Guard)
    @Route({ method: 'GET', path: '/' })
    class GetIt {
      handle(): string {
        return 'reached'
      }
    }
    @Plugin({ providers: [{ provide: TX, useFactory: provide, scope: 'request' }] as any, routes: [GetIt] })
    class App {}
    return App
  }

  for (const name of ['onRequest', 'preHandler']) {
    test(`a guard (${name}) whose provider is ${what} lets requests pass only when it calls done`, async () => {
      const reasons: unknown[] = [Object.assign(new Error('no'), { statusCode: 401 }), null]
      const hook = (_request: unknown, _reply: unknown, done: (error: unknown) => void): void =>
        void setTimeout(() => done(reasons.shift()), 5)
      await using server = await testServer(guarded(name, hook))
      assert.equal((await server.inject('/')).statusCode, 401)
      assert.equal((await server.inject('/')).body, 'reached')
    })

    test(`a guard (${name}) whose provider is ${what} may be asynchronous, throw, or be done when it returns`, async () => {
      const no = Object.assign(new Error('no'), { statusCode: 401 })
      for (const [hook, status] of [
        [async () => Promise.reject(no), 401],
        [async () => {}, 200],
        [() => Promise.reject(no), 401],
        [
          () => {
            throw no
          },
          401,
        ],
        [() => {}, 200],
      ] as const) {
        await using server = await testServer(guarded(name, hook))
        assert.equal((await server.inject('/')).statusCode, status)
      }
    })
  }

  test(`a hook whose provider is ${what} may pass another payload to done`, async () => {
    const hook = (_request: unknown, _reply: unknown, payload: string, done: (error: null, payload: string) => void): void =>
      void setTimeout(() => done(null, `${payload}, changed`), 5)
    await using server = await testServer(guarded('onSend', hook))
    assert.equal((await server.inject('/')).body, 'reached, changed')
  })

  test(`a handler whose provider is ${what} may reply later, or without a body`, async () => {
    const handles = [(reply: any) => void setTimeout(() => reply.send('late'), 5), (reply: any) => reply.code(204).send(), () => null]
    @Route({ method: 'GET', path: '/' })
    class GetIt {
      static readonly inject = [TX] as const
      constructor(readonly tx: unknown) {}
      handle(_request: unknown, reply: unknown): unknown {
        return handles.shift()!(reply)
      }
    }
    @Plugin({ providers: [{ provide: TX, useFactory: provide, scope: 'request' }] as any, routes: [GetIt] })
    class App {}
    await using server = await testServer(App)
    assert.equal((await server.inject('/')).body, 'late')
    assert.equal((await server.inject('/')).statusCode, 204)
    assert.equal((await server.inject('/')).body, 'null')
  })
}

test('a guard whose provider fails with any value lets no request pass', async () => {
  for (const fail of [() => Promise.reject(undefined), () => Promise.reject(null), () => Promise.reject(new Error('secret'))]) {
    class Guard {
      static readonly inject = [TX] as const
      constructor(readonly tx: unknown) {}
      preHandler(_request: unknown, _reply: unknown, done: () => void): void {
        done()
      }
    }
    @Hook('preHandler', Guard)
    @Route({ method: 'GET', path: '/' })
    class GetIt {
      handle(): string {
        return 'reached'
      }
    }
    @Plugin({ providers: [{ provide: TX, useFactory: fail, scope: 'request' }], routes: [GetIt] })
    class App {}
    await using server = await testServer(App)
    assert.equal((await server.inject('/')).statusCode, 500)
  }
})

test('an instance of a provider that cannot be closed is logged', async () => {
  const made: unknown[] = [
    revoked({}),
    revoked(() => {}),
    {
      dispose() {
        throw null
      },
    },
    {
      get dispose() {
        throw new Error('secret')
      },
    },
    { onClose: () => Promise.reject() },
    Object.create(null),
  ]
  for (const value of made) {
    await using server = await testServer(app(() => value))
    const { statusCode } = await server.inject('/')
    assert.ok([200, 500].includes(statusCode))
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
})

test('the instances of a request are disposed of after its onResponse hooks', async () => {
  const order: string[] = []
  class Tx {
    isOpen = true
    dispose(): void {
      this.isOpen = false
      order.push('disposed')
    }
  }
  class Audit {
    static readonly inject = [Tx] as const
    constructor(readonly tx: Tx) {}
    async onResponse(): Promise<void> {
      await new Promise((resolve) => setTimeout(resolve, 20))
      order.push(this.tx.isOpen ? 'audited' : 'too late')
    }
  }
  @Hook('onResponse', Audit)
  @Route({ method: 'GET', path: '/' })
  class GetIt {
    static readonly inject = [Tx] as const
    constructor(readonly tx: Tx) {}
    handle(): string {
      return 'fine'
    }
  }
  @Plugin({ providers: [{ provide: Tx, useClass: Tx, scope: 'request' }], routes: [GetIt] })
  class App {}
  await using server = await testServer(App)
  assert.equal((await server.inject('/')).body, 'fine')
  await until(() => order.length === 2)
  assert.deepEqual(order, ['audited', 'disposed'])
})

test('a handler whose provider is ready only after handlerTimeout does not run', { timeout: 5000 }, async () => {
  const alive = setInterval(() => {}, 1000)
  let handled = 0
  @Route({ method: 'GET', path: '/' })
  class GetIt {
    static inject = [TX] as const
    constructor(readonly tx: unknown) {}
    handle(): number {
      return ++handled
    }
  }
  const slow = (): Promise<object> => new Promise((resolve) => setTimeout(resolve, 60, {}))
  @Plugin({ providers: [{ provide: TX, useFactory: slow, scope: 'request' }] as any, routes: [GetIt] })
  class App {}
  await using server = await testServer(App, { server: { handlerTimeout: 20 } } as any)
  assert.equal((await server.inject('/')).statusCode, 503)
  await new Promise((resolve) => setTimeout(resolve, 80))
  assert.equal(handled, 0)
  clearInterval(alive)
})

test(
  'an instance of a request whose disposal never ends is abandoned and logged, and its dependencies are disposed of',
  { timeout: 5000 },
  async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] })
    const ended: string[] = []
    const lines: string[] = []
    const first = (): object => ({ dispose: () => ended.push('first') })
    const stuck = (): object => ({ dispose: () => (ended.push('stuck'), new Promise(() => {})) })
    const logger = { stream: { write: (line: string) => lines.push(line) } }
    await using server = await testServer(app(stuck, first), { server: { logger } } as any)
    assert.equal((await server.inject('/')).body, 'fine')
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
    await turn()
    assert.deepEqual(ended, ['stuck'])
    context.mock.timers.tick(10_000)
    await turn()
    assert.deepEqual(ended, ['stuck', 'first'])
    assert.ok(lines.some((line) => line.includes('could not be closed')))
  },
)

test('the instances of a pipelined request are disposed of if its client leaves before its turn', { timeout: 5000 }, async () => {
  let open = 0
  class Tx {
    constructor() {
      open++
    }
    dispose(): void {
      open--
    }
  }
  @Route({ method: 'GET', path: '/' })
  class GetIt {
    static inject = [Tx] as const
    constructor(readonly tx: Tx) {}
    handle({ signal }: Request): Promise<string> {
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve('late')))
    }
  }
  @Plugin({ providers: [{ provide: Tx, useClass: Tx, scope: 'request' }] as any, routes: [GetIt] })
  class App {}
  const server = await bootstrap(App, { forceCloseConnections: true })
  await server.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3))
  await until(() => open === 3)
  socket.destroy()
  await until(() => open === 0)
  await server.close()
})
