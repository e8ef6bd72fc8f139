/** Code that throws any value at any place: the client gets an error reply without details, and the process lives. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { createServer, type Server } from 'alcove/lib'
import { exchange, get, post, revoked, thrownValues, wireTest, type Answer } from './wire.js'

const sink = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() })

function assertTellsNothing({ status, body }: Answer, place: string): void {
  assert.equal(status, 500, `${place}: ${status} ${body}`)
  assert.ok(!/secret/.test(body), `${place}: ${body}`)
  assert.ok(!/\bat .*\.js/.test(body), `${place}: ${body}`)
}

type Place = (server: Server, path: string, fail: () => never) => void

/** The places where code of an application runs before the reply is sent. */
const places: Record<string, Place> = {
  'a handler': (server, path, fail) => server.get(path, () => fail()),
  'an async handler': (server, path, fail) => server.get(path, async () => fail()),
  'an onRequest hook': (server, path, fail) => server.get(path, { onRequest: () => fail() }, () => 'ok'),
  'an async preHandler hook': (server, path, fail) => server.get(path, { preHandler: async () => fail() }, () => 'ok'),
  'a preParsing hook': (server, path, fail) => server.get(path, { preParsing: () => fail() }, () => 'ok'),
  'an async preValidation hook': (server, path, fail) => server.get(path, { preValidation: async () => fail() }, () => 'ok'),
  'a preSerialization hook': (server, path, fail) => server.get(path, { preSerialization: () => fail() }, () => ({ ok: true })),
  'an async onSend hook': (server, path, fail) => server.get(path, { onSend: async () => fail() }, () => 'ok'),
  'an onSend hook': (server, path, fail) => server.get(path, { onSend: () => fail() }, () => 'ok'),
  'a serializer': (server, path, fail) => server.get(path, (_request, reply) => reply.serializer(() => fail()).send({ a: 1 })),
  toJSON: (server, path, fail) => server.get(path, () => ({ toJSON: () => fail() })),
  'a getter of a payload': (server, path, fail) =>
    server.get(path, () => ({
      get a() {
        return fail()
      },
    })),
  'a then getter of a payload': (server, path, fail) =>
    server.get(path, () => ({
      get then() {
        return fail()
      },
    })),
  'an error handler': (server, path, fail) =>
    server.get(path, { errorHandler: () => fail() }, () => {
      throw new Error('first')
    }),
  'an async error handler': (server, path, fail) =>
    server.get(path, { errorHandler: async () => fail() }, async () => {
      throw new Error('first')
    }),
  'an onError hook': (server, path, fail) =>
    server.get(path, { onError: () => fail() }, () => {
      throw new Error('first')
    }),
  'an async onError hook': (server, path, fail) =>
    server.get(path, { onError: async () => fail() }, async () => {
      throw new Error('first')
    }),
  'a promise that a handler returns': (server, path, fail) =>
    server.get(path, () => new Promise((_resolve, reject) => setImmediate(() => reject(caught(fail))))),
}

function caught(fail: () => never): unknown {
  try {
    return fail()
  } catch (error) {
    return error
  }
}

