/** Compares the security requirements of an operation in two documents: do the credentials of an old client still suffice? */
import { canonicalText } from '../../../lib/internal.js'
import type { SecurityRequirement, SecurityScheme } from '../../../lib/index.js'
import type { Change } from './compare-types.js'

/** The security of an operation, with the schemes of its document. */
export interface Security {
  readonly security: readonly SecurityRequirement[]
  readonly schemes: Readonly<Record<string, SecurityScheme>>
}

/**
 * Compares the security requirements of an operation. A request that fulfils one of the old requirements must fulfil one of the new ones.
 * Schemes are compared by the credentials that they demand, not by their names.
 */
export function compareSecurity(old: Security, now: Security): Change[] {
  const part = 'security'
  const [before, after] = [alternativesOf(old), alternativesOf(now)]
  const refused = before.find((each) => !after.some((other) => isWithin(other, each)))
  if (refused !== undefined) {
    const example = refused.size === 0 ? 'a request without credentials' : `a request with ${textOf([refused])} only`
    return [{ part, answer: 'breaking', reason: `demands ${textOf(after)} instead of ${textOf(before)}`, example }]
  }
  const isLooser = after.some((each) => !before.some((other) => isWithin(other, each)))
  return isLooser
    ? [{ part, answer: 'compatible', reason: `demands ${textOf(after)} instead of ${textOf(before)}, so that more requests are let in` }]
    : []
}

/** The credentials that one security requirement demands together: the scopes by scheme. */
type Alternative = ReadonlyMap<string, { readonly name: string; readonly scopes: readonly string[] }>

function alternativesOf({ security, schemes }: Security): Alternative[] {
  const all = security.map(
    (requirement): Alternative =>
      new Map(Object.entries(requirement).map(([name, scopes]) => [identityOf(schemes[name], name), { name, scopes }])),
  )
  return all.length === 0 ? [new Map()] : all
}

/** Returns a text that is equal for two schemes that a client fulfils with the same credentials. */
function identityOf(scheme: SecurityScheme | undefined, name: string): string {
  if (scheme === undefined) return name
  const { type, scheme: kind, name: parameter, in: place, openIdConnectUrl } = scheme
  // The flows of OAuth 2 say how a client gets its token; a request with a token that it has got is the same.
  return canonicalText({ type, kind: kind?.toLowerCase(), parameter, place, openIdConnectUrl, own: type === 'oauth2' ? name : undefined })
}

/** Whether `other` demands everything that `one` demands. */
function isWithin(one: Alternative, other: Alternative): boolean {
  return [...one].every(([scheme, { scopes }]) => {
    const found = other.get(scheme)
    return found !== undefined && scopes.every((scope) => found.scopes.includes(scope))
  })
}

function textOf(alternatives: readonly Alternative[]): string {
  const texts = alternatives.map((alternative) =>
    [...alternative.values()].map(({ name, scopes }) => [name, ...scopes].join(' ')).join(' and '),
  )
  return texts.map((text) => text || 'nothing').join(' or ')
}
