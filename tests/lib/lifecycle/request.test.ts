/** A request: address, host and protocol of its client, its signal, and its validation functions. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { test } from 'node:test'
import { createServer, type Request, type ServerOptions } from 'alcove/lib'
import { exchangeOf } from '../../../lib/lifecycle/exchange.js'

test('a request has the address of its peer if no proxy is trusted', async () => {
  const server = createServer()
  server.get('/', ({ ip, ips, host, hostname, protocol, originalUrl }) => ({
    ip,
    hasIps: ips !== undefined,
    host,
    hostname,
    protocol,
    originalUrl,
  }))
  const answer = await server.inject({
    url: '/?a',
    headers: { host: 'a.example:80', 'x-forwarded-for': '9.9.9.9', 'x-forwarded-proto': 'https' },
  })
  assert.deepEqual(answer.json(), {
    ip: '127.0.0.1',
    hasIps: false,
    host: 'a.example:80',
    hostname: 'a.example:80',
    protocol: 'http',
    originalUrl: '/?a',
  })
  await server.close()
})

test('the host of an HTTP/2 request is its authority', async () => {
  const server = createServer({ http2: true })
  server.get('/', ({ host }) => host)
  const session = connectHttp2(await server.listen({ port: 0, host: '127.0.0.1' }))
  const stream = session.request({ ':path': '/', ':authority': 'a.example' })
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  assert.equal(text, 'a.example')
  session.close()
  await server.close()
})

const trusted: [title: string, trustProxy: ServerOptions['trustProxy'], ip: string, host: string][] = [
  ['every proxy', true, '1.1.1.1', 'proxied'],
  ['a list of addresses', ['127.0.0.1', '3.3.3.3'], '2.2.2.2', 'proxied'],
  ['a text of addresses', '127.0.0.1, 3.3.3.3', '2.2.2.2', 'proxied'],
  ['another network', ['10.0.0.0/8'], '127.0.0.1', 'direct'],
  ['one hop', 1, '3.3.3.3', 'direct'],
  ['the result of a function', (address: string) => address === '127.0.0.1', '3.3.3.3', 'proxied'],
]
for (const [title, trustProxy, ip, host] of trusted) {
  test(`if ${title} is trusted, a request comes from ${ip} to ${host}`, async () => {
    const server = createServer({ trustProxy: trustProxy! })
    server.get('/', (request) => ({ ip: request.ip, host: request.host }))
    const headers = { host: 'direct', 'x-forwarded-for': '1.1.1.1, 2.2.2.2, 3.3.3.3', 'x-forwarded-host': 'first, proxied' }
    assert.deepEqual((await server.inject({ url: '/', headers })).json(), { ip, host })
    assert.equal((await server.inject({ url: '/', headers: { host: 'direct', 'x-forwarded-host': '' } })).json().host, 'direct')
    await server.close()
  })
}

/** From the nearest one on. */
const forwardedAddresses: [header: string, addresses: string[]][] = [
  ['1.1.1.1, 2.2.2.2', ['2.2.2.2', '1.1.1.1']],
  ['2001:db8::1', ['2001:db8::1']],
  ['"[2001:db8::1]:8080"', ['2001:db8::1']],
  ['[2001:db8::1]', ['2001:db8::1']],
  ['1.1.1.1:80', ['1.1.1.1']],
  ['"1.1.1.1:8080"', ['1.1.1.1']],
  ['1.1.1.1, unknown, 2.2.2.2', ['2.2.2.2']],
  ...['unknown', '', '999.1.1.1', '1.1.1.1:', '1.1.1.1:x', 'x1.1.1.1', '1.1.1.1x', '[x]', '[2001:db8::1', '[]'].map(
    (header): [string, string[]] => [header, []],
  ),
]
for (const [header, addresses] of forwardedAddresses) {
  test(`if every proxy is trusted, x-forwarded-for: ${header} has ${addresses.length} addresses`, async () => {
    const server = createServer({ trustProxy: true })
    server.get('/', ({ ip, ips }) => ({ ip, ips }))
    const all = ['127.0.0.1', ...addresses]
    assert.deepEqual((await server.inject({ url: '/', headers: { 'x-forwarded-for': header } })).json(), { ip: all.at(-1), ips: all })
    await server.close()
  })
}

