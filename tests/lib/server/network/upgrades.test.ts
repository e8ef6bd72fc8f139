import assert from 'node:assert/strict'
import { once } from 'node:events'
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
