import 'reflect-metadata'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  bootstrap,
  check,
  type Class,
  factory,
  Injectable,
  LOGGER,
  optional,
  Plugin,
  pluginOptions,
  type Provider,
  SERVER,
  type Token,
  token,
  use,
} from 'alcove'
import { container, inject, injectable, singleton } from 'tsyringe'

/** Bootstraps an application of nothing but providers and gives what a token stands for in it. */
async function resolveFrom<T>(providers: readonly Provider[], asked: Token<T>): Promise<T> {
  const server = await bootstrap(appOf(providers))
  const value = server.resolve(asked) as T
  await server.close()
  return value
}

function appOf(providers: readonly Provider[]): Class {
  class App {}
  Plugin({ providers })(App)
  return App
}

class Engine {
  readonly power = 42
}

describe('a class', () => {
  test('is made once, whoever asks for it', async () => {
    class Left {
      static readonly inject = [Engine] as const
      constructor(readonly engine: Engine) {}
    }
    class Right {
      static readonly inject = [Engine] as const
      constructor(readonly engine: Engine) {}
    }
    const server = await bootstrap(appOf([Left, Right, Engine]))
    assert.ok(server.resolve(Engine) instanceof Engine)
    assert.equal(server.resolve(Left).engine, server.resolve(Engine))
    assert.equal(server.resolve(Right).engine, server.resolve(Engine))
    await server.close()
  })

  test('may stand for another class', async () => {
    class Turbo extends Engine {}
    assert.ok((await resolveFrom([{ provide: Engine, useClass: Turbo }], Engine)) instanceof Turbo)
  })

  test('gets the types that the compiler emitted for its constructor', async () => {
    @Injectable()
    class Car {
      constructor(readonly engine: Engine) {}
    }
    assert.equal((await resolveFrom([Car, Engine], Car)).engine.power, 42)
  })

  test('static inject is taken before the types of the constructor', async () => {
    @Injectable()
    class Car {
      static readonly inject = ['engine'] as const
      constructor(readonly engine: Engine) {}
    }
    const other = { power: 1 }
    assert.equal((await resolveFrom([Car, Engine, { provide: 'engine', useValue: other }], Car)).engine, other)
  })

  test('inherits the constructor of its parent, with what that asks for', async () => {
    @Injectable()
    class Car {
      constructor(readonly engine: Engine) {}
    }
    class SportsCar extends Car {}
    class Listed {
      static readonly inject = [Engine] as const
      constructor(readonly engine: Engine) {}
    }
    class ListedToo extends Listed {}
    assert.equal((await resolveFrom([SportsCar, Engine], SportsCar)).engine.power, 42)
    assert.equal((await resolveFrom([ListedToo, Engine], ListedToo)).engine.power, 42)
  })

  test('with a constructor of its own does not go by the static inject of its parent', async () => {
    class Listed {
      static readonly inject: readonly Token[] = [Engine]
      constructor(readonly engine: Engine) {}
    }
    class Radio {}
    @Injectable()
    class Own extends Listed {
      constructor(
        readonly radio: Radio,
        engine: Engine,
      ) {
        super(engine)
      }
    }
    const own = await resolveFrom([Own, Engine, Radio], Own)
    assert.ok(own.radio instanceof Radio)
    assert.ok(own.engine instanceof Engine)
  })

  test('with a constructor of its own does not go by the types of its parent', () => {
    @Injectable()
    class Car {
      constructor(readonly engine: Engine) {}
    }
    class Undecorated extends Car {
      constructor(
        engine: Engine,
        readonly other: Engine,
      ) {
        super(engine)
      }
    }
    assert.throws(() => check(appOf([Engine, Undecorated])), /Undecorated \(in App\) has 2 constructor arguments/)
  })
})

describe("tsyringe's own decorators are honoured:", () => {
  test('@inject names a token where the type is none', async () => {
    @injectable()
    class Car {
      constructor(
        readonly engine: Engine,
        @inject('wheels') readonly wheels: number,
      ) {}
    }
    const car = await resolveFrom([Engine, Car, { provide: 'wheels', useValue: 4 }], Car)
    assert.equal(car.wheels, 4)
    assert.ok(car.engine instanceof Engine)
  })

  test('@inject works without @injectable, and again in the next application', async () => {
    class Car {
      constructor(@inject('wheels') readonly wheels: number) {}
    }
    const providers: Provider[] = [Car, { provide: 'wheels', useValue: 3 }]
    assert.equal((await resolveFrom(providers, Car)).wheels, 3)
    assert.equal((await resolveFrom([Car, { provide: 'wheels', useValue: 5 }], Car)).wheels, 5)
  })

  test('@inject may say that a dependency is optional', async () => {
    @injectable()
    class Car {
      constructor(@inject('radio', { isOptional: true }) readonly radio?: string) {}
    }
    assert.equal((await resolveFrom([Car], Car)).radio, undefined)
    assert.equal((await resolveFrom([Car, { provide: 'radio', useValue: 'on' }], Car)).radio, 'on')
  })

  test('@inject is inherited with the constructor', async () => {
    @injectable()
    class Car {
      constructor(@inject('wheels') readonly wheels: number) {}
    }
    class Van extends Car {}
    assert.equal((await resolveFrom([Van, { provide: 'wheels', useValue: 6 }], Van)).wheels, 6)
  })

  test('a token that is not provided is a fault, not left to tsyringe', () => {
    @injectable()
    class Car {
      constructor(@inject('wheels') readonly wheels: number) {}
    }
    assert.throws(() => check(appOf([Car])), /Car \(in App\) asks for 'wheels', which no plugin provides/)
  })
})

