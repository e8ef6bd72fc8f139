/** Hook classes and contexts whose hooks no request can meet. Other faults of hooks: ../faults.test.ts. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  check,
  type Class,
  Hook,
  metadataDecorator,
  Plugin,
  type PluginOptions,
  type Provider,
  Route,
  type Server,
  shared,
  testServer,
  use,
  WiringError,
} from 'alcove'
import { messagesOf, plugin } from '../../../fixtures/applications.js'

class Guard {
  async onRequest() {}
}
@Route({ method: 'GET', path: '/' })
class Home {
  handle() {}
}
function codesOf(App: Class): string[] {
  try {
    check(App)
  } catch (error) {
    if (error instanceof WiringError) return error.faults.map(({ code, place }) => `${code} ${place}`)
    throw error
  }
  return []
}
const appWith = (options: PluginOptions): Class => plugin('App', { routes: [Home], ...options })

test('a class as a hook of the application is a fault: alcove calls the method of its instance anyway', () => {
  class Connection {
    onReady(): void {}
    onListen(): void {}
    onClose(): void {}
  }
  for (const name of ['onReady', 'onListen', 'onClose'])
    assert.deepEqual(messagesOf(appWith({ hooks: { [name]: Connection } })), [
      `App lists Connection in hooks.${name}. List the class in providers: alcove calls its method ${name}.`,
    ])
})

describe('a hook class in providers', () => {
  const idle = ['HOOK_CLASS_IDLE App']

  test('is a fault if nothing runs or injects it, under whatever token', () => {
    assert.deepEqual(codesOf(appWith({ providers: [Guard] })), idle)
    assert.deepEqual(codesOf(appWith({ providers: [{ provide: 'guard', useClass: Guard }] })), idle)
    assert.deepEqual(codesOf(appWith({ providers: [{ provide: 'alias', useExisting: Guard }, Guard] })), [])
  })

  test('is none if it is a hook of a plugin, a route or a class in whose place it stands', () => {
    @Route({ method: 'GET', path: '/guarded' })
    @Hook('onRequest', Guard)
    class Guarded extends Home {}
    class Fake extends Guard {}
    for (const options of [
      { providers: [Guard], hooks: { onRequest: Guard } },
      { providers: [Guard], routes: [Guarded] },
      { providers: [{ provide: Guard, useClass: Fake }], hooks: { onRequest: Guard } },
      { providers: [Guard], imports: [plugin('Api', { prefix: '/api', routes: [Home], hooks: { onRequest: Guard } })] },
    ])
      assert.deepEqual(messagesOf(appWith(options)), [])
  })

  test('is none if it is injected, found by its decorator, or made by a factory', () => {
    class Auditing {
      static readonly inject = [Guard] as const
      constructor(readonly guard: Guard) {}
    }
    const Job = metadataDecorator<string>('Job')
    @Job('nightly')
    class Nightly extends Guard {}
    const made: Provider = { provide: Guard, useFactory: () => new Guard() }
    for (const providers of [[Guard, Auditing], [Nightly], [made]]) assert.deepEqual(messagesOf(appWith({ providers })), [])
  })

  test('is none if its methods have names that other classes have too', () => {
    class Connection {
      onError() {}
      onTimeout() {}
      onReady() {}
    }
    assert.deepEqual(messagesOf(appWith({ providers: [Connection] })), [])
  })
})

describe('a context without routes', () => {
  const idle = ['CONTEXT_WITHOUT_ROUTES App > Auth']
  const auth = (options: PluginOptions): Class => appWith({ imports: [plugin('Auth', { hooks: { onRequest: Guard }, ...options })] })

  test('is a fault if it has hooks, error handlers, formatters or parsers of requests', () => {
    assert.deepEqual(codesOf(auth({})), idle)
    for (const options of [
      { errorHandler: () => {} },
      { schemaErrorFormatter: () => new Error('invalid') },
      { contentTypeParsers: [{ type: 'text/csv', parse: async () => [] }] },
    ])
      assert.deepEqual(codesOf(appWith({ imports: [plugin('Auth', options)] })), idle)
    @Plugin({ name: 'Auth' })
    class Methods {
      @Hook('preHandler')
      async check() {}
    }
    assert.deepEqual(codesOf(appWith({ imports: [Methods] })), idle)
  })

  test('is a fault also if what it imports has none, or is shared by an ancestor', () => {
    const Database = plugin('Database', {})
    assert.deepEqual(codesOf(auth({ imports: [plugin('Empty', {})] })), idle)
    const App = appWith({ imports: [shared(Database), plugin('Auth', { hooks: { onRequest: Guard }, imports: [Database] })] })
    assert.deepEqual(codesOf(App), idle)
  })

  test('is a fault if a plugin that it shares declares them, unless that plugin gives it providers too', () => {
    const importing = (options: PluginOptions): Class =>
      appWith({ imports: [plugin('Mid', { imports: [shared(plugin('Auth', { hooks: { onRequest: Guard }, ...options }))] })] })
    assert.match(
      messagesOf(importing({})).join(),
      /^App > Mid declares onRequest \(of Auth\) in its own context, .* Import it with shared\(Mid\)/,
    )
    for (const options of [{ providers: [Home] }, { decorate: { auth: true } }, { prefix: '/auth', routes: [Home] }])
      assert.deepEqual(messagesOf(importing(options)), [])
  })

  test('is none if requests may reach it', () => {
    class Below {}
    Plugin({ prefix: '/below', routes: [Home] })(Below)
    const withSetup = class Auth {
      setup(_instance: Server) {}
    }
    Plugin({ hooks: { onRequest: Guard } })(withSetup)
    for (const App of [
      auth({ shared: true }),
      auth({ prefix: '/auth', routes: [Home] }),
      auth({ prefix: '/auth', notFoundHandler: () => '' }),
      auth({ imports: [Below] }),
      auth({ imports: [use(async () => {})] }),
      appWith({ imports: [withSetup] }),
    ])
      assert.deepEqual(messagesOf(App), [])
  })

  test('is one if it has decorators of requests and shared schemas, which nothing can use', () => {
    const Declaring = plugin('Declaring', { decorateRequest: { user: null }, schemas: [{ $id: 'Note', type: 'object' }] })
    assert.match(
      messagesOf(appWith({ imports: [Declaring] })).join(),
      /^App > Declaring declares decorateRequest, schemas in its own context/,
    )
  })

  test('is none if it has other hooks and declarations only', () => {
    const Worker = plugin('Worker', { providers: [Home], hooks: { onClose: async () => {} }, decorate: { worker: true } })
    assert.deepEqual(messagesOf(appWith({ imports: [Worker] })), [])
  })
})

test('both are reported of whole applications that have no other fault, not of parts in a test', async () => {
  const Auth = plugin('Auth', { hooks: { onRequest: Guard } })
  const Part = appWith({ providers: [Guard], imports: [Auth] })
  assert.deepEqual(codesOf(Part), ['CONTEXT_WITHOUT_ROUTES App > Auth'])
  assert.deepEqual(codesOf(plugin('App', { imports: [Auth], requires: [undefined as never] })), ['ENTRY_INVALID App'])
  await (await testServer(Part)).close()
})
