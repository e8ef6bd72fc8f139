/** Frameworks that run inside of the server, beside it or in front of it by its raw requests and replies: every byte must pass. */
import assert from 'node:assert/strict'
import { createServer as createHttpServer } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ApolloServer } from '@apollo/server'
import { fastifyApolloDrainPlugin, fastifyApolloHandler } from '@as-integrations/fastify'
import awsLambda from '@fastify/aws-lambda'
import middie from '@fastify/middie'
import { createTRPCClient, httpBatchStreamLink, httpLink, isNonJsonSerializable, splitLink } from '@trpc/client'
import { initTRPC } from '@trpc/server'
import { fastifyTRPCPlugin } from '@trpc/server/adapters/fastify'
import { octetInputParser } from '@trpc/server/http'
import { Server as SocketServer } from 'socket.io'
import { io } from 'socket.io-client'
import { createServer as createVite } from 'vite'
import { createServer } from '../../dist/decorators/index.js'
import { subjectTitle, testPlugin } from './harness.mjs'

/** A request that fails if the answer does not come: bytes that got lost are still waited for. */
const ask = (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(5_000) })

const text = 'ä'.repeat(100_000)
/** The moments at which the adapter gets a request, in ms after it came. */
const waits = [0, 30]

/** A hook that lets a request wait before the adapter gets it. */
const delay = async (request) => void (await sleep(Number(request.headers['x-wait'] ?? 0)))

/** Tells what it got of a body, byte by byte. */
const checksum = (bytes) => bytes.reduce((sum, byte) => (sum * 31 + byte) % 1_000_003, 0)
const binary = Uint8Array.from({ length: 150_000 }, (_, index) => index % 256)

const t = initTRPC.create()
const router = t.router({
  greet: t.procedure.input(String).query(({ input }) => ({ length: input.length })),
  save: t.procedure.input((value) => value).mutation(({ input }) => ({ echoed: input })),
  upload: t.procedure.input(octetInputParser).mutation(async ({ input }) => {
    const chunks = []
    for await (const chunk of input) chunks.push(chunk)
    return { sum: checksum(Buffer.concat(chunks)) }
  }),
  form: t.procedure
    .input((value) => value)
    .mutation(async ({ input }) => {
      const file = input.get('file')
      return { name: file.name, sum: checksum(new Uint8Array(await file.arrayBuffer())) }
    }),
  count: t.procedure.query(async function* () {
    for (const number of [1, 2, 3]) yield await sleep(10, number)
  }),
})

testPlugin(
  '@trpc/server',
  {
    application: () => ({
      plugins: [[fastifyTRPCPlugin, { prefix: '/trpc', trpcOptions: { router } }]],
      setup(instance) {
        instance.addHook('onRequest', delay)
        // tRPC reads files itself, from the stream.
        instance.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
      },
    }),
  },
  (running) => {
    for (const wait of waits) {
      const connect = () => {
        const to = { url: `${running.origin}/trpc`, headers: { 'x-wait': String(wait) } }
        const condition = ({ input }) => isNonJsonSerializable(input)
        return createTRPCClient({ links: [splitLink({ condition, true: httpLink(to), false: httpBatchStreamLink(to) })] })
      }
      it(`answers queries and mutations in one batch, ${wait} ms after the request`, async () => {
        const client = connect()
        const answers = await Promise.all([client.greet.query('abc'), client.save.mutate({ text }), client.save.mutate(null)])
        assert.deepEqual(answers, [{ length: 3 }, { echoed: { text } }, { echoed: null }])
      })
      it(`gets every byte of a file and of a form, ${wait} ms after the request`, async () => {
        const client = connect()
        const form = new FormData()
        form.append('file', new File([binary], 'a.bin'))
        assert.deepEqual(await client.upload.mutate(binary), { sum: checksum(binary) })
        assert.deepEqual(await client.form.mutate(form), { name: 'a.bin', sum: checksum(binary) })
      })
      it(`streams what a generator yields, ${wait} ms after the request`, async () => {
        const seen = []
        for await (const number of await connect().count.query()) seen.push(number)
        assert.deepEqual(seen, [1, 2, 3])
      })
    }
  },
)

describe(subjectTitle('@as-integrations/fastify'), () => {
  let server
  let origin
  let apollo
  before(async () => {
    server = createServer()
    server.addHook('onRequest', delay)
    const resolvers = { Query: { here: () => 'here' }, Mutation: { save: (_root, { text: given }) => given } }
    const typeDefs = 'type Query { here: String } type Mutation { save(text: String): String }'
    apollo = new ApolloServer({ typeDefs, resolvers, plugins: [fastifyApolloDrainPlugin(server)] })
    await apollo.start()
    server.route({ url: '/graphql', method: ['GET', 'POST'], handler: fastifyApolloHandler(apollo) })
    origin = await server.listen({ port: 0, host: '127.0.0.1' })
  })
  after(async () => {
    await apollo.stop()
    await server.close()
  })
  for (const wait of waits) {
    it(`answers queries without a body and mutations with one, ${wait} ms after the request`, async () => {
      const headers = { 'x-wait': String(wait), 'content-type': 'application/json' }
      const read = await ask(`${origin}/graphql?query={here}`, { headers })
      assert.deepEqual([read.status, await read.json()], [200, { data: { here: 'here' } }])
      const body = JSON.stringify({ query: 'mutation ($text: String) { save(text: $text) }', variables: { text } })
      const written = await ask(`${origin}/graphql`, { method: 'POST', headers, body })
      assert.deepEqual(await written.json(), { data: { save: text } })
    })
  }
})

