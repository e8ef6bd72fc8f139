import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, type Reply, type Server } from 'alcove/lib'

/** A server and the warnings and errors that it logs. */
function noting(): { server: Server; lines: { msg: string; err?: { code?: string; message: string } }[] } {
  const lines: { msg: string; err?: { code?: string; message: string } }[] = []
  const stream = { write: (line: string) => lines.push(JSON.parse(line)) }
  return { server: createServer({ logger: { level: 'warn', stream } }), lines }
}

test('a reply has the options of its route, as its request has, also after callNotFound', async () => {
  const server = createServer()
  server.addHook('onSend', async (request, reply) => {
    assert.equal(reply.routeOptions, request.routeOptions)
    reply.header('x-url', String(reply.routeOptions.url))
  })
  server.get('/users/:id', { config: { role: 'admin' } }, (_request, reply) => reply.routeOptions.config['role'])
  server.get('/asks', (_request, reply) => void reply.callNotFound())
  const { body, headers } = await server.inject('/users/7')
  assert.deepEqual([body, headers['x-url']], ['admin', '/users/:id'])
  assert.equal((await server.inject('/asks')).headers['x-url'], 'undefined')
  await server.close()
})

describe('a reply that is sent twice', () => {
  test('has the payload that was sent first; the second is dropped with a warning that names the route', async () => {
    const { server, lines } = noting()
    server.get('/twice', (_request, reply) => {
      reply.send('first')
      reply.send('second')
    })
    assert.equal((await server.inject('/twice')).body, 'first')
    assert.equal(lines.length, 1)
    assert.equal(lines[0]!.err?.code, 'ALC_ERR_REP_ALREADY_SENT')
    assert.match(lines[0]!.err.message, /"\/twice" \(GET\)/)
    await server.close()
  })

  test('while an asynchronous onSend hook runs has the first payload too', async () => {
    const { server, lines } = noting()
    server.addHook('onSend', async (_request, _reply, payload) => {
      await new Promise((resolve) => setImmediate(resolve))
      return `${payload}!`
    })
    server.get('/', async (_request, reply) => {
      reply.send('first')
      return 'returned'
    })
    assert.equal((await server.inject('/')).body, 'first!')
    assert.equal(lines.length, 1)
    await server.close()
  })

  test('the second time with an error logs the error and does not change', async () => {
    const { server, lines } = noting()
    server.get('/', async (_request, reply) => {
      reply.send('first')
      throw new Error('late')
    })
    assert.equal((await server.inject('/')).body, 'first')
    assert.deepEqual(
      lines.map(({ err }) => err?.message),
      ['late'],
    )
    await server.close()
  })
})

describe('the headers of a reply', () => {
  test('are read, found and removed by name in any case', async () => {
    const server = createServer()
    server.get('/', (_request, reply) => {
      reply.raw.setHeader('x-raw', 'raw')
      reply.headers({ 'X-One': '1', 'x-gone': '2' }).header('x-empty').removeHeader('X-Gone').type('text/html')
      assert.deepEqual(
        ['x-one', 'X-RAW', 'x-gone', 'x-empty', 'content-type'].map((name) => [reply.getHeader(name), reply.hasHeader(name)]),
        [
          ['1', true],
          ['raw', true],
          [undefined, false],
          ['', true],
          ['text/html', true],
        ],
      )
      assert.deepEqual({ ...reply.getHeaders() }, { 'x-raw': 'raw', 'x-one': '1', 'x-empty': '', 'content-type': 'text/html' })
      return 'ok'
    })
    const { headers, statusCode } = await server.inject('/')
    assert.deepEqual([statusCode, headers['x-one'], headers['x-raw'], headers['x-gone']], [200, '1', 'raw', undefined])
    await server.close()
  })

  test('add up for set-cookie, and the array of the caller is not changed', async () => {
    const server = createServer()
    const given = ['b', 'c']
    server.get('/', (_request, reply) => void reply.header('set-cookie', 'a').header('Set-Cookie', given).header('set-cookie', 'd').send())
    server.get('/list', (_request, reply) => void reply.header('set-cookie', given).header('set-cookie', 'd').send())
    assert.deepEqual((await server.inject('/')).headers['set-cookie'], ['a', 'b', 'c', 'd'])
    assert.deepEqual((await server.inject('/list')).headers['set-cookie'], ['b', 'c', 'd'])
    assert.deepEqual(given, ['b', 'c'])
    await server.close()
  })

  test('have the value that was set last, for any name but set-cookie', async () => {
    const server = createServer()
    server.get('/', (_request, reply) => void reply.header('x-own', 'a').header('X-Own', 'b').send())
    assert.equal((await server.inject('/')).headers['x-own'], 'b')
    await server.close()
  })
})

