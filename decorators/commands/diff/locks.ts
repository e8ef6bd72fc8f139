/** Compares two locks for `alcove diff`: changes that affect clients, and changes that only a reviewer can assess. */
import type { Change, ComparedRoute } from '../../contract/compare/compare-types.js'
import { worstOf } from '../../contract/compare/compare-types.js'
import { compareRemoval } from '../../contract/compare/operations.js'
import { compareSecurity } from '../../contract/compare/security.js'
import { withoutNames } from '../../contract/openapi/paths.js'
import type { LockChange, LockChangeKind } from '../../lock/change.js'
import { compareLocks } from '../../lock/compare-locks.js'
import type { Lock } from '../../lock/lock-types.js'
import { type PlacedRoute, routesOf } from '../../lock/routes.js'
import type { ReviewedChange } from './report.js'

/**
 * The kinds of lock changes that affect clients. OpenAPI documents describe these changes better, because a lock contains only digests of
 * schemas.
 */
const seenByClients: ReadonlySet<LockChangeKind> = new Set([
  'route-added',
  'route-removed',
  'deprecation-changed',
  'input-changed',
  'reply-changed',
  'security-changed',
])

/** The kinds of `seenByClients` that this module compares in locks. */
const comparedHere: ReadonlySet<LockChangeKind> = new Set(['route-removed', 'security-changed'])

/** Returns the changes that do not appear in the interface: in guards and hooks, limits, places, providers and lifetimes. */
export function reviewOf(old: Lock, other: Lock): ReviewedChange[] {
  return compareLocks(old, other)
    .filter(({ kind }) => !seenByClients.has(kind))
    .map(({ kind, place, text }) => ({ kind, place, text }))
}

/**
 * Compares the routes of two locks. A removed route is breaking, unless its sunset is over. A changed schema is unknown, because a lock
 * contains only its digest.
 */
export function compareLockedRoutes(old: Lock, other: Lock, now: Date): ComparedRoute[] {
  const noticed = compareLocks(old, other).filter(({ kind }) => seenByClients.has(kind))
  const [before, after] = [routesOf(old), routesOf(other)]
  return [...new Set([...before.keys(), ...after.keys()])].map((route) => {
    const state = !after.has(route) ? 'removed' : before.has(route) ? 'kept' : 'added'
    const changes = [
      ...(state === 'removed' ? [removalOf(route, before.get(route)!, now)] : []),
      ...securityOf(before.get(route), after.get(route)),
      ...noticed.filter(({ kind, of }) => !comparedHere.has(kind) && isAbout(of, route)).map(asChange),
    ]
    return { route, state, answer: worstOf(changes.map(({ answer }) => answer)), changes }
  })
}

function removalOf(title: string, { route: { deprecated } }: PlacedRoute, now: Date): Change {
  return compareRemoval(title, deprecated !== undefined, typeof deprecated === 'object' ? deprecated.sunset : undefined, now)
}

/**
 * Compares the security requirements of a route in two locks. A lock contains the names of the schemes, but not the credentials that they
 * demand.
 */
function securityOf(old: PlacedRoute | undefined, other: PlacedRoute | undefined): Change[] {
  if (old === undefined || other === undefined) return []
  return compareSecurity({ security: old.route.security, schemes: {} }, { security: other.route.security, schemes: {} })
}

/** Returns the title of a route in a form in which the titles of locks and documents can be compared. */
function keyOf(title: string): string {
  return withoutNames(title).replaceAll(/:[^/.-]+/g, '{}')
}

/**
 * Adds a breaking change to the routes whose body limit is lower, because larger bodies are no longer accepted.
 * @param compared the compared routes of two locks or of two documents
 */
export function withBodyLimits(compared: readonly ComparedRoute[], old: Lock, other: Lock): ComparedRoute[] {
  const [before, after] = [routesOf(old), routesOf(other)]
  const lowered = new Map<string, Change>()
  for (const [title, { route }] of after) {
    const [was, is] = [before.get(title)?.route.limits['bodyLimit'], route.limits['bodyLimit']]
    if (was === undefined || is === undefined || is >= was) continue
    const reason = `the server takes at most ${is} bytes, and up to ${was} may come`
    lowered.set(keyOf(title), { part: 'body', answer: 'breaking', reason, example: `a body of ${is + 1} bytes` })
  }
  return compared.map((route) => {
    const change = lowered.get(keyOf(route.route))
    return change === undefined ? route : { ...route, answer: worstOf([route.answer, change.answer]), changes: [...route.changes, change] }
  })
}

/**
 * Whether the subject of a change, which may name several methods, includes a route of one method: `GET, PUT /users` includes `GET /users`.
 */
function isAbout(subject: string, route: string): boolean {
  const [methods, url] = splitTitle(subject)
  const [method, other] = splitTitle(route)
  return url === other && methods.split(', ').includes(method)
}

function splitTitle(title: string): [methods: string, url: string] {
  const at = title.indexOf(' /')
  return at === -1 ? [title, ''] : [title.slice(0, at), title.slice(at)]
}

function asChange({ kind, what }: LockChange): Change {
  if (kind === 'route-added' || kind === 'deprecation-changed') return { part: 'route', answer: 'compatible', reason: what }
  const part = kind === 'input-changed' ? 'request' : 'replies'
  return { part, answer: 'unknown', reason: `${what}. Compare the documents or the modules of both states to know more` }
}
