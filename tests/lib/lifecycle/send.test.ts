/** From a payload to the bytes that are sent: media type, serializer, and payloads that cannot be sent. */
import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { createServer } from 'alcove/lib'
import { using } from '../../fixtures/logged-server.js'

test('a text, and a stream, that is described as bytes has the media type that the description says', () =>
  using(
    (server) => {
      const schema = { response: { 200: { type: 'string', format: 'binary' }, 201: { type: 'string' } } } as const
      server.get('/text', { schema }, () => 'ab')
      server.get('/stream', { schema }, (_request, reply) => reply.send(Readable.from(['ab'])))
      server.get('/chosen', { schema }, (_request, reply) => reply.type('image/png').send(Readable.from(['ab'])))
      server.get('/other', { schema }, (_request, reply) => reply.code(201).send('ab'))
    },
    async (server) => {
      const typeOf = async (url: string) => (await server.inject(url)).headers['content-type']
      assert.deepEqual(
        [await typeOf('/text'), await typeOf('/stream'), await typeOf('/chosen'), await typeOf('/other')],
        ['application/octet-stream', 'application/octet-stream', 'image/png', 'text/plain; charset=utf-8'],
      )
    },
  ))

describe('the media type of a payload', () => {
  const bytes = new Uint8Array([97, 98])
  const payloads: Record<string, [payload: () => unknown, type: string | undefined, body: string]> = {
    'a string': [() => 'ab', 'text/plain; charset=utf-8', 'ab'],
    bytes: [() => Buffer.from('ab'), 'application/octet-stream', 'ab'],
    'a view of bytes': [() => bytes.subarray(1), 'application/octet-stream', 'b'],
    'shared bytes': [() => new Uint8Array(new SharedArrayBuffer(1)), 'application/octet-stream', '\0'],
    'a value': [() => ({ a: 1 }), 'application/json; charset=utf-8', '{"a":1}'],
    'a stream': [() => Readable.from(['ab']), undefined, 'ab'],
    nothing: [() => undefined, undefined, ''],
  }
  for (const [what, [payload, type, body]] of Object.entries(payloads)) {
    test(`that is ${what} is ${type ?? 'not set'}, unless one was chosen`, () =>
      using(
        (server) => {
          server.get('/', (_request, reply) => reply.send(payload()))
          server.get('/chosen', (_request, reply) => reply.type('application/vnd.own+json').send(payload()))
          server.get('/other', (_request, reply) => reply.type('image/png').send(payload()))
        },
        async (server) => {
          const own = await server.inject('/')
          assert.deepEqual([own.headers['content-type'], own.body], [type, body])
          const hasCharset = what === 'a string' || what === 'a value'
          const chosen = await server.inject('/chosen')
          assert.deepEqual(
            [chosen.headers['content-type'], chosen.body],
            [hasCharset ? 'application/vnd.own+json; charset=utf-8' : 'application/vnd.own+json', body],
          )
          if (what !== 'a value') assert.equal((await server.inject('/other')).headers['content-type'], 'image/png')
        },
      ))
  }

  test('that is JSON gets a charset if it has none', () => {
    const types = {
      'application/json': 'application/json; charset=utf-8',
      'Application/JSON': 'Application/JSON; charset=utf-8',
      'application/problem+json ; ': 'application/problem+json ; charset=utf-8',
      ' application/json ': 'application/json; charset=utf-8',
      'application/json; charset=latin1': 'application/json; charset=latin1',
      'text/json': 'text/json',
      'application/x-ndjson': 'application/x-ndjson',
      'text/html': 'text/html',
    }
    const isJson = (type: string): boolean => !['text/json', 'application/x-ndjson', 'text/html'].includes(type)
    return using(
      (server) => {
        for (const [index, type] of Object.keys(types).entries()) {
          server.get(`/text/${index}`, (_request, reply) => reply.type(type).send('{}'))
          if (isJson(type)) server.get(`/value/${index}`, (_request, reply) => reply.type(type).send({}))
        }
        server.get('/list', (_request, reply) => reply.header('content-type', ['text/html']).send('fine'))
      },
      async (server) => {
        for (const [index, type] of Object.values(types).entries()) {
          assert.equal((await server.inject(`/text/${index}`)).headers['content-type'], type)
          if (isJson(type)) assert.equal((await server.inject(`/value/${index}`)).headers['content-type'], type)
        }
        assert.equal((await server.inject('/list')).body, 'fine')
      },
    )
  })
})

