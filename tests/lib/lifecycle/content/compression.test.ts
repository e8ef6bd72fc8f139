import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import {
  compression,
  type CompressionOptions,
  Controller,
  createServer,
  Get,
  Plugin,
  type Reply,
  sendRanges,
  stream,
  testServer,
} from 'alcove'

const long = JSON.stringify(Array.from({ length: 400 }, (_, id) => ({ id, name: 'Ada' })))

/** Sends a request to a handler behind the hook. */
async function ask(acceptEncoding: string | undefined, prepare: (reply: Reply) => void = () => {}, options: CompressionOptions = {}) {
  const server = createServer()
  server.addHook('onSend', compression(options))
  server.get('/', (_request, reply) => {
    reply.type('application/json')
    prepare(reply)
    reply.send(long)
  })
  const headers = acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding }
  const { headers: sent, rawPayload } = await server.inject({ url: '/', headers })
  return { coding: sent['content-encoding'], vary: sent['vary'], etag: sent['etag'], length: Number(sent['content-length']), rawPayload }
}

test('the coding with the highest weight is used, of equal ones the first of the list, and the bytes are those of the reply', async () => {
  for (const [header, coding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0.5,gzip; q=0.5', 'br'],
    ['br;q=0, *', 'gzip'],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['br;q=0, gzip;q=0', undefined],
    ['identity, br;q=0.5', undefined],
    ['identity;q=0.5, gzip', 'gzip'],
    ['deflate', undefined],
    ['br;q=7', undefined],
    ['', undefined],
    [undefined, undefined],
  ] as const) {
    const reply = await ask(header)
    assert.equal(reply.coding, coding, header)
    const decode = coding === 'br' ? brotliDecompressSync : coding === 'gzip' ? gunzipSync : (bytes: Buffer) => bytes
    assert.equal(decode(reply.rawPayload).toString(), long)
    assert.equal(reply.length, reply.rawPayload.length)
    assert.equal(reply.vary, 'Accept-Encoding', 'also if this client gets the bytes as they are')
  }
  assert.equal((await ask('br, gzip', undefined, { codings: ['gzip'] })).coding, 'gzip')
})

test('Vary keeps its other names, and a strong entity tag becomes a weak one only if the bytes change', async () => {
  assert.equal((await ask('br', (reply) => void reply.header('vary', 'Origin'))).vary, 'Origin, Accept-Encoding')
  assert.equal((await ask('br', (reply) => void reply.header('vary', 'accept-encoding'))).vary, 'accept-encoding')
  assert.equal((await ask('br', (reply) => void reply.header('vary', '*'))).vary, '*')
  const tagged = (etag: string) => (reply: Reply) => void reply.header('etag', etag)
  assert.equal((await ask('br', tagged('"v1"'))).etag, 'W/"v1"')
  assert.equal((await ask('br', tagged('W/"v1"'))).etag, 'W/"v1"')
  assert.equal((await ask(undefined, tagged('"v1"'))).etag, '"v1"')
})

test('a 304 has the tag of the reply that the client has: weak if that one was compressed', async () => {
  const server = createServer()
  server.addHook('onSend', compression())
  server.get('/', (_request, reply) => reply.code(304).header('etag', '"v1"').send())
  for (const tag of ['"v1"', 'W/"v1"']) {
    const { headers } = await server.inject({ url: '/', headers: { 'if-none-match': tag } })
    assert.equal(headers.etag, tag)
  }
  assert.equal((await server.inject({ url: '/', headers: { 'if-none-match': '*' } })).headers.etag, '"v1"')
})

test('a 304 has the Vary of the reply that it stands for, unless that reply is never compressed', async () => {
  const varyOf = async (prepare: (reply: Reply) => unknown): Promise<unknown> => {
    const server = createServer()
    server.addHook('onSend', compression())
    server.get('/', (_request, reply) => {
      prepare(reply)
      reply.code(304).send()
    })
    const { headers, rawPayload } = await server.inject('/')
    assert.deepEqual([rawPayload.length, headers['content-encoding']], [0, undefined])
    return headers['vary']
  }
  assert.equal(await varyOf((reply) => reply.header('vary', 'Origin')), 'Origin, Accept-Encoding')
  assert.equal(await varyOf((reply) => reply.header('accept-ranges', 'bytes')), undefined)
  assert.equal(await varyOf((reply) => reply.header('cache-control', 'no-transform')), undefined)
})

