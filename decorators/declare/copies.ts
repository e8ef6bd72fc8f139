/**
 * Records which copies of this package have decorated the classes of the process. A copy reads only the metadata of its own decorators, so a
 * class that another copy has decorated would look undecorated.
 */
import { fileURLToPath } from 'node:url'
import { ownUrl } from '../../lib/internal.js'

const kPlugins = Symbol.for('alcove.plugins')
const kDecorated = Symbol.for('alcove.decorated')
const globals = globalThis as { [kPlugins]?: WeakMap<object, string>; [kDecorated]?: WeakMap<object, Set<string>> }
const copyOf = (globals[kPlugins] ??= new WeakMap<object, string>())
/** The copies whose decorators a class has, by the class, or by its metadata object if the decorators are standard ones. */
const copiesOf = (globals[kDecorated] ??= new WeakMap<object, Set<string>>())
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

/** Records that a class has a decorator of this copy of the package. @param decorated the class, or its metadata of standard decorators */
export function noteDecorated(decorated: object): void {
  const copies = copiesOf.get(decorated)
  if (copies === undefined) copiesOf.set(decorated, new Set([own]))
  else copies.add(own)
}

/**
 * Returns the folder of another copy of this package of which a class has decorators; `undefined` if there is none.
 * @param decorated the class, or its metadata of standard decorators
 */
export function otherCopyOn(decorated: object): string | undefined {
  for (const folder of copiesOf.get(decorated) ?? []) if (folder !== own) return folder
  return undefined
}
