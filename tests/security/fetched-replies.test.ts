/** Replies that are the `Response` of another service: their headers describe the body that is sent. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib'
import { createServer } from 'alcove/lib'
import { exchange, get, raw } from './wire.js'

const text = 'hello, hello, hello! '.repeat(2000)
const coded: Record<string, Buffer> = {
  gzip: gzipSync(text),
  GZIP: gzipSync(text),
  'x-gzip': gzipSync(text),
  deflate: deflateSync(text),
  br: brotliCompressSync(text),
  'deflate, gzip': gzipSync(deflateSync(text)),
}

test('a fetched Response whose body fetch has decoded is sent without the headers of the coded body', { timeout: 20_000 }, async () => {
  const upstream = createHttpServer((request, response) => {
    const coding = decodeURIComponent(request.url!.slice(1))
    const body = coded[coding] ?? Buffer.from(text)
    response.writeHead(200, { 'content-length': body.length, 'x-kept': 'yes', ...(coding !== '' && { 'content-encoding': coding }) })
    response.end(request.method === 'HEAD' ? undefined : body)
  })
  await once(upstream.listen(0, '127.0.0.1'), 'listening')
  const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  const server = createServer({ forceCloseConnections: true })
  server.get('/fetched/:coding', ({ params }) => fetch(`${origin}/${encodeURIComponent((params as { coding: string }).coding)}`))
  server.get('/plain', () => fetch(`${origin}/`))
  // `fetch` does not know one of the codings, and decodes none.
  server.get('/unknown', () => fetch(`${origin}/own%2C%20gzip`))
  server.head('/head', () => fetch(`${origin}/gzip`, { method: 'HEAD' }))
  server.get(
    '/own',
    () => new Response(coded['gzip'], { headers: { 'content-encoding': 'gzip', 'content-length': String(coded['gzip']!.length) } }),
  )
  await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.server.address() as AddressInfo
  try {
    for (const coding of Object.keys(coded)) {
      const [answer] = await exchange(port, get(`/fetched/${encodeURIComponent(coding)}`))
      assert.equal(answer!.status, 200, coding)
      assert.equal(answer!.body, text, coding)
      assert.equal(answer!.headers['content-encoding'], undefined, coding)
      assert.equal(answer!.headers['x-kept'], 'yes')
      const head = (await exchange(port, get(`/fetched/${encodeURIComponent(coding)}`).replace('GET', 'HEAD')))[0]!
      assert.deepEqual([head.status, head.headers['content-encoding'], head.headers['content-length']], [200, undefined, undefined], coding)
    }
    const [plain] = await exchange(port, get('/plain'))
    assert.deepEqual([plain!.body, plain!.headers['content-length']], [text, String(text.length)])
    const [unknown] = await exchange(port, get('/unknown'))
    assert.deepEqual([unknown!.body, unknown!.headers['content-encoding']], [text, 'own, gzip'])
    const { 'content-encoding': coding, 'content-length': length } = (await exchange(port, get('/head').replace('GET', 'HEAD')))[0]!.headers
    assert.deepEqual([coding, length], ['gzip', String(coded['gzip']!.length)])
    const own = (await raw(port, get('/own'))).text
    assert.match(own, /content-encoding: gzip/)
    assert.equal(gunzipSync(Buffer.from(own.slice(own.indexOf('\r\n\r\n') + 4), 'latin1')).toString(), text)
  } finally {
    await server.close()
    upstream.closeAllConnections()
    upstream.close()
  }
})
