import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, type Server } from 'alcove/lib'

describe('reply.callNotFound', () => {
  test('hands over to the not-found handler of the context, whose preHandler hooks run, and what the handler returns is dropped', async () => {
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

  test('leaves the reply to the not-found handler, also where that takes longer and the handler returns something or nothing', async () => {
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

  test('in a not-found handler answers plainly, in no circle', async () => {
    const server = createServer()
    server.setNotFoundHandler((_request, reply) => void reply.callNotFound())
    const answer = await server.inject('/nowhere')
    assert.deepEqual([answer.statusCode, answer.body], [404, '404 Not Found'])
    await server.close()
  })
})
