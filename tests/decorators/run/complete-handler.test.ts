/** Handlers that return nothing, or a reply that nothing will send: clients must not wait for `handlerTimeout`. */
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { describe, test } from 'node:test'
import {
  Controller,
  Delete,
  type ErrorHandler,
  Get,
  HttpError,
  Injectable,
  Plugin,
  type Reply,
  REQUEST,
  type Request,
  Route,
  testServer,
} from 'alcove'
import { askListening } from '../../fixtures/listening-app.js'

@Injectable({ scope: 'request' })
class PerRequest {
  static readonly inject = [REQUEST] as const
  constructor(readonly request: Request) {}
}

/** Wraps a method as decorators for logs, traces and caches do. */
function Wrapped() {
  return (_prototype: object, _name: string, descriptor: TypedPropertyDescriptor<any>): void => {
    const method = descriptor.value as (...args: unknown[]) => unknown
    descriptor.value = function (this: unknown, ...args: unknown[]) {
      return method.apply(this, args)
    }
  }
}

@Controller('/one')
class Things {
  private readonly removed: string[] = []

  @Delete({ path: '/:id', status: 204 })
  remove({ params }: Request) {
    this.removed.push(String(params['id']))
  }
  @Get('/nothing')
  nothing() {}
  @Get({ path: '/accepted', status: 202 })
  accepted({ id }: Request) {
    this.removed.push(id)
  }
  @Get('/sync')
  sync(_request: Request, reply: Reply) {
    return reply.code(204)
  }
  @Get('/async')
  async async(_request: Request, reply: Reply) {
    await Promise.resolve()
    return reply.header('x-seen', 'yes').status(204)
  }
  @Get('/awaited')
  async awaited(_request: Request, reply: Reply) {
    await reply.code(204)
  }
  @Get('/later')
  later(_request: Request, reply: Reply) {
    setTimeout(() => reply.send('later'), 20)
  }
  @Get('/returned')
  returned(_request: Request, reply: Reply) {
    setTimeout(() => reply.send('returned'), 20)
    return reply
  }
  @Get('/async-returned')
  async asyncReturned(_request: Request, reply: Reply) {
    setTimeout(() => reply.code(201).send('async'), 20)
    return reply
  }
  @Get('/rest')
  rest(...[, reply]: [Request, Reply]) {
    setTimeout(() => reply.send('rest'), 20)
    return reply
  }
  @Get('/wrapped')
  @Wrapped()
  wrapped() {
    /* The word arguments in a comment means nothing. */
  }
  @Get('/wrapped-value')
  @Wrapped()
  wrappedValue({ url }: Request) {
    return url
  }
  @Get('/wrapped-sync')
  @Wrapped()
  wrappedSync(_request: Request, reply: Reply) {
    reply.send('sync')
  }
  @Get('/wrapped-later')
  @Wrapped()
  wrappedLater(_request: Request, reply: Reply) {
    setTimeout(() => reply.send('later'), 20)
    return reply
  }
  @Get('/wrapped-twice')
  @Wrapped()
  wrappedTwice(_request: Request, reply: Reply) {
    setTimeout(() => reply.send('too late'), 5)
  }
  @Get('/missing')
  missing(_request: Request, reply: Reply) {
    return reply.code(204).callNotFound()
  }
  @Get('/null')
  null() {
    return null
  }
}

@Controller('/two')
class ScopedThings {
  static readonly inject = [PerRequest] as const
  constructor(private readonly own: PerRequest) {}

  @Delete({ path: '/:id', status: 204 })
  remove() {
    this.own.request.log.debug('removed')
  }
  @Get('/sync')
  sync(_request: Request, reply: Reply) {
    return reply.code(204)
  }
  @Get('/later')
  later(_request: Request, reply: Reply) {
    setTimeout(() => reply.send('later'), 20)
  }
}

@Route({ method: 'GET', path: '/class' })
class ByClass {
  handle() {}
}

