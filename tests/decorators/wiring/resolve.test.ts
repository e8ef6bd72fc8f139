import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bootstrap, check, type Class, Hook, Plugin, Route, shared, testServer, token, WiringError, Injectable } from 'alcove'

const WHO = token<string>('WHO')

/** A plugin class. */
function plugin(name: string, options: object): Class {
  class Made {}
  Plugin({ name, ...options })(Made)
  return Made
}

/** A route that answers who it sees. */
function routeAt(path: string): Class {
  class Asks {
    static readonly inject = [WHO] as const
    constructor(private readonly who: string) {}
    handle() {
      return this.who
    }
  }
  Route({ method: 'GET', path })(Asks)
  return Asks
}

const giving = (who: string): object => ({ providers: [{ provide: WHO, useValue: who }] })

async function answers(App: Class, ...paths: string[]): Promise<string[]> {
  const server = await bootstrap(App)
  const bodies: string[] = []
  for (const path of paths) bodies.push((await server.inject(path)).body)
  await server.close()
  return bodies
}

function isRefused(App: Class): void {
  assert.throws(
    () => check(App),
    (error: WiringError) => {
      assert.deepEqual(
        error.faults.map(({ code }) => code),
        ['PROVIDER_NOT_VISIBLE'],
      )
      return true
    },
  )
}

describe('a route sees the provider', () => {
  test('of its own plugin', async () => {
    assert.deepEqual(await answers(plugin('App', { ...giving('own'), routes: [routeAt('/')] }), '/'), ['own'])
  })

  test('of an ancestor, however far up', async () => {
    const App = plugin('App', {
      ...giving('root'),
      imports: [plugin('Child', { imports: [plugin('Grandchild', { routes: [routeAt('/')] })] })],
    })
    assert.deepEqual(await answers(App, '/'), ['root'])
  })

  test('that is nearest: a child may have its own for the same token', async () => {
    const App = plugin('App', {
      ...giving('root'),
      routes: [routeAt('/app')],
      imports: [plugin('Child', { ...giving('child'), routes: [routeAt('/child')] }), plugin('Other', { routes: [routeAt('/other')] })],
    })
    assert.deepEqual(await answers(App, '/app', '/child', '/other'), ['root', 'child', 'root'])
  })

  test('of a shared child, and so do the siblings of that child', async () => {
    const App = plugin('App', {
      imports: [plugin('Before', { routes: [routeAt('/before')] }), shared(plugin('Child', giving('shared')))],
      routes: [routeAt('/app')],
    })
    assert.deepEqual(await answers(App, '/app', '/before'), ['shared', 'shared'])
  })

  test('of a grandchild that is shared twice', async () => {
    const Grandchild = plugin('Grandchild', { shared: true, ...giving('far') })
    const App = plugin('App', { imports: [plugin('Child', { shared: true, imports: [Grandchild] })], routes: [routeAt('/')] })
    assert.deepEqual(await answers(App, '/'), ['far'])
  })
})

describe('a route does not see the provider', () => {
  test('of a sibling', () => {
    isRefused(plugin('App', { imports: [plugin('A', giving('a')), plugin('B', { routes: [routeAt('/')] })] }))
  })

  test('of a descendant', () => {
    isRefused(plugin('App', { imports: [plugin('A', giving('a'))], routes: [routeAt('/')] }))
  })

  test('of a grandchild that is shared with its parent only', () => {
    const Child = plugin('Child', { imports: [shared(plugin('Grandchild', giving('far')))] })
    isRefused(plugin('App', { imports: [Child], routes: [routeAt('/')] }))
  })
})

describe('what a provider asks for is seen from where the provider is declared:', () => {
  class Reader {
    static readonly inject = [WHO] as const
    constructor(readonly who: string) {}
  }
  @Route({ method: 'GET', path: '/read' })
  class Read {
    static readonly inject = [Reader] as const
    constructor(private readonly reader: Reader) {}
    handle() {
      return this.reader.who
    }
  }

  test("a child's own value does not reach into an ancestor's provider", async () => {
    const App = plugin('App', {
      providers: [Reader, { provide: WHO, useValue: 'root' }],
      imports: [plugin('Child', { ...giving('child'), routes: [Read] })],
    })
    assert.deepEqual(await answers(App, '/read'), ['root'])
  })

  test("an ancestor's provider cannot ask for what only a child provides", () => {
    isRefused(plugin('App', { providers: [Reader], imports: [plugin('Child', { ...giving('child'), routes: [Read] })] }))
  })

  test('an alias stands for what its own plugin sees', async () => {
    const ALIAS = token<string>('ALIAS')
    class ReadAlias {
      static readonly inject = [ALIAS] as const
      constructor(private readonly who: string) {}
      handle() {
        return this.who
      }
    }
    Route({ method: 'GET', path: '/' })(ReadAlias)
    const App = plugin('App', {
      providers: [
        { provide: WHO, useValue: 'root' },
        { provide: ALIAS, useExisting: WHO },
      ],
      imports: [plugin('Child', { ...giving('child'), routes: [ReadAlias] })],
    })
    assert.deepEqual(await answers(App, '/'), ['root'])
  })

  test('an alias of what its plugin does not see is one fault, at the alias', () => {
    const App = plugin('App', {
      providers: [{ provide: 'alias', useExisting: WHO }],
      imports: [plugin('Child', giving('child'))],
    })
    assert.throws(() => check(App), {
      message:
        "The wiring of App is wrong:\n  - 'alias' (in App) asks for WHO, which is not visible there. It is provided in App > Child. Provide it in App or an ancestor, or share that plugin.",
    })
  })
})

