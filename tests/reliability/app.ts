/** The server of the long runs, in a process of its own: `framework` or `bare` (node:http alone). Its parent asks it for its memory. */
import { createServer as createBareServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { closeOnSignals, createServer } from 'alcove/lib'
import { quiet } from '../fixtures/departures.js'

const IDLE_DELAY = 5_000

async function listenFramework(): Promise<number> {
  // Long, so that a client that stalls while it is idle is still served.
  const server = createServer({ closeIdleDelay: IDLE_DELAY })
  const schema = { body: { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } } } as const
  server.get('/', () => ({ hello: 'world' }))
  server.get('/slow', async () => (await sleep(Math.random() * 80), { hello: 'late' }))
  server.get('/big', () => 'x'.repeat(4_000_000))
  server.post('/body', { schema }, (request) => request.body)
  for (const [index, declare] of Object.values(quiet).entries()) declare(server, `/quiet/${index}`)
  server.get('/tiny', () => 't')
  closeOnSignals(server)
  await server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 })
  return (server.server.address() as AddressInfo).port
}

function listenBare(): Promise<number> {
  const server = createBareServer((_request, response) => {
    response.setHeader('content-type', 'application/json; charset=utf-8')
    response.end('{"hello":"world"}')
  })
  server.keepAliveTimeout = 72_000
  return new Promise((resolve) => server.listen(0, '127.0.0.1', 4096, () => resolve((server.address() as AddressInfo).port)))
}

process.on('message', async () => {
  for (let pass = 0; pass < 4; pass++) {
    globalThis.gc?.()
    // Objects with a part in C++ are let go in a task of their own, and what they refer to only by the next collection.
    await sleep(10)
  }
  const { rss, heapUsed, external } = process.memoryUsage()
  process.send!({ rss, heap: heapUsed + external })
})
process.on('disconnect', () => process.exit(0))
process.send!({ port: await (process.argv[2] === 'bare' ? listenBare() : listenFramework()) })
