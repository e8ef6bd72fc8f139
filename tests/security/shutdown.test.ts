/** Closing: what is in flight is answered, then nothing holds the process. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, type Server } from 'alcove/lib'
import { open, parse } from './wire.js'

async function listening(declare: (server: Server) => unknown): Promise<{ server: Server; port: number }> {
  const server = createServer()
  declare(server)
  await server.listen({ port: 0, host: '127.0.0.1' })
  return { server, port: (server.server.address() as AddressInfo).port }
}

test('requests in flight are answered, told that their connection closes, and closing ends soon after the last', async () => {
  const { server, port } = await listening((app) => {
    app.get('/slow', async () => (await sleep(200), 'slow'))
    app.post('/body', (request) => request.body)
  })
  const texts: string[] = []
  const ends: Promise<unknown>[] = []
  for (let index = 0; index < 50; index++) {
    const socket = await open(port)
    texts.push('')
    socket.on('data', (data) => (texts[index] += String(data)))
    ends.push(once(socket, 'close'))
    if (index % 2 === 0) socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n')
    else {
      socket.write('POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{')
      setTimeout(() => socket.write('}'), 100)
    }
  }
  await sleep(50)
  const start = performance.now()
  const closing = server.close()
  await Promise.all(ends)
  await closing
  assert.ok(performance.now() - start < 700, `${performance.now() - start} ms`)
  for (const text of texts) assert.equal(parse(text)[0]?.status, 200, text)
})

test('a request that comes on a live connection while the server closes is answered with Connection: close', async () => {
  const { server, port } = await listening((app) => app.get('/slow', async () => (await sleep(150), 'slow')))
  const socket = await open(port)
  let text = ''
  socket.on('data', (data) => (text += data))
  socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n')
  await sleep(30)
  const closing = server.close()
  await sleep(30)
  socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(socket, 'close')
  await closing
  const answers = parse(text)
  assert.equal(answers[0]!.status, 200)
  if (answers[1] !== undefined) assert.equal(answers[1].headers['connection'], 'close')
})

test('a connection on which nothing was ever sent does not hold up closing', async () => {
  const { server, port } = await listening((app) => app.get('/', () => 'ok'))
  const socket = await open(port)
  await sleep(20)
  const start = performance.now()
  await server.close()
  assert.ok(performance.now() - start < 1000)
  socket.destroy()
})
