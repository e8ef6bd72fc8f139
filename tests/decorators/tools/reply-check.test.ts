import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Readable } from 'node:stream'
import { Controller, Get, Hook, HttpError, httpError, Plugin, type Reply, type Request, Schema, type Server, testServer } from 'alcove'

const object = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } as const

class Guard {
  static readonly responses = { 403: { type: 'object', properties: { reason: { type: 'string' } } } }
  onRequest({ headers }: Request, reply: Reply) {
    if (headers['x-as'] === 'nobody') throw new HttpError(401, 'Say who you are')
    if (headers['x-as'] === 'guest') return reply.code(403).send({ reason: 'a guest' })
  }
}

@Controller('/described')
@Hook('onRequest', Guard)
class Described {
  @Get('/found')
  @Schema({ response: { 200: object } })
  found() {
    return { id: 1 }
  }
  @Get('/moved')
  @Schema({ response: { 200: object } })
  moved(_request: Request, reply: Reply): any {
    return reply.redirect('/elsewhere')
  }
  @Get('/text')
  @Schema({ response: { 200: object } })
  text(): any {
    return '{"id":1}'
  }
  @Get('/by-hand')
  @Schema({ response: { 200: object } })
  byHand(_request: Request, reply: Reply): any {
    return reply.type('application/json').send('{"id":"one"}')
  }
  @Get('/broken')
  @Schema({ response: { 200: object } })
  broken(_request: Request, reply: Reply): any {
    return reply.type('application/json').send('{"id":')
  }
  @Get('/empty')
  @Schema({ response: { 204: { type: 'null' } } })
  empty(_request: Request, reply: Reply): any {
    return reply.code(204).send()
  }
  @Get({ path: '/nothing', status: 204 })
  @Schema({ response: { 204: { type: 'null' } } })
  nothing() {
    return null
  }
  @Get('/header')
  @Schema({ response: { 200: { ...object, headers: { 'x-count': { type: 'integer' } } } } })
  header(request: Request, reply: Reply) {
    reply.header('x-count', String(request.headers['x-given']))
    return { id: 1 }
  }
  @Get('/bytes')
  @Schema({ response: { 200: { content: { 'image/png': { schema: { type: 'string', format: 'binary' } } } } } })
  bytes(_request: Request, reply: Reply): any {
    return reply.type('image/png').send(Readable.from([Buffer.from([1, 2])]))
  }
  @Get('/response')
  @Schema({ response: { 200: { content: { 'image/png': { schema: { type: 'string', format: 'binary' } } } } } })
  response({ headers }: Request): Response {
    const status = Number(headers['x-status'] ?? 200)
    return new Response(status === 200 ? 'bytes' : null, { status, headers: { 'content-type': String(headers['x-type'] ?? 'image/png') } })
  }
  @Get('/streamed')
  @Schema({ response: { 200: { content: { 'application/json': { schema: object } } } } })
  streamed({ headers }: Request, reply: Reply): any {
    const texts = ['{"id":', String(headers['x-id']), '}']
    if (headers['x-by'] === 'response') return new Response(texts.join(''), { headers: { 'content-type': 'application/json' } })
    if (headers['x-by'] === 'empty-response') return new Response(null, { headers: { 'content-type': 'application/json' } })
    return reply.type('application/json').send(Readable.from(texts.map((text) => Buffer.from(text))))
  }
  @Get('/absent')
  @Schema({ response: { 200: object, 202: {}, 203: { content: { 'text/csv': { schema: { type: 'string' } } } }, 205: { type: 'null' } } })
  absent({ headers }: Request, reply: Reply): any {
    return reply.code(Number(headers['x-status'])).send()
  }
  @Get('/range')
  @Schema({ response: { '2xx': object } })
  range({ headers }: Request, reply: Reply): any {
    return reply.code(Number(headers['x-status'])).send()
  }
  @Get('/failed')
  @Schema({ response: { 200: object } })
  failed(): { id: number } {
    throw new Error('The disk is full')
  }
  @Get({ path: '/hidden', docs: { hide: true } })
  @Schema({ response: { 200: object } })
  hidden(): { id: number } {
    throw new HttpError(418)
  }
}