describe('the trailers of a reply', () => {
  test('are found and removed by name, and follow a chunked body', async () => {
    const server = createServer()
    server.get('/', (_request, reply) => {
      assert.deepEqual([reply.hasTrailer('x-a'), reply.removeTrailer('x-a') === reply], [false, true])
      reply.trailer('X-A', (_reply, payload, done) => done(null, `a of ${String(payload)}`))
      reply.trailer('x-b', async () => 'b').trailer('x-c', async () => 'c')
      reply.trailer('x-d', () => 'd').removeTrailer('X-C')
      assert.deepEqual(
        ['x-a', 'X-B', 'x-c'].map((name) => reply.hasTrailer(name)),
        [true, true, false],
      )
      return 'body'
    })
    const { headers, trailers, body } = await server.inject('/')
    assert.deepEqual(
      [headers.trailer, headers['transfer-encoding'], headers['content-length'], body],
      ['x-a, x-b, x-d', 'chunked', undefined, 'body'],
    )
    assert.deepEqual({ ...trailers }, { 'x-a': 'a of body', 'x-b': 'b', 'x-d': 'd' })
    await server.close()
  })

  test('that fail are omitted, and a reply whose trailers were all removed is sent without chunks', async () => {
    const server = createServer()
    server.get('/fail', (_request, reply) => {
      reply.trailer('x-a', (_reply, _payload, done) => done(new Error('no')))
      reply.trailer('x-b', () => {
        throw new Error('no')
      })
      reply.trailer('x-c', () => Promise.reject(new Error('no')))
      reply.trailer('x-d', async () => 'd')
      return 'body'
    })
    server.get(
      '/none',
      (_request, reply) =>
        void reply
          .trailer('x-a', async () => 'a')
          .removeTrailer('x-a')
          .send('body'),
    )
    assert.deepEqual({ ...(await server.inject('/fail')).trailers }, { 'x-d': 'd' })
    const { body, headers } = await server.inject('/none')
    assert.deepEqual([body, headers.trailer], ['body', undefined])
    await server.close()
  })

  for (const [title, name, compute, code] of [
    ['with a name that trailers must not have', 'Content-Length', async () => '1', 'ALC_ERR_BAD_TRAILER_NAME'],
    ['that describe the connection', 'Keep-Alive', async () => '1', 'ALC_ERR_BAD_TRAILER_NAME'],
    ['that are not functions', 'x-a', 'a', 'ALC_ERR_BAD_TRAILER_VALUE'],
  ] as const) {
    test(`${title} are refused`, async () => {
      const server = createServer()
      server.get('/', (_request, reply) => {
        assert.throws(() => reply.trailer(name, compute as never), { code })
        return 'ok'
      })
      assert.equal((await server.inject('/')).body, 'ok')
      await server.close()
    })
  }
})

