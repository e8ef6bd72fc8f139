/**
 * The plugin classes of all copies of this package in the process. A copy reads only its own decorators, so a class of another copy would
 * look as if it had no decorators.
 */
import { fileURLToPath } from 'node:url'
import { ownUrl } from '../../lib/internal.js'

const kCopies = Symbol.for('alcove.plugins')
const globals = globalThis as { [kCopies]?: WeakMap<object, string> }
const copyOf = (globals[kCopies] ??= new WeakMap<object, string>())
/** The folder of this copy of the package. The CommonJS modules in the package are a second copy, and are named by their own folder. */
const own = fileURLToPath(new URL(/\/dist\/cjs\/[^/]+$/.test(ownUrl) ? '.' : '../..', ownUrl)).replace(/[\\/](dist[\\/])?$/, '')

/** Records that a class got its `@Plugin` from this copy of the package. */
export function noteCopy(Class: object): void {
  copyOf.set(Class, own)
}

/**
 * Returns the folder of the other copy of this package that a plugin class belongs to; `undefined` for a class of this copy and for any
 * other value.
 */
export function otherCopyOf(value: unknown): string | undefined {
  const folder = typeof value === 'function' ? copyOf.get(value) : undefined
  return folder === own ? undefined : folder
}
