/**
 * Random pipelines: requests of all sizes are written in random pieces, many before the replies to earlier ones are out, to servers with
 * different limits. Each must be answered, in order.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, type Server } from 'alcove/lib'

/** The limits of pipelined requests of the servers that are asked. */
const limits = [1, 2, 5, 32] as const

/** Numbers below 1, the same for each seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

async function startServers(): Promise<Server[]> {
  return Promise.all(
    limits.map(async (maxPipelinedRequests) => {
      const server = createServer({ maxPipelinedRequests })
      const wait = async (time: string): Promise<void> => {
        if (time === '1') await Promise.resolve()
        else if (time !== '0') await sleep(Number(time) - 2)
      }
      server.get('/:time/:id', async (request) => {
        const { time, id } = request.params as { time: string; id: string }
        await wait(time)
        return `${id}:0`
      })
      // The body waits unread while the guard is at work.
      server.addHook('onRequest', async ({ method, params }) => (method === 'POST' ? wait((params as { time: string }).time) : undefined))
      server.post('/:time/:id', (request) => `${(request.params as { id: string }).id}:${(request.body as string).length}`)
      await server.listen({ port: 0, host: '127.0.0.1' })
      return server
    }),
  )
}

/** Sizes of bodies around those at which something changes: the buffers of a stream, of a socket and of a read. */
const sizes = [0, 1, 100, 1_000, 16_000, 17_000, 40_000, 66_000, 140_000] as const

/** Writes a request. @returns it, and the body of its reply */
function makeRequest(random: () => number, id: number): { bytes: string; answer: string } {
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!
  const time = random() < 0.6 ? 0 : random() < 0.7 ? 1 : 2 + Math.floor(random() * 4)
  const url = `/${time}/${id}`
  if (random() < 0.6) {
    const filler = random() < 0.2 ? `X: ${'x'.repeat(pick([100, 1_000, 4_000]))}\r\n` : ''
    return { bytes: `GET ${url} HTTP/1.1\r\nHost: a\r\n${filler}\r\n`, answer: `${id}:0` }
  }
  const body = 'x'.repeat(pick(sizes))
  const head = `POST ${url} HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\n`
  const answer = `${id}:${body.length}`
  if (body.length > 0 && random() < 0.3) {
    const half = Math.ceil(body.length / 2)
    const chunks = [body.slice(0, half), body.slice(half)].filter((chunk) => chunk !== '')
    const coded = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')
    return { bytes: `${head}Transfer-Encoding: chunked\r\n\r\n${coded}0\r\n\r\n`, answer }
  }
  return { bytes: `${head}Content-Length: ${body.length}\r\n\r\n${body}`, answer }
}

/** Reads replies whose bodies are texts with a length. Calls back with each body. */
function readReplies(socket: Socket, onReply: (body: string) => void): void {
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    for (;;) {
      const end = text.indexOf('\r\n\r\n')
      const length = end === -1 ? undefined : Number(/content-length: (\d+)/i.exec(text.slice(0, end))?.[1])
      if (length === undefined || text.length < end + 4 + length) return
      onReply(text.slice(end + 4, end + 4 + length))
      text = text.slice(end + 4 + length)
    }
  })
}

/** Most requests of a client whose replies are not there yet: far more than this in one read close a connection. */
const MAX_OPEN = 200

/** One connection. @returns how many replies came */
async function runConnection(port: number, seed: number): Promise<number> {
  const random = randomOf(seed)
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const expected: string[] = []
  let replies = 0
  let onReply = (): void => {}
  readReplies(socket, (body) => {
    assert.equal(body, expected.shift(), `seed ${seed}`)
    replies++
    onReply()
  })
  await once(socket, 'connect')
  const failed = Promise.race([once(socket, 'error'), once(socket, 'end')]).then(([error]) => {
    throw new Error(`seed ${seed}: the connection ended after ${replies} replies`, { cause: error })
  })
  const until = async (isDone: () => boolean): Promise<void> => {
    while (!isDone()) await Promise.race([new Promise<void>((resolve) => (onReply = resolve)), failed])
  }
  const count = 1 + Math.floor(random() ** 2 * 300)
  for (let id = 0; id < count;) {
    let bytes = ''
    for (const end = Math.min(count, id + 1 + Math.floor(random() ** 3 * 60)); id < end; id++) {
      const request = makeRequest(random, id)
      bytes += request.bytes
      expected.push(request.answer)
    }
    for (let start = 0; start < bytes.length;) {
      const length = random() < 0.5 ? bytes.length : 1 + Math.floor(random() * 30_000)
      socket.write(bytes.slice(start, start + length), 'latin1')
      start += length
      if (random() < 0.3) await sleep(random() * 3)
    }
    const most = random() < 0.3 ? 0 : MAX_OPEN
    await until(() => expected.length <= most)
  }
  await until(() => expected.length === 0)
  failed.catch(() => {})
  socket.destroy()
  return replies
}

/** ms in which a connection must have all its replies */
const LIMIT = 60_000

/** Runs connections with consecutive seeds, eight at a time. @returns how many replies came */
export async function runPipelines(wanted: number, seed = 1): Promise<number> {
  const servers = await startServers()
  const ports = servers.map(({ server }) => (server.address() as AddressInfo).port)
  let [replies, next] = [0, seed]
  const work = async (): Promise<void> => {
    while (replies < wanted) {
      const own = next++
      const timer = setTimeout(() => {
        throw new Error(`seed ${own}: a request was not answered within ${LIMIT} ms`)
      }, LIMIT)
      replies += await runConnection(ports[own % ports.length]!, own)
      clearTimeout(timer)
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
  for (const server of servers) await server.close()
  return replies
}
