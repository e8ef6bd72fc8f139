/** Classes in the place of error handlers, not-found handlers, schema error formatters and body parsers. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import {
  bootstrap,
  type Class,
  Controller,
  type ErrorHandler,
  factory,
  Get,
  HttpError,
  Injectable,
  type InjectedContentTypeParser,
  type InjectedErrorHandler,
  type InjectedNotFoundHandler,
  type InjectedSchemaErrorFormatter,
  Plugin,
  type PluginOptions,
  Post,
  type Reply,
  REQUEST,
  type Request,
  type SchemaErrorDetail,
  shared,
  token,
} from 'alcove'
import { builds } from '../../fixtures/both-builds.js'
import { askApp, askListening } from '../../fixtures/listening-app.js'
import * as own from '../../fixtures/standard/handler-classes.js'

for (const { name, load } of builds) {
  test(`classes answer errors and unknown paths, name failed validations and parse bodies, with private providers (${name})`, async () => {
    const { App } = await load<typeof own>('handler-classes', own)
    const ask = async (path: string, init?: RequestInit): Promise<[number, string]> => {
      const { status, body } = await askApp(App, path, init)
      return [status, body]
    }
    assert.deepEqual(await ask('/api/fails'), [418, 'said failed'])
    assert.deepEqual(await ask('/api/own'), [200, '/api/own: failed'])
    assert.deepEqual(await ask('/api/checked'), [418, 'said said querystring required'])
    assert.deepEqual(await ask('/api/nowhere'), [404, 'nothing at /api/nowhere'])
    const csv = { method: 'POST', body: 'a,b', headers: { 'content-type': 'text/csv' } }
    assert.deepEqual(await ask('/api/csv', csv), [200, '{"body":["said a","said b"]}'])
    assert.equal((await ask('/nowhere'))[0], 404)
  })
}

@Controller()
class Fails {
  @Get()
  fail() {
    throw new HttpError(409, 'taken')
  }
}

/** The token of a value that exists only later in each request. */
const SLOW = token<string>('SLOW')
const slow = factory(SLOW, [], async () => delay(5, 'slow'), { scope: 'request' })
const eager = factory(SLOW, [], () => 'eager', { scope: 'request' })
const kept = factory(SLOW, [], () => 'kept')

for (const [title, provider, said] of [
  ['lives as long as its context', kept, 'kept'],
  ['is request-scoped', eager, 'eager'],
  ['is request-scoped and depends on a promise', slow, 'slow'],
] as const) {
  describe(`a handler class that ${title}`, () => {
    const base = (): Class<{ text: string }> => {
      class Base {
        static readonly inject = [SLOW] as const
        constructor(readonly text: string) {}
      }
      return Base
    }
    const ask = (options: PluginOptions, path = '/', init?: RequestInit) =>
      askListening({ providers: [provider], routes: [Fails], ...options }, path, init)

    test('answers with what its error handler returns', async () => {
      class Errors extends base() {
        errorHandler(error: Error) {
          return { error: error.message, text: this.text }
        }
      }
      assert.deepEqual(await ask({ errorHandler: Errors }), { status: 200, body: `{"error":"taken","text":"${said}"}`, errors: [] })
    })
    test('passes the error on if its error handler takes no reply and returns nothing', async () => {
      class Errors extends base() {
        errorHandler() {}
      }
      assert.equal((await ask({ errorHandler: Errors })).status, 409)
      class Later extends base() {
        async errorHandler() {
          await delay(1)
        }
      }
      assert.equal((await ask({ errorHandler: Later })).status, 409)
    })
    test('passes an error on by throwing it', async () => {
      class Errors extends base() {
        errorHandler(error: Error) {
          throw error
        }
      }
      assert.equal((await ask({ errorHandler: Errors })).status, 409)
    })
    test('may reply later if it takes the reply', async () => {
      class Errors extends base() {
        errorHandler(_error: Error, _request: Request, reply: Reply) {
          setTimeout(() => reply.code(418).send(this.text), 10)
        }
        notFoundHandler(_request: Request, reply: Reply) {
          setTimeout(() => reply.code(404).send(this.text), 10)
        }
      }
      const { status, body } = await ask({ errorHandler: Errors, notFoundHandler: Errors })
      assert.deepEqual([status, body], [418, said])
      const missing = await ask({ errorHandler: Errors, notFoundHandler: Errors }, '/nowhere')
      assert.deepEqual([missing.status, missing.body], [404, said])
    })
    test('is answered if its not-found handler returns nothing, or a reply without a body', async () => {
      class Nothing extends base() {
        notFoundHandler() {}
      }
      assert.equal((await ask({ notFoundHandler: Nothing }, '/nowhere')).body, '')
      class NoContent extends base() {
        notFoundHandler(_request: Request, reply: Reply) {
          return reply.code(204)
        }
      }
      assert.equal((await ask({ notFoundHandler: NoContent }, '/nowhere')).status, 204)
    })
    for (const [form, parse] of [
      ['returns the body', (text: string) => [text]],
      ['returns a promise of it', async (text: string) => delay(1, [text])],
    ] as const) {
      test(`parses a body if its parser ${form}`, async () => {
        class Parser extends base() {
          parse(_request: Request, text: string) {
            return parse(`${text} ${this.text}`)
          }
        }
        assert.equal((await post(provider, Parser)).body, `{"body":["a,b ${said}"]}`)
      })
    }
    test('parses a body if its parser calls done', async () => {
      class Parser extends base() {
        parse(_request: Request, text: string, done: (error: Error | null, body?: unknown) => void) {
          setTimeout(() => done(null, [text, this.text]), 5)
        }
      }
      assert.equal((await post(provider, Parser)).body, `{"body":["a,b","${said}"]}`)
    })
    test('refuses a body if its parser throws', async () => {
      class Parser extends base() {
        parse() {
          throw new HttpError(422, this.text)
        }
      }
      const { status, body } = await post(provider, Parser)
      assert.deepEqual([status, body.includes(said)], [422, true])
    })
  })
}

