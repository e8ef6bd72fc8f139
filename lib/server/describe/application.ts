/** Describes a whole application, and finds what its parts declare against each other. */
import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../context/context.js'
import type { DeclaredRoute } from '../../context/declared-route.js'
import type { ApplicationDescription, SecurityScheme } from '../../types/description.js'
import type { Server } from '../../types/server.js'
import { kContext } from '../../util/symbols.js'
import type { Instance } from '../instance.js'
import { type Contradiction, describeResponses } from './responses.js'
import { describeFacts } from './route.js'
import { readFacts, type RouteFacts } from './route-facts.js'
import { toJsonSchema } from './input.js'

/** Describes the context of an instance and those below it. */
export function describeApplication(server: Server, mayAddRoutes: readonly string[]): ApplicationDescription {
  const root = (server as Instance)[kContext]
  const facts = allFacts(root)
  return {
    name: root.names[0]!,
    routes: facts.map(describeFacts),
    schemas: Object.fromEntries(allContexts(root).map((context) => [context.path, sharedSchemas(context)])),
    securitySchemes: Object.fromEntries(
      [...collectSchemes(facts)].map(([name, [first, ...others]]) => [
        name,
        { scheme: first!.scheme, from: [first!, ...others].map(({ from }) => from) },
      ]),
    ),
    mayAddRoutes,
  }
}

/** What is declared against each other: replies of a guard against those of a route, two security schemes of one name. */
export interface Contradictions {
  readonly responses: readonly (Contradiction & { readonly place: string })[]
  readonly schemes: readonly { readonly name: string; readonly first: string; readonly second: string }[]
}

export function findContradictions(server: Server): Contradictions {
  // A HEAD route that a GET route got would only repeat the faults of that one.
  const facts = allFacts((server as Instance)[kContext], ({ isImplicitHead }) => !isImplicitHead)
  return {
    responses: facts
      .filter(hasContracts)
      .flatMap((each) => describeResponses(each).contradictions.map((entry) => ({ ...entry, place: each.path }))),
    schemes: [...collectSchemes(facts)].flatMap(([name, [first, ...others]]) => {
      const other = others.find(({ scheme }) => !isDeepStrictEqual(scheme, first!.scheme))
      return other === undefined ? [] : [{ name, first: first!.from, second: other.from }]
    }),
  }
}

function allContexts(context: Context): Context[] {
  return [context, ...context.children.flatMap(allContexts)]
}

function allFacts(root: Context, isWanted: (route: DeclaredRoute) => boolean = () => true): RouteFacts[] {
  return allContexts(root).flatMap((context) => context.routes.filter(isWanted).map((route) => readFacts(context, route)))
}

function hasContracts({ contracts, errorHandlers }: RouteFacts): boolean {
  return contracts.length > 0 || errorHandlers.some(({ contract }) => contract !== undefined)
}

function sharedSchemas({ schemas }: Context): ApplicationDescription['schemas'][string] {
  return Object.fromEntries(Object.entries<unknown>(schemas.getSchemas()).map(([id, schema]) => [id, toJsonSchema(schema)]))
}

interface FoundScheme {
  readonly scheme: SecurityScheme
  readonly from: string
}

/** The security schemes of all routes by name, with each place that declares one. */
function collectSchemes(facts: readonly RouteFacts[]): ReadonlyMap<string, FoundScheme[]> {
  const found = new Map<string, FoundScheme[]>()
  for (const { from, contract } of facts.flatMap(({ contracts }) => contracts)) {
    for (const [name, { scopes: _scopes, ...scheme }] of Object.entries(contract.security ?? {})) {
      const others = found.get(name) ?? []
      found.set(name, others)
      if (!others.some((other) => other.from === from && isDeepStrictEqual(other.scheme, scheme))) others.push({ scheme, from })
    }
  }
  return found
}
