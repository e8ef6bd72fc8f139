import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { it } from 'node:test'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import compress from '@fastify/compress'
import cors5 from '@fastify/cors'
import etag from '@fastify/etag'
import helmet5 from '@fastify/helmet'
import rateLimit5 from '@fastify/rate-limit'
import sensible from '@fastify/sensible'
import underPressure from '@fastify/under-pressure'
import cors4 from 'cors4'
import helmet4 from 'helmet4'
import rateLimit4 from 'rate-limit4'
import { raw, testPlugin } from './harness.mjs'

const get = (url, options = {}) => ({ method: 'GET', url, handler: () => ({ from: url }), ...options })
const preflight = (headers = {}) => ({
  method: 'OPTIONS',
  headers: { origin: 'http://app.example', 'access-control-request-method': 'PUT', ...headers },
})

for (const [name, cors] of [
  ['@fastify/cors', cors5],
  ['cors4', cors4],
]) {
  testPlugin(
    name,
    {
      application: () => ({
        plugins: [[cors, { origin: 'http://app.example', methods: ['GET', 'PUT'], credentials: true }]],
        routes: [get('/shared'), { method: 'PUT', url: '/shared', schema: { body: { type: 'object' } }, handler: () => ({ put: true }) }],
      }),
      decorates: { request: ['corsPreflightEnabled'] },
    },
    (app) => {
      it('adds its headers to the replies of its context', async () => {
        const { headers } = await app.ask('/shared', { headers: { origin: 'http://app.example' } })
        assert.equal(headers.get('access-control-allow-origin'), 'http://app.example')
        assert.equal(headers.get('access-control-allow-credentials'), 'true')
      })
      it('answers a preflight request before any handler', async () => {
        const { status, headers, text } = await app.ask('/shared', preflight({ 'access-control-request-headers': 'x-token' }))
        assert.equal(status, 204)
        assert.equal(text, '')
        assert.equal(headers.get('access-control-allow-methods'), 'GET, PUT')
        assert.equal(headers.get('access-control-allow-headers'), 'x-token')
      })
      it('refuses a preflight request that lacks its headers', async () => {
        assert.equal((await app.ask('/shared', { method: 'OPTIONS' })).status, 400)
      })
      it('adds nothing to the replies of a sibling context', async () => {
        const { headers } = await app.ask('/elsewhere', { headers: { origin: 'http://app.example' } })
        assert.equal(headers.get('access-control-allow-origin'), null)
      })
    },
  )
}

