/** Hooks that surround a handler: their order, their results, and how often the handler runs. */
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, test } from 'node:test'
import {
  bootstrap,
  check,
  type Class,
  Controller,
  explain,
  Get,
  Hook,
  HttpError,
  Injectable,
  type Next,
  Plugin,
  Post,
  type Reply,
  REQUEST,
  type Request,
  Route,
  shared,
  use,
} from 'alcove'
import { builds } from '../../fixtures/both-builds.js'
import { askApp, askListening } from '../../fixtures/listening-app.js'
import * as ownAround from '../../fixtures/standard/around.js'

const wrap = (name: string): Class<{ around(request: Request, next: Next): Promise<unknown> }> =>
  class {
    async around(_request: Request, next: Next) {
      return `${name}(${String(await next())})`
    }
  }
const Outer = wrap('outer')
const Inner = wrap('inner')
const OnRoute = wrap('route')
const OnController = wrap('controller')

for (const { name, load } of builds) {
  test(`a class surrounds the handlers of a plugin, of a controller and of one method (${name})`, async () => {
    const { App, log } = await load<typeof ownAround>('around', ownAround)
    log.length = 0
    assert.deepEqual(await askApp(App, '/users'), { status: 200, body: '{"users":["Ada"]}', errors: [] })
    assert.deepEqual(log, ['preHandler', 'begin', 'handler', 'commit'])
  })
}

describe('the order of around hooks', () => {
  @Controller('/')
  @Hook('around', OnController)
  class Things {
    @Get('/')
    @Hook('around', OnRoute)
    sync() {
      return 'handler'
    }
  }
  class Sharing {}
  Plugin({ hooks: { around: wrap('shared') }, shared: true })(Sharing)
  @Controller('/others')
  class Others {
    @Get()
    all() {
      return []
    }
  }
  class Sibling {}
  Plugin({ hooks: { around: wrap('sibling') }, routes: [Others] })(Sibling)
  class Below {
    @Hook('around')
    async method(_request: Request, next: Next) {
      return `method(${String(await next())})`
    }
  }
  Plugin({ hooks: { around: [Inner] }, routes: [Things] })(Below)
  const options = { hooks: { around: [Outer, async (_request: Request, next: Next) => `function(${String(await next())})`] } }

  test('is: ancestors, what imports share, the plugin, its methods, the controller, the method', async () => {
    const { status, body } = await askListening({ ...options, imports: [Sibling, Sharing, Below] })
    assert.deepEqual([status, body], [200, 'shared(outer(function(inner(method(controller(route(handler)))))))'])
  })

  test('is shown by explain, between preHandler and preSerialization', async () => {
    class App {}
    Plugin({ ...options, imports: [Below] })(App)
    const server = await bootstrap(App)
    assert.deepEqual(
      explain(server)
        .route('GET /')
        .hooks.map(({ hook, from }) => `${hook} ${from}`),
      ['around App', 'around App', 'around App > Below', 'around App > Below', 'around route', 'around route'],
    )
    assert.match(String(explain(server).route('GET /')), /around {2}Below\.method {2}\(App > Below\)/)
    await server.close()
  })

  test('holds for the routes of a shared import, which is loaded before the plugin whose hook surrounds them', async () => {
    const { body } = await askListening({ hooks: { around: Outer }, imports: [shared(use(Below))] })
    assert.equal(body, 'inner(method(outer(controller(route(handler)))))')
  })
})

