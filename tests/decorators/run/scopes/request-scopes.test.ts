import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  bootstrap,
  check,
  type Class,
  factory,
  Hook,
  HttpError,
  Injectable,
  LOGGER,
  optional,
  Plugin,
  PLUGIN_OPTIONS,
  type Provider,
  type Reply,
  REQUEST,
  type Request,
  Route,
  type Server,
  SERVER,
  token,
  use,
} from 'alcove'
import { countdown } from '../../../fixtures/countdown.js'
import { appOf, plugin } from '../../../fixtures/applications.js'

/** Asks for `/`, and goes away once the request has arrived. */
async function askAndLeave(server: Server, arrived: Promise<void>): Promise<void> {
  const request = httpRequest(await server.listen({ port: 0, host: '127.0.0.1' })).end()
  request.on('error', () => {})
  await arrived
  request.destroy()
}

describe('a request-scoped provider', () => {
  test('is one instance for the hook classes and the handler of a request, and another for the next request', async () => {
    let made = 0
    @Injectable({ scope: 'request' })
    class Tx {
      readonly number = ++made
    }
    class First {
      static readonly inject = [Tx] as const
      constructor(private readonly tx: Tx) {}
      async onRequest(request: Request & { seen?: unknown[] }) {
        request.seen = [this.tx]
      }
    }
    class Second {
      static readonly inject = [Tx] as const
      constructor(private readonly tx: Tx) {}
      preHandler(request: Request & { seen?: unknown[] }, _reply: Reply, done: () => void) {
        request.seen!.push(this.tx)
        done()
      }
    }
    @Route({ method: 'GET', path: '/' })
    @Hook('onRequest', First)
    @Hook('preHandler', Second)
    class Handle {
      static readonly inject = [Tx] as const
      constructor(private readonly tx: Tx) {}
      handle(request: Request & { seen?: unknown[] }) {
        return { number: this.tx.number, isSame: request.seen!.every((entry) => entry === this.tx) && request.seen!.length === 2 }
      }
    }
    const server = await bootstrap(appOf([Tx], [Handle]))
    assert.deepEqual((await server.inject('/')).json(), { number: 1, isSame: true })
    assert.deepEqual((await server.inject('/')).json(), { number: 2, isSame: true })
    await server.close()
  })

  test('knows its request and the logger of that request, and parallel requests do not mix', async () => {
    const all = countdown(3)
    @Injectable({ scope: 'request' })
    class Current {
      static readonly inject = [REQUEST, LOGGER, 'alias of LOGGER'] as const
      constructor(
        readonly request: Request,
        readonly log: unknown,
        readonly sameLog: unknown,
      ) {}
    }
    class Service {
      static readonly inject = [Current] as const
      constructor(readonly current: Current) {}
    }
    @Route({ method: 'GET', path: '/:name' })
    class Handle {
      static readonly inject = [Service, Current] as const
      constructor(
        private readonly service: Service,
        private readonly current: Current,
      ) {}
      async handle(request: Request) {
        all.hit()
        await all.done
        const { current } = this.service
        return {
          name: current.request.params['name'],
          isOwn: current === this.current && current.request === request,
          hasOwnLog: current.log === request.log && current.sameLog === request.log,
        }
      }
    }
    const alias = { provide: 'alias of LOGGER', useExisting: LOGGER }
    const App = appOf([Current, alias, { provide: Service, useClass: Service, scope: 'request' }], [Handle])
    const server = await bootstrap(App, { logger: { level: 'silent' } })
    const answers = await Promise.all(['a', 'b', 'c'].map((name) => server.inject(`/${name}`)))
    assert.deepEqual(
      answers.map((answer) => answer.json()),
      ['a', 'b', 'c'].map((name) => ({ name, isOwn: true, hasOwnLog: true })),
    )
    await server.close()
  })

  test('may come from an asynchronous factory, which is awaited once a request', async () => {
    let calls = 0
    const TX = token<{ id: string }>('TX')
    class Repo {
      static readonly inject = [TX] as const
      constructor(readonly tx: { id: string }) {}
    }
    @Route({ method: 'GET', path: '/:id' })
    class Handle {
      static readonly inject = [TX, Repo] as const
      constructor(
        private readonly tx: { id: string },
        private readonly repo: Repo,
      ) {}
      handle() {
        return { id: this.tx.id, isSame: this.tx === this.repo.tx }
      }
    }
    const provider = factory(
      TX,
      [REQUEST],
      async (request) => {
        calls++
        await new Promise((resolve) => setImmediate(resolve))
        return { id: request.params['id']! }
      },
      { scope: 'request' },
    )
    const server = await bootstrap(appOf([provider, { provide: Repo, useClass: Repo, scope: 'request' }], [Handle]))
    assert.deepEqual((await server.inject('/7')).json(), { id: '7', isSame: true })
    assert.deepEqual((await server.inject('/8')).json(), { id: '8', isSame: true })
    assert.equal(calls, 2)
    await server.close()
  })

  test('that cannot be made answers the request with its error, and no other', async () => {
    @Route({ method: 'GET', path: '/:id' })
    class Handle {
      static readonly inject = ['tx'] as const
      constructor(private readonly tx: unknown) {}
      handle() {
        return this.tx
      }
    }
    const provider = factory(
      'tx',
      [REQUEST],
      async ({ params }) => {
        if (params['id'] === 'bad') throw new HttpError(409, 'busy')
        return 'fine'
      },
      { scope: 'request' },
    )
    const server = await bootstrap(appOf([provider], [Handle]))
    const [bad, good] = await Promise.all([server.inject('/bad'), server.inject('/good')])
    assert.deepEqual([bad.statusCode, bad.json().message], [409, 'busy'])
    assert.deepEqual([good.statusCode, good.body], [200, 'fine'])
    await server.close()
  })

  test('sees its owner: values of the context that declares it, not of the route', async () => {
    @Injectable({ scope: 'request' })
    class Reader {
      static readonly inject = ['who', REQUEST] as const
      constructor(readonly who: unknown) {}
    }
    @Route({ method: 'GET', path: '/' })
    class Handle {
      static readonly inject = [Reader] as const
      constructor(private readonly reader: Reader) {}
      handle() {
        return this.reader.who
      }
    }
    const Child = plugin('Child', { providers: [{ provide: 'who', useValue: 'child' }], routes: [Handle] })
    const server = await bootstrap(plugin('App', { providers: [Reader, { provide: 'who', useValue: 'root' }], imports: [Child] }))
    assert.equal((await server.inject('/')).body, 'root')
    await server.close()
  })

  test('may be asked for by an alias', async () => {
    @Route({ method: 'GET', path: '/:id' })
    class Handle {
      static readonly inject = ['current'] as const
      constructor(private readonly current: Request) {}
      handle() {
        return this.current.params['id']
      }
    }
    const server = await bootstrap(appOf([{ provide: 'current', useExisting: REQUEST }], [Handle]))
    assert.equal((await server.inject('/7')).body, '7')
    await server.close()
  })

  test('is not made on routes that do not ask for it', async () => {
    let made = 0
    @Injectable({ scope: 'request' })
    class Tx {
      constructor() {
        made++
      }
    }
    @Route({ method: 'GET', path: '/' })
    class Handle {
      handle() {
        return 'no tx'
      }
    }
    const server = await bootstrap(appOf([Tx], [Handle]))
    await server.inject('/')
    assert.equal(made, 0)
    await server.close()
  })

  test('makes the route class anew for each request, one that is not keeps one instance', async () => {
    const instances = new Set<object>()
    const classOf = (path: string, asked: readonly unknown[]): Class => {
      class Handle {
        static readonly inject = asked
        handle() {
          instances.add(this)
          return ''
        }
      }
      Route({ method: 'GET', path })(Handle)
      return Handle
    }
    const server = await bootstrap(appOf([], [classOf('/own', [REQUEST]), classOf('/kept', [])]))
    await server.inject('/own')
    await server.inject('/own')
    assert.equal(instances.size, 2)
    await server.inject('/kept')
    await server.inject('/kept')
    assert.equal(instances.size, 3)
    await server.close()
  })

  test('has the logger of its request where the server has one, the server itself, and undefined for what is optional and missing', async () => {
    const seen: unknown[][] = []
    @Route({ method: 'GET', path: '/' })
    class Handle {
      static readonly inject = [REQUEST, LOGGER, SERVER, optional('missing')] as const
      constructor(...given: unknown[]) {
        seen.push(given)
      }
      handle(request: Request) {
        const [own, log, server, missing] = seen.at(-1)!
        return [own === request, log === request.log, log !== request.server.log, server === request.server, missing === undefined]
      }
    }
    const server = await bootstrap(appOf([], [Handle]), { logger: { level: 'error', stream: { write: () => {} } } })
    assert.deepEqual((await server.inject('/')).json(), [true, true, true, true, true])
    await server.close()
  })

  test('has undefined for what is optional and missing also in a plugin that was imported with options, and those for PLUGIN_OPTIONS', async () => {
    @Route({ method: 'GET', path: '/' })
    class Handle {
      static readonly inject = [REQUEST, optional('missing'), PLUGIN_OPTIONS] as const
      constructor(
        _request: Request,
        private readonly missing: unknown,
        private readonly options: unknown,
      ) {}
      handle() {
        return { isMissing: this.missing === undefined, options: this.options }
      }
    }
    const Child = plugin('Child', { routes: [Handle] })
    const server = await bootstrap(plugin('App', { imports: [use(Child, { color: 'red' })] }))
    assert.deepEqual((await server.inject('/')).json(), { isMissing: true, options: { color: 'red' } })
    await server.close()
  })

  test('shares what lives as long as its context with all requests, and does not end it', async () => {
    const ended = countdown(2)
    const order: string[] = []
    class Db {
      readonly queries: string[] = []
      dispose() {
        order.push('db')
      }
    }
    @Injectable({ scope: 'request' })
    class Tx {
      static readonly inject = [Db] as const
      constructor(readonly db: Db) {}
      dispose() {
        order.push('tx')
        ended.hit()
      }
    }
    @Route({ method: 'GET', path: '/:query' })
    class Handle {
      static readonly inject = [Db, Tx] as const
      constructor(
        private readonly db: Db,
        private readonly tx: Tx,
      ) {}
      handle(request: Request) {
        this.tx.db.queries.push(request.params['query']!)
        return this.db.queries
      }
    }
    const server = await bootstrap(appOf([Db, Tx], [Handle]))
    assert.deepEqual((await server.inject('/a')).json(), ['a'])
    assert.deepEqual((await server.inject('/b')).json(), ['a', 'b'])
    await ended.done
    await server.close()
    assert.deepEqual(order, ['tx', 'tx', 'db'])
  })

  test('may ask for a transient one that knows nothing of requests, and gets one for each injection', async () => {
    let made = 0
    @Injectable({ scope: 'transient' })
    class Ticket {
      readonly number = ++made
    }
    @Route({ method: 'GET', path: '/' })
    class Handle {
      static readonly inject = [REQUEST, Ticket, Ticket] as const
      constructor(
        _request: Request,
        private readonly one: Ticket,
        private readonly two: Ticket,
      ) {}
      handle() {
        return [this.one.number, this.two.number]
      }
    }
    const server = await bootstrap(appOf([Ticket], [Handle]))
    assert.deepEqual((await server.inject('/')).json(), [1, 2])
    assert.deepEqual((await server.inject('/')).json(), [3, 4])
    await server.close()
  })

  test('that is transient is made for each injection within a request', async () => {
    @Injectable({ scope: 'transient' })
    class Ticket {
      static readonly inject = [REQUEST] as const
    }
    @Route({ method: 'GET', path: '/' })
    class Handle {
      static readonly inject = [Ticket, Ticket] as const
      constructor(
        private readonly one: Ticket,
        private readonly two: Ticket,
      ) {}
      handle() {
        return { isOther: this.one !== this.two }
      }
    }
    const server = await bootstrap(appOf([Ticket], [Handle]))
    assert.deepEqual((await server.inject('/')).json(), { isOther: true })
    await server.close()
  })
})

