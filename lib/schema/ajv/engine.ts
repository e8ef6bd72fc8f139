/** The default validation engine: how ajv is set up, and how it compiles schemas. Only files of this folder import ajv. */
import type { Ajv as AjvInstance, Options as AjvOptions, ValidateFunction as AjvFunction } from 'ajv'
import * as ajvModule from 'ajv'
import ajvStandalone from 'ajv/dist/standalone/index.js'
import uriResolver from 'fast-uri'
import type { BuildSink } from '../../build/build-recording.js'
import { canGenerateCode } from '../../build/prebuilt.js'
import type { JsvOptions, ValidateFunction, ValidatorCompiler } from '../../types/compilers.js'
import type { ServerOptions } from '../../types/options.js'
import type { HttpPart } from '../../types/request.js'
import { type CacheSettings, CachingEngine, keyOfVariant, type ReadFromBuild } from '../lazy/cache.js'
import { jsonText, SchemaCheck } from '../lazy/check.js'
import { extendToShared, hasNestedUniqueness } from '../json-schema/schema-keys.js'
import { areTexts, compileStandard, type StandardVariant } from '../standard/compile.js'
import { assertNoRefinement } from '../refinements.js'
import { isStandardSchema } from '../standard/standard-schema.js'
import { findAlternativeDefault } from './alternative-defaults.js'
import { addBytes, withBytes } from './bytes.js'
import { formatNames } from './formats.js'
import { compareValues, continueAfterTuples, divideDecimals, helpers, refuseNonFiniteNumbers } from './keywords.js'
import { createMultiPassValidator, needsMultiplePasses, type Passes, withoutAlternatives } from './multi-pass.js'
import { ajvLogger } from './warnings.js'
import type { DocumentValidator } from './document-validator.js'
import { extendInstance, findKeywordsWithoutCode, helpersOf, isExtended } from './plugins.js'

const { Ajv, MissingRefError } = ajvModule
const writeStandaloneCode = ajvStandalone.default

/** The default options of ajv, over which `jsv.customOptions` is merged. */
export const baselineOptions: AjvOptions = {
  coerceTypes: 'array',
  useDefaults: true,
  removeAdditional: true,
  uriResolver,
  addUsedSchema: false,
  allErrors: false,
  // Optimizing takes half of the compile time and does not make validators faster; the JavaScript engine does the same.
  code: { optimize: false },
}

/** A validator that the default engine compiled. */
export type Validator = AjvFunction

/**
 * The way in which a schema is compiled: to a validator of one pass; to one of several passes, for values with the types of JSON (`typed`)
 * or for texts (`texts`); or to a validator of JSON values that coerces nothing (`exact`).
 */
export type Variant = 'singlePass' | 'typed' | 'texts' | 'exact' | StandardVariant

/**
 * The way in which the values of a body are read: coerced like the values of other request parts, not coerced (`exact`), or as texts
 * (`form`).
 */
export type BodyReading = 'coerced' | 'exact' | 'form'

type PassName = keyof Passes
/** The names of the passes of a validator. A schema that needs only one pass is compiled for the first name. */
const passNames: readonly PassName[] = ['coerce', 'strict', 'withoutAlternatives']
/** The changes of ajv's options for the passes of a validator that coerces nothing. */
const exactly: AjvOptions = { coerceTypes: false }

/**
 * The changes of ajv's options for JSON Schema that was read from a Standard Schema: with them ajv does what the library does. Libraries
 * coerce no body, and remove unknown properties or keep them. There are no warnings, because the application has not written this JSON
 * Schema.
 */
const asLibrary: AjvOptions = { removeAdditional: true, useDefaults: false, strict: false, logger: false }
const standardOptions: Readonly<Record<StandardVariant, AjvOptions>> = {
  asLibraryTyped: { ...asLibrary, coerceTypes: false },
  asLibraryTexts: asLibrary,
  // This variant goes on after a value that cannot be coerced. Its errors are not reported.
  onlyCoerce: { ...asLibrary, removeAdditional: false, allErrors: true, messages: false },
}

function isStandardVariant(variant: Variant | PassName): variant is StandardVariant {
  return Object.hasOwn(standardOptions, variant)
}

/** Returns the name of a pass in a build; `undefined` for the main pass. */
function variantNameOf(pass: PassName, isExact: boolean): string | undefined {
  if (isExact) return `exact-${pass}`
  return pass === 'coerce' ? undefined : pass
}

/** A function that returns the ajv instance for these changes of the options, and makes the instance when it is first needed. */
type InstanceFactory = (changes: AjvOptions) => AjvInstance

