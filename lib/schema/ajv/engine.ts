/**
 * The default engine of validation (ajv 8, which no file but the validation-… ones knows): how it is set up, and how schemas are
 * compiled, in stages where one pass would not do.
 */
import type { Ajv as AjvInstance, Options as AjvOptions, ValidateFunction as AjvFunction } from 'ajv'
import * as ajvModule from 'ajv'
import * as ajvFormats from 'ajv-formats'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import * as ajvStandalone from 'ajv/dist/standalone/index.js'
import uriResolver from 'fast-uri'
import type { JsvOptions, ValidateFunction, ValidatorCompiler } from '../../types/compilers.js'
import type { ServerOptions } from '../../types/options.js'
import type { HttpPart } from '../../types/request.js'
import { CompiledSchemas, type Compiling, keyOfPart, type ReadBuilt } from '../lazy/cache.js'
import { canGenerateCode } from '../../build/prebuilt.js'
import { SchemaCheck } from '../lazy/check.js'
import { namesInherited, withShared } from '../schema-keys.js'
import { compareValues, divideDecimals, helpers, refuseNonFiniteNumbers } from './keywords.js'
import { inStages, isTangled, withoutAlternatives } from './multi-pass.js'

const { Ajv, MissingRefError } = ajvModule
const addFormats = ajvFormats.default as unknown as (jsv: AjvInstance) => void
const standalone = ajvStandalone.default as unknown as (jsv: AjvInstance, validate: AjvFunction) => string
const formats: ReadonlySet<string> = new Set(Object.keys(fullFormats))

/** Formats that differ from the library's. */
const ownFormats = {
  // The same URLs, in time that grows with their length: each `@` may end the user's name, colons or not, and what follows one
  // would be read to a blank at the end.
  url: new RegExp((fullFormats.url as RegExp).source.replace('^', '^(?=\\S*$)').replace('(?::\\S*)?', ''), 'iu'),
  // All lines of it, and not one of them.
  byte: /^(?:[a-z\d+/]{4})*(?:[a-z\d+/]{2}==|[a-z\d+/]{3}=)?$/i,
}

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

/** What a schema is compiled for: one function, or one in stages for values with the types of JSON or without. */
export type Variant = 'single' | 'typed' | 'untyped'

type Stage = 'coercing' | 'exact' | 'outer'
/** The first is all there is where a schema needs no stages. */
const stages: readonly Stage[] = ['coercing', 'exact', 'outer']

/** What a stage is called in a build. */
function partOf(stage: Stage): string | undefined {
  return stage === 'coercing' ? undefined : stage
}

/** Returns the ajv instance for these option changes, made on first use. */
type InstanceFactory = (changes: AjvOptions) => AjvInstance

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
export class ValidationEngine implements Compiling<Validator, Variant> {
  readonly #compiled: CompiledSchemas<Validator, Variant>
  readonly #options: AjvOptions
  readonly #namesInherited: (schema: unknown) => boolean
  readonly #isTangled: (schema: unknown) => boolean
  readonly #instance: InstanceFactory
  /** Those whose validators can be written as code. */
  readonly #writingInstance: InstanceFactory
  readonly isLazy: boolean
  readonly check: SchemaCheck | undefined

  /** @param compiled those of the server, for the schemas that mean the same with other shared ones */
  constructor(
    shared: Record<string, any>,
    options: JsvOptions,
    compiled: CompiledSchemas<Validator, Variant>,
    when: ServerOptions['compile'],
  ) {
    this.#compiled = compiled
    this.#options = { ...baselineOptions, ...options.customOptions }
    this.#namesInherited = withShared(shared, namesInherited)
    this.#isTangled = withShared(shared, isTangled)
    this.#instance = instanceFactory(shared, options, this.#options)
    this.#writingInstance = instanceFactory(shared, options, { ...this.#options, code: { source: true } })
    this.isLazy = when === 'lazy'
    const isKnown =
      this.isLazy &&
      canGenerateCode() &&
      !isExtended(options) &&
      Object.keys(options.customOptions ?? {}).every((name) => knownOptions.has(name))
    this.check = isKnown ? new SchemaCheck(shared, { hasCombinators: true, hasCircles: true, isStrict: true, formats }) : undefined
    if (this.check?.isSharedSound !== true && !compiled.isSharedBuilt) this.#instance(this.#changes('coercing', shared))
  }

  readonly compiler: ValidatorCompiler = ({ schema, httpPart }) =>
    this.#compiled.now(schema, this, this.#variantOf(schema, httpPart)) as ValidateFunction

  /** A validator that is compiled when it is first called; at once where that might fail. */
  late(schema: any, httpPart: HttpPart, where: string): ValidateFunction {
    return this.#compiled.late(schema, this, this.#variantOf(schema, httpPart), where) as ValidateFunction
  }

