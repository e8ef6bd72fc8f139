/** Checks the options of `listen`. */
import { errorCodes } from '../../errors/codes.js'
import type { ListenOptions } from '../../types/server.js'
import { nearestName } from '../../util/nearest-name.js'
import { isAsyncFunction } from '../../util/promises.js'

/** The options of `listen` that Node's `listen` has too. */
export const listenOptionNames: readonly string[] = [
  'port',
  'host',
  'path',
  'backlog',
  'exclusive',
  'readableAll',
  'writableAll',
  'ipv6Only',
  'reusePort',
  'fd',
]

/** The names of Node's options of `listen`, and of those that alcove reads itself. */
const ownNames = [...listenOptionNames, 'signal', 'listenTextResolver']

/**
 * Throws if an option of `listen` is misspelt. Node ignores options that it does not know: it would open any free port for `{ prot: 3000
 * }`. Only names that resemble an option are refused, because a later Node may have more options.
 * @throws ALC_ERR_LISTEN_OPTIONS_INVALID
 */
export function assertListenOptions(options: ListenOptions): void {
  const { listenTextResolver, host } = options
  for (const name of Object.keys(options)) {
    const meant = name === 'hostname' ? 'host' : nearestName(name, ownNames)
    if (meant !== undefined && meant !== name && !ownNames.includes(name))
      throw new errorCodes.ALC_ERR_LISTEN_OPTIONS_INVALID(`there is no option ${name}. Did you mean ${meant}?`)
  }
  // Node takes an empty host for all addresses of the machine.
  if (host === '') throw new errorCodes.ALC_ERR_LISTEN_OPTIONS_INVALID('host is empty')
  if (listenTextResolver !== undefined && (typeof listenTextResolver !== 'function' || isAsyncFunction(listenTextResolver)))
    throw new errorCodes.ALC_ERR_LISTEN_OPTIONS_INVALID('listenTextResolver must be a function that returns a text, not a promise')
}
