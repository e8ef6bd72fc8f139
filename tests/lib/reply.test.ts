import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, type Server } from 'alcove/lib'

/** A server that notes its warnings and errors. */
function noting(): { server: Server; lines: { msg: string; err?: { code?: string; message: string } }[] } {
  const lines: { msg: string; err?: { code?: string; message: string } }[] = []
  const stream = { write: (line: string) => lines.push(JSON.parse(line)) }
  return { server: createServer({ logger: { level: 'warn', stream } }), lines }
}

describe('a reply that is sent twice', () => {
  test('is what was sent first; the second is dropped with a warning that names the route', async () => {
    const { server, lines } = noting()
    server.get('/twice', (_request, reply) => {
      reply.send('first')
      reply.send('second')
    })
    assert.equal((await server.inject('/twice')).body, 'first')
    assert.equal(lines.length, 1)
    assert.equal(lines[0]!.err?.code, 'ALC_ERR_REP_ALREADY_SENT')
    assert.match(lines[0]!.err.message, /"\/twice" \(GET\)/)
    await server.close()
  })

  test('while an asynchronous onSend hook is at work is the first too', async () => {
    const { server, lines } = noting()
    server.addHook('onSend', async (_request, _reply, payload) => {
      await new Promise((resolve) => setImmediate(resolve))
      return `${payload}!`
    })
    server.get('/', async (_request, reply) => {
      reply.send('first')
      return 'returned'
    })
    assert.equal((await server.inject('/')).body, 'first!')
    assert.equal(lines.length, 1)
    await server.close()
  })

  test('with an error that comes after it is logged and changes nothing', async () => {
    const { server, lines } = noting()
    server.get('/', async (_request, reply) => {
      reply.send('first')
      throw new Error('late')
    })
    assert.equal((await server.inject('/')).body, 'first')
    assert.deepEqual(
      lines.map(({ err }) => err?.message),
      ['late'],
    )
    await server.close()
  })
})

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

describe('reply.hijack', () => {
  test('leaves the response to whoever took it', async () => {
    const server = createServer()
    server.addHook('onSend', async () => 'never')
    server.get('/', async (_request, reply) => {
      reply.hijack()
      reply.raw.end('mine')
      return 'not this'
    })
    assert.equal((await server.inject('/')).body, 'mine')
    await server.close()
  })
})

describe('a status', () => {
  for (const status of [99, 600, Number.NaN, 'abc', undefined]) {
    test(`${String(status)} is refused where it is chosen`, async () => {
      const server = createServer()
      server.get('/', (_request, reply) => {
        assert.throws(() => reply.code(status as number), { code: 'ALC_ERR_BAD_STATUS_CODE' })
        return 'fine'
      })
      assert.equal((await server.inject('/')).body, 'fine')
      await server.close()
    })
  }
})