test('the error names every place that provides what is not visible', () => {
  const App = plugin('App', {
    imports: [plugin('A', giving('a')), plugin('B', giving('b')), plugin('C', { routes: [routeAt('/')] })],
  })
  assert.throws(() => check(App), /It is provided in App > A, App > B\. Provide it in C or an ancestor/)
})

test('a plugin class that is imported twice is two contexts with instances of their own', async () => {
  let made = 0
  class Counter {
    readonly number = ++made
  }
  class Show {
    static readonly inject = [Counter] as const
    constructor(private readonly counter: Counter) {}
    handle() {
      return String(this.counter.number)
    }
  }
  Route({ method: 'GET', path: '/' })(Show)
  const Twice = plugin('Twice', { providers: [Counter], routes: [Show] })
  const App = plugin('App', {
    imports: [plugin('A', { prefix: '/a', imports: [Twice] }), plugin('B', { prefix: '/b', imports: [Twice] })],
  })
  assert.deepEqual(await answers(App, '/a', '/b', '/a'), ['1', '2', '1'])
})

describe('a hook class', () => {
  class Guard {
    calls = 0
    async preHandler(): Promise<void> {
      this.calls++
    }
  }
  @Route({ method: 'GET', path: '/' })
  @Hook('preHandler', Guard as never)
  class Guarded {
    static readonly inject = [Guard] as const
    constructor(private readonly guard: Guard) {}
    handle() {
      return String(this.guard.calls)
    }
  }

  test('that is a provider is one instance with what is injected elsewhere', async () => {
    const App = plugin('App', { providers: [Guard], imports: [plugin('Child', { routes: [Guarded] })] })
    assert.deepEqual(await answers(App, '/', '/'), ['1', '2'])
    const server = await bootstrap(App)
    await server.inject('/')
    await server.inject('/')
    assert.equal(server.resolve(Guard).calls, 2)
    await server.close()
  })

  test('that is a provider can be replaced in a test', async () => {
    class Never {
      calls = 99
      async preHandler(): Promise<void> {}
    }
    await using app = await testServer(plugin('App', { providers: [Guard], routes: [Guarded] }), { override: [[Guard, Never]] })
    assert.equal((await app.inject('/')).body, '99')
  })

  test('that is a transient provider is one of its own, and one that says request is made for each', async () => {
    for (const [scope, calls] of [
      ['transient', ['1', '2']],
      ['request', ['1', '1']],
    ] as const) {
      class Counting {
        calls = 0
        preHandler(request: any, _reply: unknown, done: () => void): void {
          request.calls = ++this.calls
          done()
        }
      }
      Injectable({ scope })(Counting)
      @Route({ method: 'GET', path: '/' })
      @Hook('preHandler', Counting as never)
      class Counted {
        handle(request: any) {
          return String(request.calls)
        }
      }
      const providers = scope === 'transient' ? [Counting] : []
      assert.deepEqual(await answers(plugin('App', { providers, decorateRequest: { calls: 0 }, routes: [Counted] }), '/', '/'), calls)
    }
  })

  test('need not be listed among the providers', async () => {
    class Refusing {
      preHandler(_request: unknown, reply: { code(status: number): { send(body: string): void } }): void {
        reply.code(403).send('no')
      }
    }
    @Route({ method: 'GET', path: '/' })
    @Hook('preHandler', Refusing as never)
    class Refused {
      handle() {
        return 'never'
      }
    }
    assert.deepEqual(await answers(plugin('App', { routes: [Refused] }), '/'), ['no'])
  })
})

test('a required request decorator is met by what a shared import adds', () => {
  const Adds = plugin('Adds', { shared: true, decorateRequest: { foo: 1 } })
  const handle = { kind: 'request decorator', name: 'foo', value: 1 }
  check(plugin('App', { imports: [Adds, plugin('Asks', { requires: [handle] })] }))
  assert.throws(() => check(plugin('App', { imports: [plugin('Keeps', { decorateRequest: { foo: 1 } })], requires: [handle] })), {
    message: /App requires the request decorator 'foo', which is not visible there\. It is added in App > Keeps\./,
  })
})
