/** What docs/how-to/faq.md says of defaults that surprise. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bootstrap,
  check,
  Controller,
  createServer,
  Delete,
  Get,
  Hook,
  Plugin,
  Post,
  type Reply,
  Schema,
  type Server,
  type ServerOptions,
} from 'alcove'

const exact = { body: { type: 'object', additionalProperties: false, properties: { price: { type: 'integer' } } } } as const
const listed = { response: { 200: { type: 'object', properties: { name: { type: 'string' } } } } } as const

@Controller('/faq')
class FaqController {
  @Post()
  @Schema(exact)
  create({ body }: { body: object }) {
    return body
  }
  @Get('/listed')
  @Schema(listed)
  listed() {
    return { name: 'Ada', secret: 'x' }
  }
  @Get('/map')
  map() {
    return { map: new Map([[1, 2]]), at: new Date(0) }
  }
  @Get('/big')
  big() {
    return { big: 1n }
  }
  @Get('/broken')
  broken() {
    throw new Error('broken')
  }
  @Get('/empty')
  empty() {}
}

@Plugin({ routes: [FaqController] })
class App {}

async function ask(url: string, { payload, ...options }: ServerOptions & { payload?: object } = {}): Promise<[number, string]> {
  const server = await bootstrap(App, options)
  const { statusCode, body } = await server.inject(payload === undefined ? url : { method: 'POST', url, payload })
  await server.close()
  return [statusCode, body]
}

test('POST is answered 200, a text is coerced to a number, and unknown properties are removed or refused', async () => {
  const payload = { price: '3', tax: 1 }
  assert.deepEqual(await ask('/faq', { payload }), [200, '{"price":3}'])
  const [status, body] = await ask('/faq', { payload, jsv: { customOptions: { removeAdditional: false } } })
  assert.deepEqual([status, JSON.parse(body).message], [400, 'body should NOT have additional properties'])
})

test('only listed properties are sent, a Map has none, a bigint is not JSON, and a handler that returns nothing has answered', async () => {
  assert.deepEqual(await ask('/faq/listed'), [200, '{"name":"Ada"}'])
  assert.deepEqual(await ask('/faq/map'), [200, '{"map":{},"at":"1970-01-01T00:00:00.000Z"}'])
  assert.equal((await ask('/faq/big'))[0], 500)
  assert.deepEqual(await ask('/faq/empty'), [200, ''])
})

test('paths are exact unless two options say otherwise', async () => {
  for (const url of ['/faq/listed/', '/FAQ/listed']) {
    assert.equal((await ask(url))[0], 404)
    assert.equal((await ask(url, { ignoreTrailingSlash: true, caseSensitive: false }))[0], 200)
  }
})

test('an error handler that returns a value answers with the status 200, or the one that it sets', async () => {
  for (const [errorHandler, expected] of [
    [(error: Error) => ({ was: error.message }), 200],
    [(error: Error, _request: unknown, reply: Reply) => reply.code(409).send({ was: error.message }), 409],
  ] as const) {
    @Plugin({ routes: [FaqController], errorHandler })
    class Handled {}
    const server = await bootstrap(Handled)
    const { statusCode, body } = await server.inject('/faq/broken')
    assert.deepEqual([statusCode, body], [expected, '{"was":"broken"}'])
    await server.close()
  }
})

test('a body schema of DELETE is a fault', () => {
  @Controller('/faq')
  class Deletes {
    @Delete()
    @Schema({ body: { type: 'object' } })
    delete() {}
  }
  @Plugin({ routes: [Deletes] })
  class DeletingApp {}
  assert.throws(() => check(DeletingApp), /bodies of DELETE requests are not validated/)
})

test('a form is answered 415 by a route with a body schema', async () => {
  const server = await bootstrap(App)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  assert.equal((await server.inject({ method: 'POST', url: '/faq', headers, payload: 'price=3' })).statusCode, 415)
  await server.close()
})

test('without classes, a hook that returns false refuses nothing, and a function that answers nothing waits for handlerTimeout', async () => {
  const server = createServer({ handlerTimeout: 50, closeTimeout: 500 })
  server.get('/false', { onRequest: async () => false }, () => 'in')
  server.get('/nothing', () => {})
  const origin = await server.listen({ port: 0, host: '127.0.0.1' })
  assert.equal(await (await fetch(`${origin}/false`)).text(), 'in')
  assert.equal((await fetch(`${origin}/nothing`)).status, 503)
  await server.close()
})

test('a hook given to addHook in setup is one of the programmatic server: false refuses nothing, and one without a promise or done waits', async () => {
  const forgotten = (() => false) as unknown as () => Promise<void> // its type asks for a promise
  @Plugin()
  class FunctionsPlugin {
    setup(server: Server) {
      server.get('/added', () => 'in')
      server.get('/waits', { onRequest: forgotten }, () => 'in')
      server.addHook('onRequest', async () => false)
    }
  }
  const server = await bootstrap(FunctionsPlugin, { handlerTimeout: 50, closeTimeout: 500 })
  const origin = await server.listen({ port: 0, host: '127.0.0.1' })
  assert.equal(await (await fetch(`${origin}/added`)).text(), 'in')
  assert.equal((await fetch(`${origin}/waits`)).status, 503)
  await server.close()
})

test('in classes, a hook is complete when it returns, and one that returns false is answered with 500', async () => {
  const returnsFalse = (() => false) as unknown as () => void // its type asks for nothing
  @Controller('/guarded')
  class GuardedController {
    @Get('/open')
    @Hook('onRequest', () => {})
    open() {
      return 'in'
    }
    @Get('/shut')
    @Hook('onRequest', returnsFalse)
    shut() {
      return 'in'
    }
  }
  @Controller('/listed')
  class ListedController {
    @Get()
    show() {
      return 'in'
    }
  }
  @Plugin({ hooks: { onRequest: returnsFalse }, routes: [ListedController] })
  class ListedPlugin {}
  @Plugin({ routes: [GuardedController], imports: [ListedPlugin] })
  class App {}
  const server = await bootstrap(App, { handlerTimeout: 50 })
  const origin = await server.listen({ port: 0, host: '127.0.0.1' })
  assert.equal(await (await fetch(`${origin}/guarded/open`)).text(), 'in')
  for (const path of ['/guarded/shut', '/listed']) assert.equal((await fetch(origin + path)).status, 500)
  await server.close()
})