describe('a reply', () => {
  test('redirects with the given status, the one that was chosen before, or 302', async () => {
    const server = createServer()
    server.get('/plain', (_request, reply) => void reply.redirect('/to'))
    server.get('/given', (_request, reply) => void reply.redirect('/to', 307))
    server.get('/before', (_request, reply) => void reply.code(301).redirect('/to'))
    server.get('/other-way', (_request, reply) => void (reply as any).redirect(303, '/to'))
    const answers = await Promise.all(['/plain', '/given', '/before', '/other-way'].map((url) => server.inject(url)))
    assert.deepEqual(
      answers.map(({ statusCode, headers }) => [statusCode, headers.location]),
      [
        [302, '/to'],
        [307, '/to'],
        [301, '/to'],
        [303, '/to'],
      ],
    )
    await server.close()
  })

  test('has a statusCode that can be set, an elapsedTime, and its server', async () => {
    const server = createServer()
    server.addHook('onResponse', async () => {})
    server.get('/', (_request, reply) => {
      reply.statusCode = 201
      assert.ok(reply.elapsedTime >= 0 && reply.elapsedTime < 10_000)
      assert.equal(reply.server, server)
      return reply.statusCode
    })
    const { statusCode, body } = await server.inject('/')
    assert.deepEqual([statusCode, body], [201, '201'])
    await server.close()
  })

  test('is serialized by its own serializer, else by that of its context, else by its schema', async () => {
    const server = createServer()
    const schema = { response: { 200: { type: 'object', properties: { a: { type: 'integer' } } } } }
    server.get('/schema', { schema }, (_request, reply) => reply.serialize({ a: '1', b: 2 }))
    server.get('/none', (_request, reply) => reply.serialize({ a: '1' }))
    server.register(
      async (child: Server) => {
        child.setReplySerializer((payload: any, status) => `${status} ${payload.a}`)
        child.get('/', { schema }, (_request, reply) => void reply.type('text/plain').send(reply.serialize({ a: 1 })))
        child.get('/own', (_request, reply) => void reply.serializer((payload: any) => `own ${payload.a}`).send({ a: 1 }))
      },
      { prefix: '/context' },
    )
    const bodies = await Promise.all(['/schema', '/none', '/context', '/context/own'].map((url) => server.inject(url)))
    assert.deepEqual(
      bodies.map(({ body }) => body),
      ['{"a":1}', '{"a":"1"}', '200 1', 'own 1'],
    )
    await server.close()
  })

  test('can be awaited until it was sent, also if the client has gone or if it was sent before', async () => {
    // The handler of `/gone` still owes a reply.
    const server = createServer({ closeTimeout: 1 })
    server.get('/', async (_request, reply) => {
      reply.send('sent')
      await reply
      await reply
      told.push(`ended ${reply.raw.writableEnded}`)
      told.push(`nobody is told: ${(reply as any).then(undefined)}`)
    })
    const gone = new Promise<void>((resolve) => {
      server.get('/gone', async (_request, reply) => {
        setImmediate(() => reply.raw.destroy())
        await reply
        told.push('gone')
        resolve()
        return reply
      })
    })
    const told: string[] = []
    const origin = await server.listen({ port: 0, host: '127.0.0.1' })
    assert.equal(await (await fetch(`${origin}/`)).text(), 'sent')
    await assert.rejects(fetch(`${origin}/gone`))
    await gone
    assert.deepEqual(told, ['ended true', 'nobody is told: undefined', 'gone'])
    await server.close()
  })

  test('that fails while it is awaited rejects, or logs the error if no rejection handler was passed', async () => {
    const { server, lines } = noting()
    server.get('/', (_request, reply) => {
      reply.then(
        () => assert.fail('it was not sent'),
        (error: Error) => void told.push(error.message),
      )
      ;(reply as any).then(() => assert.fail('it was not sent'))
      setImmediate(() => {
        reply.raw.emit('error', new Error('cut'))
        reply.raw.destroy()
        reply.send()
      })
    })
    const told: string[] = []
    const origin = await server.listen({ port: 0, host: '127.0.0.1' })
    await assert.rejects(fetch(`${origin}/`))
    await server.close()
    assert.deepEqual(told, ['cut'])
    assert.deepEqual(
      lines.filter(({ msg }) => msg !== 'request errored').map(({ msg, err }) => [msg, err?.message]),
      [['the response ended with an error while it was awaited', 'cut']],
    )
  })
})

describe('reply.hijack', () => {
  test('leaves the response to the application', async () => {
    const server = createServer()
    server.addHook('onSend', async () => 'never')
    server.get('/', async (_request, reply) => {
      reply.hijack()
      reply.raw.end('mine')
      return 'not this'
    })
    assert.equal((await server.inject('/')).body, 'mine')
    await server.close()
  })
})

