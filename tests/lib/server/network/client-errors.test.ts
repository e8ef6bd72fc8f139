/** The answer to bytes that are not an HTTP request. */
import assert from 'node:assert/strict'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { createServer } from 'alcove/lib'

test('bytes that are not a request are answered 400, and the connection is closed', async () => {
  const server = createServer()
  await server.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('NONSENSE\r\n\r\n')
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  assert.match(text, /^HTTP\/1\.1 400 Bad Request\r\n/)
  assert.match(text, /\{"statusCode":400,"error":"Bad Request","message":"Client Error"\}$/)
  await server.close()
})