describe('a serializer of the reply', () => {
  test('serializes values, and strings if a media type was chosen; it must set the media type itself', () =>
    using(
      (server) => {
        const shout = (payload: unknown): string => `${JSON.stringify(payload)}!`
        server.get('/value', (_request, reply) => reply.serializer(shout).send({ a: 1 }))
        server.get('/typed', (_request, reply) => reply.type('text/x').serializer(shout).send({ a: 1 }))
        server.get('/text', (_request, reply) => reply.serializer(shout).send('a'))
        server.get('/typed-text', (_request, reply) => reply.type('text/x').serializer(shout).send('a'))
        server.get('/generator', (_request, reply) =>
          reply
            .serializer((items) => [...items].join())
            .send(
              (function* () {
                yield 1
                yield 2
              })(),
            ),
        )
      },
      async (server) => {
        const answers = await Promise.all(['/value', '/typed', '/text', '/typed-text', '/generator'].map((url) => server.inject(url)))
        assert.deepEqual(
          answers.map(({ headers, body }) => [headers['content-type'], body]),
          [
            [undefined, '{"a":1}!'],
            ['text/x', '{"a":1}!'],
            ['text/plain; charset=utf-8', 'a'],
            ['text/x', '"a"!'],
            [undefined, '1,2'],
          ],
        )
      },
    ))
})

describe('a payload that cannot be written', () => {
  const code = 'ALC_ERR_REP_INVALID_PAYLOAD_TYPE'

  test('is answered 500 with its own code: an object with a media type that has no serializer, a function, a symbol', () =>
    using(
      (server) => {
        server.get('/typed', (_request, reply) => reply.type('text/csv').send({ a: 1 }))
        server.get('/function', () => Object.assign(() => {}, { pipe() {} }))
        server.get('/symbol', () => Symbol('x'))
        const content = { 'text/html': { schema: { type: 'string' } } }
        server.get('/declared', { schema: { response: { 200: { content } } } }, (_request, reply) =>
          reply.type('text/csv').send({ a: 1 } as any),
        )
      },
      async (server) => {
        for (const url of ['/typed', '/function', '/symbol', '/declared']) {
          const answer = await server.inject(url)
          assert.deepEqual([answer.statusCode, answer.json().code], [500, code], url)
        }
      },
    ))

  test('is answered 500 if JSON would write it without its bytes', () =>
    using(
      (server) => {
        server.get('/ArrayBuffer', () => new ArrayBuffer(2))
        server.get('/SharedArrayBuffer', (_request, reply) => reply.send(new SharedArrayBuffer(2)))
        server.get('/Blob', { schema: { response: { 200: { type: 'object', properties: {} } } } }, () => new Blob(['a']) as any)
        server.get('/File', async () => new File(['a'], 'a.txt'))
        const bytes = { schema: { response: { 200: { type: 'string', format: 'binary' } } } }
        server.get('/text', bytes, () => new ArrayBuffer(2) as any)
        server.get('/empty', () => ({}))
      },
      async (server) => {
        for (const name of ['ArrayBuffer', 'SharedArrayBuffer', 'Blob', 'File', 'text']) {
          const answer = await server.inject(`/${name}`)
          assert.deepEqual([answer.statusCode, answer.json().code], [500, code], name)
        }
        assert.equal((await server.inject('/empty')).body, '{}')
      },
    ))

  test('is answered 500 also if a hook runs before', () =>
    using(
      (server) => {
        const hook = async (): Promise<void> => {}
        server.get('/serialization', { preSerialization: hook }, () => ({ a: 1n }))
        server.get('/writing', { onSend: async () => ({ not: 'text' }) as any }, () => 'text')
      },
      async (server) => {
        assert.equal((await server.inject('/serialization')).statusCode, 500)
        const answer = await server.inject('/writing')
        assert.deepEqual([answer.statusCode, answer.json().code], [500, code])
      },
    ))

  test('fails with an error that has the config of the route as its property serialization, if the error is extensible', async () => {
    const thrown: unknown[] = [new Error('open'), Object.freeze(new Error('frozen')), { plain: true }, 'text']
    const seen: any[] = []
    await using(
      (server) => {
        server.setErrorHandler((error, _request, reply) => {
          seen.push(error)
          reply.code(500).send('handled')
        })
        for (const [index, error] of thrown.entries())
          server.get(`/${index}`, { config: { mine: true } }, () => ({
            toJSON() {
              throw error
            },
          }))
      },
      async (server) => {
        for (const index of thrown.keys()) assert.equal((await server.inject(`/${index}`)).body, 'handled')
      },
    )
    assert.ok(thrown.every((error, index) => seen[index] === error))
    assert.equal(seen[0].serialization.mine, true)
    assert.deepEqual(
      seen.slice(1).map(({ serialization }) => serialization),
      [undefined, undefined, undefined],
    )
  })
})

test('a reply that is sent as its own payload, which would wait for itself, is a 500 that says so', () =>
  using(
    (server) => void server.get('/', (_request, reply) => void reply.send(reply as never)),
    async (server, lines) => {
      assert.equal((await server.inject('/')).statusCode, 500)
      assert.match(lines[0]!.err!.message, /'reply'/)
    },
  ))