test('the scheme of a request is the one that the nearest trusted proxy forwards, if that is a scheme', async () => {
  for (const [trustProxy, header, protocol] of [
    [true, 'https', 'https'],
    [true, 'HTTPS', 'https'],
    [true, 'http, wss', 'wss'],
    [true, 'web+a.b-c1', 'web+a.b-c1'],
    [true, ' https ', 'https'],
    [true, '', 'http'],
    [true, 'https,', 'http'],
    [true, '1https', 'http'],
    [true, 'https:', 'http'],
    [true, 'javascript:alert(1)', 'http'],
    [1, 'https', 'http'],
    ['10.0.0.1', 'https', 'http'],
  ] as const) {
    const server = createServer({ trustProxy })
    server.get('/', (request) => request.protocol)
    assert.equal((await server.inject({ url: '/', headers: { 'x-forwarded-proto': header } })).body, protocol, `${trustProxy} ${header}`)
    await server.close()
  }
})

test('a forwarded host that is not valid is not believed', async () => {
  const server = createServer({ trustProxy: true })
  server.get('/', ({ host }) => host)
  for (const [forwarded, host] of [
    ['a.example:80', 'a.example:80'],
    ['a b', 'direct'],
    ['a/b', 'direct'],
  ])
    assert.equal((await server.inject({ url: '/', headers: { host: 'direct', 'x-forwarded-host': forwarded! } })).body, host)
  await server.close()
})

test('headers that are set are merged over those of the client', async () => {
  const server = createServer()
  server.get('/', (request) => {
    request.headers = { 'x-a': 'set', 'x-c': 'new' }
    const { 'x-a': a, 'x-b': b, 'x-c': c } = request.headers
    return { a, b, c, raw: request.raw.headers['x-a'] }
  })
  const answer = await server.inject({ url: '/', headers: { 'x-a': 'sent', 'x-b': 'sent' } })
  assert.deepEqual(answer.json(), { a: 'set', b: 'sent', c: 'new', raw: 'sent' })
  await server.close()
})

test('a request has its server, its socket and the options of its route, and says whether no route was found', async () => {
  const server = createServer()
  const found: unknown[] = []
  const note = (request: Request): string => {
    found.push(request.server === server, request.socket === request.raw.socket, request.routeOptions.url, request.is404)
    return 'ok'
  }
  server.get('/', note)
  server.setNotFoundHandler(note)
  await server.inject('/')
  await server.inject('/none')
  assert.deepEqual(found, [true, true, '/', false, true, true, undefined, true])
  await server.close()
})

test('a request without a port in its host has null for it, and its protocol is that of its connection, if it has one', async () => {
  const server = createServer()
  const found: unknown[] = []
  server.get('/', (request) => {
    found.push(request.port, request.protocol)
    for (const socket of [{ encrypted: true }, { encrypted: false }, undefined]) {
      Object.defineProperty(request.raw, 'socket', { configurable: true, value: socket })
      found.push(request.protocol)
    }
    return 'ok'
  })
  await server.inject({ url: '/', headers: { host: 'a' } })
  assert.deepEqual(found, [null, 'http', 'https', 'http', undefined])
  await server.close()
})

test('a peer without an address is an empty text for the function that trusts proxies', async () => {
  const asked: unknown[] = []
  const server = createServer({
    trustProxy: (...args) => {
      asked.push(args)
      return false
    },
  })
  server.get('/', (request) => {
    Object.defineProperty(request.raw, 'socket', { value: undefined })
    return { ips: request.ips!.length, host: request.host }
  })
  const answer = await server.inject({ url: '/', headers: { host: 'a', 'x-forwarded-for': '1.1.1.1', 'x-forwarded-host': 'b' } })
  assert.deepEqual(answer.json(), { ips: 1, host: 'a' })
  assert.deepEqual(asked, [
    ['', 0],
    ['', 0],
  ])
  await server.close()
})

