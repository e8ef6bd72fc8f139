/** Refuses upgrades that come on a connection while an earlier request of it is served. */
import type { Server as HttpServer } from 'node:http'
import { isNoLongerServed } from '../../http/connection-states.js'
import { currentResponse, type HttpSocket } from '../../http/node-internals.js'

const upgradeEvents: ReadonlySet<unknown> = new Set(['upgrade', 'connect'])

/**
 * Destroys the connection of such an upgrade: the reply to the earlier request would be written into the upgraded stream, and handlers of
 * upgrades (ws, `@fastify/websocket`) fail on such a socket and leave it open. No real client asks for an upgrade before it has the earlier
 * replies.
 */
export function guardUpgrades(server: HttpServer): void {
  server.on('newListener', function guard(event: string) {
    if (!upgradeEvents.has(event)) return
    server.off('newListener', guard)
    // A listener of ours would be counted, and `@fastify/http-proxy` asks whether its own is the only one.
    const emit = server.emit.bind(server) as (event: string | symbol, ...values: unknown[]) => boolean
    server.emit = (name: string | symbol, ...values: unknown[]) => {
      const socket = values[1] as HttpSocket
      if (!upgradeEvents.has(name) || (currentResponse(socket) === undefined && !isNoLongerServed(socket))) return emit(name, ...values)
      socket.destroy()
      return true
    }
  })
}
