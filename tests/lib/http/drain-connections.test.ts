/** Connections while the server closes. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { createServer } from 'alcove/lib'

test('a connection that never sent anything does not delay the closing, and one that sends a request late is answered', async () => {
  const server = createServer({ return503OnClosing: false })
  server.get('/', () => 'hello')
  const { port } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }))
  const silent = connect(Number(port), '127.0.0.1')
  await once(server.server, 'connection')
  const late = connect(Number(port), '127.0.0.1')
  await once(server.server, 'connection')
  const answer = once(late, 'data')
  const closing = server.close()
  late.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  assert.match(String((await answer)[0]), /^HTTP\/1\.1 200 OK\r\n/)
  await Promise.all([closing, once(silent, 'close')])
})
