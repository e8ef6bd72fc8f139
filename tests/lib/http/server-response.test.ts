/** Replies whose heads are put together from cached lines are the same bytes as those of Node. */
import assert from 'node:assert/strict'
import http, { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { createServer, type Reply, type Server, type ServerOptions } from 'alcove/lib'
import { FastServerResponse } from '../../../lib/http/server-response.js'

type Answer = (reply: Reply<any, any>) => unknown

const plain: ServerOptions = { http: { IncomingMessage, ServerResponse } }

/** All bytes of the replies to some requests, without their dates. */
async function exchange(options: ServerOptions, answer: Answer, requests: string): Promise<string> {
  const server: Server = createServer({ ...options, keepAliveTimeout: 5000 })
  server.route({ method: ['GET', 'HEAD'], url: '/', handler: (_request, reply) => answer(reply) })
  await server.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((server.addresses()[0] as AddressInfo).port, '127.0.0.1')
  socket.write(`${requests}GET /none HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
  let bytes = ''
  for await (const data of socket.setEncoding('latin1')) bytes += data
  await server.close()
  return bytes.replaceAll(/^Date: .*\r\n/gm, 'Date\r\n')
}

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

const answers: Record<string, Answer> = {
  'an object': () => ({ hello: 'wörld' }),
  'a text with a status': (reply) => reply.code(404).send('text'),
  'an unknown status': (reply) => reply.code(599).send('text'),
  'a status of four digits': (reply) => {
    reply.raw.statusCode = 1000
    return reply.send('text')
  },
  'a status with a fraction': (reply) => {
    reply.raw.statusCode = 200.5
    return reply.send('text')
  },
  'a status that is not a number': (reply) => {
    reply.raw.statusCode = NaN
    return reply.send('text')
  },
  'an empty text': (reply) => reply.send(''),
  'headers of all kinds': (reply) =>
    reply.headers({ 'X-One': '1', 'x-number': 2, 'set-cookie': ['a=1', 'b=2'], 'x-list': ['a', 'b'], 'x-latin': 'caf\u00e9' }).send('text'),
  'headers of texts': (reply) => reply.headers({ 'x-one': '1', etag: '"x"', vary: 'origin', 'x-latin': 'caf\u00e9' }).send('text'),
  'a header that cannot be sent': (reply) => reply.header('x-bad', 'a\r\nb: c').send('text'),
  'a header name that cannot be sent': (reply) => reply.header('x bad', 'a').send('text'),
  'a header on the raw response': (reply) => {
    reply.raw.setHeader('x-raw', '1')
    return reply.send('text')
  },
  'a phrase of its own': (reply) => {
    reply.raw.statusMessage = 'Fine'
    return reply.send('text')
  },
  'a stated length': (reply) => reply.header('content-length', '4').send('text'),
  'a wrong length': (reply) => reply.header('content-length', '9').send('text'),
  'a closing connection': (reply) => reply.header('connection', 'close').send('text'),
  'a date of its own': (reply) => reply.header('date', 'Sun, 06 Nov 1994 08:49:37 GMT').send('text'),
  'a disposition': (reply) => reply.header('content-disposition', 'attachment; filename="caf\u00e9"').send('text'),
  'a chunked text': (reply) => reply.header('transfer-encoding', 'chunked').send('text'),
  'no content': (reply) => reply.code(204).send('text'),
  'not modified': (reply) => reply.code(304).send('text'),
  bytes: (reply) => reply.send(Buffer.from([0, 255])),
  'a stream': (reply) => reply.send(Readable.from(['a', 'b'])),
  'an error': () => {
    throw new Error('secret')
  },
  trailers: (reply) => reply.trailer('x-sum', () => Promise.resolve('1')).send('text'),
}

const requests: Record<string, string> = {
  'two requests': GET + GET,
  'HTTP/1.0': 'GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n',
  'a HEAD request': 'HEAD / HTTP/1.1\r\nHost: a\r\n\r\n',
  'an expectation': 'GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n',
}

describe('a reply on the wire', () => {
  for (const [kind, bytes] of Object.entries(requests)) {
    for (const [name, answer] of Object.entries(answers)) {
      it(`${name}, to ${kind}: the bytes that Node would write`, async () => {
        assert.equal(await exchange({}, answer, bytes), await exchange(plain, answer, bytes))
      })
    }
  }

  it('follows a limit of requests for each connection', async () => {
    const limit: ServerOptions = { maxRequestsPerSocket: 2 }
    assert.equal(await exchange(limit, () => 'text', GET + GET), await exchange({ ...plain, ...limit }, () => 'text', GET + GET))
  })

  it('waits for the reply before it on the same connection', async () => {
    const inTurn = (): Answer => {
      let count = 0
      return async () => {
        const number = ++count
        await new Promise((resolve) => setTimeout(resolve, number === 1 ? 40 : 0))
        return `reply ${number}`
      }
    }
    const bytes = await exchange({}, inTurn(), GET + GET + GET)
    assert.equal(bytes, await exchange(plain, inTurn(), GET + GET + GET))
    assert.deepEqual(bytes.match(/reply \d/g), ['reply 1', 'reply 2', 'reply 3'])
  })

  it('is whole and in order if the client reads slowly', async () => {
    const large = 'x'.repeat(3_000_000)
    assert.equal(await exchange({}, () => large, GET + GET), await exchange(plain, () => large, GET + GET))
  })

  it('is written by Node if `writeHead` was replaced, so that the replacement is called', async () => {
    const heads: number[] = []
    await exchange(
      {},
      (reply) => {
        const { raw } = reply
        const writeHead = raw.writeHead.bind(raw) as any
        raw.writeHead = (status: number, ...rest: any[]) => {
          heads.push(status)
          return writeHead(status, ...rest)
        }
        return reply.code(201).send('text')
      },
      GET,
    )
    assert.deepEqual(heads, [201])
  })

  it('is put together from cached lines if nothing about it is unusual', async () => {
    const response = new FastServerResponse({
      method: 'GET',
      httpVersionMajor: 1,
      httpVersionMinor: 1,
      headers: {},
    } as unknown as IncomingMessage)
    assert.equal(response.sendWhole({ 'content-type': 'text/plain' }, 'text', 4), true)
    assert.equal(response.headersSent, true)
    assert.equal(http.STATUS_CODES[response.statusCode], response.statusMessage)
  })
})

it('the date of a reply is that of the second in which it is sent', async () => {
  const server = createServer()
  server.get('/', () => 'text')
  const url = await server.listen({ port: 0, host: '127.0.0.1' })
  for (const pause of [0, 2_100]) {
    await new Promise((resolve) => setTimeout(resolve, pause))
    // A timer ends the second, so it may come a little late.
    const earliest = Date.now() - (Date.now() % 1000) - 1000
    const date = Date.parse((await fetch(url)).headers.get('date')!)
    assert.ok(date >= earliest && date <= Date.now(), `${date} is earlier than ${earliest}, or in the future`)
  }
  await server.close()
})

it('a response has one listener more than those of Node, however many parts of the server wait for its end', async () => {
  const server = createServer({ logger: { stream: { write: () => {} } } })
  const ended: string[] = []
  server.addHook('onResponse', async () => void ended.push('hook'))
  server.get('/', (request, reply) => {
    request.signal.addEventListener('abort', () => ended.push('signal'))
    return (['finish', 'close'] as const).map((event) => reply.raw.listenerCount(event))
  })
  const url = await server.listen({ port: 0, host: '127.0.0.1' })
  // Node listens to `finish`.
  assert.deepEqual(await (await fetch(url)).json(), [1, 1])
  await server.close()
  assert.deepEqual(ended, ['hook'])
})

describe('a response sends a text in the short way', () => {
  type State = (response: any) => unknown
  /** What `sendWhole` returns for a response in some state, and the head that it made. */
  async function send(prepare: State, headers: Record<string, unknown> = {}, { keepAliveTimeout = 5000 } = {}) {
    let result: { isSent: boolean; head: string; phrase: string | undefined } | undefined
    const server = http.createServer({ ServerResponse: FastServerResponse, keepAliveTimeout }, (_request, response) => {
      prepare(response)
      const isSent = response.sendWhole(headers, 'text', 4)
      result = { isSent, head: (response as any)._header, phrase: response.statusMessage }
      if (!isSent) response.destroy()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.write(GET)
    let bytes = ''
    socket.setEncoding('latin1').on('data', (data: string) => (bytes += data))
    await new Promise((resolve) => socket.on('close', resolve).on('data', () => bytes.endsWith('text') && resolve(undefined)))
    socket.destroy()
    server.close()
    return { ...result!, bytes }
  }

  it('if nothing about it is unusual', async () => {
    const { isSent, head } = await send(() => {}, { 'x-own': 'a' })
    assert.equal(isSent, true)
    assert.match(
      head,
      /^HTTP\/1\.1 200 OK\r\nx-own: a\r\ncontent-length: 4\r\nDate: .* GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\n$/,
    )
  })
  it('with the phrase "unknown" for a status that has none', async () => {
    for (const status of [299, 999]) {
      const { isSent, head, phrase } = await send((response) => (response.statusCode = status))
      assert.deepEqual([isSent, head.split('\r\n')[0], phrase], [true, `HTTP/1.1 ${status} unknown`, 'unknown'])
    }
  })
  it('without a Keep-Alive header on a server that has no such timeout', async () => {
    assert.match((await send(() => {}, {}, { keepAliveTimeout: 0 })).head, / GMT\r\nConnection: keep-alive\r\n\r\n$/)
  })
  it('with the second in which it is sent', async () => {
    for (let round = 0; round < 2; round++) {
      await send(() => {})
      await new Promise((resolve) => setTimeout(resolve, 1100 - (Date.now() % 1000)))
      const second = Math.floor(Date.now() / 1000) * 1000
      const { head } = await send(() => {})
      assert.ok(Date.parse(/^Date: (.*)\r$/m.exec(head)![1]!) >= second, head)
    }
  })
  it('behind bytes that wait on the response', async () => {
    const { isSent, bytes } = await send((response) => response.outputData.push({ data: 'before', encoding: 'latin1', callback: null }))
    assert.equal(isSent, true)
    assert.match(bytes, /^beforeHTTP/)
  })
  it('unless its phrase cannot be sent, which is an error that says so', async () => {
    http.STATUS_CODES[298] = 'a\r\nb'
    try {
      await send((response) => {
        response.statusCode = 298
        assert.throws(() => response.sendWhole({}, 'text', 4), { code: 'ERR_INVALID_CHAR', message: /status text/ })
        response.statusCode = 200
      })
    } finally {
      delete http.STATUS_CODES[298]
    }
  })
  it('by a "write" that was put in the place of its own', async () => {
    const written: unknown[] = []
    const { isSent } = await send((response) => {
      response.write = function write(text: string) {
        written.push(text)
        return FastServerResponse.prototype.write.call(this, text, 'utf8')
      }
    })
    assert.deepEqual([isSent, written], [true, ['text']])
  })

  const unusual: Record<string, State> = Object.fromEntries([
    ...[100, 199, 204, 205, 304, 1000, 200.5, Number.NaN, '200'].map((statusCode) => [
      `the status ${statusCode}`,
      (response: any) => (response.statusCode = statusCode),
    ]),
    ...Object.entries({
      _hasBody: false,
      _header: 'HTTP/1.1 200 OK\r\n\r\n',
      useChunkedEncodingByDefault: false,
      shouldKeepAlive: false,
      sendDate: false,
      _expect_continue: true,
      _removedConnection: true,
      _maxRequestsPerSocket: 9,
      _defaultKeepAlive: false,
      maxRequestsOnConnectionReached: true,
      strictContentLength: true,
      statusMessage: 'Fine',
      writeHead: () => {},
      _storeHeader: () => {},
    }).map(([name, value]) => [`another ${name}`, (response: any) => (response[name] = value)]),
    ['a raw header', (response: any) => response.setHeader('x-raw', 'a')],
  ])
  for (const [title, prepare] of Object.entries(unusual))
    it(`not with ${title}`, async () => assert.equal((await send(prepare)).isSent, false))

  for (const name of [
    'connection',
    'content-disposition',
    'content-length',
    'date',
    'expect',
    'keep-alive',
    'trailer',
    'transfer-encoding',
    '',
  ])
    it(`not with the header '${name}', which Node reads itself`, async () => {
      assert.equal((await send(() => {}, { [name]: 'a' })).isSent, false)
    })
})
