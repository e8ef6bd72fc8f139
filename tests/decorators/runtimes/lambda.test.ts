import assert from 'node:assert/strict'
import { Readable, Writable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Controller, domainEvent, type Emitter, Get, Injectable, Job, Plugin } from '../../../decorators/index.js'
import { handler, invocationOf, type LambdaEvent, type LambdaHandler } from '../../../decorators/runtimes/lambda/index.js'
import { createServer, type Request, type RequestOutcome, type Server, type ServerOptions } from '../../../lib/index.js'
import { functionUrlEvent, httpApiEvent, loadBalancerEvent, restApiEvent } from '../../fixtures/lambda-events.js'

function handlerOf(declare: (server: Server) => void, options: ServerOptions = {}): LambdaHandler {
  const server = createServer(options)
  declare(server)
  return handler(server)
}

const seen = (request: Request): object => {
  const { method, url, host, ip, protocol, query, headers } = request
  return { method, url, host, ip, protocol, query, cookie: headers['cookie'] ?? null, twice: headers['x-twice'] ?? null }
}

const valueOf = async (handle: LambdaHandler, event: LambdaEvent): Promise<unknown> => JSON.parse((await handle(event)).body)

describe('the request of an event', () => {
  const handle = handlerOf((server) => {
    server.get('/*', seen)
    server.post('/*', { bodyLimit: 100 }, ({ body }) => ({ body }))
    server.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, [...(body as Buffer)]),
    )
  })

  test('of an HTTP API', async () => {
    assert.deepEqual(await valueOf(handle, httpApiEvent), {
      method: 'GET',
      url: '/users/7?a=1&a=2&q=x%20y',
      host: 'r3pmxmplak.execute-api.us-east-2.amazonaws.com',
      ip: '205.255.255.176',
      protocol: 'https',
      query: { a: ['1', '2'], q: 'x y' },
      cookie: 'session=abc; theme=dark',
      twice: null,
    })
  })

  test('of a function URL', async () => {
    const { host, url } = (await valueOf(handle, functionUrlEvent)) as { host: string; url: string }
    assert.deepEqual([host, url], ['abcdefg.lambda-url.us-west-2.on.aws', '/users/7?a=1&a=2&q=x%20y'])
  })

  test('of a REST API, whose parameters were decoded', async () => {
    assert.deepEqual(await valueOf(handle, restApiEvent), {
      method: 'GET',
      url: '/users/7?a=1&a=2&q=x%20y%26z',
      host: '70ixmpl4fl.execute-api.us-east-2.amazonaws.com',
      ip: '52.255.255.12',
      protocol: 'https',
      query: { a: ['1', '2'], q: 'x y&z' },
      cookie: 'session=abc',
      twice: 'one, two',
    })
  })

  test('of a load balancer, whose parameters are as they were sent', async () => {
    assert.deepEqual(await valueOf(handle, loadBalancerEvent), {
      method: 'GET',
      url: '/users/7?a=2&q=x%20y',
      host: 'lambda-alb-123578498.us-east-2.elb.amazonaws.com',
      ip: '72.12.164.125',
      protocol: 'http',
      query: { a: '2', q: 'x y' },
      cookie: null,
      twice: null,
    })
    const multiple = {
      ...loadBalancerEvent,
      multiValueQueryStringParameters: { a: ['1', '2'] },
      headers: null,
      multiValueHeaders: { host: ['a.example'], 'x-twice': ['1', '2'] },
    }
    const got = (await valueOf(handle, multiple)) as Record<string, unknown>
    assert.deepEqual([got['host'], got['twice'], got['url']], ['a.example', '1, 2', '/users/7?a=1&a=2'])
  })

  test('has the path that the client has sent', async () => {
    const paths = {
      '/a%20b': '/a%20b',
      '/a b': '/a%20b',
      '/a?b#c': '/a%3Fb%23c',
      '//evil.example/x': '//evil.example/x',
      '/a/../b': '/a/../b',
      '/ä': '/%C3%A4',
    }
    for (const [rawPath, path] of Object.entries(paths)) {
      const { url } = (await valueOf(handle, { ...httpApiEvent, rawPath, rawQueryString: '' })) as { url: string }
      assert.equal(url, path)
    }
  })

  test('has its body, of text and of bytes, within its limit', async () => {
    const post = (body: string, type: string, isBase64Encoded = false, length?: number) => ({
      ...httpApiEvent,
      headers: { host: 'a.example', 'content-type': type, ...(length !== undefined && { 'content-length': String(length) }) },
      requestContext: { ...httpApiEvent.requestContext, http: { method: 'POST' } },
      body,
      isBase64Encoded,
    })
    assert.deepEqual(await valueOf(handle, post('{"a":"é"}', 'application/json')), { body: { a: 'é' } })
    assert.deepEqual(await valueOf(handle, post('AP8K', 'application/octet-stream', true)), { body: [0, 255, 10] })
    assert.deepEqual(await valueOf(handle, post('AP8K', 'application/octet-stream', true, 3)), { body: [0, 255, 10] })
    assert.equal((await handle(post('x'.repeat(101), 'text/plain'))).statusCode, 413)
    assert.equal((await handle(post('AP8K', 'application/octet-stream', true, 4))).statusCode, 400)
  })

  test('is refused if its host is not one', async () => {
    for (const host of ['a.example/x', 'a@b', 'a b', 'a.example, b.example', ''])
      assert.equal((await handle({ ...httpApiEvent, headers: { host } })).statusCode, 400, host)
  })

  test('knows its invocation', async () => {
    const own = handlerOf((server) =>
      server.get('/*', (request) => ({ stage: (invocationOf(request)!.event as typeof httpApiEvent).requestContext.stage })),
    )
    assert.deepEqual(await valueOf(own, httpApiEvent), { stage: '$default' })
    const server = createServer()
    server.get('/', (request) => ({ is: invocationOf(request) ?? null }))
    assert.equal(await (await server.fetch(new globalThis.Request('http://localhost/'))).text(), '{"is":null}')
  })
})

