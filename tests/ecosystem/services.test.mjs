import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import autoload from '@fastify/autoload'
import { FastifyOtelInstrumentation } from '@fastify/otel'
import requestContextPlugin, { requestContext } from '@fastify/request-context'
import responseValidation from '@fastify/response-validation'
import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import websocket from '@fastify/websocket'
import { context, trace } from '@opentelemetry/api'
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import fastifyPlugin from 'fastify-plugin'
import { Type } from 'typebox'
import WebSocket from 'ws'
import { createServer } from '../../dist/decorators/index.js'
import { eachFace, Running, subjectTitle, testPlugin } from './harness.mjs'

const log = []
testPlugin(
  '@fastify/websocket',
  {
    application: () => ({
      plugins: [[websocket, { options: { maxPayload: 1000 } }]],
      setup(instance) {
        log.length = 0
        // In Fastify the socket of an unknown path stays open with the handler of the root: the plugin's hook that ends it does not run.
        instance.setNotFoundHandler((_request, reply) => reply.code(404).send({ nothing: true }))
        instance.addHook('onRequest', async (request) => void log.push(`onRequest ${request.url} ${request.ws}`))
        instance.register(async function inner(child) {
          child.get('/inner', { websocket: true }, (socket) => socket.send('from an inner context'))
        })
      },
      routes: [
        {
          method: 'GET',
          url: '/echo',
          websocket: true,
          handler(socket, request) {
            socket.on('message', (message) => socket.send(`${request.query.prefix ?? ''}${message}`))
          },
        },
        {
          method: 'GET',
          url: '/guarded',
          websocket: true,
          preValidation: async (request, reply) => {
            if (request.headers.authorization === undefined) await reply.code(401).send({ error: 'who are you?' })
          },
          handler: (socket) => socket.send('welcome'),
        },
        {
          method: 'GET',
          url: '/validated',
          websocket: true,
          schema: { querystring: { type: 'object', required: ['room'], properties: { room: { type: 'integer' } } } },
          handler: (socket, request) => socket.send(`room ${request.query.room + 1}`),
        },
        { method: 'GET', url: '/both', handler: () => ({ plain: true }), wsHandler: (socket) => socket.send('socket') },
        { method: 'GET', url: '/plain', handler: () => ({ plain: true }) },
      ],
    }),
    decorates: { server: ['websocketServer', 'injectWS'], request: ['ws'] },
  },
  (app) => {
    const open = (path, options) => new WebSocket(app.origin.replace('http', 'ws') + path, options)
    /** The first message; rejects with the status where the upgrade is refused. */
    const firstMessage = (socket) =>
      new Promise((resolve, reject) => {
        socket.once('message', (data) => {
          resolve(String(data))
          socket.close()
        })
        socket.once('error', reject)
        socket.once('unexpected-response', (request, response) => {
          // The connection of a refused upgrade is the client's to close.
          request.destroy()
          reject(Object.assign(new Error(`refused with ${response.statusCode}`), { status: response.statusCode }))
        })
      })

    it('echoes messages, and its handler sees the request', async () => {
      const socket = open('/echo?prefix=you:')
      await once(socket, 'open')
      const echoed = firstMessage(socket)
      socket.send('hello')
      assert.equal(await echoed, 'you:hello')
    })
    it('runs the hooks of the context and of the route before the upgrade', async () => {
      log.length = 0
      await assert.rejects(firstMessage(open('/guarded')), { status: 401 })
      assert.equal(await firstMessage(open('/guarded', { headers: { authorization: 'Ada' } })), 'welcome')
      assert.deepEqual(log, ['onRequest /guarded true', 'onRequest /guarded true'])
    })
    it('validates and coerces by the schemas of the route before the upgrade', async () => {
      assert.equal(await firstMessage(open('/validated?room=1')), 'room 2')
      await assert.rejects(firstMessage(open('/validated?room=one')), { status: 400 })
    })
    it('serves sockets of contexts below', async () => {
      assert.equal(await firstMessage(open('/inner')), 'from an inner context')
    })
    it('answers an upgrade of an unknown path with 404', async () => {
      await assert.rejects(firstMessage(open('/unknown')), { status: 404 })
    })
    it('leaves plain requests alone, beside a socket on the same path and where there is only a socket', async () => {
      assert.deepEqual((await app.ask('/both')).body, { plain: true })
      assert.equal(await firstMessage(open('/both')), 'socket')
      assert.equal((await app.ask('/echo')).status, 404)
      assert.equal((await app.ask('/plain')).status, 200)
    })
    it('closes a socket that was opened on a plain route', async () => {
      const socket = open('/plain')
      await once(socket, 'close')
    })
    it('closes a socket whose message is above its limit', async () => {
      const socket = open('/echo')
      await once(socket, 'open')
      const closed = once(socket, 'close')
      socket.on('error', () => {})
      socket.send('x'.repeat(2000))
      assert.equal((await closed)[0], 1009)
    })
    it('opens a socket without a network for tests', async () => {
      let received
      const socket = await app.home.injectWS('/echo', {}, { onInit: (made) => (received = once(made, 'message')) })
      socket.send('injected')
      assert.equal(String((await received)[0]), 'injected')
      socket.terminate()
    })
    it('closes open sockets when the server closes', async () => {
      const socket = open('/echo')
      await once(socket, 'open')
      const closed = once(socket, 'close')
      await app.server.close()
      await closed
    })
  },
)