describe('a status', () => {
  for (const status of [99, 600, Number.NaN, 'abc', undefined]) {
    test(`${String(status)} is refused when it is chosen`, async () => {
      const server = createServer()
      server.get('/', (_request, reply) => {
        assert.throws(() => reply.code(status as number), { code: 'ALC_ERR_BAD_STATUS_CODE' })
        return 'fine'
      })
      assert.equal((await server.inject('/')).body, 'fine')
      await server.close()
    })
  }
})

test('the media type of a reply is that of its content-type, wherever that was set', async () => {
  const server = createServer()
  server.get('/', (_request, reply) => {
    const seen = [reply.mediaType]
    reply.raw.setHeader('Content-Type', 'TEXT/HTML')
    seen.push(reply.mediaType)
    reply.header('content-type', ' application/json ; charset=utf-8')
    seen.push(reply.mediaType)
    reply.type('nonsense')
    seen.push(reply.mediaType)
    reply.type('application/json').send(seen.map(String))
  })
  assert.deepEqual((await server.inject('/')).json(), ['undefined', 'text/html', 'application/json', 'undefined'])
  await server.close()
})

test('a trailer may not have the name of a field that is needed before the body or describes the connection, nor an invalid name', async () => {
  const names = [
    'connection',
    'keep-alive',
    'proxy-connection',
    'upgrade',
    'http2-settings',
    'transfer-encoding',
    'content-length',
    'host',
    'cache-control',
    'max-forwards',
    'te',
    'authorization',
    'set-cookie',
    'content-encoding',
    'content-type',
    'content-range',
    'trailer',
  ]
  const server = createServer()
  server.get('/', (_request, reply) => {
    for (const name of names)
      for (const each of [name, name.toUpperCase()])
        assert.throws(() => reply.trailer(each, async () => ''), { code: 'ALC_ERR_BAD_TRAILER_NAME' }, each)
    assert.throws(() => reply.trailer('a b', async () => ''), { code: 'ERR_INVALID_HTTP_TOKEN' })
    assert.equal(reply.hasTrailer('x-a'), false)
    reply.removeTrailer('x-a')
    return 'ok'
  })
  const { body, headers } = await server.inject('/')
  assert.deepEqual([body, headers.trailer], ['ok', undefined])
  await server.close()
})

test('a status from 200 to 599 may be chosen, also as a text or with a fraction', async () => {
  const server = createServer()
  server.get('/', (_request, reply) => {
    for (const [given, status] of [
      [200, 200],
      [599, 599],
      ['404', 404],
      [201.9, 201],
      [599.9, 599],
    ] as const)
      assert.equal(reply.code(given as number).statusCode, status)
    for (const given of [199, 199.9, 600]) assert.throws(() => reply.code(given), { code: 'ALC_ERR_BAD_STATUS_CODE' })
    return 'ok'
  })
  assert.equal((await server.inject('/')).statusCode, 599)
  await server.close()
})

test('headers of the raw response are headers of the reply, unless the reply has its own', async () => {
  const server = createServer()
  server.get('/', (_request, reply) => {
    reply.raw.setHeader('x-raw', 'raw')
    reply.raw.setHeader('x-both', 'raw')
    reply.header('X-Both', 'own').header('x-empty')
    assert.deepEqual(
      ['X-Raw', 'x-both', 'x-empty', 'x-none'].map((name) => [reply.getHeader(name), reply.hasHeader(name)]),
      [
        ['raw', true],
        ['own', true],
        ['', true],
        [undefined, false],
      ],
    )
    assert.deepEqual({ ...reply.getHeaders() }, { 'x-raw': 'raw', 'x-both': 'own', 'x-empty': '' })
    return 'ok'
  })
  assert.equal((await server.inject('/')).headers['x-both'], 'own')
  await server.close()
})