@Controller()
class Echo {
  @Post()
  echo({ body }: Request) {
    return { body }
  }
}

function post(
  provider: object,
  parse: Class<InjectedContentTypeParser> | NonNullable<PluginOptions['contentTypeParsers']>[number]['parse'],
) {
  return askListening(
    { providers: [provider as never], routes: [Echo], contentTypeParsers: [{ type: 'text/csv', parseAs: 'string', parse }] },
    '/',
    { method: 'POST', body: 'a,b', headers: { 'content-type': 'text/csv' } },
  )
}

test('a function that parses a body and takes no done is complete when it returns', async () => {
  assert.deepEqual(await post(kept, (_request: Request, text: string) => text.split(',')), {
    status: 200,
    body: '{"body":["a","b"]}',
    errors: [],
  })
})

test('a request-scoped handler class shares its instances with the handler of the request', async () => {
  let made = 0
  @Injectable({ scope: 'request' })
  class Unit {
    readonly number = ++made
  }
  class Errors {
    static readonly inject = [Unit] as const
    constructor(private readonly unit: Unit) {}
    errorHandler(error: Error) {
      return `${error.message} ${this.unit.number}`
    }
  }
  @Controller()
  class Failing {
    static readonly inject = [Unit] as const
    constructor(private readonly unit: Unit) {}
    @Get()
    fail() {
      throw new Error(String(this.unit.number))
    }
  }
  assert.equal((await askListening({ providers: [Unit], routes: [Failing], errorHandler: Errors })).body, '1 1')
})

describe('one class', () => {
  class All implements InjectedErrorHandler, InjectedNotFoundHandler, InjectedSchemaErrorFormatter, InjectedContentTypeParser {
    static made = 0
    constructor() {
      All.made++
    }
    errorHandler(error: Error, _request: Request, reply: Reply) {
      return reply.code(418).send(error.message)
    }
    notFoundHandler() {
      return 'nowhere'
    }
    schemaErrorFormatter(errors: SchemaErrorDetail[]) {
      return new Error(String(errors.length))
    }
    parse(_request: Request, payload: string) {
      return { payload }
    }
    preHandler() {}
  }
  const options = (): PluginOptions => ({
    routes: [Fails],
    errorHandler: All,
    notFoundHandler: All,
    schemaErrorFormatter: All,
    contentTypeParsers: [{ type: '*', parseAs: 'string', parse: All }],
    hooks: { preHandler: All },
  })
  test('has one instance in a plugin, whatever it is used for', async () => {
    All.made = 0
    await askListening(options())
    assert.equal(All.made, 1)
  })
  test('that is a visible provider is that provider, ended once', async () => {
    let ended = 0
    class Ending extends All {
      dispose() {
        ended++
      }
    }
    All.made = 0
    await askListening({ ...options(), providers: [{ provide: All, useClass: Ending }] })
    assert.deepEqual([All.made, ended], [1, 1])
  })
})

