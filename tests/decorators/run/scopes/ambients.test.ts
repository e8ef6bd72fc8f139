/** `ambient(TOKEN)`: a class that lives as long as its context reads the request-scoped instance of the request that is at work. */
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import {
  type Ambient,
  ambient,
  bootstrap,
  type BootstrappedServer,
  type Class,
  Controller,
  factory,
  Get,
  Hook,
  Injectable,
  LOGGER,
  type Logger,
  Post,
  Plugin,
  REQUEST,
  type Reply,
  type Request,
  SERVER,
  testServer,
  token,
} from 'alcove'
import { messagesOf, plugin } from '../../../fixtures/applications.js'

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

let made = 0
@Injectable({ scope: 'request' })
class Tx {
  static readonly inject = [REQUEST] as const
  readonly number = ++made
  readonly lines: string[] = []
  constructor(readonly request: Request) {}
}

/** Lives as long as the application. */
@Injectable()
class Orders {
  static readonly inject = [ambient(Tx)] as const
  static instances = 0
  constructor(readonly tx: Ambient<Tx>) {
    Orders.instances++
  }
  add(line: string): void {
    this.tx.current.lines.push(line)
  }
}

const served: unknown[] = []
@Injectable()
@Controller()
class Routes {
  static readonly inject = [Orders] as const
  constructor(readonly orders: Orders) {}

  @Get('/sync')
  sync({ url }: Request) {
    this.orders.add(url)
    this.orders.add('again')
    return this.orders.tx.current.lines
  }
  @Get('/later')
  async later({ url }: Request) {
    this.orders.add(url)
    await later(Math.random() * 20)
    this.orders.add(this.orders.tx.current.request.url)
    return this.orders.tx.current.lines
  }
  @Post('/body')
  async body({ body }: Request) {
    await later(1)
    this.orders.add(JSON.stringify(body))
    return { url: this.orders.tx.current.request.url, lines: this.orders.tx.current.lines }
  }
  @Get('/callback')
  callback(_request: Request, reply: Reply) {
    setTimeout(() => {
      this.orders.add('timer')
      reply.send(this.orders.tx.current.lines)
    }, 2)
  }
  @Get('/thrown')
  thrown() {
    this.orders.add('thrown')
    throw new Error('boom')
  }

  @Get('/items')
  async items(_request: Request, reply: Reply) {
    const { orders } = this
    async function* lines(): AsyncGenerator<string> {
      await later(2)
      orders.add('streamed')
      yield JSON.stringify(orders.tx.current.lines)
    }
    return reply.type('application/json').send(Readable.from(lines()))
  }
}

@Injectable()
class HandleErrors {
  static readonly inject = [Orders] as const
  constructor(readonly orders: Orders) {}
  errorHandler(_error: Error, _request: Request, reply: Reply) {
    this.orders.add('error handler')
    return reply.code(500).send({ lines: this.orders.tx.current.lines })
  }
}

@Injectable()
@Plugin({ prefix: '/orders', providers: [Tx, Orders], routes: [Routes], errorHandler: HandleErrors })
class OrdersPlugin {
  static readonly inject = [Orders] as const
  constructor(readonly orders: Orders) {}
  @Hook('onRequest')
  first() {
    this.orders.add('onRequest')
  }
  @Hook('onSend')
  async send() {
    await later(1)
    this.orders.add('onSend')
  }
  @Hook('onResponse')
  over() {
    served.push([...this.orders.tx.current.lines])
  }
}

@Injectable()
@Controller('/plain')
class Plain {
  @Get()
  get() {
    return {}
  }
}
const fail = (): never => {
  throw new Error('refused above')
}
@Plugin({ imports: [OrdersPlugin], routes: [Plain] })
class App {}

async function listen(Root: Class): Promise<[server: BootstrappedServer, origin: string]> {
  const server = await bootstrap(Root)
  return [server, await server.listen({ port: 0, host: '127.0.0.1' })]
}

