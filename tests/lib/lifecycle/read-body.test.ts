/** Reading and parsing a body: what parsers receive, their results and errors, and streams of preParsing hooks. */
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { PassThrough, Readable } from 'node:stream'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createServer, type Server } from 'alcove/lib'
import { echo, send } from '../../fixtures/bodies.js'
import { exchange, open } from '../../security/wire.js'

const parseAs = 'string' as const

describe('a content-type parser', () => {
  test('receives a string, bytes or the stream, as parseAs says, and has a limit of its own', async () => {
    const server = createServer()
    echo(server)
    const kind = (body: unknown): string =>
      typeof body === 'string' ? 'text' : Buffer.isBuffer(body) ? 'bytes' : body instanceof Readable ? 'stream' : 'other'
    server.addContentTypeParser('a/text', { parseAs: 'string' }, async (_request: unknown, body: unknown) => `${kind(body)} ${body}`)
    server.addContentTypeParser(
      'a/bytes',
      { parseAs: 'buffer', bodyLimit: 3 },
      async (_request: unknown, body: unknown) => `${kind(body)} ${body}`,
    )
    server.addContentTypeParser('a/stream', async (_request: unknown, body: any) => {
      body.resume()
      return kind(body)
    })
    assert.equal(await send(server, 'a/text', 'äöü'), 'text äöü')
    assert.equal(await send(server, 'a/bytes', 'abc'), 'bytes abc')
    assert.equal(await send(server, 'a/bytes', 'abcd'), '413 ALC_ERR_CTP_BODY_TOO_LARGE')
    assert.equal(await send(server, 'a/bytes', Buffer.from([0xff])), 'bytes �')
    assert.equal(await send(server, 'a/text', Buffer.from([0xff])), '400 ALC_ERR_CTP_INVALID_UTF8')
    assert.equal(await send(server, 'a/stream'), 'stream')
    await server.close()
  })

  test('that is asynchronous is waited for when the server closes, also if its client has left', { timeout: 20_000 }, async () => {
    const server = createServer()
    const events: string[] = []
    server.addContentTypeParser('a/b', { parseAs }, async () => {
      events.push('parser begins')
      await pause(200)
      events.push('parser ends')
    })
    server.post('/', () => 'text')
    await server.listen({ port: 0, host: '127.0.0.1' })
    const socket = await open((server.server.address() as AddressInfo).port)
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: a/b\r\nContent-Length: 1\r\n\r\na')
    while (events.length === 0) await pause(5)
    socket.destroy()
    await pause(20)
    await server.close()
    assert.deepEqual(events, ['parser begins', 'parser ends'])
  })

  test('can finish once: only its first result counts', async () => {
    const server = createServer()
    let calls = 0
    server.post('/', async (request) => {
      calls++
      await new Promise((resolve) => setImmediate(resolve))
      return request.body
    })
    server.addContentTypeParser('a/object', { parseAs }, ((_request: any, _body: any, done: any) => {
      setImmediate(() => done(null, 'first'))
      return {}
    }) as never)
    server.addContentTypeParser('a/twice', { parseAs }, (_request, _body, done) => {
      done(null, 'first')
      done(null, 'second')
      done(new Error('third'))
    })
    server.addContentTypeParser('a/throws', { parseAs }, (_request, _body, done) => {
      done(null, 'first')
      throw new Error('too late')
    })
    server.addContentTypeParser('a/both', { parseAs }, async (_request: any, _body: any, done: any) => {
      done(null, 'first')
      return 'second'
    })
    for (const type of ['a/object', 'a/twice', 'a/throws', 'a/both']) assert.equal(await send(server, type), 'first', type)
    assert.equal(calls, 4)
    await server.close()
  })

  test('that throws or rejects is answered, also if it does so with undefined or null', async () => {
    const server = createServer({ exposeErrorMessages: true })
    echo(server)
    const failing: Record<string, () => any> = {
      'a/throws': () => {
        throw new Error('thrown')
      },
      'a/throws-nothing': () => {
        throw undefined
      },
      'a/rejects': () => Promise.reject(new Error('rejected')),
      'a/rejects-nothing': () => Promise.reject(null),
    }
    for (const [type, parse] of Object.entries(failing)) server.addContentTypeParser(type, { parseAs }, parse)
    const answers = await Promise.all(
      Object.keys(failing).map((type) => server.inject({ method: 'POST', url: '/', payload: 'x', headers: { 'content-type': type } })),
    )
    assert.deepEqual(
      answers.map((answer) => [answer.statusCode, answer.json().message]),
      [
        [500, 'thrown'],
        [500, answers[1]!.json().message],
        [500, 'rejected'],
        [500, answers[3]!.json().message],
      ],
    )
    assert.deepEqual([answers[1]!.json().code, answers[3]!.json().code], ['ALC_ERR_SEND_UNDEFINED_ERR', 'ALC_ERR_SEND_UNDEFINED_ERR'])
    await server.close()
  })

  test('keeps the AsyncLocalStorage store that a hook entered', async () => {
    const storage = new AsyncLocalStorage<string>()
    const server = createServer()
    server.addHook('onRequest', (_request, _reply, done) => storage.run('entered', done))
    server.post('/', () => storage.getStore() ?? 'lost')
    await server.listen({ port: 0, host: '127.0.0.1' })
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(Buffer.from('[1,'))
        await new Promise((resolve) => setTimeout(resolve, 20))
        controller.enqueue(Buffer.from('2]'))
        controller.close()
      },
    })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(server.listeningOrigin, { method: 'POST', body, headers, duplex: 'half' })
    assert.equal(await answer.text(), 'entered')
    await server.close()
  })

  test('cannot pass a __proto__ field of a form to the handler', async () => {
    const server = createServer()
    server.addContentTypeParser('a/form', { parseAs }, (_request, _body, done) => {
      const fields = Object.create(null)
      fields['__proto__'] = { admin: true }
      fields.name = 'x'
      done(null, fields)
    })
    server.post('/', ({ body }: any) => ({ names: Object.keys(body), admin: Object.assign({}, body).admin ?? null }))
    assert.equal(await send(server, 'a/form'), '{"names":["name"],"admin":null}')
    await server.close()
  })
})

