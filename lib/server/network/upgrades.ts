/** Refuses an upgrade on a connection whose earlier request is still being served, and ends the connection of an upgrade that gets a reply. */
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http'
import { isNoLongerServed } from '../../http/connection-states.js'
import { currentResponse, type HttpSocket } from '../../http/node-internals.js'

const upgradeEvents: ReadonlySet<unknown> = new Set(['upgrade', 'connect'])

/**
 * Makes a server destroy a connection if an upgrade comes while an earlier request of the connection is being served. The reply to the
 * earlier request would be written into the upgraded stream, and handlers of upgrades (ws, `@fastify/websocket`) fail on such a socket and
 * leave it open. No real client asks for an upgrade before it has the earlier replies.
 */
export function guardUpgrades(server: HttpServer): void {
  server.on('newListener', function guard(event: string) {
    if (!upgradeEvents.has(event)) return
    server.off('newListener', guard)
    // `emit` is replaced instead of adding a listener, because `@fastify/http-proxy` asks whether its own listener is the only one.
    const emit = server.emit.bind(server) as (event: string | symbol, ...values: unknown[]) => boolean
    server.emit = (name: string | symbol, ...values: unknown[]) => {
      const socket = values[1] as HttpSocket
      if (!upgradeEvents.has(name) || (currentResponse(socket) === undefined && !isNoLongerServed(socket))) return emit(name, ...values)
      socket.destroy()
      return true
    }
  })
}

/**
 * Ends the connection of a request that asks for an upgrade, and that a plugin passes to `routing`, after a reply. Node reads no further
 * request from such a connection, and does not notice that its client leaves: it would stay open.
 */
export function closeAfterReply(raw: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false
  response.once('finish', () => raw.socket.destroySoon())
}
