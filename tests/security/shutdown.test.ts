/** Closing: requests in flight are answered, then nothing keeps the process alive. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2 from 'node:http2'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import tls from 'node:tls'
import { createServer, type Server, type ServerOptions } from 'alcove/lib'
import { cert, key } from '../fixtures/certificate.js'
import { countdown } from '../fixtures/countdown.js'
import { until, workingTime } from '../fixtures/elapse.js'
import { open, parse, recorder } from './wire.js'

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

interface Listening {
  readonly server: Server
  readonly port: number
  /** Waits until that many requests have come. */
  arrived(count: number): Promise<void>
  readonly closingBegan: Promise<void>
}

async function listening(declare: (server: Server) => unknown, options: ServerOptions = {}): Promise<Listening> {
  const server = createServer(options)
  server.get('/', () => 'ok')
  let arrivals = 0
  const closingBegan = countdown(1)
  server.addHook('onRequest', async () => void arrivals++)
  server.addHook('preClose', async () => closingBegan.hit())
  // A reply that ended before the closing began would not be one in flight.
  server.get('/slow', async () => (await closingBegan.done, await sleep(100), 'slow'))
  declare(server)
  await server.listen({ port: 0, host: '127.0.0.1' })
  const arrived = (count: number): Promise<void> => until(() => arrivals >= count)
  return { server, port: (server.server.address() as AddressInfo).port, arrived, closingBegan: closingBegan.done }
}

interface Received {
  readonly socket: Socket
  text: string
  readonly isClosed: Promise<unknown>
}

/** Collects the bytes of a connection. */
function received(socket: Socket): Received {
  const result = { socket, text: '', isClosed: new Promise((resolve) => socket.once('close', resolve)) }
  socket.on('data', (data) => (result.text += String(data)))
  socket.on('error', () => {})
  return result
}

/** ms that closing took, without the stalls of the process */
const closing = (server: Server): Promise<number> => workingTime(() => server.close())

test('requests in flight are answered with connection: close, and closing ends soon after the last', async () => {
  const { server, port, arrived, closingBegan } = await listening((app) => app.post('/body', (request) => request.body))
  const answers: Received[] = []
  const uploads: Socket[] = []
  for (let index = 0; index < 50; index++) {
    const socket = await open(port)
    answers.push(received(socket))
    if (index % 2 === 0) continue
    uploads.push(socket)
    socket.write('POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{')
  }
  for (const { socket } of answers) if (!uploads.includes(socket)) socket.write(get('/slow'))
  await arrived(50)
  void closingBegan.then(() => sleep(100)).then(() => uploads.forEach((socket) => socket.write('}')))
  const took = await closing(server)
  assert.ok(took < 700, `${took} ms`)
  await Promise.all(answers.map(({ isClosed }) => isClosed))
  for (const { text } of answers) {
    assert.equal(parse(text)[0]?.status, 200, text)
    assert.equal(parse(text)[0]?.headers['connection'], 'close', text)
  }
})

test('a request on an idle connection soon after the closing began is served with connection: close', async () => {
  const { server, port, closingBegan } = await listening(() => {}, { closeIdleDelay: 5_000 })
  const socket = await open(port)
  const answer = received(socket)
  socket.write(get('/'))
  await once(socket, 'data')
  const closed = closing(server)
  await closingBegan
  await sleep(100)
  socket.write(get('/slow'))
  await answer.isClosed
  const [first, second] = parse(answer.text)
  assert.deepEqual([first!.status, first!.headers['connection']], [200, 'keep-alive'])
  assert.deepEqual([second?.status, second?.headers['connection'], second?.body], [200, 'close', 'slow'])
  assert.ok((await closed) < 1000)
})

test('the first request of a connection that was silent when the closing began is served', async () => {
  const { server, port } = await listening(() => {}, { closeIdleDelay: 5_000 })
  const socket = await open(port)
  const answer = received(socket)
  const closed = closing(server)
  await sleep(100)
  socket.write(get('/'))
  await answer.isClosed
  assert.equal(parse(answer.text)[0]?.status, 200)
  await closed
})

test('connections that the system has not handed over when the closing begins are accepted and served', async () => {
  const { server, port } = await listening(() => {})
  const answers = Array.from({ length: 20 }, () => {
    const socket = connect(port, '127.0.0.1', () => socket.write(get('/')))
    return received(socket)
  })
  await sleep(1)
  // The sockets connect while this thread is busy, so that they are not accepted yet.
  const end = performance.now() + 30
  while (performance.now() < end);
  await new Promise((resolve) => setImmediate(resolve))
  const closed = closing(server)
  await Promise.all(answers.map(({ isClosed }) => isClosed))
  for (const { text } of answers) assert.equal(parse(text)[0]?.status, 200)
  await closed
})