test('replies that must not be transformed, are encoded, short, of another type, or parts are left as they are', async () => {
  for (const prepare of [
    (reply: Reply) => reply.header('cache-control', 'public, No-Transform'),
    (reply: Reply) => reply.header('content-encoding', 'zstd'),
    (reply: Reply) => reply.type('image/png'),
    (reply: Reply) => reply.code(206).header('content-range', 'bytes 0-9/10'),
    (reply: Reply) => reply.header('accept-ranges', 'bytes'),
    (reply: Reply) => reply.code(206),
  ]) {
    const { coding, vary, rawPayload } = await ask('br', (reply) => void prepare(reply))
    assert.deepEqual([coding === 'zstd' ? undefined : coding, vary, rawPayload.toString()], [undefined, undefined, long], String(prepare))
  }
  assert.equal((await ask('br', undefined, { threshold: long.length + 1 })).coding, undefined)
  assert.equal((await ask('br', undefined, { threshold: long.length })).coding, 'br')
  assert.equal((await ask('br', (reply) => void reply.type('text/csv; charset=utf-8'))).coding, 'br')
  assert.equal((await ask('br', (reply) => void reply.type('image/png'), { types: /^image\/png$/ })).coding, 'br')
})

test('ranges, empty replies, Responses and HEAD stay right', async () => {
  const server = createServer()
  server.addHook('onSend', compression())
  server.get('/ranges', (_request, reply) =>
    sendRanges(reply, { size: 5000, etag: '"v"', type: 'text/plain', read: ({ start, end }) => Buffer.alloc(end - start + 1, 'a') }),
  )
  server.get('/empty', (_request, reply) => reply.code(204).send())
  server.get('/response', () => new Response(long, { headers: { 'content-type': 'application/json' } }) as never)
  server.get('/json', (_request, reply) => reply.type('application/json').send(long))
  const get = (url: string, method: 'GET' | 'HEAD' = 'GET', headers = {}) =>
    server.inject({ url, method, headers: { 'accept-encoding': 'gzip', ...headers } })
  assert.deepEqual([(await get('/ranges')).headers['content-encoding'], (await get('/ranges')).headers['etag']], [undefined, '"v"'])
  assert.equal((await get('/ranges', 'GET', { range: 'bytes=0-1999' })).body.length, 2000)
  assert.equal((await get('/empty')).statusCode, 204)
  assert.equal((await get('/response')).body, long)
  const [head, whole] = [await get('/json', 'HEAD'), await get('/json')]
  for (const name of ['content-encoding', 'content-length', 'vary']) assert.equal(head.headers[name], whole.headers[name], name)
})

test('a stream is flushed when its source pauses: a client reads the first piece before the second exists', async (t) => {
  const server = createServer()
  server.addHook('onSend', compression())
  let goOn = (): void => {}
  const wait = (): Promise<void> => new Promise((resolve) => (goOn = resolve))
  server.get('/rows', (_request, reply) => {
    async function* rows() {
      yield 'first\n'
      await wait()
      yield 'second\n'
    }
    reply.type('text/csv').send(Readable.from(rows()))
  })
  server.get(
    '/events',
    { schema: { response: { 200: stream({ type: 'object', properties: { n: { type: 'integer' } } }) } } },
    async function* () {
      yield { n: 1 }
      await wait()
      yield { n: 2 }
    },
  )
  const origin = await server.listen({ port: 0 })
  t.after(() => server.close())
  for (const [path, first] of [
    ['/rows', 'first\n'],
    ['/events', '{"n":1}\n'],
  ] as const) {
    // prettier-ignore
    for (const coding of ['gzip', 'br']) {
      const response = await fetch(origin + path, { headers: { 'accept-encoding': coding } })
      assert.equal(response.headers.get('content-encoding'), coding)
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
      assert.equal((await reader.read()).value, first)
      goOn()
      assert.match((await reader.read()).value!, /second|2/)
      assert.equal((await reader.read()).done, true)
    }
  }
})