describe('what a request made is ended after its response', () => {
  /** An application whose request scope notes what happens to it. */
  function watched(handle: (reply: Reply) => unknown) {
    const order: string[] = []
    const ended = countdown(1)
    @Injectable({ scope: 'request' })
    class Outer {
      [Symbol.asyncDispose]() {
        order.push('outer ended')
        ended.hit()
        return Promise.resolve()
      }
    }
    @Injectable({ scope: 'request' })
    class Inner {
      static readonly inject = [Outer] as const
      async dispose() {
        order.push('inner ending')
        await new Promise((resolve) => setImmediate(resolve))
        order.push('inner ended')
      }
    }
    @Route({ method: 'GET', path: '/' })
    class Handle {
      static readonly inject = [Inner] as const
      handle(_request: Request, reply: Reply) {
        order.push('handled')
        return handle(reply)
      }
    }
    return { App: appOf([Outer, Inner], [Handle]), order, ended: ended.done }
  }
  const inOrder = ['handled', 'inner ending', 'inner ended', 'outer ended']

  test('in reverse order of its making', async () => {
    const { App, order, ended } = watched(() => 'fine')
    const server = await bootstrap(App)
    await server.inject('/')
    await ended
    assert.deepEqual(order, inOrder)
    await server.close()
  })

  test('and not before it, whatever it waits for', async () => {
    let send!: () => void
    const { App, order, ended } = watched((reply) => void (send = () => reply.send('late')))
    const server = await bootstrap(App)
    const answer = server.inject('/')
    while (order.length === 0) await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(order, ['handled'])
    send()
    assert.equal((await answer).body, 'late')
    await ended
    assert.deepEqual(order, inOrder)
    await server.close()
  })

  test('also when the handler throws', async () => {
    const { App, order, ended } = watched(() => {
      throw new HttpError(418)
    })
    const server = await bootstrap(App)
    assert.equal((await server.inject('/')).statusCode, 418)
    await ended
    assert.deepEqual(order, inOrder)
    await server.close()
  })

  test('also when the client goes away', async () => {
    const arrived = countdown(1)
    const { App, order, ended } = watched(({ request: { signal } }) => {
      arrived.hit()
      return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    })
    const server = await bootstrap(App)
    await askAndLeave(server, arrived.done)
    await ended
    assert.deepEqual(order, inOrder)
    await server.close()
  })

  test('also what a slow factory gives only after the client went away', async () => {
    const asked = countdown(1)
    const ended = countdown(1)
    let give!: (value: object) => void
    const provider = factory('slow', [REQUEST], () => (asked.hit(), new Promise<object>((resolve) => (give = resolve))), {
      scope: 'request',
    })
    @Route({ method: 'GET', path: '/' })
    class Handle {
      static readonly inject = ['slow'] as const
      handle() {
        return ''
      }
    }
    const server = await bootstrap(appOf([provider], [Handle]))
    const gone = new Promise<void>((resolve) => server.server.on('request', (_raw, response) => response.on('close', resolve)))
    await askAndLeave(server, asked.done)
    await gone
    await new Promise((resolve) => setImmediate(resolve))
    give({ dispose: ended.hit })
    await ended.done
    await server.close()
  })

  test('once, also when it is asked for by an alias as well', async () => {
    const order: string[] = []
    const ended = countdown(1)
    @Injectable({ scope: 'request' })
    class First {
      dispose = ended.hit
    }
    @Injectable({ scope: 'request' })
    class Tx {
      static readonly inject = [First] as const
      dispose() {
        order.push('ended')
      }
    }
    @Route({ method: 'GET', path: '/' })
    class Handle {
      static readonly inject = [Tx, 'alias'] as const
      handle() {
        return ''
      }
    }
    const server = await bootstrap(appOf([First, Tx, { provide: 'alias', useExisting: Tx }], [Handle]))
    await server.inject('/')
    await ended.done
    assert.deepEqual(order, ['ended'])
    await server.close()
  })

  test('once, also when two factories return it', async () => {
    const order: string[] = []
    const ended = countdown(1)
    const made = new WeakMap<Request, object>()
    const make = (request: Request): object => {
      if (!made.has(request)) made.set(request, { dispose: () => void order.push('ended') })
      return made.get(request)!
    }
    const providers = [
      factory('first', [], () => ({ dispose: ended.hit }), { scope: 'request' }),
      factory('read', [REQUEST], make, { scope: 'request' }),
      factory('write', [REQUEST], make, { scope: 'request' }),
    ]
    @Route({ method: 'GET', path: '/' })
    class Handle {
      static readonly inject = ['first', 'read', 'write'] as const
      handle() {
        return ''
      }
    }
    const server = await bootstrap(appOf(providers, [Handle]))
    await server.inject('/')
    await ended.done
    assert.deepEqual(order, ['ended'])
    await server.close()
  })

  test('but not what was not made: the request itself, asked for by an alias', async () => {
    const order: string[] = []
    const ended = countdown(1)
    @Injectable({ scope: 'request' })
    class First {
      dispose = ended.hit
    }
    @Route({ method: 'GET', path: '/' })
    class Handle {
      static readonly inject = [First, 'current'] as const
      handle() {
        return ''
      }
    }
    const App = plugin('App', {
      decorateRequest: { dispose: () => void order.push('request disposed of') },
      providers: [First, { provide: 'current', useExisting: REQUEST }],
      routes: [Handle],
    })
    const server = await bootstrap(App)
    await server.inject('/')
    await ended.done
    assert.deepEqual(order, [])
    await server.close()
  })

  test('what a factory gave that is no object needs no end, and one without a class that fails is logged too', async () => {
    const ended = countdown(1)
    const lines: string[] = []
    const values: Record<string, unknown> = {
      first: { dispose: ended.hit },
      null: null,
      undefined: undefined,
      text: 'text',
      bare: Object.assign(Object.create(null), {
        dispose: () => {
          throw new Error('stuck')
        },
      }),
    }
    const names = Object.keys(values)
    @Route({ method: 'GET', path: '/' })
    class Handle {
      static readonly inject = names
      handle() {
        return ''
      }
    }
    const providers = names.map((name) => factory(name, [], () => values[name], { scope: 'request' }))
    const stream = { write: (line: string) => lines.push(line) }
    const server = await bootstrap(appOf(providers, [Handle]), { logger: { level: 'error', stream } })
    assert.equal((await server.inject('/')).statusCode, 200)
    await ended.done
    assert.equal(lines.length, 1)
    assert.match(lines[0]!, /"message":"stuck".*a provider could not be closed/)
    await server.close()
  })

  test('one that fails to end is logged, and the others end all the same', async () => {
    const ended = countdown(1)
    const lines: string[] = []
    class Good {
      dispose = ended.hit
    }
    class Bad {
      static readonly inject = [Good] as const
      dispose() {
        throw new Error('stuck')
      }
    }
    @Route({ method: 'GET', path: '/' })
    class Handle {
      static readonly inject = [Bad] as const
      handle() {
        return ''
      }
    }
    const providers: Provider[] = [Good, Bad].map((Class) => ({ provide: Class, useClass: Class, scope: 'request' }))
    const stream = { write: (line: string) => lines.push(line) }
    const server = await bootstrap(appOf(providers, [Handle]), { logger: { level: 'error', stream } })
    await server.inject('/')
    await ended.done
    assert.equal(lines.length, 1)
    assert.match(lines[0]!, /"message":"stuck".*Bad could not be closed/)
    await server.close()
  })
})

