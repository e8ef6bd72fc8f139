/** Finds packages that only some applications need: optional peers. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { errorCodes } from '../../lib/index.js'
import { ownUrl } from '../../lib/internal.js'

/**
 * Returns the path of a module of an optional peer. The module is looked for from this package, then from the program that runs, and then
 * from the working directory, because a linked package does not see the packages of the application.
 * @param user the function or file that needs the peer, for the message
 * @throws ALC_ERR_PEER_MISSING
 */
export function resolvePeer(module: string, user: string): string {
  const program = process.argv[1]
  const places = [
    ownUrl,
    ...(program === undefined ? [] : [pathToFileURL(program).href]),
    pathToFileURL(join(process.cwd(), 'package.json')).href,
  ]
  for (const place of places) {
    try {
      return createRequire(place).resolve(module)
    } catch {
      // The next place may have it.
    }
  }
  throw new errorCodes.ALC_ERR_PEER_MISSING(user, module.split('/')[0]!)
}