  compile(schema: any, variant: Variant): Validator {
    return compose((stage) => this.#compileStage(stage, schema, this.#instance), variant)
  }

  adopt(read: ReadBuilt, schema: any, variant: Variant): Validator {
    return compose((stage) => {
      const prebuilt = read(partOf(stage), helpers)
      return prebuilt && asValidator(prebuilt, schema)
    }, variant)
  }

  standIn(compile: () => Validator): Validator {
    return createLateValidator(compile)
  }

  /** The code of all that was compiled or is to be. */
  *code(): Iterable<{ key: string; code: string }> {
    if (this.#compiled.sharedKey !== undefined) yield { key: this.#compiled.sharedKey, code: '' }
    for (const { key, schema } of this.#compiled.entries()) {
      for (const stage of this.#isStaged(schema) ? stages : stages.slice(0, 1)) {
        const validate = this.#compileStage(stage, schema, this.#writingInstance)
        const jsv = this.#writingInstance(this.#changes(stage, schema))
        if (validate !== undefined) yield { key: keyOfPart(key, partOf(stage)), code: standalone(jsv, validate) }
      }
    }
  }

  #variantOf(schema: any, httpPart: HttpPart | undefined): Variant {
    return this.#isStaged(schema) ? (httpPart === 'body' ? 'typed' : 'untyped') : 'single'
  }

  #isStaged(schema: any): boolean {
    const { coerceTypes, removeAdditional } = this.#options
    return Boolean(coerceTypes || removeAdditional) && !schema?.$async && this.#isTangled(schema)
  }

  #compileStage(stage: Stage, schema: any, instance: InstanceFactory): AjvFunction | undefined {
    const jsv = instance(this.#changes(stage, schema))
    if (stage !== 'outer') return compileSchema(jsv, schema)
    try {
      return compileSchema(jsv, withoutAlternatives(schema))
    } catch {
      // A reference into an alternative leads nowhere without it.
      return undefined
    }
  }

  /** What is different for a stage. What the engine has to say of a schema it says once. */
  #changes(stage: Stage, schema: any): AjvOptions {
    const ownProperties = this.#options.ownProperties ?? this.#namesInherited(schema)
    if (stage === 'exact') return { ownProperties, coerceTypes: false, removeAdditional: false, logger: false }
    return stage === 'outer' ? { ownProperties, strict: false, logger: false } : { ownProperties }
  }
}

/**
 * Builds the default validator compiler from shared schemas: for compilers of one's own that leave some parts to it, say with other
 * options. It compiles at once; `options` are merged over the baseline, as `jsv` is.
 * ```ts
 * createServer({ schemaController: { compilersFactory: { buildValidator(schemas, options) {
 *   const coercing = buildValidatorCompiler(schemas, options)
 *   const strict = buildValidatorCompiler(schemas, { ...options, customOptions: { coerceTypes: false } })
 *   return (route) => (route.httpPart === 'body' ? strict : coercing)(route)
 * } } } })
 * ```
 * @throws what ajv throws for shared schemas that it cannot take; the compiler, for a schema that it cannot compile
 */
export function buildValidatorCompiler(sharedSchemas: Record<string, any>, options: JsvOptions): ValidatorCompiler {
  const compilation = { kind: 'validators', alone: new Map(), build: undefined, onMissing: () => {} } as const
  return new ValidationEngine(sharedSchemas, options, new CompiledSchemas<Validator, Variant>(compilation, undefined), 'boot').compiler
}

/** Makes one validator of what a schema is compiled to. */
function compose(functionOf: (stage: Stage) => any, variant: Variant): Validator {
  const coercing: Validator = functionOf('coercing')
  if (variant === 'single') return coercing
  const validate: any = inStages(functionOf('exact'), functionOf('outer') ?? coercing, coercing as any, variant === 'typed')
  return validate
}

/** A function that the engine did not make as one of its own. */
function asValidator(given: (data: unknown) => unknown, schema: unknown): Validator {
  return Object.assign(given, { schema, schemaEnv: undefined }) as unknown as Validator
}

/** Whether functions of the application have a hand in the engine. */
export function isExtended({ plugins = [], onCreate }: JsvOptions): boolean {
  return plugins.length > 0 || onCreate !== undefined
}

function instanceFactory(
  shared: Record<string, any>,
  { plugins = [], onCreate }: Pick<JsvOptions, 'plugins' | 'onCreate'>,
  options: AjvOptions,
): InstanceFactory {
  const instances = new Map<string, AjvInstance>()
  return (changes) => {
    const key = JSON.stringify(changes)
    let jsv = instances.get(key)
    if (jsv === undefined) instances.set(key, (jsv = create({ ...options, ...changes })))
    return jsv
  }

  function create(all: AjvOptions): AjvInstance {
    const jsv = new Ajv(all)
    refuseNonFiniteNumbers(jsv)
    if (all.multipleOfPrecision === undefined) divideDecimals(jsv)
    compareValues(jsv)
    // A formats plugin of the application comes with the formats and options that it wants.
    if (!plugins.some((plugin) => pluginFunction(plugin).name === 'formatsPlugin')) {
      addFormats(jsv)
      for (const [name, format] of Object.entries(ownFormats)) jsv.addFormat(name, format)
    }
    for (const plugin of plugins) pluginFunction(plugin)(jsv, Array.isArray(plugin) ? plugin[1] : undefined)
    onCreate?.(jsv)
    for (const [id, schema] of Object.entries(shared)) jsv.addSchema(schema, id)
    return jsv
  }
}

function createLateValidator(compile: () => AjvFunction): AjvFunction {
  function late(this: unknown, ...parameters: Parameters<AjvFunction>): unknown {
    const validate = compile()
    const result = validate.apply(this as any, parameters)
    late.errors = validate.errors
    late.schema = validate.schema
    return result
  }
  late.errors = undefined as AjvFunction['errors']
  late.schema = undefined as unknown
  return asValidator(late, undefined)
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
