/** A request scope lasts as long as anything of its request uses it: sources of streams, handlers and hooks in callback style. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { Readable, Transform } from 'node:stream'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { bootstrap, Injectable, type Reply, type Request, Route } from 'alcove'
import { plugin } from '../../../fixtures/applications.js'
import { countdown } from '../../../fixtures/countdown.js'

/** A connection of a pool, or a transaction. */
interface Tx {
  isEnded: boolean
}

/** What a user of the scope gets: its transaction, a function that notes its use, and the request. */
interface Parts {
  readonly tx: Tx
  /** Notes whether the transaction was open when it was used. */
  readonly use: () => void
  readonly request: Request
  readonly reply: Reply
}

/** Uses the transaction when it is destroyed, after a while, and for a last time before it closes. */
function cursor({ use }: Parts, isQuiet = false): Readable {
  const source = new Readable({
    read() {},
    destroy(error, done) {
      void sleep(30).then(() => (use(), done(error)))
    },
  })
  if (!isQuiet) source.push('row')
  return source
}

const webCursor = ({ use }: Parts): ReadableStream =>
  new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('row')), cancel: () => sleep(30).then(use) })

interface User {
  readonly handle: (parts: Parts) => unknown
  readonly hooks?: (parts: () => Parts) => object
  readonly method?: 'GET' | 'HEAD'
}

/** Everything that may still use the scope when the client has left. Each uses it once, some time later. */
const users: Record<string, User> = {
  'the source of a stream': { handle: (parts) => cursor(parts) },
  'the source of a stream that is quiet': { handle: (parts) => cursor(parts, true) },
  'the source of a web stream': { handle: webCursor },
  'the source of a Response': { handle: (parts) => new Response(webCursor(parts)) },
  'a stream that an async handler sends when its client has left': {
    handle: async (parts) => (await sleep(60), cursor(parts)),
  },
  'a stream that a hook has replaced': {
    handle: (parts) => cursor(parts),
    hooks: () => ({
      onSend: async (_request: Request, _reply: Reply, payload: Readable) => {
        const pass = new Transform({ transform: (chunk, _encoding, done) => done(null, chunk) })
        pass.on('close', () => payload.destroy())
        return payload.pipe(pass)
      },
    }),
  },
  'a stream whose reply failed': {
    handle: (parts) => cursor(parts),
    hooks: () => ({ onSend: async () => Promise.reject(new Error('failed')) }),
  },
  'a handler in callback style': {
    handle: ({ use, reply }) => void setTimeout(() => (use(), reply.send('late')), 60),
  },
  'a handler that returns the reply and sends it later': {
    handle: ({ use, reply }) => (setTimeout(() => (use(), reply.send('late')), 60), reply),
  },
  'an async handler that returns the reply and sends it later': {
    handle: async ({ use, reply }) => (setTimeout(() => (use(), reply.send('late')), 60), reply),
  },
  'a preHandler hook in callback style': {
    handle: () => 'text',
    hooks: (parts) => ({
      preHandler: (_request: Request, _reply: Reply, done: () => void) => void setTimeout(() => (parts().use(), done()), 60),
    }),
  },
  'an onSend hook in callback style': {
    handle: () => 'text',
    hooks: (parts) => ({
      onSend: (_request: Request, _reply: Reply, _payload: unknown, done: () => void) => void setTimeout(() => (parts().use(), done()), 60),
    }),
  },
  'an onRequestAbort hook in callback style': {
    // Not for a time: on a busy machine the reply would come before the server sees that the client has left.
    handle: ({ request }) => once(request.signal, 'abort').then(() => sleep(20)),
    hooks: (parts) => ({
      onRequestAbort: (_request: Request, done: () => void) => void setTimeout(() => (parts().use(), done()), 60),
    }),
  },
}

/** An application with a request-scoped transaction. The test is told when a request has arrived, of each use, and of the end. */
function applicationOf({ handle, hooks, method = 'GET' }: User) {
  const [arrived, used, ended] = [countdown(1), countdown(1), countdown(1)]
  const events: string[] = []
  let parts!: Parts
  @Injectable({ scope: 'request' })
  class Transaction implements Tx {
    isEnded = false
    dispose(): void {
      this.isEnded = true
      events.push('ended')
      ended.hit()
    }
  }
  class Arrive {
    static readonly inject = [Transaction] as const
    constructor(private readonly tx: Transaction) {}
    onRequest(request: Request, reply: Reply, done: () => void): void {
      const { tx } = this
      const use = (): void => {
        events.push(tx.isEnded ? 'used after its end' : 'used')
        used.hit()
      }
      parts = { tx, use, request, reply }
      setTimeout(arrived.hit, 15)
      done()
    }
  }
  @Route({ method, path: '/' })
  class Handle {
    handle(_request: Request, _reply: Reply): unknown {
      return handle(parts)
    }
  }
  const App = plugin('App', {
    providers: [Transaction],
    hooks: { onRequest: Arrive as never, onClose: async () => void events.push('closed'), ...hooks?.(() => parts) },
    routes: [Handle],
  })
  return { App, arrived: arrived.done, used: used.done, ended: ended.done, events }
}

describe('a request scope whose client leaves ends', () => {
  for (const [name, user] of Object.entries(users)) {
    test(`when it is no longer used by ${name}`, { timeout: 20_000 }, async () => {
      const { App, arrived, used, ended, events } = applicationOf(user)
      const server = await bootstrap(App)
      const request = httpRequest(await server.listen({ port: 0, host: '127.0.0.1' })).end()
      request.on('error', () => {})
      await arrived
      request.destroy()
      await used
      await ended
      await server.close()
      assert.deepEqual(events, ['used', 'ended', 'closed'])
    })

    test(`when it is no longer used by ${name}, also if the server closes meanwhile`, { timeout: 20_000 }, async () => {
      const { App, arrived, events } = applicationOf(user)
      const server = await bootstrap(App)
      const request = httpRequest(await server.listen({ port: 0, host: '127.0.0.1' })).end()
      request.on('error', () => {})
      await arrived
      request.destroy()
      await sleep(5)
      await server.close()
      assert.deepEqual(events, ['used', 'ended', 'closed'])
    })
  }
})

test('a request scope ends when the source of a stream that is not sent, to a HEAD request, has closed', async () => {
  const { App, ended, events } = applicationOf({ handle: (parts) => cursor(parts), method: 'HEAD' })
  const server = await bootstrap(App)
  await server.inject({ method: 'HEAD', url: '/' })
  await ended
  await server.close()
  assert.deepEqual(events, ['used', 'ended', 'closed'])
})
