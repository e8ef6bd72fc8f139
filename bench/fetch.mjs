/** The CPU time of one request without a socket, in this process: `server.fetch` beside `server.inject` and the `fetch` of Hono. */
import { setImmediate as turn } from 'node:timers/promises'
import { Hono } from 'hono'
import { createServer } from '../dist/esm/lib.js'
import { spreadOf } from './stats.mjs'

const REQUESTS = 4_000
const ROUNDS = 15

const server = createServer()
const reply = { 200: { type: 'object', properties: { hello: { type: 'string' } } } }
const body = { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, name: { type: 'string' } } }
server.get('/hello', { schema: { response: reply } }, () => ({ hello: 'world' }))
server.post('/body', { schema: { body } }, (request) => request.body)
await server.ready()

const hono = new Hono()
hono.get('/hello', (context) => context.json({ hello: 'world' }))
hono.post('/body', async (context) => context.json(await context.req.json()))

const payload = '{"id":1,"name":"Ada"}'
const headers = { 'content-type': 'application/json' }
const get = () => new Request('http://localhost/hello')
const post = () => new Request('http://localhost/body', { method: 'POST', body: payload, headers })
const textOf = async (reply) => (await reply).text()

const workloads = {
  hello: {
    request: async () => get().url,
    fetch: () => textOf(server.fetch(get())),
    inject: async () => (await server.inject('/hello')).body,
    hono: () => textOf(hono.fetch(get())),
  },
  body: {
    request: async () => post().url,
    fetch: () => textOf(server.fetch(post())),
    inject: async () => (await server.inject({ method: 'POST', url: '/body', payload, headers })).body,
    hono: () => textOf(hono.fetch(post())),
  },
}

async function measure(send) {
  const start = process.cpuUsage()
  for (let index = 0; index < REQUESTS; index++) {
    await send()
    // As over connections, each request comes in an event of its own. Otherwise no tick of Node would run before the last request, and memory
    // would grow up to there.
    await turn()
  }
  const { user, system } = process.cpuUsage(start)
  return (user + system) / REQUESTS
}

const found = {}
for (const [name, ways] of Object.entries(workloads)) {
  const texts = new Set(await Promise.all(['fetch', 'inject', 'hono'].map((way) => ways[way]())))
  if (texts.size !== 1) throw new Error(`The replies to ${name} differ: ${[...texts].join(', ')}`)
  found[name] = Object.fromEntries(Object.keys(ways).map((way) => [way, []]))
}
for (let round = 0; round <= ROUNDS; round++) {
  for (const [name, ways] of Object.entries(workloads)) {
    for (const [way, send] of Object.entries(ways)) {
      const time = await measure(send)
      // The first round warms up.
      if (round > 0) found[name][way].push(time)
    }
  }
}

process.on('disconnect', () => process.exit())
process.send(
  Object.fromEntries(
    Object.entries(found).map(([name, ways]) => [
      name,
      Object.fromEntries(Object.entries(ways).map(([way, times]) => [way, spreadOf(times)])),
    ]),
  ),
)
