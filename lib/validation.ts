/**
 * Validation of requests: the default engine (ajv 8, the only file that knows it), what a route's validators are, and how
 * a failed one becomes an error.
 */
import type { Ajv as AjvInstance, CodeKeywordDefinition, Options as AjvOptions, ValidateFunction as AjvFunction } from 'ajv'
import * as ajvModule from 'ajv'
import * as ajvFormats from 'ajv-formats'
import uriResolver from 'fast-uri'
import type {
  HttpPart,
  JsvOptions,
  Request,
  SchemaErrorDetail,
  SchemaErrorFormatter,
  Server,
  ValidateFunction,
  ValidationContext,
  ValidationError,
  ValidatorCompiler,
} from './contract.js'
import { errorCodes } from './errors.js'
import type { MediaTypeMap } from './media-type.js'
import { namesInherited } from './schema-names.js'
import { kHeaders } from './symbols.js'
import { comparesPrimitives, findDuplicates, isAmong, isEqual } from './validation-equality.js'
import { inStages, isTangled, withoutAlternatives } from './validation-stages.js'

const { Ajv, MissingRefError, _, str } = ajvModule
const addFormats = ajvFormats.default as unknown as (jsv: AjvInstance) => void

/** The baseline of spec: Validation behavior 3. */
const baselineOptions: AjvOptions = {
  coerceTypes: 'array',
  useDefaults: true,
  removeAdditional: true,
  uriResolver,
  addUsedSchema: false,
  allErrors: false,
}

/** Builds the default validator compiler of a context from its shared schemas. */
export function buildValidatorCompiler(
  sharedSchemas: Record<string, any>,
  { plugins = [], customOptions = {}, onCreate }: JsvOptions,
): ValidatorCompiler {
  const ownProperties = namesInherited(sharedSchemas)
  const engines = new Map<string, AjvInstance>()
  const settings = { ...baselineOptions, ...customOptions }
  const engine = (changes: AjvOptions): AjvInstance => {
    const key = JSON.stringify(changes)
    let jsv = engines.get(key)
    if (jsv === undefined) engines.set(key, (jsv = createEngine({ ...settings, ...changes })))
    return jsv
  }
  engine({ ownProperties })
  const isChanging = Boolean(settings.coerceTypes || settings.removeAdditional)
  return ({ schema, httpPart }) => {
    const common = { ownProperties: settings.ownProperties ?? (ownProperties || namesInherited(schema)) }
    const coercing = compileSchema(engine(common), schema)
    if (!isChanging || '$async' in coercing || !isTangled(schema, sharedSchemas)) return coercing as ValidateFunction
    // What the engine has to say of the schema it has said once.
    const exact = compileSchema(engine({ ...common, coerceTypes: false, removeAdditional: false, logger: false }), schema)
    return inStages(exact as any, compileOuter() as any, coercing as any, httpPart === 'body')

    function compileOuter(): AjvFunction {
      try {
        return compileSchema(engine({ ...common, strict: false, logger: false }), withoutAlternatives(schema))
      } catch {
        // A reference into an alternative leads nowhere without it.
        return coercing
      }
    }
  }

  function createEngine(options: AjvOptions): AjvInstance {
    const jsv = new Ajv(options)
    refuseNonFiniteNumbers(jsv)
    if (options.multipleOfPrecision === undefined) divideDecimals(jsv)
    compareValues(jsv)
    // A formats plugin of the application comes with the formats and options that it wants.
    if (!plugins.some((plugin) => pluginFunction(plugin).name === 'formatsPlugin')) addFormats(jsv)
    for (const plugin of plugins) pluginFunction(plugin)(jsv, Array.isArray(plugin) ? plugin[1] : undefined)
    onCreate?.(jsv)
    for (const [id, schema] of Object.entries(sharedSchemas)) jsv.addSchema(schema, id)
    return jsv
  }
}

