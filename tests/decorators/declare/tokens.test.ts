import 'reflect-metadata'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bootstrap, factory, LOGGER, optional, Plugin, pluginOptions, SERVER, token, use } from 'alcove'
import { appOf, resolveFrom } from '../../fixtures/applications.js'

class Engine {
  readonly power = 42
}

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
    class Child {
      setup(_instance: unknown, _options: { table: string }) {}
    }
    @Plugin({ imports: [use(Child, { table: 'one' }), use(Child, { table: 'two', prefix: '/again' })] })
    class App {}
    await (await bootstrap(App)).close()
    assert.deepEqual(seen, ['/child', true, { table: 'one' }, '/again', true, { table: 'two', prefix: '/again' }])
  })
})