for (const isLogging of [false, true]) {
  const options = isLogging ? { logger: { level: 'trace', stream: sink() } as any } : {}
  for (const [place, declare] of Object.entries(places)) {
    const values = Object.entries(thrownValues())
    wireTest(
      `any value that ${place} throws is answered with a 500 without details${isLogging ? ', with logging' : ''}`,
      (server) => {
        for (const [index, [, make]] of values.entries()) {
          declare(server, `/${index}`, () => {
            throw make()
          })
        }
      },
      async ({ port }) => {
        for (const [index, [name]] of values.entries()) {
          const answers = await exchange(port, get(`/${index}`))
          assert.equal(answers.length, 1, `${place} ${name}`)
          // An error with `expose: true` is meant to be shown.
          if (name === 'an error with a bigint for a code') assert.equal(answers[0]!.status, 500)
          else assertTellsNothing(answers[0]!, `${place}, ${name}`)
        }
      },
      options,
    )
  }
  wireTest(
    `any value that an onResponse hook throws leaves the reply and the server intact${isLogging ? ', with logging' : ''}`,
    (server) => {
      for (const [index, make] of Object.values(thrownValues()).entries()) {
        server.get(`/sync/${index}`, { onResponse: () => thrower(make)() }, () => 'ok')
        server.get(`/async/${index}`, { onResponse: async () => thrower(make)() }, () => 'ok')
      }
    },
    async ({ port }) => {
      for (const index of Object.keys(thrownValues()).keys()) {
        for (const kind of ['sync', 'async']) assert.equal((await exchange(port, get(`/${kind}/${index}`)))[0]!.body, 'ok')
      }
    },
    options,
  )
  wireTest(
    `any value that is thrown after the reply was sent is logged and changes nothing${isLogging ? ', with logging' : ''}`,
    (server) => {
      for (const [index, make] of Object.values(thrownValues()).entries()) {
        server.get(`/sync/${index}`, (_request, reply) => {
          reply.send('ok')
          throw make()
        })
        server.get(`/async/${index}`, async (_request, reply) => {
          reply.send('ok')
          throw make()
        })
        server.get(`/hook/${index}`, { preHandler: (_request: any, _reply: any, done: any) => (done(), thrower(make)()) }, () => 'ok')
        server.get(`/early/${index}`, { onRequest: (_request: any, reply: any) => (reply.send('ok'), thrower(make)()) }, () => 'no')
        server.get(
          `/send/${index}`,
          { onSend: (_request: any, _reply: any, payload: any, done: any) => (done(null, payload), thrower(make)()) },
          () => 'ok',
        )
      }
    },
    async ({ port }) => {
      for (const [index, name] of Object.keys(thrownValues()).entries()) {
        for (const kind of ['sync', 'async', 'hook', 'early', 'send']) {
          const answers = await exchange(port, get(`/${kind}/${index}`))
          assert.deepEqual(
            answers.map(({ body }) => body),
            ['ok'],
            `${kind} ${name}`,
          )
        }
      }
    },
    options,
  )
}

function thrower(make: () => unknown): () => never {
  return () => {
    throw make()
  }
}

wireTest(
  'any value that is sent as a payload is answered once',
  (server) => {
    const circular: any = {}
    circular.self = circular
    const payloads: unknown[] = [
      1n,
      { a: 1n },
      circular,
      Symbol('s'),
      () => {},
      revoked({}),
      revoked(() => {}),
      new Map(),
      new Date(NaN),
      NaN,
      Object.create(null),
    ]
    for (const [index, payload] of payloads.entries()) {
      server.get(`/send/${index}`, (_request, reply) => reply.send(payload))
      server.get(`/return/${index}`, () => payload)
      server.get(`/later/${index}`, (_request, reply) => void setImmediate(() => reply.send(payload)))
      server.get(`/async/${index}`, async () => payload)
    }
  },
  async ({ port }) => {
    for (let index = 0; index < 11; index++) {
      for (const kind of ['send', 'return', 'later', 'async']) {
        const answers = await exchange(port, get(`/${kind}/${index}`))
        assert.equal(answers.length, 1, `${kind} ${index}`)
        assert.equal(answers[0]!.status, index < 8 ? 500 : 200, `${kind} ${index}: ${answers[0]!.body}`)
      }
    }
  },
)

wireTest(
  'a value that its response schema cannot serialize is answered 500',
  (server) => {
    const schema = {
      response: { 200: { type: 'object', properties: { at: { type: 'string', format: 'date-time' }, n: { type: 'integer' } } } },
    } as const
    server.get('/date', { schema }, () => ({ at: new Date(Number.NaN) }) as any)
    server.get('/number', { schema }, () => ({ n: 'many' }) as any)
    server.get('/bigint', { schema }, () => ({ n: Symbol('n') }) as any)
  },
  async ({ port }) => {
    for (const path of ['/date', '/number', '/bigint']) {
      const [answer] = await exchange(port, get(path))
      assert.equal(answer!.status, 500, path)
      assert.equal(JSON.parse(answer!.body).message, 'Internal Server Error')
    }
  },
)

wireTest(
  'any value that a content-type parser throws is answered with a 500 without details',
  (server) => {
    for (const [index, make] of Object.values(thrownValues()).entries()) {
      server.addContentTypeParser(`x/sync${index}`, { parseAs: 'string' }, () => thrower(make)())
      server.addContentTypeParser(`x/async${index}`, { parseAs: 'buffer' }, async () => thrower(make)())
      server.addContentTypeParser(`x/stream${index}`, async () => thrower(make)())
    }
    server.post('/', () => 'ok')
  },
  async ({ port }) => {
    for (const [index, name] of Object.keys(thrownValues()).entries()) {
      for (const kind of ['sync', 'async', 'stream']) {
        const [answer] = await exchange(port, post('/', `x/${kind}${index}`, 'body'))
        if (name !== 'an error with a bigint for a code') assertTellsNothing(answer!, `${kind} ${name}`)
      }
    }
  },
)

