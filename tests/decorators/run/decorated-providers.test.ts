import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  bootstrap,
  type BootstrappedServer,
  type Class,
  type DecoratedProvider,
  metadataDecorator,
  Plugin,
  Route,
  SERVER,
  type ServerOptions,
  shared,
  testServer,
  use,
} from 'alcove'
import { plugin } from '../../fixtures/applications.js'

const On = metadataDecorator<string>('On')
class Mails {
  sent: string[] = []
  @On('order')
  confirm(order: string) {
    this.sent.push(`confirm ${order}`)
  }
}
class FakeMails {
  sent: string[] = []
  @On('refund')
  refund(order: string) {
    this.sent.push(`refund ${order}`)
  }
  confirm() {}
}
const places = (found: readonly DecoratedProvider[]): string[] => found.map(({ place }) => place)

/** Boots with a log. */
async function boot(App: Class, options: ServerOptions = {}): Promise<{ server: BootstrappedServer; lines: string[] }> {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line).msg) }
  return { server: await bootstrap(App, { logger: { level: 'warn', stream }, ...options }), lines }
}

describe('a plugin that finds instances', () => {
  /** An event bus: it calls the methods that are decorated with the name of an event. */
  class Bus {
    static readonly inject = [SERVER] as const
    #found: DecoratedProvider<string>[] = []
    constructor(private readonly server: BootstrappedServer) {}
    onReady() {
      this.#found = this.server.providersWith(On)
    }
    emit(event: string, payload: string) {
      for (const { instance, method, value } of this.#found) if (value === event) instance[method!](payload)
    }
  }
  const BusPlugin = plugin('BusPlugin', { providers: [Bus] })
  @Route({ method: 'GET', path: '/order' })
  class Order {
    static readonly inject = [Bus, Mails] as const
    constructor(
      private readonly bus: Bus,
      private readonly mails: Mails,
    ) {}
    handle(request: { query: unknown }) {
      this.bus.emit('order', (request.query as { id: string }).id)
      return this.mails.sent
    }
  }
  const Shop = plugin('Shop', { providers: [Mails], routes: [Order] })

  test('calls their methods while requests are served, if it is shared with the plugin above them', async (t) => {
    const { server, lines } = await boot(plugin('App', { imports: [shared(BusPlugin), Shop] }))
    t.after(() => server.close())
    const origin = await server.listen({ port: 0, host: '127.0.0.1' })
    assert.deepEqual(await (await fetch(`${origin}/order?id=7`)).json(), ['confirm 7'])
    assert.deepEqual(lines, [])
  })

  test('finds the substitutes of a test, with their own decorators', async () => {
    await using app = await testServer(plugin('App', { imports: [shared(BusPlugin), Shop] }), { override: [[Mails, FakeMails]] })
    assert.deepEqual(places(app.server.providersWith(On)), ['App > Shop > FakeMails.refund'])
    await using stubbed = await testServer(plugin('App', { imports: [shared(BusPlugin), Shop] }), {
      override: [[Mails, { sent: [], confirm() {} }]],
    })
    assert.deepEqual(stubbed.server.providersWith(On), [])
  })

  test('finds nothing in a context of its own, and the log warns of what it does not find', async () => {
    const { server, lines } = await boot(plugin('App', { imports: [BusPlugin, plugin('Inner', { providers: [Mails] })] }))
    await server.close()
    assert.deepEqual(lines, [
      '@On has no effect yet at App > Inner > Mails.confirm: when the server was ready, no plugin of that context or of one above it had called providersWith(On). Import the plugin that does with shared(…).',
    ])
  })

  test('may be a plugin function: it finds what its context has, which is nothing if that is its own', async () => {
    const found: Record<string, string[]> = {}
    const asks = (name: string) => async (instance: any) =>
      void instance.addHook('onReady', async () => void (found[name] = places(instance.providersWith(On))))
    const { server } = await boot(plugin('App', { providers: [Mails], imports: [use(asks('own')), shared(use(asks('shared')))] }))
    await server.close()
    assert.deepEqual(found, { own: [], shared: ['App > Mails.confirm'] })
  })

  test('cannot ask while the application is constructed', async () => {
    class Hasty {
      setup(instance: BootstrappedServer) {
        instance.providersWith(On)
      }
    }
    Plugin()(Hasty)
    await assert.rejects(bootstrap(plugin('App', { imports: [Hasty] })), {
      code: 'ALC_ERR_RESOLUTION',
      message: 'providersWith(On) was called in App > Hasty before all providers are constructed. Call it in onReady or later.',
    })
    const hasty = async (instance: any) => void instance.providersWith(On)
    await assert.rejects(bootstrap(plugin('App', { imports: [use(hasty)] })), { code: 'ALC_ERR_RESOLUTION' })
  })

  test('asks in onReady of a provider or of a plugin, and in onReady hooks', async () => {
    const found: string[][] = []
    class App {
      #server!: BootstrappedServer
      setup(instance: BootstrappedServer) {
        this.#server = instance
        instance.addHook('onReady', async () => void found.push(places(instance.providersWith(On))))
      }
      onReady() {
        found.push(places(this.#server.providersWith(On)))
      }
    }
    Plugin({ providers: [Mails] })(App)
    const { server, lines } = await boot(App)
    await server.close()
    assert.deepEqual(found, [['App > Mails.confirm'], ['App > Mails.confirm']])
    assert.deepEqual(lines, [])
  })
})

test('a part of an application is not warned of what its ancestors may find', async () => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  await using app = await testServer(plugin('Part', { providers: [Mails] }), { server: { logger: { level: 'warn', stream } } })
  assert.deepEqual(places(app.server.providersWith(On)), ['Part > Mails.confirm'])
  assert.deepEqual(lines, [])
})

test('an instance that several tokens lead to is found once, from each context that provides it', async () => {
  const mails = new Mails()
  const value = { provide: 'mails', useValue: mails }
  const { server } = await boot(
    plugin('App', { providers: [value], imports: [plugin('Inner', { providers: [value, { provide: 'same', useValue: mails }] })] }),
  )
  await server.close()
  assert.deepEqual(places(server.providersWith(On)), ['App > Mails.confirm'])
})
