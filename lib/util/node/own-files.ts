/** Finds files of this package that are read when it runs. */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownUrl } from '../own-url.js'
import { existsSync } from './modules.js'

/** The path of a file by which the folder of this package is recognized. */
const OWN = 'decorators/client/runtime.ts'

/**
 * Finds a file or a folder of this package. The package is searched for upwards, because modules run from a bundle in another folder.
 * @param path the path in the package: `templates/app`
 * @returns the absolute path; `undefined` if alcove is part of a bundle of the application
 */
export function findOwn(path: string): string | undefined {
  for (let directory = dirname(fileURLToPath(ownUrl)); ; directory = dirname(directory)) {
    if (existsSync(join(directory, OWN))) return join(directory, path)
    if (dirname(directory) === directory) return undefined
  }
}
