import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createServer } from '../../../../lib/index.js'
import type { Server, ServerOptions } from '../../../../lib/index.js'

async function started(declare: (server: Server) => void, options: ServerOptions = {}): Promise<Server> {
  const server = createServer(options)
  declare(server)
  await server.ready()
  return server
}

const request = (path = '/', init?: RequestInit): Request => new Request(`http://localhost${path}`, init)

interface Failure {
  readonly code?: string
}

async function codeOf(response: Response): Promise<[number, string | undefined]> {
  return [response.status, ((await response.json()) as Failure).code]
}

test('fetch boots the server at its first call, and needs no this', async () => {
  const server = createServer()
  let isBooted = false
  server.addHook('onReady', async () => void (isBooted = true))
  server.get('/', () => 'here')
  const { fetch } = server
  const [one, other] = await Promise.all([fetch(request()), fetch(request())])
  assert.deepEqual([await one.text(), await other.text(), isBooted], ['here', 'here', true])
})

test('fetch rejects with the error of the boot', async () => {
  const server = createServer()
  server.register(() => Promise.reject(new Error('no database')))
  await assert.rejects(server.fetch(request()), /no database/)
  await assert.rejects(server.fetch(request()), /no database/)
})

test('fetch rejects for what is no request, and for a body that is read elsewhere', async () => {
  const server = await started((root) => root.post('/', ({ body }) => ({ body })))
  const invalid = { code: 'ALC_ERR_FETCH_REQUEST_INVALID' }
  for (const value of ['http://localhost/', undefined, null, {}, new URL('http://localhost/')])
    await assert.rejects(server.fetch(value as never), invalid)
  const read = request('/', { method: 'POST', body: 'x' })
  await read.text()
  await assert.rejects(server.fetch(read), invalid)
  const locked = request('/', { method: 'POST', body: 'x' })
  locked.body!.getReader()
  await assert.rejects(server.fetch(locked), invalid)
})

test('the host comes from the URL, and a header that disagrees is refused', async () => {
  const server = await started((root) => root.get('/', ({ host, headers }) => ({ host, header: headers.host })))
  const ask = (url: string, host?: string) => server.fetch(new Request(url, host === undefined ? {} : { headers: { host } }))
  assert.deepEqual(await (await ask('http://Example.com:8080/')).json(), { host: 'example.com:8080', header: 'example.com:8080' })
  for (const [url, host] of [
    ['http://example.com/', 'EXAMPLE.com'],
    ['http://example.com/', 'example.com:80'],
    ['https://example.com/', 'example.com:443'],
    ['http://[::1]:3000/', '[::1]:3000'],
  ] as const)
    assert.equal((await ask(url, host)).status, 200, host)
  for (const host of ['evil.example', 'example.com:81', 'example.com:443', 'example.com, evil.example', 'example.com@evil.example', ''])
    assert.deepEqual(await codeOf(await ask('http://example.com/', host)), [400, 'ALC_ERR_BAD_HOST'], host)
})

test('a URL that is not of HTTP is refused, and so are credentials that a runtime has left in it', async () => {
  const server = await started((root) => root.get('/*', () => 'here'))
  assert.deepEqual(await codeOf(await server.fetch(new Request('ftp://localhost/x'))), [400, 'ALC_ERR_BAD_URL'])
  const withUrl = (url: string) => ({ url, method: 'GET', headers: new Headers(), body: null, bodyUsed: false }) as Request
  for (const url of ['http://user:password@localhost/', 'http://localhost#/x', 'http://local host/', 'http://localhost?/x'])
    assert.deepEqual(await codeOf(await server.fetch(withUrl(url))), [400, 'ALC_ERR_BAD_HOST'], url)
  for (const url of ['http://localhost', '/x', 'localhost/x', 'http:///x', 'javascript:alert(1)//'])
    assert.equal((await server.fetch(withUrl(url))).status, 400, url)
})

