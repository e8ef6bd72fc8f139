/** The routes of the suite that a function declares: hooks, errors, bodies, streams, cookies, and what is written to the raw response. */
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import cookie from '@fastify/cookie'
import { HttpError, type Request, type Server } from 'alcove'
import { declareContent } from './content.js'
import { events, note } from './events.js'
import { declareUploads } from './uploads.js'

const lifecycle = ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const

export function declareRoutes(server: Server): void {
  server.register(cookie)
  server.register(declareReplies)
  server.register(declareContent, { prefix: '/content' })
  server.register(declareRouting)
  server.register(declareHooks, { prefix: '/hooks' })
  server.register(declareErrors, { prefix: '/errors' })
  server.register(declareBodies, { prefix: '/bodies' })
  server.register(declareUploads, { prefix: '/uploads' })
  server.register(declareStreams, { prefix: '/streams' })
  server.get('/events/:name', ({ params }) => events.get((params as { name: string }).name) ?? [])
}
// As fastify-plugin does: the routes, hooks and decorators of this function are those of its parent.
Object.assign(declareRoutes, { [Symbol.for('skip-override')]: true })

async function declareReplies(server: Server): Promise<void> {
  server.get('/json', () => ({ hello: 'world' }))
  server.get('/text', () => 'text')
  server.get('/unicode', () => '¡héllo → 🌍!')
  server.get('/bytes', () => Buffer.from([0, 255, 10, 13]))
  server.get('/null', () => null)
  server.get('/empty', (_request, reply) => reply.send())
  server.get('/no-content', (_request, reply) => reply.code(204).send())
  server.get('/not-modified', (_request, reply) => reply.code(304).header('etag', '"1"').send())
  server.get('/created', (_request, reply) => reply.code(201).header('location', '/json').send({ id: 1 }))
  server.get('/redirect', (_request, reply) => reply.redirect('/json'))
  server.post('/redirect', (_request, reply) => reply.redirect('/json?from=post', 303))
  server.get('/html', (_request, reply) => reply.type('text/html').send('<p>hi</p>'))
  server.get('/headers', (_request, reply) => reply.headers({ 'x-one': '1', 'X-Two': 'two', 'cache-control': 'no-store' }).send('ok'))
  server.get('/latin1', (_request, reply) => reply.header('x-name', 'caf\u00E9').send('ok'))
  server.get('/invalid-header', (_request, reply) => reply.header('x-a', 'a\r\nx-b: b').send('ok'))
  server.get('/teapot', (_request, reply) => reply.code(418).send({ short: 'stout' }))
  server.get('/status-text', (_request, reply) => {
    reply.raw.statusMessage = 'Mine'
    return 'ok'
  })
  server.get('/cookies', (_request, reply) =>
    (reply as any).setCookie('a', '1', { path: '/' }).setCookie('b', 'x y', { httpOnly: true }).send('ok'),
  )
  server.get('/cookies/read', (request) => (request as any).cookies)
  server.get('/cookies/clear', (_request, reply) => (reply as any).clearCookie('a', { path: '/' }).send('ok'))
  server.get('/web-response', () => new Response('from the web', { status: 202, headers: { 'x-from': 'web' } }))
  server.get('/web-cookies', () => {
    const headers = new Headers({ 'content-type': 'text/plain' })
    headers.append('set-cookie', 'a=1')
    headers.append('set-cookie', 'b=2')
    return new Response('ok', { headers })
  })
  server.get('/seen', (request) => describe(request))
  server.get('/raw/whole', (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(203, { 'content-type': 'text/plain', 'x-raw': 'yes' })
    reply.raw.end('raw')
  })
  server.get('/raw/pieces', (_request, reply) => {
    reply.hijack()
    reply.raw.setHeader('content-type', 'text/plain')
    reply.raw.write('one ')
    setTimeout(() => reply.raw.write('two '), 5)
    setTimeout(() => reply.raw.end('three'), 10)
  })
  server.get('/raw/headers', (_request, reply) => {
    reply.raw.setHeader('x-set', ['1', '2'])
    reply.raw.appendHeader('x-set', '3')
    reply.raw.setHeader('x-gone', '1')
    reply.raw.removeHeader('x-gone')
    return { names: reply.raw.getHeaderNames(), has: reply.raw.hasHeader('X-Set'), sent: reply.raw.headersSent }
  })
}

