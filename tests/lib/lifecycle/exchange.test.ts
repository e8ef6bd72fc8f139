/** Exchanges: the state of a reply. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Readable } from 'node:stream'
import { createServer, type Reply, type Request } from 'alcove/lib'
import { describeRequest, exchangeOf, hasBegun, isOpenEnded, routePlace, ReplyState, replyState } from '../../../lib/lifecycle/exchange.js'

describe('the state of a reply', () => {
  test('goes from Open over RunningErrorHooks and Sending to Ended', async () => {
    const server = createServer()
    const states: [place: string, state: ReplyState, hasBegun: boolean][] = []
    const note = (place: string, reply: Reply): void => {
      states.push([place, replyState(exchangeOf(reply)), hasBegun(reply.raw)])
    }
    server.addHook('preHandler', async (_request, reply) => note('preHandler', reply))
    server.addHook('onError', async (_request, reply) => note('onError', reply))
    server.addHook('onSend', async (_request, reply) => note('onSend', reply))
    server.addHook('onResponse', async (_request, reply) => note('onResponse', reply))
    server.get('/', () => Promise.reject(new Error('no')))
    await server.inject('/')
    assert.deepEqual(states, [
      ['preHandler', ReplyState.Open, false],
      ['onError', ReplyState.RunningErrorHooks, false],
      ['onSend', ReplyState.Sending, false],
      ['onResponse', ReplyState.Ended, true],
    ])
    await server.close()
  })

  test('is Hijacked after hijack, and Ended when the application has ended the raw response', async () => {
    const server = createServer()
    const states: ReplyState[] = []
    server.get('/', (_request, reply) => {
      reply.hijack()
      states.push(replyState(exchangeOf(reply)))
      reply.raw.end('mine')
      states.push(replyState(exchangeOf(reply)))
    })
    assert.equal((await server.inject('/')).body, 'mine')
    assert.deepEqual(states, [ReplyState.Hijacked, ReplyState.Ended])
    await server.close()
  })
})

test('a response has begun if its headers were sent or if its connection is closed', () => {
  for (const [headersSent, destroyed] of [
    [false, false],
    [true, false],
    [false, true],
  ] as const)
    assert.equal(hasBegun({ _header: headersSent ? 'HTTP/1.1 200 OK\r\n\r\n' : null, destroyed } as never), headersSent || destroyed)
})

describe('a reply has no end of its own', () => {
  test('if the application has hijacked it', async () => {
    const server = createServer()
    const seen: boolean[] = []
    server.get('/', (_request, reply) => {
      seen.push(isOpenEnded(exchangeOf(reply)))
      reply.hijack()
      seen.push(isOpenEnded(exchangeOf(reply)))
      reply.raw.end()
    })
    await server.inject('/')
    assert.deepEqual(seen, [false, true])
    await server.close()
  })

  for (const [type, isEvents] of [
    ['text/event-stream', true],
    ['Text/Event-Stream; charset=utf-8', true],
    ['text/event-streams', false],
    ['x-text/event-stream', false],
    ['text/plain', false],
  ] as const) {
    test(`${isEvents ? 'once' : 'not even if'} its head is sent with the type ${type}`, async () => {
      const server = createServer()
      const seen: boolean[] = []
      server.get('/', (_request, reply) => {
        reply.type(type)
        seen.push(isOpenEnded(exchangeOf(reply)))
        async function* body(): AsyncGenerator<string> {
          yield 'data: 1\n\n'
          await new Promise((resolve) => setImmediate(resolve))
          seen.push(isOpenEnded(exchangeOf(reply)))
        }
        return Readable.from(body())
      })
      await server.inject('/')
      assert.deepEqual(seen, [false, isEvents])
      await server.close()
    })
  }
})

test('messages name a request by its route, or by its URL if none was found; a long URL is shortened', async () => {
  const server = createServer()
  const seen: string[] = []
  const note = (_request: Request, reply: Reply): string => {
    const exchange = exchangeOf(reply)
    seen.push(describeRequest(exchange), routePlace(exchange))
    return 'text'
  }
  server.get('/users/:id', note)
  server.setNotFoundHandler(note)
  await server.inject('/users/1')
  await server.inject('/nowhere')
  await server.inject(`/${'x'.repeat(5_000)}`)
  assert.deepEqual(seen.slice(0, 4), ['GET /users/:id', 'GET /users/:id', 'GET /nowhere', 'GET /nowhere'])
  assert.match(seen[4]!, /^GET \/x+/)
  assert.ok(seen[4]!.length < 1_000)
  await server.close()
})

test('a reply has no header that it inherits, and a new one has neither a status of its own nor trailers', async () => {
  const server = createServer()
  const seen: unknown[] = []
  server.get('/', (_request, reply) => {
    const { headers, hasStatus, trailers, serializer } = exchangeOf(reply)
    seen.push('constructor' in headers, headers['toString'], hasStatus, trailers, serializer)
    return 'text'
  })
  await server.inject('/')
  assert.deepEqual(seen, [false, undefined, false, null, null])
  await server.close()
})
