/** What a class has of its parent classes, with both kinds of decorators. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { check, Hook, Injectable, Plugin, ref, type Reply, type Request } from 'alcove'
import { appOf, resolveFrom, route, serve } from '../../fixtures/applications.js'
import { builds } from '../../fixtures/both-builds.js'
import * as ownDecorators from '../../fixtures/standard/inheritance.js'

for (const { name, load } of builds) {
  describe(`with ${name}`, () => {
    let ask: typeof ownDecorators.ask
    let undecorated: typeof ownDecorators.undecorated
    before(async () => ({ ask, undecorated } = await load('inheritance', ownDecorators)))

    test('an inherited route has the schemas, hooks and config of its member and of the base class', async () => {
      const answers = await ask([
        { path: '/plain/x', body: {} },
        { path: '/plain/x', body: { a: '7' } },
        { path: '/plain/y' },
        { path: '/plain/z', role: 'guest' },
        { path: '/plain/z', role: 'admin' },
        { path: '/plain/trace' },
      ])
      assert.deepEqual(answers, [
        [400, ''],
        [200, { a: 7 }],
        [401, ''],
        [403, ''],
        [200, 'secret'],
        [200, { trace: ['base', 'base route', 'repeated'], config: { area: 'base', kept: 'base', own: 'base', more: 'base' } }],
      ])
    })

    test('an override without decorators keeps everything that stands on the method which it overrides', async () => {
      const answers = await ask([
        { path: '/undecorated/x', body: {} },
        { path: '/undecorated/x', body: { a: '7' } },
        { path: '/undecorated/y' },
        { path: '/undecorated/z', role: 'guest' },
        { path: '/undecorated/z', role: 'admin' },
      ])
      assert.deepEqual(answers, [
        [400, ''],
        [200, { a: 8 }],
        [401, ''],
        [403, ''],
        [200, 'overridden'],
      ])
    })

    test('an override with decorators of its own replaces route and schema, merges config, and adds its hooks', async () => {
      const answers = await ask([
        { path: '/decorated/x', body: { a: 1 } },
        { path: '/decorated/moved', body: { b: 1 } },
        { path: '/decorated/y' },
        { path: '/decorated/z', role: 'guest' },
        { path: '/decorated/z', role: 'admin' },
        { path: '/decorated/trace' },
      ])
      assert.deepEqual(answers, [
        [404, ''],
        // The response schema stood in the schema that is replaced.
        [200, { given: { b: 1 } }],
        [401, ''],
        [200, 'overridden'],
        [403, ''],
        [
          200,
          {
            trace: ['base', 'sub', 'base route', 'repeated', 'sub route'],
            config: { area: 'sub', kept: 'base', own: 'sub', more: 'base' },
          },
        ],
      ])
    })

    test('a route class inherits schemas, hooks and config, but not the route', async () => {
      const answers = await ask([
        { path: '/derived', role: 'guest', body: { a: 1 } },
        { path: '/derived', role: 'admin', body: {} },
        { path: '/derived', role: 'admin', body: { a: '7' } },
        { path: '/single', role: 'admin', body: { a: '7' } },
      ])
      assert.deepEqual(answers, [
        [403, ''],
        [400, ''],
        [200, { a: 7 }],
        [200, { a: 7 }],
      ])
    })

    test('a provider has the scope of its parent class', async () => {
      const answers = await ask([{ path: '/current/1' }, { path: '/current/2' }])
      assert.deepEqual(answers, [
        [200, ['/current/1', 'constant']],
        [200, ['/current/2', 'constant']],
      ])
    })

    test('a class without decorators is not the plugin, controller or shared schema that its parent is', () => {
      const { plugin, controller, model } = undecorated
      assert.throws(() => check(plugin), /plugin is not a plugin, so it cannot be the application/)
      assert.throws(() => check(appOf([], [controller])), /lists controller among its routes, but it is neither a route nor a controller/)
      assert.throws(() => ref(model), /the class has no schema with an \$id/)
    })
  })
}

test('a subclass with its own @Injectable has the scope that this says', async () => {
  @Injectable({ scope: 'request' })
  class Current {}
  @Injectable()
  class Constant extends Current {}
  assert.ok((await resolveFrom([Constant], Constant)) instanceof Constant)
  class CurrentToo extends Current {}
  await assert.rejects(resolveFrom([CurrentToo], CurrentToo), /CurrentToo \(in App\) is request-scoped/)
})

describe('the constructor', () => {
  class Engine {}
  class Radio {}
  @Injectable()
  class Car {
    constructor(readonly engine: Engine) {}
  }

  test('of a subclass does not get what the constructor of its parent takes, if nothing tells its own types', () => {
    class Loud extends Car {
      constructor(readonly radio: Radio) {
        super(new Engine())
      }
    }
    class Louder extends Loud {}
    const text = /^ {2}- Loud \(in App\) has a constructor argument, but its type is not known at run time\. Write static inject/m
    assert.throws(() => check(appOf([Engine, Radio, Loud])), text)
    assert.throws(() => check(appOf([Engine, Radio, Louder])), text)
  })

  test('of the parent is called with what it asks for, if the subclass only has fields', async () => {
    class Red extends Car {
      readonly color = 'red'
    }
    const red = await resolveFrom([Engine, Red], Red)
    assert.ok(red.engine instanceof Engine)
    assert.equal(red.color, 'red')
  })
})

describe('the hook methods of a plugin class', () => {
  test('are kept by overriding, and run once if the override repeats the decorator', async () => {
    const ran: string[] = []
    class Base {
      @Hook('onRequest')
      async kept() {
        ran.push('kept')
      }
      @Hook('onRequest')
      async repeated() {
        ran.push('repeated')
      }
      @Hook('onRequest')
      async added(_request: Request, _reply: Reply) {
        ran.push('added')
      }
    }
    @Plugin({ routes: [route('/', () => 'ok')] })
    class App extends Base {
      override async kept() {
        ran.push('kept by override')
      }
      @Hook('onRequest')
      override async repeated() {
        ran.push('repeated by override')
      }
      @Hook('preHandler')
      override async added() {
        ran.push('added by override')
      }
    }
    await serve(App, async (server) => {
      assert.equal((await server.inject('/')).body, 'ok')
    })
    assert.deepEqual(ran, ['kept by override', 'repeated by override', 'added by override', 'added by override'])
  })
})
