/** Mistakes with what starts and ends, and with the server itself. */
import { bootstrap, type BootstrappedServer, type Class, createServer } from 'alcove'
import { plugin, route } from '../fixtures/applications.js'
import { boot, call, loose, type Mistake, request, short } from './mistake.js'

const ok = route('/', () => 'ok')
/** A provider with one method. */
const having = (name: string, method: () => unknown): Class => {
  class Db {}
  Object.defineProperty(Db.prototype, name, { value: method, configurable: true })
  return Db
}
const fails = (): never => {
  throw new Error('no database')
}
const never = () => new Promise<never>(() => {})

/** A lifecycle method of Nest, which nothing here would call. */
const ofNest = (name: string, cure: string): Mistake =>
  boot(`a service with ${name}()`, 'App > Db', cure, () => ({ providers: [having(name, () => {})] }))

/** A service that ends in the wrong way: it shows in the log when the server closes. */
const ends = (says: string, cure: string | RegExp, name: string, method: () => unknown): Mistake =>
  request(says, 'Db (in App)', cure, () => ({ providers: [having(name, method)], routes: [ok] }))

const lifecycle: Mistake[] = [
  ofNest('onModuleInit', 'onReady'),
  ofNest('onApplicationBootstrap', 'onReady'),
  ofNest('onModuleDestroy', 'onClose'),
  ofNest('beforeApplicationShutdown', 'onClose'),
  ofNest('onApplicationShutdown', 'onClose'),
  boot('a service whose onReady throws', 'App > Db.onReady', 'no database', () => ({ providers: [having('onReady', fails)] })),
  boot('a service whose onReady rejects', 'App > Db.onReady', 'no database', () => ({
    providers: [having('onReady', async () => fails())],
  })),
  boot('a service whose onReady never settles', 'Db.onReady', /time/, () => ({ providers: [having('onReady', never)] })),
  boot('a service whose onListen throws', 'App > Db.onListen', 'no database', () => ({ providers: [having('onListen', fails)] })),
  boot('an onListen hook that rejects', "onListen hook 'onListen' of 'App'", 'no database', () => ({
    hooks: { onListen: async () => fails() },
  })),
  boot('a value whose onReady throws', "App > 'db'.onReady", 'no database', () => ({
    providers: [{ provide: 'db', useValue: { onReady: fails } }],
  })),
  ends('a service whose onClose throws', 'no database', 'onClose', fails),
  ends('a service whose onClose never settles', /500 ms|in time|within/, 'onClose', never),
  ends('a service whose dispose rejects', 'no database', 'dispose', async () => fails()),
  boot('an onReady hook that throws', 'App', 'no database', () => ({ hooks: { onReady: fails } })),
  boot('an onReady hook that never calls done', 'App', /done/, () => ({ hooks: { onReady: (_done: () => void) => {} } })),
  request('an onClose hook that throws', /close|App/i, 'no database', () => ({ routes: [ok], hooks: { onClose: async () => fails() } })),
  request('a request-scoped service whose dispose throws', 'Tx', 'no database', () => {
    class Tx {
      dispose() {
        fails()
      }
    }
    class Reads {
      static readonly inject = [Tx] as const
      constructor(readonly tx: Tx) {}
      preHandler() {}
    }
    return { providers: [{ provide: Tx, useClass: Tx, scope: 'request' }], hooks: { preHandler: Reads }, routes: [ok] }
  }),
]

const listening: Mistake[] = [
  call('listen(3000), as in Nest', 'listen', '{ port', 'request', () => closed(async (server) => server.listen(loose(3000)))),
  call("listen('3000')", 'listen', '{ port', 'request', () => closed(async (server) => server.listen(loose('3000')))),
  call('listen twice', 'listen', /once|already|twice/, 'request', () =>
    closed(async (server) => {
      await server.listen({ port: 0 })
      await server.listen({ port: 0 })
    }),
  ),
  call('listen on a port that is used', 'EADDRINUSE', /address already in use/, 'request', () =>
    closed(async (server) => {
      await server.listen({ port: 0, host: '127.0.0.1' })
      const { port } = server.server.address() as { port: number }
      await closed(async (other) => other.listen({ port, host: '127.0.0.1' }))
    }),
  ),
  call('listen on a port that is not a number', 'options.port', 'Pass a whole number', 'request', () =>
    closed(async (server) => server.listen({ port: loose('http') })),
  ),
  call('a misspelt option of listen', 'listen', 'Did you mean port?', 'request', () =>
    closed(async (server) => server.listen(loose({ prot: 3000 }))),
  ),
  short(
    'the text is that of Fastify, which plugins compare',
    call('listen after close', 'The server has already been closed', 'cannot be reopened', 'request', () =>
      closed(async (server) => {
        await server.close()
        await server.listen({ port: 0 })
      }),
    ),
  ),
]

/** An option of the server. */
const option = (says: string, options: object, cure: string | RegExp): Mistake =>
  boot(says, /option|Invalid initialization/, cure, async () => {
    await bootstrap(plugin('App'), loose(options))
    return {}
  })

const options: Mistake[] = [
  option('a misspelt option of the server', { bodylimit: 1 }, "Did you mean 'bodyLimit'?"),
  option('port among the options of the server', { port: 3000 }, 'port'),
  option('cors of Nest among the options of the server', { cors: true }, 'cors'),
  option('bodyLimit as a text', { bodyLimit: '1mb' }, 'bodyLimit'),
  option('a logger that is a text', { logger: 'debug' }, 'logger'),
  short(
    'the text is that of pino',
    boot('a log level of the server that does not exist', 'level:loud', 'must be included in custom levels', () =>
      bootstrap(plugin('App'), loose({ logger: { level: 'loud' } })),
    ),
  ),
  boot('a logger that is the console', 'Invalid logger object', "'fatal,child'", async () =>
    bootstrap(plugin('App'), loose({ logger: console })),
  ),
  option('an unknown value of an option', { undeclaredResponses: 'refuze' }, 'undeclaredResponses'),
  option('handlerTimeout as a text', { handlerTimeout: '5s' }, 'handlerTimeout'),
  option('pluginTimeout below 0', { pluginTimeout: -1 }, 'pluginTimeout'),
  option('an async querystringParser', { querystringParser: async () => ({}) }, 'querystringParser'),
  option('ajv options outside of jsv', { ajv: { customOptions: {} } }, /jsv|ajv/),
  option('jsv.customOptions that are a list', { jsv: { customOptions: [] } }, 'customOptions'),
  boot('a port as the options of bootstrap', 'Options', 'must be an object', () => bootstrap(plugin('App'), loose(3000))),
  boot('options of the server that are a number', 'Options', 'must be an object', async () => {
    createServer(loose(3000))
    return {}
  }),
]

async function closed(run: (server: BootstrappedServer) => Promise<unknown>): Promise<void> {
  const server = await bootstrap(plugin('App'), { forceCloseConnections: true })
  try {
    await run(server)
  } finally {
    await server.close()
  }
}

export const lifetimes: readonly Mistake[] = [...lifecycle, ...listening, ...options]
