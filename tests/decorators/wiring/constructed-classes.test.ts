/** Classes in the place of error handlers, not-found handlers, formatters and parsers: the proof of their wiring. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Class, Config, Controller, Get, Injectable, Plugin, REQUEST, type Request } from 'alcove'
import { messagesOf } from '../../fixtures/applications.js'

class AuditLog {}
class ApiErrors {
  static readonly inject = [AuditLog] as const
  constructor(readonly log: AuditLog) {}
  errorHandler(error: Error) {
    throw error
  }
}
class Empty {}

function app(options: object, imports: readonly Class[] = []): Class {
  class Api {}
  Plugin(options)(Api)
  @Plugin({ imports: [Api, ...imports] })
  class App {}
  return App
}

/** A controller with one route, with options of each. */
function controller(ofController: object, ofRoute: object): Class {
  class Things {
    index() {}
    other() {}
  }
  Controller('/', ofController)(Things)
  for (const member of ['index', 'other'] as const)
    Get({ path: `/${member}`, ...(member === 'index' && ofRoute) })(Things.prototype, member, undefined)
  return Things
}

describe('what is neither a function nor a class with the method is a fault with place and cure:', () => {
  const undefinedName = 'undefined (a class used before its declaration, or a circle of imports)'
  for (const [title, options, texts] of [
    [
      'an instance',
      { errorHandler: new ApiErrors(new AuditLog()) },
      [
        'App > Api has an instance of ApiErrors as errorHandler. Write a function, or a class with a method errorHandler(error, request, reply).',
      ],
    ],
    [
      'undefined',
      { notFoundHandler: undefined },
      [`App > Api has ${undefinedName} as notFoundHandler. Write a function, or a class with a method notFoundHandler(request, reply).`],
    ],
    [
      'a parser that is forgotten',
      { contentTypeParsers: [{ type: 'text/csv' }] },
      [
        `App > Api has ${undefinedName} as parse of contentTypeParsers. Write a function, or a class with a method parse(request, payload).`,
      ],
    ],
    [
      'classes without the methods',
      { errorHandler: Empty, notFoundHandler: Empty, schemaErrorFormatter: Empty, contentTypeParsers: [{ type: '*', parse: Empty }] },
      [
        'App > Api names Empty in errorHandler, but the class has no method errorHandler(error, request, reply). Give its method this name.',
        'App > Api names Empty in notFoundHandler, but the class has no method notFoundHandler(request, reply). Give its method this name.',
        'App > Api names Empty in schemaErrorFormatter, but the class has no method schemaErrorFormatter(errors, dataVar). Give its method this name.',
        'App > Api names Empty in contentTypeParsers, but the class has no method parse(request, payload). Give its method this name.',
      ],
    ],
    [
      'options of a controller, named once, and of a route',
      { routes: [controller({ errorHandler: Empty }, { schemaErrorFormatter: 1 })] },
      [
        'App > Api > Things names Empty in errorHandler, but the class has no method errorHandler(error, request, reply). Give its method this name.',
        'App > Api > Things.index has 1 as schemaErrorFormatter. Write a function, or a class with a method schemaErrorFormatter(errors, dataVar).',
      ],
    ],
  ] as [string, object, string[]][]) {
    test(title, () => assert.deepEqual(messagesOf(app(options)), texts))
  }
})

describe('the dependencies of a handler class are proved like those of a hook class:', () => {
  test('one that no plugin provides', () => {
    assert.deepEqual(messagesOf(app({ errorHandler: ApiErrors })), [
      'ApiErrors (in App > Api) asks for AuditLog, which no plugin provides. Add it to the providers of Api or of an ancestor.',
    ])
  })
  test('one that the plugin does not see', () => {
    @Plugin({ providers: [AuditLog] })
    class Audit {}
    assert.deepEqual(messagesOf(app({ routes: [controller({}, { errorHandler: ApiErrors })] }, [Audit])), [
      'ApiErrors (in App > Api) asks for AuditLog, which is not visible there. It is provided in App > Audit. Provide it in Api or an ancestor, or share that plugin: write imports: [shared(Audit)] in App.',
    ])
  })
  test('one that is private to another plugin', () => {
    @Plugin({ providers: [AuditLog], private: [AuditLog], shared: true })
    class Audit {}
    assert.deepEqual(messagesOf(app({ contentTypeParsers: [{ type: '*', parse: ApiErrors }] }, [Audit])).slice(1), [
      'ApiErrors (in App > Api) asks for AuditLog, which is private to App > Audit. Remove it from private there, or ask for another provider of that plugin.',
    ])
  })
  test('constructor parameters whose types are not known', () => {
    class NotFound {
      constructor(readonly log: AuditLog) {}
      notFoundHandler() {}
    }
    assert.match(
      messagesOf(app({ notFoundHandler: NotFound })).join('\n'),
      /^NotFound \(in App > Api\) has a constructor argument, but its type/,
    )
  })
})

describe('a formatter', () => {
  const formatter = (inject: readonly unknown[]): Class => {
    class Issues {
      static readonly inject = inject
      constructor(readonly dependency: unknown) {}
      schemaErrorFormatter() {
        return new Error()
      }
    }
    return Issues
  }
  const text = (place: string, reason: string) =>
    `${place} has Issues as schemaErrorFormatter, but ${reason}. Return the error at once, from what lives as long as the context; do the rest in an errorHandler, where error.validation has the same details.`
  const scoped = 'each request would have its own, and a formatter gets no request'

  test('that each request would have is a fault, also of a route', () => {
    @Injectable({ scope: 'request' })
    class Current {
      static readonly inject = [REQUEST] as const
      constructor(readonly request: Request) {}
    }
    const ofRoute = controller({}, { schemaErrorFormatter: formatter([REQUEST]) })
    assert.deepEqual(messagesOf(app({ providers: [Current], schemaErrorFormatter: formatter([Current]), routes: [ofRoute] })), [
      text('App > Api', scoped),
      text('App > Api > Things.index', scoped),
    ])
  })
  test('that is asynchronous is a fault', () => {
    class Issues {
      async schemaErrorFormatter() {
        return new Error()
      }
    }
    assert.deepEqual(messagesOf(app({ schemaErrorFormatter: Issues })), [text('App > Api', 'its method is asynchronous')])
  })
})

test('a decorator that a handler class does not have is a fault, @Injectable is not', () => {
  @Injectable()
  class Allowed {
    errorHandler() {}
  }
  assert.deepEqual(messagesOf(app({ shared: true, errorHandler: Allowed })), [])
  @Config({ a: 1 })
  class Refused {
    errorHandler() {}
  }
  assert.deepEqual(messagesOf(app({ errorHandler: Refused })), [
    'App > Api > Refused has @Config, which has no effect there: the class is a handler class. It stands above a route, a controller or a method with @Get(), @Post() ….',
  ])
})