describe('a stream that a preParsing hook returns instead of the body', () => {
  const through = (server: Server, path: string, make: () => unknown): void => {
    server.post(
      path,
      { preParsing: async (_request: unknown, _reply: unknown, payload: Readable) => (payload.resume(), make()) },
      (request) => request.body ?? null,
    )
  }

  test('may emit strings', async () => {
    const server = createServer()
    through(server, '/', () => Readable.from(['{"a":', '"ä"}']))
    assert.equal(await send(server, 'application/json', '0123456789'), '{"a":"ä"}')
    await server.close()
  })

  test('is compared with the declared length by its receivedEncodedLength, or else by the bytes that it emits', async () => {
    const server = createServer()
    const giving = (received: number | undefined) => () =>
      Object.assign(Readable.from(['"four"']), received !== undefined && { receivedEncodedLength: received })
    through(server, '/silent', giving(undefined))
    through(server, '/says-nothing', giving(0))
    through(server, '/says', giving(9))
    const lengths = [6, 9]
    const answers: Record<string, string[]> = {}
    for (const path of ['/silent', '/says-nothing', '/says'])
      answers[path] = await Promise.all(lengths.map((length) => send(server, 'application/json', 'x'.repeat(length), path)))
    const wrong = '400 ALC_ERR_CTP_INVALID_CONTENT_LENGTH'
    const headers = { 'content-type': 'application/json' }
    assert.equal((await server.inject({ method: 'POST', url: '/silent', payload: '123456789', headers })).headers.connection, 'close')
    assert.deepEqual(answers, { '/silent': ['four', wrong], '/says-nothing': ['four', wrong], '/says': [wrong, 'four'] })
    await server.close()
  })

  test('is limited by its receivedEncodedLength too', async () => {
    const server = createServer({ bodyLimit: 8 })
    through(server, '/within', () => Object.assign(Readable.from(['"8"']), { receivedEncodedLength: 8 }))
    through(server, '/beyond', () => Object.assign(Readable.from(['"9"']), { receivedEncodedLength: 9 }))
    const inject = (url: string) =>
      server.inject({ method: 'POST', url, payload: 'x'.repeat(8), headers: { 'content-type': 'application/json' } })
    assert.equal((await inject('/within')).body, '8')
    const beyond = await inject('/beyond')
    assert.deepEqual([beyond.statusCode, beyond.headers.connection], [413, 'close'])
    await server.close()
  })

  test('that fails is answered 400, unless its error has an error status of its own', async () => {
    const server = createServer()
    const failing = (error: unknown) => () => {
      const stream = new PassThrough()
      setImmediate(() => stream.emit('error', error))
      return stream
    }
    const cases: [error: unknown, status: number][] = [
      [new Error('plain'), 400],
      [Object.assign(new Error('with a status'), { statusCode: 422 }), 422],
      [Object.assign(new Error('first of them'), { statusCode: 400 }), 400],
      [Object.assign(new Error('of the server'), { statusCode: 503 }), 503],
      [Object.assign(new Error('no status of a failure'), { statusCode: 200 }), 400],
      [Object.assign(new Error('a text'), { statusCode: '503' }), 400],
      [Object.freeze(new Error('frozen')), 400],
      ['a text', 400],
      [null, 500],
    ]
    const causes: unknown[] = []
    server.addHook('onError', async (_request, _reply, error) => void causes.push((error as Error).cause))
    for (const [index, [error]] of cases.entries()) through(server, `/${index}`, failing(error))
    for (const [index, [, status]] of cases.entries()) {
      const answer = await server.inject({
        method: 'POST',
        url: `/${index}`,
        payload: '{}',
        headers: { 'content-type': 'application/json' },
      })
      assert.equal(answer.statusCode, status, String(index))
    }
    assert.deepEqual(causes.slice(6, 8), [cases[6]![0], cases[7]![0]])
    await server.close()
  })

  test('counts only up to its first end or error', async () => {
    const server = createServer()
    let calls = 0
    server.addContentTypeParser('a/own', { parseAs }, async (_request: unknown, body: unknown) => {
      calls++
      return body
    })
    through(server, '/', () => {
      const stream: any = new PassThrough()
      setImmediate(() => {
        stream.emit('data', Buffer.from('1'))
        stream.emit('end')
        stream.emit('data', Buffer.from('2'))
        stream.emit('end')
        stream.emit('error', new Error('late'))
      })
      return stream
    })
    through(server, '/failed', () => {
      const stream: any = new PassThrough()
      setImmediate(() => {
        stream.emit('error', new Error('first'))
        stream.emit('data', Buffer.from('1'))
        stream.emit('end')
      })
      return stream
    })
    assert.equal(await send(server, 'a/own', '1'), '1')
    await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal(calls, 1)
    assert.equal(await send(server, 'a/own', '1', '/failed'), '400 undefined')
    assert.equal(calls, 1)
    await server.close()
  })
})