describe('the result', () => {
  const handle = handlerOf((server) => {
    server.get('/users/7', (_request, reply) =>
      reply.code(201).header('set-cookie', ['a=1', 'b=2']).header('x-one', '1').send({ ok: true }),
    )
    server.get('/bytes', () => Buffer.from([0, 255]))
    server.get('/zip', (_request, reply) => reply.header('content-encoding', 'gzip').type('text/plain').send('zipped'))
    server.get('/svg', (_request, reply) => reply.type('image/svg+xml; charset=utf-8').send('<svg/>'))
    server.get('/latin', (_request, reply) => reply.type('text/plain; charset=latin1').send(Buffer.from([0xe9])))
    server.get('/empty', (_request, reply) => reply.code(204).send())
    server.get('/breaks', () => Readable.from((async function* breaks() { yield 'part'; await wait(1); throw new Error('broke') })())) // prettier-ignore
  })

  test('has its cookies in the form of the event', async () => {
    const common = { statusCode: 201, body: '{"ok":true}', isBase64Encoded: false }
    const headers = { 'content-length': '11', 'content-type': 'application/json; charset=utf-8', 'x-one': '1' }
    assert.deepEqual(await handle(httpApiEvent), { ...common, headers, cookies: ['a=1', 'b=2'] })
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
    assert.deepEqual(await handle(restApiEvent), { ...common, multiValueHeaders: { ...lists, 'set-cookie': ['a=1', 'b=2'] } })
    const single = { ...headers, 'set-cookie': 'a=1', 'Set-cookie': 'b=2' }
    assert.deepEqual(await handle(loadBalancerEvent), { ...common, headers: single, statusDescription: '201 Created' })
  })

  test('is text, or base64 if no text can have its bytes', async () => {
    const bodyOf = async (rawPath: string) => {
      const { body, isBase64Encoded } = await handle({ ...httpApiEvent, rawPath })
      return [body, isBase64Encoded]
    }
    assert.deepEqual(await bodyOf('/bytes'), ['AP8=', true])
    assert.deepEqual(await bodyOf('/zip'), [Buffer.from('zipped').toString('base64'), true])
    assert.deepEqual(await bodyOf('/svg'), ['<svg/>', false])
    assert.deepEqual(await bodyOf('/latin'), ['6Q==', true])
    const { statusCode, body } = await handle({ ...httpApiEvent, rawPath: '/empty' })
    assert.deepEqual([statusCode, body], [204, ''])
  })

  test('is an error if the body breaks off, so that no part looks complete', async () => {
    await assert.rejects(handle({ ...httpApiEvent, rawPath: '/breaks' }), /broke off/)
  })
})

