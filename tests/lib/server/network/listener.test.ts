/** Listening: addresses, ports, sockets, and closing. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import dns from 'node:dns'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer as createHttpServer, request as httpRequest } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { type AddressInfo, connect, createServer as createNetServer } from 'node:net'
import { tmpdir } from 'node:os'
import type { Stream } from 'node:stream'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, type Server } from 'alcove/lib'

test('a server listens on all addresses of localhost, at one port', async () => {
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

test('a port given beside a path is opened on localhost only', async () => {
  await using server = createServer()
  await server.listen({ port: 0, path: '/ignored' })
  const local = new Set((await lookup('localhost', { all: true })).map(({ address }) => address))
  for (const each of server.addresses()) assert.ok(local.has((each as AddressInfo).address), JSON.stringify(each))
})

describe('a server on localhost with several addresses', () => {
  const addresses = ['127.0.0.1', '127.0.0.2', '192.0.2.1']
  // No machine has the last one (RFC 5737).
  function resolvingTo(t: TestContext, answer: (done: (error: Error | null, found: unknown) => void) => void): void {
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

  test('listens on those that the machine has, and serves all of them alike', async (t) => {
    resolvingTo(t, (done) =>
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
    // On other systems than Linux, 127.0.0.2 must be set up first.
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

  test('listens on the first if the others cannot be looked up', async (t) => {
    resolvingTo(t, (done) => done(new Error('no answer'), undefined))
    const server = createServer()
    await server.listen({ port: 0, host: 'localhost' })
    assert.equal(server.addresses().length, 1)
    await server.close()
  })
})

test('the listening origin has an IPv6 address in brackets', async () => {
  const server = createServer({
    serverFactory: (handler) => Object.assign(createHttpServer(handler), { address: () => ({ address: '::1', family: 'IPv6', port: 80 }) }),
  })
  assert.equal(server.listeningOrigin, 'http://[::1]:80')
  await server.close()
})

test('a server listens on a unix socket, its path is the address, and closing removes it', async () => {
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

describe('a listenTextResolver that gives no text', () => {
  const options = { port: 0, host: '127.0.0.1' } as const
  test('is refused before the port opens, if it is asynchronous or no function', async () => {
    for (const listenTextResolver of [async () => 'x', 'x'] as never[]) {
      const server = createServer()
      await assert.rejects(server.listen({ ...options, listenTextResolver }), {
        code: 'ALC_ERR_LISTEN_OPTIONS_INVALID',
        message: /listenTextResolver must be a function that returns a text, not a promise/,
      })
      assert.deepEqual(server.addresses(), [])
      await server.close()
    }
  })

  const failing: Record<string, [fail: () => unknown, message: string]> = {
    throws: [() => assert.fail('no text'), 'no text'],
    'returns a promise that rejects': [() => Promise.reject(new Error('late')), 'listenTextResolver must not be asynchronous'],
  }
  for (const [what, [fail, message]] of Object.entries(failing))
    test(`closes the server, and listen rejects, if it ${what}`, async () => {
      const server = createServer()
      let isClosed = false
      server.addHook('onClose', async () => void (isClosed = true))
      await assert.rejects(server.listen({ ...options, listenTextResolver: fail as never }), { message })
      const seen = [server.addresses(), isClosed]
      await server.close()
      assert.deepEqual(seen, [[], true])
    })
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

  test('that is already aborted closes the server before it listens', async () => {
    const server = createServer()
    assert.equal(await server.listen({ port: 0, signal: AbortSignal.abort() }), undefined)
    assert.equal(server.server.listening, false)
  })

  test('that is not an AbortSignal is refused', () => {
    assert.throws(() => createServer().listen({ signal: {} as never }), { code: 'ALC_ERR_LISTEN_OPTIONS_INVALID' })
  })
})

test('a misspelt option of listen is refused, which would open any free port', async () => {
  for (const [options, meant] of [
    [{ prot: 3000 }, 'port'],
    [{ hostname: '127.0.0.1' }, 'host'],
    [{ sigal: new AbortController().signal }, 'signal'],
    [{ listenTextResolvr: String }, 'listenTextResolver'],
  ] as const) {
    await assert.rejects(async () => createServer().listen(options as never), {
      code: 'ALC_ERR_LISTEN_OPTIONS_INVALID',
      message: new RegExp(`Did you mean ${meant}\\?`),
    })
  }
})

test('a server listens by a file descriptor that another process has opened', async () => {
  const code = `
    import { createServer } from ${JSON.stringify(new URL('../../../../lib/index.js', import.meta.url).href)}
    const server = createServer()
    server.get('/', () => 'here')
    const address = await server.listen({ fd: 3 })
    console.log(address.startsWith('http') ? await (await fetch(address)).text() : address)
    await server.close()`
  for (const [target, printed] of [
    [{ host: '127.0.0.1', port: 0 }, 'here\n'],
    [{ path: join(mkdtempSync(join(tmpdir(), 'alcove-fd-')), 'socket') }, 'a file descriptor\n'],
  ] as const) {
    const opened = createNetServer().listen(target)
    await once(opened, 'listening')
    const { _handle: handle } = opened as unknown as { _handle: Stream }
    const child = spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: ['ignore', 'pipe', 'inherit', handle] })
    opened.close()
    let text = ''
    child.stdout!.on('data', (chunk) => (text += String(chunk)))
    await once(child, 'close')
    assert.equal(text, printed)
  }
})

test('listening on a used port fails with the port, and the server may listen on another one then', async () => {
  const other = createNetServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const server = createServer()
  await assert.rejects(server.listen({ port, host: '127.0.0.1' }), { code: 'EADDRINUSE', port })
  assert.match(await server.listen({ port: 0, host: '127.0.0.1' }), /^http:\/\/127\.0\.0\.1:\d+$/)
  await server.close()
  other.close()
})

test('a server listens only once, and not again after it was closed', async () => {
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

test('an unknown error of listening is passed on as it is', async () => {
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

test('a server of serverFactory that the application itself made listen keeps listening when the instance closes', async () => {
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

test('a server of serverFactory keeps its own closeIdleConnections', async () => {
  const own = (): void => {}
  const server = createServer({ serverFactory: (handler) => Object.assign(createHttpServer(handler), { closeIdleConnections: own }) })
  await server.listen({ port: 0, host: '127.0.0.1' })
  await server.close()
  assert.equal(server.server.closeIdleConnections, own)
})

describe('a server that is closed before it listens', () => {
  /** Each closes a server while it starts, and returns the promises of listening and closing. */
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
    test(`${name} does not listen afterwards, and listen rejects`, { timeout: 5_000 }, async () => {
      const server = createServer()
      const { listening, closing } = await start(server)
      await assert.rejects(listening, { code: 'ALC_ERR_REOPENED_CLOSE_SERVER' })
      await closing
      assert.deepEqual(server.addresses(), [])
    })
  }
})

