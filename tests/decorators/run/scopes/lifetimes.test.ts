import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { describe, test, type TestContext } from 'node:test'
import {
  bootstrap,
  type Class,
  factory,
  Hook,
  Injectable,
  Plugin,
  type Provider,
  REQUEST,
  Route,
  type Server,
  shared,
  testServer,
} from 'alcove'
import { countdown } from '../../../fixtures/countdown.js'
import { appOf, messagesOf, plugin } from '../../../fixtures/applications.js'

describe('what lives as long as its context', () => {
  /** Makes a class that notes its life. */
  function noted(name: string, order: string[], asked: readonly Class[] = []): Class {
    const Noted = {
      [name]: class {
        static readonly inject = asked
        constructor() {
          order.push(`+${name}`)
        }
        onReady() {
          order.push(`${name} ready`)
        }
        async onClose() {
          await new Promise((resolve) => setImmediate(resolve))
          order.push(`-${name}`)
        }
      },
    }[name]!
    return Noted
  }

  test('is made in the order of its dependencies, told when all is ready, and closed in reverse order, once', async () => {
    const order: string[] = []
    const Db = noted('Db', order)
    const Repo = noted('Repo', order, [Db])
    const Mail = noted('Mail', order)
    const Jobs = noted('Jobs', order, [Repo, Mail])
    const server = await bootstrap(plugin('App', { providers: [Repo, Db, Mail], imports: [plugin('Child', { providers: [Jobs] })] }))
    const made = ['Db', 'Repo', 'Mail', 'Jobs']
    assert.deepEqual(order.splice(0), [...made.map((name) => `+${name}`), ...made.map((name) => `${name} ready`)])
    await server.close()
    assert.deepEqual(
      order.splice(0),
      made.toReversed().map((name) => `-${name}`),
    )
    await server.close()
    assert.deepEqual(order, [])
  })

  test('has no method called twice if its plugin class makes the method a hook', async () => {
    const order: string[] = []
    @Plugin()
    class App {
      @Hook('onReady')
      onReady() {
        order.push('ready')
      }
      @Hook('onListen')
      onListen() {
        order.push('listening')
      }
      @Hook('onClose')
      onClose() {
        order.push('closed')
      }
    }
    const server = await bootstrap(App)
    await server.listen({ port: 0 })
    await server.close()
    assert.deepEqual(order, ['ready', 'listening', 'closed'])
  })

  test('is closed only after the last request and after the onClose hooks of plugins', async () => {
    const order: string[] = []
    const arrived = countdown(1)
    let release!: () => void
    const released = new Promise<void>((resolve) => (release = resolve))
    @Route({ method: 'GET', path: '/' })
    class Handle {
      async handle() {
        arrived.hit()
        await released
        order.push('answered')
        return ''
      }
    }
    const App = plugin('App', {
      providers: [noted('Db', order)],
      routes: [Handle],
      hooks: { preClose: async () => release(), onClose: async () => void order.push('hook') },
    })
    const server = await bootstrap(App)
    order.length = 0
    const request = httpRequest(await server.listen({ port: 0, host: '127.0.0.1' })).end()
    const response = once(request, 'response')
    await arrived.done
    await server.close()
    assert.deepEqual(order, ['answered', 'hook', '-Db'])
    const [message] = (await response) as [import('node:http').IncomingMessage]
    message.resume()
  })

  for (const [what, fail] of [
    [
      'a constructor',
      {
        useClass: class {
          constructor() {
            throw new Error('broken')
          }
        },
      },
    ],
    ['an asynchronous factory', { useFactory: () => Promise.reject(new Error('broken')) }],
  ] as const) {
    test(`is closed when ${what} after it fails, and the boot fails with that error`, async () => {
      const order: string[] = []
      const App = plugin('App', {
        providers: [noted('Db', order), { provide: 'bad', ...fail } as Provider, noted('Never', order)],
      })
      await assert.rejects(bootstrap(App), { message: 'broken' })
      assert.deepEqual(order, ['+Db', '-Db'])
    })
  }

  test('is closed when onReady fails, and the boot fails with that error', async () => {
    const order: string[] = []
    class Bad {
      onReady() {
        throw new Error('not ready')
      }
    }
    await assert.rejects(bootstrap(plugin('App', { providers: [noted('Db', order), Bad] })), { message: 'not ready' })
    assert.deepEqual(order, ['+Db', 'Db ready', '-Db'])
  })

  test('is closed when a plugin after it fails', async () => {
    const order: string[] = []
    class Bad {
      setup(): void {
        throw new Error('no setup')
      }
    }
    Plugin()(Bad)
    const App = plugin('App', { imports: [plugin('Good', { providers: [noted('Db', order)] }), Bad] })
    await assert.rejects(bootstrap(App), { message: 'no setup' })
    assert.deepEqual(order, ['+Db', '-Db'])
  })

  test('may be ended by Symbol.asyncDispose, Symbol.dispose, onClose or dispose, each by one of them', async () => {
    const ended: (string | symbol)[] = []
    const classOf = (...names: (string | symbol)[]): Class => {
      class Ends {}
      for (const name of names) Object.assign(Ends.prototype, { [name]: () => ended.push(name) })
      return Ends
    }
    const server = await bootstrap(
      appOf(
        [
          classOf('dispose'),
          classOf('onClose', 'dispose'),
          classOf(Symbol.dispose, 'onClose'),
          classOf(Symbol.asyncDispose, Symbol.dispose, 'onClose', 'dispose'),
        ],
        [],
      ),
    )
    await server.close()
    assert.deepEqual(ended, [Symbol.asyncDispose, Symbol.dispose, 'onClose', 'dispose'])
  })

  test('may be a value that is not an object: it is neither told when all is ready nor ended', async () => {
    const lines: string[] = []
    const values: Record<string, unknown> = { null: null, undefined: undefined, text: 'text', function: () => {} }
    const providers = Object.entries(values).flatMap(([name, value]) => [
      factory(name, [], () => value),
      { provide: `${name} as a value`, useValue: value },
    ])
    const stream = { write: (line: string) => lines.push(line) }
    const server = await bootstrap(appOf(providers, []), { logger: { level: 'error', stream } })
    await server.close()
    assert.deepEqual(lines, [])
  })

  test('may be a function, such as a client that is called: it is told when all is ready and when the server listens, and ended', async (t) => {
    const called: string[] = []
    const client = (name: string): object =>
      Object.assign(async () => Promise.resolve('rows'), {
        onReady: () => called.push(`${name} ready`),
        onListen: () => called.push(`${name} listens`),
        onRequestEnd: () => called.push(`${name}: request over`),
        [Symbol.asyncDispose]: async () => Promise.resolve(called.push(`${name} disposed of`)),
      })
    class Query {
      static readonly inject = ['of requests'] as const
      constructor(private readonly sql: () => Promise<string>) {}
      handle() {
        return this.sql()
      }
    }
    Route({ method: 'GET', path: '/' })(Query)
    const providers = [
      factory('of the context', [], () => client('context')),
      { provide: 'value', useValue: client('value') },
      factory('of requests', [REQUEST], () => client('request'), { scope: 'request' }),
    ]
    const server = await bootstrap(appOf(providers, [Query]))
    t.after(() => server.close())
    const address = await server.listen({ port: 0, host: '127.0.0.1' })
    assert.equal(await (await fetch(address)).text(), 'rows')
    await server.close()
    assert.deepEqual(called, [
      'context ready',
      'value ready',
      'context listens',
      'value listens',
      'request: request over',
      'request disposed of',
      'context disposed of',
    ])
  })

  test('may be a class, whose static methods are not called, or a Proxy of a function with a function for every name', async () => {
    const called: (string | symbol)[] = []
    class Model {
      static onReady() {
        called.push('onReady of the class')
      }
      static dispose() {
        called.push('dispose of the class')
      }
    }
    const remote: unknown = new Proxy(() => {}, { get: (_, name) => (name === 'then' ? undefined : () => called.push(name)) })
    const server = await bootstrap(
      appOf([factory('model', [], () => Model), factory('remote', [], () => remote), { provide: 'value', useValue: remote }], []),
    )
    await server.close()
    assert.deepEqual(called, [])
  })

  test('and is a plugin or a route class is ended too', async () => {
    const order: string[] = []
    class Handle {
      handle() {}
      onClose() {
        order.push('route')
      }
    }
    Route({ method: 'GET', path: '/' })(Handle)
    class App {
      onClose() {
        order.push('plugin')
      }
    }
    Plugin({ routes: [Handle] })(App)
    await (await bootstrap(App)).close()
    assert.deepEqual(order, ['route', 'plugin'])
  })

  test('and comes from a shared plugin is there before what its parent declares', async () => {
    const order: string[] = []
    const App = plugin('App', {
      providers: [noted('Own', order)],
      imports: [shared(plugin('Child', { providers: [noted('Shared', order)] }))],
    })
    const server = await bootstrap(App)
    assert.deepEqual(order.slice(0, 2), ['+Shared', '+Own'])
    await server.close()
  })
})

