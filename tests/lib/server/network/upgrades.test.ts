import assert from 'node:assert/strict'
import { once } from 'node:events'
import { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { createServer } from 'alcove/lib'

test('an upgrade is answered as an ordinary request when the last listener for upgrades has been removed', async (t) => {
  const server = createServer()
  t.after(() => server.close())
  server.get('/', () => 'an ordinary reply')
  const [onUpgrade, onAnother] = [() => assert.fail('removed'), () => assert.fail('removed')]
  server.server.on('upgrade', onUpgrade)
  server.server.on('upgrade', onAnother)
  await server.listen({ port: 0 })
  server.server.off('upgrade', onUpgrade)
  server.server.off('upgrade', onAnother)
  assert.equal(server.server.listenerCount('upgrade'), 0)

  const socket = connect(server.addresses()[0] as { port: number })
  socket.setTimeout(5000, () => socket.destroy(new Error('no reply')))
  socket.end('GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade, close\r\nUpgrade: websocket\r\n\r\n')
  let reply = ''
  socket.on('data', (chunk) => (reply += chunk))
  await once(socket, 'end')
  assert.match(reply, /^HTTP\/1\.1 200 .*an ordinary reply$/s)
})

test('an upgrade that a plugin passes to the router is closed after an ordinary reply', async (t) => {
  const server = createServer()
  t.after(() => server.close())
  server.addHook('onRequest', async () => {
    throw Object.assign(new Error('who are you?'), { statusCode: 401 })
  })
  server.get('/', () => 'unreached')
  // As @fastify/websocket does. Its hook that ends the socket does not run for a request that an earlier hook has refused.
  server.server.on('upgrade', (request, socket) => {
    const response = new ServerResponse(request)
    response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0])
    server.routing(request, response)
  })
  await server.listen({ port: 0 })

  const socket = connect(server.addresses()[0] as { port: number })
  socket.setTimeout(5000, () => socket.destroy(new Error('the connection stays open')))
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n')
  let reply = ''
  socket.on('data', (chunk) => (reply += chunk))
  await once(socket, 'end')
  assert.match(reply, /^HTTP\/1\.1 401 .*connection: close\r\n.*who are you\?/is)
})
