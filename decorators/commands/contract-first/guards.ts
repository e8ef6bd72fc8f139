/**
 * Plans the guards that the security requirements of operations need. Each guard becomes a class that accepts a request if the request
 * satisfies one of the guard's security schemes.
 */
import type { SecurityRequirement, SecurityScheme } from '../../../lib/index.js'
import type { ContractOperation } from '../../contract/document/contract-types.js'
import { Names, pascal } from './identifiers.js'

export interface Guard {
  readonly name: string
  /** The security schemes of the guard by name, with the scopes that a request needs. */
  readonly security: Readonly<Record<string, SecurityScheme & { readonly scopes?: readonly string[] }>>
}

/** The keys that a security scheme may have, in addition to keys that begin with `x-`. */
const schemeKeys = new Set(['type', 'description', 'scheme', 'bearerFormat', 'name', 'in', 'flows', 'openIdConnectUrl'])
/** The most guards of an operation. If the security requirements need more guards, only the first requirement is demanded. */
const MAX_GUARDS = 8

export class Guards {
  readonly all: Guard[] = []
  readonly #byKey = new Map<string, Guard>()
  readonly #names = new Names(['HttpError', 'SecuritySchemes'])
  readonly #schemes: Readonly<Record<string, SecurityScheme>>
  readonly #note: (pointer: string, reason: string) => void

  constructor(schemes: Readonly<Record<string, SecurityScheme>>, note: (pointer: string, reason: string) => void) {
    this.#schemes = schemes
    this.#note = note
  }

  /** Returns the guards of an operation, all of which must accept a request. */
  guardsOf({ security, pointer }: ContractOperation): readonly Guard[] {
    const at = `${pointer}/security`
    if (security.some((requirement) => Object.keys(requirement).length === 0)) {
      if (security.length > 1) this.#note(at, 'A guard that lets everyone in is left to write: the operation is open.')
      return []
    }
    const alternatives = security.filter((requirement) => {
      const unknown = Object.keys(requirement).filter((name) => this.#schemes[name] === undefined)
      if (unknown.length > 0) this.#note(at, `No security scheme is called '${unknown.join("', '")}'.`)
      return unknown.length === 0
    })
    if (alternatives.length === 0) return []
    const groups = combineSchemes(alternatives)
    if (groups.length <= MAX_GUARDS) return groups.map((group) => this.#guard(group))
    this.#note(at, 'The alternatives are too many to be guards, so only the first one is demanded.')
    return Object.entries(alternatives[0]!).map((scheme) => this.#guard([scheme]))
  }

  #guard(group: readonly (readonly [string, readonly string[]])[]): Guard {
    const schemes = new Map<string, readonly string[]>()
    for (const [name, scopes] of group) schemes.set(name, [...new Set([...(schemes.get(name) ?? []), ...scopes])])
    const key = JSON.stringify([...schemes])
    let guard = this.#byKey.get(key)
    if (guard === undefined) {
      const words = [...schemes].flatMap(([name, scopes]) => [name, ...scopes])
      const security = Object.fromEntries([...schemes].map(([name, scopes]) => [name, this.#scheme(name, scopes)]))
      guard = { name: this.#names.take(`Require${pascal(words.join(' '), 'Scheme')}`), security }
      this.#byKey.set(key, guard)
      this.all.push(guard)
    }
    return guard
  }

  #scheme(name: string, scopes: readonly string[]): Guard['security'][string] {
    const entries = Object.entries(this.#schemes[name]!).filter(([key]) => {
      const isKnown = schemeKeys.has(key) || key.startsWith('x-')
      if (!isKnown) this.#note(`/components/securitySchemes/${name}/${key}`, 'A security scheme of OpenAPI has no such key.')
      return isKnown
    })
    const { type } = this.#schemes[name]!
    return { type, ...Object.fromEntries(entries), ...(scopes.length > 0 && { scopes }) }
  }
}

/**
 * Converts alternatives of security schemes to groups. A request must satisfy one scheme of each group: `(a and b) or c` becomes
 * `(a or c) and (b or c)`.
 */
function combineSchemes(alternatives: readonly SecurityRequirement[]): (readonly [string, readonly string[]])[][] {
  const [first, ...others] = alternatives.map((requirement) => Object.entries(requirement))
  return others.reduce<[string, readonly string[]][][]>(
    (groups, more) => (groups.length > MAX_GUARDS ? groups : groups.flatMap((group) => more.map((scheme) => [...group, scheme]))),
    first!.map((scheme) => [scheme]),
  )
}