/** The options of ajv under which {@link SchemaCheck} is right: none of them makes ajv refuse a schema that it accepts by default. */
const optionsValidForCheck = new Set([
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

/** The default engine of validation. All contexts whose shared schemas are equal share one engine. */
export class ValidationEngine extends CachingEngine<Validator, Variant> {
  readonly #options: AjvOptions
  readonly #needsMultiplePasses: (schema: unknown) => boolean
  readonly #instance: InstanceFactory
  /** Returns instances of ajv that make validators whose code can be written into a build. */
  readonly #writingInstance: InstanceFactory
  readonly #isExtended: boolean

  constructor(
    shared: Record<string, any>,
    options: JsvOptions,
    compileSchemas: ServerOptions['compileSchemas'],
    cache: CacheSettings<Validator, Variant>,
  ) {
    // A plugin that compiles schemas itself fails without code generation: at boot, as no request may fail for that.
    super(shared, isExtended(options) && !canGenerateCode() ? 'boot' : compileSchemas, cache)
    this.#isExtended = isExtended(options)
    this.#options = { ...baselineOptions, ...options.customOptions }
    this.#needsMultiplePasses = extendToShared(this.shared, needsMultiplePasses)
    const isSharedSound = (): boolean => this.check?.isSharedSound === true
    this.#instance = createInstanceFactory(this.shared, options, this.#options, isSharedSound)
    this.#writingInstance = createInstanceFactory(this.shared, options, { ...this.#options, code: { source: true } }, isSharedSound)
    const isCheckValid =
      this.isLazy &&
      canGenerateCode() &&
      !this.#isExtended &&
      Object.keys(options.customOptions ?? {}).every((name) => optionsValidForCheck.has(name))
    if (isCheckValid)
      this.check = new SchemaCheck(this.shared, { hasCombinators: true, hasCircles: true, isStrict: true, formats: formatNames })
    // Making an instance registers the shared schemas, so faults in them fail the boot.
    if (this.check?.isSharedSound !== true && !this.isSharedBuilt) this.#instance(this.#changesFor('coerce', this.shared))
  }

  readonly compiler: ValidatorCompiler = (route) => this.#compileFor(route, 'coerced')
  /** The validator compiler for contexts that coerce no bodies. */
  readonly exactCompiler: ValidatorCompiler = (route) => this.#compileFor(route, 'exact')

  #compileFor({ schema, httpPart }: Parameters<ValidatorCompiler>[0], body: BodyReading): Validator | ValidateFunction {
    assertNoRefinement(schema)
    if (!isStandardSchema(schema)) return this.findOrCompile(schema, (canonical) => this.#variantOf(canonical, httpPart, body))
    return compileStandard(schema, httpPart, areTexts(httpPart), (json, variant) => this.findOrCompile(json, () => variant))
  }

  /**
   * Returns a validator. If the schema is certain to compile, it is compiled when the validator is first called, otherwise at once.
   * @param where the route and the part, for the warning about schemas that the build lacks
   */
  compileLazily(schema: any, httpPart: HttpPart, where: string, body: BodyReading): ValidateFunction {
    if (!isStandardSchema(schema)) return this.findOrDefer(schema, (canonical) => this.#variantOf(canonical, httpPart, body), where)
    const hasTexts = areTexts(httpPart) || (httpPart === 'body' && body === 'form')
    return compileStandard(schema, httpPart, hasTexts, (json, variant) => this.findOrDefer(json, () => variant, where))
  }

  protected override compile(schema: any, variant: Variant): Validator {
    if (isStandardVariant(variant)) return this.#compileWith(this.#instance(this.#changesFor(variant, schema)), schema)
    return this.#combinePasses((pass) => this.#compilePass(pass, schema, variant === 'exact', this.#instance), schema, variant)
  }

  protected override loadFromBuild(read: ReadFromBuild, schema: any, variant: Variant): Validator {
    const isExact = variant === 'exact'
    const find = (name: string | undefined, pass: PassName | StandardVariant): AjvFunction | undefined => {
      const prebuilt = read(name, this.#isExtended ? helpersOf(() => this.#instance(this.#changesFor(pass, schema, isExact))) : helpers)
      return prebuilt && markAsValidator(prebuilt, schema)
    }
    if (isStandardVariant(variant)) return find(variant, variant) ?? this.compile(schema, variant)
    if (isExact && find(variantNameOf('coerce', true), 'coerce') === undefined) return this.compile(schema, variant)
    return this.#combinePasses((pass) => find(variantNameOf(pass, isExact), pass), schema, variant)
  }

  protected override createPlaceholder(compile: () => Validator): Validator {
    function placeholder(this: unknown, ...parameters: Parameters<AjvFunction>): unknown {
      const validate = compile()
      const result = validate.apply(this, parameters)
      placeholder.errors = validate.errors
      placeholder.schema = validate.schema
      return result
    }
    placeholder.errors = undefined as AjvFunction['errors']
    placeholder.schema = undefined as unknown
    return markAsValidator(placeholder, undefined)
  }

  /** Writes the code of all schemas of the engine to a build, also of those that are not compiled yet. */
  writeTo(sink: BuildSink): void {
    if (this.sharedKey !== undefined) sink.add('validators', this.sharedKey, '')
    for (const { key, schema, variants } of this.entries()) {
      try {
        // All variants of a schema are written, or none.
        const codes = [...this.#codeOf(schema, variants)]
        for (const { name, code } of codes) sink.add('validators', keyOfVariant(key, name), code)
      } catch (error) {
        const jsv = this.#writingInstance(this.#changesFor('coerce', schema))
        const keywords = this.#isExtended ? findKeywordsWithoutCode(jsv, [schema, this.shared]) : []
        if (keywords.length === 0) throw error
        sink.leave(key, keywords)
      }
    }
  }

  *#codeOf(schema: any, variants: readonly Variant[]): Iterable<{ name: string | undefined; code: string }> {
    for (const isExact of variants.includes('exact') ? [false, true] : [false]) {
      for (const pass of this.#isMultiPass(schema) ? passNames : passNames.slice(0, 1)) {
        const validate = this.#compilePass(pass, schema, isExact, this.#writingInstance)
        const jsv = this.#writingInstance(this.#changesFor(pass, schema, isExact))
        if (validate !== undefined) yield { name: variantNameOf(pass, isExact), code: writeStandaloneCode(jsv, validate) }
      }
    }
    for (const variant of variants.filter(isStandardVariant)) {
      const jsv = this.#writingInstance(this.#changesFor(variant, schema))
      yield { name: variant, code: writeStandaloneCode(jsv, this.#compileWith(jsv, schema)) }
    }
  }

  #variantOf(schema: any, httpPart: HttpPart | undefined, body: BodyReading): Variant {
    if (httpPart === 'body' && body === 'exact') return 'exact'
    return this.#isMultiPass(schema) ? (httpPart === 'body' ? 'typed' : 'texts') : 'singlePass'
  }

  #isMultiPass(schema: any): boolean {
    const { coerceTypes, removeAdditional } = this.#options
    if (schema?.$async) return false
    return (Boolean(coerceTypes || removeAdditional) && this.#needsMultiplePasses(schema)) || hasNestedUniqueness(schema, this.shared)
  }

  /** Makes one validator from the functions of the passes that a schema is compiled to. */
  #combinePasses(getFunction: (pass: PassName) => AjvFunction | undefined, schema: any, variant: Variant): Validator {
    const coerce = getFunction('coerce')!
    if (variant === 'singlePass' || (variant === 'exact' && !this.#isMultiPass(schema))) return coerce
    const passes = { strict: getFunction('strict')!, withoutAlternatives: getFunction('withoutAlternatives') ?? coerce, coerce }
    return createMultiPassValidator(passes, variant !== 'texts', hasNestedUniqueness(schema, this.shared))
  }

  #compilePass(pass: PassName, schema: any, isExact: boolean, instance: InstanceFactory): AjvFunction | undefined {
    const jsv = instance(this.#changesFor(pass, schema, isExact))
    if (pass === 'coerce') this.#refuseAlternativeDefault(schema)
    if (pass !== 'withoutAlternatives') return this.#compileWith(jsv, schema)
    try {
      return this.#compileWith(jsv, withoutAlternatives(schema))
    } catch {
      // A reference led into an alternative, which is missing here.
      return undefined
    }
  }

  /** Refuses a default behind a reference in an alternative, as the strict mode of ajv refuses a default in the alternative itself. */
  #refuseAlternativeDefault(schema: any): void {
    const { strict = true, strictSchema = strict, useDefaults } = this.#options
    if (!useDefaults || strictSchema === false) return
    const found = findAlternativeDefault(schema, this.shared)
    if (found === undefined) return
    const text = `strict mode: the default of ${found.name} is behind the reference ${found.reference} of an alternative, so that it would be filled in although another alternative matches. Remove the default, or fill it in within the handler`
    if (strictSchema !== 'log') throw new Error(text)
    ajvLogger.warn(text)
  }

  /**
   * Compiles a schema. If {@link SchemaCheck} has found the schema valid, ajv does not validate it by the meta-schema: compiling the
   * meta-schema takes longer than compiling all schemas of most applications.
   */
  #compileWith(jsv: AjvInstance, schema: any): AjvFunction {
    const isValid = this.check !== undefined && jsonText(schema) !== undefined && this.check.isSound(schema)
    if (!isValid) return compileSchema(jsv, schema)
    jsv.opts.validateSchema = false
    try {
      return compileSchema(jsv, schema)
    } finally {
      jsv.opts.validateSchema = true
    }
  }

  /** Returns the changes of ajv's options for a pass. Warnings are logged in one pass only. */
  #changesFor(pass: PassName | StandardVariant, schema: any, isExact = false): AjvOptions {
    const ownProperties = this.#options.ownProperties ?? this.namesInherited(schema)
    if (isStandardVariant(pass)) return { ownProperties, ...standardOptions[pass] }
    if (pass === 'strict') return { ownProperties, coerceTypes: false, removeAdditional: false, logger: false }
    const changes = { ownProperties, ...(isExact && exactly) }
    return pass === 'withoutAlternatives' ? { ...changes, strict: false, logger: false } : changes
  }
}

/**
 * Builds the default validator compiler from shared schemas. A compiler of the application can leave some parts to the returned compiler,
 * for example with other options. The returned compiler compiles immediately. `options` are merged over the default options of ajv, as the
 * server option `jsv` is.
 * ```ts
 * createServer({ schemaController: { compilersFactory: { buildValidator(schemas, options) {
 *   const first = buildValidatorCompiler(schemas, options)
 *   const all = buildValidatorCompiler(schemas, { ...options, customOptions: { allErrors: true } })
 *   return (route) => (route.httpPart === 'body' ? all : first)(route)
 * } } } })
 * ```
 * @throws the error of ajv for a shared schema that it refuses; the returned compiler throws the error of ajv for a schema that it cannot
 * compile
 */
export function buildValidatorCompiler(sharedSchemas: Record<string, any>, options: JsvOptions): ValidatorCompiler {
  const cache = { kind: 'validators', alone: new Map(), build: undefined, sharedText: undefined, onMissing: () => {} } as const
  return new ValidationEngine(sharedSchemas, options, 'boot', cache).compiler
}

/** Marks a function as a validator of ajv, so that `validateRequest` does not treat it as a validator of the application. */
function markAsValidator(validate: (data: unknown) => unknown, schema: unknown): Validator {
  // A cast, because a real `schemaEnv` exists only inside ajv. The framework asks only whether the property exists.
  return Object.assign(validate, { schema, schemaEnv: undefined }) as unknown as Validator
}

/**
 * Makes the function that returns the instances of ajv.
 * @param isSharedSound whether the shared schemas are known to be valid, so that ajv need not check them
 */
function createInstanceFactory(
  shared: Record<string, any>,
  extensions: JsvOptions,
  options: AjvOptions,
  isSharedSound: () => boolean,
): InstanceFactory {
  const instances = new Map<string, AjvInstance>()
  return (changes) => {
    const key = JSON.stringify(changes)
    let jsv = instances.get(key)
    if (jsv === undefined) instances.set(key, (jsv = create({ ...options, ...changes })))
    return jsv
  }

  function create(all: AjvOptions): AjvInstance {
    const jsv = new Ajv({ logger: ajvLogger, ...all })
    refuseNonFiniteNumbers(jsv)
    if (all.multipleOfPrecision === undefined) divideDecimals(jsv)
    compareValues(jsv)
    continueAfterTuples(jsv)
    addBytes(jsv)
    extendInstance(jsv, extensions)
    for (const [id, schema] of Object.entries(shared))
      jsv.addSchema(withBytes(schema), id, false, !isSharedSound() && jsv.opts.validateSchema)
    return jsv
  }
}

/**
 * Compiles a schema. With `addUsedSchema: false` ajv does not find the root of the schema that it compiles: neither by `#` nor, from a
 * subschema that has an `$id`, by the `$id` of the root. If a reference cannot be resolved, the schema is compiled once more while its root
 * is registered in ajv.
 */
function compileSchema(jsv: AjvInstance, schemaWithBytes: any): AjvFunction {
  const schema = withBytes(schemaWithBytes)
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

/** Makes the validator of OpenAPI documents. Only tests load its module. */
export async function createDocumentValidator(): Promise<DocumentValidator> {
  const module = await import('./document-validator.js')
  return new module.DocumentValidator()
}