testPlugin(
  '@fastify/request-context',
  {
    application: () => ({
      plugins: [[requestContextPlugin, { defaultStoreValues: (request) => ({ id: request.headers['x-id'] }) }]],
      routes: [
        {
          method: 'POST',
          url: '/id',
          schema: { body: { type: 'object' } },
          preHandler: async () => requestContext.set('hooked', true),
          async handler(request) {
            await new Promise((resolve) => setImmediate(resolve))
            return { id: requestContext.get('id'), same: request.requestContext.get('id'), hooked: requestContext.get('hooked') }
          },
        },
      ],
      elsewhere: (instance) => void instance.get('/elsewhere/id', () => ({ id: requestContext.get('id') ?? null })),
    }),
    decorates: { server: ['requestContext'], request: ['requestContext'] },
  },
  (app) => {
    it('keeps values of simultaneous requests apart, through hooks, body parsing and asynchronous handlers', async () => {
      const ids = ['a', 'b', 'c', 'd', 'e']
      const answers = await Promise.all(ids.map((id) => app.post('/id', { id }, { 'x-id': id })))
      assert.deepEqual(
        answers.map(({ body }) => body),
        ids.map((id) => ({ id, same: id, hooked: true })),
      )
    })
    it('has no store in a sibling context', async () => {
      assert.deepEqual((await app.ask('/elsewhere/id', { headers: { 'x-id': 'a' } })).body, { id: null })
    })
  },
)

const number = { response: { 200: { type: 'object', required: ['answer'], properties: { answer: { type: 'integer' } } } } }
testPlugin(
  '@fastify/response-validation',
  {
    application: () => ({
      plugins: [[responseValidation, {}]],
      routes: [
        { method: 'GET', url: '/right', schema: number, handler: () => ({ answer: 42 }) },
        { method: 'GET', url: '/wrong', schema: number, handler: () => ({ question: 42 }) },
        { method: 'GET', url: '/off', schema: number, responseValidation: false, handler: () => ({ answer: '42' }) },
      ],
    }),
  },
  (app) => {
    it('lets a reply pass that fits its schema, and refuses another with 500', async () => {
      assert.deepEqual((await app.ask('/right')).body, { answer: 42 })
      const wrong = await app.ask('/wrong')
      assert.equal(wrong.status, 500)
      assert.deepEqual(wrong.body, { statusCode: 500, error: 'Internal Server Error', message: 'Internal Server Error' })
    })
    it('is switched off by the "responseValidation" option of a route', async () => {
      assert.deepEqual((await app.ask('/off')).body, { answer: 42 })
    })
  },
)

testPlugin(
  '@fastify/type-provider-typebox',
  {
    application: () => ({
      plugins: [],
      setup: (instance) => void instance.withTypeProvider().setValidatorCompiler(TypeBoxValidatorCompiler),
      routes: [
        {
          method: 'POST',
          url: '/person',
          schema: {
            body: Type.Object({ name: Type.String({ minLength: 2 }), age: Type.Optional(Type.Integer()) }),
            response: { 200: Type.Object({ greeting: Type.String() }) },
          },
          handler: ({ body }) => ({ greeting: `Hello, ${body.name}`, secret: true }),
        },
      ],
      elsewhere(instance) {
        // The default engine is still in force here.
        instance.post('/elsewhere/person', { schema: { body: Type.Object({ age: Type.Integer() }) } }, ({ body }) => ({ age: body.age }))
      },
    }),
  },
  (app) => {
    it('validates by the compiler of the plugin, and serializes by the response schema', async () => {
      assert.deepEqual((await app.post('/person', { name: 'Ada', age: 36 })).body, { greeting: 'Hello, Ada' })
      const wrong = await app.post('/person', { name: 'A' })
      assert.equal(wrong.status, 400)
      assert.match(wrong.body.message, /^body\/name/)
    })
    it('leaves the compiler of a sibling context alone', async () => {
      assert.deepEqual((await app.post('/elsewhere/person', { age: '36' })).body, { age: 36 })
    })
  },
)