describe('an instance belongs to the provider that made it', () => {
  /** An object that notes how it is started and ended. */
  const noting = (order: string[], name = 'db'): object => ({
    onReady: () => void order.push(`${name} ready`),
    onClose: () => void order.push(`${name} closed`),
  })
  const bootAndClose = async (providers: readonly Provider[]): Promise<void> => (await bootstrap(appOf(providers))).close()

  test('and is started and ended once, however many factories return it', async () => {
    const order: string[] = []
    const made = noting(order)
    await bootAndClose([
      factory('db', [], () => made),
      factory('read', ['db'], (db) => db),
      factory('write', ['db'], async (db) => Promise.resolve(db)),
      factory('cached', [], () => made),
      { provide: 'alias', useExisting: 'db' },
    ])
    assert.deepEqual(order, ['db ready', 'db closed'])
  })

  test('a value is started, and left to the application that made it, also if a factory returns it', async () => {
    const order: string[] = []
    const value = noting(order)
    await bootAndClose([
      { provide: 'value', useValue: value },
      { provide: 'same', useValue: value },
      factory('chosen', ['value'], (given) => given),
    ])
    assert.deepEqual(order, ['db ready'])
  })

  test('a factory with owned: false neither starts nor ends its result', async () => {
    const order: string[] = []
    const kept = noting(order, 'kept')
    await bootAndClose([
      factory('kept', [], () => kept, { owned: false }),
      { provide: 'also', useFactory: () => kept, owned: false },
      factory('own', [], () => noting(order, 'own')),
    ])
    assert.deepEqual(order, ['own ready', 'own closed'])
  })

  test('in a request too: what others keep is there for the next request', async () => {
    const order: string[] = []
    const pool = { rows: () => (order.includes('pool closed') ? 'pool is closed' : 'rows'), onClose: () => void order.push('pool closed') }
    const own = (name: string) => ({ onClose: () => void order.push(`${name} closed`) })
    const context = { onClose: () => void order.push('context closed') }
    class Query {
      static readonly inject = ['pool', 'given', 'made', 'twice'] as const
      constructor(private readonly kept: typeof pool) {}
      handle() {
        return this.kept.rows()
      }
    }
    Route({ method: 'GET', path: '/' })(Query)
    const App = appOf(
      [
        factory('pool', [REQUEST], async () => Promise.resolve(pool), { scope: 'request', owned: false }),
        factory('context', [], () => context),
        factory('given', ['context', REQUEST], (given) => given as object, { scope: 'request' }),
        factory('made', [REQUEST], () => own('made'), { scope: 'request' }),
        factory('twice', ['made'], (made) => made as object, { scope: 'request' }),
      ],
      [Query],
    )
    const server = await bootstrap(App)
    const address = await server.listen({ port: 0, host: '127.0.0.1' })
    for (const request of [1, 2]) assert.equal(await (await fetch(address)).text(), 'rows', `request ${request}`)
    await server.close()
    assert.deepEqual(order, ['made closed', 'made closed', 'context closed'])
  })
})