function describe(request: Request): unknown {
  const { method, url, host, hostname, port, protocol, raw } = request
  const { 'x-a': a, 'x-b': b, accept, 'content-length': length } = request.headers
  return { method, url, host, hostname, port, protocol, a, b, accept, length, version: raw.httpVersion, complete: raw.complete }
}

async function declareRouting(server: Server): Promise<void> {
  server.get('/routing', () => 'root')
  server.get('/routing/static', () => 'static')
  server.get('/routing/:id', ({ params }) => params)
  server.get('/routing/:a/:b', ({ params }) => params)
  server.get('/pattern/:id(^\\d+$)', ({ params }) => params)
  server.get('/routing/wild/*', ({ params }) => params)
  server.get('/routing/query', ({ query }) => query as object)
  server.get(
    '/routing/limited',
    { schema: { querystring: { type: 'object', properties: { n: { type: 'integer', maximum: 5 } } } } },
    ({ query }) => query,
  )
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)
    server.route({ method, url: '/routing/methods', handler: (request) => ({ method: request.method }) })
  server.route({ method: 'PROPFIND', url: '/routing/methods', handler: (request) => ({ method: request.method }) })
  server.get('/routing/hidden', { docs: { hide: true } }, () => 'hidden')
  server.get('/routing/own-host', { constraints: { host: 'own.example' } }, () => 'own')
  server.get('/routing/own-host', () => 'any')
  server.get('/routing/versions', { constraints: { version: '1.2.0' } }, () => 'v1')
  server.get('/routing/versions', { constraints: { version: '2.0.0' } }, () => 'v2')
  server.register(
    async (child) => {
      child.setNotFoundHandler((request, reply) => reply.code(404).send({ nothingAt: request.url }))
      child.get('/', () => 'prefixed')
      child.get('/pass', (_request, reply) => void reply.callNotFound())
    },
    { prefix: '/prefixed' },
  )
}

async function declareHooks(server: Server): Promise<void> {
  for (const name of lifecycle) server.addHook(name, async (request: Request) => note(request, name))
  server.addHook('preSerialization', async (request: Request, _reply, payload) => {
    note(request, 'preSerialization')
    return { ...(payload as object), hooked: true }
  })
  server.addHook('onSend', async (request, reply, payload) => {
    note(request, 'onSend')
    reply.header('x-on-send', 'yes')
    return payload
  })
  server.addHook('onResponse', async (request, reply) => note(request, `onResponse ${reply.statusCode}`))
  server.addHook('onError', async (request: Request) => note(request, 'onError'))
  server.addHook('onRequestAbort', async (request) => note(request, 'onRequestAbort'))
  server.get('/get', (request) => {
    note(request, 'handler')
    return { ok: true }
  })
  server.post('/post', (request) => ({ body: request.body }))
  server.get('/fails', () => Promise.reject(new HttpError(400, 'on purpose')))
  server.get('/hangs', async ({ signal, headers }) => {
    note({ headers }, 'began')
    await wait(10_000, undefined, { signal }).catch(() => note({ headers }, 'signal'))
  })
  server.get('/guarded', { onRequest: (_request, reply) => reply.code(401).send({ refused: true }) }, () => 'never')
  server.get('/callback', { preHandler: (_request, _reply, done) => void setTimeout(done, 2) }, () => ({ after: 'callback' }))
  server.post('/decoded', { preParsing: async () => decoded() }, ({ body }) => ({ body }))
}

/** A stream as of a hook that decompresses: it tells how many bytes it has read. */
function decoded(): Readable {
  return Object.assign(Readable.from([Buffer.from('{"decoded":true}')]), { receivedEncodedLength: 10 })
}

