/** Compiles the schemas of a route to the validators of its requests and the serializers of its replies. */
import type { Context } from '../context/context.js'
import type { DeclaredOptions } from '../context/declared-route.js'
import { errorCodes } from '../errors.js'
import { MediaTypeMap } from '../http/media-type.js'
import { lowerCaseHeaderSchema } from '../schema/header-names.js'
import { whenCompiled } from '../schema/lazy/cache.js'
import { normalizeSchema, type NormalSchema } from '../schema/normalize.js'
import { createUndeclaredCheck, ResponseSerializers } from '../schema/serialize-response.js'
import { partOrder, type PartValidator } from '../schema/validate-request.js'
import type { HttpPart } from '../types/request.js'
import type { RouteSchema } from '../types/schema.js'

/** The route whose schemas are compiled: its context, and the compilers among its options. */
export interface SchemaOwner {
  readonly context: Context
  readonly options: Pick<DeclaredOptions, 'validatorCompiler' | 'serializerCompiler'>
  readonly method: string | string[]
  readonly url: string
}

function usesDefaultValidator({ context, options }: SchemaOwner): boolean {
  return typeof options.validatorCompiler !== 'function' && context.usesDefaultValidator
}

function usesDefaultSerializer({ context, options }: SchemaOwner): boolean {
  return typeof options.serializerCompiler !== 'function' && context.usesDefaultSerializer
}

/** Brings the schemas of a route into their normal form. @throws ALC_ERR_SCH_… */
export function normalizeRouteSchema(owner: SchemaOwner, schema: RouteSchema): NormalSchema {
  return nameRoute('VALIDATION', owner, () =>
    normalizeSchema(schema, {
      hasShorthand: owner.context.options.jsonShorthand !== false,
      usesDefaultValidator: usesDefaultValidator(owner),
      usesDefaultSerializer: usesDefaultSerializer(owner),
    }),
  )
}

/** @returns `null` if no part of a request is validated @throws ALC_ERR_SCH_VALIDATION_BUILD, ALC_ERR_SCH_COMPILER_MISSING */
export function compileValidators(owner: SchemaOwner, normal: NormalSchema): readonly PartValidator[] | null {
  if (normal.bodyContent === undefined && Object.keys(normal.parts).length === 0) return null
  return nameRoute('VALIDATION', owner, () => {
    const validators = partOrder.flatMap((part) => compilePart(owner, normal, part) ?? [])
    for (const validator of validators) whenCompiled(validator.validate, (compiled) => (validator.validate = compiled))
    return validators
  })
}

function compilePart(owner: SchemaOwner, { parts, bodyContent }: NormalSchema, part: HttpPart): PartValidator | undefined {
  const { context } = owner
  if (part === 'body' && bodyContent !== undefined) {
    const byMediaType = new MediaTypeMap<PartValidator['validate']>()
    for (const [type, entry] of bodyContent) {
      const validate = compileInput(owner, entry, part)
      byMediaType.add(type, validate)
      whenCompiled(validate, (compiled) => byMediaType.replace(type, compiled))
    }
    const throwsPlainErrors = [...bodyContent.values()].some(isJoi)
    return { part, validate: byMediaType.first!, byMediaType, throwsPlainErrors }
  }
  const schema = parts[part]
  if (schema === undefined) return undefined
  if (part !== 'headers' || !usesDefaultValidator(owner) || !isPlain(schema))
    return { part, validate: compileInput(owner, schema, part), byMediaType: undefined, throwsPlainErrors: isJoi(schema) }
  const problems: string[] = []
  const { references } = context.validationEngine
  const lowered = lowerCaseHeaderSchema(references.canonical(schema), references.shared, (problem) => problems.push(problem))
  // The engine's own error comes first: it knows more of a reference that leads nowhere.
  const validate = compileInput(owner, lowered, part)
  if (problems.length > 0) throw new PartFailure(part, true, new Error(problems[0]))
  return { part, validate, byMediaType: undefined, throwsPlainErrors: false }
}

function isJoi(schema: any): boolean {
  return schema?.[Symbol.for('@hapi/joi/schema')] !== undefined
}

/** Whether a schema can be rewritten. Schemas of other engines are objects of their own. */
function isPlain(schema: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(schema)
  return prototype === Object.prototype || prototype === null
}