/** `const`, `enum` and `uniqueItems` that call nothing a client sent, in time that grows with what was sent. */
function compareValues(jsv: AjvInstance): void {
  for (const [keyword, compare, limit] of [
    ['const', isEqual, 1],
    // Long lists are looped over, with the engine's own equality.
    ['enum', isAmong, 200],
  ] as const) {
    const given = jsv.getKeyword(keyword) as CodeKeywordDefinition
    jsv.removeKeyword(keyword)
    jsv.addKeyword({
      ...given,
      code(context) {
        if (comparesPrimitives(context) && [context.schema].flat().length < limit + 1) return given.code(context)
        const isMatch = context.gen.scopeValue('func', { ref: compare })
        context.fail$data(_`!${isMatch}(${context.data}, ${context.schemaCode})`)
      },
    })
  }
  jsv.removeKeyword('uniqueItems')
  jsv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    $data: true,
    error: {
      message: ({ params: { i, j } }) => str`must NOT have duplicate items (items ## ${j} and ${i} are identical)`,
      params: ({ params: { i, j } }) => _`{i: ${i}, j: ${j}}`,
    },
    code(context) {
      const { gen, data, schema, schemaCode, $data } = context
      if (!$data && !schema) return
      const duplicates = gen.const('duplicates', _`${gen.scopeValue('func', { ref: findDuplicates })}(${data})`)
      context.setParams({ i: _`${duplicates}[0]`, j: _`${duplicates}[1]` })
      context.fail$data(_`${schemaCode} !== false && ${duplicates} !== undefined`)
    },
  })
}