describe('the handler', () => {
  test('resolves when the scope of its request has ended', async () => {
    const events: string[] = []
    @Injectable({ scope: 'request' })
    class Unit {
      async dispose(): Promise<void> {
        await wait(20)
        events.push('disposed')
      }
    }
    @Controller('/users/7')
    class Users {
      static readonly inject = [Unit] as const
      readonly unit: Unit
      constructor(unit: Unit) {
        this.unit = unit
      }
      @Get()
      one(): object {
        return { ok: true }
      }
    }
    @Plugin({ providers: [Unit], routes: [Users] })
    class App {}
    const handle = handler(App)
    assert.equal((await handle(httpApiEvent)).statusCode, 200)
    assert.deepEqual(events, ['disposed'])
  })

  test('waits for the handlers of events that run after the request, and for the scope of a request whose reply breaks off', async () => {
    const events: string[] = []
    const SEEN = domainEvent('seen', { payload: { type: 'object' } })
    @Job({ on: SEEN, when: 'later' })
    class Count {
      async run(): Promise<void> {
        await wait(50)
        events.push('counted')
      }
    }
    @Injectable({ scope: 'request' })
    class Unit {
      async onRequestEnd({ kind }: RequestOutcome): Promise<void> {
        await wait(20)
        events.push(kind)
      }
    }
    @Controller('/users/7')
    class Users {
      static readonly inject = [SEEN, Unit] as const
      constructor(
        readonly seen: Emitter<object>,
        _unit: Unit,
      ) {}
      @Get()
      async one(): Promise<object> {
        await this.seen.emit({})
        return { ok: true }
      }
      @Get('/breaks')
      breaks() {
        return Readable.from((async function* breaks() { yield 'part'; await wait(1); throw new Error('broke') })()) // prettier-ignore
      }
    }
    @Plugin({ providers: [SEEN, Unit], jobs: [Count], routes: [Users] })
    class App {}
    const handle = handler(App)
    await handle(httpApiEvent)
    assert.deepEqual(events.splice(0), ['completed', 'counted'])
    await assert.rejects(handle({ ...httpApiEvent, rawPath: '/users/7/breaks' }), /broke off/)
    assert.deepEqual(events, ['failed'])
  })

  test('waits for hooks after the reply, but not beyond the time of the function', async () => {
    let isOver = false
    const handle = handlerOf((server) => {
      server.addHook('onResponse', () => wait(20).then(() => void (isOver = true)))
      server.get('/users/7', () => 'ok')
      server.get('/slow', async (_request, reply) => {
        reply.send('sent')
        await wait(400)
      })
    })
    await handle(httpApiEvent)
    assert.ok(isOver)
    const start = performance.now()
    await handle({ ...httpApiEvent, rawPath: '/slow' }, { getRemainingTimeInMillis: () => 550 })
    assert.ok(performance.now() - start < 300)
  })

  test('is rejected with the error of the boot, and boots again', async () => {
    let boots = 0
    @Plugin({ providers: [{ provide: 'database', useFactory: () => { if (++boots === 1) throw new Error('no database'); return 1 } }] }) // prettier-ignore
    class App {}
    const handle = handler(App)
    await assert.rejects(handle(httpApiEvent), /no database/)
    assert.equal((await handle(httpApiEvent)).statusCode, 404)
    assert.equal(boots, 2)
  })

  test('refuses options that it does not know, and events that are no requests', async () => {
    const invalid = { code: 'ALC_ERR_LAMBDA_OPTIONS_INVALID' }
    assert.throws(() => handler(createServer(), { stream: true } as never), invalid)
    assert.throws(() => handler(createServer(), { server: {} }), invalid)
    assert.throws(() => handler(createServer(), { streams: true }), invalid)
    const handle = handlerOf(() => {})
    for (const event of [undefined, 'x', { Records: [] }])
      await assert.rejects(handle(event as never), { code: 'ALC_ERR_LAMBDA_EVENT_INVALID' })
  })

  test('takes less than 50 ms of CPU in 95 of 100 invocations', async () => {
    const schema = {
      params: { type: 'object', properties: { id: { type: 'integer' } } },
      response: { 200: { type: 'object', properties: { id: { type: 'integer' } } } },
    }
    const handle = handlerOf((server) => server.get('/users/:id', { schema }, ({ params }) => params as object))
    const times: number[] = []
    for (let index = 0; index < 100; index++) {
      const start = process.cpuUsage()
      assert.equal((await handle(httpApiEvent)).body, '{"id":7}')
      const { user, system } = process.cpuUsage(start)
      times.push((user + system) / 1000)
    }
    assert.ok(times.toSorted((a, b) => a - b)[94]! < 50)
  })
})