describe('a handle of a request-scoped provider', () => {
  test('is the same instance in hooks, handler, error handler and streams of one request, over sockets', async () => {
    const [server, origin] = await listen(App)
    await using _closed = { [Symbol.asyncDispose]: () => server.close() }
    const get = async (path: string, init?: RequestInit): Promise<unknown> => (await fetch(origin + path, init)).json()
    assert.deepEqual(await get('/orders/sync'), ['onRequest', '/orders/sync', 'again'])
    assert.deepEqual(await get('/orders/callback'), ['onRequest', 'timer'])
    assert.deepEqual(await get('/orders/thrown'), { lines: ['onRequest', 'thrown', 'error handler'] })
    assert.deepEqual(await get('/orders/items'), ['onRequest', 'onSend', 'streamed'])
    const body = { method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' } }
    assert.deepEqual(await get('/orders/body', body), { url: '/orders/body', lines: ['onRequest', '{"a":1}'] })
    assert.equal((served[0] as string[]).at(-1), 'onSend')
    assert.equal(Orders.instances, 1)
  })

  test('is there after the reply, also if nothing has waited before it', async () => {
    const after: string[] = []
    @Injectable()
    @Controller()
    class Quick {
      @Get('/')
      get() {
        return {}
      }
    }
    class After {
      static readonly inject = [Orders] as const
      constructor(readonly orders: Orders) {}
      onResponse() {
        after.push(this.orders.tx.current.request.url)
      }
    }
    const [server, origin] = await listen(plugin('QuickPlugin', { providers: [Tx, Orders], hooks: { onResponse: After }, routes: [Quick] }))
    await fetch(origin + '/?1')
    await server.close()
    assert.deepEqual(after, ['/?1'])
  })

  test('differs between 200 requests that are at work together, also on one connection', async () => {
    await using test = await testServer(App)
    const replies = await Promise.all(Array.from({ length: 200 }, (_, index) => test.inject(`/orders/later?${index}`)))
    for (const [index, reply] of replies.entries()) {
      const url = `/orders/later?${index}`
      assert.deepEqual(reply.json(), ['onRequest', url, url])
    }
    const [server, origin] = await listen(App)
    await using _closed = { [Symbol.asyncDispose]: () => server.close() }
    const over = await Promise.all(Array.from({ length: 50 }, async (_, index) => (await fetch(`${origin}/orders/later?${index}`)).json()))
    for (const [index, lines] of over.entries()) assert.deepEqual(lines, ['onRequest', `/orders/later?${index}`, `/orders/later?${index}`])
  })

  test('is there for the error handler of its context if a hook of a context above has failed', async () => {
    @Plugin({ imports: [OrdersPlugin], hooks: { onRequest: fail } })
    class Above {}
    await using test = await testServer(Above)
    assert.deepEqual((await test.inject('/orders/sync')).json(), { lines: ['error handler'] })
  })

  test('constructs nothing for a request that does not read it', async () => {
    await using test = await testServer(App)
    const before = made
    assert.equal((await test.inject('/plain')).statusCode, 200)
    assert.equal(made, before)
  })

  test('throws outside of requests, and names the class that reads it', async () => {
    await using test = await testServer(OrdersPlugin)
    const orders = test.server.resolve(Orders)
    const message =
      'ambient(Tx) of Orders (in OrdersPlugin) was read outside of a request. Do the work in server.run(async (scope) => …), or in a request.'
    assert.throws(() => orders.add('x'), { code: 'ALC_ERR_RESOLUTION', message })
    await assert.rejects(orders.tx.get(), { message })
  })

  test('is that of its request in a stream, whatever request of the connection is written before', async () => {
    const seen: string[] = []
    const big = 'x'.repeat(70_000)
    @Injectable()
    @Controller()
    class Streams {
      static readonly inject = [Orders] as const
      constructor(readonly orders: Orders) {}
      @Get('/slow')
      async slow() {
        this.orders.add('slow')
        await later(50)
        return { url: this.orders.tx.current.request.url }
      }
      @Get('/big')
      async big(_request: Request, reply: Reply) {
        const { orders } = this
        await later(5)
        return reply.type('text/plain').send(
          Readable.from(
            (async function* () {
              for (let count = 0; count < 40; count++) {
                seen.push(orders.tx.current.request.url)
                yield big
              }
            })(),
          ),
        )
      }
    }
    const [server, origin] = await listen(plugin('Pipelined', { providers: [Tx, Orders], routes: [Streams] }))
    const { port } = new URL(origin)
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('data', () => {
        socket.pause()
        setTimeout(() => socket.resume(), 1)
      })
      socket.on('close', () => resolve())
      socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\nGET /big HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    })
    await server.close()
    assert.deepEqual(
      seen,
      Array.from({ length: 40 }, () => '/big'),
    )
  })

  test('is there for a not-found handler that a route of another context calls', async () => {
    @Injectable()
    class Missing {
      static readonly inject = [Orders] as const
      constructor(readonly orders: Orders) {}
      notFoundHandler(_request: Request, reply: Reply) {
        return reply.code(404).send({ url: this.orders.tx.current.request.url })
      }
    }
    @Controller('/out')
    class Out {
      @Get()
      get(_request: Request, reply: Reply) {
        reply.callNotFound()
      }
    }
    const shared = plugin('Base', { providers: [Tx, Orders], notFoundHandler: Missing, routes: [Routes] })
    await using test = await testServer(plugin('Root', { imports: [shared, plugin('Other', { routes: [Out] })] }))
    assert.deepEqual((await test.inject('/out')).json(), { url: '/out' })
  })

  test('can be replaced by a value in a test', async () => {
    await using test = await testServer(App, { override: [[Tx, { lines: ['fake'], request: { url: '/fake' } } as unknown as Tx]] })
    assert.deepEqual((await test.inject('/orders/sync')).json(), ['fake', 'onRequest', '/orders/sync', 'again'])
  })

  test('can be read by the instances of a request that are ending, and the logger also later', async () => {
    const ended: string[] = []
    @Injectable()
    class Pool {
      static readonly inject = [ambient(LOGGER), ambient(Tx)] as const
      constructor(
        readonly log: Ambient<Logger>,
        readonly tx: Ambient<Tx>,
      ) {}
    }
    @Injectable({ scope: 'request' })
    class Client {
      static readonly inject = [Tx, Pool] as const
      constructor(
        readonly tx: Tx,
        readonly pool: Pool,
      ) {}
      dispose() {
        this.pool.log.current.info('released')
        ended.push(this.pool.tx.current === this.tx ? 'the same' : 'another')
      }
    }
    @Injectable()
    @Controller()
    class Quick {
      static readonly inject = [Client, Pool] as const
      constructor(
        readonly client: Client,
        readonly pool: Pool,
      ) {}
      @Get('/')
      get(request: Request) {
        setTimeout(() => ended.push(this.pool.log.current === request.log ? 'its logger' : 'another logger'), 20)
        return {}
      }
    }
    await using test = await testServer(plugin('Pools', { providers: [Tx, Pool, Client], routes: [Quick] }))
    await test.inject('/')
    await later(40)
    assert.deepEqual(ended, ['the same', 'its logger'])
  })

  test('is not made for a request that is over', async () => {
    let late: unknown
    @Injectable()
    @Controller()
    class Late {
      static readonly inject = [Orders] as const
      constructor(readonly orders: Orders) {}
      @Get('/')
      get() {
        setTimeout(() => {
          try {
            late = this.orders.tx.current
          } catch (error) {
            late = error
          }
        }, 20)
        return {}
      }
    }
    await using test = await testServer(plugin('Late', { providers: [Tx, Orders], routes: [Late] }))
    const before = made
    await test.inject('/')
    await later(40)
    assert.match((late as Error).message, /^The request is over/)
    assert.equal(made, before)
  })

  test('throws if its request is over', async () => {
    let kept: (() => unknown) | undefined
    @Injectable()
    @Controller()
    class Keeps {
      static readonly inject = [Orders] as const
      constructor(readonly orders: Orders) {}
      @Get('/')
      get() {
        this.orders.add('x')
        setTimeout(() => {
          try {
            kept = () => this.orders.tx.current
            kept()
          } catch (error) {
            kept = () => error
          }
        }, 20)
        return {}
      }
    }
    await using test = await testServer(plugin('Late', { providers: [Tx, Orders], routes: [Keeps] }))
    await test.inject('/')
    await later(40)
    assert.match((kept!() as Error).message, /^The request is over/)
  })

  test('gives the request and its logger, if the class asks for these', async () => {
    @Injectable()
    class Audit {
      static readonly inject = [ambient(REQUEST), ambient(LOGGER)] as const
      constructor(
        readonly request: Ambient<Request>,
        readonly log: Ambient<Logger>,
      ) {}
    }
    @Injectable()
    @Controller()
    class Shows {
      static readonly inject = [Audit] as const
      constructor(readonly audit: Audit) {}
      @Get('/:id')
      get(request: Request) {
        return { isSame: this.audit.request.current === request && this.audit.log.current === request.log }
      }
    }
    await using test = await testServer(plugin('Audits', { providers: [Audit], routes: [Shows] }))
    assert.deepEqual((await test.inject('/7')).json(), { isSame: true })
  })

  test('waits for an asynchronous factory in get(), and says so in current', async () => {
    const SESSION = token<string>('SESSION')
    @Injectable()
    @Controller()
    class Shows {
      static readonly inject = [ambient(SESSION)] as const
      constructor(readonly session: Ambient<string>) {}
      @Get('/')
      async get() {
        const early = (() => {
          try {
            return this.session.current
          } catch (error) {
            return (error as Error).message
          }
        })()
        return { early, got: await this.session.get(), then: this.session.current }
      }
    }
    const session = factory(SESSION, [], async () => (await later(2), 'a session'), { scope: 'request' })
    await using test = await testServer(plugin('Sessions', { providers: [session], routes: [Shows] }))
    assert.deepEqual((await test.inject('/')).json(), {
      early: 'ambient(SESSION) of Shows (in Sessions) is still being made by an asynchronous factory. Use await handle.get().',
      got: 'a session',
      then: 'a session',
    })
  })

  test('may lead back to the class that has it', async () => {
    @Injectable()
    class Repository {
      static readonly inject = [ambient(token0)] as const
      constructor(readonly unit: Ambient<{ repository: unknown }>) {}
    }
    await using test = await testServer(
      plugin('Circle', {
        providers: [
          Repository,
          { provide: token0, useFactory: (repository: unknown) => ({ repository }), inject: [Repository], scope: 'request' },
        ],
        routes: [routeOf(Repository)],
      }),
    )
    assert.deepEqual((await test.inject('/')).json(), { isSame: true })

    function routeOf(_class: unknown): Class {
      @Injectable()
      @Controller()
      class Shows {
        static readonly inject = [Repository] as const
        constructor(readonly repository: Repository) {}
        @Get('/')
        get() {
          return { isSame: this.repository.unit.current.repository === this.repository }
        }
      }
      return Shows
    }
  })

  test('serves a shared plugin in each context that imports it', async () => {
    const Shared = plugin('Shared', { shared: true, providers: [Tx, Orders] })
    const part = (name: string): Class => plugin(name, { prefix: `/${name}`, imports: [Shared], routes: [Routes] })
    await using test = await testServer(plugin('Both', { imports: [part('a'), part('b')] }))
    assert.deepEqual((await test.inject('/a/sync')).json(), ['/a/sync', 'again'])
    assert.deepEqual((await test.inject('/b/sync')).json(), ['/b/sync', 'again'])
  })
})

