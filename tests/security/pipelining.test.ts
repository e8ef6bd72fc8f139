/** What requests may cost that come on a connection before the replies to earlier ones are out. */
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Duplex, PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { elapse } from '../fixtures/elapse.js'
import { open, parse, raw, recorder, type Target, wireTest } from './wire.js'

/** How many requests the handler of `/side` has served. */
let served = 0

const tiny = 'GET /tiny HTTP/1.1\r\nHost: a\r\n\r\n'
/** More than one read. */
const flood = tiny.repeat(40_000)

/** The server's side of the next connection. */
function accepted({ server }: Target): Promise<Socket> {
  return once(server.server, 'connection').then(([socket]) => socket)
}

/** Waits until the server has read a number of bytes. */
async function untilRead(socket: Socket, bytes: number): Promise<void> {
  while (socket.bytesRead < bytes) await sleep(5)
}

function gate(): { promise: Promise<void>; open: () => void } {
  let release!: () => void
  const promise = new Promise<void>((resolve) => (release = resolve))
  return { promise, open: release }
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
}

{
  let running = 0
  let most = 0
  wireTest(
    'at most 32 pipelined requests of a connection are served at a time, and all are answered in order',
    (server) => {
      server.get('/:id', async (request) => {
        most = Math.max(most, ++running)
        await sleep(5)
        running--
        return (request.params as { id: string }).id
      })
    },
    async ({ port }) => {
      const ids = Array.from({ length: 280 }, (_, index) => String(index))
      const { text } = await raw(port, ids.map((id) => get(`/${id}`)).join(''))
      assert.deepEqual(
        parse(text).map((answer) => answer.body),
        ids,
      )
      assert.equal(most, 32)
    },
  )
}

for (const max of [1, 2]) {
  let running = 0
  let most = 0
  wireTest(
    `maxPipelinedRequests: ${max} is kept for requests with bodies of several reads`,
    (server) => {
      server.post('/', async (request) => {
        most = Math.max(most, ++running)
        await sleep(1)
        running--
        return (request.body as string).length
      })
    },
    async ({ port }) => {
      const body = 'x'.repeat(200_000)
      const request = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      const { text } = await raw(port, request.repeat(20))
      assert.deepEqual(
        parse(text).map((answer) => answer.body),
        Array.from({ length: 20 }, () => '200000'),
      )
      assert.equal(most, max)
    },
    { maxPipelinedRequests: max },
  )
}

{
  const slow = gate()
  const counter = { tiny: 0 }
  wireTest(
    'a connection with too many unanswered requests is not read until they are answered; then it is read on',
    (server) => {
      server.get('/slow', () => slow.promise.then(() => 'slow'))
      server.get('/tiny', () => counter.tiny++)
    },
    async (target) => {
      const connection = accepted(target)
      const client = await open(target.port)
      const socket = await connection
      client.write(get('/slow'))
      await elapse(50)
      client.write(tiny.repeat(100))
      await elapse(50)
      const read = socket.bytesRead
      client.write(tiny.repeat(200))
      await elapse(100)
      assert.equal(socket.bytesRead, read)
      assert.equal(counter.tiny, 31)
      slow.open()
      client.resume()
      while (counter.tiny < 300) await sleep(5)
      client.destroy()
    },
  )
}

wireTest(
  '500 requests that come in one read are all answered, though only 32 are served at a time',
  (server) => {
    server.get('/tiny', async () => 'tiny')
  },
  async ({ port }) => {
    const answers = parse((await raw(port, tiny.repeat(500))).text)
    assert.equal(answers.filter(({ status, body }) => status === 200 && body === 'tiny').length, 500)
  },
)