describe('the result of an around hook', () => {
  const only = (around: (request: Request, next: Next) => any, handle: (request: Request, reply: Reply) => unknown, status = 200) => {
    class Only {
      handle(request: Request, reply: Reply) {
        return handle(request, reply)
      }
    }
    Route({ method: 'GET', path: '/', status })(Only)
    Hook('around', around)(Only)
    return askListening({ routes: [Only] })
  }

  test('is the reply with the status of the route, also if next is never called', async () => {
    let calls = 0
    const seen = await only(
      () => ({ cached: true }),
      () => calls++,
      202,
    )
    assert.deepEqual([seen.status, seen.body, calls], [202, '{"cached":true}', 0])
  })

  test('goes to the error handlers if it is an error, and so does an error of the handler, thrown or rejected', async () => {
    const pass = (_request: Request, next: Next): Promise<unknown> => next()
    const failure = (): never => {
      throw new HttpError(409, 'Sold out')
    }
    assert.equal((await only(failure, () => 'handler')).status, 409)
    assert.equal((await only(pass, failure)).status, 409)
    assert.equal((await only(pass, async () => failure())).status, 409)
    // A hook that commits, or keeps the result, must not take a returned error for a result.
    const refuse = (): unknown => new HttpError(409, 'Sold out')
    const results: unknown[] = []
    const keep = async (_request: Request, next: Next): Promise<unknown> => {
      const result = await next()
      results.push(result)
      return result
    }
    for (const handler of [refuse, async () => refuse()]) assert.equal((await only(keep, handler)).status, 409)
    assert.deepEqual(results, [])
    const rescue = (_request: Request, next: Next): Promise<unknown> => next().catch(({ message }: Error) => message)
    for (const handler of [failure, refuse]) assert.equal((await only(rescue, handler)).body, 'Sold out')
  })

  test('is answered with 500 if it is nothing and the result of the handler would be lost', async () => {
    const forgetting = async (_request: Request, next: Next): Promise<unknown> => void (await next())
    const seen = await only(forgetting, () => 'handler')
    assert.equal(seen.status, 500)
    assert.match(seen.body, /ALC_ERR_AROUND_RETURNED_NOTHING/)
    assert.match(seen.errors[0]!, /^forgetting of App > Only returned nothing.* Write return next\(\), or return an empty text/)
    assert.equal(
      (
        await only(
          (_request, next) => void next(),
          async () => delay(20, 'late'),
        )
      ).status,
      500,
    )
  })

  test('is answered with 500 if it is nothing after an error of the handler, unless a further attempt succeeds', async () => {
    const swallowing = async (_request: Request, next: Next): Promise<void> => void (await next().catch(() => undefined))
    const failure = (): never => {
      throw new HttpError(409, 'Sold out')
    }
    for (const handler of [failure, async () => failure(), () => new HttpError(409)]) {
      const seen = await only(swallowing, handler)
      assert.equal(seen.status, 500)
      assert.match(seen.body, /ALC_ERR_AROUND_RETURNED_NOTHING/)
    }
    class Flaky {
      attempts = 0
      handle(): void {
        if (this.attempts++ === 0) failure()
      }
    }
    Route({ method: 'GET', path: '/' })(Flaky)
    Hook('around', async (_request: Request, next: Next): Promise<unknown> => next().catch(() => next()))(Flaky)
    assert.equal((await askListening({ routes: [Flaky] })).status, 200)
    const typed = (_request: Request, next: Next): Promise<unknown> => next().catch(() => '')
    assert.equal((await only(typed, failure)).status, 200)
  })

  test('may be an empty text, which is an empty reply', async () => {
    const emptying = async (_request: Request, next: Next): Promise<unknown> => {
      await next()
      return ''
    }
    const seen = await only(emptying, () => 'handler')
    assert.deepEqual([seen.status, seen.body], [200, ''])
  })

  test('may be nothing if the handler returns nothing, or if next is not called', async () => {
    class Quiet {
      handle() {}
    }
    Route({ method: 'GET', path: '/', status: 204 })(Quiet)
    Hook('around', async (_request: Request, next: Next) => next())(Quiet)
    assert.deepEqual(await askListening({ routes: [Quiet] }), { status: 204, body: '', errors: [] })
    assert.deepEqual(
      await only(
        () => undefined,
        () => 'handler',
        202,
      ),
      { status: 202, body: '', errors: [] },
    )
    assert.deepEqual(
      await only(
        (_request, next) => next(),
        (_request, reply) => reply.code(204),
      ),
      { status: 204, body: '', errors: [] },
    )
  })

  test('is not used after the handler has replied itself, at once or later', async () => {
    const mapping = async (_request: Request, next: Next): Promise<unknown> => ({ data: await next() })
    for (const handle of [
      (_request: Request, reply: Reply) => reply.code(404).send('missing'),
      async (_request: Request, reply: Reply) => reply.code(404).send('missing'),
      (_request: Request, reply: Reply) => void setTimeout(() => reply.code(404).send('missing'), 20),
    ]) {
      assert.deepEqual(await only(mapping, handle), { status: 404, body: 'missing', errors: [] })
    }
  })
})

