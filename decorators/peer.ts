/** Finds optional peer dependencies: packages that only some applications need. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { errorCodes } from '../lib/index.js'
import { ownUrl, readFileSync } from '../lib/internal.js'

/**
 * Returns the path of a module in an optional peer dependency. The module is resolved from this package, then from the running program, and
 * then from the working directory, because a linked package does not see the application's packages.
 * @param user the function or file that needs the package, for the error message
 * @throws ALC_ERR_PEER_MISSING if the package is not installed
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
      return resolveFrom(place, module)
    } catch {
      // The next place may have it.
    }
  }
  throw new errorCodes.ALC_ERR_PEER_MISSING(user, module.split('/')[0]!)
}

function resolveFrom(place: string, module: string): string {
  const { resolve } = createRequire(place)
  try {
    return resolve(module)
  } catch (error) {
    // It may export its module to `import` alone, which has no function that resolves from another place. Bun says that it is not found.
    for (const folder of resolve.paths(module) ?? []) {
      const path = readManifest(join(folder, module, 'package.json'))?.exports?.['.']?.import?.default
      if (path !== undefined) return join(folder, module, path)
    }
    throw error
  }
}

interface Manifest {
  readonly exports?: { readonly '.'?: { readonly import?: { readonly default?: string } } }
}

function readManifest(file: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Manifest
  } catch {
    return undefined
  }
}
