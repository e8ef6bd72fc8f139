/** The reply to a route whose response is a stream: its format, its headers, and what the handler may return. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { type InjectOptions, event, stream } from 'alcove/lib'
import { z } from 'zod'
import { messages, using } from '../../../fixtures/logged-server.js'

const tick = { type: 'object', required: ['n'], properties: { n: { type: 'integer' }, at: { type: 'string', format: 'date' } } } as const
const ticks = { response: { 200: stream(tick) } } as const

async function* count(): AsyncGenerator<{ n: number; secret?: string }> {
  yield { n: 1, secret: 'x' }
  yield { n: 2 }
}

const get = (accept?: string): InjectOptions => ({ url: '/', ...(accept !== undefined && { headers: { accept } }) })

describe('a stream of items', () => {
  test('is sent in the format that the client accepts, each item by its schema', () =>
    using(
      (server) => void server.get('/', { schema: ticks }, count),
      async (server) => {
        for (const [accept, type, body] of [
          ['application/jsonl', 'application/jsonl', '{"n":1}\n{"n":2}\n'],
          ['application/x-ndjson', 'application/x-ndjson', '{"n":1}\n{"n":2}\n'],
          ['text/event-stream', 'text/event-stream', 'data: {"n":1}\n\ndata: {"n":2}\n\n'],
        ] as const) {
          const reply = await server.inject(get(accept))
          assert.deepEqual([reply.statusCode, reply.headers['content-type'], reply.body], [200, type, body])
        }
      },
    ))

  test('has the fields of an event in server-sent events, and only the data in JSON Lines', () =>
    using(
      (server) =>
        void server.get('/', { schema: ticks }, async function* () {
          yield event({ n: 1, secret: 'x' }, { id: '7', event: 'tick', retry: 500 })
          yield event({ n: 2 }, { id: '' })
        }),
      async (server) => {
        const events = await server.inject(get('text/event-stream'))
        assert.equal(events.body, 'id: 7\nevent: tick\nretry: 500\ndata: {"n":1}\n\nid: \ndata: {"n":2}\n\n')
        assert.equal((await server.inject(get())).body, '{"n":1}\n{"n":2}\n')
      },
    ))

  test('is not cached or collected on its way, unless the application says so, and varies by Accept', () =>
    using(
      (server) => {
        server.get('/', { schema: ticks }, count)
        server.get('/own', { schema: ticks }, (_request, reply) => {
          reply.headers({ vary: 'Origin', 'cache-control': 'max-age=5', 'x-accel-buffering': 'yes', 'content-type': 'text/html' })
          return count()
        })
      },
      async (server) => {
        const names = ['vary', 'cache-control', 'x-accel-buffering', 'content-type']
        const headersOf = async (url: string): Promise<unknown[]> => {
          const { headers } = await server.inject(url)
          return names.map((name) => headers[name])
        }
        assert.deepEqual(await headersOf('/'), ['Accept', 'no-store', 'no', 'application/jsonl'])
        assert.deepEqual(await headersOf('/own'), ['Origin, Accept', 'max-age=5', 'yes', 'application/jsonl'])
      },
    ))

  test('adds Accept to what it varies by, unless Accept or any header is named there', () => {
    const accept = ['Accept', 'accept , Origin', 'Origin, Accept', 'Origin,accept', '*', 'Origin , * , Host']
    const others = ['Accept-Encoding', 'X-Accept', 'Accept Origin', 'Origin Accept']
    return using(
      (server) => {
        server.get('/:vary', { schema: ticks }, (request, reply) => {
          reply.header('vary', request.params['vary'])
          return count()
        })
      },
      async (server) => {
        const varyOf = async (vary: string): Promise<unknown> => (await server.inject(`/${encodeURIComponent(vary)}`)).headers['vary']
        for (const vary of accept) assert.equal(await varyOf(vary), vary)
        for (const vary of others) assert.equal(await varyOf(vary), `${vary}, Accept`)
      },
    )
  })

  test('is answered 406 before the source starts if the client accepts no format', () => {
    let started = 0
    return using(
      (server) =>
        void server.get('/', { schema: ticks }, async function* () {
          started++
          yield { n: 1 }
        }),
      async (server) => {
        const reply = await server.inject(get('application/json'))
        assert.deepEqual([reply.statusCode, reply.json().code, started], [406, 'ALC_ERR_REP_NOT_ACCEPTABLE', 0])
        assert.equal(reply.headers['vary'], 'Accept', 'a cache must not keep it for other clients')
        assert.match(reply.json().message, /application\/jsonl, text\/event-stream, application\/x-ndjson/)
      },
    )
  })

  test('of a HEAD request has the headers of GET, and its source does not start', () => {
    let started = 0
    return using(
      (server) =>
        void server.get('/', { schema: ticks }, async function* () {
          started++
          yield { n: 1 }
        }),
      async (server) => {
        const reply = await server.inject({ method: 'HEAD', url: '/', headers: { accept: 'text/event-stream' } })
        assert.deepEqual([reply.statusCode, reply.headers['content-type'], reply.body, started], [200, 'text/event-stream', '', 0])
      },
    )
  })

  test('may come from an async generator, a promise of one, reply.send, a stream of objects, a web stream or an empty source', () =>
    using(
      (server) => {
        server.get('/generator', { schema: ticks }, count)
        server.get('/promise', { schema: ticks }, async () => count())
        server.get('/send', { schema: ticks }, (_request, reply) => void reply.send(count()))
        server.get('/sent-promise', { schema: ticks }, (_request, reply) => void reply.send(Promise.resolve(count()) as never))
        server.get('/objects', { schema: ticks }, () => Readable.from([{ n: 1 }, { n: 2 }]))
        server.get('/web', { schema: ticks }, () => ReadableStream.from([{ n: 1 }, { n: 2 }]))
        server.get('/empty', { schema: ticks }, async function* () {})
      },
      async (server) => {
        for (const url of ['/generator', '/promise', '/send', '/sent-promise', '/objects', '/web'])
          assert.equal((await server.inject(url)).body, '{"n":1}\n{"n":2}\n', url)
        const empty = await server.inject('/empty')
        assert.deepEqual([empty.statusCode, empty.headers['content-type'], empty.body], [200, 'application/jsonl', ''])
      },
    ))

  test('may be described by a range of statuses, a shared schema or a library, and by the serializer compiler of the application', () =>
    using(
      (server) => {
        server.addSchema({ $id: 'Tick', ...tick })
        server.get('/range', { schema: { response: { '2xx': stream({ $ref: 'Tick#' }) } } }, (_request, reply) =>
          reply.code(201).send(count()),
        )
        server.get('/zod', { schema: { response: { 200: stream(z.object({ n: z.number() })) } } }, count)
        const serializerCompiler =
          ({ httpStatus }: { httpStatus?: string | null }) =>
          () =>
            `"own ${httpStatus}"`
        server.get('/own', { schema: ticks, serializerCompiler }, count)
      },
      async (server) => {
        const range = await server.inject('/range')
        assert.deepEqual([range.statusCode, range.body], [201, '{"n":1}\n{"n":2}\n'])
        assert.equal((await server.inject('/zod')).body, '{"n":1}\n{"n":2}\n')
        assert.equal((await server.inject('/own')).body, '"own 200"\n"own 200"\n')
      },
    ))

  test('passes the onSend hooks as a stream of bytes, and no preSerialization hook', () => {
    const seen: string[] = []
    return using(
      (server) => {
        server.addHook('preSerialization', async (_request, _reply, payload) => (seen.push('preSerialization'), payload))
        server.addHook('onSend', async (_request, _reply, payload) => {
          seen.push(payload instanceof Readable ? 'stream' : typeof payload)
          return payload
        })
        server.get('/', { schema: ticks }, count)
      },
      async (server) => {
        assert.equal((await server.inject('/')).body, '{"n":1}\n{"n":2}\n')
        assert.deepEqual(seen, ['stream'])
      },
    )
  })
})

describe('a handler whose response is a stream', () => {
  for (const [name, payload] of [
    ['nothing', undefined],
    ['null', null],
    ['a string', 'text'],
    ['bytes', Buffer.from('text')],
    ['a list', [{ n: 1 }]],
    ['an object', { n: 1 }],
    ['a Response', new Response('text')],
    ['a stream of bytes', Readable.from([Buffer.from('text')], { objectMode: false })],
    ['an Observable', { pipe() {}, subscribe() {} }],
  ] as const) {
    test(`is answered 500 if it returns ${name}, and the log says what to return`, () =>
      using(
        (server) => void server.get('/', { schema: ticks }, async () => payload),
        async (server, lines) => {
          const reply = await server.inject('/')
          assert.equal(reply.statusCode, 500)
          assert.deepEqual(messages(lines), [
            `GET / has stream(…) as its response 200, but its handler returned ${name}. Return an async iterable of the items, most simply from an async function*.`,
          ])
        },
      ))
  }

  test('may answer with another status, whose schema counts', () =>
    using(
      (server) => {
        const schema = { response: { ...ticks.response, 404: { type: 'object', properties: { why: { type: 'string' } } } } }
        server.get('/', { schema }, (_request, reply) => reply.code(404).send({ why: 'none', secret: 'x' }))
      },
      async (server) => {
        const reply = await server.inject('/')
        assert.deepEqual([reply.statusCode, reply.body], [404, '{"why":"none"}'])
      },
    ))

  test('without stream(…) sends streams as before', () =>
    using(
      (server) => void server.get('/', { schema: { response: { 200: tick } } }, () => Readable.from(['a', 'b'])),
      async (server) => assert.equal((await server.inject('/')).body, 'ab'),
    ))
})
