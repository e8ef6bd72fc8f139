/** Request lines: their HTTP version, and the target `*`. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { createServer, type Server } from 'alcove/lib'
import { exchange, open, parse, raw, wireTest } from './wire.js'

const declare = (server: Server): void => {
  server.get('/', () => 'root')
  server.options('/', () => 'options of the root')
}

describe('the version in a request line', () => {
  const cases: [line: string, status: number][] = [
    ['GET /', 400],
    ['GET / ', 400],
    ['GET / HTTP/', 400],
    ['GET / HTTP/9.x', 400],
    ['GET / HTTP/x.1', 400],
    ['GET / HTTP/2', 400],
    ['GET / HTTP/2.', 400],
    ['GET / HTTP/3.0x', 400],
    ['GET / HTTP/3.0 ', 400],
    ['GET / HTTP/11.1', 400],
    ['GET / HTTP/1.11', 400],
    ['GET / HTTP/1.1x', 400],
    ['GET / HTTP/1.2', 400],
    ['GET / http/1.1', 400],
    ['GET / HTTP /1.1', 400],
    ['GET / HTTP/ 2.0', 400],
    ['GET / HTTP/0.9', 400],
    ['GET / HTTP/2.0', 505],
    ['GET / HTTP/3.0', 505],
    ['GET / HTTP/9.9', 505],
    ['GET / HTTP/1.1', 200],
    ['GET / HTTP/1.0', 200],
  ]
  for (const [line, status] of cases) {
    wireTest(`of ${JSON.stringify(line)} is answered with ${status}`, declare, async ({ port }) => {
      const next = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
      const received = await raw(port, `${line}\r\nHost: a\r\n\r\n${next}`)
      const answers = parse(received.text)
      assert.equal(answers[0]?.status, status)
      assert.ok(received.isClosed)
      if (status === 200) return
      assert.equal(answers.length, 1, 'the connection is not used any more')
      assert.equal(answers[0].headers['connection'], 'close')
      assert.equal(JSON.parse(answers[0].body).statusCode, status)
    })
  }

  wireTest('is refused on the same grounds if the line comes in pieces', declare, async ({ port }) => {
    const socket = await open(port)
    let text = ''
    socket.on('data', (chunk) => (text += String(chunk)))
    const closed = once(socket, 'close')
    for (const part of ['GET / HT', 'TP/', '9', '.', 'x\r\n\r\n']) {
      socket.write(part)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await closed
    assert.equal(parse(text)[0]!.status, 400)
  })

  wireTest('of HTTP/2, written behind a request that closes its connection, gets no reply', declare, async ({ port }) => {
    const { text } = await raw(port, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\nGET / HTTP/2.0\r\nHost: a\r\n\r\n')
    assert.deepEqual(
      parse(text).map(({ status }) => status),
      [400],
    )
  })
})

describe('OPTIONS *', () => {
  const request = 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

  for (const path of ['/', '/*', '/:name']) {
    wireTest(
      `does not reach the route ${path}`,
      (server) => server.options(path, () => 'a path'),
      async ({ port }) => {
        const [answer] = await exchange(port, request)
        assert.deepEqual([answer!.status, JSON.parse(answer!.body).message], [404, 'Route OPTIONS:* not found'])
      },
    )
  }

  wireTest(
    'reaches a route with the path *, whatever other routes there are',
    (server) => {
      declare(server)
      server.options('*', () => 'the server, and any path')
    },
    async ({ port }) => {
      assert.equal((await exchange(port, request))[0]!.body, 'the server, and any path')
      assert.equal((await exchange(port, request.replace('*', '/')))[0]!.body, 'options of the root')
      assert.equal((await exchange(port, request.replace('*', '/a')))[0]!.body, 'the server, and any path')
    },
  )

  wireTest(
    'does not reach a route with the path * of another method',
    (server) => {
      declare(server)
      server.get('*', () => 'get')
    },
    async ({ port }) => assert.equal((await exchange(port, request))[0]!.status, 404),
  )

  wireTest(
    'runs the hooks and the not-found handler of the root context',
    (server) => {
      declare(server)
      server.addHook('onRequest', (_request, reply, done) => {
        reply.header('x-hook', 'ran')
        done()
      })
      server.setNotFoundHandler((_request, reply) => void reply.code(404).send('own'))
    },
    async ({ port }) => {
      const [answer] = await exchange(port, request)
      assert.deepEqual([answer!.status, answer!.headers['x-hook'], answer!.body], [404, 'ran', 'own'])
    },
  )

  test('does not reach the route / over HTTP/2 either', { timeout: 5_000 }, async () => {
    const server = createServer({ http2: true })
    declare(server)
    await server.listen({ port: 0, host: '127.0.0.1' })
    const session = connect(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}`)
    const stream = session.request({ ':method': 'OPTIONS', ':path': '*' })
    const [headers] = await once(stream, 'response')
    assert.equal(headers[':status'], 404)
    session.destroy()
    await server.close()
  })
})
