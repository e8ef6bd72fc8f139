/** The exports of alcove/deno: an application served by `Deno.serve`. */
import type { Server } from '../../lib/index.js'
import { fetchFrom, makeResponse } from '../../lib/internal.js'
import type { Class } from '../declare/metadata.js'
import type { BootstrappedServer } from '../declare/tokens.js'
import { serveBy, type ServeOptions } from './serve.js'

export type { ServeOptions } from './serve.js'

/** The members of Deno's API that alcove uses. */
interface DenoServer {
  readonly addr: { readonly port: number; readonly hostname: string }
  readonly finished: Promise<void>
  shutdown(): Promise<void>
}
interface DenoInfo {
  readonly remoteAddr: { readonly hostname?: string }
}
interface DenoRuntime {
  serve(options: object, handler: (request: Request, info: DenoInfo) => Promise<Response>): DenoServer
}

const { Deno } = globalThis as { readonly Deno?: DenoRuntime }

/**
 * Serves an application by `Deno.serve`, without Deno's imitation of `node:http`.
 * ```ts
 * import { serve } from 'alcove/deno'
 *
 * const server = await serve(App, { port: 3000 })
 * ```
 * `server.close()`, SIGINT and SIGTERM close the port as on Node.
 * @param App a plugin class, or an existing server
 * @throws ALC_ERR_LISTEN_OPTIONS_INVALID for invalid options, and outside of Deno; the errors of `bootstrap` and of `Deno.serve`
 */
export function serve(App: Class, options?: ServeOptions): Promise<BootstrappedServer>
export function serve<Made extends Server>(server: Made, options?: ServeOptions): Promise<Made>
export function serve(App: Class | Server, options: ServeOptions = {}): Promise<Server> {
  return serveBy({ entry: 'alcove/deno', name: 'Deno', isThere: Deno !== undefined, open: openPort }, App, options)
}

function openPort(server: Server, options: Readonly<Record<string, unknown>>) {
  const fetch = fetchFrom(server, {
    makeReply: makeResponse,
    isFramed: true,
    addressOf: (_request, { remoteAddr }: DenoInfo) => remoteAddr.hostname,
  })
  const port = Deno!.serve({ ...options, onListen() {} }, fetch)
  // Once `shutdown` was called, Deno has no means to end connections. Those without a request are ended by `shutdown`.
  const scheme = 'cert' in options ? 'https' : 'http'
  const host = String(options['hostname'])
  const origin = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port.addr.port}`
  return { origin, stop: () => port.shutdown(), cut() {} }
}