test('a stream of a preParsing hook that was destroyed without an error is answered as a body that broke off', async () => {
  const server = createServer()
  server.addHook('preParsing', async () => new PassThrough().destroy())
  server.post('/', () => 'never')
  const answer = await server.inject({ method: 'POST', url: '/', payload: { a: 1 } })
  assert.deepEqual([answer.statusCode, answer.json().message], [400, 'aborted'])
  await server.close()
})

test('the bodies of WebDAV methods are left to the handler, those of other methods must have a known media type', async () => {
  const server = createServer()
  server.route({ method: ['LOCK', 'SEARCH', 'DELETE'], url: '/', handler: (request) => ({ body: request.body ?? null }) })
  const send = async (method: string, type?: string) => {
    const response = await server.inject({
      method,
      url: '/',
      headers: type === undefined ? {} : { 'content-type': type },
      payload: '{"a":1}',
    })
    return response.statusCode === 200 ? response.json().body : response.statusCode
  }
  assert.deepEqual(await Promise.all([send('LOCK'), send('LOCK', 'text/xml'), send('LOCK', 'application/json')]), [null, null, null])
  assert.deepEqual(await Promise.all([send('SEARCH'), send('SEARCH', 'text/xml'), send('SEARCH', 'application/json')]), [
    415,
    415,
    { a: 1 },
  ])
  assert.deepEqual(await Promise.all([send('DELETE'), send('DELETE', 'text/xml'), send('DELETE', 'application/json')]), [
    null,
    415,
    { a: 1 },
  ])
})