test('the source of a compressed stream is destroyed when its client leaves, and its error ends the reply', async (t) => {
  const server = createServer()
  server.addHook('onSend', compression())
  const endless = new Readable({ read() {} })
  server.get('/endless', (_request, reply) => {
    endless.push('row\n')
    reply.type('text/csv').send(endless)
  })
  server.get('/fails', (_request, reply) => {
    async function* rows() {
      yield 'row\n'
      await delay(10)
      throw new Error('the database is gone')
    }
    reply.type('text/csv').send(Readable.from(rows()))
  })
  const origin = await server.listen({ port: 0 })
  t.after(() => server.close())
  const controller = new AbortController()
  const response = await fetch(`${origin}/endless`, { signal: controller.signal })
  assert.equal(response.headers.get('content-encoding'), 'gzip')
  controller.abort()
  await new Promise((resolve) => endless.once('close', resolve))
  await assert.rejects(fetch(`${origin}/fails`).then((reply) => reply.text()))
})

test('a compressed stream of another length than the stated one ends the reply, as without compression', async (t) => {
  const server = createServer()
  server.addHook('onSend', compression())
  const sent = (length: string, chunks: unknown[]) => async (_request: unknown, reply: any) => {
    async function* rows() {
      for (const chunk of chunks) {
        yield chunk
        await delay(10)
      }
    }
    return reply.type('text/csv').header('content-length', length).send(Readable.from(rows()))
  }
  server.get('/right', sent('8', ['a\n', 'b\n', Buffer.from('c\nd\n')]))
  server.get('/short', sent('9', ['a\n', 'b\n']))
  server.get('/long', sent('3', ['a\n', 'b\n']))
  server.get('/empty', sent('3', []))
  server.get('/object', sent('3', [{}]))
  const origin = await server.listen({ port: 0 })
  t.after(() => server.close())
  assert.equal(await (await fetch(`${origin}/right`)).text(), 'a\nb\nc\nd\n')
  // An error reply if nothing was sent before, otherwise the connection is cut.
  const read = (path: string): Promise<string> =>
    fetch(origin + path)
      .then((reply) => reply.text())
      .catch(String)
  for (const path of ['/short', '/long']) assert.match(await read(path), /LENGTH_MISMATCH|TypeError/, path)
  assert.equal(((await (await fetch(`${origin}/empty`)).json()) as { code: string }).code, 'ALC_ERR_REP_LENGTH_MISMATCH')
  assert.equal((await fetch(`${origin}/object`)).status, 500)
})

test('it holds for the context that has it and below, in classes too', async () => {
  @Controller()
  class Things {
    @Get('/things')
    list() {
      return JSON.parse(long) as unknown
    }
  }
  @Plugin({ prefix: '/packed', hooks: { onSend: compression() }, routes: [Things] })
  class Packed {}
  @Plugin({ imports: [Packed], routes: [Things] })
  class App {}
  await using app = await testServer(App)
  const codingOf = async (url: string) => (await app.inject({ url, headers: { 'accept-encoding': 'gzip' } })).headers['content-encoding']
  assert.deepEqual([await codingOf('/packed/things'), await codingOf('/things')], ['gzip', undefined])
})

test('an option that does not exist, and a value that is not valid, is refused when the hook is made', () => {
  assert.throws(() => compression({ treshold: 1 } as never), /no option 'treshold'. Did you mean 'threshold'\?/)
  assert.throws(() => compression({ threshold: -1 }), /threshold must be a whole number of bytes, got -1/)
  assert.throws(() => compression({ codings: [] }), /codings must be a list/)
  assert.throws(() => compression({ codings: ['deflate' as never] }), /no coding 'deflate'. Its codings are: br, gzip, zstd/)
  assert.throws(() => compression({ types: 'text/plain' as never }), /types must be a regular expression/)
})
