import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bootstrap, check, factory, optionsFrom, REQUEST, requestDecorator, type Server, testServer, token, use, WiringError } from 'alcove'
import fastifyPlugin from 'fastify-plugin'
import { plugin, route, serve } from '../../fixtures/applications.js'

describe('an imported plugin function', () => {
  test('gets its options, and keeps what it declares to itself unless it is wrapped', async () => {
    const decorating =
      () =>
      async (instance: Server, { name }: { name: string }) =>
        void instance.decorateRequest(name, name)
    const App = plugin('App', {
      imports: [
        use(decorating(), { name: 'kept' }),
        use(fastifyPlugin(decorating() as never) as ReturnType<typeof decorating>, { name: 'given' }),
      ],
      routes: [route('/', ({ kept, given }) => ({ kept, given }))],
    })
    await serve(App, async (server) => assert.equal((await server.inject('/')).body, '{"given":"given"}'))
  })

  describe('with options from providers', () => {
    const NAME = token<string>('NAME')
    const greet = async (instance: Server, { name }: { name: string; prefix?: string }) => void instance.get('/', () => `Hello, ${name}`)
    const options = optionsFrom([NAME], async (name) => ({ name, prefix: '/greet' }))

    test('gets what they are made of: of its own context, awaited, and of an ancestor', async () => {
      const providers = [factory(NAME, [], async () => 'Ada')]
      for (const App of [
        plugin('App', { providers, imports: [use(greet, options)] }),
        plugin('App', { providers, imports: [plugin('Below', { imports: [use(greet, options)] })] }),
      ])
        await serve(App, async (server) => assert.equal((await server.inject('/greet')).body, 'Hello, Ada'))
    })

    test('gets what a test puts in their place', async () => {
      const App = plugin('App', { providers: [{ provide: NAME, useValue: 'Ada' }], imports: [use(greet, options)] })
      await using app = await testServer(App, { override: [[NAME, 'Bob']] })
      assert.equal((await app.inject('/greet')).body, 'Hello, Bob')
    })

    test('is a fault of the wiring where one is not visible, or exists for requests only', () => {
      assert.throws(() => check(plugin('App', { imports: [use(greet, options)] })), /the options of greet \(in App\) asks for NAME/)
      const ofRequest = use(
        greet,
        optionsFrom([REQUEST], () => ({ name: 'nobody' })),
      )
      assert.throws(
        () => check(plugin('App', { imports: [ofRequest] })),
        / the options of greet lives as long as App but depends on request-scoped REQUEST\. It is made once at boot/,
      )
    })
  })

  test('may take a callback', async () => {
    const calling = (instance: Server, _options: object, done: () => void) => {
      instance.get('/', () => 'called back')
      setImmediate(done)
    }
    await serve(plugin('App', { imports: [use(calling)] }), async (server) => assert.equal((await server.inject('/')).body, 'called back'))
  })

  for (const [what, given] of [
    ['a promise of a module', Promise.resolve({ default: async (instance: Server) => void instance.get('/', () => 'loaded') })],
    ['a module', { default: async (instance: Server) => void instance.get('/', () => 'loaded') }],
  ] as const) {
    test(`may be ${what}`, async () => {
      await serve(plugin('App', { imports: [use(given)] }), async (server) => assert.equal((await server.inject('/')).body, 'loaded'))
    })
  }

  test('that fails to load fails the boot', async () => {
    const failing = Promise.reject(new Error('no such module'))
    await assert.rejects(bootstrap(plugin('App', { imports: [use(failing)] })), { message: 'no such module' })
  })

  test('is believed what it is said to decorate, and held to it', async () => {
    const Foo = requestDecorator('foo', 'foo')
    const wrapped = (name: string) =>
      fastifyPlugin(async (instance: any) => void instance.decorateRequest(name, 'foo')) as () => Promise<void>
    const appOf = (name: string) =>
      plugin('App', {
        imports: [
          use(wrapped(name), {}, { decorates: [Foo] }),
          plugin('Asks', { requires: [Foo], routes: [route('/', ({ foo }) => foo)] }),
        ],
      })
    await serve(appOf('foo'), async (server) => assert.equal((await server.inject('/')).body, 'foo'))
    await assert.rejects(bootstrap(appOf('bar')), (error: WiringError) => {
      assert.deepEqual(
        error.faults.map(({ code }) => code),
        ['DECORATES_UNTRUE'],
      )
      return true
    })
  })

  test('sees what its plugin declares', async () => {
    const seeing = async (instance: Server) => void instance.get('/', ({ foo }: any) => foo)
    const App = plugin('App', { decorateRequest: { foo: 'seen' }, imports: [use(seeing)] })
    await serve(App, async (server) => assert.equal((await server.inject('/')).body, 'seen'))
  })
})
