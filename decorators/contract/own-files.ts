/** Files of this package that are read when it runs. */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { existsSync, ownUrl } from '../../lib/internal.js'

/**
 * Finds a file or a folder of this package. It is searched for upwards, because the modules run from a bundle that stands elsewhere.
 * @param path `templates/app`
 * @returns `undefined` if alcove is part of a bundle of the application
 */
export function findOwn(path: string): string | undefined {
  for (let directory = dirname(fileURLToPath(ownUrl)); ; directory = dirname(directory)) {
    const found = join(directory, path)
    if (existsSync(found)) return found
    if (dirname(directory) === directory) return undefined
  }
}