describe('closing waits for the instances of requests', () => {
  /**
   * Serves one request for each path, closes the server, and returns what was ended and logged, in order.
   * @param end ends the instance of a request; `closing` is fulfilled when the server begins to close
   */
  async function endsOf(paths: readonly string[], end: (path: string, closing: Promise<void>) => Promise<void>, closeTimeout = 30_000) {
    const order: string[] = []
    const closing = countdown(1)
    class Db {
      onClose() {
        order.push('db')
      }
    }
    @Injectable({ scope: 'request' })
    class Tx {
      static readonly inject = [REQUEST, Db] as const
      constructor(private readonly request: Request) {}
      async onClose() {
        await end(this.request.url, closing.done)
        order.push(this.request.url)
      }
    }
    @Route({ method: 'GET', path: '/:name' })
    class Handle {
      static readonly inject = [Tx] as const
      handle() {
        return ''
      }
    }
    const stream = { write: (line: string) => void order.push(JSON.parse(line).msg) }
    const hooks = { preClose: async () => closing.hit(), onClose: async () => void order.push('onClose hook') }
    const App = plugin('App', { providers: [Db, Tx], routes: [Handle], hooks })
    const server = await bootstrap(App, { closeTimeout, logger: { level: 'error', stream } })
    const address = await server.listen({ port: 0, host: '127.0.0.1' })
    for (const path of paths) await (await fetch(address + path)).text()
    await server.close()
    return order
  }

  test('that take a while to end, before the onClose hooks and before what they depend on is ended', async () => {
    const ms: Record<string, number> = { '/short': 400, '/long': 1200 }
    const order = await endsOf(['/short', '/long'], async (path, closing) => {
      await closing
      await new Promise((resolve) => setTimeout(resolve, ms[path]))
    })
    assert.deepEqual(order, ['/short', '/long', 'onClose hook', 'db'])
  })

  test('that do not end until a second after closeTimeout, and names their requests', async () => {
    const start = performance.now()
    const order = await endsOf(['/one?secret', '/two'], () => new Promise(() => {}), 100)
    const left = ['/one', '/two'].map((path) => `the request scope of GET ${path} has not ended while the server closed`)
    assert.deepEqual(order, [...left, 'onClose hook', 'db'])
    assert.ok(performance.now() - start >= 1_090)
  })
})