for (const isBehindSlow of [false, true]) {
  const { lines, logger } = recorder()
  let count = 0
  wireTest(
    `of requests of which one read brings too many, ${isBehindSlow ? 'behind a slow one, ' : ''}the first 512 are answered, then the connection closes, and that is logged`,
    (server) => {
      server.get('/slow', () => sleep(300, 'slow'))
      server.get('/tiny', async () => count++)
    },
    async ({ port }) => {
      const { text, isClosed } = await raw(port, (isBehindSlow ? get('/slow') : tiny) + tiny.repeat(1_500))
      const answers = parse(text)
      assert.equal(answers.length, 512)
      assert.deepEqual([answers.at(-2)!.headers['connection'], answers.at(-1)!.headers['connection']], ['keep-alive', 'close'])
      assert.ok(isClosed)
      assert.equal(count, isBehindSlow ? 511 : 512)
      assert.equal(lines.filter(({ message }) => /too many pipelined requests/.test(message)).length, 1)
    },
    { logger },
  )
}

wireTest(
  'a connection whose requests are held for 5 s without a reply closes after them; more is not served',
  (server) => {
    server.get('/slow', () => sleep(6_000, 'slow'))
    server.get('/tiny', async () => 'tiny')
  },
  async (target) => {
    const client = await open(target.port)
    let text = ''
    client.on('data', (chunk) => (text += chunk))
    client.write(get('/slow') + tiny.repeat(40))
    await elapse(100)
    client.write(tiny.repeat(10))
    await once(client, 'close')
    const answers = parse(text)
    assert.deepEqual([answers.length, answers.at(-1)!.headers['connection']], [41, 'close'])
  },
)

{
  const slow = gate()
  wireTest(
    'bytes behind a refused request are dropped, and the replies before them still arrive',
    (server) => {
      server.get('/slow', () => slow.promise.then(() => 'slow'))
    },
    async (target) => {
      const connection = accepted(target)
      const client = await open(target.port)
      const socket = await connection
      let text = ''
      client.on('data', (chunk) => (text += chunk))
      client.write(`${get('/slow')}GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`)
      await elapse(50)
      client.write(tiny.repeat(10))
      await elapse(50)
      client.write(flood)
      await untilRead(socket, flood.length)
      slow.open()
      await once(client, 'close')
      assert.deepEqual(
        parse(text).map((answer) => answer.status),
        [200, 400],
      )
    },
  )
}

let tinyServed = 0
wireTest(
  'requests behind a reply that closes the connection and goes on are dropped',
  (server) => {
    server.get('/events', (_, reply) => {
      const events = new PassThrough()
      events.write('data: 1\n\n')
      return reply.header('connection', 'close').type('text/event-stream').send(events)
    })
    server.get('/tiny', () => tinyServed++)
  },
  async (target) => {
    const connection = accepted(target)
    const client = await open(target.port)
    const socket = await connection
    client.resume()
    client.write(get('/events'))
    await elapse(50)
    client.write(tiny.repeat(10))
    await elapse(50)
    client.write(flood)
    await untilRead(socket, flood.length)
    assert.equal(tinyServed, 0)
    client.destroy()
  },
)

{
  let requests = 0
  wireTest(
    'bytes that come while a connection closes are read and dropped: no request is made of them',
    (server) => {
      server.post('/', () => 'ok')
      server.server.prependListener('request', () => requests++)
    },
    async ({ port }) => {
      const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
      client.on('error', () => {})
      let text = ''
      client.on('data', (chunk) => (text += chunk))
      client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n')
      await once(client, 'end')
      assert.equal(parse(text)[0]?.status, 413)
      client.write('0\r\n\r\n')
      for (let round = 0; round < 20; round++) {
        client.write(tiny.repeat(50))
        await sleep(10)
      }
      client.destroy()
      assert.ok(requests > 1 && requests < 120, `${requests} requests`)
    },
    { bodyLimit: 4 },
  )
}

wireTest(
  'bytes behind a request that are not HTTP are dropped until it is answered',
  (server) => {
    server.get('/slow', () => sleep(1_500, 'slow'))
  },
  async (target) => {
    const connection = accepted(target)
    const client = await open(target.port)
    const socket = await connection
    let text = ''
    client.on('data', (chunk) => (text += chunk))
    client.write(get('/slow'))
    await elapse(50)
    const bytes = 'no http\r\n'.repeat(200_000)
    client.write(bytes)
    await untilRead(socket, bytes.length)
    await once(client, 'end')
    client.destroy()
    assert.match(text, /^HTTP\/1.1 200 OK.*slow/s)
  },
)