test('a promise that is sent and rejected fails the reply with its error, or with one that says that there was none', () =>
  using(
    (server) => {
      server.get('/error', (_request, reply) => void reply.send(Promise.reject(new Error('own')) as never))
      server.get('/nothing', (_request, reply) => void reply.send(Promise.reject() as never))
    },
    async (server, lines) => {
      for (const url of ['/error', '/nothing']) assert.equal((await server.inject(url)).statusCode, 500)
      assert.deepEqual([lines[0]!.err!.message, lines[1]!.err!.code], ['own', 'ALC_ERR_SEND_UNDEFINED_ERR'])
    },
  ))

test('a preSerialization hook replaces the payload, or fails the reply with the error that it throws or returns', () =>
  using(
    (server) => {
      server.get('/replaced', { preSerialization: async (_request, _reply, payload) => ({ hook: payload }) }, () => ({ a: 1 }))
      server.get('/failed', { preSerialization: () => Promise.reject(new Error('of the hook')) }, () => ({ a: 1 }))
      const schema = { response: { 200: { type: 'object', properties: { message: { type: 'string' } } } } }
      server.get('/returned', { schema, preSerialization: async () => new Error('returned') }, () => ({}))
      server.get('/passed', { preSerialization: (_request, _reply, _payload, done) => done(null, new Error('passed')) }, () => ({}))
    },
    async (server, lines) => {
      assert.equal((await server.inject('/replaced')).body, '{"hook":{"a":1}}')
      for (const url of ['/failed', '/returned', '/passed']) {
        const { statusCode, body } = await server.inject(url)
        assert.deepEqual([statusCode, /of the hook|returned|passed/.test(body)], [500, false])
      }
      assert.deepEqual(
        lines.map(({ err }) => err?.message),
        ['of the hook', 'returned', 'passed'],
      )
    },
  ))

test('null is a payload, undefined is not', async () => {
  const server = createServer()
  const seen: unknown[] = []
  server.addHook('preSerialization', (_request, _reply, payload, done) => {
    seen.push(payload)
    done(null, payload)
  })
  server.get('/null', () => null)
  server.get('/promise', async () => null)
  server.get('/nothing', (_request, reply) => reply.send())
  for (const url of ['/null', '/promise']) {
    const response = await server.inject(url)
    assert.deepEqual([response.headers['content-type'], response.body], ['application/json; charset=utf-8', 'null'])
  }
  const nothing = await server.inject('/nothing')
  assert.deepEqual([nothing.headers['content-type'], nothing.headers['content-length'], nothing.body], [undefined, '0', ''])
  assert.deepEqual(seen, [])
})

describe('a payload that would be sent as an empty object, or as a stream that it is not, is a 500:', () => {
  const payloads: Record<string, [payload: () => unknown, message: RegExp]> = {
    'an async generator': [
      async function* () {
        yield 1
      },
      /'generator'\. Send Readable\.from\(generator\)/,
    ],
    'a generator': [
      function* () {
        yield 1
      },
      /'generator'/,
    ],
    'a Map': [() => new Map([['a', 1]]), /'Map'\. Send Object\.fromEntries\(map\)/],
    'an ArrayBuffer': [() => new ArrayBuffer(3), /'ArrayBuffer'\. Send Buffer\.from\(arrayBuffer\)/],
    'a Blob': [() => new Blob(['text']), /'Blob'\. Send blob\.stream\(\)/],
    'an Observable': [() => ({ pipe: () => {}, subscribe: () => {} }), /'Observable'\. Await its values/],
  }
  for (const [what, [payload, message]] of Object.entries(payloads)) {
    test(what, () =>
      using(
        (server) => void server.get('/', (_request, reply) => reply.send(payload())),
        async (server, lines) => {
          assert.equal((await server.inject('/')).statusCode, 500)
          assert.match(lines[0]!.err!.message, message)
        },
      ),
    )
  }
})

for (const [kind, makeSource] of [
  ['a stream', (end) => new Readable({ read: () => {}, destroy: (error, done) => (end(), done(error)) })],
  ['a web stream', (end) => new ReadableStream({ cancel: end })],
  ['a Response', (end) => new Response(new ReadableStream({ cancel: end }))],
] satisfies [string, (end: () => void) => unknown][]) {
  for (const [title, replace] of [
    ['a text', async () => 'text'],
    ['nothing', async () => null],
  ] as const) {
    test(`${kind} is destroyed if an onSend hook replaces it by ${title}`, async () => {
      let ends = 0
      const server = createServer()
      server.get('/', { onSend: replace }, () => makeSource(() => ends++) as any)
      const { body } = await server.inject('/')
      assert.deepEqual([body, ends], [title === 'a text' ? 'text' : '', 1])
      await server.close()
    })
  }
}

test('a stream is not destroyed if an onSend hook replaces it by another stream, which may read from it', async () => {
  const server = createServer()
  const source = Readable.from(['te', 'xt'])
  server.get('/', { onSend: async (_request, _reply, payload: any) => payload.pipe(new PassThrough()) }, () => source as any)
  assert.equal((await server.inject('/')).body, 'text')
  await server.close()
})