test('what a factory makes for a request that was given up when the server closed is ended at once', async () => {
  const asked = countdown(1)
  const order: string[] = []
  let give!: (value: object) => void
  const made = new Promise<object>((resolve) => (give = resolve))
  const provider = factory('slow', [REQUEST], () => (asked.hit(), made), { scope: 'request' })
  @Route({ method: 'GET', path: '/' })
  class Handle {
    static readonly inject = ['slow'] as const
    handle() {
      return ''
    }
  }
  const server = await bootstrap(appOf([provider], [Handle]), { closeTimeout: 50 })
  await askAndLeave(server, asked.done)
  await server.close()
  give({ dispose: () => void order.push('ended') })
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(order, ['ended'])
})

test('an instance of an asynchronous factory is there at once for those that ask for it later', async () => {
  const order: string[] = []
  const provider = factory('tx', [REQUEST], async () => ({ number: 1 }), { scope: 'request' })
  class Opener {
    static readonly inject = ['tx'] as const
    constructor(readonly tx: unknown) {}
    async onRequest(): Promise<void> {}
  }
  @Route({ method: 'GET', path: '/' })
  @Hook('onRequest', Opener)
  class Handle {
    static readonly inject = ['tx'] as const
    constructor(private readonly tx: { number: number }) {}
    handle() {
      order.push('handler')
      return this.tx
    }
  }
  const App = plugin('App', {
    providers: [provider],
    routes: [Handle],
    hooks: {
      preHandler: (_request, _reply, done) => {
        queueMicrotask(() => order.push('microtask'))
        done()
      },
    },
  })
  const server = await bootstrap(App)
  const address = await server.listen({ port: 0, host: '127.0.0.1' })
  assert.deepEqual(await (await fetch(address)).json(), { number: 1 })
  await server.close()
  assert.deepEqual(order, ['handler', 'microtask'])
})

