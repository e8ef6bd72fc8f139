/** `reply.callNotFound`. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, type Server } from 'alcove/lib'

describe('reply.callNotFound', () => {
  test('calls the not-found handler of the context with its preHandler hooks, and the result of the route handler is dropped', async () => {
    const server = createServer()
    server.register(
      async (instance: Server) => {
        instance.setNotFoundHandler(
          { preHandler: async (request: any) => void (request.seen = 'hooked') },
          (request, reply) => void reply.code(404).send(`${(request as any).seen} ${request.is404}`),
        )
        instance.get('/gone', async (_request, reply) => {
          reply.callNotFound()
          return 'ignored'
        })
      },
      { prefix: '/in' },
    )
    const answer = await server.inject('/in/gone')
    assert.deepEqual([answer.statusCode, answer.body], [404, 'hooked true'])
    await server.close()
  })

  test('leaves the reply to the not-found handler, also if that takes longer and whether the route handler returns a value or not', async () => {
    const server = createServer()
    server.setNotFoundHandler(async (_request, reply) => {
      await new Promise((resolve) => setImmediate(resolve))
      reply.code(404)
      return 'not found'
    })
    server.get('/nothing', async (_request, reply) => void reply.callNotFound())
    server.get('/at-once', (_request, reply) => {
      reply.callNotFound()
      return 'ignored'
    })
    server.get('/promised', async (_request, reply) => {
      reply.callNotFound()
      return 'ignored'
    })
    server.get('/later', async (_request, reply) => {
      await new Promise((resolve) => setImmediate(resolve))
      reply.callNotFound()
      return 'ignored'
    })
    server.get('/failed', { errorHandler: async (_error, _request, reply) => void reply.callNotFound() }, () => {
      throw new Error('gone')
    })
    for (const url of ['/nothing', '/at-once', '/promised', '/later', '/failed']) {
      const answer = await server.inject(url)
      assert.deepEqual([answer.statusCode, answer.body], [404, 'not found'], url)
    }
    await server.close()
  })

  test('in a not-found handler is answered with a plain 404, without an endless loop', async () => {
    const server = createServer()
    server.setNotFoundHandler((_request, reply) => void reply.callNotFound())
    const answer = await server.inject('/nowhere')
    assert.deepEqual([answer.statusCode, answer.body], [404, '404 Not Found'])
    await server.close()
  })
})
