/** What `serve` of alcove/bun and alcove/deno have in common: the options, the server, the port and the signals. */
import { closeOnSignals, type CloseOnSignalsOptions, errorCodes, type Server, type ServerOptions } from '../../lib/index.js'
import { listenByRuntime, type RuntimePort } from '../../lib/internal.js'
import type { Class } from '../declare/metadata.js'

/** Options of `serve`. */
export interface ServeOptions {
  /** The port. Default 0: any free port. */
  port?: number
  /** The address or name to listen on. `0.0.0.0` accepts connections from other machines. Default `localhost`. */
  hostname?: string
  /** Options of the server, as for `bootstrap`. Not for a server that is made already. */
  server?: ServerOptions
  /** Options of `closeOnSignals`, which closes the server when the process is asked to end; `false`: nothing does. Default `{}`. */
  signals?: CloseOnSignalsOptions | false
  /** Options of the runtime's own `serve`, such as `tls`. They cannot replace the function that serves requests. */
  native?: Readonly<Record<string, unknown>>
}

const optionNames: readonly string[] = ['port', 'hostname', 'server', 'signals', 'native'] satisfies (keyof ServeOptions)[]

/** The server of a runtime: opens a port whose requests go to `fetch`. */
export interface Runtime {
  /** `alcove/bun` */
  readonly entry: string
  /** `Bun` */
  readonly name: string
  readonly isThere: boolean
  open(server: Server, options: Readonly<Record<string, unknown>>): RuntimePort | Promise<RuntimePort>
}

/**
 * Makes a server from a plugin class, or takes one that is made, and serves it by the runtime.
 * @throws ALC_ERR_LISTEN_OPTIONS_INVALID, the errors of `bootstrap`, and those of the runtime
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