const token0 = token<{ repository: unknown }>('UNIT')

describe('the wiring', () => {
  test('refuses a handle of what is no request-scoped provider', () => {
    class Db {}
    @Injectable()
    class Users {
      static readonly inject = [ambient(Db), ambient(SERVER)] as const
      constructor(
        readonly db: Ambient<Db>,
        readonly server: Ambient<BootstrappedServer>,
      ) {}
    }
    assert.deepEqual(messagesOf(plugin('App', { providers: [Db, Users] })), [
      'Users (in App) injects ambient(Db), but Db is not request-scoped: its `current` would always be the same. Inject Db itself.',
      'Users (in App) injects ambient(SERVER), but SERVER is not request-scoped: its `current` would always be the same. Inject SERVER itself.',
    ])
  })

  test('refuses a handle of what the class does not see', () => {
    const Inner = plugin('Inner', { providers: [Tx], routes: [Plain] })
    assert.match(
      messagesOf(plugin('App', { imports: [Inner], providers: [Orders] }))[0]!,
      /^Orders \(in App\) asks for Tx, which is not visible there\. It is provided in App > Inner\./,
    )
  })

  test('names the handle as the cure of a captive request scope', () => {
    @Injectable()
    class Captive {
      static readonly inject = [Tx] as const
      constructor(readonly tx: Tx) {}
    }
    assert.match(
      messagesOf(plugin('App', { providers: [Tx, Captive] }))[0]!,
      /or inject ambient\(Tx\) and read its `current` in each request\.$/,
    )
  })
})

