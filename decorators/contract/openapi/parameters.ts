/** The parameters of an operation: one for each property of the schemas of `params`, `querystring`, `headers` and `cookies`. */
import { isObject } from '../../../lib/internal.js'
import { behindReference } from './component-references.js'
import type { OpenApiParameter, OpenApiSchema } from './document-types.js'
import type { PathParameter } from './paths.js'

type Schema = any

/** The facts and callbacks that are needed to convert the schema of `params`, `querystring`, `headers` or `cookies` to parameters. */
export interface PartContext {
  /** The component schemas of the document, by name. */
  readonly schemas: Readonly<Record<string, Schema>>
  /** Reports a fact that the document cannot express. The text contains the cure. */
  lossy(text: string): void
  undescribed(text: string): void
}

/** The properties of a schema, including the properties of schemas that it refers to and combines. */
interface Properties {
  readonly named: Map<string, { readonly schema: Schema; readonly isRequired: boolean }>
  /** The schema of unnamed properties (`additionalProperties`), if there is one. */
  additional: Schema
  /** The found keywords that relate several properties to each other, such as `minProperties`. Parameters cannot express them. */
  readonly inexpressible: Set<string>
}

/** Returns the parameters of a path, all of them required. @param schema the schema of `params`, in draft 2020-12 */
export function pathParameters(parameters: readonly PathParameter[], schema: Schema, context: PartContext): OpenApiParameter[] {
  const { named } = collectProperties(schema, context)
  return parameters.map(({ name, templateName, pattern }) => {
    const found = named.get(name)
    if (found === undefined)
      context.undescribed(`the parameter '${name}' of the path has no schema, so it is a string. Add it to the schema of params.`)
    const own = oneValue(found?.schema ?? { type: 'string' }, name, context)
    // A pattern says nothing of a number, whose schema says more.
    const schemaOfText = pattern !== undefined && isObject(own) && own['type'] === 'string' && own['pattern'] === undefined
    if (name === '*')
      context.lossy(`the wildcard of the path is the parameter {${templateName}}, but OpenAPI does not let its value contain a slash.`)
    else if (pattern !== undefined) {
      const place = schemaOfText ? 'the document has it as a pattern' : 'the document does not have it'
      context.lossy(`the regular expression (${pattern}) of the parameter '${name}' chooses the route; ${place}.`)
    }
    return describeParameter({ name: templateName, in: 'path', required: true }, schemaOfText ? { ...own, pattern } : own)
  })
}

/**
 * Returns the parameters of the query string, in the exploded style `form`, as the server reads them: `a=1&a=2` is a list, and a single
 * `a=1` too if the schema demands a list.
 */
export function queryParameters(schema: Schema, context: PartContext): OpenApiParameter[] {
  const properties = collectProperties(schema, context)
  reportInexpressible('querystring', properties, context)
  const parameters = [...properties.named].map(([name, { schema: own, isRequired }]) => {
    const type = jsonTypes(own, context)
    const isObjectOnly = type.length > 0 && type.every((each) => each === 'object')
    if (isObjectOnly)
      context.lossy(
        `the property '${name}' of the query string is an object, which only a server with a querystringParser of its own can read. The document assumes the style deepObject (${name}[key]=value).`,
      )
    const style = isObjectOnly
      ? { style: 'deepObject' as const, explode: true }
      : type.includes('array')
        ? { style: 'form' as const, explode: true }
        : {}
    return describeParameter({ name, in: 'query', ...(isRequired && { required: true }), ...style }, own)
  })
  if (properties.additional === undefined) return parameters
  const further = { type: 'object', additionalProperties: properties.additional }
  const name = properties.named.has('parameters') ? 'furtherParameters' : 'parameters'
  return [...parameters, { name, in: 'query', style: 'form', explode: true, schema: further }]
}

/** The headers that are not written as parameters, because OpenAPI describes them by media types and security schemes. */
const describedElsewhere: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization'])

/** Returns the header parameters. @param isSecured whether a security requirement of the route describes `authorization` already */
export function headerParameters(schema: Schema, isSecured: boolean, context: PartContext): OpenApiParameter[] {
  const properties = collectProperties(schema, context)
  reportInexpressible('headers', properties, context)
  return [...properties.named].flatMap(([name, { schema: own, isRequired }]) => {
    const lower = name.toLowerCase()
    if (describedElsewhere.has(lower)) {
      if (lower === 'authorization' && !isSecured)
        context.lossy(
          `OpenAPI describes the header '${name}' only by a security scheme. Declare one: static security = { bearer: { type: 'http', scheme: 'bearer' } } in the guard.`,
        )
      return []
    }
    return [describeParameter({ name, in: 'header', ...(isRequired && { required: true }) }, oneValue(own, name, context))]
  })
}