function compileInput(owner: SchemaOwner, schema: any, httpPart: HttpPart): PartValidator['validate'] {
  const { context, options, url } = owner
  // A route of several methods passes all of them.
  const method = owner.method as string
  const isDefault = usesDefaultValidator(owner)
  const compiler = options.validatorCompiler ?? (isDefault ? undefined : context.validatorCompiler)
  const place = `${String(method)} ${url} ${httpPart}`
  const validate: unknown = namePart(httpPart, isDefault, () =>
    compiler === undefined ? context.validationEngine.compileLazily(schema, httpPart, place) : compiler({ schema, method, url, httpPart }),
  )
  if (typeof validate !== 'function') throw new errorCodes.ALC_ERR_SCH_COMPILER_MISSING('validator', place)
  return validate as PartValidator['validate']
}

/** @returns `null` if no response is declared @throws ALC_ERR_SCH_SERIALIZATION_BUILD, ALC_ERR_SCH_COMPILER_MISSING, ALC_ERR_SCH_DUPLICATE */
export function compileSerializers(owner: SchemaOwner, { responses }: NormalSchema): ResponseSerializers | null {
  if (responses.length === 0) return null
  return nameRoute('SERIALIZATION', owner, () => {
    const { options, logger } = owner.context
    const route = `${String(owner.method)} ${owner.url}`
    const serializers = new ResponseSerializers(createUndeclaredCheck(options.undeclaredResponses, route, (text) => logger.warn(text)))
    for (const response of responses) serializers.add(response.status, response.contentType, compileOutput(owner, response))
    return serializers
  })
}

function compileOutput(owner: SchemaOwner, { status, contentType, schema }: NormalSchema['responses'][number]): (data: any) => string {
  const { context, options, url } = owner
  const method = owner.method as string
  const compiler = options.serializerCompiler ?? (usesDefaultSerializer(owner) ? undefined : context.serializerCompiler)
  const part = contentType === undefined ? `response ${status}` : `response ${status} ${contentType}`
  const serialize: unknown = namePart(part, compiler === undefined, () =>
    compiler === undefined
      ? context.serializationEngine.compileLazily(schema, `${String(method)} ${url} response ${status}`)
      : compiler({ schema, method, url, httpStatus: status, ...(contentType !== undefined && { contentType }) }),
  )
  if (typeof serialize !== 'function') throw new errorCodes.ALC_ERR_SCH_COMPILER_MISSING('serializer', `${String(method)} ${url} ${status}`)
  return serialize as (data: any) => string
}

/** The failure of one part's compiler. */
class PartFailure extends Error {
  /** `body`, `params`, …, `response 200`, `response 2xx application/json` */
  readonly part: string

  constructor(part: string, isDefault: boolean, cause: unknown) {
    const reason = (cause as Error)?.message ?? String(cause)
    // Messages of the application's own compilers are left as they are.
    super(isDefault ? `${reason} (in the schema of ${part})` : reason, { cause })
    this.part = part
  }
}

/** Names the part in an error of its compiler. */
function namePart<T>(part: string, isDefault: boolean, compile: () => T): T {
  try {
    return compile()
  } catch (error) {
    throw new PartFailure(part, isDefault, error)
  }
}

/** Errors that name the place themselves, or are known by their code. */
const selfExplaining = [
  errorCodes.ALC_ERR_SCH_DUPLICATE,
  errorCodes.ALC_ERR_SCH_CONTENT_MISSING_SCHEMA,
  errorCodes.ALC_ERR_SCH_COMPILER_MISSING,
]

/** Names the route in an error of its schemas. */
function nameRoute<T>(kind: 'VALIDATION' | 'SERIALIZATION', { method, url }: SchemaOwner, step: () => T): T {
  try {
    return step()
  } catch (error) {
    const isResponseKey = error instanceof errorCodes.ALC_ERR_SCH_RESPONSE_SCHEMA_NOT_NESTED_2XX
    if (selfExplaining.some((Known) => error instanceof Known)) throw error
    const Failure = errorCodes[`ALC_ERR_SCH_${isResponseKey ? 'SERIALIZATION' : kind}_BUILD`]
    const failure = new Failure(String(method), url, (error as Error)?.message ?? String(error))
    if (!(error instanceof PartFailure)) throw Object.assign(failure, { cause: error })
    throw Object.assign(failure, { part: error.part, cause: error.cause })
  }
}
