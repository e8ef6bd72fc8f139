/** The exports of alcove/bun: an application served by `Bun.serve`. */
import type { Server } from '../../lib/index.js'
import { fetchFrom, makeResponse } from '../../lib/internal.js'
import type { Class } from '../declare/metadata.js'
import type { BootstrappedServer } from '../declare/tokens.js'
import { serveBy, type ServeOptions } from './serve.js'

export type { ServeOptions } from './serve.js'

/** The members of Bun's API that alcove uses. */
interface BunServer {
  readonly url: URL
  stop(closesConnections?: boolean): Promise<void>
  requestIP(request: Request): { readonly address: string } | null
}
interface BunRuntime {
  serve(options: object): BunServer
}

const { Bun } = globalThis as { readonly Bun?: BunRuntime }

/**
 * Serves an application by `Bun.serve`, without Bun's imitation of `node:http`.
 * ```ts
 * import { serve } from 'alcove/bun'
 *
 * const server = await serve(App, { port: 3000 })
 * ```
 * `server.close()`, SIGINT and SIGTERM close the port as on Node.
 * @param App a plugin class, or an existing server
 * @throws ALC_ERR_LISTEN_OPTIONS_INVALID for invalid options, and outside of Bun; the errors of `bootstrap` and of `Bun.serve`
 */
export function serve(App: Class, options?: ServeOptions): Promise<BootstrappedServer>
export function serve<Made extends Server>(server: Made, options?: ServeOptions): Promise<Made>
export function serve(App: Class | Server, options: ServeOptions = {}): Promise<Server> {
  return serveBy({ entry: 'alcove/bun', name: 'Bun', isThere: Bun !== undefined, open: openPort }, App, options)
}

function openPort(server: Server, options: Readonly<Record<string, unknown>>) {
  const fetch = fetchFrom(server, {
    makeReply: makeResponse,
    isFramed: true,
    addressOf: (request, bun: BunServer) => bun.requestIP(request)?.address,
  })
  const port = Bun!.serve({
    // Its pages of errors show sources. No error reaches them, unless `fetch` fails.
    development: false,
    // Bun would end a reply whose source is quiet for 10 s. `handlerTimeout` is the limit of handlers.
    idleTimeout: 0,
    ...options,
    fetch,
  })
  return { origin: port.url.origin, stop: () => port.stop(), cut: () => port.stop(true) }
}
