import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, type Server } from 'alcove'

declare module 'alcove' {
  interface RequestDecorations {
    addedLate?: string
  }
  interface ReplyDecorations {
    stamp?(): string
  }
}

describe('a decorator that an onReady hook adds', () => {
  /** Two sibling contexts, with a route and a not-found handler each. */
  function serve(onReady: (users: Server, orders: Server) => void): Server {
    const server = createServer()
    const siblings: Server[] = []
    for (const prefix of ['/users', '/orders']) {
      server.register(
        async (context: Server) => {
          siblings.push(context)
          context.get('/', (request, reply) => ({ value: request.addedLate, stamp: reply.stamp?.() }))
          context.setNotFoundHandler((request) => ({ value: request.addedLate, isMissing: true }))
        },
        { prefix },
      )
    }
    server.addHook('onReady', async () => onReady(siblings[0]!, siblings[1]!))
    return server
  }
  const read = async (server: Server, url: string): Promise<unknown> => (await server.inject(url)).json()

  test('is seen by the requests and replies of its context, although the routes are compiled', async () => {
    const server = serve((users) => {
      users.decorateRequest('addedLate', 'yes')
      users.decorateReply('stamp', () => 'stamped')
    })
    assert.deepEqual(await read(server, '/users'), { value: 'yes', stamp: 'stamped' })
    assert.deepEqual(await read(server, '/users/none'), { value: 'yes', isMissing: true })
  })

  test('is not seen in a sibling context', async () => {
    const server = serve((users) => void users.decorateRequest('addedLate', 'yes'))
    assert.deepEqual(await read(server, '/orders'), {})
    assert.deepEqual(await read(server, '/orders/none'), { isMissing: true })
  })

  test('of an ancestor is seen in a context that has decorators of its own', async () => {
    const server = serve((users) => void users.decorateReply('stamp', () => 'stamped'))
    server.addHook('onReady', async () => void server.decorateRequest('addedLate', 'from the root'))
    assert.deepEqual(await read(server, '/users'), { value: 'from the root', stamp: 'stamped' })
    assert.deepEqual(await read(server, '/orders/none'), { value: 'from the root', isMissing: true })
  })
})