for (const [name, helmet] of [
  ['@fastify/helmet', helmet5],
  ['helmet4', helmet4],
]) {
  testPlugin(
    name,
    {
      application: () => ({
        plugins: [[helmet, { enableCSPNonces: true }]],
        routes: [
          get('/default'),
          get('/failing', { handler: () => Promise.reject(new Error('failed')) }),
          get('/off', { helmet: false }),
          get('/own', { helmet: { frameguard: { action: 'deny' }, contentSecurityPolicy: false, enableCSPNonces: false } }),
          get('/nonce', { handler: (_request, reply) => ({ script: reply.cspNonce.script }) }),
        ],
      }),
      decorates: { reply: ['helmet', 'cspNonce'] },
    },
    (app) => {
      it('sets security headers on the replies of its context, errors included', async () => {
        for (const path of ['/default', '/failing']) {
          const { headers } = await app.ask(path)
          assert.equal(headers.get('x-content-type-options'), 'nosniff')
          assert.match(headers.get('content-security-policy'), /script-src 'self' 'nonce-/)
          assert.equal(headers.get('x-frame-options'), 'SAMEORIGIN')
        }
      })
      it('is switched off and configured by the "helmet" option of a route', async () => {
        assert.equal((await app.ask('/off')).headers.get('x-content-type-options'), null)
        const own = (await app.ask('/own')).headers
        assert.equal(own.get('x-frame-options'), 'DENY')
        assert.equal(own.get('content-security-policy'), null)
      })
      it('gives each reply a nonce of its own', async () => {
        const [one, two] = await Promise.all([app.ask('/nonce'), app.ask('/nonce')])
        assert.notEqual(one.body.script, two.body.script)
        assert.ok(one.headers.get('content-security-policy').includes(one.body.script))
      })
    },
  )
}

for (const [name, rateLimit] of [
  ['@fastify/rate-limit', rateLimit5],
  ['rate-limit4', rateLimit4],
]) {
  testPlugin(
    name,
    {
      application: () => ({
        // A key of the test's choosing: each test starts from zero.
        plugins: [[rateLimit, { max: 2, timeWindow: '1 minute', keyGenerator: (request) => request.headers['x-client'] ?? 'somebody' }]],
        routes: [
          get('/limited'),
          get('/unlimited', { config: { rateLimit: false } }),
          get('/strict', {
            config: { rateLimit: { max: 1, errorResponseBuilder: () => Object.assign(new Error('slow down'), { statusCode: 429 }) } },
          }),
        ],
      }),
      decorates: { server: ['rateLimit', 'createRateLimit'].slice(0, name === 'rate-limit4' ? 1 : 2) },
    },
    (app) => {
      const as = (client, path) => app.ask(path, { headers: { 'x-client': client } })
      it('counts requests in its headers and answers 429 above the limit', async () => {
        const first = await as('ada', '/limited')
        assert.equal(first.status, 200)
        assert.equal(first.headers.get('x-ratelimit-limit'), '2')
        assert.equal(first.headers.get('x-ratelimit-remaining'), '1')
        await as('ada', '/limited')
        const third = await as('ada', '/limited')
        assert.equal(third.status, 429)
        assert.equal(third.headers.get('x-ratelimit-remaining'), '0')
        assert.ok(Number(third.headers.get('retry-after')) > 0)
        assert.deepEqual(third.body, { statusCode: 429, error: 'Too Many Requests', message: 'Rate limit exceeded, retry in 1 minute' })
      })
      it('counts clients apart', async () => {
        for (const client of ['bob', 'cleo', 'dora']) assert.equal((await as(client, '/limited')).status, 200)
      })
      it('is switched off and configured by the "rateLimit" entry of a route\'s config', async () => {
        for (let count = 0; count < 4; count++) assert.equal((await as('eve', '/unlimited')).status, 200)
        assert.equal((await as('eve', '/strict')).status, 200)
        const refused = await as('eve', '/strict')
        assert.equal(refused.status, 429)
        assert.equal(refused.body.message, 'slow down')
      })
      it('does not count the requests of a sibling context', async () => {
        for (let count = 0; count < 4; count++) assert.equal((await as('ada', '/elsewhere')).status, 200)
      })
    },
  )
}

testPlugin(
  '@fastify/rate-limit',
  {
    label: 'before guards',
    application: () => ({
      plugins: [
        [
          rateLimit5,
          { global: false, max: 5, timeWindow: '1 minute', keyGenerator: (request) => request.headers['x-client'] ?? 'somebody' },
        ],
      ],
      setup(instance) {
        const count = instance.createRateLimit()
        instance.addHook('onRequest', async (request) => {
          const { isAllowed, isExceeded } = await count(request)
          if (!isAllowed && isExceeded) throw Object.assign(new Error('Too many requests'), { statusCode: 429 })
        })
        instance.addHook('onRequest', async (request) => {
          if (request.headers.authorization === undefined) throw Object.assign(new Error('Log in'), { statusCode: 401 })
        })
      },
      routes: [get('/account'), get('/login', { config: { rateLimit: { max: 2, timeWindow: '1 minute' } } })],
    }),
  },
  (app) => {
    const statuses = async (client, path, count, headers = {}) => {
      const found = []
      for (let sent = 0; sent < count; sent++) found.push((await app.ask(path, { headers: { 'x-client': client, ...headers } })).status)
      return found
    }
    it('counts requests that a guard refuses', async () => {
      assert.deepEqual(await statuses('ada', '/account', 6), [401, 401, 401, 401, 401, 429])
    })
    it('leaves the stricter limit of a route in force', async () => {
      assert.deepEqual(await statuses('bob', '/login', 3, { authorization: 'a token' }), [200, 200, 429])
    })
  },
)

testPlugin('@fastify/etag', { application: () => ({ plugins: [[etag, {}]], routes: [get('/page')] }) }, (app) => {
  it('tags a reply, and answers 304 without a body to who knows the tag', async () => {
    const first = await app.ask('/page')
    const tag = first.headers.get('etag')
    assert.match(tag, /^".+"$/)
    const again = await app.ask('/page', { headers: { 'if-none-match': tag } })
    assert.equal(again.status, 304)
    assert.equal(again.text, '')
    assert.equal((await app.ask('/page', { headers: { 'if-none-match': '"other"' } })).status, 200)
  })
  it('tags HEAD replies like those of GET', async () => {
    const [head, full] = await Promise.all([app.ask('/page', { method: 'HEAD' }), app.ask('/page')])
    assert.equal(head.headers.get('etag'), full.headers.get('etag'))
  })
})

const long = JSON.stringify({ text: 'all work and no play '.repeat(500) })

testPlugin(
  '@fastify/compress',
  {
    application: () => ({
      plugins: [[compress, { threshold: 100 }]],
      routes: [
        get('/long', { handler: () => JSON.parse(long) }),
        get('/short', { handler: () => ({ ok: true }) }),
        get('/off', { compress: false, handler: () => JSON.parse(long) }),
        get('/stream', {
          handler: (_request, reply) => reply.type('text/plain').send(Readable.from(['one ', 'two ', 'three '.repeat(200)])),
        }),
        get('/explicit', { compress: { threshold: 0 }, handler: (_request, reply) => reply.type('text/plain').compress('short') }),
        { method: 'POST', url: '/echo', bodyLimit: 20_000, handler: (request) => ({ length: request.body.text.length }) },
        {
          method: 'POST',
          url: '/checked',
          schema: { body: { type: 'object', required: ['text'], properties: { text: { type: 'string', maxLength: 5 } } } },
          handler: () => ({ ok: true }),
        },
      ],
    }),
    decorates: { reply: ['compress'] },
  },
  (app) => {
    it('compresses with the best encoding that the client takes', async () => {
      const gzip = await raw(`${app.origin}/long`, { 'accept-encoding': 'gzip' })
      assert.equal(gzip.headers['content-encoding'], 'gzip')
      assert.match(gzip.headers.vary, /accept-encoding/)
      assert.equal(gunzipSync(gzip.bytes).toString(), long)
      const br = await raw(`${app.origin}/long`, { 'accept-encoding': 'gzip, br' })
      assert.equal(br.headers['content-encoding'], 'br')
      assert.equal(brotliDecompressSync(br.bytes).toString(), long)
    })
    it('sends plain bytes to a client that takes no encoding, and what is below the threshold', async () => {
      assert.equal((await raw(`${app.origin}/long`, {})).headers['content-encoding'], undefined)
      assert.equal((await raw(`${app.origin}/short`, { 'accept-encoding': 'gzip' })).headers['content-encoding'], undefined)
    })
    it('compresses streams', async () => {
      const { headers, bytes } = await raw(`${app.origin}/stream`, { 'accept-encoding': 'gzip' })
      assert.equal(headers['content-encoding'], 'gzip')
      assert.ok(gunzipSync(bytes).toString().startsWith('one two three '))
    })
    it('is switched off and configured by the "compress" option of a route', async () => {
      assert.equal((await raw(`${app.origin}/off`, { 'accept-encoding': 'gzip' })).headers['content-encoding'], undefined)
      const { headers, bytes } = await raw(`${app.origin}/explicit`, { 'accept-encoding': 'gzip' })
      assert.equal(headers['content-encoding'], 'gzip')
      assert.equal(gunzipSync(bytes).toString(), 'short')
    })
    const send = (path, bytes, encoding) =>
      app.ask(path, { method: 'POST', body: bytes, headers: { 'content-type': 'application/json', 'content-encoding': encoding } })
    it('decompresses request bodies before they are parsed and validated', async () => {
      assert.deepEqual((await send('/echo', gzipSync(long), 'gzip')).body, { length: 10500 })
      assert.deepEqual((await send('/echo', brotliCompressSync(long), 'br')).body, { length: 10500 })
      assert.equal((await send('/checked', gzipSync('{"text":"ok"}'), 'gzip')).status, 200)
      assert.equal((await send('/checked', gzipSync('{"text":"too long"}'), 'gzip')).status, 400)
    })
    it('answers 413 to a small body that becomes a large one', async () => {
      const bomb = gzipSync(JSON.stringify({ text: ' '.repeat(5_000_000) }))
      assert.ok(bomb.length < 20_000)
      assert.equal((await send('/echo', bomb, 'gzip')).status, 413)
    })
    it('answers 400 to a body that is not what its header says, and 415 to an unknown encoding', async () => {
      assert.equal((await send('/echo', Buffer.from('{"text":"plain"}'), 'gzip')).status, 400)
      assert.equal((await send('/echo', Buffer.from('{"text":"plain"}'), 'unknown')).status, 415)
    })
    it('compresses nothing in a sibling context', async () => {
      assert.equal((await raw(`${app.origin}/elsewhere`, { 'accept-encoding': 'gzip' })).headers['content-encoding'], undefined)
    })
  },
)

testPlugin(
  '@fastify/sensible',
  {
    application: () => ({
      plugins: [[sensible, { sharedSchemaId: 'HttpError' }]],
      routes: [
        get('/missing', { handler: (_request, reply) => reply.notFound('no such thing') }),
        get('/thrown', {
          schema: { response: { '4xx': { $ref: 'HttpError#' } } },
          handler(request) {
            throw request.server.httpErrors.conflict('already there')
          },
        }),
        get('/broken', {
          handler(request) {
            throw request.server.httpErrors.badGateway('the database is at 10.0.0.1')
          },
        }),
        get('/asserted', { handler: (request) => request.server.assert(request.query.ok, 400, 'not ok') ?? { ok: true } }),
        get('/cached', {
          handler(_request, reply) {
            reply.vary('accept')
            return reply.maxAge(60).send({ ok: true })
          },
        }),
        { method: 'POST', url: '/is', handler: (request) => ({ json: request.is('json'), forwarded: request.forwarded().length }) },
      ],
    }),
    decorates: { server: ['httpErrors', 'assert', 'to'], request: ['forwarded', 'is'], reply: ['notFound', 'cacheControl', 'vary'] },
  },
  (app) => {
    it('replies and throws HTTP errors with their status and message', async () => {
      const missing = await app.ask('/missing')
      assert.equal(missing.status, 404)
      assert.deepEqual(missing.body, { statusCode: 404, error: 'Not Found', message: 'no such thing' })
      assert.deepEqual((await app.ask('/thrown')).body, { statusCode: 409, error: 'Conflict', message: 'already there' })
    })
    it('does not show the message of a 5xx error, as any server error does not', async () => {
      const { status, body } = await app.ask('/broken')
      assert.equal(status, 502)
      assert.deepEqual(body, { statusCode: 502, error: 'Bad Gateway', message: 'Bad Gateway' })
    })
    it('asserts with a status, and sets caching headers', async () => {
      assert.equal((await app.ask('/asserted')).status, 400)
      assert.equal((await app.ask('/asserted?ok=1')).status, 200)
      const { status, headers } = await app.ask('/cached')
      assert.equal(status, 200)
      assert.equal(headers.get('cache-control'), 'max-age=60')
      assert.equal(headers.get('vary'), 'accept')
    })
    it('tells what a request is', async () => {
      assert.deepEqual((await app.post('/is', {})).body, { json: 'json', forwarded: 1 })
    })
    it('adds its shared schema where it is registered only', () => {
      assert.ok(app.home.getSchema('HttpError'))
      assert.equal(app.sibling.getSchema('HttpError'), undefined)
    })
  },
)

let isHealthy = false
testPlugin(
  '@fastify/under-pressure',
  {
    application() {
      isHealthy = false
      return {
        plugins: [
          [
            underPressure,
            {
              retryAfter: 50,
              exposeStatusRoute: { url: '/alive', routeOpts: { config: { pressureHandler: () => undefined } } },
              // Asked once at boot, then by the health route.
              healthCheck: async () => isHealthy,
            },
          ],
        ],
        routes: [
          get('/loaded'),
          get('/anyway', { config: { pressureHandler: () => undefined } }),
          get('/told', { config: { pressureHandler: (_request, reply, type) => void reply.code(503).send({ because: type }) } }),
        ],
      }
    },
    decorates: { server: ['memoryUsage', 'isUnderPressure'] },
  },
  (app) => {
    it('answers 503 under pressure', async () => {
      const { status, headers, body } = await app.ask('/loaded')
      assert.equal(status, 503)
      assert.equal(headers.get('retry-after'), '50')
      // Of a 5xx error that does not say that it may be shown, neither message nor code is.
      assert.deepEqual(body, { statusCode: 503, error: 'Service Unavailable', message: 'Service Unavailable' })
      assert.equal(app.home.isUnderPressure(), true)
    })
    it('is overruled by the "pressureHandler" entry of a route\'s config', async () => {
      assert.equal((await app.ask('/anyway')).status, 200)
      const told = await app.ask('/told')
      assert.equal(told.status, 503)
      assert.deepEqual(told.body, { because: 'healthCheck' })
    })
    it('serves a health route', async () => {
      assert.equal((await app.ask('/alive')).status, 503)
      isHealthy = true
      assert.deepEqual((await app.ask('/alive')).body, { status: 'ok' })
      isHealthy = false
    })
  },
)
