/** Clients that do not take their replies: over HTTP/1 they stop reading, over HTTP/2 they keep the window of a stream closed. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { setTimeout as sleep } from 'node:timers/promises'
import { PassThrough, Readable } from 'node:stream'
import { createServer, type Server } from 'alcove/lib'
import { cert, key } from '../fixtures/certificate.js'
import { open, recorder, wireTest } from './wire.js'

const SEND_TIMEOUT = 400
/** For a client that must make progress within it, also if the process stalls; a reply that is read slowly takes longer in all. */
const PATIENT = 1_000
const QUIET = 2 * PATIENT
const large = Buffer.alloc(16_000_000, 'x')
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

function declare(server: Server): void {
  server.get('/large', () => large)
  // Each reply is small; the client takes none.
  server.get('/growing', (_, reply) => {
    const source = new PassThrough()
    source.write(large)
    const timer = setInterval(() => source.write('x'), 20)
    source.on('close', () => clearInterval(timer))
    return reply.send(source)
  })
  server.get('/quiet', (_, reply) => {
    const source = new PassThrough()
    source.write('one')
    setTimeout(() => source.end('two'), QUIET)
    return reply.send(source)
  })
}

/** Resolves with the number of connections of a server when that is 0, or after some time. */
async function connectionsLeft(server: Server): Promise<number> {
  for (let waited = 0; ; waited += 50) {
    const count = await new Promise<number>((resolve) => server.server.getConnections((_, found) => resolve(found)))
    if (count === 0 || waited > 20 * SEND_TIMEOUT) return count
    await sleep(50)
  }
}

for (const path of ['/large', '/growing']) {
  const { lines, logger } = recorder()
  wireTest(
    `a client that does not read ${path} loses its connection, and that is logged`,
    declare,
    async ({ port, server }) => {
      const client = await open(port)
      client.write(get(path))
      assert.equal(await connectionsLeft(server), 0)
      assert.equal(lines.filter(({ message }) => /does not take its reply/.test(message)).length, 1)
      client.destroy()
    },
    { sendTimeout: SEND_TIMEOUT, logger },
  )
}

wireTest(
  'a client that reads slowly gets the whole reply, and so does one that waits for a quiet source',
  declare,
  async ({ port }) => {
    const quiet = await open(port)
    let text = ''
    quiet.on('data', (chunk) => (text += chunk))
    quiet.write(get('/quiet'))
    const slow = await open(port)
    slow.write(get('/large'))
    let received = 0
    slow.on('data', (chunk) => {
      received += chunk.length
      slow.pause()
      setTimeout(() => slow.resume(), 6)
    })
    while (received < large.length && !slow.destroyed) await sleep(50)
    assert.ok(received > large.length, `closed after ${received} bytes`)
    while (!text.includes('two') && !quiet.destroyed) await sleep(50)
    assert.match(text, /one.*two/s)
    slow.destroy()
    quiet.destroy()
  },
  { sendTimeout: PATIENT },
)

for (const options of [{}, { https: { key, cert } }]) {
  const kind = options.https ? 'with TLS' : 'in plain text'
  for (const version of [1, 2] as const) {
    if (version === 1 && !options.https) continue
    wireTestOver(version, kind, options)
  }
}

function wireTestOver(version: 1 | 2, kind: string, options: { https?: { key: string; cert: string } }): void {
  const loss = version === 2 ? 'the reply or its connection; a PING is not progress' : 'its connection'
  const title = `over HTTP/${version} ${kind} a client that does not take its reply loses ${loss}`
  test(title, { timeout: 20_000 }, async () => {
    const server = createServer({ ...options, http2: version === 2, sendTimeout: SEND_TIMEOUT, forceCloseConnections: true })
    declare(server)
    await server.listen({ port: 0, host: '127.0.0.1' })
    const { port } = server.server.address() as AddressInfo
    try {
      if (version === 1) {
        const client = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
        client.on('error', () => {})
        client.write(get('/large'))
        client.pause()
        await sleep(100)
        assert.equal(await connectionsLeft(server), 0)
      } else {
        const session = http2.connect(`http${options.https ? 's' : ''}://127.0.0.1:${port}`, { rejectUnauthorized: false })
        session.on('error', () => {})
        const timer = setInterval(() => session.destroyed || session.ping(() => {}), 20)
        session.on('close', () => clearInterval(timer))
        const stream = session.request({ ':path': '/large' })
        stream.on('error', () => {})
        await once(stream, 'response')
        const quiet = session.request({ ':path': '/quiet' })
        quiet.on('error', () => {}).resume()
        await once(stream, 'close')
      }
    } finally {
      await server.close()
    }
  })
}

test('over HTTP/2 a quiet source is not cut off', { timeout: 20_000 }, async (t) => {
  const server = createServer({ http2: true, sendTimeout: SEND_TIMEOUT, forceCloseConnections: true })
  t.after(() => server.close())
  declare(server)
  await server.listen({ port: 0, host: '127.0.0.1' })
  const session = http2.connect(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}`)
  const stream = session.request({ ':path': '/quiet' })
  let text = ''
  stream.on('data', (chunk) => (text += chunk))
  await once(stream, 'end')
  assert.equal(text, 'onetwo')
  session.destroy()
})

/** Frames of HTTP/2 as a client writes them who opens no window, and asks for something small now and then. */
test('over HTTP/2 a stream whose reply is not taken is reset, though its client takes other replies', { timeout: 20_000 }, async (t) => {
  const server = createServer({ http2: true, sendTimeout: SEND_TIMEOUT, forceCloseConnections: true })
  t.after(() => server.close())
  declare(server)
  server.get('/text', () => 'x'.repeat(300_000))
  server.get('/small', () => 'small')
  const open = new Set<unknown>()
  server.addHook('onRequest', async (request) => void open.add(request))
  server.addHook('onResponse', async (request) => void open.delete(request))
  server.addHook('onRequestAbort', async (request) => void open.delete(request))
  await server.listen({ port: 0, host: '127.0.0.1' })
  const session = http2.connect(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}`, { settings: { initialWindowSize: 8 } })
  const ask = (path: string): http2.ClientHttp2Stream => session.request({ ':path': path })
  const reset: string[] = []
  for (const path of ['/large', '/growing', '/text', '/large'])
    ask(path)
      .on('error', () => {})
      .on('close', () => reset.push(path))
  const timer = setInterval(() => ask('/small').resume(), SEND_TIMEOUT / 40)
  while (reset.length < 4) await sleep(20)
  clearInterval(timer)
  assert.equal(session.destroyed, false)
  session.destroy()
  while (open.size > 0) await sleep(20)
})

test('over HTTP/2 a client that takes a large reply slowly gets all of it', { timeout: 20_000 }, async (t) => {
  const server = createServer({ http2: true, sendTimeout: PATIENT, forceCloseConnections: true })
  t.after(() => server.close())
  const text = 'x'.repeat(1_000_000)
  server.get('/text', () => text)
  server.get('/stream', () => Readable.from([Buffer.from(text), Buffer.from(text)]))
  await server.listen({ port: 0, host: '127.0.0.1' })
  const session = http2.connect(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}`)
  const take = async (path: string): Promise<number> => {
    const stream = session.request({ ':path': path })
    let received = 0
    // By its length: some lines of Node hand out several frames at once.
    stream.on('data', (chunk: Buffer) => {
      received += chunk.length
      stream.pause()
      setTimeout(() => stream.resume(), chunk.length / 500)
    })
    await once(stream, 'close')
    return received
  }
  assert.deepEqual(await Promise.all([take('/text'), take('/stream')]), [1_000_000, 2_000_000])
  session.destroy()
})