test('a request-scoped hook class of a plugin may run after the response, before what it injects is ended', async () => {
  const order: string[] = []
  const ended = countdown(1)
  @Injectable({ scope: 'request' })
  class Tx {
    dispose(): void {
      order.push('ended')
      ended.hit()
    }
  }
  @Injectable({ scope: 'request' })
  class Late {
    static readonly inject = [Tx] as const
    constructor(readonly tx: Tx) {}
    async onResponse(): Promise<void> {
      await new Promise((resolve) => setImmediate(resolve))
      order.push(this.tx instanceof Tx ? 'late hook' : 'nothing')
    }
  }
  @Route({ method: 'GET', path: '/' })
  class Handle {
    static readonly inject = [Tx] as const
    constructor(readonly tx: Tx) {}
    handle() {
      return 'ok'
    }
  }
  const App = plugin('App', { providers: [Tx], hooks: { onResponse: Late as never }, imports: [plugin('Child', { routes: [Handle] })] })
  const server = await bootstrap(App)
  assert.equal((await server.inject('/')).body, 'ok')
  await ended.done
  assert.deepEqual(order, ['late hook', 'ended'])
  await server.close()
})

/** An application with a provider that knows whether it was ended, and a handler that the test controls. */
function transactions(
  handle: (tx: { isEnded: boolean }, request: Request, reply: Reply) => unknown,
  routeOptions: object = {},
  hook: Class = class {
    async preHandler(): Promise<void> {}
  },
) {
  const ended = countdown(1)
  @Injectable({ scope: 'request' })
  class Tx {
    isEnded = false
    dispose(): void {
      this.isEnded = true
      ended.hit()
    }
  }
  @Route({ method: 'GET', path: '/', ...routeOptions })
  @Hook(Object.getOwnPropertyNames(hook.prototype).find((name) => name !== 'constructor') as 'preHandler', hook as never)
  class Handle {
    static readonly inject = [Tx] as const
    constructor(readonly tx: Tx) {}
    handle(request: Request, reply: Reply) {
      return handle(this.tx, request, reply)
    }
  }
  return { App: appOf([Tx], [Handle]), ended: ended.done, Tx }
}

