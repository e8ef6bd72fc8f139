/** Code that takes `request.raw` and `reply.raw` for its own: it gives them another prototype, reads the body itself, or destroys it. */
import assert from 'node:assert/strict'
import { createServer as createHttpServer } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer } from '../../dist/decorators/index.js'
import { subjectTitle, testPlugin } from './harness.mjs'

const load = async (name) => (await import(name)).default
const [express, fastifyExpress, middie, replyFrom] = await Promise.all(
  ['express', '@fastify/express', '@fastify/middie', '@fastify/reply-from'].map(load),
)

/** A body in two pieces, the second some time after the first. */
function twoPieces(size) {
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(Buffer.alloc(1_000, 'a'))
      await sleep(40)
      controller.enqueue(Buffer.alloc(size - 1_000, 'a'))
      controller.close()
    },
  })
}

for (const name of ['express', 'express4']) {
  describe(subjectTitle(name), () => {
    let server
    let origin
    before(async () => {
      const make = await load(name)
      const app = make()
      app.post('/count', (request, response) => {
        let received = 0
        request.on('data', (chunk) => (received += chunk.length))
        request.on('end', () => response.status(201).json({ received }))
      })
      app.post('/parsed', make.text({ limit: '1mb' }), (request, response) => response.json({ received: request.body.length }))
      app.get('/', (_request, response) => response.send('express'))
      server = createServer()
      // The body is for Express.
      server.removeAllContentTypeParsers()
      server.addContentTypeParser('*', (_request, _payload, done) => done(null))
      server.addHook('onRequest', async (request) => void (await sleep(Number(request.headers['x-wait'] ?? 0))))
      server.all('/*', (request, reply) => {
        reply.hijack()
        app(request.raw, reply.raw)
      })
      origin = await server.listen({ port: 0, host: '127.0.0.1' })
    })
    after(() => server.close())

    for (const wait of [0, 20, 100]) {
      it(`gets every byte of a body if it is called ${wait} ms after the request`, async () => {
        for (const size of [1_100, 200_100]) {
          for (const path of ['/count', '/parsed']) {
            const response = await fetch(origin + path, {
              method: 'POST',
              body: twoPieces(size),
              duplex: 'half',
              headers: { 'content-type': 'text/plain', 'x-wait': String(wait) },
              signal: AbortSignal.timeout(5_000),
            })
            assert.deepEqual(await response.json(), { received: size })
          }
        }
      })
      it(`answers a request without a body if it is called after ${wait} ms`, async () => {
        const response = await fetch(origin, { headers: { 'x-wait': String(wait) }, signal: AbortSignal.timeout(5_000) })
        assert.deepEqual([response.status, await response.text()], [200, 'express'])
      })
    }
  })
}

testPlugin(
  '@fastify/express',
  {
    application: () => ({
      plugins: [[fastifyExpress]],
      setup(instance) {
        const router = express.Router()
        router.get('/ex/json', (_request, response) => response.json({ by: 'express' }))
        router.get('/ex/created', (_request, response) => response.status(201).send('created'))
        router.get('/ex/end', (_request, response) => response.end('ended'))
        router.get('/ex/fails', () => {
          throw Object.assign(new Error('refused by express'), { status: 403 })
        })
        instance.use(router)
        instance.use('/marked', (request, response, next) => {
          response.setHeader('x-marked', 'yes')
          next()
        })
      },
      routes: [
        // Hooks of a context run for its routes.
        { method: 'GET', url: '/ex/*', handler: () => assert.fail('Express answers') },
        { method: 'GET', url: '/marked', handler: () => ({ by: 'the route' }) },
        { method: 'POST', url: '/marked', handler: ({ body }) => ({ body }) },
      ],
    }),
  },
  (running) => {
    it('sends what Express answers: json, a status with send, end', async () => {
      const json = await running.ask('/ex/json')
      assert.deepEqual([json.status, json.body], [200, { by: 'express' }])
      const created = await running.ask('/ex/created')
      assert.deepEqual([created.status, created.text], [201, 'created'])
      assert.equal((await running.ask('/ex/end')).text, 'ended')
    })
    it('lets middleware mark a reply of a route, and leaves its body to the route', async () => {
      const got = await running.ask('/marked')
      assert.deepEqual([got.headers.get('x-marked'), got.body], ['yes', { by: 'the route' }])
      assert.deepEqual((await running.post('/marked', { a: 1 })).body, { body: { a: 1 } })
    })
    it('answers an error of a router by the error handler, with the status of the error', async () => {
      assert.equal((await running.ask('/ex/fails')).status, 403)
    })
  },
)

testPlugin(
  '@fastify/middie',
  {
    application: () => ({
      plugins: [[middie]],
      setup(instance) {
        instance.use((request, _response, next) => {
          request.seen = true
          setImmediate(next)
        })
        instance.use('/stopped', (_request, response) => response.writeHead(403).end('stopped'))
      },
      routes: [
        { method: 'POST', url: '/seen', handler: ({ raw, body }) => ({ seen: raw.seen, body }) },
        { method: 'GET', url: '/stopped', handler: () => assert.fail('the middleware answers') },
      ],
    }),
  },
  (running) => {
    it('runs middleware before the route, which gets the whole body', async () => {
      const body = { text: 'x'.repeat(100_000) }
      assert.deepEqual((await running.post('/seen', body)).body, { seen: true, body })
    })
    it('lets middleware answer', async () => {
      const { status, text } = await running.ask('/stopped')
      assert.deepEqual([status, text], [403, 'stopped'])
    })
  },
)

/** Answers `/early` before it has read the body, and everything else with the number of bytes that it got. */
const upstream = createHttpServer((request, response) => {
  if (request.url === '/early') return void response.writeHead(401).end('early')
  let received = 0
  request.on('data', (chunk) => (received += chunk.length)).on('end', () => response.end(JSON.stringify({ received })))
})
before(() => new Promise((resolve) => upstream.listen(0, '127.0.0.1', resolve)))
after(() => upstream.close())

testPlugin(
  '@fastify/reply-from',
  {
    application: () => ({
      plugins: [[replyFrom, { base: `http://127.0.0.1:${upstream.address().port}` }]],
      setup(instance) {
        instance.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
      },
      routes: [
        { method: 'POST', url: '/early', bodyLimit: 100_000_000, handler: (_request, reply) => reply.from('/early') },
        { method: 'POST', url: '/count', bodyLimit: 100_000_000, handler: (_request, reply) => reply.from('/count') },
      ],
    }),
  },
  (running) => {
    const upload = (path, size) =>
      running.ask(path, { method: 'POST', body: Buffer.alloc(size), headers: { 'content-type': 'application/octet-stream' } })

    it('forwards a body as a stream, by undici', async () => {
      assert.deepEqual(JSON.parse((await upload('/count', 5_000_000)).text), { received: 5_000_000 })
    })
    it('hands on the reply of an upstream that answers before the upload is complete', async () => {
      const { status, text } = await upload('/early', 20_000_000)
      assert.deepEqual([status, text], [401, 'early'])
    })
  },
)