test('headers of framing must not contradict the body', async () => {
  const server = await started((root) => root.post('/', ({ body, headers }) => ({ body, coding: headers['transfer-encoding'] ?? null })))
  const ask = (headers: Record<string, string>, body: string | null = '{"a":1}') =>
    server.fetch(request('/', { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }))
  assert.deepEqual(await (await ask({})).json(), { body: { a: 1 }, coding: 'chunked' })
  assert.deepEqual(await (await ask({ 'transfer-encoding': 'chunked' })).json(), { body: { a: 1 }, coding: 'chunked' })
  assert.deepEqual(await (await ask({ 'content-length': '7' })).json(), { body: { a: 1 }, coding: null })
  for (const coding of ['gzip, chunked', 'identity', 'chunked, chunked', 'x'])
    assert.deepEqual(await codeOf(await ask({ 'transfer-encoding': coding })), [400, 'ALC_ERR_BAD_TRANSFER_ENCODING'], coding)
  const both = { 'transfer-encoding': 'chunked', 'content-length': '7' }
  assert.deepEqual(await codeOf(await ask(both)), [400, 'ALC_ERR_BAD_TRANSFER_ENCODING'])
  for (const length of ['6', '8', '0', '07x', '+7', '-1', '7, 7', '1e1'])
    assert.deepEqual(await codeOf(await ask({ 'content-length': length })), [400, 'ALC_ERR_CTP_INVALID_CONTENT_LENGTH'], length)
  assert.deepEqual(await codeOf(await ask({ 'content-length': '7' }, null)), [400, 'ALC_ERR_CTP_INVALID_CONTENT_LENGTH'])
})

test('a body that is larger than it says is not read beyond the limit, and its source is told', async () => {
  const server = await started((root) => root.post('/', ({ body }) => ({ body })), { bodyLimit: 1000 })
  let sent = 0
  let isCancelled = false
  const body = new ReadableStream({
    pull(controller) {
      sent += 100
      controller.enqueue(new Uint8Array(100))
    },
    cancel: () => void (isCancelled = true),
  })
  const init = { method: 'POST', body, duplex: 'half', headers: { 'content-type': 'text/plain', 'content-length': '5' } } as const
  assert.equal((await server.fetch(request('/', init))).status, 413)
  await wait(5)
  assert.ok(sent <= 1500, String(sent))
  assert.ok(isCancelled)
})

test('the source of a body that nothing reads is told when the reply is over', async () => {
  const server = await started((root) => root.post('/', { onRequest: (_request, reply) => reply.code(401).send('no') }, () => 'never'))
  let isCancelled = false
  const body = new ReadableStream({ cancel: () => void (isCancelled = true) })
  assert.equal((await server.fetch(request('/', { method: 'POST', body, duplex: 'half' }))).status, 401)
  assert.ok(isCancelled)
})

test('a form that nothing reads is refused without an error of its stream', async () => {
  const server = await started((root) => root.post('/', { onRequest: (_request, reply) => reply.code(401).send('no') }, () => 'never'))
  const form = new FormData()
  form.append('file', new Blob(['x'.repeat(100_000)]), 'file.txt')
  assert.equal((await server.fetch(request('/', { method: 'POST', body: form }))).status, 401)
  await wait(20)
})

test('a form of which only a part is read is refused without an error of its stream', async () => {
  const server = await started((root) => {
    root.addContentTypeParser('multipart/form-data', (_request, payload, done) => {
      payload.once('data', () => done(new Error('refused')))
    })
    root.post('/', () => 'never')
  })
  const form = new FormData()
  form.append('file', new Blob(['x'.repeat(1_000_000)]), 'file.txt')
  assert.equal((await server.fetch(request('/', { method: 'POST', body: form }))).status, 500)
  await wait(20)
})

test('the body of a request is read no faster than its reader takes it', async () => {
  let sent = 0
  const server = await started((root) => {
    root.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
    root.post('/', async ({ body }) => {
      const stream = body as Readable
      stream.once('readable', () => {})
      await wait(20)
      const ahead = sent
      stream.destroy()
      return { ahead }
    })
  })
  const body = new ReadableStream({
    pull(controller) {
      sent += 10_000
      controller.enqueue(new Uint8Array(10_000))
    },
  })
  const init = { method: 'POST', body, duplex: 'half', headers: { 'content-type': 'application/octet-stream' } } as const
  const response = await server.fetch(request('/', init))
  if (response.status === 200) assert.ok(((await response.json()) as { ahead: number }).ahead <= 60_000)
  assert.ok(sent <= 60_000, String(sent))
})