describe('a request scope does not end while its handler runs', () => {
  test('if the client leaves', async () => {
    const arrived = countdown(1)
    const written = countdown(1)
    const seen: boolean[] = []
    const { App, ended } = transactions(async (tx, { signal }) => {
      arrived.hit()
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      await new Promise((resolve) => setTimeout(resolve, 20))
      seen.push(tx.isEnded)
      written.hit()
    })
    const server = await bootstrap(App)
    await askAndLeave(server, arrived.done)
    await written.done
    await ended
    await server.close()
    assert.deepEqual(seen, [false])
  })

  test('if its time is over', async () => {
    const seen: boolean[] = []
    const { App, ended } = transactions(
      async (tx) => {
        await new Promise((resolve) => setTimeout(resolve, 80))
        seen.push(tx.isEnded)
        return 'late'
      },
      { handlerTimeout: 20 },
    )
    const server = await bootstrap(App)
    assert.equal((await server.inject('/')).statusCode, 503)
    await ended
    await server.close()
    assert.deepEqual(seen, [false])
  })

  test('if it has sent its reply before', async () => {
    const seen: boolean[] = []
    const { App, ended } = transactions(async (tx, _request, reply) => {
      reply.send('text')
      await new Promise((resolve) => setTimeout(resolve, 20))
      seen.push(tx.isEnded)
    })
    const server = await bootstrap(App)
    assert.equal((await server.inject('/')).body, 'text')
    await ended
    await server.close()
    assert.deepEqual(seen, [false])
  })

  test('if a guard was waiting when the client left: the handler begins with a scope that is open', async () => {
    const arrived = countdown(1)
    const seen: boolean[] = []
    class Guard {
      async preHandler({ signal }: Request): Promise<void> {
        arrived.hit()
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => setTimeout(resolve, 20)))
      }
    }
    const { App, ended } = transactions((tx) => (seen.push(tx.isEnded), 'text'), {}, Guard)
    const server = await bootstrap(App)
    await askAndLeave(server, arrived.done)
    await ended
    await server.close()
    assert.deepEqual(seen, [false])
  })

  test('before the server has closed', async () => {
    const arrived = countdown(1)
    const order: string[] = []
    const { App } = transactions(async (tx, { signal }) => {
      arrived.hit()
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => setTimeout(resolve, 100)))
      order.push(`handled, ${tx.isEnded ? 'ended' : 'open'}`)
    })
    const Root = plugin('Root', { imports: [App], hooks: { onClose: async () => void order.push('onClose') } })
    const server = await bootstrap(Root)
    await askAndLeave(server, arrived.done)
    await server.close()
    assert.deepEqual(order, ['handled, open', 'onClose'])
  })
})