const folder = (name) => fileURLToPath(new URL(`fixtures/autoload/${name}`, import.meta.url))
testPlugin(
  '@fastify/autoload',
  {
    application: () => ({
      plugins: [
        [autoload, { dir: folder('plugins'), options: { time: 'noon' } }],
        [autoload, { dir: folder('routes'), autoHooks: true, options: { prefix: '/v1' } }],
      ],
    }),
    decorates: { server: ['clock', 'greet'], request: ['startedAt'] },
  },
  (app) => {
    it('loads the plugins of a folder, ES modules and CommonJS, in the order of their dependencies', async () => {
      assert.equal(app.home.greet('Ada'), 'Hello, Ada, at noon')
      assert.ok(app.home.hasPlugin('clock'))
    })
    it('loads routes under the prefixes of their folders and files', async () => {
      assert.deepEqual((await app.ask('/v1/hello')).body, { text: 'Hello, Ada, at noon' })
    })
    it('keeps the hooks and decorators of a folder in it', async () => {
      assert.equal((await app.ask('/v1/guarded')).status, 401)
      const headers = { authorization: 'let me in' }
      assert.deepEqual((await app.ask('/v1/guarded', { headers })).body, { secret: 'Hello, Eve, at noon', leaked: false })
      assert.equal((await app.ask('/v1/hello')).status, 200)
    })
  },
)

testPlugin(
  'fastify-plugin',
  {
    application: () => ({
      plugins: [
        [fastifyPlugin(async (instance) => void instance.decorateRequest('first', 1), { name: 'first', fastify: '5.x' })],
        [
          fastifyPlugin(
            async (instance, options) => {
              instance.decorate('second', options.value)
              instance.addHook('onRequest', async (_request, reply) => void reply.header('x-second', options.value))
              // Registered by a wrapped plugin: it belongs to the same context.
              await instance.register(fastifyPlugin(async (inner) => void inner.decorate('third', 3), { name: 'third' }))
            },
            { name: 'second', fastify: '>=4', dependencies: ['first'], decorators: { request: ['first'] } },
          ),
          { value: 'two' },
        ],
        [fastifyPlugin(async (instance) => void instance.decorate('enclosed', true), { name: 'enclosed', encapsulate: true })],
      ],
      routes: [{ method: 'GET', url: '/home', handler: (request) => ({ first: request.first }) }],
    }),
    decorates: { server: ['second', 'third'], request: ['first'] },
  },
  (app) => {
    it('puts what a wrapped plugin declares into the context around it', async () => {
      const { headers, body } = await app.ask('/home')
      assert.deepEqual(body, { first: 1 })
      assert.equal(headers.get('x-second'), 'two')
    })
    it('knows wrapped plugins by name', () => {
      assert.ok(['first', 'second', 'third'].every((name) => app.home.hasPlugin(name)))
      assert.ok(!app.sibling.hasPlugin('second'))
    })
    it('leaves a plugin with "encapsulate" in a context of its own', () => {
      assert.equal(app.home.hasDecorator('enclosed'), false)
    })
  },
)

describe(subjectTitle('fastify-plugin', 'what a plugin asks for'), () => {
  eachFace((face, start) =>
    describe(face, () => {
      const failing = (plugin) => assert.rejects(start({ plugins: [[plugin, {}]] }))
      it('fails the boot of a plugin whose dependency, decorator or version range is not met', async () => {
        await failing(fastifyPlugin(async () => {}, { name: 'needy', dependencies: ['missing'] }))
        await failing(fastifyPlugin(async () => {}, { name: 'needy', decorators: { reply: ['missing'] } }))
        await failing(fastifyPlugin(async () => {}, { name: 'old', fastify: '3.x' }))
      })
      it('takes a promise of a module', async () => {
        const server = await start({
          plugins: [[import('@fastify/cookie'), { secret: 'a secret of some length' }]],
          routes: [{ method: 'GET', url: '/cookies', handler: (request) => request.cookies }],
        })
        const { body } = await server.inject({ url: '/cookies', cookies: { a: '1' } })
        assert.equal(body, '{"a":"1"}')
        await server.close()
      })
      it('admits plugins for 4.x, for 5.x and for anything', async () => {
        for (const fastify of ['4.x', '5.x', '>=4.0.0', '^5.2.0', '*']) {
          const server = await start({ plugins: [[fastifyPlugin(async () => {}, { name: 'fits', fastify }), {}]] })
          await server.close()
        }
      })
    }),
  )
})