describe(subjectTitle('@fastify/aws-lambda'), () => {
  let server
  let invoke
  before(async () => {
    server = createServer()
    server.addHook('onRequest', async () => void (await sleep(5)))
    server.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    invoke = awsLambda(server, { binaryMimeTypes: ['application/octet-stream'] })
    server.post('/sum', ({ body, awsLambda: { event } }) => ({ sum: checksum(body), id: event.requestContext.requestId }))
    server.post('/echo', ({ body }) => ({ body: body ?? 'none' }))
    server.get('/bytes', (_request, reply) => reply.type('application/octet-stream').send(Buffer.from(binary)))
    await server.ready()
  })
  after(() => server.close())
  const event = (httpMethod, path, rest) => ({ httpMethod, path, headers: {}, requestContext: { requestId: 'r1' }, ...rest })

  it('hands on bytes of a body and of a reply, and the event', async () => {
    const body = Buffer.from(binary).toString('base64')
    const headers = { 'content-type': 'application/octet-stream' }
    const summed = await invoke(event('POST', '/sum', { body, isBase64Encoded: true, headers }), {})
    assert.deepEqual(JSON.parse(summed.body), { sum: checksum(binary), id: 'r1' })
    const read = await invoke(event('GET', '/bytes'), {})
    assert.deepEqual([read.isBase64Encoded, read.body], [true, body])
  })
  it('hands on a text, and a request without a body', async () => {
    const headers = { 'content-type': 'application/json' }
    const echoed = await invoke(event('POST', '/echo', { body: JSON.stringify({ text }), headers }), {})
    assert.deepEqual(JSON.parse(echoed.body), { body: { text } })
    assert.deepEqual(JSON.parse((await invoke(event('POST', '/echo', { body: null }), {})).body), { body: 'none' })
  })
})

describe(subjectTitle('socket.io'), () => {
  let server
  let sockets
  let origin
  before(async () => {
    server = createServer()
    server.post('/route', ({ body }) => ({ body }))
    sockets = new SocketServer(server.server)
    sockets.on('connection', (socket) => socket.on('sum', (bytes, answer) => answer({ sum: checksum(bytes), back: bytes })))
    origin = await server.listen({ port: 0, host: '127.0.0.1' })
  })
  after(async () => {
    await sockets.close()
    await server.close()
  })
  for (const transport of ['polling', 'websocket']) {
    it(`gets and sends every byte by ${transport}, and leaves other requests to the routes`, async () => {
      const socket = io(origin, { transports: [transport], reconnection: false })
      try {
        const { sum, back } = await socket.timeout(5_000).emitWithAck('sum', Buffer.from(binary))
        assert.equal(sum, checksum(binary))
        assert.deepEqual(Buffer.from(back), Buffer.from(binary))
      } finally {
        socket.disconnect()
      }
      const headers = { 'content-type': 'application/json' }
      const reply = await ask(`${origin}/route`, { method: 'POST', headers, body: JSON.stringify({ text }) })
      assert.deepEqual(await reply.json(), { body: { text } })
    })
  }
})

describe(subjectTitle('vite', 'in middleware mode'), () => {
  let server
  let vite
  let origin
  const upstream = createHttpServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    response.end(JSON.stringify({ sum: checksum(Buffer.concat(chunks)) }))
  })
  before(async () => {
    await new Promise((resolve) => upstream.listen(0, '127.0.0.1', resolve))
    vite = await createVite({
      root: fileURLToPath(new URL('fixtures/vite', import.meta.url)),
      configFile: false,
      logLevel: 'error',
      appType: 'custom',
      optimizeDeps: { disabled: true },
      server: { middlewareMode: true, hmr: false, watch: null, proxy: { '/upstream': `http://127.0.0.1:${upstream.address().port}` } },
    })
    server = createServer()
    server.addHook('onRequest', delay)
    await server.register(middie)
    server.use(vite.middlewares)
    server.post('/route', ({ body }) => ({ body }))
    origin = await server.listen({ port: 0, host: '127.0.0.1' })
  })
  after(async () => {
    await vite.close()
    await server.close()
    await new Promise((resolve) => upstream.close(resolve))
  })
  for (const wait of waits) {
    const headers = { 'x-wait': String(wait) }
    it(`serves a transformed module, ${wait} ms after the request`, async () => {
      const reply = await ask(`${origin}/main.ts`, { headers })
      assert.equal(reply.status, 200)
      assert.match(await reply.text(), /const answer = 42;\s+export \{|export const answer = 42;/)
    })
    it(`forwards every byte of a body by its proxy, and leaves other bodies to the routes, ${wait} ms after the request`, async () => {
      const proxied = await ask(`${origin}/upstream`, { method: 'POST', headers, body: binary })
      assert.deepEqual(await proxied.json(), { sum: checksum(binary) })
      const typed = { ...headers, 'content-type': 'application/json' }
      const reply = await ask(`${origin}/route`, { method: 'POST', headers: typed, body: JSON.stringify({ text }) })
      assert.deepEqual(await reply.json(), { body: { text } })
    })
  }
})
