/** The schemas of the parts of a request, and the engines that validate them. */
import { coveredTypes } from '../../route/body-coverage.js'
import { isForm, usesDefaultValidator } from '../../route/compile-schemas.js'
import { areTexts, enginesOfStandard } from '../../schema/standard/compile.js'
import { readStandardSchema } from '../../schema/standard/read.js'
import { isOfStandard, isStandardSchema, tryToConvert } from '../../schema/standard/standard-schema.js'
import { partOrder } from '../../schema/validate-request.js'
import type { InputDescription, JsonSchema, RouteDescription } from '../../types/description.js'
import type { HttpPart } from '../../types/request.js'
import type { RouteFacts } from './route-facts.js'

const JSON_TYPE = 'application/json'

export function describeInput(facts: RouteFacts): InputDescription {
  const { normal } = facts
  if (normal === undefined) return {}
  const parts = (['params', 'querystring', 'headers'] as const)
    .filter((part) => normal.parts[part] !== undefined)
    .map((part) => [part, toJsonSchema(normal.parts[part])])
  const body = [...bodySchemas(facts)].map(([type, schema]) => [type, toJsonSchema(schema)])
  return { ...Object.fromEntries(parts), ...(body.length > 0 && { body: Object.fromEntries(body) }) }
}

/** The body schema of each media type that one covers. */
function bodySchemas({ context, normal }: RouteFacts): ReadonlyMap<string, unknown> {
  if (normal?.bodyContent !== undefined) return normal.bodyContent
  const body: unknown = normal?.parts.body
  if (body === undefined) return new Map()
  return new Map([JSON_TYPE, ...coveredTypes(context, normal!)].map((type) => [type, body]))
}

/** The engine of each part that is validated. A validator compiler of the application is not asked what it makes. */
export function describeEngines(facts: RouteFacts): RouteDescription['engines'] {
  const { context, declared, normal } = facts
  if (normal === undefined) return {}
  const isDefault = usesDefaultValidator({ context, options: declared.options })
  const engineOf = (schema: unknown, part: HttpPart, isBodyOfForm: boolean): string =>
    isStandardSchema(schema) ? enginesOfStandard(schema, part, isBodyOfForm || areTexts(part)) : 'ajv'
  const enginesOf = (part: HttpPart): Set<string> =>
    part === 'body'
      ? new Set([...bodySchemas(facts)].map(([type, schema]) => engineOf(schema, part, isForm(type))))
      : new Set(normal.parts[part] === undefined ? [] : [engineOf(normal.parts[part], part, false)])
  return Object.fromEntries(
    partOrder
      .map((part): [string, string[]] => [part, [...enginesOf(part)]])
      .filter(([, engines]) => engines.length > 0)
      .map(([part, engines]) => [part, isDefault ? engines.join(', ') : 'validatorCompiler']),
  )
}

/** The JSON Schema of a schema of any engine; `{}`, any value, if its library offers none. */
export function toJsonSchema(schema: unknown): JsonSchema {
  if (typeof schema === 'boolean') return schema
  if (isOfStandard(schema)) {
    const converted = tryToConvert(schema)
    if (converted !== undefined) return converted
    const reading = isStandardSchema(schema) ? readStandardSchema(schema) : undefined
    return reading?.isExact === true ? reading.json : {}
  }
  return isJson(schema) ? schema : {}
}

/** Whether a schema is one that JSON can express, not the object of another engine. */
function isJson(schema: unknown): schema is Exclude<JsonSchema, boolean> {
  return schema !== null && typeof schema === 'object' && !Array.isArray(schema) && !hasMethods(schema)
}

function hasMethods(schema: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(schema)
  return (prototype !== Object.prototype && prototype !== null) || Object.values(schema).some((value) => typeof value === 'function')
}