test('an instance that never ends keeps the process alive until pluginTimeout, is named then, and the others are ended', async () => {
  const order: string[] = []
  const lines: any[] = []
  class Db {
    onClose() {
      order.push('db')
    }
  }
  class Stuck {
    static readonly inject = [Db]
    async onClose() {
      order.push('stuck')
      return new Promise(() => {})
    }
  }
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const server = await bootstrap(appOf([Stuck, Db]), { pluginTimeout: 100, logger: { level: 'error', stream } })
  await server.close()
  assert.deepEqual(order, ['stuck', 'db'])
  assert.deepEqual(
    lines.map(({ msg, err }) => [msg, err.message]),
    [['Stuck (in App) could not be closed', 'It did not end within 100 ms']],
  )
})

test('an instance may take its time to end if pluginTimeout is 0', async () => {
  const order: string[] = []
  const lines: string[] = []
  class Db {
    onClose() {
      order.push('db')
    }
  }
  class Slow {
    static readonly inject = [Db]
    async onClose() {
      await new Promise((resolve) => setTimeout(resolve, 50))
      order.push('slow')
    }
  }
  const stream = { write: (line: string) => void lines.push(line) }
  const server = await bootstrap(appOf([Slow, Db]), { pluginTimeout: 0, logger: { level: 'error', stream } })
  await server.close()
  assert.deepEqual([order, lines], [['slow', 'db'], []])
})

