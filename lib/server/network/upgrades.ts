/** Refuses upgrades that come on a connection while an earlier request of it is served. */
import type { IncomingMessage, Server as HttpServer } from 'node:http'
import type { Duplex } from 'node:stream'
import { currentResponse, type HttpSocket } from '../../http/node-internals.js'

const upgradeEvents: ReadonlySet<string> = new Set(['upgrade', 'connect'])

/**
 * Destroys the connection: the reply to the earlier request would be written into the upgraded stream, and handlers of upgrades (ws,
 * `@fastify/websocket`) fail on such a socket and leave it open. No real client asks for an upgrade before it has the earlier replies.
 */
function refuseBehindRequest(_raw: IncomingMessage, socket: Duplex): void {
  if (currentResponse(socket as HttpSocket) !== undefined) socket.destroy()
}

/**
 * Keeps the check in front of the listeners for upgrades. If there are none, Node handles an upgrade as an ordinary request. The check
 * therefore goes with the last of them: alone it would leave the connection open, and without a reply.
 */
export function guardUpgrades(server: HttpServer): void {
  server.on('newListener', (event: string, listener: unknown) => {
    if (!upgradeEvents.has(event) || listener === refuseBehindRequest || server.listeners(event).includes(refuseBehindRequest)) return
    server.prependListener(event, refuseBehindRequest)
  })
  server.on('removeListener', (event: string) => {
    if (upgradeEvents.has(event) && server.listeners(event).every((left) => left === refuseBehindRequest))
      server.removeListener(event, refuseBehindRequest)
  })
}