test('requests that were pipelined before the closing began are all answered; the last reply has connection: close', async () => {
  const { server, port, arrived } = await listening(() => {})
  const socket = await open(port)
  const answer = received(socket)
  socket.write(get('/slow') + get('/') + get('/') + get('/slow'))
  await arrived(4)
  const closed = closing(server)
  await answer.isClosed
  assert.deepEqual(
    parse(answer.text).map(({ status, headers }) => [status, headers['connection']]),
    [
      [200, 'keep-alive'],
      [200, 'keep-alive'],
      [200, 'keep-alive'],
      [200, 'close'],
    ],
  )
  await closed
})

test('the port is closed while idle connections are still open', async () => {
  const { server, port } = await listening(() => {}, { closeIdleDelay: 5_000 })
  const socket = await open(port)
  const closed = closing(server)
  await sleep(100)
  const refused = connect(port, '127.0.0.1')
  const [error] = await once(refused, 'error')
  assert.equal(error.code, 'ECONNREFUSED')
  assert.ok(!socket.closed)
  socket.destroy()
  await closed
})

test('closing does not wait without connections, and waits closeIdleDelay for idle ones', async () => {
  const none = await listening(() => {})
  assert.ok((await closing(none.server)) < 100)
  for (const closeIdleDelay of [0, 500]) {
    const { server, port } = await listening(() => {}, { closeIdleDelay })
    const socket = await open(port)
    await sleep(20)
    const start = performance.now()
    const took = await closing(server)
    assert.ok(performance.now() - start >= closeIdleDelay && took < closeIdleDelay + 200, `${took} ms`)
    socket.destroy()
  }
  const { server, port } = await listening(() => {}, { closeIdleDelay: 5000 })
  const socket = await open(port)
  setTimeout(() => socket.destroy(), 50)
  assert.ok((await closing(server)) < 300)
})

test('onClose hooks run after the last request was answered', async () => {
  const order: string[] = []
  const { server, port, arrived, closingBegan } = await listening((app) => {
    app.addHook('preClose', async () => void order.push('preClose'))
    app.addHook('onClose', async () => void order.push('onClose'))
    app.addHook('onResponse', async () => void order.push('response'))
  })
  const [early, late] = [await open(port), await open(port)]
  const answers = [received(early), received(late)]
  early.write(get('/slow'))
  await arrived(1)
  const closed = closing(server)
  await closingBegan
  late.write(get('/slow'))
  await Promise.all([closed, ...answers.map(({ isClosed }) => isClosed)])
  assert.deepEqual(order, ['preClose', 'response', 'response', 'onClose'])
  for (const { text } of answers) assert.equal(parse(text)[0]?.status, 200)
})

const stuck: Record<string, string> = {
  'half a request line': 'GET /',
  'half of the headers': 'GET / HTTP/1.1\r\nHost: a\r\n',
  'half of a body': 'POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nabc',
  'half of a chunk': 'POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab',
}
// Concurrent, because these tests wait.
describe('while the server closes', { concurrency: true }, () => {
  for (const [name, bytes] of Object.entries(stuck)) {
    test(`a client that sent only ${name} does not delay the closing`, { timeout: 6000 }, async () => {
      const { server, port } = await listening((app) => app.post('/body', (request) => request.body))
      const socket = await open(port)
      const answer = received(socket)
      socket.write(bytes)
      await sleep(30)
      await closing(server)
      await answer.isClosed
      if (bytes.startsWith('POST')) assert.equal(parse(answer.text)[0]?.status, 408)
    })
  }

  test('a client that sends its body byte by byte does not delay the closing', { timeout: 6000 }, async () => {
    const { server, port } = await listening((app) => app.post('/body', (request) => request.body))
    const socket = await open(port)
    const answer = received(socket)
    socket.write('POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 1000000\r\n\r\n')
    const drip = setInterval(() => socket.write('a'), 50)
    await sleep(30)
    await closing(server)
    await answer.isClosed
    clearInterval(drip)
  })

  test('a client that does not read its reply delays the closing by 10 s at most', { timeout: 20_000 }, async () => {
    const { server, port } = await listening((app) => app.get('/large', () => Buffer.alloc(50_000_000)))
    const socket = await open(port)
    socket.pause()
    socket.write(get('/large'))
    await sleep(100)
    await closing(server)
    socket.destroy()
  })

  for (const [what, head, sent] of [
    ['a body that was sent whole but is not read yet', 'Content-Length: 400000\r\n', 'x'.repeat(400_000)],
    ['a body that the server has not asked the client for yet', 'Content-Length: 4\r\nExpect: 100-continue\r\n', ''],
  ] as const) {
    test(`${what} does not keep its request from being served`, { timeout: 8000 }, async () => {
      const { server, port } = await listening((app) =>
        app.post('/upload', { onRequest: () => sleep(2600) }, (request) => `${String(request.body).length} bytes`),
      )
      const upload = received(await open(port))
      upload.socket.write(`POST /upload HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\n${head}\r\n${sent}`)
      upload.socket.on('data', (data) => String(data).startsWith('HTTP/1.1 100') && upload.socket.write('text'))
      await sleep(50)
      await server.close()
      await upload.isClosed
      assert.match(upload.text, /HTTP\/1\.1 200 OK\r\n(?:.|\r\n)*\d bytes$/)
    })
  }

  test('closing waits for a body that keeps coming', async () => {
    const { server, port } = await listening((app) => app.post('/body', (request) => String((request.body as string).length)))
    const socket = await open(port)
    const answer = received(socket)
    socket.write('POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 6000\r\n\r\n')
    await sleep(30)
    const closed = closing(server)
    for (let sent = 0; sent < 6000; sent += 500) {
      await sleep(250)
      socket.write('a'.repeat(500))
    }
    await answer.isClosed
    assert.equal(parse(answer.text)[0]?.body, '6000')
    await closed
  })
})