describe('the global container of tsyringe', () => {
  test('is not asked: what is registered there is not visible', () => {
    class Global {}
    container.registerInstance(Global, new Global())
    class Asks {
      static readonly inject = [Global] as const
      constructor(readonly global: Global) {}
    }
    assert.throws(() => check(appOf([Asks])), /Asks \(in App\) asks for Global, which no plugin provides/)
  })

  test('is not told of anything', async () => {
    class Car {
      static readonly inject = [Engine] as const
      constructor(readonly engine: Engine) {}
    }
    await resolveFrom([Car, Engine, { provide: 'wheels', useValue: 4 }], Car)
    assert.equal(container.isRegistered(Car, true), false)
    assert.equal(container.isRegistered(Engine, true), false)
    assert.equal(container.isRegistered('wheels', true), false)
  })

  test('does not make a @singleton() class one for all applications', async () => {
    @singleton()
    class Single {}
    const [one, two] = [await resolveFrom([Single], Single), await resolveFrom([Single], Single)]
    assert.ok(one instanceof Single)
    assert.notEqual(one, two)
    assert.notEqual(container.resolve(Single), one)
  })
})

describe('a value', () => {
  for (const value of [0, '', false, null, undefined, Number.NaN]) {
    test(`may be ${value === '' ? 'an empty string' : String(value)}`, async () => {
      const FALSY = token<unknown>('FALSY')
      class Holder {
        static readonly inject = [FALSY] as const
        constructor(readonly held: unknown) {}
      }
      const server = await bootstrap(appOf([{ provide: FALSY, useValue: value }, Holder]))
      assert.ok(Object.is(server.resolve(FALSY), value))
      assert.ok(Object.is(server.resolve(Holder).held, value))
      await server.close()
    })
  }

  test('may be a promise, and stays one', async () => {
    const later = Promise.resolve(1)
    const server = await bootstrap(appOf([{ provide: 'later', useValue: later }]))
    assert.equal(server.resolve('later'), later)
    await server.close()
  })

  test('is given as it is, and not closed with the application', async () => {
    let closed = 0
    const pool = { dispose: () => closed++ }
    assert.equal(await resolveFrom([{ provide: 'pool', useValue: pool }], 'pool'), pool)
    assert.equal(closed, 0)
  })
})

describe('a factory', () => {
  test('is called once, with what it injects', async () => {
    let calls = 0
    const POWER = token<number>('POWER')
    const provider = factory(POWER, [Engine], (engine) => (calls++, engine.power * 2))
    class Reads {
      static readonly inject = [POWER] as const
      constructor(readonly power: number) {}
    }
    const server = await bootstrap(appOf([Reads, provider, Engine]))
    assert.equal(server.resolve(POWER), 84)
    assert.equal(server.resolve(Reads).power, 84)
    assert.equal(calls, 1)
    await server.close()
  })

  test('that is asynchronous is awaited before what depends on it is made', async () => {
    const order: string[] = []
    const CONNECTION = token<{ url: string }>('CONNECTION')
    const URL_TOKEN = token<string>('URL')
    class Repo {
      static readonly inject = [CONNECTION] as const
      constructor(readonly connection: { url: string }) {
        order.push(`repo ${connection.url}`)
      }
    }
    const App = appOf([
      Repo,
      factory(CONNECTION, [URL_TOKEN], async (url) => {
        order.push(`connecting ${url}`)
        await new Promise((resolve) => setImmediate(resolve))
        order.push('connected')
        return { url }
      }),
      factory(URL_TOKEN, [], async () => Promise.resolve('db:1')),
    ])
    const server = await bootstrap(App)
    assert.deepEqual(order, ['connecting db:1', 'connected', 'repo db:1'])
    assert.equal(server.resolve(Repo).connection.url, 'db:1')
    await server.close()
  })

  test('that fails fails the boot with its own error', async () => {
    const failure = new Error('no database')
    await assert.rejects(bootstrap(appOf([factory('db', [], () => Promise.reject(failure))])), (error) => error === failure)
  })
})

