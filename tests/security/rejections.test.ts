/** Promises in places where none is awaited: their rejections do not end the process, and are not taken for values. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, type Reply, type Request, type Server } from 'alcove/lib'

const rejected = (): Promise<never> => Promise.reject(new Error('rejected'))

interface Place {
  /** Declares the route `/`. */
  declare(server: Server): void
  readonly status: number
}

const handler = (run: (request: Request, reply: Reply) => unknown) => (server: Server) => void server.get('/', run as never)

const places: Record<string, Place> = {
  'a second send': { status: 200, declare: handler((_request, reply) => void (reply.send('a'), reply.send(rejected()))) },
  'a value returned after send': { status: 200, declare: handler((_request, reply) => (reply.send('a'), rejected())) },
  'a second send in a later tick': {
    status: 200,
    declare: handler((_request, reply) => void (reply.send('a'), setTimeout(() => reply.send(rejected()), 2))),
  },
  'send after hijack': {
    status: 200,
    declare: handler((_request, reply) => void (reply.hijack(), reply.raw.end(), reply.send(rejected()))),
  },
  'the status': { status: 500, declare: handler((_request, reply) => reply.code(rejected() as never).send('a')) },
  'raw.statusCode': { status: 500, declare: handler((_request, reply) => ((reply.raw.statusCode = rejected() as never), 'a')) },
  'a header': { status: 500, declare: handler((_request, reply) => reply.header('x-one', rejected()).send('a')) },
  'the headers': { status: 500, declare: handler((_request, reply) => reply.headers({ 'x-one': rejected() as never }).send('a')) },
  'the media type': { status: 500, declare: handler((_request, reply) => reply.type(rejected() as never).send('a')) },
  'an error that is thrown': {
    status: 500,
    declare: handler(() => {
      throw rejected()
    }),
  },
  'the error of done': {
    status: 500,
    declare(server) {
      server.addHook('preHandler', (_request, _reply, done) => done(rejected() as never))
      server.get('/', () => 'a')
    },
  },
  'the payload of preSerialization': {
    status: 500,
    declare(server) {
      server.addHook('preSerialization', (_request, _reply, _payload, done) => done(null, rejected()))
      server.get('/', () => ({ a: 1 }))
    },
  },
  'the payload of onSend': {
    status: 500,
    declare(server) {
      server.addHook('onSend', (_request, _reply, _payload, done) => done(null, rejected() as never))
      server.get('/', () => ({ a: 1 }))
    },
  },
  'the stream of preParsing': {
    status: 500,
    declare(server) {
      server.addHook('preParsing', (_request, _reply, _payload, done) => done(null, rejected() as never))
      server.post('/', () => 'a')
    },
  },
  'the body of a parser': {
    status: 500,
    declare(server) {
      server.addContentTypeParser('text/own', { parseAs: 'string' }, ((_request: unknown, _body: unknown, done: any) =>
        done(null, rejected())) as never)
      server.post('/', () => 'a')
    },
  },
  'a serializer of the reply': {
    status: 500,
    declare: handler((_request, reply) => reply.serializer((() => rejected()) as never).send({ a: 1 })),
  },
  'a trailer': {
    status: 200,
    declare: handler((_request, reply) => {
      reply.trailer('x-one', ((_reply: unknown, _payload: unknown, done: any) => done(null, rejected())) as never)
      return 'a'
    }),
  },
  'the error of an onResponse hook': {
    status: 200,
    declare(server) {
      server.addHook('onResponse', (_request, _reply, done) => done(rejected() as never))
      server.get('/', () => 'a')
    },
  },
}

describe('a rejected promise ends no process:', () => {
  for (const [name, { declare, status }] of Object.entries(places)) {
    test(name, { timeout: 5_000 }, async (t) => {
      const unhandled: unknown[] = []
      const note = (error: unknown): void => void unhandled.push(error)
      process.on('unhandledRejection', note)
      t.after(() => process.removeListener('unhandledRejection', note))
      const server = createServer()
      declare(server)
      const isGet = server.hasRoute({ method: 'GET', url: '/' })
      const response = await server.inject(
        isGet
          ? '/'
          : {
              method: 'POST',
              url: '/',
              headers: { 'content-type': name.startsWith('the body') ? 'text/own' : 'application/json' },
              payload: '{}',
            },
      )
      // A rejection is reported when the microtasks are done.
      await new Promise((resolve) => setTimeout(resolve, 10))
      await server.close()
      assert.equal(response.statusCode, status)
      assert.deepEqual(unhandled, [])
    })
  }
})