@Controller('/open')
class Open {
  @Get('/')
  index() {
    throw new HttpError(418, 'a teapot')
  }
  @Get('/errors-only')
  @Schema({ response: { 409: object } })
  errorsOnly() {
    return { anything: true }
  }
}

@Plugin({ name: 'Shop', routes: [Described, Open] })
class Shop {}

const quiet = { server: { logger: false as const } }
const fault = (text: string) => ({ code: 'ALC_ERR_REPLY_UNDESCRIBED', message: text })

describe('a reply in a test', () => {
  test('passes if it is as its route, or a guard, describes it', async () => {
    await using app = await testServer(Shop, quiet)
    assert.equal((await app.call(Described, 'found')).status, 200)
    assert.equal((await app.inject({ method: 'HEAD', url: '/described/found' })).statusCode, 200)
    assert.equal((await app.inject({ url: '/described/found', headers: { 'x-as': 'guest' } })).statusCode, 403)
    assert.equal((await app.inject('/described/empty')).statusCode, 204)
    assert.equal((await app.inject('/described/nothing')).statusCode, 204)
    assert.equal((await app.inject({ url: '/described/header', headers: { 'x-given': '7' } })).statusCode, 200)
    assert.equal((await app.inject('/described/bytes')).statusCode, 200)
  })

  test('fails the test if its status is not described: it says the place, and what to write', async () => {
    await using app = await testServer(Shop, quiet)
    const refused = app.inject({ url: '/described/found', headers: { 'x-as': 'nobody' } })
    const expected =
      'Shop > Described.found: GET /described/found: the reply 401 is not described. Described are 200, 403, 503. ' +
      'Write response: { 401: … } in the schema of the route, or throws with the class of the error; in a guard or error handler static responses = { 401: … }. ' +
      'The payload is {"statusCode":401,"error":"Unauthorized","message":"Say who you are"}'
    await assert.rejects(refused, fault(expected))
    await assert.rejects(app.call(Described, 'moved'), /the reply 302 is not described.*or reply with another status/)
  })

  test('fails it if the media type, the body or a header is another', async () => {
    await using app = await testServer(Shop, quiet)
    await assert.rejects(app.call(Described, 'text'), /the reply 200 has the media type 'text\/plain', but application\/json is described/)
    await assert.rejects(app.call(Described, 'byHand'), /a body that is not as described: body\/id must be integer/)
    await assert.rejects(app.call(Described, 'broken'), /a body that is not as described: body must be object/)
    await assert.rejects(
      app.inject({ url: '/described/header', headers: { 'x-given': 'many' } }),
      /a header that is not as described: \/x-count must be integer/,
    )
  })

  test('is compared by the status and the media type of a Response that is its payload', async () => {
    await using app = await testServer(Shop, quiet)
    assert.equal((await app.inject('/described/response')).body, 'bytes')
    await assert.rejects(
      app.inject({ url: '/described/response', headers: { 'x-type': 'text/html' } }),
      /the reply 200 has the media type 'text\/html', but image\/png is described/,
    )
    await assert.rejects(app.inject({ url: '/described/response', headers: { 'x-status': '404' } }), /the reply 404 is not described/)
  })

  test('is compared with the body that was sent if its payload is a stream or a Response', async () => {
    await using app = await testServer(Shop, quiet)
    const streamed = (headers: Record<string, string>, method: 'GET' | 'HEAD' = 'GET') =>
      app.inject({ method, url: '/described/streamed', headers })
    for (const by of ['stream', 'response']) {
      assert.deepEqual((await streamed({ 'x-id': '1', 'x-by': by })).json(), { id: 1 })
      assert.equal((await streamed({ 'x-id': '"one"', 'x-by': by }, 'HEAD')).statusCode, 200)
      await assert.rejects(
        streamed({ 'x-id': '"one"', 'x-by': by }),
        /200 has a body that is not as described: body\/id must be integer\. .* The payload is \{"id":"one"\}$/,
      )
      await assert.rejects(streamed({ 'x-id': '', 'x-by': by }), /a body that is not as described: body must be object/)
    }
    await assert.rejects(streamed({ 'x-by': 'empty-response' }), /the reply 200 has no body, but application\/json is described\./)
  })

  test('fails the test if it has no body although JSON is described, unless the schema allows any value', async () => {
    await using app = await testServer(Shop, quiet)
    const absent = (status: number, method: 'GET' | 'HEAD' = 'GET') =>
      app.inject({ method, url: '/described/absent', headers: { 'x-status': String(status) } })
    await assert.rejects(
      absent(200),
      /the reply 200 has no body, but application\/json is described\. Send one, or write response: \{ 200: \{ type: 'null' \} \}\.$/,
    )
    assert.equal((await absent(200, 'HEAD')).statusCode, 200)
    for (const status of [202, 203, 205]) assert.equal((await absent(status)).statusCode, status)
  })

  test('has no body with a status that allows none, also if a range describes one', async () => {
    await using app = await testServer(Shop, quiet)
    const ranged = (status: number) => app.inject({ url: '/described/range', headers: { 'x-status': String(status) } })
    for (const status of [204, 205]) assert.equal((await ranged(status)).statusCode, status)
    await assert.rejects(ranged(201), /the reply 201 has no body/)
  })

  test('needs no description if the server has failed, or if its route hides itself from documents', async () => {
    await using app = await testServer(Shop, quiet)
    assert.equal((await app.inject('/described/failed')).statusCode, 500)
    assert.equal((await app.inject('/described/hidden')).statusCode, 418)
  })

  test('is not looked at if its route declares no replies, nor a success if only errors are declared', async () => {
    await using app = await testServer(Shop, quiet)
    assert.equal((await app.inject('/open')).statusCode, 418)
    assert.equal((await app.inject('/open/errors-only')).statusCode, 200)
  })

  test('fails the closing of the server if it was sent over the network', async () => {
    const app = await testServer(Shop, quiet)
    const address = await app.server.listen({ port: 0, host: '127.0.0.1' })
    assert.equal((await fetch(`${address}/described/by-hand`)).status, 200)
    await assert.rejects(app.close(), { code: 'ALC_ERR_REPLY_UNDESCRIBED' })
  })

  test("is held after all onSend hooks, those of the route's own too", async () => {
    @Controller('/')
    class Wrapped {
      @Get('/')
      @Hook('onSend', async () => '{"data":1}')
      @Schema({ response: { 200: object } })
      index() {
        return { id: 1 }
      }
    }
    @Plugin({ routes: [Wrapped] })
    class App {}
    await using app = await testServer(App)
    await assert.rejects(app.inject('/'), /body must have required property 'id'/)
  })

  test('is held for routes of plugin functions too, and an error class that is not listed is named first', async () => {
    class Gone extends httpError(410) {}
    @Plugin({ name: 'App' })
    class App {
      setup(instance: Server) {
        instance.get('/gone', { schema: { response: { 200: object } } }, () => {
          throw new Gone()
        })
        instance.get('/teapot', { schema: { response: { 200: object } } }, () => {
          throw new HttpError(418)
        })
      }
    }
    await using app = await testServer(App)
    await assert.rejects(app.inject('/gone'), { code: 'ALC_ERR_ERROR_UNLISTED' })
    await assert.rejects(app.inject('/teapot'), { code: 'ALC_ERR_REPLY_UNDESCRIBED' })
  })
})

describe('the option replies', () => {
  test("'warn' prints each fault once and 'ignore' none, and the test goes on", async () => {
    const warnings: string[] = []
    const note = ({ message }: Error): unknown => warnings.push(message)
    process.on('warning', note)
    for (const replies of ['warn', 'ignore'] as const) {
      await using app = await testServer(Shop, { ...quiet, replies })
      for (let index = 0; index < 2; index++) assert.equal((await app.call(Described, 'byHand')).status, 200)
    }
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', note)
    assert.equal(warnings.length, 1)
    assert.match(warnings[0]!, /^Shop > Described.byHand: GET \/described\/by-hand: the reply 200 has a body that is not as described/)
  })

  test('is refused if it is none of the three', async () => {
    await assert.rejects(testServer(Shop, { replies: 'strict' as never }), {
      name: 'TypeError',
      message: "testServer has 'strict' as replies. Write 'check', 'warn' or 'ignore'.",
    })
  })
})
