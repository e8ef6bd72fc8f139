/** The common code of `serve` in alcove/bun and alcove/deno: the options, the server, the port and the signals. */
import { closeOnSignals, type CloseOnSignalsOptions, errorCodes, type Server, type ServerOptions } from '../../lib/index.js'
import { listenByRuntime, type RuntimePort } from '../../lib/internal.js'
import type { Class } from '../declare/metadata.js'

/** Options of `serve`. */
export interface ServeOptions {
  /** The port. Default 0: any free port. */
  port?: number
  /** The address or host name to listen on. `0.0.0.0` accepts connections from other machines. Default `localhost`. */
  hostname?: string
  /** The options of the server, as for `bootstrap`. Must be absent if `App` is an existing server. */
  server?: ServerOptions
  /**
   * The options of `closeOnSignals`, which closes the server when the process is asked to end; `false`: signals do not close the server.
   * Default `{}`.
   */
  signals?: CloseOnSignalsOptions | false
  /** Options of the runtime's `serve`, such as `tls`. They cannot replace the function that handles requests. */
  native?: Readonly<Record<string, unknown>>
}

const optionNames: readonly string[] = ['port', 'hostname', 'server', 'signals', 'native'] satisfies (keyof ServeOptions)[]

/** The server of a runtime (Bun or Deno), which opens a port and passes requests to `fetch`. */
export interface Runtime {
  /** The entry of alcove for the runtime: `alcove/bun` */
  readonly entry: string
  /** The name of the runtime: `Bun` */
  readonly name: string
  readonly isThere: boolean
  open(server: Server, options: Readonly<Record<string, unknown>>): RuntimePort | Promise<RuntimePort>
}

/**
 * Boots a plugin class, or takes an existing server, and serves it with a runtime.
 * @throws ALC_ERR_LISTEN_OPTIONS_INVALID for invalid options, the errors of `bootstrap`, and the errors of the runtime
 */
export async function serveBy(
  runtime: Runtime,
  App: Class | Server,
  { port = 0, hostname = 'localhost', server: serverOptions, signals = {}, native, ...others }: ServeOptions,
): Promise<Server> {
  const [unknown] = Object.keys(others)
  const fail = (problem: string): never => {
    throw new errorCodes.ALC_ERR_LISTEN_OPTIONS_INVALID(problem)
  }
  if (unknown !== undefined)
    fail(`serve has no option ${unknown}; its options are ${optionNames.join(', ')}. Options of ${runtime.name} go into native`)
  if (!runtime.isThere) fail(`${runtime.entry} runs in ${runtime.name} only. On Node call server.listen()`)
  if (typeof App !== 'function' && serverOptions !== undefined) fail('the options of a server that is made already cannot be changed')
  const server = typeof App === 'function' ? await (await import('./bootstrap.js')).bootstrap(App, serverOptions) : App
  await listenByRuntime(server, () => runtime.open(server, { ...native, port, hostname }))
  if (signals !== false) closeOnSignals(server, signals)
  return server
}
