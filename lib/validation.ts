/**
 * Validation of requests: the default engine (ajv 8, the only file that knows it), what a route's validators are, and how
 * a failed one becomes an error.
 */
import type { Ajv as AjvInstance, Options as AjvOptions, ValidateFunction as AjvFunction } from 'ajv'
import * as ajvModule from 'ajv'
import * as ajvFormats from 'ajv-formats'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import * as ajvStandalone from 'ajv/dist/standalone/index.js'
import uriResolver from 'fast-uri'
import type {
  HttpPart,
  JsvOptions,
  Request,
  SchemaErrorDetail,
  SchemaErrorFormatter,
  Server,
  ServerOptions,
  ValidateFunction,
  ValidationContext,
  ValidationError,
  ValidatorCompiler,
} from './contract.js'
import { errorCodes } from './errors.js'
import { CompiledSchemas, type Compiling } from './compiled-schemas.js'
import type { MediaTypeMap } from './media-type.js'
import { canGenerateCode } from './prebuilt.js'
import { SchemaCheck } from './schema-check.js'
import { kHeaders } from './symbols.js'

const { Ajv, MissingRefError, _ } = ajvModule
const addFormats = ajvFormats.default as unknown as (jsv: AjvInstance) => void
const standalone = ajvStandalone.default as unknown as (jsv: AjvInstance, validate: AjvFunction) => string
const formats: ReadonlySet<string> = new Set(Object.keys(fullFormats))

/** The baseline of spec: Validation behavior 3. */
const baselineOptions: AjvOptions = {
  coerceTypes: 'array',
  useDefaults: true,
  removeAdditional: true,
  uriResolver,
  addUsedSchema: false,
  allErrors: false,
  // Takes half of the compile time; what it saves, the JavaScript engine saves as well.
  code: { optimize: false },
}

/** A validator that the default engine compiled. */
export type Validator = AjvFunction

/** Options under which the check of schemas holds: they make ajv do more or less, not refuse more. */
const knownOptions = new Set([
  'coerceTypes',
  'useDefaults',
  'removeAdditional',
  'allErrors',
  'verbose',
  'messages',
  'strict',
  'strictSchema',
  'strictNumbers',
  'strictTypes',
  'strictTuples',
  'allowUnionTypes',
  'allowMatchingProperties',
])

/**
 * The default engine of the contexts that share the same schemas. Equal schemas are compiled once; one that is sure to
 * compile, when it is first needed.
 */
export class ValidationEngine implements Compiling<Validator> {
  readonly #shared: Record<string, any>
  readonly #options: JsvOptions
  readonly #compiled: CompiledSchemas<Validator>
  readonly isLate: boolean
  readonly check: SchemaCheck | undefined
  #jsv: AjvInstance | undefined

  /** @param compiled those of the server, for the schemas that mean the same with other shared ones */
  constructor(shared: Record<string, any>, options: JsvOptions, compiled: CompiledSchemas<Validator>, when: ServerOptions['compile']) {
    this.#shared = shared
    this.#options = options
    this.#compiled = compiled
    this.isLate = when === 'late'
    const isKnown =
      this.isLate &&
      canGenerateCode() &&
      !isExtended(options) &&
      Object.keys(options.customOptions ?? {}).every((name) => knownOptions.has(name))
    this.check = isKnown ? new SchemaCheck(shared, { hasCombinators: true, hasCircles: true, isStrict: true, formats }) : undefined
    if (this.check?.isSharedSound !== true && !compiled.isSharedBuilt) this.#jsv = createJsv(shared, options)
  }

  readonly compiler: ValidatorCompiler = ({ schema }) => this.#compiled.now(schema, this) as ValidateFunction

  /** A validator that is compiled when it is first called; at once where that might fail. */
  late(schema: any, where: string): ValidateFunction {
    return this.#compiled.late(schema, this, where) as ValidateFunction
  }

  compile(schema: any): Validator {
    return compileSchema((this.#jsv ??= createJsv(this.#shared, this.#options)), schema)
  }

  standIn(compile: () => Validator): Validator {
    return createLateValidator(compile)
  }

  /** The code of all that was compiled or is to be. */
  *code(): Iterable<{ key: string; code: string }> {
    if (this.#compiled.sharedKey !== undefined) yield { key: this.#compiled.sharedKey, code: '' }
    const jsv = createJsv(this.#shared, { ...this.#options, customOptions: { ...this.#options.customOptions, code: { source: true } } })
    for (const { key, schema } of this.#compiled.entries()) yield { key, code: standalone(jsv, compileSchema(jsv, schema)) }
  }
}

/**
 * Builds the default validator compiler from shared schemas: for compilers of one's own that leave some parts to it, say with
 * other options.
 */
export function buildValidatorCompiler(sharedSchemas: Record<string, any>, options: JsvOptions): ValidatorCompiler {
  const compilation = { kind: 'validators', alone: new Map(), build: undefined, adopt: adoptValidator, onMissing: () => {} } as const
  return new ValidationEngine(sharedSchemas, options, new CompiledSchemas<Validator>(compilation, undefined), 'boot').compiler
}

/** A function of a build as one of ajv's. */
export function adoptValidator(prebuilt: (data: unknown) => unknown): Validator {
  return Object.assign(prebuilt, { schemaEnv: undefined }) as unknown as Validator
}

/** Whether functions of the application have a hand in the engine. */
export function isExtended({ plugins = [], onCreate }: JsvOptions): boolean {
  return plugins.length > 0 || onCreate !== undefined
}

function createJsv(sharedSchemas: Record<string, any>, { plugins = [], customOptions = {}, onCreate }: JsvOptions): AjvInstance {
  const jsv = new Ajv({ ...baselineOptions, ...customOptions })
  refuseNonFiniteNumbers(jsv)
  // A formats plugin of the application comes with the formats and options that it wants.
  if (!plugins.some((plugin) => pluginFunction(plugin).name === 'formatsPlugin')) addFormats(jsv)
  for (const plugin of plugins) pluginFunction(plugin)(jsv, Array.isArray(plugin) ? plugin[1] : undefined)
  onCreate?.(jsv)
  for (const [id, schema] of Object.entries(sharedSchemas)) jsv.addSchema(schema, id)
  return jsv
}

function createLateValidator(compile: () => AjvFunction): AjvFunction {
  function late(this: unknown, ...parameters: Parameters<AjvFunction>): unknown {
    const validate = compile()
    const result = validate.apply(this as any, parameters)
    late.errors = validate.errors
    return result
  }
  late.errors = undefined as AjvFunction['errors']
  return adoptValidator(late)
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
  if (isAjvFunction(validate)) {
    const isMissing = target[key] === undefined
    // Given its place in the request, the validator writes a coerced root value back.
    const result = runAjv(validate, value, target, key)
    if (result === true) {
      if (!isMissing || target[key] == null) return undefined
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
