import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Plugin } from '../../../decorators/index.js'
import { serve as serveByBun } from '../../../decorators/runtimes/bun.js'
import { serve as serveByDeno } from '../../../decorators/runtimes/deno.js'
import { serveBy } from '../../../decorators/runtimes/serve.js'
import { createServer, type Server } from '../../../lib/index.js'
import { fetchFrom, makeResponse, type RuntimePort } from '../../../lib/internal.js'

@Plugin({})
class App {}

const options = { hostname: '127.0.0.1', signals: false } as const

/** A runtime whose port is a list of what happens to it. */
function runtimeOf(events: string[], port: Partial<RuntimePort> = {}) {
  return {
    entry: 'alcove/some',
    name: 'Some',
    isThere: true,
    open(_server: Server, given: Readonly<Record<string, unknown>>): RuntimePort {
      events.push(`open ${JSON.stringify(given)}`)
      return {
        origin: 'http://127.0.0.1:1234',
        stop: async () => void events.push('stop'),
        cut: () => void events.push('cut'),
        ...port,
      }
    },
  }
}

test('serve refuses options that it does not know, and says where it runs', async () => {
  const invalid = (message: RegExp) => ({ code: 'ALC_ERR_LISTEN_OPTIONS_INVALID', message })
  await assert.rejects(serveByBun(App, { prot: 3000 } as never), invalid(/serve has no option prot; .* Options of Bun go into native/))
  await assert.rejects(serveByBun(App), invalid(/alcove\/bun runs in Bun only. On Node call server.listen\(\)/))
  await assert.rejects(serveByDeno(App), invalid(/alcove\/deno runs in Deno only/))
  const server = createServer()
  await assert.rejects(serveBy(runtimeOf([]), server, { server: {} }), invalid(/made already/))
})

test('serve opens the port after the boot, runs onListen, and closes the port when the server closes', async () => {
  const events: string[] = []
  const server = createServer()
  server.addHook('onReady', async () => void events.push('ready'))
  server.addHook('onListen', async () => void events.push('listening'))
  server.addHook('preClose', async () => void events.push('preClose'))
  server.addHook('onClose', async () => void events.push('onClose'))
  await serveBy(runtimeOf(events), server, { ...options, port: 1234, native: { tls: {} } })
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(server.listeningOrigin, 'http://127.0.0.1:1234')
  await assert.rejects(serveBy(runtimeOf(events), server, options), { code: 'ALC_ERR_REOPENED_SERVER' })
  await server.close()
  assert.deepEqual(events, ['ready', 'open {"tls":{},"port":1234,"hostname":"127.0.0.1"}', 'listening', 'preClose', 'stop', 'onClose'])
  await assert.rejects(serveBy(runtimeOf(events), server, options), { code: 'ALC_ERR_REOPENED_CLOSE_SERVER' })
})

test('a runtime whose connections do not end is cut at the limit of closing', async () => {
  const events: string[] = []
  const server = createServer({ closeTimeout: 50 })
  await serveBy(runtimeOf(events, { stop: () => new Promise(() => {}) }), server, options)
  await server.close()
  assert.equal(events.at(-1), 'cut')
})

test('a port that cannot be opened leaves a server that may be served again', async () => {
  const events: string[] = []
  const server = createServer()
  const failing = { ...runtimeOf(events), open: () => Promise.reject(new Error('in use')) }
  await assert.rejects(serveBy(failing, server, options), /in use/)
  await serveBy(runtimeOf(events), server, options)
  await server.close()
})

test('a body that a runtime has framed is read as a whole, and within its limit', async () => {
  const server = createServer({ bodyLimit: 10 })
  server.post('/', ({ body, ip }) => ({ body, ip }))
  await server.ready()
  const fetch = fetchFrom(server, { makeReply: makeResponse, isFramed: true, addressOf: (_request, info: string) => info })
  const post = (body: string, length?: number) =>
    fetch(
      new Request('http://localhost/', {
        method: 'POST',
        body,
        headers: { 'content-type': 'text/plain', ...(length !== undefined && { 'content-length': String(length) }) },
      }),
      '192.0.2.1',
    )
  assert.deepEqual(await (await post('12345', 5)).json(), { body: '12345', ip: '192.0.2.1' })
  assert.deepEqual(await (await post('12345')).json(), { body: '12345', ip: '192.0.2.1' })
  assert.equal((await post('12345678901', 11)).status, 413)
  assert.equal((await post('12345678901')).status, 413)
  assert.equal((await post('12345', 4)).status, 400)
})
