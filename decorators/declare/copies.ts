/**
 * The plugin classes of all copies of this package in the process. A copy reads only its own decorators, so that a class of another
 * one would look as if it had none.
 */
import { fileURLToPath } from 'node:url'
import { ownUrl } from '../../lib/internal.js'

const kCopies = Symbol.for('alcove.plugins')
const shared = globalThis as { [kCopies]?: WeakMap<object, string> }
const copyOf = (shared[kCopies] ??= new WeakMap<object, string>())
/** The folder of this copy. The CommonJS modules of the package, of which it contains a second copy, are named by their own folder. */
const own = fileURLToPath(new URL(/\/dist\/cjs\/[^/]+$/.test(ownUrl) ? '.' : '../..', ownUrl)).replace(/[\\/](dist[\\/])?$/, '')

/** Notes that a class got its `@Plugin` from this copy. */
export function noteCopy(Class: object): void {
  copyOf.set(Class, own)
}

/** The folder of another copy of this package that a plugin class belongs to; `undefined` for anything else. */
export function otherCopyOf(value: unknown): string | undefined {
  const folder = typeof value === 'function' ? copyOf.get(value) : undefined
  return folder === own ? undefined : folder
}
