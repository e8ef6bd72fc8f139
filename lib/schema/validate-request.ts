/** Validation of requests: runs a route's validators part by part, and makes an error from the first failure. */
import type { IncomingHttpHeaders } from 'node:http'
import { errorCodes } from '../errors/codes.js'
import type { MediaTypeMap } from '../http/media-type.js'
import type { SchemaErrorDetail, SchemaErrorFormatter, ValidateFunction, ValidationError } from '../types/compilers.js'
import type { HttpPart, ValidationContext } from '../types/request.js'
import { ignoreRejection } from '../util/promises.js'
import { kHeaders } from '../util/symbols.js'
import type { Validator } from './ajv/engine.js'
import type { CookieReader } from './cookies.js'
import { limitIssues } from './issues/limits.js'
import { compileInTurn } from './lazy/cache.js'
import { isStandardValidator } from './standard/validator.js'

/** The compiled validator of one part of a route's requests. */
export interface PartValidator {
  readonly part: HttpPart
  /** Gives the request a copy or a new value of the part, which the validator may then change; `undefined` if the part needs none. */
  readonly prepare: ((request: RequestParts) => void) | undefined
  /**
   * The function that validates the part. If it is a placeholder (its schema is not compiled yet), it is replaced once the schema is
   * compiled.
   */
  validate: ValidateFunction
  /** Body validators by media type, if the route declares `body.content`. */
  readonly byMediaType: MediaTypeMap<ValidateFunction> | undefined
  /** The number of functions of this validator whose schemas have not been compiled yet. */
  deferred: number
  /**
   * Whether a plain Error that the validator throws means that the value is invalid: the functions of a Joi schema (`external`) throw such
   * errors.
   */
  readonly throwsPlainErrors: boolean
}

/**
 * The order in which the parts of a request are validated. Headers come last, because their schema may remove the header that cookies are
 * read from.
 */
export const partOrder: readonly HttpPart[] = ['params', 'body', 'querystring', 'cookies', 'headers']

/** The fields of a request that validators read, and that coercion replaces. */
interface RequestParts {
  params: unknown
  body: unknown
  query: unknown
  headers: any
  cookies?: unknown
  readonly raw: { readonly headers: IncomingHttpHeaders }
  [kHeaders]?: Record<string, any> | undefined
}

const requestKey = { params: 'params', body: 'body', querystring: 'query', headers: 'headers', cookies: 'cookies' } as const
const contextName: Record<HttpPart, ValidationContext> = requestKey

/** Copies the headers, because the validator may coerce or remove some. The headers of the raw request stay as the client sent them. */
export function copyHeaders(request: RequestParts): void {
  request[kHeaders] = { ...request.headers }
}

/** Returns a function that sets `request.cookies` to the cookies to validate. @param read reads the cookies for the schema of the route */
export function takeCookies(read: CookieReader): (request: RequestParts) => void {
  return (request) => void setProperty(request, 'cookies', read(request))
}

/**
 * Validates a request part by part. Returns `undefined` if the request is valid, else the error; a promise of either if a validator is
 * asynchronous.
 */
export function validateRequest(
  validators: readonly PartValidator[],
  request: RequestParts,
  format: SchemaErrorFormatter,
  from = 0,
): unknown {
  for (let index = from; index < validators.length; index++) {
    const validator = validators[index]!
    const { part } = validator
    const failure = validatePart(validator, request)
    if (failure === undefined) continue
    if (failure instanceof Promise) {
      return failure.then((result) =>
        result === undefined ? validateRequest(validators, request, format, index + 1) : toValidationError(result, part, format),
      )
    }
    return toValidationError(failure, part, format)
  }
  return undefined
}

/**
 * Validates one part of a request. Returns `undefined` if the part is valid, else the report of the validator; a promise of either if the
 * validator is asynchronous.
 */
function validatePart(validator: PartValidator, request: RequestParts): unknown {
  const { part, byMediaType } = validator
  const validate = byMediaType?.find(request.raw.headers['content-type']) ?? validator.validate
  if (validator.deferred > 0) {
    const turn = compileInTurn(lazyPartOf(validate))
    if (turn !== undefined) return turn.then(() => validatePart(validator, request))
  }
  const key = requestKey[part]
  validator.prepare?.(request)
  const value = request[key] ?? null
  if (isAjvValidator(validate)) {
    if (request[key] === undefined) return validateAbsent(validate, key)
    // The validator writes a coerced root value back to the request.
    const result = runInPlace(validate, value, request, key)
    if (result === true) return undefined
    return isThenable(result) ? readRejection(result) : (validate.errors ?? [])
  }
  if (isStandardValidator(validate)) return validate.validateMember(request, key)
  let result: unknown
  try {
    result = validate(value)
  } catch (error) {
    return readThrown(error, validator)
  }
  return isThenable(result)
    ? Promise.resolve(result).then(
        (settled) => readResult(settled, validate, request, key),
        (error) => readThrown(error, validator),
      )
    : readResult(result, validate, request, key)
}

