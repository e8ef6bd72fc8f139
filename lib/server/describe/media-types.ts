/**
 * Finds the media types of a reply whose handler names none. They depend on the payload, and so on the values that the response schema
 * allows.
 */
import type { Context } from '../../context/context.js'
import type { JsonSchema } from '../../types/description.js'

/** How a payload is sent: texts and bytes unchanged, everything else as JSON. A payload that is always `null` is no body. */
type BodyKind = 'text' | 'bytes' | 'json' | 'null'

/**
 * Returns the schemas of a reply by media type. A schema that allows both texts and other values gets two media types.
 * @param produces the media types that the route names
 * @param context the context whose shared schemas references lead to
 */
export function contentByMediaType(
  status: string,
  schema: JsonSchema,
  produces: readonly string[] | undefined,
  context: Context | undefined,
): Record<string, JsonSchema> {
  const kinds = kindsOf(schema, context, new Set())
  const isNothing = kinds.size === 1 && kinds.has('null')
  if (isNothing || status === '204' || status === '304') return {}
  if (produces !== undefined) return Object.fromEntries(produces.map((type) => [type, schema]))
  const isMixed = kinds.size > 1
  return {
    ...((kinds.has('json') || kinds.has('null')) && { 'application/json': schema }),
    ...(kinds.has('text') && { 'text/plain': isMixed ? { type: 'string' } : schema }),
    ...(kinds.has('bytes') && { 'application/octet-stream': isMixed ? { type: 'string', format: 'binary' } : schema }),
  }
}

/**
 * Finds out in which ways the payloads that a schema allows are sent.
 * @param seen the schemas that were visited already, because references may be circular
 */
function kindsOf(schema: JsonSchema, context: Context | undefined, seen: Set<unknown>): ReadonlySet<BodyKind> {
  if (typeof schema === 'boolean' || seen.has(schema)) return new Set<BodyKind>(['json'])
  seen.add(schema)
  const { $ref, type, format, nullable, const: value, enum: values = value === undefined ? undefined : [value] } = schema as Keywords
  const alternatives = schema['anyOf'] ?? schema['oneOf']
  const kinds = new Set<BodyKind>(nullable === true ? ['null'] : [])
  const add = (found: Iterable<BodyKind>): void => void [...found].forEach((kind) => kinds.add(kind))
  const target = typeof $ref === 'string' ? context?.schemas.getSchema($ref.replace(/#$/, '')) : undefined
  if (target !== undefined) add(kindsOf(target as JsonSchema, context, seen))
  else if (type !== undefined) add([type].flat().map((name) => kindOfType(name, format)))
  else if (values !== undefined) add(values.map((each) => kindOfType(each === null ? 'null' : typeof each, format)))
  else if (Array.isArray(alternatives)) for (const each of alternatives) add(kindsOf(each as JsonSchema, context, seen))
  else add(['json'])
  return kinds
}

interface Keywords {
  readonly $ref?: unknown
  readonly type?: string | readonly string[]
  readonly format?: unknown
  readonly nullable?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
}

function kindOfType(type: string, format: unknown): BodyKind {
  if (type === 'string') return format === 'binary' ? 'bytes' : 'text'
  return type === 'null' ? 'null' : 'json'
}