describe('a request over HTTP/1', () => {
  const head = (method: string, ...fields: string[]): string => `${[`${method} / HTTP/1.1`, 'Host: a', ...fields].join('\r\n')}\r\n\r\n`
  let server: Server
  let port: number
  before(async () => {
    server = createServer({ forceCloseConnections: true, exposeErrorMessages: true })
    server.route({ method: ['POST', 'DELETE'], url: '/', handler: (request) => ({ body: request.body ?? null }) })
    server.addContentTypeParser('a/promise', { parseAs }, (_request, _body, done) => done(null, Promise.reject(new Error('lost'))))
    server.post('/hook', { preParsing: (async () => 'no stream') as never }, (request) => request.body)
    await server.listen({ port: 0, host: '127.0.0.1' })
    port = (server.server.address() as AddressInfo).port
  })
  after(() => server.close())

  const answer = async (bytes: string): Promise<{ status: number; code?: string; body?: unknown; message?: string }> => {
    const [reply] = await exchange(port, bytes, 50)
    return { status: reply!.status, ...JSON.parse(reply!.body) }
  }

  test('with a media type has a body, also of no bytes and without a length; with a method such as DELETE it may lack one', async () => {
    const json = 'Content-Type: application/json'
    assert.equal((await answer(head('POST', json))).code, 'ALC_ERR_CTP_EMPTY_JSON_BODY')
    assert.deepEqual(await answer(head('DELETE', json)), { status: 200, body: null })
    assert.equal((await answer(head('DELETE', json, 'Content-Length: 0'))).code, 'ALC_ERR_CTP_EMPTY_JSON_BODY')
  })

  test('without a media type has a body if a header announces bytes, and is refused then', async () => {
    const announced = ['Transfer-Encoding: chunked', 'Content-Length: 1']
    for (const field of announced) assert.equal((await answer(head('POST', field))).code, 'ALC_ERR_CTP_INVALID_MEDIA_TYPE', field)
    for (const fields of [[], ['Content-Length: 0']]) assert.deepEqual(await answer(head('POST', ...fields)), { status: 200, body: null })
  })

  test('with a method that no route can have has no body', async () => {
    const { status } = await answer(`${head('M-SEARCH', 'Content-Type: application/json', 'Content-Length: 1')}{`)
    assert.equal(status, 404)
  })

  test('may say that its body is not encoded, in words or by an empty header', async () => {
    for (const field of ['Content-Encoding: identity', 'Content-Encoding: IDENTITY', 'Content-Encoding:']) {
      const bytes = `${head('POST', 'Content-Type: application/json', 'Content-Length: 1', field)}1`
      assert.deepEqual(await answer(bytes), { status: 200, body: 1 }, field)
    }
  })

  test('whose parser passes a promise to done is a 500 that says what to write', async () => {
    const bytes = head('POST', 'Content-Type: a/promise', 'Content-Length: 1')
    const { status, message } = await answer(`${bytes}1`)
    assert.deepEqual([status, message], [500, 'a content type parser must not pass a promise to done: return the promise instead'])
  })

  test('whose preParsing hook returns no stream is a 500 that says so', async () => {
    const bytes = head('POST', 'Content-Type: application/json', 'Content-Length: 2').replace('POST /', 'POST /hook')
    const { status, message } = await answer(`${bytes}{}`)
    assert.deepEqual([status, message], [500, 'a preParsing hook must return a stream'])
  })
})

test('a body is parsed as it was sent, whatever encoding a hook has chosen for its stream', async () => {
  const server = createServer()
  server.addHook('preParsing', async (_request, _reply, payload) => payload.setEncoding('hex'))
  server.post('/', ({ body }) => body)
  assert.equal((await server.inject({ method: 'POST', url: '/', payload: { a: 'ä' } })).body, '{"a":"ä"}')
  await server.close()
})

test('the log of a body that the schema is not for says what to write, and the client does not see it', async () => {
  const lines: { err?: { cure?: string } }[] = []
  const server = createServer({ logger: { stream: { write: (line: string) => lines.push(JSON.parse(line)) } } })
  server.addContentTypeParser('text/csv', { parseAs }, async (_request: unknown, body: unknown) => body)
  server.register(async (child) => {
    child.post('/', { schema: { body: { type: 'object' } } }, () => '')
  })
  const send = (type: string) => server.inject({ method: 'POST', url: '/', payload: 'a', headers: { 'content-type': type } })
  const refused = await send('text/csv; header=present')
  assert.deepEqual(Object.keys(refused.json()), ['statusCode', 'code', 'error', 'message'])
  const cures = (): unknown[] => lines.flatMap(({ err }) => err?.cure ?? [])
  const cure =
    "The body schema of the route is not for text/csv. To validate such bodies by it, write consumes: ['text/csv'] in the schema."
  assert.deepEqual(cures(), [cure])
  // Without a parser, `consumes` would not help.
  assert.equal((await send('text/xml')).statusCode, 415)
  assert.equal(cures().length, 1)
  await server.close()
})

test('a body without a type is refused with a message that says so', async () => {
  const server = createServer()
  server.post('/', () => '')
  const { statusCode, body } = await server.inject({ method: 'POST', url: '/', payload: Buffer.from('x') })
  assert.deepEqual([statusCode, JSON.parse(body).message], [415, 'Unsupported Media Type: the request has no Content-Type'])
  await server.close()
})