/** Returns the function of a validator that may be a placeholder: a function whose schema is not compiled yet. */
export function lazyPartOf(validate: ValidateFunction): object {
  return (isStandardValidator(validate) && validate.coerce) || validate
}

/**
 * Validates a part that the client did not send. A schema that allows `null` by its type or values is satisfied. A schema that limits
 * objects only (`required`, `minProperties`, in `anyOf` or behind a reference) is satisfied by everything that is not an object, so it must
 * allow `{}` too. These values are only tried out: the part stays absent.
 */
function validateAbsent(validate: Validator, key: string): unknown {
  const target: Record<string, unknown> = {}
  const result = runInPlace(validate, null, target, key)
  if (isThenable(result)) return validateAbsentLater(validate, key, target, result)
  if (result !== true) return validate.errors ?? []
  if (runInPlace(validate, undefined, {}, key) !== true) {
    // Coercion may have turned `null` into '', 0 or false, which are not allowed instead of it.
    return target[key] == null ? undefined : (validate.errors ?? [])
  }
  return runInPlace(validate, {}, {}, key) === true ? undefined : (validate.errors ?? [])
}

/** Validates a part that the client did not send, as {@link validateAbsent} does, with a validator that is asynchronous. */
async function validateAbsentLater(validate: Validator, key: string, target: Record<string, unknown>, result: unknown): Promise<unknown> {
  const failure = await readRejection(result)
  if (failure !== undefined) return failure
  const failureOfNothing = await readRejection(runInPlace(validate, undefined, {}, key))
  if (failureOfNothing !== undefined) return target[key] == null ? undefined : failureOfNothing
  return readRejection(runInPlace(validate, {}, {}, key))
}

/** Reads the result of an asynchronous validator of ajv. @returns a promise of its errors; of `undefined` if the value is valid */
async function readRejection(result: unknown): Promise<unknown> {
  try {
    await result
    return undefined
  } catch (error: any) {
    // Any other rejection means that a keyword itself failed; the client is not to blame.
    if (!Array.isArray(error?.errors)) throw error
    return error.errors
  }
}

function runInPlace(validate: Validator, value: any, target: object, key: string): unknown {
  return validate(value, { instancePath: '', parentData: target, parentDataProperty: key, rootData: value, dynamicAnchors: {} })
}

/**
 * Reads the result of a validator of the application; {@link ValidateFunction} lists the possible results.
 * @returns the errors; `undefined` if the value is valid
 */
function readResult(result: any, validate: ValidateFunction, request: RequestParts, key: (typeof requestKey)[HttpPart]): unknown {
  if (result === false) return validate.errors ?? []
  if (result === null || typeof result !== 'object') return undefined
  if (result.error) return result.error
  if ('value' in result && result.value !== undefined) request[key] = result.value
  return undefined
}

/**
 * Returns the error that a validator of the application threw, or rejected with, if it says that the value is invalid.
 * @throws any other error: the validator itself has failed, for example because its database cannot be reached. The client is not to blame.
 */
function readThrown(thrown: any, { throwsPlainErrors }: PartValidator): unknown {
  if (Array.isArray(thrown) || isValidationFailure(thrown) || (throwsPlainErrors && isPlainError(thrown))) return thrown
  throw thrown ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR()
}

/**
 * Whether an error says that a value is invalid: by its class (ajv, Joi, Yup), the list of its issues (Zod, Valibot), its own `validation`,
 * or the status 400.
 */
function isValidationFailure(thrown: any): boolean {
  if (!(thrown instanceof Error)) return false
  const { name, validation, issues, statusCode, status } = thrown as Error &
    Partial<Record<'validation' | 'issues' | 'statusCode' | 'status', unknown>>
  return name === 'ValidationError' || Boolean(validation) || Array.isArray(issues) || statusCode === 400 || status === 400
}

/** Whether an error is nothing but a text. Errors of drivers and of the network have a class or a code. */
function isPlainError(thrown: unknown): boolean {
  return thrown instanceof Error && Object.getPrototypeOf(thrown) === Error.prototype && Object.keys(thrown).length === 0
}

/** Whether a function is a validator that ajv made, or that the default engine made from functions of ajv. */
function isAjvValidator(validate: ValidateFunction): validate is ValidateFunction & Validator {
  return 'schemaEnv' in validate
}

function isThenable(value: unknown): value is Promise<unknown> {
  return value != null && typeof (value as Promise<unknown>).then === 'function'
}

/** The errors that were turned into validation errors, each with the `validationContext` that a validator had set on it. */
const reported = new WeakMap<Error, unknown>()

/** Whether an error was made by a failed validation. */
export function isValidationError(error: unknown): error is ValidationError {
  return error instanceof Error && reported.has(error)
}

