import 'reflect-metadata'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { check, type Provider } from 'alcove'
import { container, inject, injectable, singleton } from 'tsyringe'
import { appOf, resolveFrom } from '../../../fixtures/applications.js'

class Engine {
  readonly power = 42
}

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

  test('the metadata of a class are afterwards what they were', async () => {
    @injectable()
    class Typed {
      constructor(readonly engine: Engine) {}
    }
    class Listed {
      static readonly inject = [Engine] as const
      constructor(readonly engine: Engine) {}
    }
    const typesOf = (Class: object): unknown => Reflect.getOwnMetadata('design:paramtypes', Class)
    const types = [Typed, Listed].map(typesOf)
    assert.ok((await resolveFrom([Engine, Typed, Listed], Listed)).engine instanceof Engine)
    assert.deepEqual([Typed, Listed].map(typesOf), types)
    assert.deepEqual(types, [[Engine], undefined])
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
