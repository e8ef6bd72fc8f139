/** The entries that need no other runtime: sockets of Node, injected requests, `fetch`, and events of Lambda. */
import { finished, PassThrough, Readable } from 'node:stream'
import { handler } from 'alcove/lambda'
import { httpEventOf } from '../fixtures/lambda-events.js'
import { createApp } from './app.js'
import type { Entry } from './client.js'

const sockets: Entry = {
  name: 'sockets',
  async start() {
    const server = await createApp()
    const origin = await server.listen({ host: '127.0.0.1', port: 0 })
    return { origin, send: (request) => fetch(request), close: async () => void (await server.close()) }
  },
}

/** Reads a reply on that its client cancels: light-my-request would keep it open, and the process alive until `handlerTimeout`. */
function webStreamOf(reply: Readable): ReadableStream {
  const body = reply.pipe(new PassThrough())
  finished(reply, (error) => error && body.destroy(error))
  body.once('close', () => reply.resume())
  return Readable.toWeb(body)
}

const inject: Entry = {
  name: 'inject',
  async start() {
    const server = await createApp()
    return {
      origin: 'http://localhost:80',
      async send(request) {
        const { pathname, search } = new URL(request.url)
        const { statusCode, statusMessage, headers, ...response } = await server.inject({
          method: request.method,
          url: pathname + search,
          authority: 'localhost',
          headers: Object.fromEntries(request.headers),
          ...(request.body && { payload: Buffer.from(await request.arrayBuffer()) }),
          signal: request.signal,
          payloadAsStream: true,
        } as never)
        const body = [204, 304].includes(statusCode) ? null : webStreamOf(response.stream())
        const pairs = Object.entries(headers).flatMap(([name, value]) =>
          [value].flat().map((each) => [name, String(each)] as [string, string]),
        )
        return new Response(body, { status: statusCode, statusText: statusMessage, headers: pairs })
      },
      close: async () => void (await server.close()),
    }
  },
}

const fetchEntry: Entry = {
  name: 'fetch',
  async start() {
    const server = await createApp()
    return { origin: 'http://localhost', send: (request) => server.fetch(request), close: async () => void (await server.close()) }
  },
}

const lambda: Entry = {
  name: 'lambda',
  async start() {
    const server = await createApp()
    const handle = handler(server)
    return {
      origin: 'http://localhost',
      async send(request) {
        const { statusCode, headers = {}, cookies = [], body, isBase64Encoded } = await handle(await httpEventOf(request))
        const pairs = [...Object.entries(headers), ...cookies.map((cookie) => ['set-cookie', cookie] as [string, string])]
        const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')
        return new Response(bytes.length === 0 ? null : bytes, { status: statusCode, headers: pairs })
      },
      close: async () => void (await server.close()),
    }
  },
}

/** The entries of Node. */
export const entries: readonly Entry[] = [sockets, inject, fetchEntry, lambda]
