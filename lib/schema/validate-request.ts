/** Validation of requests: what a route's validators are, how they are run part by part, and how a failed one becomes an error. */
import type { SchemaErrorDetail, SchemaErrorFormatter, ValidateFunction, ValidationError } from '../types/compilers.js'
import type { HttpPart, Request, ValidationContext } from '../types/request.js'
import type { Server } from '../types/server.js'
import { errorCodes } from '../errors.js'
import type { MediaTypeMap } from '../http/media-type.js'
import { kHeaders } from '../util/symbols.js'
import { ignoreRejection } from '../util/promises.js'
import type { Validator } from './ajv/engine.js'

/** Where a part lives on the request, what its errors call it, and its compiled validator. */
export interface PartValidator {
  readonly part: HttpPart
  /** A late one gives way to what it compiles. */
  validate: ValidateFunction
  /** Body validators by media type, where `body.content` gives each its own. */
  readonly byMediaType: MediaTypeMap<ValidateFunction> | undefined
}

/** The order in which parts are validated (design decision 6). */
export const partOrder: readonly HttpPart[] = ['params', 'body', 'querystring', 'headers']

const requestKey = { params: 'params', body: 'body', querystring: 'query', headers: 'headers' } as const
const contextName: Record<HttpPart, ValidationContext> = { params: 'params', body: 'body', querystring: 'query', headers: 'headers' }

/**
 * Validates a request part by part. Gives `undefined` when all is well, else the error; a promise of it where a validator
 * is asynchronous.
 */
export function validateRequest(
  validators: readonly PartValidator[],
  request: Request,
  bodyMediaType: string | undefined,
  format: SchemaErrorFormatter,
  from = 0,
): unknown {
  for (let index = from; index < validators.length; index++) {
    const { part, validate, byMediaType } = validators[index]!
    const failure = validatePart(byMediaType?.find(bodyMediaType) ?? validate, part, request)
    if (failure === undefined) continue
    if (failure instanceof Promise) {
      return failure.then((result) =>
        result === undefined
          ? validateRequest(validators, request, bodyMediaType, format, index + 1)
          : toValidationError(result, part, format),
      )
    }
    return toValidationError(failure, part, format)
  }
  return undefined
}

/** `undefined`: valid. Anything else is what the engine has to say; a promise of either for asynchronous validators. */
function validatePart(validate: ValidateFunction, part: HttpPart, request: Request): unknown {
  const key = requestKey[part]
  const target = request as unknown as Record<string, unknown>
  if (part === 'headers') {
    // Validated headers may be coerced or removed; those of the raw request stay what the client sent.
    target[kHeaders as unknown as string] = { ...request.headers }
  }
  const value = target[key] ?? null
  if (isOfEngine(validate)) {
    const isMissing = target[key] === undefined
    // Given its place in the request, the validator writes a coerced root value back.
    const result = runInPlace(validate, value, target, key)
    if (result === true) {
      if (!isMissing) return undefined
      if (target[key] == null)
        return isDemanding(validate.schema) && runInPlace(validate, {}, {}, key) !== true ? (validate.errors ?? []) : undefined
      // Coercion made '', 0 or false of a body that was never sent.
      target[key] = undefined
      return runInPlace(validate, undefined, target, key) === true ? undefined : (validate.errors ?? [])
    }
    if (isPromise(result))
      return result.then(
        () => undefined,
        (error) => {
          // What else a keyword rejects with is its failure, not the client's.
          if (!Array.isArray(error?.errors)) throw error
          return error.errors
        },
      )
    return validate.errors ?? []
  }
  const result = validate(value) as unknown
  return isPromise(result)
    ? Promise.resolve(result).then(
        (settled) => readResult(settled, validate, target, key),
        (error) => error ?? [],
      )
    : readResult(result, validate, target, key)
}

/** Whether a schema asks for properties without saying that it is for objects: nothing at all would satisfy it. */
function isDemanding(schema: any): boolean {
  return Array.isArray(schema.required) && schema.type === undefined
}

function runInPlace(validate: Validator, value: any, target: Record<string, unknown>, key: string): unknown {
  return validate(value, { instancePath: '', parentData: target, parentDataProperty: key, rootData: value, dynamicAnchors: {} })
}

function readResult(result: any, validate: ValidateFunction, target: Record<string, unknown>, key: string): unknown {
  if (result === false) return validate.errors ?? []
  if (result === null || typeof result !== 'object') return undefined
  if (result.error) return result.error
  if ('value' in result && result.value !== undefined) target[key] = result.value
  return undefined
}

function isOfEngine(validate: ValidateFunction): validate is ValidateFunction & Validator {
  return 'schemaEnv' in validate
}

function isPromise(value: unknown): value is Promise<unknown> {
  return value != null && typeof (value as Promise<unknown>).then === 'function'
}

/** Makes the validation error of spec: Validation error object. @throws ALC_ERR_SCH_FORMATTER_RESULT */
function toValidationError(details: unknown, part: HttpPart, format: SchemaErrorFormatter): ValidationError {
  let error: ValidationError
  if (details instanceof Error) {
    error = extensible(details)
    // Engines that throw or return their own Error: it is the content of `error`, and marks a validation error. Not
    // enumerable, so that nobody who serializes the error runs in circles.
    if (error.validation === undefined) Object.defineProperty(error, 'validation', { value: details, configurable: true, writable: true })
  } else {
    const formatted: unknown = format.call(undefined as unknown as Server, details as SchemaErrorDetail[], part)
    if (!(formatted instanceof Error)) {
      ignoreRejection(formatted)
      throw new errorCodes.ALC_ERR_SCH_FORMATTER_RESULT(formatted === null ? 'null' : typeof formatted)
    }
    error = extensible(formatted)
    error.validation = details
  }
  error.statusCode ||= 400
  error.code ||= 'ALC_ERR_VALIDATION'
  error.validationContext ||= contextName[part]
  return error
}

/** An error that can be told what failed: a frozen one cannot. */
function extensible(error: Error): ValidationError {
  return (Object.isExtensible(error) ? error : Object.assign(new Error(error.message, { cause: error }), error)) as ValidationError
}

/** The default formatter: `body should have required property 'name'`, `body/age should be integer`. */
export const formatSchemaErrors: SchemaErrorFormatter = function formatSchemaErrors(errors, dataVar) {
  if (!Array.isArray(errors))
    return new Error(`${dataVar} ${typeof errors === 'string' ? errors : ((errors as any)?.message ?? 'is invalid')}`)
  return new Error(
    errors.map((error) => `${dataVar}${error?.instancePath ?? ''} ${wording(error ?? {})}`).join(', ') || `${dataVar} is invalid`,
  )
}

// The engine's own messages say "must"; the spec's wording is "should". Messages of an application stay as they are.
function wording({ keyword, message = 'is invalid' }: SchemaErrorDetail): string {
  return keyword === 'errorMessage' ? message : message.replace(/^must\b/, 'should')
}