describe('an alias', () => {
  test('is the very instance that it stands for', async () => {
    const server = await bootstrap(appOf([{ provide: 'engine', useExisting: Engine }, Engine]))
    assert.equal(server.resolve('engine'), server.resolve(Engine))
    await server.close()
  })

  test('may stand for another alias', async () => {
    const providers: Provider[] = [
      { provide: 'a', useExisting: 'b' },
      { provide: 'b', useExisting: 'c' },
      { provide: 'c', useValue: 7 },
    ]
    assert.equal(await resolveFrom(providers, 'a'), 7)
  })

  test('may stand for a built-in value', async () => {
    class Asks {
      static readonly inject = ['log'] as const
      constructor(readonly log: unknown) {}
    }
    const server = await bootstrap(appOf([{ provide: 'log', useExisting: LOGGER }, { provide: 'server', useExisting: SERVER }, Asks]))
    assert.equal(server.resolve(Asks).log, server.log)
    assert.equal(server.resolve('log'), server.log)
    assert.equal(server.resolve('server'), server)
    await server.close()
  })

  test('does not make what it stands for once more', async () => {
    let made = 0
    class Counted {
      constructor() {
        made++
      }
    }
    await resolveFrom([{ provide: 'counted', useExisting: Counted }, Counted], 'counted')
    assert.equal(made, 1)
  })
})

describe('a token', () => {
  test('may be a class, a typed token, a symbol or a string', async () => {
    const SYMBOL = Symbol('symbol')
    const TYPED = token<number>('typed')
    const server = await bootstrap(
      appOf([Engine, { provide: TYPED, useValue: 1 }, { provide: SYMBOL, useValue: 2 }, { provide: 'string', useValue: 3 }]),
    )
    assert.ok(server.resolve(Engine) instanceof Engine)
    assert.deepEqual([server.resolve(TYPED), server.resolve(SYMBOL), server.resolve('string')], [1, 2, 3])
    await server.close()
  })

  test('is not another one of the same name', async () => {
    const one = token<number>('same')
    const two = token<number>('same')
    const server = await bootstrap(
      appOf([
        { provide: one, useValue: 1 },
        { provide: two, useValue: 2 },
      ]),
    )
    assert.deepEqual([server.resolve(one), server.resolve(two)], [1, 2])
    await server.close()
  })

  test('may be an abstract class', async () => {
    abstract class Store {
      abstract read(): string
    }
    class Memory extends Store {
      read() {
        return 'memory'
      }
    }
    assert.equal((await resolveFrom<Store>([{ provide: Store, useClass: Memory }], Store)).read(), 'memory')
  })
})

describe('an optional dependency', () => {
  class Asks {
    static readonly inject = [optional(Engine)] as const
    constructor(readonly engine?: Engine) {}
  }

  test('is undefined where nothing visible provides it', async () => {
    assert.equal((await resolveFrom([Asks], Asks)).engine, undefined)
  })

  test('is given where it is provided', async () => {
    assert.ok((await resolveFrom([Asks, Engine], Asks)).engine instanceof Engine)
  })

  test('works for factories too', async () => {
    const provider = factory('power', [optional(Engine)], (engine) => engine?.power ?? 0)
    assert.equal(await resolveFrom([provider], 'power'), 0)
    assert.equal(await resolveFrom([provider, Engine], 'power'), 42)
  })
})

describe('a transient provider', () => {
  class Ticket {}
  class Holder {
    static readonly inject = [Ticket, Ticket] as const
    constructor(
      readonly one: Ticket,
      readonly two: Ticket,
    ) {}
  }

  test('is made for each injection, even twice in one constructor', async () => {
    const holder = await resolveFrom([{ provide: Ticket, useClass: Ticket, scope: 'transient' }, Holder], Holder)
    assert.ok(holder.one instanceof Ticket)
    assert.ok(holder.two instanceof Ticket)
    assert.notEqual(holder.one, holder.two)
  })

  test('may be a class that says so itself', async () => {
    @Injectable({ scope: 'transient' })
    class Own {}
    class Asks {
      static readonly inject = [Own] as const
      constructor(readonly own: Own) {}
    }
    class AsksToo extends Asks {}
    const server = await bootstrap(appOf([Own, Asks, AsksToo]))
    assert.notEqual(server.resolve(Asks).own, server.resolve(AsksToo).own)
    await server.close()
  })
})

describe('a built-in token', () => {
  test('SERVER is the instance of the context that asks, LOGGER its logger, PLUGIN_OPTIONS what it was imported with', async () => {
    const seen: unknown[] = []
    class Asks {
      static readonly inject = [SERVER, LOGGER, pluginOptions<{ table: string }>()] as const
      constructor(server: { prefix: string; log: unknown }, log: unknown, options: unknown) {
        seen.push(server.prefix, server.log === log, options)
      }
    }
    @Plugin({ prefix: '/child', providers: [Asks] })
    class Child {}
    @Plugin({ imports: [use(Child, { table: 'one' }), use(Child, { table: 'two', prefix: '/again' })] })
    class App {}
    await (await bootstrap(App)).close()
    assert.deepEqual(seen, ['/child', true, { table: 'one' }, '/child/again', true, { table: 'two', prefix: '/again' }])
  })
})
