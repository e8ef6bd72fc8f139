/** Compares the operations of two OpenAPI documents. */
import { canonicalText } from '../../../lib/internal.js'
import type { SchemaComparison } from '../subsumption/compare.js'
import type { Contract, ContractOperation } from '../document/contract-types.js'
import { withoutNames } from '../openapi/paths.js'
import { type Change, type ComparedRoute, worstOf } from './compare-types.js'
import { compareReplies } from './replies.js'
import { compareRequests } from './requests.js'
import { compareSecurity } from './security.js'

/**
 * Compares the operations of two OpenAPI documents: the new document must accept each request that the old one accepted, and each reply of
 * the new document must fit the old reply schema.
 * @param now the current date: a route whose sunset is before this date may be removed
 */
export function compareOperations(old: Contract, other: Contract, comparison: SchemaComparison, now: Date): ComparedRoute[] {
  const [before, after] = [operationsOf(old), operationsOf(other)]
  const routes: ComparedRoute[] = []
  for (const [key, operation] of before) {
    const counterpart = after.get(key)
    if (counterpart === undefined) routes.push(routeOf(operation, 'removed', [removed(operation, now)]))
    else routes.push(routeOf(counterpart, 'kept', compareOperation(operation, counterpart, { old, new: other }, comparison)))
  }
  for (const [key, operation] of after)
    if (!before.has(key)) routes.push(routeOf(operation, 'added', [{ part: 'route', answer: 'compatible', reason: 'is new' }]))
  return routes
}

function operationsOf({ operations }: Contract): Map<string, ContractOperation> {
  return new Map(operations.map((operation) => [`${operation.method} ${withoutNames(operation.path)}`, operation]))
}

function routeOf({ method, path }: ContractOperation, state: ComparedRoute['state'], changes: readonly Change[]): ComparedRoute {
  return { route: `${method.toUpperCase()} ${path}`, state, answer: worstOf(changes.map(({ answer }) => answer)), changes }
}

function removed({ method, path, deprecated, extensions }: ContractOperation, now: Date): Change {
  return compareRemoval(`${method.toUpperCase()} ${path}`, deprecated === true, extensions['x-sunset'], now)
}

/**
 * Returns the change for a removed route. The removal is compatible if the route was deprecated and its sunset is over.
 * @param route the method and the path
 * @param sunset the sunset date in the old document
 */
export function compareRemoval(route: string, wasDeprecated: boolean, sunset: unknown, now: Date): Change {
  if (!wasDeprecated) return { part: 'route', answer: 'breaking', reason: 'is gone, and was not deprecated', example: route }
  const time = typeof sunset === 'string' ? Date.parse(sunset) : Number.NaN
  if (Number.isNaN(time))
    return { part: 'route', answer: 'breaking', reason: 'is gone, and was deprecated without a date (x-sunset)', example: route }
  if (time > now.getTime())
    return { part: 'route', answer: 'breaking', reason: `is gone before its sunset, ${String(sunset)}`, example: route }
  return { part: 'route', answer: 'compatible', reason: `is gone after its sunset, ${String(sunset)}` }
}

function compareOperation(
  old: ContractOperation,
  now: ContractOperation,
  contracts: Readonly<Record<'old' | 'new', Contract>>,
  comparison: SchemaComparison,
): Change[] {
  const changes = [
    ...compareSecurity(
      { security: old.security, schemes: contracts.old.securitySchemes },
      { security: now.security, schemes: contracts.new.securitySchemes },
    ),
    ...compareRequests(old, now, comparison),
    ...compareReplies(old, now, comparison),
  ]
  if (canonicalText(old.callbacks ?? {}) !== canonicalText(now.callbacks ?? {}))
    changes.push({ part: 'callbacks', answer: 'unknown', reason: 'changed; requests that a server sends are not compared' })
  if (now.deprecated === true && old.deprecated !== true) {
    const sunset = now.extensions['x-sunset']
    const until = typeof sunset === 'string' ? `, until ${sunset}` : ''
    changes.push({ part: 'route', answer: 'compatible', reason: `is deprecated${until}` })
  }
  return changes
}
