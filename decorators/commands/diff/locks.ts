/** What locks say of two states of an application: what clients notice of it, and what only a review can judge. */
import type { Change, ComparedRoute } from '../../contract/compare/compare-types.js'
import { worstOf } from '../../contract/compare/compare-types.js'
import type { LockChange, LockChangeKind } from '../../lock/change.js'
import { compareLocks } from '../../lock/compare-locks.js'
import type { Lock } from '../../lock/lock-types.js'
import { routesOf } from '../../lock/routes.js'
import type { ReviewedChange } from './report.js'

/** The changes that documents describe better: a lock has only digests of schemas. */
const seenByClients: ReadonlySet<LockChangeKind> = new Set([
  'route-added',
  'route-removed',
  'input-changed',
  'reply-changed',
  'security-changed',
])

/** Returns the changes that no request shows: guards and hooks, limits, places, providers and lifetimes. */
export function reviewOf(old: Lock, other: Lock): ReviewedChange[] {
  return compareLocks(old, other)
    .filter(({ kind }) => !seenByClients.has(kind))
    .map(({ kind, place, text }) => ({ kind, place, text }))
}

/**
 * Returns the routes of two locks. A route that is gone breaks clients. Of schemas and of what a route requires of clients, locks say only
 * that they changed, so it is not known whether that breaks clients.
 */
export function compareLockedRoutes(old: Lock, other: Lock): ComparedRoute[] {
  const noticed = compareLocks(old, other).filter(({ kind }) => seenByClients.has(kind))
  const [before, after] = [routesOf(old), routesOf(other)]
  return [...new Set([...before.keys(), ...after.keys()])].map((route) => {
    const state = !after.has(route) ? 'removed' : before.has(route) ? 'kept' : 'added'
    const changes = noticed.filter(({ of }) => isAbout(of, route)).map(asChange)
    return { route, state, answer: worstOf(changes.map(({ answer }) => answer)), changes }
  })
}

/** Whether the subject of a change, which may have several methods, is a route of one method: `GET, PUT /users` is about `GET /users`. */
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
  if (kind === 'route-removed') return { part: 'route', answer: 'breaking', reason: what }
  if (kind === 'route-added') return { part: 'route', answer: 'compatible', reason: what }
  const part = kind === 'security-changed' ? 'security' : kind === 'input-changed' ? 'request' : 'replies'
  return { part, answer: 'unknown', reason: `${what}. Compare the documents or the modules of both states to know more` }
}
