import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, type ServerOptions } from 'alcove/lib'

function thrower(thrown: unknown, options?: ServerOptions) {
  const server = createServer(options)
  server.get('/', () => {
    throw thrown
  })
  return server
}

test('what is thrown and is no Error is not shown when it is the fault of the server', async () => {
  const hidden = { statusCode: 500, error: 'Internal Server Error', message: 'Internal Server Error' }
  for (const thrown of ['a secret', { secret: 1, message: 'a secret' }, 42]) {
    const response = await thrower(thrown).inject('/')
    assert.equal(response.statusCode, 500)
    assert.deepEqual(response.json(), hidden)
  }
})

test('what is thrown and is no Error is the payload where it may be shown', async () => {
  const text = await thrower('no tea', { exposeErrorMessages: true }).inject('/')
  assert.deepEqual([text.statusCode, text.body], [500, 'no tea'])
  const exposed = await thrower({ expose: true, reason: 'no tea' }).inject('/')
  assert.deepEqual([exposed.statusCode, exposed.json()], [500, { expose: true, reason: 'no tea' }])
  const client = await thrower({ statusCode: 418, reason: 'no coffee' }).inject('/')
  assert.deepEqual([client.statusCode, client.json()], [418, { statusCode: 418, reason: 'no coffee' }])
})

test('null is a payload, undefined is none', async () => {
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

test('a HEAD reply tells of the body that GET would send, and has none', async () => {
  const server = createServer()
  server.get('/text', () => 'hello')
  server.get('/nothing', (_request, reply) => reply.send())
  server.head('/own', (_request, reply) => reply.header('content-length', 1000).send(''))
  for (const [url, length] of [
    ['/text', '5'],
    ['/nothing', '0'],
    ['/own', 1000],
  ] as const) {
    const response = await server.inject({ method: 'HEAD', url })
    assert.equal(String(response.headers['content-length']), String(length))
    assert.equal(response.body, '')
  }
})

test('a reply to HEAD and a 304 have no body, whatever goes wrong and however they are asked for', async () => {
  const server = createServer()
  server.get('/header', (_request, reply) => reply.header('x', 'a\r\nb').send('text'))
  server.get('/handler', { errorHandler: () => Promise.reject(new Error('no')) }, () => Promise.reject(new Error('no')))
  server.get('/304', (_request, reply) => reply.code(304).send('text'))
  for (const url of ['/header', '/handler', '/304']) assert.equal((await server.inject({ method: 'HEAD', url })).body, '', url)
  assert.equal((await server.inject('/304')).body, '')
})

test('the bodies of WebDAV methods are left to the handler, those of others must have a type that is known', async () => {
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

test('a built-in method of replies may be replaced, what else is built in may not', async () => {
  const server = createServer()
  server.decorateReply('redirect', () => 'mine')
  server.get('/', (_request, reply) => ({ redirect: reply.redirect('/') }))
  for (const name of ['elapsedTime', 'statusCode', 'sent']) {
    assert.throws(() => server.decorateReply(name, null), { code: 'ALC_ERR_DEC_ALREADY_PRESENT' })
  }
  assert.throws(() => server.decorateReply('send', null), { code: 'ALC_ERR_DEC_ALREADY_PRESENT' })
  assert.deepEqual((await server.inject('/')).json(), { redirect: 'mine' })
})
