/** Compares two locks of an application and describes the changes in words. */
import type { LockChange } from './change.js'
import { comparePlugins } from './compare-plugins.js'
import { compareRoutes } from './compare-routes.js'
import type { Lock } from './lock-types.js'

/**
 * Returns the changes from one lock to another: first the changes of routes, in the order of the locks, then of plugins. Returns an empty
 * list if the locks are equal.
 */
export function compareLocks(old: Lock, now: Lock): LockChange[] {
  return [...compareRoutes(old, now), ...comparePlugins(old, now)]
}
