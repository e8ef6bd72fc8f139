/** Servers of HTTPS and HTTP/2, and the times of Node's servers. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { describe, test } from 'node:test'
import { createServer, type ServerOptions } from 'alcove/lib'
import { cert, key } from '../../../fixtures/certificate.js'
import { workingTime } from '../../../fixtures/elapse.js'

describe('the times of Node for a request', () => {
  const timesOf = (options: ServerOptions) => {
    const { headersTimeout, requestTimeout } = createServer(options).server
    return [headersTimeout, requestTimeout]
  }

  test('are 60 s for the headers, or requestTimeout if it is shorter', () => {
    assert.deepEqual(timesOf({}), [60_000, 300_000])
    assert.deepEqual(timesOf({ requestTimeout: 500 }), [500, 500])
    assert.deepEqual(timesOf({ requestTimeout: 0, https: true }), [60_000, 0])
  })

  test('may be longer than 300 s for the headers, if requestTimeout is', () => {
    for (const name of ['http', 'https'])
      assert.deepEqual(timesOf({ requestTimeout: 600_000, [name]: { headersTimeout: 400_000 } }), [400_000, 600_000], name)
    assert.deepEqual(timesOf({ requestTimeout: 0, http: { headersTimeout: 400_000 } }), [400_000, 0])
  })
})

describe('over TLS', () => {
  test('requests are served, and have the protocol https', async () => {
    const server = createServer({ https: { key, cert } })
    server.get('/', ({ protocol, host }) => ({ protocol, host }))
    const origin = await server.listen({ port: 0, host: '127.0.0.1' })
    assert.match(origin, /^https:\/\/127\.0\.0\.1:\d+$/)
    const request = httpsRequest(origin, { rejectUnauthorized: false, agent: false }).end()
    const [response] = (await once(request, 'response')) as [import('node:http').IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    assert.deepEqual(JSON.parse(String(Buffer.concat(chunks))), { protocol: 'https', host: origin.slice('https://'.length) })
    await server.close()
  })

  test('a server may be created before it has a certificate', async () => {
    const server = createServer({ https: true })
    assert.match(await server.listen({ port: 0, host: '127.0.0.1' }), /^https:/)
    await server.close()
  })

  test('options of HTTP/1 hold for HTTP/1 beside HTTP/2', async () => {
    const https = { key, cert, allowHTTP1: true, headersTimeout: 2_000, maxHeaderSize: 65_536 }
    const server = createServer({ http2: true, https })
    server.get('/', () => 'ok')
    const origin = await server.listen({ port: 0, host: '127.0.0.1' })
    assert.equal(server.server.headersTimeout, 2_000)
    const headers = { 'x-large': 'x'.repeat(40_000) }
    const request = httpsRequest(origin, { rejectUnauthorized: false, agent: false, headers }).end()
    const [response] = (await once(request, 'response')) as [import('node:http').IncomingMessage]
    assert.equal(response.statusCode, 200)
    response.resume()
    await server.close()
  })

  for (const allowHTTP1 of [true, false]) {
    test(`HTTP/2 is served, and HTTP/1 is ${allowHTTP1 ? 'served too if it is allowed' : 'refused if it is not allowed'}`, async () => {
      const server = createServer({ http2: true, https: { key, cert, allowHTTP1 } })
      server.get('/', ({ host, raw }) => ({ host, version: raw.httpVersion }))
      const origin = await server.listen({ port: 0, host: '127.0.0.1' })
      const session = connectHttp2(origin, { rejectUnauthorized: false })
      const stream = session.request({ ':path': '/' })
      const chunks: Buffer[] = []
      for await (const chunk of stream) chunks.push(chunk as Buffer)
      assert.deepEqual(JSON.parse(String(Buffer.concat(chunks))), { host: origin.slice('https://'.length), version: '2.0' })
      session.close()
      const request = httpsRequest(origin, { rejectUnauthorized: false, agent: false }).end()
      const [response] = (await once(request, 'response')) as [import('node:http').IncomingMessage]
      assert.equal(response.statusCode, allowHTTP1 ? 200 : 505)
      response.resume()
      const took = await workingTime(() => server.close())
      // Node alone would wait for 10 s.
      assert.ok(took < 2_000, 'closing does not wait for a client that was refused')
    })
  }
})
