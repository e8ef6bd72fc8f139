/** How connections end with the process. */
import { Server as NetServer } from 'node:net'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Server } from 'alcove'

/**
 * Closes the port, and answers on the connections that are open, for at most so many ms: a proxy that keeps them for less has closed
 * them by then. A connection that the process closed while it is idle might have a POST on its way, which nobody could safely repeat.
 */
export async function drain({ server }: Server, delay: number): Promise<void> {
  // What the kernel has accepted for the process would be reset with the port: Node may take one connection a turn.
  let accepted = 0
  server.on('connection', () => (accepted += 1))
  let seen: number
  do {
    seen = accepted
    await turn()
  } while (seen !== accepted)
  // Of a net.Server, since that of an http.Server closes idle connections too.
  NetServer.prototype.close.call(server)
  // Not before: who is told that its connection closes opens another one.
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'))
  const count = promisify(server.getConnections.bind(server))
  const end = Date.now() + delay
  while (Date.now() < end && (await count()) > 0) await wait(50)
}