export function cookieParameters(schema: Schema, context: PartContext): OpenApiParameter[] {
  const properties = collectProperties(schema, context)
  reportInexpressible('cookies', properties, context)
  return [...properties.named].map(([name, { schema: own, isRequired }]) =>
    describeParameter({ name, in: 'cookie', ...(isRequired && { required: true }) }, oneValue(own, name, context)),
  )
}

/**
 * Returns the schema of a path, header or cookie parameter, which is always one text. The server coerces such a text to a list of one
 * value, so for a list the schema of the items is returned.
 */
function oneValue(schema: Schema, name: string, context: PartContext): Schema {
  const resolved = behindReference(schema, context.schemas)
  if (!isObject(resolved) || resolved['type'] !== 'array') return schema
  context.lossy(
    `'${name}' is a list in the schema, but only the query string can contain several values. The document describes one of them.`,
  )
  return resolved['items'] ?? {}
}

/** Adds a schema to a parameter. Texts of the schema, such as its description, are moved to the parameter. */
function describeParameter(parameter: Omit<OpenApiParameter, 'schema'>, schema: Schema): OpenApiParameter {
  if (!isObject(schema)) return { ...parameter, schema }
  const { description, deprecated, example, ...rest } = schema
  const isReference = '$ref' in schema
  return {
    ...parameter,
    ...(typeof description === 'string' && { description }),
    ...(deprecated === true && { deprecated }),
    ...(example !== undefined && { example }),
    schema: isReference ? schema : rest,
  }
}

function reportInexpressible(part: string, { inexpressible }: Properties, context: PartContext): void {
  for (const keyword of inexpressible)
    context.lossy(
      `the schema of ${part} has the keyword '${keyword}' for several properties together, which parameters cannot express. Describe it in the description of the route.`,
    )
}

function collectProperties(schema: Schema, context: PartContext): Properties {
  const found: Properties = { named: new Map(), additional: undefined, inexpressible: new Set() }
  collect(schema, true, found, context, new Set())
  return found
}

/** The keywords that relate several properties to each other. Alternatives (`anyOf`, `oneOf`) are handled separately. */
const relating = ['not', 'patternProperties', 'dependentRequired', 'dependentSchemas', 'minProperties', 'maxProperties', 'propertyNames']

/** Adds the properties of a schema to `found`. @param isCertain whether the schema holds for every request, not only for some */
function collect(schema: Schema, isCertain: boolean, found: Properties, context: PartContext, seen: Set<Schema>): void {
  const resolved = behindReference(schema, context.schemas)
  if (!isObject(resolved) || seen.has(resolved)) return
  seen.add(resolved)
  const required = new Set<unknown>(Array.isArray(resolved['required']) ? resolved['required'] : [])
  for (const [name, own] of Object.entries<Schema>(resolved['properties'] ?? {})) {
    const before = found.named.get(name)
    const hasDefault = isObject(behindReference(own, context.schemas)) && behindReference(own, context.schemas).default !== undefined
    const isRequired = isCertain && required.has(name) && !hasDefault
    const both = before === undefined ? own : { [isCertain ? 'allOf' : 'anyOf']: [before.schema, own] }
    found.named.set(name, { schema: both, isRequired: isRequired || before?.isRequired === true })
  }
  if (isObject(resolved['additionalProperties'])) found.additional = resolved['additionalProperties']
  for (const keyword of relating) if (resolved[keyword] !== undefined) found.inexpressible.add(keyword)
  for (const each of resolved['allOf'] ?? []) collect(each, isCertain, found, context, seen)
  for (const keyword of ['anyOf', 'oneOf'])
    for (const each of resolved[keyword] ?? []) {
      found.inexpressible.add(keyword)
      collect(each, false, found, context, seen)
    }
  if (resolved['if'] === undefined) return
  found.inexpressible.add('if')
  for (const keyword of ['if', 'then', 'else']) collect(resolved[keyword], false, found, context, seen)
}

function jsonTypes(schema: Schema, context: PartContext): readonly string[] {
  const resolved = behindReference(schema, context.schemas)
  return isObject(resolved) && resolved['type'] !== undefined ? [resolved['type']].flat() : []
}

/** Returns the parameter for the header by which the server chooses among several versions of a route (`accept-version`). */
export function versionParameter(version: unknown): OpenApiParameter {
  const schema: OpenApiSchema = { type: 'string', examples: [String(version)] }
  return { name: 'Accept-Version', in: 'header', required: true, description: `Must match version ${String(version)}.`, schema }
}