test('a body that breaks off, or has other chunks than bytes, is refused', async () => {
  const server = await started((root) => root.post('/', ({ body }) => ({ body })))
  const ask = (start: (controller: ReadableStreamDefaultController) => void) =>
    server.fetch(
      request('/', {
        method: 'POST',
        body: new ReadableStream({ start }),
        duplex: 'half',
        headers: { 'content-type': 'text/plain' },
      }),
    )
  assert.equal((await ask((controller) => controller.error(new Error('gone')))).status, 400)
  const texts = await ask((controller) => {
    controller.enqueue('text')
    controller.close()
  })
  assert.equal(texts.status, 400)
})

test('the address of the client is an option, and nothing else of a second argument is read', async () => {
  const server = await started((root) => root.get('/', ({ ip, protocol }) => ({ ip: ip ?? null, protocol })), { trustProxy: '10.0.0.1' })
  const ask = async (options: object | undefined, headers = {}) =>
    (await server.fetch(new Request('https://localhost/', { headers }), options)).json()
  assert.deepEqual(await ask({ remoteAddress: '192.0.2.1' }), { ip: '192.0.2.1', protocol: 'https' })
  assert.deepEqual(await ask({ remoteAddress: 5, env: {} }), { ip: null, protocol: 'https' })
  const forwarded = { 'x-forwarded-for': '198.51.100.7' }
  assert.deepEqual(await ask({ remoteAddress: '10.0.0.1' }, forwarded), { ip: '198.51.100.7', protocol: 'https' })
  assert.deepEqual(await ask({ remoteAddress: '10.0.0.2' }, forwarded), { ip: '10.0.0.2', protocol: 'https' })
  assert.deepEqual(await ask(undefined, forwarded), { ip: null, protocol: 'https' })
})

test('a client that leaves before the head resolves fetch with 499, and ends the request', async () => {
  const ends: string[] = []
  const server = await started((root) => {
    root.addHook('onRequestAbort', async () => void ends.push('abort'))
    root.addHook('onResponse', async () => void ends.push('response'))
    root.get('/', async ({ raw, signal }) => {
      raw.on('close', () => ends.push('close'))
      await wait(5_000, undefined, { signal }).catch(() => ends.push('signal'))
    })
  })
  const controller = new AbortController()
  const reply = server.fetch(request('/', { signal: controller.signal }))
  await wait(5)
  controller.abort()
  const response = await reply
  assert.deepEqual([response.status, response.body], [499, null])
  await wait(5)
  assert.deepEqual(ends.toSorted(), ['abort', 'close', 'signal'])
  const late = await server.fetch(request('/', { signal: AbortSignal.abort() }))
  assert.equal(late.status, 499)
})

test('a client that leaves while its body comes ends the reading of the body', async () => {
  const server = await started((root) => root.post('/', ({ body }) => ({ body })))
  const controller = new AbortController()
  const body = new ReadableStream({ start: (source) => source.enqueue(new Uint8Array(5)) })
  const init = { method: 'POST', body, duplex: 'half', signal: controller.signal, headers: { 'content-type': 'text/plain' } } as const
  const reply = server.fetch(request('/', init))
  await wait(5)
  controller.abort()
  assert.equal((await reply).status, 499)
})

test('a client that cancels the body of its reply ends the source', async () => {
  const ends = new EventEmitter()
  const server = await started((root) => {
    root.addHook('onRequestAbort', async () => void ends.emit('aborted'))
    root.get('/', () => Readable.from((async function* endless() { for (;;) { yield 'x'; await wait(1) } })())) // prettier-ignore
  })
  const { body } = await server.fetch(request())
  const aborted = once(ends, 'aborted')
  await body!.cancel()
  await aborted
})

test('a reply is written no faster than its client takes it', async () => {
  let made = 0
  const server = await started((root) => {
    root.get('/', () => Readable.from((function* endless() { for (;;) { made += 10_000; yield Buffer.alloc(10_000) } })(), { objectMode: false, highWaterMark: 10_000 })) // prettier-ignore
  })
  const { body } = await server.fetch(request())
  await wait(20)
  assert.ok(made <= 60_000, String(made))
  const reader = body!.getReader()
  for (let index = 0; index < 10; index++) assert.ok((await reader.read()).value!.length > 0)
  await wait(5)
  assert.ok(made >= 100_000, String(made))
  await reader.cancel()
})

