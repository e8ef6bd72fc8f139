/** Describes a whole application as plain data, and finds declarations that contradict each other. */
import type { Context } from '../../context/context.js'
import type { DeclaredRoute } from '../../context/declared-route.js'
import { ReferenceTargets } from '../../schema/json-schema/reference-targets.js'
import { findReferences, splitReference } from '../../schema/json-schema/references.js'
import type { ApplicationDescription, RouteDescription, SecurityScheme } from '../../types/description.js'
import type { Server } from '../../types/server.js'
import { isDeepStrictEqual } from '../../util/node/modules.js'
import { isPlainObject } from '../../util/objects.js'
import { kContext } from '../../util/symbols.js'
import type { Instance } from '../instance.js'
import { type Contradiction, describeResponses, readDeclaredReplies } from './responses.js'
import { describeFacts, describeRoute } from './route.js'
import { allDeclaredReplies, type CoveringReplies, readRouteFacts, type RouteFacts } from './route-facts.js'
import { describedSchema } from './input.js'
import { describeSecurity } from './security.js'

/** The contexts of an application, each before its descendants, and the facts from which the descriptions of the routes are made. */
export interface ApplicationFacts {
  readonly contexts: readonly Context[]
  readonly routes: readonly RouteFacts[]
}

/** Reads the context of an instance and its descendants, with the facts of their routes. */
export function readApplicationFacts(server: Server): ApplicationFacts {
  const contexts = allContexts((server as Instance)[kContext])
  return { contexts, routes: contexts.flatMap((context) => context.routes.map((route) => readRouteFacts(context, route))) }
}

/** Describes one route as plain data, together with the shared schemas that are visible to it. */
export function describeOne(
  context: Context,
  route: DeclaredRoute,
): { readonly route: RouteDescription; readonly schemas: ApplicationDescription['schemas'] } {
  return { route: describeRoute(context, route), schemas: { [context.path]: sharedSchemas(context) } }
}

export function describeApplication({ contexts, routes }: ApplicationFacts, mayAddRoutes: readonly string[]): ApplicationDescription {
  return {
    name: contexts[0]!.names[0]!,
    routes: routes.map(describeFacts),
    schemas: Object.fromEntries(contexts.map((context) => [context.path, sharedSchemas(context)])),
    securitySchemes: Object.fromEntries(
      [...collectSchemes(routes)].map(([name, [first, ...others]]) => [
        name,
        { scheme: first!.scheme, from: [first!, ...others].map(({ from }) => from) },
      ]),
    ),
    mayAddRoutes,
  }
}

/**
 * Declarations that contradict each other, such as replies of a guard and of a route, or two different security schemes with the same name.
 */
export interface Contradictions {
  readonly responses: readonly (Contradiction & { readonly place: string })[]
  readonly schemes: readonly { readonly name: string; readonly first: string; readonly second: string }[]
  /**
   * Security schemes that the schema of a route (`place`) requires although nothing declares them, with the names of the declared schemes.
   */
  readonly unknownSchemes: readonly { readonly place: string; readonly name: string; readonly declared: readonly string[] }[]
  /**
   * References in declared responses to shared schemas that are not visible to the route (`place`), with the contexts that have the schema.
   */
  readonly hidden: readonly { readonly from: string; readonly place: string; readonly id: string; readonly contexts: readonly string[] }[]
  /** References in declared responses that lead nowhere, and to no shared schema of another context. */
  readonly dangling: readonly { readonly from: string; readonly reference: string }[]
}

export function findContradictions({ contexts, routes }: ApplicationFacts): Contradictions {
  // A HEAD route that was made for a GET route would only repeat the faults of the GET route.
  const facts = routes.filter(({ declared }) => !declared.isImplicitHead)
  const covered = facts.filter((each) => allDeclaredReplies(each).length > 0)
  const found = collectSchemes(facts)
  return {
    unknownSchemes: facts.flatMap((each) =>
      [...new Set(describeSecurity(each).flatMap((requirement) => Object.keys(requirement)))]
        .filter((name) => !found.has(name))
        .map((name) => ({ place: each.path, name, declared: [...found.keys()] })),
    ),
    hidden: covered.flatMap((each) => findHidden(each, contexts)),
    dangling: findDangling(covered, contexts),
    responses: covered.flatMap((each) => describeResponses(each).contradictions.map((entry) => ({ ...entry, place: each.path }))),
    schemes: [...found].flatMap(([name, [first, ...others]]) => {
      const other = others.find(({ scheme }) => !isDeepStrictEqual(scheme, first!.scheme))
      return other === undefined ? [] : [{ name, first: first!.from, second: other.from }]
    }),
  }
}

