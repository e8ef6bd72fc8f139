/** What one connection may cost: below 1 MiB of heap, beside the bodies of its open requests, whatever its client sends. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const MiB = 1_048_576
const CONNECTIONS = 2
const program = fileURLToPath(new URL(`../fixtures/budget-server.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url))

/** A server process whose heap has 64 MB. */
async function startServer(version: 1 | 2): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [...process.execArgv, '--max-old-space-size=64', '--expose-gc', program, String(version)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [port] = await once(child, 'message')
  return { child, port }
}

function head(line: string, fields = ''): string {
  return `${line} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`
}

const waits = head('GET /waits')
const chunked = 'Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n'
const oneByteChunks = '1\r\nx\r\n'.repeat(150_000)
const tiny = 'GET /tiny HTTP/1.1\r\nHost:\r\n\r\n'.repeat(60_000)

/** What is written, and the bytes of the bodies in it that the server may keep. */
const attacks: Record<string, { parts: (string | Buffer)[]; body?: number }> = {
  'a body in chunks of one byte': { parts: [head('POST /parsed', chunked), oneByteChunks], body: 150_000 },
  'a body in chunks of one byte that nothing reads': { parts: [head('POST /unread', chunked), oneByteChunks], body: 131_072 },
  'a body in chunks of one byte that is not read on': { parts: [head('POST /stalled', chunked), oneByteChunks], body: 131_072 },
  'pipelined requests': { parts: [tiny] },
  'requests behind one that is not answered': { parts: [waits, tiny] },
  'requests behind one that is not answered, after few': { parts: [waits, 'GET /tiny HTTP/1.1\r\nHost:\r\n\r\n'.repeat(100), tiny] },
  'requests behind a refused one': { parts: [`${waits}GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`, tiny] },
  'requests behind a reply that closes the connection and goes on': { parts: [head('GET /events'), tiny] },
  'requests without a host behind one that is not answered': { parts: [waits, 'GET / HTTP/1.1\r\n\r\n'.repeat(80_000)] },
  'requests with an unknown expectation': { parts: [waits, head('GET /tiny', 'Expect: x\r\n').repeat(80_000)] },
  'requests with bodies': {
    parts: [waits, head('POST /parsed', 'Content-Type: text/plain\r\nContent-Length: 1\r\n').replace(/$/, 'x').repeat(40_000)],
  },
  'bytes that are not HTTP': { parts: [waits, 'no http\r\n'.repeat(150_000)] },
}

const CONTINUED = 0
const END_STREAM = 1
const END_HEADERS = 4

/** A frame of HTTP/2 (RFC 9113 §4.1). */
function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const bytes = Buffer.alloc(9 + payload.length)
  bytes.writeUIntBE(payload.length, 0, 3)
  bytes.writeUInt8(type, 3)
  bytes.writeUInt8(flags, 4)
  bytes.writeUInt32BE(stream, 5)
  payload.copy(bytes, 9)
  return bytes
}

/** The frame that begins a request, its fields as literals (RFC 7541 §6.2.2). */
function request(stream: number, method: string, path: string, endFlag = CONTINUED): Buffer {
  const fields = { ':method': method, ':scheme': 'http', ':path': path, ':authority': 'a', 'content-type': 'text/plain' }
  const block = Object.entries(fields).flatMap(([name, value]) => [
    0,
    name.length,
    ...Buffer.from(name),
    value.length,
    ...Buffer.from(value),
  ])
  return frame(1, END_HEADERS | endFlag, stream, Buffer.from(block))
}

const oneByte = Buffer.from('x')
const preface = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0, Buffer.alloc(0))])

/** Requests with bodies in frames of one byte, as many as the window of a stream takes. */
function oneByteFrames(path: string, streams: number): Buffer[] {
  return Array.from({ length: streams }, (_, index) => {
    const id = 2 * index + 1
    return Buffer.concat([request(id, 'POST', path), ...Array.from({ length: 60_000 }, () => frame(0, 0, id, oneByte))])
  })
}

const attacksOnHttp2: typeof attacks = {
  'bodies in frames of one byte': { parts: [preface, ...oneByteFrames('/parsed', 2)], body: 2 * 65_536 },
  'bodies in frames of one byte that nothing reads': { parts: [preface, ...oneByteFrames('/unread', 2)], body: 2 * 65_536 },
  'bodies in frames of one byte that are not read on': { parts: [preface, ...oneByteFrames('/stalled', 2)], body: 2 * 65_536 },
  streams: {
    parts: [preface, Buffer.concat(Array.from({ length: 5_000 }, (_, index) => request(2 * index + 1, 'GET', '/waits', END_STREAM)))],
  },
}

for (const [version, list] of [
  [1, attacks],
  [2, attacksOnHttp2],
] as const) {
  describe(`a connection of HTTP/${version} takes less than 1 MiB of heap beside its bodies:`, { timeout: 60_000 }, () => {
    let server: { child: ChildProcess; port: number }
    before(async () => (server = await startServer(version)))
    after(() => server.child.kill())

    for (const [name, { parts, body = 0 }] of Object.entries(list)) {
      test(name, { timeout: 20_000 }, async () => {
        await atRest(server.child)
        const heapBefore = await ask(server.child, 'heap')
        const clients: Socket[] = []
        for (let count = 0; count < CONNECTIONS; count++) {
          const client = connect({ port: server.port, host: '127.0.0.1', noDelay: true })
          client.on('error', () => {})
          clients.push(client)
          await once(client, 'connect')
          for (const part of parts) {
            client.write(part)
            await sleep(20)
          }
        }
        await atRest(server.child)
        const cost = ((await ask(server.child, 'heap')) - heapBefore) / CONNECTIONS
        for (const client of clients) client.destroy()
        assert.ok(cost < MiB + body, `${Math.round(cost / 1024)} KiB`)
      })
    }
  })
}

/** Waits until a server has read what it will read, also of connections that an earlier test has left: else these would count for the next. */
async function atRest(child: ChildProcess): Promise<void> {
  let read = -1
  for (let same = 0; same < 4;) {
    await sleep(40)
    const now = await ask(child, 'read')
    same = now === read ? same + 1 : 0
    read = now
  }
}

async function ask(child: ChildProcess, what: 'heap' | 'read'): Promise<number> {
  child.send(what)
  const [bytes] = await once(child, 'message')
  return bytes
}