for (const [what, thrown] of [
  ['a frozen error', Object.freeze(new Error('frozen'))],
  ['null', null],
  ['a plain object', Object.freeze({ code: 'PLAIN' })],
] as const) {
  const failing = (name: string): Class =>
    appOf([
      {
        provide: 'failing',
        useValue: {
          [name]() {
            throw thrown
          },
        },
      },
    ])

  test(`${what} that onReady throws fails the boot as the error or as its cause`, async () => {
    await assert.rejects(bootstrap(failing('onReady')), (reason: Error) => {
      assert.equal(thrown instanceof Error ? reason : reason.cause, thrown)
      return true
    })
  })

  test(`${what} that onListen throws fails listen as the cause of an error with the path of its provider`, async () => {
    const server = await bootstrap(failing('onListen'))
    await assert.rejects(server.listen({ port: 0, host: '127.0.0.1' }), (reason: Error & { context: string }) => {
      assert.equal(reason.cause, thrown)
      assert.match(reason.message, /^App > 'failing'\.onListen failed with /)
      assert.equal(reason.context, "App > 'failing'.onListen")
      return true
    })
  })
}

test('an error of onReady says which provider it comes from, also if that is a value', async () => {
  class Worker {
    onReady(): void {
      throw new Error('no queue')
    }
  }
  for (const provider of [Worker, { provide: Worker, useValue: new Worker() }]) {
    class Inner {}
    Plugin({ providers: [provider] })(Inner)
    class App {}
    Plugin({ imports: [Inner] })(App)
    await assert.rejects(bootstrap(App), { message: 'no queue', context: 'App > Inner > Worker.onReady' })
  }
})