describe('next', () => {
  const retry = async (_request: Request, next: Next): Promise<unknown> => {
    for (let left = 2; ; left--) {
      try {
        return await next()
      } catch (error) {
        if (left === 0) throw error
      }
    }
  }

  test('may be called again', async () => {
    let calls = 0
    @Route({ method: 'GET', path: '/' })
    @Hook('around', retry)
    class Flaky {
      handle() {
        if (++calls < 3) throw new Error('deadlock')
        return `call ${calls}`
      }
    }
    assert.equal((await askListening({ routes: [Flaky] })).body, 'call 3')
  })

  test('does not call a handler again that has replied', async () => {
    let calls = 0
    @Route({ method: 'GET', path: '/' })
    @Hook('around', retry)
    class Replying {
      async handle(_request: Request, reply: Reply) {
        calls++
        reply.send('first')
        throw new Error('after the reply')
      }
    }
    const { status, body, errors } = await askListening({ routes: [Replying] })
    assert.deepEqual([status, body, calls], [200, 'first', 1])
    assert.deepEqual(errors, ['Promise errored, but reply.sent = true was set'])
  })

  test('is a promise that may lose a race: its later failure is logged, and the request-scoped instances live until then', async () => {
    const seen: string[] = []
    @Injectable({ scope: 'request' })
    class Connection {
      isOpen = true
      dispose() {
        this.isOpen = false
        seen.push('disposed')
      }
    }
    @Controller('/')
    class Slow {
      static readonly inject = [Connection] as const
      constructor(private readonly connection: Connection) {}
      @Get('/')
      @Hook('around', (_request: Request, next: Next) => Promise.race([next(), delay(10, 'too slow')]))
      async slow() {
        await delay(60)
        seen.push(`open: ${this.connection.isOpen}`)
        throw new Error('late')
      }
    }
    const errors: string[] = []
    const stream = { write: (line: string) => void errors.push((JSON.parse(line) as { msg: string }).msg) }
    class App {}
    Plugin({ providers: [Connection], routes: [Slow] })(App)
    const server = await bootstrap(App, { logger: { level: 'error', stream } })
    const reply = await fetch(await server.listen({ port: 0 }))
    assert.equal(await reply.text(), 'too slow')
    while (!seen.includes('disposed')) await delay(5)
    await server.close()
    assert.deepEqual(seen, ['open: true', 'disposed'])
    assert.equal(errors.length, 1)
    assert.match(errors[0]!, /App > Slow\.slow.* failed after the hook had ended/)
  })

  test('runs the handler in the async context that the hook opens', async () => {
    const store = new AsyncLocalStorage<string>()
    @Controller('/')
    class Reading {
      @Post('/')
      async read() {
        await delay(1)
        return store.getStore()
      }
    }
    const { body } = await askListening(
      { hooks: { around: (request: Request, next: Next) => store.run(String(request.headers['x-id']), next) }, routes: [Reading] },
      '/',
      { method: 'POST', headers: { 'x-id': 'seven' } },
    )
    assert.equal(body, 'seven')
  })
})

test('a request-scoped around hook shares its instances with the handler', async () => {
  @Injectable({ scope: 'request' })
  class Unit {
    static readonly inject = [REQUEST] as const
    readonly done: string[] = []
    constructor(readonly request: Request) {}
  }
  class Working {
    static readonly inject = [Unit] as const
    constructor(private readonly unit: Unit) {}
    async around(_request: Request, next: Next) {
      this.unit.done.push('begin')
      await next()
      return [...this.unit.done, 'commit']
    }
  }
  @Route({ method: 'GET', path: '/' })
  class Work {
    static readonly inject = [Unit] as const
    constructor(private readonly unit: Unit) {}
    handle() {
      this.unit.done.push('handler')
      return 1
    }
  }
  const Later = {
    provide: Unit,
    useFactory: async (request: Request) => delay(5, new Unit(request)),
    inject: [REQUEST],
    scope: 'request',
  } as const
  for (const provider of [Unit, Later]) {
    const { body } = await askListening({ providers: [provider], hooks: { around: Working }, routes: [Work] })
    assert.equal(body, '["begin","handler","commit"]')
  }
})

test('what cannot surround a handler is a fault', () => {
  class Empty {}
  @Controller('/')
  @Hook('around', Empty as never)
  class Things {
    @Get('/')
    @Hook('around', {} as never)
    get() {}
    @Hook('around', Outer)
    helper() {}
  }
  class Service {
    @Hook('around', Outer)
    method() {}
  }
  class App {}
  Plugin({ hooks: { around: [5 as never] }, routes: [Things], providers: [Service] })(App)
  Hook('around', Outer)(App)
  assert.throws(
    () => check(App),
    ({ message }: Error) => {
      assert.match(message, /App > Things\.get runs Empty as around hook, but the class has no method around\(request, next\)/)
      assert.match(
        message,
        /App > Things\.get lists Object in @Hook\('around'\)\. A hook is a function, or for requests a class with a method around/,
      )
      assert.match(message, /App lists 5 in hooks\.around\./)
      assert.match(message, /App has @Hook\('around', …\) with a function.* hooks: \{ around: … \}/)
      assert.match(message, /App > Things\.helper has @Hook, which has no effect there/)
      assert.match(message, /App > Service\.method has @Hook, which has no effect there/)
      return true
    },
  )
})