/** The interface of Lambda's Node runtime for streams: writes what comes, and the head before the first chunk. */
class Target extends Writable {
  head: unknown
  readonly chunks: string[] = []
  pending: (() => void)[] = []
  isSlow = false

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(String(chunk))
    if (this.isSlow) this.pending.push(done)
    else done()
  }
}

const runtime = {
  streamifyResponse: (handle: unknown) => handle,
  HttpResponseStream: { from: (target: Target, head: unknown) => Object.assign(target, { head }) },
}

describe('the handler with streams', () => {
  before(() => void Object.assign(globalThis, { awslambda: runtime }))
  after(() => void Reflect.deleteProperty(globalThis, 'awslambda'))

  function streamed(declare: (server: Server) => void) {
    const server = createServer()
    declare(server)
    const handle = handler(server, { streams: true }) as unknown as (event: LambdaEvent, target: Target) => Promise<void>
    return { handle, server }
  }

  test('writes the head and the parts of a reply', async () => {
    const { handle } = streamed((server) => {
      server.get('/users/7', (_request, reply) => reply.header('set-cookie', ['a=1', 'b=2']).send(Readable.from((async function* parts() { yield 'one'; await wait(5); yield 'two' })()))) // prettier-ignore
      server.get('/empty', (_request, reply) => reply.code(204).send())
    })
    const target = new Target()
    await handle(httpApiEvent, target)
    assert.deepEqual([target.head, target.chunks], [{ statusCode: 200, headers: {}, cookies: ['a=1', 'b=2'] }, ['one', 'two']])
    assert.ok(target.writableEnded)
    const empty = new Target()
    await handle({ ...httpApiEvent, rawPath: '/empty' }, empty)
    assert.deepEqual([(empty.head as { statusCode: number }).statusCode, empty.chunks.join(''), empty.writableEnded], [204, '', true])
  })

  test('writes no faster than the stream takes it, and stops when the stream closes', async () => {
    let made = 0
    let isClosed = false
    const { handle } = streamed((server) =>
      server.get('/users/7', () => {
        const source = Readable.from((function* endless() { for (;;) { made++; yield Buffer.alloc(10_000) } })(), { objectMode: false, highWaterMark: 10_000 }) // prettier-ignore
        source.on('close', () => (isClosed = true))
        return source
      }),
    )
    const target = new Target()
    target.isSlow = true
    target.on('error', () => {})
    const over = handle(httpApiEvent, target)
    await wait(20)
    assert.ok(made < 20, String(made))
    target.destroy()
    await over
    assert.ok(isClosed)
  })

  test('destroys the stream of a reply that breaks off', async () => {
    const { handle } = streamed(
      (server) =>
      server.get('/users/7', () => Readable.from((async function* breaks() { yield 'part'; await wait(1); throw new Error('broke') })())), // prettier-ignore
    )
    const target = new Target()
    const errors: Error[] = []
    target.on('error', (error) => errors.push(error))
    await handle(httpApiEvent, target)
    await wait(1)
    assert.deepEqual([target.writableEnded, errors.map(({ message }) => message)], [false, ['The reply broke off']])
  })
})