describe('a handler of a class', () => {
  for (const [path, status, body] of [
    ['/one/nothing', 200, ''],
    ['/one/accepted', 202, ''],
    ['/one/sync', 204, ''],
    ['/one/async', 204, ''],
    ['/one/awaited', 204, ''],
    ['/one/later', 200, 'later'],
    ['/one/returned', 200, 'returned'],
    ['/one/async-returned', 201, 'async'],
    ['/one/rest', 200, 'rest'],
    ['/one/wrapped', 200, ''],
    ['/one/wrapped-value', 200, '/one/wrapped-value'],
    ['/one/wrapped-sync', 200, 'sync'],
    ['/one/wrapped-later', 200, 'later'],
    ['/one/missing', 404, undefined],
    ['/one/null', 200, 'null'],
    ['/two/sync', 204, ''],
    ['/two/later', 200, 'later'],
    ['/class', 200, ''],
  ] as const) {
    test(`${path}: ${status} ${body ?? ''}`, async () => {
      const seen = await askListening({ providers: [PerRequest], routes: [Things, ScopedThings, ByClass] }, path)
      assert.deepEqual([seen.status, body === undefined ? undefined : seen.body, seen.errors], [status, body, []])
    })
  }
  for (const path of ['/one/7', '/two/7']) {
    test(`that returns nothing is answered with the status of its route: DELETE ${path}`, async () => {
      const seen = await askListening({ providers: [PerRequest], routes: [Things, ScopedThings] }, path, { method: 'DELETE' })
      assert.deepEqual([seen.status, seen.body], [204, ''])
    })
  }
})

test('a handler without a parameter for the reply that sends one later is answered before, and the log names it', async () => {
  class App {}
  Plugin({ routes: [Things] })(App)
  const stream = new EventEmitter()
  const warned = once(stream, 'line')
  const logger = { level: 'warn', stream: { write: (line: string) => stream.emit('line', line) } }
  await using app = await testServer(App, { server: { logger } })
  const { statusCode, body } = await app.inject('/one/wrapped-twice')
  assert.deepEqual([statusCode, body], [200, ''])
  assert.match(String(await warned), /Reply was already sent, .* in App > Things\.wrappedTwice, /)
})

test('what a handler of a class returns at once is sent in the same tick', async () => {
  const order: string[] = []
  @Controller()
  class Texts {
    @Get()
    text(_request: Request, _reply: Reply) {
      queueMicrotask(() => order.push('next'))
      return 'text'
    }
  }
  class Sends {
    onSend(_request: Request, _reply: Reply, payload: unknown, done: (error: null, payload: unknown) => void) {
      order.push('sent')
      done(null, payload)
    }
  }
  const seen = await askListening({ routes: [Texts], hooks: { onSend: Sends } })
  assert.deepEqual([seen.body, order], ['text', ['sent', 'next']])
})

test('a not-found handler that returns nothing is answered, with the status that it would have with a payload', async () => {
  const seen = await askListening({ notFoundHandler: () => undefined }, '/nowhere')
  assert.deepEqual([seen.status, seen.body], [200, ''])
})

describe('an error handler of a class that does not take the reply', () => {
  @Controller()
  class Fails {
    @Get()
    fail() {
      throw new HttpError(409, 'taken')
    }
    @Get({ path: '/own', errorHandler: () => undefined })
    own() {
      throw new HttpError(409, 'taken')
    }
  }
  for (const [title, errorHandler] of [
    ['returns nothing', () => undefined],
    ['returns a promise of nothing', async (error: Error) => void error.message],
  ] as const) {
    for (const path of ['/', '/own']) {
      test(`and ${title} passes the error on: ${path}`, async () => {
        const seen = await askListening({ routes: [Fails], errorHandler }, path)
        assert.deepEqual([seen.status, seen.body], [409, '{"statusCode":409,"error":"Conflict","message":"taken"}'])
      })
    }
  }
  test('may return the payload', async () => {
    assert.equal(
      (await askListening({ routes: [Fails], errorHandler: (error: Error) => ({ said: error.message }) })).body,
      '{"said":"taken"}',
    )
  })
  test('one that takes the reply, and whose promise is one of nothing, passes the error on unless it has replied', async () => {
    const ask = (errorHandler: ErrorHandler) => askListening({ routes: [Fails], errorHandler })
    assert.equal((await ask(async (_error, _request, reply) => void reply.header('x-seen', '1'))).status, 409)
    assert.equal((await ask(async (_error, _request, reply) => void reply.code(418).send('sent'))).status, 418)
    assert.equal((await ask(async (_error, _request, reply) => void reply.callNotFound())).status, 404)
    const hijacked = await ask(async (_error, _request, reply) => void reply.hijack().raw.end('by hand'))
    assert.equal(hijacked.body, 'by hand')
  })
  test('may return a reply without a body', async () => {
    const ask = async (errorHandler: ErrorHandler) => (await askListening({ routes: [Fails], errorHandler })).status
    assert.equal(await ask((_error, _request, reply) => reply.code(204)), 204)
    assert.equal(await ask(async (_error, _request, reply) => reply.code(204)), 204)
  })
  test('one that takes the reply may answer later', async () => {
    const errorHandler = (_error: Error, _request: Request, reply: Reply) => void setTimeout(() => reply.code(418).send('later'), 20)
    assert.equal((await askListening({ routes: [Fails], errorHandler })).status, 418)
  })
})
