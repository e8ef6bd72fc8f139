/** The options of `bootstrap`. */
import { errorCodes, type ServerOptions } from '../../lib/index.js'

/** The options of `bootstrap`: the options of the server, and whether jobs run. */
export interface BootstrapOptions extends ServerOptions {
  /** Whether the jobs of the application run while the server listens. Default true. `false`: jobs run only after `server.startJobs()`. */
  readonly jobs?: boolean
}

/** Separates the options of the server from the option `jobs`. @throws ALC_ERR_INIT_OPTS_INVALID for invalid options */
export function readSettings(settings: BootstrapOptions): { options: ServerOptions; runsJobs: boolean } {
  // The server refuses options that are not an object; spread, they would have no effect.
  if (settings === null || typeof settings !== 'object') return { options: settings, runsJobs: true }
  const { jobs = true, ...options } = settings
  if (typeof jobs !== 'boolean') throw new errorCodes.ALC_ERR_INIT_OPTS_INVALID('jobs must be true or false')
  return { options, runsJobs: jobs }
}
