/** Requests before they are routed: rewriteUrl, and `server.routing`. */
import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import { createServer } from 'alcove/lib'

test('the original URL of a request is kept if rewriteUrl changes it', async () => {
  const server = createServer({ rewriteUrl: (raw) => raw.url!.replace('/old', '/new') })
  server.get('/new', ({ url, originalUrl }) => ({ url, originalUrl }))
  await server.listen({ port: 0, host: '127.0.0.1' })
  assert.deepEqual(await (await fetch(`${server.listeningOrigin}/old`)).json(), { url: '/new', originalUrl: '/old' })
  await server.close()
})

test('a request that the application passes to server.routing needs no socket', () => {
  const server = createServer()
  server.get('/', (_request, reply) => reply.header('connection', 'close').send('routed'))
  return server.ready().then(() => {
    const raw = Object.assign(new IncomingMessage(undefined as never), {
      method: 'GET',
      url: '/',
      httpVersion: '1.1',
      headers: { host: 'a' },
    })
    const response = new ServerResponse(raw)
    server.routing(raw, response)
    assert.deepEqual([response.statusCode, response.writableEnded], [200, true])
  })
})
