/**
 * Records which copy of this package has decorated each plugin class of the process. A copy reads only the metadata of its own decorators,
 * so a class that another copy has decorated would look undecorated.
 */
import { fileURLToPath } from 'node:url'
import { ownUrl } from '../../lib/internal.js'

const kCopies = Symbol.for('alcove.plugins')
const globals = globalThis as { [kCopies]?: WeakMap<object, string> }
const copyOf = (globals[kCopies] ??= new WeakMap<object, string>())
/** The folder of this copy of the package. The package's CommonJS build counts as a second copy, with its folder. */
const own = fileURLToPath(new URL(/\/dist\/cjs\/[^/]+$/.test(ownUrl) ? '.' : '../..', ownUrl)).replace(/[\\/](dist[\\/])?$/, '')

/** Records that a class was decorated by the `@Plugin` of this copy of the package. */
export function noteCopy(Class: object): void {
  copyOf.set(Class, own)
}

/**
 * Returns the folder of the other copy of this package that has decorated a plugin class; `undefined` for a class of this copy and for any
 * other value.
 */
export function otherCopyOf(value: unknown): string | undefined {
  const folder = typeof value === 'function' ? copyOf.get(value) : undefined
  return folder === own ? undefined : folder
}
