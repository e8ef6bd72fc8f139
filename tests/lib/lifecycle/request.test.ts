/** A request: address, host and protocol of its client, its signal, and its validation functions. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { test } from 'node:test'
import { createServer, type ServerOptions } from 'alcove/lib'

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

test('routeOptions has the time limit of the route, and that of the server for other routes and without a route', async () => {
  const server = createServer({ handlerTimeout: 5000 })
  server.get('/own', { handlerTimeout: 0 }, (request) => request.routeOptions.handlerTimeout)
  server.get('/other', (request) => request.routeOptions.handlerTimeout)
  server.setNotFoundHandler((request, reply) => reply.code(404).send(request.routeOptions.handlerTimeout))
  const origin = await server.listen({ port: 0, host: '127.0.0.1' })
  const times = await Promise.all(['/own', '/other', '/none'].map(async (path) => (await fetch(origin + path)).json()))
  assert.deepEqual(times, [0, 5000, 5000])
  await server.close()
})
