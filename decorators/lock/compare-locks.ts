/** Compares two locks of an application: what changed between them, in words. */
import type { LockChange } from './change.js'
import { comparePlugins } from './compare-plugins.js'
import { compareRoutes } from './compare-routes.js'
import type { Lock } from './lock-types.js'

/** Returns the changes from one lock to another: first of routes, in the order of the locks, then of plugins. Empty if they are equal. */
export function compareLocks(old: Lock, now: Lock): LockChange[] {
  return [...compareRoutes(old, now), ...comparePlugins(old, now)]
}
