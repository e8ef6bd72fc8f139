/** Describes the schemas of the parts of a request, and the engines that validate them. */
import { coveredTypes } from '../../route/body-coverage.js'
import { isForm, usesDefaultValidator } from '../../route/compile-schemas.js'
import { areTexts, enginesOfStandard } from '../../schema/standard/compile.js'
import { MAX_SCHEMA_DEPTH } from '../../schema/json-schema/vocabulary.js'
import { readStandardSchema } from '../../schema/standard/read.js'
import { validateOf } from '../../schema/standard/library-validate.js'
import { shorthandProperties } from '../../schema/standard/shorthand.js'
import { isOfStandard, isStandardSchema, tryToConvert } from '../../schema/standard/standard-schema.js'
import { partOrder } from '../../schema/validate-request.js'
import type { InputDescription, JsonSchema, RouteDescription } from '../../types/description.js'
import type { HttpPart } from '../../types/request.js'
import type { StandardSchema } from '../../types/schema.js'
import { isContainer, isPlainObject } from '../../util/objects.js'
import { ignoreRejection, isPromiseLike } from '../../util/promises.js'
import { withDeclaredHeaders } from './declared-headers.js'
import { allDeclaredReplies, type RouteFacts } from './route-facts.js'

const JSON_TYPE = 'application/json'

export function describeInput(facts: RouteFacts): InputDescription {
  return withDeclaredHeaders(describeParts(facts), allDeclaredReplies(facts))
}

function describeParts(facts: RouteFacts): InputDescription {
  const { normal } = facts
  if (normal === undefined) return describeParsed(facts)
  const parts = (['params', 'querystring', 'headers', 'cookies'] as const)
    .filter((part) => normal.parts[part] !== undefined)
    .map((part) => [part, describedSchema(normal.parts[part])])
  const body = [...bodySchemas(facts)].map(([type, schema]) => [type, describedSchema(schema)])
  return { ...Object.fromEntries(parts), ...(body.length > 0 ? { body: Object.fromEntries(body) } : describeParsed(facts)) }
}

/**
 * Describes the body of a method that requires one (QUERY), if no schema describes it: any value in each media type that a parser reads.
 */
function describeParsed({ context, methods }: RouteFacts): InputDescription {
  if (!methods.some((method) => context.methods.bodyReadings[method] === 'required')) return {}
  const { parsers } = context
  const builtIn = [JSON_TYPE, 'text/plain'].filter((type) => parsers.has(type))
  const added = parsers.list().flatMap(({ type }) => (/^[^/]+\/[^/]+$/.test(type) ? [type] : type === '*' ? ['*/*'] : []))
  return { body: Object.fromEntries([...builtIn, ...added].map((type) => [type, {}])) }
}

/** Returns the schemas of the body by media type, for all media types that a schema covers. */
function bodySchemas({ context, normal }: Pick<RouteFacts, 'context' | 'normal'>): ReadonlyMap<string, unknown> {
  if (normal?.bodyContent !== undefined) return normal.bodyContent
  const body: unknown = normal?.parts.body
  if (body === undefined) return new Map()
  return new Map([JSON_TYPE, ...coveredTypes(context, normal!)].map((type) => [type, body]))
}

/**
 * Names the engine that validates each part of the request. If the application set a validator compiler, the name is always
 * `validatorCompiler`.
 */
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

/** Asks the libraries that validate the body whether it may be absent. */
export function describeAbsentBody(facts: RouteFacts): Pick<RouteDescription, 'acceptsNoBody'> {
  const { context, declared } = facts
  if (!usesDefaultValidator({ context, options: declared.options })) return {}
  const answers = [...bodySchemas(facts)].flatMap(([type, schema]) => {
    if (!isStandardSchema(schema) || enginesOfStandard(schema, 'body', isForm(type)) === 'ajv') return []
    const answer = acceptsNothing(schema)
    return answer === undefined ? [] : [[type, answer]]
  })
  return answers.length > 0 ? { acceptsNoBody: Object.fromEntries(answers) } : {}
}

/** Whether a schema accepts `undefined`, with which an absent body is validated. Returns `undefined` if the schema answers by a promise. */
function acceptsNothing(schema: StandardSchema): boolean | undefined {
  try {
    const result = validateOf(schema)(undefined)
    ignoreRejection(result)
    return isPromiseLike(result) ? undefined : result.issues === undefined
  } catch {
    // A function in the schema does not expect `undefined`: a request without a body fails too.
    return false
  }
}

/** Returns the request parts whose schemas come from a library that offers no JSON Schema. */
export function partsWithoutJsonSchema(facts: RouteFacts): HttpPart[] {
  const { normal } = facts
  if (normal === undefined) return []
  const isUnknown = (part: HttpPart): boolean =>
    part === 'body' ? [...bodySchemas(facts).values()].some(isOpaque) : normal.parts[part] !== undefined && isOpaque(normal.parts[part])
  return partOrder.filter(isUnknown)
}

/** Whether a schema, or in shorthand one of its properties, offers no JSON Schema. */
function isOpaque(schema: unknown): boolean {
  if (readJsonSchema(schema) === undefined) return true
  const properties = isStandardSchema(schema) ? shorthandProperties(schema) : undefined
  return Object.values(properties ?? {}).some((property) => readJsonSchema(property) === undefined)
}

/** Returns the JSON Schema of a schema of any engine as plain data; `{}`, which means any value, if its library offers none. */
export function describedSchema(schema: unknown): JsonSchema {
  return plainSchema(readJsonSchema(schema) ?? {})
}

function plainSchema(schema: JsonSchema): JsonSchema {
  return hasSymbols(schema) ? (withoutSymbols(schema) as JsonSchema) : schema
}

/** Whether a schema has symbols as keys at any depth. Such keys are notes of libraries and of references to classes, not keywords. */
function hasSymbols(value: unknown, depth = 0): boolean {
  if (!isContainer(value) || depth > MAX_SCHEMA_DEPTH) return false
  return Object.getOwnPropertySymbols(value).length > 0 || Object.values(value).some((each) => hasSymbols(each, depth + 1))
}

function withoutSymbols(value: unknown, depth = 0): unknown {
  if (depth > MAX_SCHEMA_DEPTH) return value
  if (Array.isArray(value)) return value.map((each) => withoutSymbols(each, depth + 1))
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutSymbols(each, depth + 1)]))
}

function readJsonSchema(schema: unknown): JsonSchema | undefined {
  if (typeof schema === 'boolean') return schema
  if (isOfStandard(schema)) {
    const converted = tryToConvert(schema)
    if (converted !== undefined) return converted
    const reading = isStandardSchema(schema) ? readStandardSchema(schema) : undefined
    return reading?.isExact === true ? reading.json : undefined
  }
  return isSchemaObject(schema) ? schema : undefined
}

/** Whether a schema is a JSON Schema, not an object of another schema library. */
function isSchemaObject(schema: unknown): schema is Exclude<JsonSchema, boolean> {
  return schema !== null && typeof schema === 'object' && !Array.isArray(schema) && !hasMethods(schema)
}

function hasMethods(schema: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(schema)
  return (prototype !== Object.prototype && prototype !== null) || Object.values(schema).some((value) => typeof value === 'function')
}
