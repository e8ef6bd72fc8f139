/** The type of a change between two locks, and the pairing of the entries of two lists. */

export type LockChangeKind =
  | 'plugin-added'
  | 'plugin-removed'
  | 'prefix-changed'
  | 'sharing-changed'
  | 'provider-added'
  | 'provider-removed'
  | 'provider-lifetime-changed'
  | 'provider-visibility-changed'
  | 'need-added'
  | 'need-removed'
  | 'need-changed'
  | 'boot-code-added'
  | 'boot-code-removed'
  | 'not-found-handler-changed'
  | 'job-added'
  | 'job-removed'
  | 'job-changed'
  | 'route-added'
  | 'route-removed'
  | 'route-moved'
  | 'handler-changed'
  | 'handler-lifetime-changed'
  | 'deprecation-changed'
  | 'hook-gained'
  | 'hook-lost'
  | 'hook-moved'
  | 'hooks-reordered'
  | 'security-changed'
  | 'input-changed'
  | 'reply-changed'
  | 'limit-changed'

/** One difference between two locks. */
export interface LockChange {
  readonly kind: LockChangeKind
  /** The path of the changed plugin, or of the class and method that handle the changed route: `App > Users > UsersController.find`. */
  readonly place: string
  /** The subject of the change: `GET /users` or `App > Users`. */
  readonly of: string
  /** The change, without its subject: `lost the guard RequireUser (onRequest) of App`. */
  readonly what: string
  /** The change as a sentence: `GET /users lost the guard RequireUser (onRequest) of App`. */
  readonly text: string
}

export function change(kind: LockChangeKind, place: string, of: string, what: string): LockChange {
  return { kind, place, of, what, text: `${of} ${what}` }
}

/** The pairs of two lists, and the entries without a counterpart in the old list (`lost`) and in the new list (`gained`). */
export interface Pairs<T> {
  readonly kept: readonly (readonly [before: T, after: T])[]
  readonly lost: readonly T[]
  readonly gained: readonly T[]
}

/**
 * Pairs the entries of two lists that have the same key, equal entries first. Each entry is in at most one pair. The pairs are in the order
 * of the new list.
 */
export function pairUp<T>(
  old: readonly T[],
  now: readonly T[],
  keyOf: (entry: T) => string,
  isEqual: (one: T, other: T) => boolean = () => true,
): Pairs<T> {
  const left = new Map<string, number[]>()
  for (const [index, entry] of old.entries()) left.set(keyOf(entry), [...(left.get(keyOf(entry)) ?? []), index])
  const counterparts: (number | undefined)[] = []
  for (const isPair of [isEqual, () => true]) {
    for (const [index, after] of now.entries()) {
      const candidates = counterparts[index] === undefined ? (left.get(keyOf(after)) ?? []) : []
      const at = candidates.findIndex((position) => isPair(old[position]!, after))
      if (at !== -1) counterparts[index] = candidates.splice(at, 1)[0]!
    }
  }
  const lost = new Set([...left.values()].flat())
  return {
    kept: now.flatMap((after, index) => (counterparts[index] === undefined ? [] : [[old[counterparts[index]]!, after] as const])),
    lost: old.filter((_, index) => lost.has(index)),
    gained: now.filter((_, index) => counterparts[index] === undefined),
  }
}