wireTest(
  'a rewriteUrl function that does not return a string ends the connection, and rejects inject',
  (server) => server.get('/', () => 'ok'),
  async ({ port, server }) => {
    for (const path of ['/undefined', '/null', '/object']) {
      assert.deepEqual(await exchange(port, get(path)), [])
      await assert.rejects(server.inject(path), { code: 'ALC_ERR_ROUTE_REWRITE_NOT_STR' })
    }
  },
  { rewriteUrl: ({ url }): any => (url === '/object' ? { secret: 1 } : url === '/null' ? null : url === '/undefined' ? undefined : url) },
)

test('a rewriteUrl function that does not return a string ends the stream over HTTP/2, and nothing else', { timeout: 20_000 }, async () => {
  const server = createServer({ http2: true, rewriteUrl: ({ url }): any => (url === '/' ? url : undefined) })
  server.get('/', () => 'ok')
  await server.listen({ port: 0, host: '127.0.0.1' })
  const session = http2.connect(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}`)
  const stream = session.request({ ':path': '/undefined' })
  await assert.rejects(once(stream, 'response'), { code: 'ERR_HTTP2_STREAM_ERROR' })
  const [headers] = await once(session.request({ ':path': '/' }), 'response')
  assert.equal(headers[':status'], 200)
  session.destroy()
  await server.close()
})

const callbacks = {
  genReqId: 'genReqId',
  childLoggerFactory: 'childLoggerFactory',
  rewriteUrl: 'rewriteUrl',
  querystringParser: 'querystringParser',
} as const

for (const name of Object.keys(callbacks) as (keyof typeof callbacks)[]) {
  let fails = true
  const callback: any = {
    genReqId: () => 'id',
    childLoggerFactory: (logger: any) => logger,
    rewriteUrl: (request: any) => request.url,
    querystringParser: () => ({}),
  }[name]
  wireTest(
    `a ${name} function that throws is answered with 500`,
    (server) => server.get('/', () => 'ok'),
    async ({ port }) => {
      fails = true
      const answers = await exchange(port, get('/?a=1'))
      assert.equal(answers.length, 1)
      assertTellsNothing(answers[0]!, name)
      fails = false
    },
    {
      [name]: (...args: unknown[]) => {
        if (fails) throw new Error('secret')
        return callback(...args)
      },
    },
  )
}

wireTest(
  'a constraint strategy or a frameworkErrors function that throws is answered with 500',
  (server) => {
    server.addConstraintStrategy({
      name: 'secret',
      storage: () => ({ get: () => null, set: () => {} }),
      deriveConstraint: (request: any) => {
        if (request.url === '/') throw new Error('secret')
        return undefined
      },
      validate: () => {},
    })
    server.route({ method: 'GET', url: '/', constraints: { secret: 'a' }, handler: () => 'ok' } as any)
  },
  async ({ port }) => {
    for (const path of ['/', '/%']) assertTellsNothing((await exchange(port, get(path)))[0]!, path)
  },
  {
    frameworkErrors: () => {
      throw new Error('secret')
    },
  },
)

wireTest(
  'a getter of a decorated request that throws is answered with 500',
  (server) => {
    server.decorateRequest('bad', {
      getter() {
        throw new Error('secret')
      },
    })
    server.get('/', (request: any) => request.bad)
  },
  async ({ port }) => assertTellsNothing((await exchange(port, get('/')))[0]!, 'getter'),
)

wireTest(
  'a log serializer that throws does not keep requests from being answered',
  (server) => {
    server.get('/', () => 'ok')
    server.get('/fails', () => {
      throw new Error('secret')
    })
  },
  async ({ port }) => {
    for (const path of ['/', '/fails', '/missing']) assert.equal((await exchange(port, get(path))).length, 1, path)
  },
  {
    logger: {
      stream: sink(),
      serializers: {
        err: () => {
          throw new Error('secret')
        },
      },
    } as any,
  },
)

wireTest(
  'a failed validation is answered 400 although its error is not extensible',
  (server) => {
    const frozen = (): Error => Object.freeze(Object.assign(new Error('wrong'), { at: 'n' }))
    const show = (error: any, _request: unknown, reply: any): void =>
      reply.code(error.statusCode).send({ message: error.message, at: error.at, context: error.validationContext })
    const body = { type: 'object', required: ['n'] } as any
    server.setErrorHandler(show)
    server.post('/error', { schema: { body }, validatorCompiler: () => () => ({ error: frozen() }) }, () => 'ok')
    server.post('/rejects', { schema: { body }, validatorCompiler: () => async () => ({ error: frozen() }) }, () => 'ok')
    server.post('/formatter', { schema: { body }, schemaErrorFormatter: frozen }, () => 'ok')
  },
  async ({ port }) => {
    for (const path of ['/error', '/rejects', '/formatter']) {
      const [answer] = await exchange(port, post(path, 'application/json', '{}'))
      assert.equal(answer!.status, 400, path)
      assert.equal(answer!.body, '{"message":"wrong","at":"n","context":"body"}', path)
    }
  },
)

wireTest(
  'a failed validation whose details are malformed is answered 400',
  (server) =>
    server.post('/', { schema: { body: {} }, validatorCompiler: () => () => ({ error: [null, undefined, 5] }) as any }, () => 'ok'),
  async ({ port }) => assert.equal((await exchange(port, post('/', 'application/json', '{}')))[0]!.status, 400),
)

wireTest(
  'a keyword of an $async schema that throws is answered with a 500 without details',
  (server) => {
    const body = { $async: true, type: 'object', properties: { n: { known: true } } }
    server.post('/', { schema: { body } as any }, () => 'ok')
    server.post('/attached', { schema: { body } as any, attachValidation: true }, () => 'ok')
  },
  async ({ port }) => {
    for (const path of ['/', '/attached'])
      for (const kind of ['error', 'null'])
        assertTellsNothing((await exchange(port, post(path, 'application/json', `{"n":"${kind}"}`)))[0]!, `${path} ${kind}`)
    assert.equal((await exchange(port, post('/', 'application/json', '{"n":"no"}')))[0]!.status, 400)
  },
  {
    jsv: {
      customOptions: {
        keywords: [
          {
            keyword: 'known',
            async: true,
            validate: async (_schema: unknown, value: string) => {
              if (value === 'no') return false
              throw value === 'null' ? null : new Error('secret')
            },
          },
        ],
      },
    },
  },
)

const rejects = (): any => Promise.reject(new Error('secret'))

wireTest(
  'a serializer that returns a promise is answered with a 500 without details, and its rejection does not end the process',
  (server) => {
    const schema = { response: { '2xx': { type: 'object' }, 500: { type: 'object' } } } as const
    const serializerCompiler = (): any => rejects
    server.get('/reply', (_request, reply) => reply.serializer(rejects).send({ a: 1 }))
    server.get('/text', (_request, reply) => reply.type('text/x').serializer(rejects).send('text'))
    server.get('/compiled', { schema, serializerCompiler }, () => ({ a: 1 }) as any)
    server.get('/error', { schema, serializerCompiler }, () => rejects())
    server.register(async (child) => {
      child.setReplySerializer(rejects)
      child.get('/context', () => ({ a: 1 }))
    })
    server.get(
      '/formatter',
      { schema: { querystring: { type: 'object', required: ['a'] } }, schemaErrorFormatter: () => rejects() },
      () => 1,
    )
  },
  async ({ port }) => {
    for (const path of ['/reply', '/text', '/compiled', '/error', '/context', '/formatter']) {
      const answers = await exchange(port, get(path))
      assert.equal(answers.length, 1)
      assertTellsNothing(answers[0]!, path)
    }
  },
)

wireTest(
  'a promise that is sent is awaited',
  (server) => {
    server.get('/fine', (_request, reply) => reply.send(Promise.resolve({ a: 1 })))
    server.get('/fails', (_request, reply) => reply.send(rejects()))
    server.get('/nothing', (_request, reply) => reply.send(Promise.reject()))
    server.get('/never', { handlerTimeout: 50 }, (_request, reply) => reply.send(new Promise(() => {})))
    server.get('/reply', (_request, reply) => reply.send(reply))
  },
  async ({ port }) => {
    assert.equal((await exchange(port, get('/fine')))[0]!.body, '{"a":1}')
    for (const path of ['/fails', '/nothing', '/reply']) assertTellsNothing((await exchange(port, get(path)))[0]!, path)
    assert.equal((await exchange(port, get('/never')))[0]!.status, 503)
  },
)

wireTest(
  'an object that merely has a buffer is JSON: memory behind the buffer is not sent',
  (server) => server.get('/', () => ({ name: 'file', buffer: Buffer.from('tiny').buffer })),
  async ({ port }) => assert.equal((await exchange(port, get('/')))[0]!.body, '{"name":"file","buffer":{}}'),
)

for (const status of ['500', '5xx', 'default']) {
  wireTest(
    `details of an error are not shown by a response schema for ${status} that lists them`,
    (server) => {
      const text = { type: 'string' }
      const properties = { message: text, stack: text, cause: { type: 'object', properties: { message: text } }, errors: { type: 'array' } }
      server.get('/', { schema: { response: { [status]: { type: 'object', properties } } } }, () => {
        throw new AggregateError([{ message: 'secret' }], 'secret', { cause: new Error('secret') })
      })
    },
    async ({ port }) => {
      const [answer] = await exchange(port, get('/'))
      assert.deepEqual(JSON.parse(answer!.body), { message: 'Internal Server Error' })
    },
  )
}

wireTest(
  'writing to a response after its end does not end the process',
  (server) => {
    server.get('/write', (_request, reply) => {
      reply.send('first')
      reply.raw.write('second')
    })
    server.get('/end', (_request, reply) => {
      reply.send('first')
      reply.raw.end('second')
    })
    server.get('/raw', (_request, reply) => {
      reply.raw.end('first')
      reply.raw.end('second')
    })
  },
  async ({ port, server }) => {
    for (const path of ['/write', '/end', '/raw']) {
      const answers = await exchange(port, get(path).replace('Connection: close\r\n', '') + get('/alive'))
      assert.deepEqual(
        answers.map(({ body }) => body),
        ['first', 'alive'],
      )
      assert.equal((await server.inject(path)).body, 'first')
    }
  },
)

for (const name of ['genReqId', 'rewriteUrl', 'querystringParser', 'trustProxy', 'childLoggerFactory']) {
  wireTest(
    `a ${name} function that returns a promise is answered with 500, and its rejection does not end the process`,
    (server) => server.get('/', (request) => ({ ip: request.ip })),
    async ({ port }) => {
      // `/alive`, which shows that the server lives, is served by the same functions.
      isPromised = true
      const answers = await exchange(port, get('/?a=1', 'X-Forwarded-For: 1.2.3.4\r\n'))
      isPromised = false
      assert.equal(answers.length, 1)
      assertTellsNothing(answers[0]!, name)
    },
    {
      [name]: (...args: any[]) =>
        isPromised
          ? rejects()
          : ({ rewriteUrl: args[0]?.url, querystringParser: {}, childLoggerFactory: args[0] }[name as 'rewriteUrl'] ?? ''),
    },
  )
  test(`a ${name} that is an async function is refused by createServer`, () => {
    assert.throws(() => createServer({ [name]: async () => {} }), { code: 'ALC_ERR_INIT_OPTS_INVALID' })
  })
}
let isPromised = false

test('a constraint that is derived by an async function is refused by createServer', () => {
  const strategy = {
    name: 'a',
    storage: () => ({ get: () => null, set: () => {} }),
    deriveConstraint: async () => {},
    validate: () => {},
  } as any
  assert.throws(() => createServer({ constraints: { a: strategy } }), /deriveConstraint of 'a'/)
  assert.throws(() => createServer().addConstraintStrategy(strategy), /deriveConstraint of 'a'/)
})

test('a request whose constraint is derived as a promise is answered with 500, and its rejection does not end the process', async () => {
  const server = createServer()
  server.addConstraintStrategy({
    name: 'a',
    storage: () => ({ get: () => null, set: () => {} }),
    deriveConstraint: () => Promise.reject(new Error('secret')),
  })
  server.get('/', { constraints: { a: 'a' } }, () => '')
  assert.equal((await server.inject('/')).statusCode, 500)
})

for (const name of [
  'handlerTimeout',
  'requestTimeout',
  'keepAliveTimeout',
  'connectionTimeout',
  'pluginTimeout',
  'closeIdleDelay',
] as const) {
  test(`a ${name} that is too long for a timer is refused by createServer`, () => {
    assert.throws(() => createServer({ [name]: 2 ** 31 }), { code: 'ALC_ERR_INIT_OPTS_INVALID' })
    createServer({ [name]: 2 ** 31 - 1 })
  })
}

test('a handlerTimeout of a route that is too long for a timer is refused', () => {
  const code = 'ALC_ERR_ROUTE_HANDLER_TIMEOUT_OPTION_NOT_INT'
  assert.throws(() => createServer().get('/', { handlerTimeout: 2 ** 31 }, () => 1), { code })
})