/** Makes a validation error from the report of a validator. @throws ALC_ERR_SCH_FORMATTER_RESULT */
function toValidationError(reportedDetails: unknown, part: HttpPart, format: OmitThisParameter<SchemaErrorFormatter>): ValidationError {
  const details = Array.isArray(reportedDetails) ? limitIssues(reportedDetails) : reportedDetails
  const isReady = details instanceof Error
  const formatted: unknown = isReady ? details : format(details as SchemaErrorDetail[], part)
  if (!(formatted instanceof Error)) {
    ignoreRejection(formatted)
    throw new errorCodes.ALC_ERR_SCH_FORMATTER_RESULT(formatted === null ? 'null' : typeof formatted)
  }
  const isReused = reported.has(formatted)
  const ownContext = isReused ? reported.get(formatted) : isReady ? (formatted as ValidationError).validationContext : undefined
  // A constant error may still be in use by another request.
  let error = isReused ? copyError(formatted) : formatted
  if (!describe(error)) describe((error = copyError(formatted)))
  reported.set(error, ownContext)
  return error as ValidationError

  /** Sets the properties of a validation error. @returns whether the error could be changed */
  function describe(target: Partial<ValidationError> & { status?: unknown }): boolean {
    return (
      setProperty(target, 'statusCode', 400) &&
      (target.status === undefined || setProperty(target, 'status', 400)) &&
      setProperty(target, 'code', target.code || 'ALC_ERR_VALIDATION') &&
      setProperty(target, 'validationContext', ownContext || contextName[part]) &&
      (isReady ? markAsValidationError(target, details) : setProperty(target, 'validation', details))
    )
  }
}

/**
 * Marks an error of the validator itself as a validation error, by the property `validation`. The property refers to the error, so it is
 * not enumerable: serializing the error would otherwise run in a circle.
 */
function markAsValidationError(error: Partial<ValidationError>, details: unknown): boolean {
  return (
    error.validation !== undefined || Reflect.defineProperty(error, 'validation', { value: details, configurable: true, writable: true })
  )
}

/** Sets a property, even if the class of the object defines it with only a getter. @returns whether that was possible */
function setProperty(target: object, key: string, value: unknown): boolean {
  return (
    Reflect.set(target, key, value) || Reflect.defineProperty(target, key, { value, configurable: true, enumerable: true, writable: true })
  )
}

/** Copies an error. The copy has the same class, and its properties can be changed. */
function copyError(error: Error): Error {
  const copy = Object.setPrototypeOf(new Error(error.message, { cause: error }), Object.getPrototypeOf(error) as object) as Error
  for (const key of Reflect.ownKeys(error)) {
    const { enumerable = false } = Object.getOwnPropertyDescriptor(error, key)!
    Object.defineProperty(copy, key, { value: Reflect.get(error, key), configurable: true, enumerable, writable: true })
  }
  return copy
}

/** The default formatter of validation errors: `body should have required property 'name'`, `body/age should be integer`. */
export const formatSchemaErrors: SchemaErrorFormatter = function formatSchemaErrors(errors, dataVar) {
  return listErrors(errors, dataVar, describeDetail)
}

/** Makes an error whose message lists what a validator reported, each detail in the words that `wordsOf` returns. */
export function listErrors(errors: SchemaErrorDetail[], dataVar: string, wordsOf: (detail: SchemaErrorDetail) => string): Error {
  const reported: unknown = errors
  if (!Array.isArray(reported)) {
    const text = typeof reported === 'string' ? reported : (reported as { message?: string } | null | undefined)?.message
    return new Error(`${dataVar} ${text ?? 'is invalid'}`)
  }
  return new Error(
    errors.map((error) => `${dataVar}${error?.instancePath ?? ''} ${wordsOf(error ?? {})}`).join(', ') || `${dataVar} is invalid`,
  )
}

/** The keywords whose messages ajv and ajv-formats write. */
const engineKeywords = new Set(
  `additionalItems additionalProperties alcove-bytes alcove-finite anyOf const contains dependencies dependentRequired discriminator enum exclusiveMaximum
  exclusiveMinimum format formatExclusiveMaximum formatExclusiveMinimum formatMaximum formatMinimum if maximum maxItems maxLength
  maxProperties minimum minItems minLength minProperties multipleOf not oneOf pattern propertyNames required type unevaluatedItems
  unevaluatedProperties uniqueItems`.split(/\s+/),
).add('false schema')

/** The "must" of a message of ajv, which may stand behind the name that the message is about. */
const mustOfEngine = /^(property name |(?:value of )?tag "[^"]*" )?must\b/

/**
 * Returns the words for a detail of a validation error. Messages of ajv say "must", messages of alcove say "should". Messages of the
 * application and of schema libraries are not changed.
 */
export function describeDetail({ keyword, message = 'is invalid' }: SchemaErrorDetail): string {
  const isOfEngine = engineKeywords.has(keyword) || message === `must pass "${keyword}" keyword validation`
  return isOfEngine ? message.replace(mustOfEngine, '$1should') : message
}
