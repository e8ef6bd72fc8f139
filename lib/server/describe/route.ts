/** Describes one route as plain data: its own declarations, and the declarations of its contexts. */
import type { Context } from '../../context/context.js'
import type { DeclaredOptions, DeclaredRoute } from '../../context/declared-route.js'
import { describeDeprecation } from '../../context/deprecation.js'
import { deprecationOf } from '../../route/declared-deprecation.js'
import { formatSchemaErrors } from '../../schema/validate-request.js'
import type { RouteDescription } from '../../types/description.js'
import { inspect } from '../../util/node/modules.js'
import { kPlace } from '../../util/symbols.js'
import { describeDocs } from './docs.js'
import { describeAbsentBody, describeEngines, describeInput, partsWithoutJsonSchema } from './input.js'
import { describeBodyDocs, describeSchemaDocs, findLeftOut } from './media-docs.js'
import { functionName } from './function-name.js'
import { describeResponses } from './responses.js'
import { handlerTimeoutOf, methodsWithoutBody, readRouteFacts, readsBody, type RouteFacts } from './route-facts.js'
import { describeSecurity } from './security.js'

export function describeRoute(context: Context, declared: DeclaredRoute): RouteDescription {
  return describeFacts(readRouteFacts(context, declared))
}

export function describeFacts(facts: RouteFacts): RouteDescription {
  const { context, declared } = facts
  const { options, url, isImplicitHead } = declared
  const { responses } = describeResponses(facts)
  const opaqueParts = partsWithoutJsonSchema(facts)
  const bodyless = methodsWithoutBody(facts)
  const deprecated = deprecationOf(context, options)
  const deprecation = describeDeprecation(deprecated)
  return {
    methods: facts.methods,
    ...(bodyless.length > 0 && bodyless.length < facts.methods.length && { methodsWithoutBody: bodyless }),
    url,
    ...describeConstraints(options.constraints),
    isAutomatic: isImplicitHead,
    place: facts.place,
    context: context.path,
    status: options[kPlace]?.status ?? 200,
    hooks: facts.hooks.map(({ hook, name, from }) => ({ hook, name, from })),
    errorHandlers: facts.errorHandlers.map(({ name, from }) => ({ name, from })),
    ...describeSchemaErrorFormatter(context, options),
    engines: describeEngines(facts),
    input: describeInput(facts),
    ...(opaqueParts.length > 0 && { opaqueParts }),
    ...describeAbsentBody(facts),
    ...describeBodyDocs(facts),
    ...findLeftOut(facts),
    responses,
    security: describeSecurity(facts),
    limits: describeLimits(facts),
    deprecated: deprecated !== false,
    ...(deprecation && { deprecation }),
    docs: { ...describeDocs(context, options), ...describeSchemaDocs(facts) },
  }
}

function describeSchemaErrorFormatter(
  context: Context,
  { schemaErrorFormatter: own }: DeclaredOptions,
): Pick<RouteDescription, 'schemaErrorFormatter'> {
  if (own !== undefined) return { schemaErrorFormatter: { name: functionName(own), from: 'route' } }
  const { schemaErrorFormatter: formatter } = context
  if (formatter === formatSchemaErrors) return {}
  return { schemaErrorFormatter: { name: functionName(formatter), from: context.ownerOf('schemaErrorFormatter').path } }
}

/** Returns the constraints of a route as data. Values that JSON cannot express become texts. */
function describeConstraints(constraints: Record<string, unknown> | undefined): Pick<RouteDescription, 'constraints'> {
  const entries = Object.entries(constraints ?? {})
  if (entries.length === 0) return {}
  const asData = (value: unknown): unknown =>
    value === null || ['string', 'number', 'boolean'].includes(typeof value) ? value : inspect(value, { breakLength: Infinity })
  return { constraints: Object.fromEntries(entries.map(([name, value]) => [name, asData(value)])) }
}

function describeLimits(facts: RouteFacts): RouteDescription['limits'] {
  const { context, declared } = facts
  const bodyLimit = declared.options.bodyLimit ?? context.options.bodyLimit
  const handlerTimeout = handlerTimeoutOf(facts)
  return {
    ...(readsBody(facts) && bodyLimit !== undefined && { bodyLimit }),
    ...(handlerTimeout > 0 && { handlerTimeout }),
  }
}