function allContexts(context: Context): Context[] {
  return [context, ...context.children.flatMap(allContexts)]
}

/** Finds references in the replies that are declared for a route to shared schemas that only contexts which it does not see have. */
function findHidden(facts: RouteFacts, contexts: readonly Context[]): Contradictions['hidden'] {
  const { context, path } = facts
  return allDeclaredReplies(facts).flatMap(({ from, replies }) =>
    [...new Set(findReferences(replies.responses).map(({ reference }) => splitReference(reference).id))]
      .filter((id) => id !== '' && context.schemas.getSchema(id) === undefined)
      .map((id) => ({
        from,
        place: path,
        id,
        contexts: contexts.filter(({ schemas }) => schemas.getSchema(id)).map((found) => found.path),
      }))
      .filter((entry) => entry.contexts.length > 0),
  )
}

/** Finds references in declared replies that lead nowhere, and to no shared schema of another context. Each is found once. */
function findDangling(covered: readonly RouteFacts[], contexts: readonly Context[]): Contradictions['dangling'] {
  const readers = new Map<Context, DanglingReader>()
  const found = new Map<string, Contradictions['dangling'][number]>()
  for (const facts of covered) {
    const { context } = facts
    const read = readers.get(context) ?? createDanglingReader(context, contexts)
    readers.set(context, read)
    for (const held of allDeclaredReplies(facts))
      for (const reference of read(held)) found.set(`${held.from} ${reference}`, { from: held.from, reference })
  }
  return [...found.values()]
}

/** Returns the references of declared replies that lead nowhere. */
type DanglingReader = (held: CoveringReplies) => readonly string[]

/** Makes the reader of a context. It reads the replies of a guard once, although many routes have that guard. */
function createDanglingReader(context: Context, contexts: readonly Context[]): DanglingReader {
  const targets = new ReferenceTargets(context.schemas.getSchemas())
  const known = new Map<object, readonly string[]>()
  return (held) => {
    let found = known.get(held.replies)
    if (found === undefined) {
      found = Object.values(readDeclaredReplies(held, context))
        .flatMap(({ content }) => Object.values(content).filter(isPlainObject))
        .flatMap((schema) => targets.findDangling(schema))
        .filter((reference) => !isOnlyElsewhere(reference, context, contexts))
      known.set(held.replies, found)
    }
    return found
  }
}

function isOnlyElsewhere(reference: string, { schemas }: Context, contexts: readonly Context[]): boolean {
  const { id } = splitReference(reference)
  return schemas.getSchema(id) === undefined && contexts.some((other) => other.schemas.getSchema(id) !== undefined)
}

function sharedSchemas({ schemas }: Context): ApplicationDescription['schemas'][string] {
  return Object.fromEntries(Object.entries<unknown>(schemas.getSchemas()).map(([id, schema]) => [id, describedSchema(schema)]))
}

interface FoundScheme {
  readonly scheme: SecurityScheme
  readonly from: string
}

/** Collects the security schemes of all routes by name, with each place that declares a scheme under that name. */
function collectSchemes(facts: readonly RouteFacts[]): ReadonlyMap<string, FoundScheme[]> {
  const found = new Map<string, FoundScheme[]>()
  for (const { from, replies } of facts.flatMap(({ replies }) => replies)) {
    for (const [name, { scopes: _scopes, ...scheme }] of Object.entries(replies.security ?? {})) {
      const others = found.get(name) ?? []
      found.set(name, others)
      if (!others.some((other) => other.from === from && isDeepStrictEqual(other.scheme, scheme))) others.push({ scheme, from })
    }
  }
  return found
}