test('a header, a media type and a status are not promises: each is refused, and its rejection is handled', async () => {
  const server = createServer()
  const late = (): any => Promise.reject(new Error('late'))
  server.get('/', (_request, reply) => {
    assert.throws(() => reply.header('X-A', late()), /the header x-a/)
    assert.throws(() => reply.type(late()), /the header content-type/)
    assert.throws(() => reply.code(late()), { code: 'ALC_ERR_BAD_STATUS_CODE' })
    return 'ok'
  })
  assert.equal((await server.inject('/')).body, 'ok')
  await new Promise((resolve) => setImmediate(resolve))
  await server.close()
})

test('a value is serialized by a schema, which is compiled once, or by that of a status; there is an error if it has none', async () => {
  const server = createServer()
  const declared = { type: 'object', properties: { a: { type: 'integer' } } }
  const schema = { response: { 200: declared, 201: { content: { 'application/x': { schema: declared } } } } }
  server.get('/', { schema }, (_request, reply) => {
    const value = { a: '1', b: 2 }
    const own = { type: 'object', properties: { b: { type: 'string' } } }
    assert.equal(reply.getSerializationFunction(own), undefined)
    assert.equal(reply.serializeInput(value, own), '{"b":"2"}')
    const compiled = reply.getSerializationFunction(own)
    assert.equal(reply.compileSerializationSchema(own), compiled)
    assert.equal(compiled!(value), '{"b":"2"}')
    assert.equal(reply.serializeInput(value, 200), '{"a":1}')
    assert.equal(reply.getSerializationFunction('200')!(value), '{"a":1}')
    assert.equal(reply.serializeInput(value, '201', 'application/x'), '{"a":1}')
    assert.equal(reply.getSerializationFunction(201, 'application/x')!(value), '{"a":1}')
    assert.throws(() => reply.serializeInput(value, 404), { code: 'ALC_ERR_MISSING_SERIALIZATION_FN' })
    assert.throws(() => reply.serializeInput(value, 201, 'application/y'), { code: 'ALC_ERR_MISSING_CONTENTTYPE_SERIALIZATION_FN' })
    assert.equal(reply.getSerializationFunction(404), undefined)
    return 'ok'
  })
  const answer = await server.inject('/')
  assert.equal(answer.statusCode, 200, answer.body)
  await server.close()
})

test('a compiler of the application gets each schema once, and a route without schemas has no function for a status', async () => {
  const server = createServer()
  const given: object[] = []
  server.setSerializerCompiler(({ schema }) => {
    given.push(schema)
    return () => 'text'
  })
  const schema = { type: 'object' }
  server.get('/', (_request, reply) => {
    assert.equal(reply.getSerializationFunction(200), undefined)
    assert.throws(() => reply.serializeInput({}, 200), { code: 'ALC_ERR_MISSING_SERIALIZATION_FN' })
    for (let count = 0; count < 2; count++) assert.equal(reply.serializeInput({}, schema), 'text')
    return 'ok'
  })
  const answer = await server.inject('/')
  assert.equal(answer.statusCode, 200, answer.body)
  assert.deepEqual(given, [schema])
  await server.close()
})

test('the elapsed time of a reply ends with it', async () => {
  const { server } = noting()
  let reply!: Reply
  server.get('/', (_request, given) => {
    reply = given
    return 'ok'
  })
  const start = performance.now()
  await server.inject('/')
  await new Promise((resolve) => setImmediate(resolve))
  const { elapsedTime } = reply
  assert.ok(elapsedTime > 0 && elapsedTime < performance.now() - start)
  await new Promise((resolve) => setTimeout(resolve, 5))
  assert.equal(reply.elapsedTime, elapsedTime)
  await server.close()
})

test('an onError hook cannot send', async () => {
  const { server, lines } = noting()
  server.addHook('onError', async (_request, reply) => void reply.send('of the hook'))
  server.setErrorHandler((_error, _request, reply) => void reply.code(500).send('of the handler'))
  server.get('/', () => Promise.reject(new Error('fails')))
  assert.equal((await server.inject('/')).body, 'of the handler')
  assert.ok(lines.some(({ err }) => (err as { code?: string } | undefined)?.code === 'ALC_ERR_SEND_INSIDE_ONERR'))
  await server.close()
})