test('the signal of a request is aborted with an AbortError when its client leaves, and not before', { timeout: 5_000 }, async () => {
  const server = createServer({ closeTimeout: 1 })
  const aborted = new Promise<unknown[]>((resolve) => {
    server.get('/', ({ signal }, reply) => {
      const before = signal.aborted
      signal.addEventListener('abort', () => {
        resolve([before, signal.reason.name])
        reply.send('late')
      })
      setTimeout(() => socket.destroy(), 20)
    })
  })
  const socket = connect(Number(new URL(await server.listen({ port: 0, host: '127.0.0.1' })).port), '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  assert.deepEqual(await aborted, [false, 'AbortError'])
  await server.close()
})

test('the signal of a request whose client has gone is aborted, also if it is first read afterwards', async () => {
  const server = createServer()
  const told: boolean[] = []
  let isHere: () => void
  const here = new Promise<void>((resolve) => (isHere = resolve))
  const done = new Promise<void>((resolve) => {
    server.get('/', async (request, reply) => {
      isHere()
      await once(reply.raw, 'close')
      told.push(request.signal.aborted, request.signal === request.signal)
      resolve()
    })
  })
  const { port } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }))
  const socket = connect(Number(port), '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await here
  socket.destroy()
  await done
  assert.deepEqual(told, [true, true])
  await server.close()
})

for (const options of [{}, { logger: { stream: { write: () => {} } } }] satisfies ServerOptions[])
  for (const event of ['finish', 'close'])
    test(`a signal that is first read at ${event} of a whole reply is not aborted, and keeps no request (logger: ${'logger' in options})`, async () => {
      const server = createServer(options)
      const late = new Promise<any>((resolve) => {
        server.get('/', (request, reply) => {
          reply.raw.on(event, () => {
            void request.signal
            resolve(request)
          })
          return 'ok'
        })
      })
      const url = await server.listen({ port: 0, host: '127.0.0.1' })
      assert.equal(await (await fetch(url)).text(), 'ok')
      const request = await late
      await new Promise(setImmediate)
      const { size } = exchangeOf(request).route.state.withSignal
      await server.close()
      assert.equal(request.signal.aborted, false)
      assert.equal(size, 0)
    })

test('a request compiles a schema for a part by each of its names: query and querystring are one', async () => {
  const parts: unknown[] = []
  const server = createServer({
    schemaController: {
      compilersFactory: {
        buildValidator:
          () =>
          ({ httpPart }) => (parts.push(httpPart), () => true),
      },
    },
  })
  server.get('/', (request) => {
    for (const part of ['query', 'querystring', 'body'] as const) request.compileValidationSchema({ type: 'object', title: part }, part)
    return parts
  })
  assert.deepEqual((await server.inject('/')).json(), ['querystring', 'querystring', 'body'])
})

test('a request validates a value with a schema or with the schema of a part, and refuses if there is neither', async () => {
  const server = createServer()
  const schema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }
  server.get('/', { schema: { querystring: schema } }, (request: any) => {
    const compiled = request.compileValidationSchema(schema)
    return {
      sameFunction: compiled === request.compileValidationSchema(schema) && compiled === request.getValidationFunction(schema),
      unknownSchema: request.getValidationFunction({}) === undefined,
      byPart: [request.validateInput({ n: 1 }, 'querystring'), request.validateInput({}, 'query')],
      bySchema: [request.validateInput({ n: 1 }, schema), request.validateInput({}, schema)],
      byPartBeforeSchema: request.validateInput({}, { type: 'object' }, 'querystring'),
      bySchemaForAPartThatHasNone: request.validateInput({}, { type: 'object' }, 'body'),
      refused: ['body', 'nothing', undefined, null, 7, []].map((target) => {
        try {
          return request.validateInput({}, target)
        } catch (error: any) {
          return error.code
        }
      }),
    }
  })
  const code = 'ALC_ERR_REQ_INVALID_VALIDATION_INVOCATION'
  assert.deepEqual((await server.inject('/?n=1')).json(), {
    sameFunction: true,
    unknownSchema: true,
    byPart: [true, false],
    bySchema: [true, false],
    byPartBeforeSchema: false,
    bySchemaForAPartThatHasNone: true,
    refused: [code, code, code, code, code, code],
  })
  await server.close()
})

