import assert from 'node:assert/strict'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { connect, createServer as createNetServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, type Server } from 'alcove/lib'

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
  assert.match(text, /\{"error":"Bad Request","message":"Client Error","statusCode":400\}$/)
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
  const last = new Promise<void>((resolve) =>
    server.addHook('onListen', (done) => {
      seen.push('second')
      done()
      resolve()
    }),
  )
  await server.listen({ port: 0, host: '127.0.0.1' })
  await last
  assert.deepEqual(seen, ['listening', 'second'])
  assert.equal(lines.length, 1)
  await server.close()
})

test('a port that is taken, or is none, is refused with what to do', async () => {
  const first = createServer()
  const { port } = new URL(await first.listen({ port: 0, host: '127.0.0.1' }))
  const second = createServer()
  await assert.rejects(second.listen({ port: Number(port), host: '127.0.0.1' }), {
    code: 'EADDRINUSE',
    message: `listen EADDRINUSE: address already in use 127.0.0.1:${port}. Something listens there already: stop it, or choose another port.`,
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
