/** Compiles the schemas of a route to the validators of its requests and the serializers of its replies. */
import type { Context } from '../context/context.js'
import { errorClassesOf } from '../context/error-classes.js'
import type { DeclaredOptions } from '../context/declared-route.js'
import { errorCodes } from '../errors/codes.js'
import type { HttpErrorClass } from '../errors/http-error.js'
import { Deadlines } from '../http/deadline.js'
import { MediaTypeMap } from '../http/media-type.js'
import { createCookieReader } from '../schema/cookies.js'
import { payloadSchema } from '../schema/error-class.js'
import { lowerCaseHeaderSchema } from '../schema/header-names.js'
import { isDeferred, whenCompiled } from '../schema/lazy/cache.js'
import { normalizeSchema, type NormalSchema } from '../schema/normalize.js'
import { withWarnings } from '../schema/ajv/warnings.js'
import { PartFailure } from '../schema/part-failure.js'
import { listFiles } from '../schema/form-files.js'
import { findMediaTypeProblems, findSchemaKeyProblems } from '../schema/route-schema-keys.js'
import { isOfBytes } from '../schema/json-schema/schema-keys.js'
import { createUndeclaredCheck, ResponseSerializers } from '../schema/serialize-response.js'
import { isStandardSchema } from '../schema/standard/standard-schema.js'
import { findMisplacedStreams, type StreamResponse } from '../schema/streams/stream.js'
import { copyHeaders, lazyPartOf, partOrder, type PartValidator, takeCookies } from '../schema/validate-request.js'
import type { HttpPart } from '../types/request.js'
import type { RouteSchema } from '../types/route.js'
import { isPlainObject } from '../util/objects.js'
import { kPlace } from '../util/symbols.js'
import { coveredTypes } from './body-coverage.js'
import { membersMissingOfInvalid, statusesWithPayload } from './hold-replies.js'
import { missingParameters } from './path-parameters.js'
import { ThrownErrors } from './thrown-errors.js'

/** The route whose schemas are compiled: its context, and the compilers among its options. */
export interface SchemaOwner {
  readonly context: Context
  readonly options: Pick<DeclaredOptions, 'validatorCompiler' | 'serializerCompiler'>
  readonly method: string | string[]
  readonly url: string
}

export function usesDefaultValidator({ context, options }: Pick<SchemaOwner, 'context' | 'options'>): boolean {
  return typeof options.validatorCompiler !== 'function' && context.usesDefaultValidator
}

/** Whether the default validator coerces JSON bodies. */
function coercesBodies({ context }: SchemaOwner): boolean {
  return context.schemaController.coerceBodies !== false
}

function usesDefaultSerializer({ context, options }: SchemaOwner): boolean {
  return typeof options.serializerCompiler !== 'function' && context.usesDefaultSerializer
}

/** Brings the schemas of a route into their normal form (schema/normalize.ts). @throws ALC_ERR_SCH_… */
export function normalizeRouteSchema(owner: SchemaOwner, schema: RouteSchema): NormalSchema {
  assertKeys(owner, schema)
  return nameRoute('VALIDATION', owner, () =>
    normalizeSchema(schema, {
      hasShorthand: owner.context.options.jsonShorthand !== false,
      validatesCookies: owner.context.options.conventions.validatesCookies,
      usesDefaultValidator: usesDefaultValidator(owner),
      usesDefaultSerializer: usesDefaultSerializer(owner),
    }),
  )
}

/**
 * Throws for a key of a route's schema that would leave a part of the requests unvalidated or the replies unfiltered. Plugins may read
 * further keys, so an unknown key is refused only if it resembles a part.
 * @throws ALC_ERR_SCH_PARTS_INVALID
 */
function assertKeys({ context, method, url }: SchemaOwner, schema: RouteSchema): void {
  if (typeof schema !== 'object' || Array.isArray(schema))
    throw new errorCodes.ALC_ERR_SCH_PARTS_INVALID(
      String(method),
      url,
      'it is not an object of parts (body, params, querystring, headers, cookies, response)',
    )
  const problems = findSchemaKeyProblems(schema, context.options.conventions.validatesCookies).flatMap(({ key, kind, meant }) => {
    if (kind === 'undefined')
      return `the schema of ${key} is undefined, often because of a circle of imports (leave the part out if it has none)`
    return kind === 'misspelt' ? `'${key}' is not a part of the schema. Did you mean '${meant}'?` : []
  })
  for (const { part, cure } of findMisplacedStreams(schema)) problems.push(`stream(…) has no effect in ${part}. ${cure}`)
  for (const { part, key } of findMediaTypeProblems(schema))
    problems.push(
      `'${key}' in the content of ${part} is no media type. Write one, such as application/json, or a range: application/*, */*`,
    )
  if (problems.length > 0) throw new errorCodes.ALC_ERR_SCH_PARTS_INVALID(String(method), url, problems.join('; '))
}