test('a schema that is compiled for a request is compiled once, for its method, its path and the part that is named', async () => {
  const server = createServer()
  const given: object[] = []
  server.setValidatorCompiler((input) => {
    given.push(input)
    return () => true
  })
  const schemas = [{ type: 'object' }, { type: 'object' }] as const
  server.get('/path', (request) => {
    request.compileValidationSchema(schemas[0])
    request.validateInput({}, schemas[1], 'body')
    for (const schema of schemas) request.compileValidationSchema(schema)
    return 'ok'
  })
  await server.inject('/path?a=1')
  const of = { method: 'GET', url: '/path?a=1' }
  assert.deepEqual(given, [
    { schema: schemas[0], ...of, httpPart: null },
    { schema: schemas[1], ...of, httpPart: 'body' },
  ])
  await server.close()
})

test('the media type of a request is canonical, in hooks and handlers', async () => {
  const server = createServer()
  server.addHook('onRequest', async (request, reply) => void reply.header('x-in-hook', String(request.mediaType)))
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request: unknown, body: unknown, done: any) => done(null, body))
  server.post('/', ({ mediaType }) => ({ mediaType }))
  await server.listen({ port: 0, host: '127.0.0.1' })
  for (const [sent, mediaType] of [
    ['Text/CSV ; header=present', 'text/csv'],
    ['application/json;charset=utf-8', 'application/json'],
    [' application/vnd.api+json ', 'application/vnd.api+json'],
  ]) {
    const answer = await fetch(server.listeningOrigin, { method: 'POST', body: '{}', headers: { 'content-type': sent! } })
    assert.deepEqual([answer.headers.get('x-in-hook'), await answer.json()], [mediaType, { mediaType }])
  }
  const malformed = await fetch(server.listeningOrigin, { method: 'POST', body: '{}', headers: { 'content-type': 'json' } })
  assert.deepEqual([malformed.headers.get('x-in-hook'), malformed.status], ['undefined', 415])
  await server.close()
})

const hosts: [title: string, head: string, options: ServerOptions, host: string, port: number | null][] = [
  ['a name', 'HTTP/1.1\r\nhost: a.example', {}, 'a.example', null],
  ['a name with a port', 'HTTP/1.1\r\nhost: a.example:8080', {}, 'a.example:8080', 8080],
  ['an address of IPv6', 'HTTP/1.1\r\nhost: [::1]', {}, '[::1]', null],
  ['an address of IPv6 with a port', 'HTTP/1.1\r\nhost: [::1]:81', {}, '[::1]:81', 81],
  ['an empty host', 'HTTP/1.1\r\nhost:', {}, '', null],
  ['no host over HTTP/1.0', 'HTTP/1.0', {}, '', null],
  ['no host behind a trusted proxy', 'HTTP/1.0', { trustProxy: true }, '', null],
  ['a forwarded host', 'HTTP/1.1\r\nhost: a:1\r\nx-forwarded-host: b:2', { trustProxy: true }, 'b:2', 2],
  ['no host, which the application allows', 'HTTP/1.1', { http: { requireHostHeader: false } }, '', null],
]
for (const [title, head, options, host, port] of hosts) {
  test(`a request with ${title} has the host '${host}' and the port ${port}`, async () => {
    const server = createServer(options)
    server.get('/', (request) => ({ host: request.host, hostname: request.hostname, port: request.port }))
    await server.listen({ port: 0, host: '127.0.0.1' })
    const socket = connect(Number(new URL(server.listeningOrigin).port), '127.0.0.1')
    socket.end(`GET / ${head}\r\nconnection: close\r\n\r\n`)
    let answer = ''
    for await (const chunk of socket) answer += String(chunk)
    assert.deepEqual(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))), { host, hostname: host, port })
    await server.close()
  })
}

test('a request without a host is refused by default, and two hosts also if none is required', async () => {
  for (const [options, head] of [
    [{}, 'HTTP/1.1'],
    [{ http: { requireHostHeader: false } }, 'HTTP/1.1\r\nhost: a\r\nhost: b'],
  ] as const) {
    const server = createServer(options)
    server.get('/', () => assert.fail('the handler was called'))
    await server.listen({ port: 0, host: '127.0.0.1' })
    const socket = connect(Number(new URL(server.listeningOrigin).port), '127.0.0.1')
    socket.end(`GET / ${head}\r\nconnection: close\r\n\r\n`)
    let answer = ''
    for await (const chunk of socket) answer += String(chunk)
    assert.match(answer, /^HTTP\/1.1 400 /)
    await server.close()
  }
})