test('with return503OnClosing, requests that come while the server closes are refused', async () => {
  const { server, port } = await listening(() => {}, { return503OnClosing: true, closeIdleDelay: 5_000 })
  const socket = await open(port)
  const answer = received(socket)
  const closed = closing(server)
  await sleep(60)
  socket.write(get('/'))
  await answer.isClosed
  assert.deepEqual([parse(answer.text)[0]?.status, parse(answer.text)[0]?.headers['connection']], [503, 'close'])
  await closed
})

test('over TLS, idle connections are served for a while, and neither they nor unfinished handshakes delay the closing', async () => {
  const { server, port, closingBegan } = await listening(() => {}, { https: { key, cert } })
  const silent = await open(port)
  const idle = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
  const late = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
  await Promise.all([once(idle, 'secureConnect'), once(late, 'secureConnect')])
  const answer = received(late)
  const closed = closing(server)
  await closingBegan
  late.write(get('/slow'))
  await answer.isClosed
  assert.deepEqual([parse(answer.text)[0]?.status, parse(answer.text)[0]?.headers['connection']], [200, 'close'])
  assert.ok((await closed) < 1000)
  for (const socket of [silent, idle]) socket.destroy()
})

test('over HTTP/2, streams in flight are answered and idle sessions do not delay the closing', async () => {
  const { server, port, arrived } = await listening(() => {}, { http2: true })
  const sessions = [http2.connect(`http://127.0.0.1:${port}`), http2.connect(`http://127.0.0.1:${port}`)]
  await Promise.all(sessions.map((session) => once(session, 'connect')))
  const stream = sessions[0]!.request({ ':path': '/slow' })
  stream.setEncoding('utf8')
  await arrived(1)
  const closed = closing(server)
  let body = ''
  for await (const chunk of stream) body += chunk
  assert.equal(body, 'slow')
  assert.ok((await closed) < 1000)
  for (const session of sessions) session.destroy()
})

describe('over HTTP/2, a client that', { concurrency: true }, () => {
  async function sessionOf(port: number): Promise<http2.ClientHttp2Session> {
    const session = http2.connect(`http://127.0.0.1:${port}`)
    session.on('error', () => {})
    await once(session, 'connect')
    return session
  }
  const declare = (app: Server): void => {
    app.get('/large', () => Buffer.alloc(5_000_000))
    app.post('/body', (request) => request.body)
  }

  test('sent half of a body does not delay the closing', { timeout: 8000 }, async () => {
    const { server, port } = await listening(declare, { http2: true })
    const session = await sessionOf(port)
    const stream = session.request({ ':path': '/body', ':method': 'POST', 'content-type': 'text/plain' })
    stream.on('error', () => {})
    stream.write('abc')
    await sleep(50)
    await closing(server)
    session.destroy()
  })

  test('does not read its reply delays the closing by 10 s at most', { timeout: 20_000 }, async () => {
    const { server, port } = await listening(declare, { http2: true })
    const session = await sessionOf(port)
    session
      .request({ ':path': '/large' })
      .on('error', () => {})
      .pause()
    await sleep(100)
    await closing(server)
    session.destroy()
  })

  test('reads its reply slowly is waited for', { timeout: 15_000 }, async () => {
    const { server, port } = await listening(declare, { http2: true })
    const session = await sessionOf(port)
    const stream = session.request({ ':path': '/large' })
    const [, closed] = [await once(stream, 'response'), closing(server)]
    let size = 0
    for await (const chunk of stream) {
      size += chunk.length
      if (size % 10 === 0) await sleep(5)
    }
    assert.equal(size, 5_000_000)
    await closed
    session.destroy()
  })

  test('never sends a byte does not delay the closing', { timeout: 8000 }, async () => {
    const { server, port } = await listening(declare, { http2: true })
    const [silent, idle] = [await open(port), await open(port)]
    idle.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0')
    await sleep(50)
    assert.ok((await closing(server)) < 1500)
    for (const socket of [silent, idle]) socket.destroy()
  })
})

