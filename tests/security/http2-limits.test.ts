/** What a session of HTTP/2 may use, and how that is configured. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createServer, type ServerOptions } from 'alcove/lib'
import { cert, key } from '../fixtures/certificate.js'

async function announced(options: ServerOptions): Promise<http2.Settings> {
  const server = createServer(options)
  server.get('/', () => 'ok')
  await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.server.address() as AddressInfo
  const session = http2.connect(`${options.https ? 'https' : 'http'}://127.0.0.1:${port}`, { rejectUnauthorized: false })
  const [settings] = await once(session, 'remoteSettings')
  session.destroy()
  await server.close()
  return settings
}

test('128 streams of an HTTP/2 session may be open at a time, with and without TLS', async () => {
  assert.equal((await announced({ http2: true })).maxConcurrentStreams, 128)
  assert.equal((await announced({ http2: true, https: { key, cert } })).maxConcurrentStreams, 128)
})

test('the headers of a request over HTTP/2 have 16 KiB, as over HTTP/1; a larger one loses its stream', async () => {
  assert.equal((await announced({ http2: true })).maxHeaderListSize, 16_384)
  const server = createServer({ http2: true })
  server.get('/', ({ headers }) => String(headers['x-a']?.length))
  await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.server.address() as AddressInfo
  const session = http2.connect(`http://127.0.0.1:${port}`)
  await once(session, 'remoteSettings')
  const ask = async (length: number): Promise<unknown> => {
    const stream = session.request({ ':path': '/', 'x-a': 'a'.repeat(length) })
    try {
      const [headers] = await once(stream.resume(), 'response')
      return headers[':status']
    } catch {
      return stream.rstCode
    }
  }
  assert.deepEqual([await ask(16_000), await ask(16_384), await ask(30_000), await ask(10)], [200, 11, 11, 200])
  session.destroy()
  await server.close()
})

/** Sends requests in the same write as the settings of the client, before it reads those of the server. */
async function askAtOnce(port: number, requests: http2.OutgoingHttpHeaders[]): Promise<unknown[]> {
  const session = http2.connect(`http://127.0.0.1:${port}`)
  const replies = requests.map(async (headers) => {
    const stream = session.request({ ':path': '/', ...headers })
    try {
      const [head] = await once(stream.resume(), 'response')
      return head[':status']
    } catch {
      return stream.rstCode
    }
  })
  return Promise.all(replies).finally(() => session.destroy())
}

test('headers have the same limit before the client has acknowledged the settings of the session', async () => {
  for (const [option, limit] of [
    [true, 16_384],
    [{ settings: { maxHeaderListSize: 40_000 } }, 40_000],
  ] as const) {
    const server = createServer({ http2: option })
    let handled = 0
    server.get('/', () => String(++handled))
    await server.listen({ port: 0, host: '127.0.0.1' })
    const { port } = server.server.address() as AddressInfo
    const lengths = [limit - 400, limit + 1, 60_000]
    assert.deepEqual(
      await askAtOnce(
        port,
        lengths.map((length) => ({ 'x-a': 'a'.repeat(length) })),
      ),
      [200, 11, 11],
    )
    assert.equal(handled, 1)
    await server.close()
  }
})

test('http2 takes the options of Node, with and without TLS; other settings keep their default', async () => {
  const given = { settings: { maxConcurrentStreams: 5, maxHeaderListSize: 10_000 } }
  assert.equal((await announced({ http2: given })).maxConcurrentStreams, 5)
  assert.equal((await announced({ http2: given })).maxHeaderListSize, 10_000)
  assert.equal((await announced({ http2: given, https: { key, cert } })).maxConcurrentStreams, 5)
  assert.equal((await announced({ http2: { settings: { maxHeaderListSize: 10_000 } } })).maxConcurrentStreams, 128)
})

test('initialConfig tells that the server speaks HTTP/2, and no option of Node', () => {
  assert.equal(createServer({ http2: { settings: {} } }).initialConfig.http2, true)
  assert.throws(() => createServer({ http2: 'yes' as never }), /'http2' must be boolean or an object/)
})
