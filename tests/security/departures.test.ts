/** Clients that leave are noticed, whatever they have sent before: their connections close, and what their requests use is ended. */
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerOptions } from 'alcove/lib'
import { countdown } from '../fixtures/countdown.js'
import { behind, heldBehind, quiet, request, withUnreadBody } from '../fixtures/departures.js'
import { open, type Target, wireTest } from './wire.js'

/** Sends one request and more behind it, and leaves when the first has arrived and the rest had time to. */
async function visit(port: number, arrived: Promise<void>, bytes: string, more: string): Promise<void> {
  const socket = await open(port)
  socket.resume()
  socket.write(bytes)
  await arrived
  if (more !== '') socket.write(more)
  await sleep(20)
  socket.destroy()
}

/** Counts the connections of a server. */
function connectionsOf({ server }: Target): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.server.on('connection', (socket) => sockets.add(socket) && socket.once('close', () => sockets.delete(socket)))
  return sockets
}

/** How many clients leave each kind of route. */
const CLIENTS = 5

/** Declares a test in which clients leave routes of some kinds; all must be noticed. */
function departureTest(
  title: string,
  kinds: readonly string[],
  bytes: (path: string) => string,
  more: string,
  options?: ServerOptions,
): void {
  const ended = countdown(CLIENTS * kinds.length)
  const arrivals = new Map<string, () => void>()
  wireTest(
    title,
    (server) => {
      server.addHook('onRequest', async ({ url, signal }) => {
        if (!url.startsWith('/quiet')) return
        signal.addEventListener('abort', ended.hit)
        arrivals.get(url)!()
      })
      for (const [index, kind] of kinds.entries()) quiet[kind]!(server, `/quiet/${index}`)
      server.get('/tiny', () => 't')
    },
    async (target) => {
      const sockets = connectionsOf(target)
      for (let count = 0; count < CLIENTS; count++) {
        for (const index of kinds.keys()) {
          const arrived = countdown(1)
          arrivals.set(`/quiet/${index}`, arrived.hit)
          await visit(target.port, arrived.done, bytes(`/quiet/${index}`), more)
        }
      }
      await ended.done
      while (sockets.size > 0) await sleep(5)
      assert.equal(sockets.size, 0)
    },
    options,
  )
}

for (const [what, more] of Object.entries(behind))
  departureTest(`a client that leaves is noticed at once if it has sent ${what} behind its request`, Object.keys(quiet), request, more)

departureTest(
  'a client that leaves is noticed at once if it has sent bytes that are not HTTP, and the application answers such errors',
  ['a stream that has begun', 'a hijacked reply'],
  request,
  'no http\r\n',
  { clientErrorHandler: () => {} },
)

// Reading is stopped for a while in these, so that the end of the connection is not seen at once.
departureTest(
  'a client that leaves is noticed within seconds if requests behind its own are held, and no more is read',
  Object.keys(quiet),
  request,
  heldBehind,
)
departureTest(
  'a client that leaves is noticed within seconds if it has sent a body that nothing reads',
  ['a stream', 'a stream that has begun', 'a stream of items without a heartbeat', 'a hijacked reply'],
  withUnreadBody,
  '',
)