describe('what closing waits for', () => {
  /** Writes a request, and closes a server when its handler is at work. */
  async function closeAtWork(
    declare: (server: Server, arrived: () => void, order: string[]) => void,
    options: ServerOptions,
    bytes = get('/work'),
    leaves = false,
  ): Promise<{ order: string[]; took: number; lasted: number; answer: Received }> {
    const order: string[] = []
    const arrived = countdown(1)
    const { server, port } = await listening((app) => {
      app.addHook('onClose', async () => void order.push('onClose'))
      declare(app, arrived.hit, order)
    }, options)
    const socket = await open(port)
    const answer = received(socket)
    socket.write(bytes)
    await arrived.done
    if (leaves) {
      socket.destroy()
      await sleep(20)
    }
    const start = performance.now()
    const took = await closing(server)
    return { order, took, lasted: performance.now() - start, answer }
  }

  for (const leaves of [true, false]) {
    test(`a handler whose client ${leaves ? 'has left' : 'waits'} works to its end before onClose hooks run`, async () => {
      const { order } = await closeAtWork(
        (server, arrived, steps) => {
          server.get('/work', async () => {
            for (const step of [1, 2, 3]) {
              steps.push(`step ${step}`)
              arrived()
              await sleep(40)
            }
            steps.push('done')
            return 'worked'
          })
        },
        {},
        undefined,
        leaves,
      )
      assert.deepEqual(order, ['step 1', 'step 2', 'step 3', 'done', 'onClose'])
    })
  }

  test('a handler that was answered with 503 works to its end too', async () => {
    const { order, answer } = await closeAtWork(
      (server, arrived, steps) => {
        server.get('/work', { handlerTimeout: 20 }, async () => {
          setTimeout(arrived, 60)
          await sleep(200)
          steps.push('done')
        })
      },
      { closeIdleDelay: 0 },
    )
    assert.equal(parse(answer.text)[0]!.status, 503)
    assert.deepEqual(order, ['done', 'onClose'])
  })

  test('server-sent events are told by request.signal at once', async () => {
    const { order, took } = await closeAtWork(
      (server, arrived, steps) => {
        server.get('/work', (request, reply) => {
          const source = new Readable({ read() {} })
          request.signal.addEventListener('abort', () => (steps.push('told'), source.push(null)))
          source.push('data: 1\n\n')
          setTimeout(arrived, 20)
          return reply.type('text/event-stream').send(source)
        })
      },
      { closeTimeout: 5_000 },
    )
    assert.deepEqual(order, ['told', 'onClose'])
    assert.ok(took < 2_000, `${took} ms`)
  })

  const endless: Record<string, (server: Server, arrived: () => void) => void> = {
    'a stream that goes on': (server, arrived) => {
      server.get('/work', async () => {
        setTimeout(arrived, 20)
        return new Readable({
          read() {
            setTimeout(() => this.push('x'), 5)
          },
        })
      })
    },
    'server-sent events that do not listen to the signal': (server, arrived) => {
      server.get('/work', async (_request, reply) => {
        setTimeout(arrived, 20)
        return reply.type('text/event-stream').send(
          new Readable({
            read() {
              setTimeout(() => this.push(':\n\n'), 5)
            },
          }),
        )
      })
    },
    'a hijacked reply': (server, arrived) => {
      server.get('/work', (_request, reply) => {
        reply.hijack()
        reply.raw.write('x')
        arrived()
      })
    },
    'an upgraded connection': (server, arrived) => {
      server.server.on('upgrade', (_raw, socket) => {
        socket.on('error', () => {})
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: own\r\n\r\n')
        arrived()
      })
    },
    'a handler that never ends': (server, arrived) => {
      server.get('/work', () => (arrived(), new Promise(() => {})))
    },
  }
  for (const [name, declare] of Object.entries(endless)) {
    test(`${name} is cut at closeTimeout, and onClose hooks run`, async () => {
      const bytes =
        name === 'an upgraded connection' ? 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: own\r\n\r\n' : undefined
      const { order, took, lasted, answer } = await closeAtWork(declare, { closeTimeout: 300 }, bytes)
      assert.deepEqual(order, ['onClose'])
      assert.ok(lasted >= 250 && took < 5_000, `${lasted} ms`)
      await answer.isClosed
    })
  }

  test('a handler that never ends is named in the log, after the line that connections are cut', async () => {
    const { lines, logger } = recorder()
    await closeAtWork(
      (server, arrived) => {
        server.get('/work/:id', () => (arrived(), new Promise(() => {})))
      },
      { closeTimeout: 50, logger },
      get('/work/1'),
    )
    const logged = lines.filter(({ level }) => level === 'warn' || level === 'error').map(({ given, message }) => message ?? given)
    assert.deepEqual(logged, [
      'closing took more than 50 ms: the connections that are left are cut',
      'GET /work/:id: its handler or one of its hooks has not ended while the server closed',
    ])
  })

  test('a request that will be answered is not told by request.signal as soon as the closing begins', async () => {
    const { order, answer } = await closeAtWork(
      (server, arrived, steps) => {
        server.get('/work', async ({ signal }) => {
          signal.addEventListener('abort', () => steps.push('told'))
          arrived()
          await sleep(100)
          return 'worked'
        })
      },
      { closeTimeout: 5_000 },
    )
    await answer.isClosed
    assert.equal(parse(answer.text)[0]!.body, 'worked')
    assert.deepEqual(order, ['onClose'])
  })

  test('a request is waited for as long as it takes if closeTimeout is 0', async () => {
    const { lines, logger } = recorder()
    const { order, answer } = await closeAtWork(
      (server, arrived, steps) => {
        server.get('/work', async ({ signal }) => {
          signal.addEventListener('abort', () => steps.push('told'))
          arrived()
          await sleep(1_200)
          steps.push('done')
          return 'worked'
        })
      },
      { closeTimeout: 0, logger },
    )
    await answer.isClosed
    assert.equal(parse(answer.text)[0]!.body, 'worked')
    assert.deepEqual(order, ['done', 'onClose'])
    assert.deepEqual(
      lines.filter(({ level }) => level === 'warn' || level === 'error'),
      [],
    )
  })

  test('signals of requests at work are aborted before their connections are cut', async () => {
    const { order } = await closeAtWork(
      (server, arrived, steps) => {
        server.get('/work', async (request) => {
          arrived()
          await once(request.signal, 'abort')
          steps.push('told')
          return 'stopped'
        })
      },
      { closeTimeout: 1_100 },
    )
    assert.deepEqual(order, ['told', 'onClose'])
  })
})

