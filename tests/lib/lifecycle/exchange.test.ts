/** Exchanges: the state of a reply. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, type Reply } from 'alcove/lib'
import { exchangeOf, hasBegun, ReplyState, replyState } from '../../../lib/lifecycle/exchange.js'

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
