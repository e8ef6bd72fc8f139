import 'reflect-metadata'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bootstrap, check, factory, Injectable, LOGGER, type Provider, SERVER, type Token, token } from 'alcove'
import { appOf, resolveFrom } from '../../fixtures/applications.js'

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
