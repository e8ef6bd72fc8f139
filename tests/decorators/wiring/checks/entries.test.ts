import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  bootstrap,
  check,
  type Class,
  Controller,
  Get,
  Hook,
  HttpError,
  httpError,
  optional,
  Plugin,
  requestDecorator,
  testServer,
  token,
  WiringError,
} from 'alcove'

class Guard {
  onRequest(): void {}
}
class Users {}
const missing = undefined as never

function app(options: object): Class {
  class App {}
  Plugin(options)(App)
  return App
}

function faultsOf(App: Class): string[] {
  try {
    check(App)
  } catch (error) {
    if (error instanceof WiringError) return error.faults.map(({ message }) => message)
    throw error
  }
  return []
}

describe('an entry that is undefined, or an instance in the place of its class, is a fault with place and cure:', () => {
  const undefinedName = 'undefined (a class used before its declaration, or a circle of imports)'
  const hookCure = 'A hook is a function, or for requests a class with a method onRequest: list the class.'
  class Needs {
    static readonly inject = [Users, missing]
    constructor(
      readonly users: Users,
      readonly other: unknown,
    ) {}
  }
  for (const [title, options, texts] of [
    ['undefined as a hook', { hooks: { onRequest: [undefined] } }, [`App lists ${undefinedName} in hooks.onRequest. ${hookCure}`]],
    [
      'undefined as all hooks of a name',
      { hooks: { onRequest: undefined } },
      [`App lists ${undefinedName} in hooks.onRequest. ${hookCure}`],
    ],
    ['an instance as a hook', { hooks: { onRequest: new Guard() } }, [`App lists an instance of Guard in hooks.onRequest. ${hookCure}`]],
    [
      'undefined as a request decorator',
      { decorateRequest: [undefined, requestDecorator('a', 1)], requires: [undefined] },
      ['decorateRequest', 'requires'].map(
        (name) => `App lists ${undefinedName} in ${name}. Write a decorator that requestDecorator('name', value) made.`,
      ),
    ],
    [
      'undefined as a parser',
      { contentTypeParsers: [undefined] },
      [`App lists ${undefinedName} in contentTypeParsers. Write { type, parse }.`],
    ],
    [
      'undefined in private',
      { private: [undefined] },
      [`App lists ${undefinedName} in private. Write the token of a provider of this plugin.`],
    ],
    [
      'an instance as a provider',
      { providers: [new Users()] },
      [
        'App lists an instance of Users among its providers. A provider is a class, or { provide, useClass | useValue | useFactory | useExisting }.',
      ],
    ],
    [
      'an instance as useClass',
      { providers: [{ provide: Users, useClass: new Users() }] },
      [
        'The provider of Users (in App) has an instance of Users as useClass, which is not a class. Write a class there, or useValue for the value itself.',
      ],
    ],
    [
      'a text as useFactory',
      { providers: [{ provide: token('TEXT'), useFactory: 'text' }] },
      [
        "The provider of TEXT (in App) has 'text' as useFactory, which is not a function. Write a function there, or useValue for the value itself.",
      ],
    ],
    [
      'undefined as useExisting',
      { providers: [{ provide: 'alias', useExisting: undefined }] },
      [
        `The provider of 'alias' (in App) has ${undefinedName} as useExisting, which is not a token. Write a token there, or useValue for the value itself.`,
      ],
    ],
    [
      'undefined in static inject',
      { providers: [Users, Needs] },
      [
        'Entry 2 of the tokens that Needs (in App) injects is undefined, often because its class is declared further down, or because of a circle of imports. Declare it first; in a circle, move what both modules need into a third one.',
      ],
    ],
    [
      'undefined in the tokens of a factory',
      { providers: [{ provide: 'made', useFactory: () => 1, inject: [optional(missing)] }] },
      [
        "Entry 1 of the tokens that 'made' (in App) injects is undefined, often because its class is declared further down, or because of a circle of imports. Declare it first; in a circle, move what both modules need into a third one.",
      ],
    ],
  ] as [string, object, string[]][]) {
    test(title, () => assert.deepEqual(faultsOf(app(options)), texts))
  }

  test('an instance as a hook of a route', () => {
    @Controller('/a')
    class Things {
      @Get('/')
      @Hook('preHandler', new Guard() as never)
      index() {}
    }
    assert.deepEqual(faultsOf(app({ routes: [Things] })), [
      "App > Things.index lists an instance of Guard in @Hook('preHandler'). A hook is a function, or for requests a class with a method preHandler: list the class.",
    ])
  })

  test('undefined as the application', async () => {
    const text =
      /The wiring of undefined .* is wrong:\n {2}- undefined \(a class used before .*\) is not a plugin, so it cannot be the application\. Write @Plugin/
    await assert.rejects(bootstrap(missing), text)
    await assert.rejects(testServer(missing), text)
    assert.throws(() => check(missing), text)
    await assert.rejects(testServer(missing, { provide: [['a', 1]] }), /Test imports undefined \(a class used before/)
  })
})

describe('an entry of throws that is not a class of errors is a fault with place and cure:', () => {
  class NoStatus extends HttpError {}
  class Taken extends httpError(404, { message: { type: 'string' } }) {}
  const example = 'Write class NoSuchUser extends httpError(404, { … }) {}, and list the class.'

  test('of a plugin, a controller (once) and a route', () => {
    @Controller('/users', { throws: [Error as never] })
    class UsersController {
      @Get('/') all() {}
      @Get({ path: '/:id', throws: [NoStatus as never, Taken] }) one() {}
    }
    assert.deepEqual(faultsOf(app({ throws: [missing], routes: [UsersController] })), [
      `App lists undefined (a class used before its declaration, or a circle of imports) in throws. It is not a class that extends HttpError. ${example}`,
      `App > UsersController lists Error in throws. It is not a class that extends HttpError. ${example}`,
      `App > UsersController.one lists NoStatus in throws. It has no static status from 400 to 599. ${example}`,
      "App > UsersController.one lists Taken in throws. Its schema has the member 'message', which the payload has already. Give it another name, or leave it out.",
    ])
  })

  test('of a hook class, where a plugin or a route lists it', () => {
    class Listing extends Guard {
      static readonly throws = [Taken, NoStatus]
    }
    class Alone extends Guard {
      static readonly throws = NoStatus
    }
    @Controller('/users')
    class UsersController {
      @Get('/') @Hook('onRequest', Alone) all() {}
    }
    assert.deepEqual(faultsOf(app({ hooks: { onRequest: [Listing] }, routes: [UsersController] })), [
      "App lists Taken in static throws of Listing. Its schema has the member 'message', which the payload has already. Give it another name, or leave it out.",
      `App lists NoStatus in static throws of Listing. It has no static status from 400 to 599. ${example}`,
      'App > UsersController.all lists NoStatus in static throws of Alone. Write a list: static readonly throws = [NoSuchUser].',
    ])
  })

  test('and so is a value that is not a list', () => {
    @Controller('/users', { throws: Taken as never })
    class UsersController {
      @Get({ path: '/', throws: Taken as never }) all() {}
    }
    assert.deepEqual(
      faultsOf(app({ throws: Taken, routes: [UsersController] })).map((text) => text.replace(/which is .*/, '')),
      [
        'App: @Plugin has Taken as throws, ',
        'App > UsersController: @Controller has Taken as throws, ',
        'App > UsersController.all: the route has Taken as throws, ',
      ],
    )
  })
})