// One provider for the process: the API keeps the first that is registered.
const exporter = new InMemorySpanExporter()
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
provider.register()
const spansOf = () => {
  const spans = exporter.getFinishedSpans().map((span) => ({
    name: span.name,
    attributes: span.attributes,
    status: span.status,
    events: span.events,
    parent: span.parentSpanContext?.spanId,
    id: span.spanContext().spanId,
  }))
  exporter.reset()
  return spans
}

testPlugin(
  '@fastify/otel',
  {
    label: 'registered as a plugin',
    application: () => {
      const instrumentation = new FastifyOtelInstrumentation()
      instrumentation.setTracerProvider(provider)
      exporter.reset()
      return {
        plugins: [[instrumentation.plugin()]],
        setup(instance) {
          instance.addHook('preHandler', async function checkSomething() {})
          instance.setNotFoundHandler(function nothingHere(_request, reply) {
            reply.code(404).send({ nothing: true })
          })
        },
        routes: [
          {
            method: 'GET',
            url: '/traced/:id',
            onRequest: async function ownHook() {},
            handler: (request) => ({
              active: trace.getSpan(context.active()) !== undefined,
              recorded: request.opentelemetry().span.isRecording(),
            }),
          },
          {
            method: 'GET',
            url: '/untraced',
            config: { otel: false },
            handler: (request) => ({ enabled: request.opentelemetry().enabled }),
          },
          {
            method: 'GET',
            url: '/failing',
            handler() {
              throw new Error('out of paper')
            },
          },
        ],
      }
    },
    decorates: { request: ['opentelemetry'] },
  },
  (app) => {
    it('records a span of the request with its route, and spans of hooks and handler below it', async () => {
      exporter.reset()
      assert.deepEqual((await app.ask('/traced/7')).body, { active: true, recorded: true })
      const spans = spansOf()
      const request = spans.find((span) => span.name === 'request')
      assert.equal(request.attributes['http.route'], '/traced/:id')
      assert.equal(request.attributes['url.path'], '/traced/7')
      assert.equal(request.attributes['http.response.status_code'], 200)
      const below = spans.filter((span) => span !== request)
      assert.ok(below.every((span) => span.parent === request.id))
      const types = below.map((span) => span.attributes['fastify.type']).toSorted()
      assert.deepEqual(types, ['hook', 'request-handler', 'route-hook'])
      assert.ok(below.some((span) => span.name === 'preHandler - checkSomething'))
      // The name that tells whose hook it is comes from the instance.
      assert.ok(below.every((span) => /Home/.test(span.attributes['hook.name'])))
    })
    it('records the error of a failing handler', async () => {
      exporter.reset()
      assert.equal((await app.ask('/failing')).status, 500)
      const request = spansOf().find((span) => span.name === 'request')
      assert.equal(request.status.message, 'out of paper')
      assert.equal(request.events[0].name, 'exception')
    })
    it('records a request that finds no route', async () => {
      exporter.reset()
      assert.deepEqual((await app.ask('/unknown')).body, { nothing: true })
      const spans = spansOf()
      assert.equal(spans.find((span) => span.name === 'request').attributes['http.response.status_code'], 404)
      assert.ok(spans.some((span) => span.name === 'notFoundHandler - nothingHere'))
    })
    it('is switched off by the "otel" entry of a route\'s config, and records nothing of a sibling context', async () => {
      exporter.reset()
      assert.deepEqual((await app.ask('/untraced')).body, { enabled: false })
      await app.ask('/elsewhere')
      assert.deepEqual(spansOf(), [])
    })
  },
)

describe(subjectTitle('@fastify/otel', 'registered through the diagnostics channel'), () => {
  eachFace((face, start) =>
    describe(face, () => {
      let instrumentation
      const app = new Running()
      before(async () => {
        instrumentation = new FastifyOtelInstrumentation({ registerOnInitialization: true })
        instrumentation.setTracerProvider(provider)
        await app.start(start, {
          plugins: [],
          routes: [{ method: 'GET', url: '/traced', handler: () => ({ ok: true }) }],
        })
      })
      after(async () => {
        await app.close()
        instrumentation.disable()
      })
      it('finds the server without being registered, and records the requests of all contexts', async () => {
        exporter.reset()
        await app.ask('/traced')
        await app.ask('/elsewhere')
        await app.ask('/unknown')
        const routes = spansOf()
          .filter((span) => span.name === 'request')
          .map((span) => [span.attributes['http.route'], span.attributes['http.response.status_code']])
        assert.deepEqual(routes, [
          ['/traced', 200],
          ['/elsewhere', 200],
          [undefined, 404],
        ])
        assert.ok(app.server.hasPlugin('@fastify/otel'))
      })
    }),
  )
  it('leaves servers alone that are made after it was disabled', async () => {
    const server = createServer()
    assert.equal(server.hasPlugin('@fastify/otel'), false)
    await server.close()
  })
})