// From Node 24 on, `run` itself calls `enterWith`.
const isTriable = '_enable' in AsyncLocalStorage.prototype
test('handles need no enterWith of AsyncLocalStorage, which workerd lacks', { skip: !isTriable }, async (t) => {
  t.mock.method(AsyncLocalStorage.prototype, 'enterWith', () => {
    throw new Error('asyncLocalStorage.enterWith() is not implemented')
  })
  @Injectable()
  @Controller()
  class Lines {
    static readonly inject = [Orders] as const
    constructor(readonly orders: Orders) {}
    @Post('/lines')
    async add({ body }: Request) {
      await later(1)
      this.orders.add(String((body as { line: string }).line))
      return this.orders.tx.current.lines
    }
    @Get('/nothing')
    nothing(_request: Request, reply: Reply) {
      reply.callNotFound()
    }
  }
  @Injectable()
  class Known {
    static readonly inject = [Orders] as const
    constructor(readonly orders: Orders) {}
    onRequest() {
      this.orders.add('hook')
    }
  }
  @Plugin({ providers: [Tx, Orders], routes: [Lines], hooks: { onRequest: Known } })
  class App {}
  const server = await bootstrap(App)
  t.after(() => server.close())
  const address = await server.listen({ port: 0 })
  const send = (line: string) =>
    fetch(`${address}/lines`, { method: 'POST', body: JSON.stringify({ line }), headers: { 'content-type': 'application/json' } })
  const replies = await Promise.all(['a', 'b'].map(async (line) => (await send(line)).json()))
  assert.deepEqual(replies, [
    ['hook', 'a'],
    ['hook', 'b'],
  ])
  const nothing = await fetch(`${address}/nothing`)
  assert.equal(nothing.status, 404)
})