{
  const storage = new AsyncLocalStorage<string>()
  const seen: (string | undefined)[] = []
  wireTest(
    'a request that was held does not see the AsyncLocalStorage of the request whose reply made room for it',
    (server) => {
      server.get('/:id', async (request, reply) => {
        seen.push(storage.getStore())
        const { id } = request.params as { id: string }
        await storage.run(id, async () => {
          await sleep(1)
          reply.send(id)
        })
        return reply
      })
    },
    async ({ port }) => {
      await raw(port, Array.from({ length: 10 }, (_, id) => get(`/${id}`)).join(''))
      assert.deepEqual(
        seen,
        Array.from({ length: 10 }, () => undefined),
      )
    },
    { maxPipelinedRequests: 2 },
  )
}

for (const [connection, isServed] of [
  ['close', false],
  ['Close', false],
  ['te, close', false],
  ['close, te', false],
  ['disclose', true],
  ['closed', true],
  [undefined, true],
] as const) {
  for (const place of ['reply', 'raw response']) {
    wireTest(
      `a request is ${isServed ? '' : 'not '}served behind a ${place} with the header connection: ${connection}`,
      (server) => {
        server.get('/', (_request, reply) => {
          if (connection !== undefined && place === 'reply') reply.header('connection', connection)
          else if (connection !== undefined) reply.raw.setHeader('connection', connection)
          return reply.send(Buffer.from('first'))
        })
        server.get('/side', () => {
          served++
          return 'second'
        })
      },
      async ({ port }) => {
        served = 0
        const { text } = await raw(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /side HTTP/1.1\r\nHost: a\r\n\r\n')
        assert.deepEqual([text.includes('first'), text.includes('second'), served], [true, isServed, isServed ? 1 : 0])
      },
    )
  }
}

wireTest(
  'a request behind one of HTTP/1.0, which closes its connection, is not served',
  (server) => {
    server.get('/', () => Buffer.from('first'))
    server.get('/side', () => {
      served++
      return 'second'
    })
  },
  async ({ port }) => {
    served = 0
    const { text } = await raw(port, 'GET / HTTP/1.0\r\nHost: a\r\n\r\nGET /side HTTP/1.0\r\nHost: a\r\n\r\n')
    assert.deepEqual([text.includes('first'), text.includes('second'), served], [true, false, 0])
  },
)

for (const [kind, encode] of Object.entries({
  texts: (text: string) => [text, 'latin1'] as const,
  'texts in another encoding': (text: string) => [Buffer.from(text).toString('base64'), 'base64'] as const,
  bytes: (text: string) => [Buffer.from(text), undefined] as const,
})) {
  wireTest(
    `a connection of the application that pushes ${kind} has all its requests answered`,
    (server) => {
      server.get('/slow', () => sleep(5, 'slow'))
      server.post('/', (request) => (request.body as { text: string }).text.length)
    },
    async ({ server }) => {
      let received = ''
      const all = gate()
      const connection = new Duplex({
        read() {},
        write(chunk: Buffer, _encoding, done) {
          received += chunk.toString()
          if (/connection: close/i.test(received)) setImmediate(all.open)
          done()
        },
      })
      server.server.emit('connection', connection)
      const body = JSON.stringify({ text: 'x'.repeat(5_000) })
      const post = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      const push = (text: string): boolean => Reflect.apply(connection.push, connection, encode(text))
      // From the first stop on, Node's parser gets slices.
      push(get('/slow').repeat(40))
      await new Promise((resolve) => setImmediate(resolve))
      push(post.repeat(3))
      push('GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      await all.promise
      const answers = parse(received)
      assert.deepEqual(
        answers.map(({ status, body: text }) => `${status} ${text}`),
        [...Array.from({ length: 40 }, () => '200 slow'), ...Array.from({ length: 3 }, () => '200 5000'), '200 slow'],
      )
    },
  )
}