/**
 * Logs a warning if the schema of params requires a parameter that the path does not have: every request would get a 400, unless a hook
 * adds the parameter. Engines other than the default one may give the schema another meaning, so nothing is logged for them.
 */
export function warnOfMissingParameters(owner: SchemaOwner, { parts }: NormalSchema): void {
  const follow = ({ $ref }: { readonly $ref: string }): unknown => owner.context.schemas.getSchema($ref.replace(/#$/, ''))
  const missing = usesDefaultValidator(owner) ? missingParameters(parts.params, owner.url, follow) : []
  if (missing.length === 0) return
  const names = missing.map((name) => `'${name}'`).join(', ')
  owner.context.logger.warn(`${String(owner.method)} ${owner.url}: the schema of params requires ${names}, which the path does not have`)
}

/**
 * Logs a warning if the response 400 of a route requires members that the error of an invalid request lacks: each invalid request would be
 * answered with an error that the response schema does not describe.
 */
export function warnOfInvalidReplies(owner: SchemaOwner & { readonly options: DeclaredOptions }, normal: NormalSchema): void {
  const { context, options, method, url } = owner
  if (!context.options.conventions.holdsReplies || !usesDefaultSerializer(owner)) return
  const names = membersMissingOfInvalid(context, options, normal).map((name) => `'${name}'`)
  if (names.length > 0)
    context.logger.warn(
      `${options[kPlace]?.path ?? `${String(method)} ${url}`}: the schema of its response 400 requires ${names.join(', ')}, which the error of an invalid request does not have. Add it in a schemaErrorFormatter or an error handler, or take it out of required`,
    )
}

/**
 * Compiles the validators of a route's requests.
 * @returns `null` if no part of a request is validated
 * @throws ALC_ERR_SCH_VALIDATION_BUILD, ALC_ERR_SCH_COMPILER_MISSING
 */
export function compileValidators(owner: SchemaOwner, normal: NormalSchema): readonly PartValidator[] | null {
  if (normal.bodyContent === undefined && Object.keys(normal.parts).length === 0) return null
  return nameRoute('VALIDATION', owner, () => {
    const validators = partOrder.flatMap((part) => compilePart(owner, normal, part) ?? [])
    for (const validator of validators) {
      whenCompiled(validator.validate, (compiled) => (validator.validate = compiled))
      countDeferred(validator)
    }
    return validators
  })
}

function countDeferred(validator: PartValidator): void {
  const functions = new Set([validator.validate, ...(validator.byMediaType?.values() ?? [])].map(lazyPartOf))
  for (const each of functions) {
    if (!isDeferred(each)) continue
    validator.deferred++
    whenCompiled(each, () => validator.deferred--)
  }
}

function compilePart(owner: SchemaOwner, normal: NormalSchema, part: HttpPart): PartValidator | undefined {
  const { parts, bodyContent } = normal
  const { context } = owner
  if (part === 'body' && bodyContent !== undefined) {
    const validators = [...bodyContent].map(([type, schema]) => [type, compileInput(owner, schema, part, isForm(type))] as const)
    const schemas = [...bodyContent.values()]
    const preparations = schemas.flatMap((each) => preparationOf(owner, part, each) ?? [])
    const prepare: PartValidator['prepare'] =
      preparations.length === 0 ? undefined : (request) => preparations.forEach((prepareOne) => prepareOne(request))
    return { ...byMediaType(validators, schemas.some(isJoi)), prepare }
  }
  const schema = parts[part]
  if (schema === undefined) return undefined
  const isStandard = usesDefaultValidator(owner) && isStandardSchema(schema)
  const areFormsApart = isStandard || (usesDefaultValidator(owner) && !coercesBodies(owner))
  // Schemas of other engines are not plain objects, and cannot be rewritten.
  if (isStandard || part !== 'headers' || !usesDefaultValidator(owner) || !isPlainObject(schema)) {
    const validate = compileInput(owner, schema, part)
    const forms = areFormsApart && part === 'body' ? coveredTypes(context, normal).filter(isForm) : []
    if (forms.length === 0)
      return {
        part,
        prepare: preparationOf(owner, part, schema),
        validate,
        byMediaType: undefined,
        deferred: 0,
        throwsPlainErrors: isJoi(schema),
      }
    const ofForms = forms.map((type) => [type, compileInput(owner, schema, part, true)] as const)
    return { ...byMediaType(ofForms, isJoi(schema), validate), prepare: preparationOf(owner, part, schema) }
  }
  const problems: string[] = []
  const { references } = context.validationEngine
  const lowered = lowerCaseHeaderSchema(references.canonical(schema), references.shared, (problem) => problems.push(problem))
  // The error of the engine comes first: it says more about a reference that leads nowhere.
  const validate = compileInput(owner, lowered, part)
  if (problems.length > 0) throw new PartFailure(part, true, new Error(problems[0]))
  return { part, prepare: copyHeaders, validate, byMediaType: undefined, deferred: 0, throwsPlainErrors: false }
}

function preparationOf(owner: SchemaOwner, part: HttpPart, schema: unknown): PartValidator['prepare'] {
  if (part === 'headers') return copyHeaders
  if (part === 'cookies') {
    if (!usesDefaultValidator(owner)) return takeCookies(createCookieReader(schema, {}))
    const { references } = owner.context.validationEngine
    return takeCookies(createCookieReader(references.canonical(schema), references.shared))
  }
  if (part !== 'body' || !usesDefaultValidator(owner) || isStandardSchema(schema)) return undefined
  const { references } = owner.context.validationEngine
  return listFiles(references.canonical(schema), references.shared)
}

/**
 * Makes the validator of a body whose schemas are declared by media type.
 * @param otherwise the function for media types that are not listed; by default the first function of `validators`
 */
function byMediaType(
  validators: readonly (readonly [type: string, validate: PartValidator['validate']])[],
  throwsPlainErrors: boolean,
  otherwise = validators[0]![1],
): PartValidator {
  const map = new MediaTypeMap<PartValidator['validate']>()
  for (const [type, validate] of validators) {
    map.add(type, validate)
    whenCompiled(validate, (compiled) => map.replace(type, compiled))
  }
  return { part: 'body', prepare: undefined, validate: otherwise, byMediaType: map, deferred: 0, throwsPlainErrors }
}

/**
 * Whether a media type is a form. The values in a form are texts, so they are coerced to the types of a library's schema; values in JSON
 * have types already.
 */
export function isForm(mediaType: string): boolean {
  return mediaType === 'application/x-www-form-urlencoded' || mediaType === 'multipart/form-data'
}

function isJoi(schema: any): boolean {
  return schema?.[Symbol.for('@hapi/joi/schema')] !== undefined
}

/** Compiles the schema of one part of a request. @param isBodyOfForm whether the part is the body of a form, whose values are texts */
function compileInput(owner: SchemaOwner, schema: any, httpPart: HttpPart, isBodyOfForm = false): PartValidator['validate'] {
  const { context, options, url } = owner
  // A route of several methods passes all of them.
  const method = owner.method as string
  const isDefault = usesDefaultValidator(owner)
  const compiler = options.validatorCompiler ?? (isDefault ? undefined : context.validatorCompiler)
  const place = `${String(method)} ${url} ${httpPart}`
  const body = isBodyOfForm ? 'form' : coercesBodies(owner) ? 'coerced' : 'exact'
  const warn = context.options.logger ? (text: string) => context.logger.warn(text) : undefined
  const validate: unknown = namePart(httpPart, isDefault, schema, () =>
    compiler === undefined
      ? withWarnings(warn, place, () => context.validationEngine.compileLazily(schema, httpPart, place, body))
      : compiler({ schema, method, url, httpPart }),
  )
  if (typeof validate !== 'function') throw new errorCodes.ALC_ERR_SCH_COMPILER_MISSING('validator', place)
  return validate as PartValidator['validate']
}

/**
 * Compiles the serializers of a route's replies.
 * @returns `null` if no response is declared
 * @throws ALC_ERR_SCH_SERIALIZATION_BUILD, ALC_ERR_SCH_COMPILER_MISSING, ALC_ERR_SCH_DUPLICATE
 */
export function compileSerializers(owner: SchemaOwner, { responses }: NormalSchema): ResponseSerializers | null {
  if (responses.length === 0) return null
  return nameRoute('SERIALIZATION', owner, () => {
    const { options, logger } = owner.context
    const route = `${String(owner.method)} ${owner.url}`
    const { undeclaredResponses: policy } = options
    const serializers = new ResponseSerializers(
      createUndeclaredCheck(policy, route, (text) => logger.warn(text)),
      policy === 'refuse',
    )
    for (const response of responses) {
      const serialize = compileOutput(owner, response)
      if (response.stream === undefined) serializers.add(response.status, response.contentType, serialize)
      else serializers.addStream(response.status, { serialize, heartbeats: heartbeatsOf(response.stream) })
      if (response.contentType === undefined && isOfBytes(response.schema)) serializers.addBytes(response.status)
    }
    // The handler of a HEAD route returns no body. Another serializer may take other schemas.
    if (options.conventions.holdsReplies && owner.method !== 'HEAD' && usesDefaultSerializer(owner))
      for (const status of statusesWithPayload(owner.context, responses)) serializers.requirePayload(status)
    return serializers
  })
}

function heartbeatsOf({ heartbeat }: StreamResponse): Deadlines | null {
  return heartbeat === 0 ? null : new Deadlines(heartbeat)
}

/**
 * Compiles the payloads of the error classes that a route and its context list.
 * @param place the name of the route in messages; `undefined` for a route that answers if no route was found
 * @throws ALC_ERR_SCH_SERIALIZATION_BUILD
 */
export function compileThrownErrors(owner: SchemaOwner, place: string | undefined, ofRoute: readonly HttpErrorClass[] = []): ThrownErrors {
  const { errorFormat } = owner.context
  const thrown = new ThrownErrors(place)
  for (const Class of new Set([...errorClassesOf(owner.context).map((listed) => listed.Class), ...ofRoute])) {
    const response = { status: String(Class.status), contentType: errorFormat.mediaType, schema: payloadSchema(Class, errorFormat) }
    nameRoute('SERIALIZATION', owner, () => thrown.add(Class, compileOutput(owner, response)))
  }
  return thrown
}

function compileOutput(owner: SchemaOwner, { status, contentType, schema }: NormalSchema['responses'][number]): (data: any) => string {
  const { context, options, url } = owner
  const method = owner.method as string
  const compiler = options.serializerCompiler ?? (usesDefaultSerializer(owner) ? undefined : context.serializerCompiler)
  const part = contentType === undefined ? `response ${status}` : `response ${status} ${contentType}`
  const serialize: unknown = namePart(part, compiler === undefined, schema, () =>
    compiler === undefined
      ? context.serializationEngine.compileLazily(schema, `${String(method)} ${url} response ${status}`)
      : compiler({ schema, method, url, httpStatus: status, ...(contentType !== undefined && { contentType }) }),
  )
  if (typeof serialize !== 'function') throw new errorCodes.ALC_ERR_SCH_COMPILER_MISSING('serializer', `${String(method)} ${url} ${status}`)
  return serialize as (data: any) => string
}

/** Runs a compiler. If the compiler throws, the error is rethrown with the name of the route's part. */
function namePart<T>(part: string, isDefault: boolean, schema: unknown, compile: () => T): T {
  try {
    return compile()
  } catch (error) {
    throw new PartFailure(part, isDefault, error, schema)
  }
}

/**
 * The classes of errors that name the route themselves, or that are recognized by their code, so that {@link nameRoute} leaves them
 * unchanged.
 */
const selfExplaining = [
  errorCodes.ALC_ERR_SCH_DUPLICATE,
  errorCodes.ALC_ERR_SCH_CONTENT_MISSING_SCHEMA,
  errorCodes.ALC_ERR_SCH_COMPILER_MISSING,
]

/** Runs a step. If the step throws an error of the route's schemas, the error is rethrown with the name of the route. */
function nameRoute<T>(kind: 'VALIDATION' | 'SERIALIZATION', { method, url }: SchemaOwner, step: () => T): T {
  try {
    return step()
  } catch (error) {
    const isOfResponse =
      error instanceof errorCodes.ALC_ERR_SCH_RESPONSE_SCHEMA_NOT_NESTED_2XX ||
      (error instanceof PartFailure && error.part.startsWith('response'))
    if (selfExplaining.some((Known) => error instanceof Known)) throw error
    const Failure = errorCodes[`ALC_ERR_SCH_${isOfResponse ? 'SERIALIZATION' : kind}_BUILD`]
    const failure = new Failure(String(method), url, (error as Error)?.message ?? String(error))
    if (!(error instanceof PartFailure)) throw Object.assign(failure, { cause: error })
    throw Object.assign(failure, { part: error.part, cause: error.cause })
  }
}
