import assert from 'node:assert/strict'
import dns from 'node:dns'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer as createHttpServer, request as httpRequest } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { syncBuiltinESMExports } from 'node:module'
import { connect, createServer as createNetServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, type Server } from 'alcove/lib'
import { cert, key } from '../fixtures/certificate.js'

test('localhost is listened at on all of its addresses, at one port', async () => {
  const server = createServer()
  server.get('/', () => 'here')
  await server.listen({ port: 0 })
  const known = await lookup('localhost', { all: true })
  const { port } = server.server.address() as AddressInfo
  const listened = server.addresses() as AddressInfo[]
  assert.ok(listened.length >= 1 && listened.length <= new Set(known.map(({ address }) => address)).size)
  for (const { address, family, port: own } of listened) {
    assert.equal(own, port)
    const answer = await fetch(`http://${family === 'IPv6' ? `[${address}]` : address}:${port}/`)
    assert.equal(await answer.text(), 'here')
  }
  await server.close()
  assert.deepEqual(server.addresses(), [])
})

describe('localhost with several addresses', () => {
  const addresses = ['127.0.0.1', '127.0.0.2', '192.0.2.1']
  // The last is one that no machine has.
  function knowing(t: TestContext, answer: (done: (error: Error | null, found: unknown) => void) => void): void {
    const real = dns.lookup
    t.mock.method(dns, 'lookup', (host: string, options: any, done: any) => {
      // Node 22 and later ask in the same way for the first address to listen at.
      const isOfNode = new Error('where').stack!.includes('lookupAndListen')
      if (options.all === true && !isOfNode) answer(done)
      else if (options.all === true) done(null, [{ address: '127.0.0.1', family: 4 }])
      else Reflect.apply(real, dns, [host === 'localhost' ? '127.0.0.1' : host, options, done])
    })
    syncBuiltinESMExports()
    t.after(() => {
      t.mock.restoreAll()
      syncBuiltinESMExports()
    })
  }

  test('is listened at on those that the machine has, and all of them do what the first does', async (t) => {
    knowing(t, (done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      ),
    )
    const lines: string[] = []
    const server = createServer({ logger: { stream: { write: (line: string) => lines.push(JSON.parse(line).msg) } } })
    server.get('/', () => 'here')
    server.server.on('upgrade', (_request, socket) => socket.end('upgraded'))
    server.server.on('checkContinue', (_request, response) => response.writeHead(417).end())
    await server.listen({ port: 0, host: 'localhost' })
    const { port } = server.server.address() as AddressInfo
    const listened = (server.addresses() as AddressInfo[]).map(({ address }) => address).sort()
    // Elsewhere than on Linux, 127.0.0.2 has to be set up first.
    assert.ok(listened.includes('127.0.0.1') && listened.length <= 2, listened.join())
    for (const address of listened) {
      assert.equal(await (await fetch(`http://${address}:${port}/`)).text(), 'here')
      assert.ok(lines.includes(`Server listening at http://${address}:${port}`))
      const upgrading = connect(port, address)
      upgrading.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')
      assert.equal(String((await once(upgrading, 'data'))[0]), 'upgraded')
      const expecting = connect(port, address)
      expecting.write('GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n')
      assert.match(String((await once(expecting, 'data'))[0]), /^HTTP\/1\.1 417 /)
      const garbage = connect(port, address)
      garbage.write('NONSENSE\r\n\r\n')
      assert.match(String((await once(garbage, 'data'))[0]), /400 Bad Request/)
    }
    assert.equal(server.server.unref(), server.server)
    await server.close()
    assert.deepEqual(server.addresses(), [])
  })

  test('is listened at on the first where the others cannot be asked for', async (t) => {
    knowing(t, (done) => done(new Error('no answer'), undefined))
    const server = createServer()
    await server.listen({ port: 0, host: 'localhost' })
    assert.equal(server.addresses().length, 1)
    await server.close()
  })
})

test('an address of IPv6 stands in brackets', async () => {
  const server = createServer({
    serverFactory: (handler) => Object.assign(createHttpServer(handler), { address: () => ({ address: '::1', family: 'IPv6', port: 80 }) }),
  })
  assert.equal(server.listeningOrigin, 'http://[::1]:80')
  await server.close()
})