test('a reply that ends at once has no stream of the server, and a HEAD reply no body', async () => {
  const server = await started((root) => root.get('/', () => ({ a: 1 })))
  const head = await server.fetch(request('/', { method: 'HEAD' }))
  assert.deepEqual([head.body, head.headers.get('content-length')], [null, '7'])
  const get = await server.fetch(request())
  assert.deepEqual([get.headers.get('content-length'), get.headers.get('connection'), get.headers.get('date')], ['7', null, null])
})

test('headers with line breaks are refused wherever they are set, and headers of the connection are left out', async () => {
  const server = await started((root) => {
    root.get('/reply', (_request, reply) => reply.header('x-a', 'a\nset-cookie: b=1').send('x'))
    root.get('/set', (_request, reply) => void reply.raw.setHeader('x-a', 'a\r\nb: c'))
    root.get('/head', (_request, reply) => void reply.hijack().raw.writeHead(200, { 'x-a': 'a\r\nb: c' }))
    root.get('/name', (_request, reply) => reply.header('x a', 'b').send('x'))
    root.get('/status', (_request, reply) => {
      reply.raw.statusMessage = 'OK\r\nx: y'
      return 'x'
    })
    root.get('/connection', (_request, reply) =>
      reply.headers({ connection: 'close', 'keep-alive': 'timeout=5', upgrade: 'h2c', te: 'x' }).send('x'),
    )
    root.get('/high', (_request, reply) => {
      reply.raw.statusCode = 999
      return 'x'
    })
  })
  for (const path of ['/reply', '/set', '/name', '/status', '/high']) {
    const response = await server.fetch(request(path))
    assert.equal(response.status, 500, path)
    assert.deepEqual([...response.headers.keys()], ['content-length', 'content-type'], path)
  }
  const response = await server.fetch(request('/connection'))
  assert.deepEqual([...response.headers.keys()], ['content-length', 'content-type'])
})

test('a socket cannot be written, and an upgrade is refused if something waits for upgrades', async () => {
  const server = await started((root) => {
    root.get('/', ({ raw }) => {
      raw.socket.setTimeout(5)
      raw.socket.setKeepAlive(true)
      return { address: raw.socket.remoteAddress ?? null }
    })
    root.get('/write', ({ raw }) => raw.socket.write('HTTP/1.1 200 OK'))
    root.get('/destroy', ({ raw }, reply) => {
      reply.hijack()
      raw.socket.destroy()
    })
  })
  assert.deepEqual(await (await server.fetch(request())).json(), { address: null })
  assert.deepEqual(await codeOf(await server.fetch(request('/write'))), [500, 'ALC_ERR_FETCH_NO_SOCKET'])
  const destroyed = await server.fetch(request('/destroy'))
  assert.deepEqual([destroyed.status, destroyed.body], [500, null])
  const upgrade = () => server.fetch(request('/', { headers: { upgrade: 'websocket' } }))
  assert.equal((await upgrade()).status, 200)
  server.server.on('upgrade', () => {})
  assert.deepEqual(await codeOf(await upgrade()), [501, 'ALC_ERR_FETCH_UPGRADE'])
  await server.close()
})

test('a server that closes answers 503, waits for the requests that it has, and cuts them at its limit', async () => {
  const server = await started(
    (root) => {
      root.get('/late', () => wait(90, 'late'))
      root.get('/quick', () => 'quick')
      root.get(
        '/never',
        ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => setTimeout(resolve, 5_000).unref())),
      )
      root.addHook('onClose', async () => void events.push('closed'))
    },
    { closeTimeout: 300 },
  )
  const events: string[] = []
  const late = server.fetch(request('/late')).then(async (response) => void events.push(await response.text()))
  const never = server.fetch(request('/never')).then((response) => void events.push(String(response.status)))
  const closing = server.close()
  let status = 200
  for (; status === 200; await wait(5)) status = (await server.fetch(request('/quick'))).status
  assert.equal(status, 503)
  await Promise.all([late, never, closing])
  assert.deepEqual(events, ['late', '503', 'closed'])
  assert.equal((await server.fetch(request('/late'))).status, 503)
})