/** `multipleOf` by the decimals that were written: 19.99 is a multiple of 0.01, which the quotient of doubles denies. */
function divideDecimals(jsv: AjvInstance): void {
  jsv.removeKeyword('multipleOf')
  jsv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    error: {
      message: ({ schemaCode }) => str`must be multiple of ${schemaCode}`,
      params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}`,
    },
    code(context) {
      const isMultipleOf = context.gen.scopeValue('func', { ref: isMultiple })
      context.fail$data(_`!${isMultipleOf}(${context.data}, ${context.schemaCode})`)
    },
    $data: true,
  })
}

function isMultiple(value: number, divisor: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(divisor)) return value % divisor === 0
  // A divisor may come with the data.
  if (!Number.isFinite(value) || !(divisor > 0)) return false
  const [digits, exponent] = decimal(value)
  const [divisorDigits, divisorExponent] = decimal(divisor)
  const least = Math.min(exponent, divisorExponent)
  return (digits * 10n ** BigInt(exponent - least)) % (divisorDigits * 10n ** BigInt(divisorExponent - least)) === 0n
}

/** A number as digits and a power of ten. */
function decimal(value: number): [digits: bigint, exponent: number] {
  const [mantissa = '', power = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return [BigInt(whole + fraction), Number(power) - fraction.length]
}

/**
 * With `addUsedSchema: false` ajv does not find the root of the schema it compiles: neither `#` nor, from a subschema with
 * an `$id` of its own, the root's `$id`. A schema whose references cannot be resolved gets a second chance with its root
 * registered for as long as that takes.
 */
function compileSchema(jsv: AjvInstance, schema: any): AjvFunction {
  try {
    return jsv.compile(schema)
  } catch (error) {
    const id = String(schema?.$id ?? '').replace(/#$/, '')
    if (!(error instanceof MissingRefError) || id in jsv.schemas || id in jsv.refs) throw error
    jsv.addSchema(schema, id)
    try {
      return jsv.compile(schema)
    } finally {
      jsv.removeSchema(id)
    }
  }
}

function pluginFunction(plugin: unknown): (jsv: AjvInstance, options?: unknown) => unknown {
  return (Array.isArray(plugin) ? plugin[0] : plugin) as (jsv: AjvInstance, options?: unknown) => unknown
}

/**
 * Coercion turns `"Infinity"` and `"1e400"` into ±Infinity, which then skips `minimum` and `maximum`. A rule that runs
 * wherever `type` stands, after coercion, refuses them (design decision 8).
 */
function refuseNonFiniteNumbers(jsv: AjvInstance): void {
  const keyword = 'alcove-finite'
  jsv.addKeyword({
    keyword,
    schemaType: [],
    allowUndefined: true,
    error: { message: 'must be a finite number' },
    code(context) {
      const types = [context.parentSchema['type']].flat()
      if (types.includes('number') || types.includes('integer'))
        context.fail(_`typeof ${context.data} == "number" && !isFinite(${context.data})`)
    },
  })
  const definition = jsv.getKeyword(keyword)
  // Set after registration: given at registration, ajv would register `type` itself anew.
  if (typeof definition === 'object') definition['implements'] = ['type']
}

/** Where a part lives on the request, what its errors call it, and its compiled validator. */
export interface PartValidator {
  readonly part: HttpPart
  readonly validate: ValidateFunction
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
  if (isAjvFunction(validate)) {
    const isMissing = target[key] === undefined
    // Given its place in the request, the validator writes a coerced root value back.
    const result = runAjv(validate, value, target, key)
    if (result === true) {
      if (!isMissing) return undefined
      if (target[key] == null)
        return isDemanding(validate.schema) && runAjv(validate, {}, {}, key) !== true ? (validate.errors ?? []) : undefined
      // Coercion made '', 0 or false of a body that was never sent.
      target[key] = undefined
      return runAjv(validate, undefined, target, key) === true ? undefined : (validate.errors ?? [])
    }
    if (isPromise(result))
      return result.then(
        () => undefined,
        (error) => (error as { errors?: unknown }).errors ?? error ?? [],
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
  return Array.isArray(schema?.required) && schema.type === undefined
}

function runAjv(validate: AjvFunction, value: any, target: Record<string, unknown>, key: string): unknown {
  return validate(value, { instancePath: '', parentData: target, parentDataProperty: key, rootData: value, dynamicAnchors: {} })
}

function readResult(result: any, validate: ValidateFunction, target: Record<string, unknown>, key: string): unknown {
  if (result === false) return validate.errors ?? []
  if (result === null || typeof result !== 'object') return undefined
  if (result.error) return result.error
  if ('value' in result && result.value !== undefined) target[key] = result.value
  return undefined
}

function isAjvFunction(validate: ValidateFunction): validate is ValidateFunction & AjvFunction {
  return 'schemaEnv' in validate
}

function isPromise(value: unknown): value is Promise<unknown> {
  return value != null && typeof (value as Promise<unknown>).then === 'function'
}

/** Makes the validation error of spec: Validation error object. @throws ALC_ERR_SCH_FORMATTER_RESULT */
function toValidationError(details: unknown, part: HttpPart, format: SchemaErrorFormatter): ValidationError {
  let error: ValidationError
  if (details instanceof Error) {
    error = details as ValidationError
    // Engines that throw or return their own Error: it is the content of `error`, and marks a validation error. Not
    // enumerable, so that nobody who serializes the error runs in circles.
    if (error.validation === undefined) Object.defineProperty(error, 'validation', { value: details, configurable: true, writable: true })
  } else {
    const formatted: unknown = format.call(undefined as unknown as Server, details as SchemaErrorDetail[], part)
    if (!(formatted instanceof Error)) throw new errorCodes.ALC_ERR_SCH_FORMATTER_RESULT(formatted === null ? 'null' : typeof formatted)
    error = formatted as ValidationError
    error.validation = details
  }
  error.statusCode ||= 400
  error.code ||= 'ALC_ERR_VALIDATION'
  error.validationContext ||= contextName[part]
  return error
}

/** The default formatter: `body should have required property 'name'`, `body/age should be integer`. */
export const formatSchemaErrors: SchemaErrorFormatter = function formatSchemaErrors(errors, dataVar) {
  if (!Array.isArray(errors))
    return new Error(`${dataVar} ${typeof errors === 'string' ? errors : ((errors as any)?.message ?? 'is invalid')}`)
  return new Error(errors.map((error) => `${dataVar}${error?.instancePath ?? ''} ${wording(error)}`).join(', ') || `${dataVar} is invalid`)
}

// The engine's own messages say "must"; the spec's wording is "should". Messages of an application stay as they are.
function wording({ keyword, message = 'is invalid' }: SchemaErrorDetail): string {
  return keyword === 'errorMessage' ? message : message.replace(/^must\b/, 'should')
}
