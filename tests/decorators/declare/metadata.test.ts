import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { check, Config, Controller, Get, Hook, Injectable, Plugin, Route, Schema, testServer, type WiringError } from 'alcove'
import {
  addMetadata,
  getDecoratedMembers,
  getMetadata,
  getMetadataByClass,
  getOwnMetadata,
  metadataKey,
} from '../../../decorators/declare/metadata.js'

const run = promisify(execFile)
const project = new URL('../../../../', import.meta.url)
const pathOf = (file: string): string => fileURLToPath(new URL(file, project))

test('an application compiled with standard decorators runs as one compiled with TypeScript’s own', async () => {
  await run(process.execPath, [pathOf('node_modules/typescript/bin/tsc'), '-p', pathOf('tests/fixtures/standard')])
  const { stdout } = await run(process.execPath, [pathOf('dist/standard/app.js')])
  assert.deepEqual(JSON.parse(stdout), [
    [200, { answer: 42 }],
    [200, { path: '/greetings', role: 'reader' }],
    [201, { text: 'Hello, Ada' }],
    [400, { statusCode: 400, error: 'Bad Request', message: "body should have required property 'name'" }],
    ['Basics'],
  ])
})

const kOne = metadataKey<unknown>({ decorator: '@One', standsOn: [], place: 'nowhere' })

test('metadata of a class is not that of its methods, and its own is not that of its subclass', () => {
  class Base {
    method() {}
  }
  class Derived extends Base {}
  addMetadata([Base], kOne, 'base')
  addMetadata([Base.prototype, 'method'], kOne, 'method')
  assert.equal(getOwnMetadata(Base, kOne), 'base')
  assert.equal(getOwnMetadata(Base, kOne, 'method'), 'method')
  assert.equal(getOwnMetadata(Derived, kOne), undefined)
  assert.equal(getMetadata(Derived, kOne), 'base')
})

test('values are kept in the order in which decorators are written, though they run bottom-up, those of parent classes first', () => {
  class Base {}
  class Derived extends Base {}
  for (const entry of ['third', 'second', 'first']) addMetadata([Base], kOne, entry)
  addMetadata([Derived], kOne, 'own')
  assert.deepEqual(getMetadataByClass(Derived, kOne), [['first', 'second', 'third'], ['own']])
  assert.equal(getMetadata(Base, kOne), 'first')
})

test('members are read with those of parent classes first, and an overridden one once, with the value of the subclass', () => {
  class Base {
    one() {}
    two() {}
  }
  class Derived extends Base {
    override two() {}
    three() {}
  }
  for (const [prototype, member, value] of [
    [Base.prototype, 'one', 1],
    [Base.prototype, 'two', 2],
    [Derived.prototype, 'three', 3],
    [Derived.prototype, 'two', 22],
  ] as const)
    addMetadata([prototype, member], kOne, value)
  assert.deepEqual(
    getDecoratedMembers(Derived, kOne).map((member) => [member, getMetadata(Derived, kOne, member)]),
    [
      ['one', 1],
      ['three', 3],
      ['two', 22],
    ],
  )
})

test('a decorator that is called as a function returns the class that it was given, so that calls can be nested', async () => {
  const steps: string[] = []
  const find = { response: { 200: { type: 'object', properties: { steps: { type: 'array', items: { type: 'string' } } } } } } as const
  const GetSteps = Injectable({ scope: 'request' })(
    Route({ method: 'GET', path: '/steps' })(
      Hook(
        'onRequest',
        () => void steps.push('upper'),
      )(
        Hook(
          'onRequest',
          () => void steps.push('lower'),
        )(
          Config({ roles: [] })(
            Schema(find)(
              class GetSteps {
                handle() {
                  return { steps, hidden: true }
                }
              },
            ),
          ),
        ),
      ),
    ),
  )
  const App = Plugin({ routes: [GetSteps] })(class App {})
  assert.deepEqual([GetSteps.name, App.name], ['GetSteps', 'App'])
  await using app = await testServer(App)
  assert.deepEqual(await app.call(GetSteps).expect(200), { steps: ['upper', 'lower'] }, 'hooks in the order of the source text')
})

test('decorators are called in a static block for the class and for its methods, several for one method in the order of the source text', async () => {
  const steps: string[] = []
  class Steps {
    static {
      Controller('/steps')(this)
      Get('/:id')(this.prototype, 'find')
      Hook('onRequest', () => void steps.push('first'))(this.prototype, 'find')
      Hook('onRequest', () => void steps.push('second'))(this.prototype, 'find')
    }
    find() {
      return steps
    }
  }
  class App {
    static {
      Plugin({ routes: [Steps] })(this)
      Hook('preHandler')(this.prototype, 'last')
    }
    last() {
      steps.push('of the plugin')
    }
  }
  await using app = await testServer(App)
  assert.deepEqual((await app.inject('/steps/1')).json(), ['first', 'second', 'of the plugin'])
})

test('a call for a member that is not a method of the class is a fault with its place', () => {
  class Steps {
    static {
      Controller()(this)
      Get('/all')(this.prototype, 'all')
      // @ts-expect-error the class has no such method
      Get('/find')(this.prototype, 'fnd')
      Get('/find')(this, 'find')
    }
    static find() {}
    readonly all = (): number => 1
    find() {}
  }
  const App = Plugin({ routes: [Steps] })(class App {})
  assert.throws(
    () => check(App),
    ({ faults }: WiringError) => {
      assert.deepEqual(
        faults.map(({ code, place }) => [code, place]),
        [
          ['DECORATOR_UNREAD', 'App > Steps.all'],
          ['DECORATOR_UNREAD', 'App > Steps.fnd'],
          ['DECORATOR_UNREAD', 'App > Steps.find'],
        ],
      )
      assert.match(faults[1]!.message, /the class has no method of this name/)
      return true
    },
  )
})

test('a decorated class without a name is a fault that says where it is listed, unless its plugin has a name', () => {
  const Nameless = Plugin({
    name: 'App',
    routes: [
      Route({ method: 'GET', path: '/now' })(
        class {
          handle() {}
        },
      ),
    ],
    providers: [Injectable()(class {})],
    imports: [Plugin({})(class {}), Plugin({ name: 'Named' })(class {})],
  })(class {})
  assert.throws(
    () => check(Nameless),
    ({ faults }: WiringError) => {
      assert.deepEqual(
        faults.filter(({ code }) => code === 'CLASS_WITHOUT_NAME').map(({ message }) => message.split(' without')[0]),
        ['App lists a route (GET /now)', 'App lists a provider', 'App imports a plugin'],
      )
      return true
    },
  )
  assert.throws(() => check(Plugin()(class {})), /The application is a plugin without a name/)
})