describe('error handlers of several contexts', () => {
  const errors = (name: string, passesOn: boolean): Class<InjectedErrorHandler> => {
    class Named {
      errorHandler(error: Error, _request: Request, reply: Reply) {
        const seen = `${error.message} ${name}`
        if (passesOn) throw new HttpError(418, seen)
        return reply.code(418).send(seen)
      }
    }
    return Named
  }
  const make = (outer: ErrorHandler | Class<InjectedErrorHandler>): Class => {
    @Plugin({ errorHandler: errors('shared', true) })
    class Sharing {}
    @Plugin({ routes: [Fails], errorHandler: errors('inner', true) })
    class Inner {}
    @Plugin({ errorHandler: outer, imports: [shared(Sharing), Inner] })
    class App {}
    return App
  }
  test('run from the nearest outwards, classes and functions alike', async () => {
    assert.equal((await askApp(make(errors('outer', false)))).body, 'taken inner shared outer')
    const handler: ErrorHandler = (error: Error, _request, reply) => reply.send(`${error.message} function`)
    assert.equal((await askApp(make(handler))).body, 'taken inner shared function')
  })
  test('of a controller and a route: that of the route counts, and passes on to those of the plugins', async () => {
    @Controller('/', { errorHandler: errors('controller', true) })
    class Both {
      @Get({ path: '/route', errorHandler: errors('route', true) })
      route() {
        throw new Error('bad')
      }
      @Get('/controller')
      controller() {
        throw new Error('bad')
      }
    }
    const options = { routes: [Both], errorHandler: errors('plugin', false) }
    assert.equal((await askListening(options, '/route')).body, 'bad route plugin')
    assert.equal((await askListening(options, '/controller')).body, 'bad controller plugin')
  })
})

test('a formatter of a route takes the place of that of its plugin', async () => {
  class Formatter {
    schemaErrorFormatter(_errors: SchemaErrorDetail[], part: string) {
      return new Error(`wrong ${part}`)
    }
  }
  @Controller()
  class Strict {
    @Get({ path: '/', schemaErrorFormatter: Formatter }, { querystring: { type: 'object', required: ['q'] } })
    find() {}
  }
  const { status, body } = await askListening({ routes: [Strict], schemaErrorFormatter: () => new Error('of the plugin') })
  assert.deepEqual([status, body.includes('wrong querystring')], [400, true])
})

test('a handler class that cannot be constructed in a request leaves the error to the next error handler, with its own error', async () => {
  @Injectable({ scope: 'request' })
  class Broken {
    static readonly inject = [REQUEST] as const
    constructor(request: Request) {
      throw new HttpError(503, `no unit for ${request.url}`)
    }
  }
  class Errors {
    static readonly inject = [Broken] as const
    constructor(readonly broken: Broken) {}
    errorHandler() {
      return 'never'
    }
  }
  const { status } = await askListening({ providers: [Broken], routes: [Fails], errorHandler: Errors })
  assert.equal(status, 503)
})

test('a handler class whose dependencies come after the request was answered does not run', async () => {
  let finish = (_value: string): void => {}
  const late = new Promise<string>((resolve) => (finish = resolve))
  let ran = false
  class NotFound {
    static readonly inject = [SLOW] as const
    constructor(readonly text: string) {}
    notFoundHandler() {
      ran = true
    }
  }
  @Plugin({ providers: [factory(SLOW, [], () => late, { scope: 'request' })], notFoundHandler: NotFound })
  class App {}
  const server = await bootstrap(App, { handlerTimeout: 20, forceCloseConnections: true })
  const address = await server.listen({ port: 0 })
  try {
    assert.equal((await fetch(`${address}/nowhere`)).status, 503)
    finish('late')
    await delay(5)
    assert.equal(ran, false)
  } finally {
    await server.close()
  }
})