test('a port that is taken or invalid is refused with advice', async () => {
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

test('a path is refused whose file another process uses, or a killed one has left, with advice', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'alcove-')), 'socket')
  await using first = createServer()
  await first.listen({ path })
  await using second = createServer()
  await assert.rejects(second.listen({ path }), {
    code: 'EADDRINUSE',
    message: /choose another path\. If no process does, delete the file/,
  })
})

test('the sockets of a server without closeAllConnections are closed by the framework', { timeout: 5_000 }, async () => {
  const server = createServer({
    forceCloseConnections: true,
    serverFactory: (handler) => Object.assign(createHttpServer(handler), { closeAllConnections: undefined as never }),
  })
  server.get('/', () => '')
  const { port } = new URL(await server.listen())
  const socket = connect(Number(port), '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await once(socket, 'data')
  await Promise.all([server.close(), once(socket, 'close')])
})

test('closing idle connections is refused if the server lacks closeIdleConnections', () => {
  const bare = () => Object.assign(createHttpServer(), { closeIdleConnections: undefined as never })
  assert.throws(() => createServer({ forceCloseConnections: 'idle', serverFactory: bare }), {
    code: 'ALC_ERR_FORCE_CLOSE_CONNECTIONS_IDLE_NOT_AVAILABLE',
  })
})
