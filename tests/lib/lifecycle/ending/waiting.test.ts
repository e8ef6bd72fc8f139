/** The message of a request that was not answered in time says what it waits for. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { bootstrap, Controller, Get, Hook, Plugin, type Reply, type Request } from 'alcove'
import type { Server } from 'alcove/lib'
import { listen, messages, using } from '../../../fixtures/logged-server.js'

const never = async (): Promise<void> => new Promise(() => {})
const options = { handlerTimeout: 50 }

/** Declares one route, asks for it over a socket, and returns the message that the log has of it. */
async function messageOf(
  declare: (server: Server) => unknown,
  request = 'GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
): Promise<string> {
  let found = ''
  await using(
    declare,
    async (server, lines) => {
      const socket = connect(await listen(server))
      socket.write(request)
      let text = ''
      for await (const chunk of socket) text += String(chunk)
      assert.match(text, /^HTTP\/1\.1 503 /)
      assert.doesNotMatch(text, /waits/, 'the client is not told')
      found = messages(lines).find((message) => message.startsWith('No reply')) ?? ''
    },
    options,
  )
  return found
}

const body = (length: number, sent: string): string =>
  `POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${sent}`

describe('the message of a timeout names', () => {
  for (const name of ['onRequest', 'preValidation', 'preHandler'] as const) {
    test(`a hook that neither calls done nor returns a promise: ${name}`, async () => {
      const authenticate = (_request: unknown, _reply: unknown, _done: unknown): void => {}
      const declare = (server: Server) => {
        server.addHook(name, async () => {})
        server.addHook(name, authenticate)
        server.get('/', () => 'never')
      }
      const expected = `No reply within 50 ms: GET /. It waits for the ${name} hook authenticate: it neither called done nor returned a promise.`
      assert.equal(await messageOf(declare), expected)
    })
  }
  test('a hook whose promise is not settled, also one of a route without a name', async () => {
    const message = await messageOf((server) => server.get('/', { onSend: [async () => never()] }, () => 'never'))
    assert.equal(message, 'No reply within 50 ms: GET /. It waits for the onSend hook: its promise is not settled.')
  })
  test('a handler', async () => {
    const expected =
      'No reply within 50 ms: GET /. It waits for the handler list: it neither sent a reply, nor returned a payload or a promise that settled.'
    for (const list of [
      function list() {},
      async function list() {
        return never()
      },
      function list(_request: unknown, reply: { code(status: number): unknown }) {
        return reply.code(201)
      },
    ]) {
      const declare = (server: Server) => {
        server.addHook('preHandler', async () => {})
        server.get('/', list as never)
      }
      assert.equal(await messageOf(declare), expected)
    }
  })
  test('an error handler', async () => {
    const declare = (server: Server) =>
      server.get('/', { errorHandler: () => never() }, () => {
        throw new Error('first')
      })
    assert.match(await messageOf(declare), /It waits for an error handler: it neither/)
  })
  test('an asynchronous validator', async () => {
    const declare = (server: Server) => server.get('/', { schema: { querystring: {} }, validatorCompiler: () => never }, () => 'never')
    assert.match(await messageOf(declare), /It waits for an asynchronous validator\.$/)
  })
  test('what comes after an asynchronous validator that has ended', async () => {
    const validator = (error?: Error) => (server: Server) =>
      server.get(
        '/',
        {
          schema: { querystring: {} },
          validatorCompiler: () => () => (error === undefined ? Promise.resolve() : Promise.reject(error)) as never,
          errorHandler: () => never(),
        },
        function list() {},
      )
    assert.match(await messageOf(validator()), /It waits for the handler list: it neither/)
    assert.match(await messageOf(validator(new Error('fails'))), /It waits for an error handler: it neither/)
  })
  test('a body parser, until it has ended', async () => {
    const post = (parser: () => unknown) => (server: Server) => {
      server.addContentTypeParser('application/json', { parseAs: 'string' }, parser as never)
      server.post('/', function list() {})
    }
    const expected = /It waits for the parser of application\/json: it neither called done nor returned a promise that settled\.$/
    for (const parser of [never, () => undefined]) assert.match(await messageOf(post(parser), body(2, '{}')), expected)
    await using(
      post(never),
      async (server, lines) => {
        assert.equal((await server.inject({ method: 'POST', url: '/', payload: {} })).statusCode, 503)
        assert.match(messages(lines).find((message) => message.startsWith('No reply')) ?? '', expected)
      },
      options,
    )
    assert.match(
      await messageOf(
        post(async () => 1),
        body(2, '{}'),
      ),
      /It waits for the handler list: it neither/,
    )
  })
  test('the body of a request that is not complete', async () => {
    assert.match(
      await messageOf((server) => server.post('/', () => 'never'), body(10, '{')),
      /It waits for the body of the request, which is not complete\.$/,
    )
  })
  test('the handler, if the body was parsed before it was complete, is parsed as nothing, or is not parsed for the method', async () => {
    const handler = /It waits for the handler wait: it neither/
    const wait = (): void => {}
    const parsedAs = (value: unknown) => (server: Server) => {
      server.removeContentTypeParser('application/json')
      server.addContentTypeParser('application/json', (_request, payload, done) => {
        payload.resume()
        done(null, value)
      })
      server.post('/', wait)
    }
    assert.match(await messageOf(parsedAs('early'), body(10, '{')), handler)
    assert.match(await messageOf(parsedAs(undefined), body(2, '{}')), handler)
    const get = body(10, '{').replace('POST', 'GET')
    assert.match(await messageOf((server) => server.get('/', wait), get), handler)
  })
  test('a handler by its own name, without the "bound" that binding puts before it', async () => {
    const wait = { ['rebound list'](): void {} }['rebound list']
    const declare = (handler: () => void) => (server: Server) => server.get('/', handler)
    assert.match(await messageOf(declare(wait)), /It waits for the handler rebound list: it neither/)
    assert.match(await messageOf(declare(wait.bind(null).bind(null))), /It waits for the handler rebound list: it neither/)
  })
  test('a promise that was sent', async () => {
    const message = /It waits for a payload: the promise that was sent is not settled\.$/
    assert.match(await messageOf((server) => server.get('/', (_request, reply) => reply.send(never()))), message)
    const fromHook = (server: Server) => {
      server.addHook('preHandler', (_request, reply, _done) => void reply.send(never()))
      server.get('/', () => 'never')
    }
    assert.match(await messageOf(fromHook), message)
  })
  test('the not-found handler to which a hook has passed the request on, not that hook', async () => {
    const declare = (server: Server) => {
      server.setNotFoundHandler(function missing() {})
      server.get('/', { preHandler: (_request, reply, _done) => void reply.callNotFound() }, () => 'never')
    }
    assert.match(await messageOf(declare), /It waits for the handler missing: it neither/)
  })
  test('the class and method of a handler, and the class of a hook', async () => {
    class Guard {
      preHandler(request: Request, _reply: Reply, done: () => void) {
        if (request.query['pass'] !== undefined) done()
      }
    }
    class Transaction {
      async around(_request: Request, next: () => unknown) {
        const result = await next()
        await never()
        return result
      }
    }
    @Controller()
    class Users {
      @Get('/')
      @Hook('preHandler', Guard)
      list(_request: Request, reply: Reply) {
        return reply.code(201)
      }
      @Get('/around')
      @Hook('around', Transaction)
      listWithin() {
        return []
      }
    }
    @Plugin({ routes: [Users] })
    class App {}
    const lines: { msg: string }[] = []
    const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
    const server = await bootstrap(App, { ...options, forceCloseConnections: true, logger: { level: 'error', stream } })
    try {
      const address = await server.listen({ port: 0 })
      for (const path of ['/', '/?pass', '/around']) assert.equal((await fetch(address + path)).status, 503)
    } finally {
      await server.close()
    }
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      [
        'No reply within 50 ms: GET /. It waits for the preHandler hook Guard.preHandler: it neither called done nor returned a promise.',
        'No reply within 50 ms: GET /. It waits for the handler App > Users.list: it neither sent a reply, nor returned a payload or a promise that settled.',
        'No reply within 50 ms: GET /around. It waits for the handler App > Users.listWithin, or for Transaction.around of App > Users.listWithin: it neither sent a reply, nor returned a payload or a promise that settled.',
      ],
    )
  })
})