async function declareErrors(server: Server): Promise<void> {
  server.get('/thrown', () => {
    throw new Error('secret')
  })
  server.get('/rejected', () => Promise.reject(Object.assign(new Error('conflict'), { statusCode: 409 })))
  server.get('/http-error', () => Promise.reject(new HttpError(403, 'not for you', { code: 'NOT_FOR_YOU' })))
  server.get('/with-headers', () =>
    Promise.reject(Object.assign(new Error('slow down'), { statusCode: 429, headers: { 'retry-after': '7' } })),
  )
  server.get('/bad-status', (_request, reply) => reply.code(99).send('x'))
  server.get('/undefined', () => undefined)
  server.get('/circular', () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    return circle
  })
  server.get('/slow', { handlerTimeout: 50 }, () => wait(300, 'late'))
  server.register(async (child) => {
    child.setErrorHandler((error: Error, _request, reply) => reply.code(422).send({ handled: error.message }))
    child.get('/handled', () => Promise.reject(new Error('mine')))
  })
}

async function declareBodies(server: Server): Promise<void> {
  server.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
  server.addContentTypeParser('text/csv', { parseAs: 'string' }, (_request, text, done) => done(null, String(text).split(',')))
  server.post('/echo', ({ body }) => ({ body }))
  server.post('/count', async ({ body }) => {
    let bytes = 0
    for await (const chunk of body as Readable) bytes += (chunk as Buffer).length
    return { bytes }
  })
  server.post('/back', ({ body }, reply) => reply.type('application/octet-stream').send(body as Readable))
  server.post('/unread', { onRequest: (_request, reply) => reply.code(403).send({ refused: true }) }, () => 'never')
  server.post('/small', { bodyLimit: 10 }, ({ body }) => ({ body }))
  server.delete('/echo', ({ body }) => ({ body: body ?? 'none' }))
  server.post('/length', ({ headers, body }) => ({ length: headers['content-length'] ?? null, got: body }))
}

function fail(status: number, message: string): never {
  throw new HttpError(status, message)
}

async function declareStreams(server: Server): Promise<void> {
  server.get('/node', () => Readable.from(['a', 'b', 'c']))
  server.get('/web', () => new Response(webStream(['x', 'y', 'z'])))
  server.get('/web/plain', () => webStream(['1', '2']))
  server.get('/large', () => Readable.from(pieces(64, 16_384), { objectMode: false }))
  server.get('/whole', () => Buffer.alloc(1_000_000, 'w'))
  server.get('/pauses', () =>
    Readable.from(
      (async function* pauses() {
        yield 'first '
        await wait(30)
        yield 'second'
      })(),
    ),
  )
  server.get('/fails-at-once', () => new Readable({ read: (): never => fail(409, 'no source') }))
  server.get('/breaks', (_request, reply) =>
    reply.send(
      Readable.from(
        (async function* breaks() {
          yield 'part'
          await wait(10)
          throw new Error('broke')
        })(),
      ),
    ),
  )
  server.get('/endless', (request) => {
    const source = Readable.from(endless())
    source.on('close', () => note(request, 'source closed'))
    return source
  })
  server.get('/trailers', (_request, reply) => reply.trailer('x-sum', async () => '42').send('body'))
  server.get('/short', (_request, reply) => reply.header('content-length', '10').send(Readable.from(['12345'])))
  server.get('/known', (_request, reply) => reply.header('content-length', '5').send(Readable.from(['12', '345'])))
}

function webStream(texts: readonly string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    start(controller) {
      for (const text of texts) controller.enqueue(encoder.encode(text))
      controller.close()
    },
  })
}

function* pieces(count: number, length: number): Generator<Buffer> {
  for (let index = 0; index < count; index++) yield Buffer.alloc(length, index)
}

/** Ends after the time that a behaviour may take: with an entry that does not tell it, the process would not end before. */
async function* endless(): AsyncGenerator<string> {
  for (const end = performance.now() + 5_000; performance.now() < end;) {
    yield 'more '.repeat(1000)
    await wait(2)
  }
}
