/** When a hook that is a method of a class is done: a request must neither pass a guard too early nor wait for ever. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  check,
  type Class,
  Controller,
  Get,
  Hook,
  HttpError,
  Plugin,
  Post,
  type Reply,
  REQUEST,
  type Request,
  testServer,
  type WiringError,
} from 'alcove'
import { askApp, askListening } from '../../fixtures/listening-app.js'

const deadline = { timeout: 5000 }

async function statusOf(Guard: Class): Promise<number> {
  @Controller()
  @Hook('preHandler', Guard)
  class Guarded {
    @Get('/')
    index() {
      return 'through'
    }
  }
  @Plugin({ routes: [Guarded] })
  class App {}
  await using app = await testServer(App)
  return (await app.inject('/')).statusCode
}

const later = (act: () => void) => void setTimeout(act, 20)
const refuse = () => {
  throw new HttpError(403)
}

class Returns {
  preHandler(_request: Request) {}
}
class Throws {
  preHandler() {
    refuse()
  }
}
class Replies {
  preHandler(_request: Request, reply: Reply) {
    reply.code(403).send('no')
  }
}
class RejectsLater {
  preHandler(_request: Request) {
    return Promise.resolve().then(refuse)
  }
}
class CallsDoneLater {
  preHandler(_request: Request, _reply: Reply, done: (error: Error) => void) {
    later(() => done(new HttpError(403)))
  }
}
// Its `length` does not show that it calls `done`.
class CallsDoneByRest {
  preHandler(...all: any[]) {
    later(() => all[2](new HttpError(403)))
  }
}
// Three dots that are not a rest parameter.
class Spreads {
  preHandler({ headers: { host, ...others } }: Request, _reply: Reply, all = Object.keys({ ')': `${host})`, ...others })) {
    if ([...all, { ...others }, '...'].length === 0) refuse()
  }
}
class SpreadsAsArrow {
  preHandler(_request: Request) {}
}
SpreadsAsArrow.prototype.preHandler = (request) => void [...Object.keys(request.headers), '...']
class Catches {
  preHandler(_request: Request, ...[, done]: any[]) {
    later(() => done(new HttpError(403)))
  }
}
class RequestScoped {
  static readonly inject = [REQUEST] as const
  constructor(private readonly request: Request) {}
  preHandler(_request: Request) {
    if (this.request.headers['x-key'] === undefined) refuse()
  }
}

describe('a guard class', () => {
  for (const [Guard, status] of [
    [Returns, 200],
    [Throws, 403],
    [Replies, 403],
    [RejectsLater, 403],
    [CallsDoneLater, 403],
    [CallsDoneByRest, 403],
    [Catches, 403],
    [Spreads, 200],
    [SpreadsAsArrow, 200],
    [RequestScoped, 403],
  ] as const) {
    test(`${Guard.name}: ${status}`, deadline, async () => {
      assert.equal(await statusOf(Guard), status)
    })
  }
})

test('a synchronous method that returns a payload hands it on', deadline, async () => {
  @Controller()
  class Plain {
    @Get('/')
    index() {
      return { n: 1 }
    }
  }
  @Plugin({ routes: [Plain] })
  class App {
    @Hook('preSerialization')
    wrap(_request: Request, _reply: Reply, payload: unknown) {
      return { data: payload }
    }
    @Hook('onSend')
    look(_request: Request, _reply: Reply, _payload: unknown) {}
  }
  await using app = await testServer(App)
  assert.equal((await app.inject('/')).body, '{"data":{"n":1}}')
})

describe('a function among the hooks of a class', () => {
  const refuseWithoutKey = (request: Request): void => {
    if (request.headers['x-key'] === undefined) refuse()
  }
  for (const [title, hook, status] of [
    ['that takes no done is done when it returns', (_request: Request) => {}, 200],
    ['that takes no done may throw', refuseWithoutKey, 403],
    [
      'may call done later',
      (_request: Request, _reply: Reply, done: (error?: Error) => void) => later(() => done(new HttpError(403))),
      403,
    ],
    [
      'may have a default in the place of done',
      (_request: Request, _reply: Reply, done: (error?: Error) => void = () => {}) => later(() => done(new HttpError(403))),
      403,
    ],
    ['may have a rest parameter', (...all: any[]) => later(() => all[2](new HttpError(403))), 403],
    ['may be asynchronous', async (_request: Request) => refuse(), 403],
    ['may reply', (_request: Request, reply: Reply) => reply.code(403).send('no'), 403],
    ['may return a reply of 204', (_request: Request, reply: Reply) => reply.code(204), 204],
  ] as const) {
    for (const name of ['onRequest', 'preHandler'] as const) {
      test(`${title} (${name})`, async () => {
        @Controller()
        class Open {
          @Get('/own')
          @Hook(name, hook as never)
          own() {
            return 'through'
          }
          @Get('/')
          index() {
            return 'through'
          }
        }
        assert.equal((await askListening({ routes: [Open] }, '/own')).status, status)
        assert.equal((await askListening({ routes: [Open], hooks: { [name]: hook } })).status, status)
      })
    }
  }

  test('has `this` of the server and keeps its name', async () => {
    const seen: unknown[] = []
    const routes: string[] = []
    @Controller()
    class Open {
      @Get('/')
      index() {
        return 'through'
      }
    }
    function look(this: any): void {
      seen.push(this.prefix)
    }
    await askListening({
      routes: [Open],
      hooks: { preHandler: look, onRoute: (options: any) => void routes.push(options.url), onReady: (done: () => void) => done() },
    })
    assert.deepEqual([seen, routes], [[''], ['/', '/']])
  })

  test('must not be asynchronous and take done', async () => {
    await assert.rejects(askListening({ hooks: { preHandler: (async (_a: unknown, _b: unknown, _done: unknown) => {}) as never } }), {
      code: 'ALC_ERR_WIRING',
      message: /The preHandler hook preHandler of App is async and also takes done/,
    })
  })

  test('must not be a generator, whose code would never run', () => {
    class Guard {
      *preHandler() {
        yield 'nobody asks for this'
      }
    }
    class InClass {
      @Hook('onRequest')
      async *guard() {
        yield 'nor for this'
      }
    }
    Plugin({ hooks: { preHandler: Guard } })(InClass)
    assert.throws(
      () => check(InClass),
      ({ faults }: WiringError) => {
        assert.deepEqual(
          faults.map(({ code, place }) => [code, place]),
          [
            ['HOOK_GENERATOR', 'InClass.guard'],
            ['HOOK_GENERATOR', 'InClass'],
          ],
        )
        return true
      },
    )
  })
})

describe('a hook of a class that returns false', () => {
  class Sync {
    preHandler(): any {
      return false
    }
  }
  class Async {
    async preHandler(_request: Request): Promise<any> {
      return Promise.resolve(false)
    }
  }
  class WithDone {
    preHandler(_request: Request, _reply: Reply, _done: () => void): any {
      return false
    }
  }
  class Scoped extends Sync {
    static readonly inject = [REQUEST] as const
  }
  for (const [title, hook] of [
    ['a class', Sync],
    ['an asynchronous class', Async],
    ['a class that takes done', WithDone],
    ['a request-scoped class', Scoped],
    ['a function', () => false],
    ['an asynchronous function', async () => Promise.resolve(false)],
    ['a function that takes done', (_request: Request, _reply: Reply, _done: () => void) => false],
  ] as const) {
    test(`${title} on a route lets no request through: 500, and the log says what to write`, async () => {
      let isReached = false
      @Controller()
      class Guarded {
        @Get('/')
        @Hook('preHandler', hook as never)
        index() {
          isReached = true
        }
      }
      const { status, body, errors } = await askListening({ routes: [Guarded] })
      assert.deepEqual([status, JSON.parse(body).message, isReached], [500, 'Internal Server Error', false])
      assert.equal(errors.length, 1)
      assert.match(
        errors[0]!,
        /^The preHandler hook .* of App > Guarded\.index returned false, which does not refuse the request\. Throw new HttpError\(403\)/,
      )
    })
  }

  for (const name of ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const) {
    test(`in a plugin refuses as well: ${name}`, async () => {
      @Controller()
      class Open {
        @Post('/')
        index() {
          return 'through'
        }
      }
      class Guard {}
      Object.assign(Guard.prototype, { [name]: () => false })
      class App {
        check(): any {
          return false
        }
      }
      Plugin({ routes: [Open] })(App)
      Hook(name)(App.prototype, 'check')
      for (const seen of [
        await askListening({ routes: [Open], hooks: { [name]: Guard } }, '/', { method: 'POST' }),
        await askApp(App, '/', { method: 'POST' }),
      ]) {
        assert.equal(seen.status, 500)
        assert.match(seen.errors[0]!, new RegExp(`^The ${name} hook (Guard\\.${name} of App|App\\.check) returned false`))
      }
    })
  }

  for (const name of ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const) {
    test(`or an error refuses the request with this error: ${name}`, async () => {
      @Controller()
      class Open {
        @Post('/')
        index() {
          return 'through'
        }
      }
      const refuse = (): any => new HttpError(401, 'who are you?')
      class Guard {}
      Object.assign(Guard.prototype, { [name]: async () => Promise.resolve(refuse()) })
      for (const hook of [refuse, async () => Promise.resolve(refuse()), Guard]) {
        const { status, body } = await askListening({ routes: [Open], hooks: { [name]: hook } }, '/', { method: 'POST' })
        assert.deepEqual([status, JSON.parse(body).message], [401, 'who are you?'])
      }
    })
  }

  for (const name of ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const) {
    test(`or a Response refuses the request, and the log says what to write: ${name}`, async () => {
      @Controller()
      class Open {
        @Post('/')
        index() {
          return 'through'
        }
      }
      const refuse = (): any => new Response('no', { status: 401 })
      class Guard {}
      Object.assign(Guard.prototype, { [name]: async () => Promise.resolve(refuse()) })
      for (const hook of [refuse, async () => Promise.resolve(refuse()), Guard]) {
        const { status, errors } = await askListening({ routes: [Open], hooks: { [name]: hook } }, '/', { method: 'POST' })
        assert.equal(status, 500)
        assert.match(errors[0]!, new RegExp(`^The ${name} hook .* of App returned a Response, which does not refuse the request`))
      }
    })
  }

  test('may return the Response that it has sent', async () => {
    @Controller()
    class Open {
      @Get('/')
      index() {
        return 'through'
      }
    }
    const send = (_request: Request, reply: Reply): any => {
      const response = new Response('no', { status: 401 })
      reply.send(response)
      return response
    }
    for (const preHandler of [send, async (request: Request, reply: Reply) => Promise.resolve(send(request, reply))]) {
      const { status, body, errors } = await askListening({ routes: [Open], hooks: { preHandler } })
      assert.deepEqual([status, body, errors], [401, 'no', []])
    }
  })

  test('may return true, and a hook of the payload may return false', async () => {
    @Controller()
    class Open {
      @Get('/')
      index() {
        return { n: 1 }
      }
    }
    const seen = await askListening({
      routes: [Open],
      hooks: { preHandler: async () => Promise.resolve(true), preSerialization: () => false },
    })
    assert.deepEqual([seen.status, seen.body], [200, 'false'])
  })
})