test('a hook that comes when its request is over, because the server has not waited longer, fails, and its handler does not run', async () => {
  const arrived = countdown(1)
  const ended = countdown(1)
  let isHandled = false
  let complete!: () => void
  class Guard {
    static readonly inject = [REQUEST] as const
    preHandler(_request: Request, _reply: Reply, done: () => void): void {
      complete = done
      arrived.hit()
    }
    dispose(): void {
      ended.hit()
    }
  }
  const lines: any[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const { App } = transactions(() => (isHandled = true), {}, Guard)
  const server = await bootstrap(App, { logger: { level: 'error', stream }, closeTimeout: 50 })
  await askAndLeave(server, arrived.done)
  const closed = server.close()
  await ended.done
  complete()
  await closed
  assert.equal(isHandled, false)
  assert.deepEqual(
    lines.map(({ err, msg }) => err?.message ?? msg),
    [
      'GET /: its handler or one of its hooks has not ended while the server closed',
      'The request is over, and its scope has ended: its handler or hook comes too late.',
    ],
  )
})

test('a scope that a hook has opened is still open when the body of its request arrives later', async () => {
  const opened = countdown(1)
  const ended = countdown(1)
  const seen: boolean[] = []
  @Injectable({ scope: 'request' })
  class Tx {
    isEnded = false
    dispose(): void {
      this.isEnded = true
      ended.hit()
    }
  }
  class Opener {
    static readonly inject = [Tx]
    async onRequest(): Promise<void> {
      setImmediate(opened.hit)
    }
  }
  @Route({ method: 'POST', path: '/' })
  @Hook('onRequest', Opener)
  class Handle {
    static readonly inject = [Tx] as const
    constructor(readonly tx: Tx) {}
    handle() {
      seen.push(this.tx.isEnded)
      return 'text'
    }
  }
  const server = await bootstrap(appOf([Tx], [Handle]))
  const request = httpRequest(await server.listen({ port: 0, host: '127.0.0.1' }), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': 2 },
  })
  request.write('{')
  await opened.done
  request.end('}')
  request.on('response', (response) => response.resume())
  await ended.done
  await server.close()
  assert.deepEqual(seen, [false])
})