test('a request that ends with the last connection ends before the onClose hooks run', async () => {
  const steps: string[] = []
  const { server, port, arrived } = await listening((app) => {
    app.get('/events', (_request, reply) => {
      reply.hijack()
      reply.raw.writeHead(200).write('first')
    })
    app.addHook('onRequestAbort', async () => void steps.push('onRequestAbort'))
    app.addHook('onClose', async () => void steps.push('onClose'))
  })
  const socket = await open(port)
  socket.write(get('/events'))
  await arrived(1)
  await once(socket, 'data')
  const closed = server.close()
  await sleep(50)
  socket.destroy()
  await closed
  assert.deepEqual(steps, ['onRequestAbort', 'onClose'])
})

test('a listener of an application for upgrades is the only one that the server counts', async () => {
  const server = createServer()
  server.server.on('upgrade', () => {})
  assert.deepEqual([server.server.listenerCount('upgrade'), server.server.listenerCount('connect')], [1, 0])
  await server.close()
})

for (const [event, bytes] of [
  ['upgrade', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
  ['connect', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
] as const) {
  test(`a request to ${event} behind one that is served is refused, and leaves no connection`, { timeout: 10_000 }, async () => {
    let upgrades = 0
    const { server, port } = await listening((app) => {
      app.get('/served', () => sleep(200, 'served'))
      app.server.on(event, (_raw: unknown, socket: Duplex) => {
        if (!socket.destroyed) upgrades++
      })
    })
    for (let count = 0; count < 5; count++) {
      const socket = await open(port)
      const answer = received(socket)
      socket.write(get('/served') + bytes)
      await answer.isClosed
    }
    const connections = await new Promise((resolve) => server.server.getConnections((_error, count) => resolve(count)))
    assert.deepEqual([upgrades, connections], [0, 0])
    await closing(server)
  })
}