describe('over TLS', () => {
  test('requests are served, and told so', async () => {
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

  test('a server may be made before it has a certificate', async () => {
    const server = createServer({ https: true })
    assert.match(await server.listen({ port: 0, host: '127.0.0.1' }), /^https:/)
    await server.close()
  })

  test('HTTP/2 replies do not ask Node for a status text, of which it warns', async (t) => {
    const warned = t.mock.method(process, 'emitWarning', () => {})
    const server = createServer({ http2: true })
    server.get('/', (_request, reply) => void reply.header('x-a', 'b').send({ a: 1 }))
    const session = connectHttp2(await server.listen({ port: 0, host: '127.0.0.1' }))
    const stream = session.request({ ':path': '/' })
    const [headers] = await once(stream, 'response')
    stream.resume()
    await once(stream, 'end')
    session.close()
    await server.close()
    assert.deepEqual([headers[':status'], warned.mock.callCount()], [200, 0])
  })

  for (const allowHTTP1 of [true, false]) {
    test(`HTTP/2 is served, and HTTP/1 ${allowHTTP1 ? 'too where it is' : 'not where it is not'} allowed`, async () => {
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
      const start = performance.now()
      await server.close()
      // Node alone would wait for 10 s.
      assert.ok(performance.now() - start < 2_000, 'closing waits for no client that was refused')
    })
  }
})

test('a unix socket is listened at, its path is the address, and closing removes it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'alcove-'))
  const path = join(folder, 'socket')
  const server = createServer()
  server.get('/', () => 'through a file')
  assert.equal(await server.listen({ path }), path)
  const request = httpRequest({ socketPath: path, path: '/' }).end()
  const [response] = (await once(request, 'response')) as [import('node:http').IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  assert.equal(String(Buffer.concat(chunks)), 'through a file')
  await server.close()
  assert.equal(existsSync(path), false)
  rmSync(folder, { recursive: true })
})

describe('an abort signal', () => {
  test('closes the server', async () => {
    const server = createServer()
    const closed = new Promise<void>((resolve) => server.addHook('onClose', async () => resolve()))
    const controller = new AbortController()
    await server.listen({ port: 0, host: '127.0.0.1', signal: controller.signal })
    controller.abort()
    await closed
  })

  test('that is aborted already closes it before it listens', async () => {
    const server = createServer()
    await assert.rejects(server.listen({ port: 0, signal: AbortSignal.abort() }), { code: 'ALC_ERR_REOPENED_CLOSE_SERVER' })
    assert.equal(server.server.listening, false)
  })

  test('that is none is refused', () => {
    assert.throws(() => createServer().listen({ signal: {} as never }), { code: 'ALC_ERR_LISTEN_OPTIONS_INVALID' })
  })
})

test('a used port fails with its address, and the server may listen elsewhere then', async () => {
  const other = createNetServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const server = createServer()
  await assert.rejects(server.listen({ port, host: '127.0.0.1' }), { code: 'EADDRINUSE', port })
  assert.match(await server.listen({ port: 0, host: '127.0.0.1' }), /^http:\/\/127\.0\.0\.1:\d+$/)
  await server.close()
  other.close()
})

test('a server listens once, and not again after it was closed', async () => {
  const server = createServer()
  await server.listen({ port: 0, host: '127.0.0.1' })
  await assert.rejects(server.listen({ port: 0 }), { code: 'ALC_ERR_REOPENED_SERVER' })
  await server.close()
  await assert.rejects(server.listen({ port: 0 }), { code: 'ALC_ERR_REOPENED_CLOSE_SERVER' })
})

test('a server that is asked to listen twice before it is ready listens once', async () => {
  const server = createServer()
  server.addHook('onReady', () => new Promise((resolve) => setTimeout(resolve, 20)))
  const [first, second] = await Promise.allSettled([server.listen({ port: 0, host: '127.0.0.1' }), server.listen({ port: 0 })])
  assert.equal(first.status, 'fulfilled')
  assert.equal((second as PromiseRejectedResult).reason.code, 'ALC_ERR_REOPENED_SERVER')
  await server.close()
})

test('an error of listening that there is no cure for is given as it is', async () => {
  const failure = Object.assign(new Error('no luck'), { code: 'E_UNHEARD_OF' })
  for (const error of [failure, new Error('without a code')]) {
    const server = createServer({
      serverFactory(handler) {
        const http = createHttpServer(handler)
        http.listen = () => http.emit('error', error) as never
        return http
      },
    })
    await assert.rejects(server.listen({ port: 0 }), error)
    await server.close()
  }
})

test('a server that was handed in and listens on its own account goes on when the instance closes', async () => {
  const http = createHttpServer()
  const server = createServer({ serverFactory: (handler) => http.on('request', handler) })
  server.get('/', () => 'here')
  await server.ready()
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  await server.close()
  assert.ok(http.listening)
  http.close()
})

test('a server that was handed in keeps the closeIdleConnections that it came with', async () => {
  const own = (): void => {}
  const server = createServer({ serverFactory: (handler) => Object.assign(createHttpServer(handler), { closeIdleConnections: own }) })
  await server.listen({ port: 0, host: '127.0.0.1' })
  await server.close()
  assert.equal(server.server.closeIdleConnections, own)
})

describe('a server that is closed on its way to listening', () => {
  /** Closes a server on its way, and gives what became of listening. */
  const ways: Record<string, (server: Server) => Promise<{ listening: Promise<unknown>; closing?: Promise<unknown> }>> = {
    'while it binds': async (server) => {
      await server.ready()
      const listening = server.listen({ port: 0, host: 'localhost' })
      return { listening, closing: server.close() }
    },
    'by a plugin': async (server) => {
      server.register(async (instance) => void instance.close())
      return { listening: server.listen({ port: 0, host: '127.0.0.1' }) }
    },
    'while its plugins load': async (server) => {
      server.register(() => sleep(50))
      const listening = server.listen({ port: 0, host: '127.0.0.1' })
      return { listening, closing: server.close() }
    },
  }
  for (const [name, start] of Object.entries(ways)) {
    test(`${name} does not listen afterwards, and says so`, { timeout: 5_000 }, async () => {
      const server = createServer()
      const { listening, closing } = await start(server)
      await assert.rejects(listening, { code: 'ALC_ERR_REOPENED_CLOSE_SERVER' })
      await closing
      assert.deepEqual(server.addresses(), [])
    })
  }
})

test('bytes that are no request are answered 400 and the connection is closed', async () => {
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

test('onListen hooks run after the server listens; one that fails is logged and the others run', async () => {
  const lines: string[] = []
  const seen: string[] = []
  const server = createServer({ logger: { level: 'error', stream: { write: (line: string) => lines.push(line) } } })
  server.addHook('onListen', async () => {
    seen.push(server.server.listening ? 'listening' : 'not yet')
    throw new Error('no')
  })
  server.addHook('onListen', () => void seen.push('plain'))
  server.addHook('onListen', () => {
    throw new Error('no')
  })
  const last = new Promise<void>((resolve) =>
    server.addHook('onListen', (done) => {
      seen.push('second')
      done()
      resolve()
    }),
  )
  await server.listen({ port: 0, host: '127.0.0.1' })
  await last
  assert.deepEqual(seen, ['listening', 'plain', 'second'])
  assert.equal(lines.length, 2)
  await server.close()
})

test('a port that is taken, or is none, is refused with what to do', async () => {
  const first = createServer()
  const { port } = new URL(await first.listen({ port: 0, host: '127.0.0.1' }))
  const second = createServer()
  await assert.rejects(second.listen({ port: Number(port), host: '127.0.0.1' }), {
    code: 'EADDRINUSE',
    message: `listen EADDRINUSE: address already in use 127.0.0.1:${port}. Stop the process that listens there, or choose another port.`,
  })
  await assert.rejects(second.listen({ port: Number.NaN }), { code: 'ERR_SOCKET_BAD_PORT', message: /NaN\)\.+ Pass a whole number/ })
  await first.close()
  await second.close()
})

test('a connection that never sent anything does not hold up the closing, and one that sends late is answered', async () => {
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