describe('onListen of an instance', () => {
  /** Opens a port. The server is closed after the test, also if that fails. */
  async function listen(server: Server, t: TestContext): Promise<void> {
    t.after(() => server.close())
    await server.listen({ port: 0, host: '127.0.0.1' })
  }
  /** Makes a class that notes when the server is ready and when it listens. */
  function worker(name: string, order: string[]): Class {
    const Worker = {
      [name]: class {
        onReady() {
          order.push(`${name} ready`)
        }
        async onListen() {
          await new Promise((resolve) => setImmediate(resolve))
          order.push(`${name} listens`)
        }
        onClose() {
          order.push(`${name} closed`)
        }
      },
    }[name]!
    return Worker
  }
  /** Waits until a list has as many entries, at most 5 s. */
  async function grown(list: readonly unknown[], count: number): Promise<void> {
    for (let turn = 0; list.length < count && turn < 1000; turn++) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  test('is called when the server listens, after all onReady, in the order of construction, before onListen hooks', async (t) => {
    const order: string[] = []
    const A = worker('A', order)
    const B = worker('B', order)
    const Inner = plugin('Inner', { providers: [B], hooks: { onListen: async () => void order.push('hook') } })
    const server = await bootstrap(plugin('App', { providers: [A], imports: [Inner] }))
    assert.deepEqual(order.splice(0), ['A ready', 'B ready'])
    await listen(server, t)
    await grown(order, 3)
    assert.deepEqual(order.splice(0), ['A listens', 'B listens', 'hook'])
    await server.close()
    assert.deepEqual(order, ['B closed', 'A closed'])
  })

  test('is called for values, results of factories, plugins and routes, once however many tokens lead to them', async (t) => {
    const order: string[] = []
    const noting = (name: string): object => ({ onListen: () => void order.push(name) })
    const value = noting('value')
    const made = noting('made')
    class Handle {
      handle() {}
      onListen() {
        order.push('route')
      }
    }
    Route({ method: 'GET', path: '/' })(Handle)
    class App {
      onListen() {
        order.push('plugin')
      }
    }
    const providers = [
      { provide: 'value', useValue: value },
      { provide: 'same', useValue: value },
      factory('made', [], () => made),
      factory('again', ['made'], (given) => given),
      { provide: 'alias', useExisting: 'made' },
      factory('kept', [], () => noting('kept'), { owned: false }),
    ]
    Plugin({ providers, routes: [Handle] })(App)
    const server = await bootstrap(App)
    await listen(server, t)
    await grown(order, 4)
    await server.close()
    assert.deepEqual(order, ['value', 'made', 'plugin', 'route'])
  })

  test('is not called by inject or by a testServer, which do not listen', async () => {
    const order: string[] = []
    const App = appOf([worker('A', order)])
    await using tested = await testServer(App)
    await tested.inject('/')
    const server = await bootstrap(App)
    await server.inject('/')
    await server.close()
    assert.deepEqual(order, ['A ready', 'A ready', 'A closed'])
  })

  for (const [how, run] of [
    ['throws', () => assert.fail('no queue')],
    ['rejects', async () => new Promise((resolve) => setTimeout(resolve, 20)).then(() => assert.fail('no queue'))],
  ] as const) {
    test(`that ${how} ends the start with its place: the server is closed, and the next ones are not called`, async () => {
      const order: string[] = []
      class Broken {
        onListen() {
          return run()
        }
      }
      const server = await bootstrap(plugin('App', { imports: [appOf([worker('A', order), Broken, worker('B', order)])] }))
      await assert.rejects(server.listen({ port: 0, host: '127.0.0.1' }), { message: 'no queue', context: 'App > App > Broken.onListen' })
      assert.deepEqual(order, ['A ready', 'B ready', 'A listens', 'B closed', 'A closed'])
      assert.equal(server.server.listening, false)
      await server.close()
    })
  }

  test('that is a hook of a plugin, and fails, ends the start too', async () => {
    class App {
      connect() {
        throw new Error('no queue')
      }
    }
    Plugin({})(App)
    Hook('onListen')(App.prototype, 'connect')
    for (const [Failing, context] of [
      [App, /^onListen hook .*of 'App'$/],
      [
        plugin('App', { imports: [plugin('Inner', { hooks: { onListen: async () => assert.fail('no queue') } })] }),
        "onListen hook 'onListen' of 'App > Inner'",
      ],
    ] as const) {
      const server = await bootstrap(Failing)
      await assert.rejects(server.listen({ port: 0, host: '127.0.0.1' }), { message: 'no queue', context })
    }
  })

  test('is waited for within pluginTimeout; after that a warning names it, and a later error is logged', async (t) => {
    const lines: any[] = []
    let fail!: (error: Error) => void
    class Endless {
      onListen() {
        return new Promise((_resolve, reject) => (fail = reject))
      }
    }
    const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
    const server = await bootstrap(appOf([Endless]), { pluginTimeout: 100, logger: { level: 'warn', stream } })
    await listen(server, t)
    fail(new Error('too late'))
    await grown(lines, 2)
    assert.deepEqual(
      lines.map(({ msg, err }) => [msg, err?.context]),
      [
        [
          "The onListen hook 'App > Endless.onListen' of 'App' was not over after 100 ms, so listen does not wait for it. The onListen hooks after it, and jobs, begin when it is over. Do not await work without an end there.",
          undefined,
        ],
        ['an onListen hook failed after listen was over', 'App > Endless.onListen'],
      ],
    )
  })

  test('is not called after the instance has ended', async (t) => {
    const order: string[] = []
    let release!: () => void
    const released = new Promise<void>((resolve) => (release = resolve))
    class Slow {
      async onListen() {
        order.push('slow')
        await released
        order.push('released')
      }
    }
    const server = await bootstrap(appOf([Slow, worker('A', order)]))
    const listening = listen(server, t)
    await grown(order, 2)
    await server.close()
    await listening
    release()
    await grown(order, 4)
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.deepEqual(order, ['A ready', 'slow', 'A closed', 'released'])
  })
})

test('onReady or onListen of a class of which each request has an instance is a fault: nothing would call it', () => {
  @Injectable({ scope: 'request' })
  class Tx {
    onReady() {}
  }
  @Route({ method: 'GET', path: '/' })
  class Handle {
    static readonly inject = [Tx]
    handle() {}
    onListen() {}
  }
  const messages = messagesOf(appOf([Tx], [Handle]))
  assert.deepEqual(messages, [
    'Tx (in App) has onReady(), which would never be called: each request has an instance of its own. Move it to a provider that lives as long as its context.',
    'Handle (in App) has onListen(), which would never be called: each request has an instance of its own. Move it to a provider that lives as long as its context.',
  ])
})

test('what a factory makes after the boot has failed is disposed of, and nothing else is made', async () => {
  const order: string[] = []
  let finish!: (value: object) => void
  const slow = new Promise<object>((resolve) => (finish = resolve))
  class Next {
    constructor() {
      order.push('next')
    }
  }
  class App {
    setup() {
      order.push('setup')
    }
  }
  Plugin({ providers: [factory('SLOW', [], () => slow), Next] })(App)
  await assert.rejects(bootstrap(App, { pluginTimeout: 20 }), /The factory of 'SLOW' \(in App\) has not settled its promise within 20 ms/)
  finish({ dispose: () => order.push('disposed of') })
  await new Promise((resolve) => setTimeout(resolve, 30))
  assert.deepEqual(order, ['disposed of'])
})