test('a scope that is opened when the client has left already ends too', async () => {
  const arrived = countdown(1)
  let complete!: () => void
  class Slow {
    onRequest(_request: Request, _reply: Reply, done: () => void): void {
      complete = done
      arrived.hit()
    }
  }
  const { App, ended } = transactions(() => 'text', {}, Slow)
  const server = await bootstrap(App)
  const gone = new Promise<void>((resolve) => server.server.on('request', (_raw, response) => response.on('close', resolve)))
  await askAndLeave(server, arrived.done)
  await gone
  complete()
  await ended
  await server.close()
})

test('the scopes of finished requests are not kept', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const instances: WeakRef<object>[] = []
  class Watch {
    onResponse(): void {}
  }
  const { App } = transactions((tx) => (instances.push(new WeakRef(tx)), 'text'), {}, Watch)
  const server = await bootstrap(App)
  for (let sent = 0; sent < 20; sent++) await server.inject('/')
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    collect()
  }
  const kept = instances.filter((each) => each.deref() !== undefined).length
  await server.close()
  // The latest ones may still be on the stack of the machine.
  assert.ok(kept <= 2, `${kept} of 20`)
})

test('what is made for a request whose client is gone is ended when the application closes, if not before', async () => {
  const aborted = countdown(1)
  const arrived = countdown(1)
  let ended = 0
  @Injectable({ scope: 'request' })
  class Tx {
    dispose() {
      ended++
    }
  }
  class Watch {
    static readonly inject = [Tx] as const
    constructor(readonly tx: Tx) {}
    onRequestAbort() {
      aborted.hit()
    }
  }
  @Route({ method: 'GET', path: '/' })
  @Hook('onRequestAbort', Watch)
  class Handle {
    async handle() {
      arrived.hit()
      await aborted.done
    }
  }
  const server = await bootstrap(appOf([Tx], [Handle]))
  await askAndLeave(server, arrived.done)
  await aborted.done
  await server.close()
  assert.equal(ended, 1)
})

test('a request-scoped hook class may run on abort, when no other part of the request asked for it', async () => {
  const aborted = countdown(1)
  const arrived = countdown(1)
  class Watch {
    static readonly inject = [REQUEST] as const
    constructor(private readonly current: Request) {}
    async onRequestAbort(request: Request) {
      if (request === this.current) aborted.hit()
    }
  }
  @Route({ method: 'GET', path: '/' })
  @Hook('onRequestAbort', Watch)
  class Handle {
    async handle() {
      arrived.hit()
      await aborted.done
    }
  }
  const server = await bootstrap(appOf([], [Handle]))
  await askAndLeave(server, arrived.done)
  await aborted.done
  await server.close()
})

test('async methods without parameters run on abort, of a plugin class and of a hook class', async () => {
  const aborted = countdown(2)
  const arrived = countdown(1)
  class Watch {
    async onRequestAbort() {
      aborted.hit()
    }
  }
  @Route({ method: 'GET', path: '/' })
  @Hook('onRequestAbort', Watch)
  class Handle {
    async handle() {
      arrived.hit()
      await aborted.done
    }
  }
  @Plugin({ routes: [Handle] })
  class App {
    @Hook('onRequestAbort')
    async gone() {
      aborted.hit()
    }
  }
  check(App)
  const server = await bootstrap(App)
  await askAndLeave(server, arrived.done)
  await aborted.done
  await server.close()
})