test('a server without a port waits for a handler that goes on after its reply, before onClose hooks run', async () => {
  const server = createServer()
  const events: string[] = []
  server.onClose(() => void events.push('onClose'))
  server.get('/', async (_request, reply) => {
    reply.send('text')
    await wait(100)
    events.push('handler has ended')
  })
  await (await server.fetch(new Request('http://a/'))).text()
  await server.close()
  assert.deepEqual(events, ['handler has ended', 'onClose'])
})

test('requests are served while preClose hooks run, unless return503OnClosing is set', async () => {
  for (const [return503OnClosing, status] of [
    [false, 200],
    [true, 503],
  ] as const) {
    const server = await started(
      (root) => {
        root.get('/', () => 'served')
        root.addHook('preClose', () => wait(20))
      },
      { return503OnClosing },
    )
    const closing = server.close()
    await wait(5)
    assert.equal((await server.fetch(request())).status, status)
    await closing
    assert.equal((await server.fetch(request())).status, 503)
  }
})

test('the stores of the caller are seen by the handler, and what a hook enters is not seen by the next request', async () => {
  const { AsyncLocalStorage } = await import('node:async_hooks')
  const store = new AsyncLocalStorage<string>()
  const server = await started((root) => {
    root.addHook('onRequest', (incoming, _reply, done) => {
      incoming.headers['x-first'] = store.getStore() ?? 'none'
      store.enterWith('of a request')
      done()
    })
    root.get('/', async (incoming) => {
      await wait(1)
      return { first: incoming.headers['x-first'], inside: store.getStore() }
    })
  })
  const seen = async () => (await server.fetch(request())).json()
  assert.deepEqual(await store.run('caller', seen), { first: 'caller', inside: 'of a request' })
  assert.deepEqual(await Promise.all([seen(), seen()]), [
    { first: 'none', inside: 'of a request' },
    { first: 'none', inside: 'of a request' },
  ])
})

test('the process stays alive while a request waits for its reply', () => {
  const program = `
    import { createServer } from '${new URL('../../../../lib/index.js', import.meta.url).href}'
    const server = createServer({ handlerTimeout: 100 })
    server.get('/', () => new Promise(() => {}))
    const { status } = await server.fetch(new Request('http://localhost/'))
    console.log(status)`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
  assert.equal(stdout.trim(), '503')
})

test('the end of a body that was cut is not taken for the end of the body', async () => {
  const ends: string[] = []
  const server = await started((root) => {
    root.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
    root.post('/', async ({ body }) => {
      try {
        for await (const chunk of body as Readable) ends.push(String((chunk as Buffer).length))
        ends.push('end')
      } catch (error) {
        ends.push((error as Error).message)
      }
    })
  })
  const controller = new AbortController()
  const body = new ReadableStream({ start: (source) => source.enqueue(new Uint8Array(5)) })
  const init = {
    method: 'POST',
    body,
    duplex: 'half',
    signal: controller.signal,
    headers: { 'content-type': 'application/octet-stream' },
  } as const
  const reply = server.fetch(request('/', init))
  await wait(5)
  controller.abort()
  assert.equal((await reply).status, 499)
  await wait(5)
  assert.deepEqual(ends, ['5', 'aborted'])
})

test('a handler may go on to read the body after it has replied', async () => {
  let received = 0
  const ends = new EventEmitter()
  const server = await started((root) => {
    root.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
    root.post('/', async ({ body }, reply) => {
      const all = (async () => {
        for await (const chunk of body as Readable) received += (chunk as Buffer).length
        ends.emit('end')
      })()
      reply.send('begun')
      await all
    })
  })
  const body = new ReadableStream({
    async pull(controller) {
      await wait(2)
      if (received >= 50) controller.close()
      else controller.enqueue(new Uint8Array(10))
    },
  })
  const end = once(ends, 'end')
  const init = { method: 'POST', body, duplex: 'half', headers: { 'content-type': 'application/octet-stream' } } as const
  assert.equal(await (await server.fetch(request('/', init))).text(), 'begun')
  await end
  assert.equal(received, 50)
})

test('a plugin that replaces the prototype of the response fails the request, which would have no reply', async () => {
  const server = await started((root) => {
    root.addHook('onRequest', (_request, reply, done) => {
      Object.setPrototypeOf(reply.raw, ServerResponse.prototype)
      done()
    })
    root.get('/', () => 'here')
  })
  await assert.rejects(server.fetch(request()), { code: 'ALC_ERR_FETCH_RESPONSE_REPLACED' })
})
