/** The default serialization engine. Only this file imports fast-json-stringify. */
import fastJson, { type AnySchema } from 'fast-json-stringify'
import type { BuildSink } from '../build/build-recording.js'
import { canGenerateCode } from '../build/prebuilt.js'
import type { SerializeFunction, SerializerCompiler } from '../types/compilers.js'
import type { ServerOptions } from '../types/options.js'
import { type CacheSettings, CachingEngine, type ReadFromBuild } from './lazy/cache.js'
import { jsonText, SchemaCheck } from './lazy/check.js'
import { findUnserializable, type SerializerSource } from './lazy/unserializable.js'
import { ClosedParts } from './json-schema/closed-parts.js'
import { ReferenceTargets } from './json-schema/reference-targets.js'
import { findMisspeltKeyword } from './json-schema/schema-keys.js'
import { findUnwritable } from './json-schema/unwritable.js'
import { mapEntries, mapSchemas } from './json-schema/vocabulary.js'
import { isObject } from '../util/objects.js'

/**
 * A set that contains the name of every format. The serializer ignores formats that it does not know, so a schema with any format compiles.
 */
const anyFormat = { has: (format: unknown) => typeof format === 'string' }

/** The options under which {@link SchemaCheck} is right: no value of these options changes which schemas compile. */
const optionsValidForCheck = new Set(['rounding', 'largeArrayMechanism', 'largeArraySize', 'objectMechanism', 'ajv'])

/** The schemas that each serializer was compiled from. The errors that the serializer throws are explained with these schemas. */
const sources = new WeakMap<SerializeFunction, SerializerSource>()

/** The default engine of serialization. All contexts whose shared schemas are equal share one engine. */
export class SerializationEngine extends CachingEngine<SerializeFunction, undefined> {
  readonly #options: { readonly ajv?: object } | undefined
  #sharedOfEngine: Record<string, any> | undefined
  readonly #closedParts: ClosedParts
  /** Tells whether the alternatives of a schema are certain to compile. `undefined`: the alternatives of all schemas are compiled at once. */
  readonly #alternatives: SchemaCheck | undefined

  constructor(
    shared: Record<string, any>,
    options: object | undefined,
    compileSchemas: ServerOptions['compileSchemas'],
    cache: CacheSettings<SerializeFunction, undefined>,
  ) {
    super(shared, compileSchemas, cache)
    this.#options = options
    this.#closedParts = new ClosedParts(this.shared)
    if (!this.isLazy || !canGenerateCode()) return
    if (options === undefined || !('ajv' in options))
      this.#alternatives = new SchemaCheck(this.shared, { hasCombinators: true, hasCircles: true, isStrict: false, formats: anyFormat })
    const check = new SchemaCheck(this.shared, { hasCombinators: false, hasCircles: false, isStrict: false, formats: anyFormat })
    if (this.#isCheckValid(check)) this.check = check
  }

  /**
   * Whether {@link SchemaCheck} can be used. A fault in the options or in a shared schema makes every schema fail to compile, and lazy
   * compilation would hide the fault until the first request. So an engine with such a fault compiles everything at boot.
   */
  #isCheckValid({ isSharedSound }: SchemaCheck): boolean {
    if (!Object.keys(this.#options ?? {}).every((name) => optionsValidForCheck.has(name))) return false
    if (isSharedSound && this.#options === undefined) return true
    try {
      this.compile({})
      return true
    } catch {
      return false
    }
  }

  #targets: ReferenceTargets | undefined
  /** The schemas, and parts of them, that the serializer is known to apply. */
  readonly #written = new WeakSet<object>()
  /** Whether the shared schemas were checked for misspelt keywords. */
  #isSpellingChecked = false

  readonly compiler: SerializerCompiler = ({ schema }) => this.findOrCompile(schema, () => undefined)

  /**
   * Returns a serializer. If the schema is certain to compile, it is compiled when the serializer is first called, otherwise at once.
   * @param where the route and the part, for the warning about schemas that the build lacks
   */
  compileLazily(schema: any, where: string): SerializeFunction {
    assertSpelling(schema, '')
    this.#assertSharedSpelling()
    this.#assertWritable(schema)
    return this.findOrDefer(schema, () => undefined, where)
  }

  /** Throws for a schema that would be compiled, and not be applied. @throws Error */
  #assertWritable(schema: any): void {
    this.#targets ??= new ReferenceTargets(this.shared)
    const problem = findUnwritable(schema, this.#targets, this.#written)
    if (problem !== undefined) throw new Error(problem)
  }

  #assertSharedSpelling(): void {
    if (this.#isSpellingChecked) return
    for (const [id, schema] of Object.entries(this.shared)) assertSpelling(schema, ` of the shared schema '${id}'`)
    this.#isSpellingChecked = true
  }

  protected override compile(schema: any): SerializeFunction {
    // The serializer chooses an alternative (`anyOf`, `oneOf`, `if`) by a validator. Compiled at the first reply, it would hide its faults.
    const compileValidators = this.#alternatives === undefined || jsonText(schema) === undefined || !this.#alternatives.isSound(schema)
    const prepared = this.#prepare(schema) as AnySchema
    return this.#finish(fastJson(prepared, { compileValidators, ...this.#engineOptions() }), schema)
  }

  /**
   * Returns the schema that the serializer is compiled from. It may refer to twins, which the options of the engine have only after this
   * call.
   */
  #prepare(schema: any): any {
    return fitted(this.#closedParts.open(schema, schema))
  }

  #engineOptions(): { schema: Record<string, any>; ajv: object } {
    this.#sharedOfEngine ??= mapEntries(this.shared, (_id, schema) => this.#prepare(schema))
    // The ajv of the serializer would write warnings to the console, when the first reply is sent.
    const schema = { ...this.#sharedOfEngine, ...mapEntries(this.#closedParts.twins, (_id, twin) => fitted(twin)) }
    return { ...this.#options, schema, ajv: { strictTypes: false, strictTuples: false, ...this.#options?.ajv } }
  }

  protected override loadFromBuild(read: ReadFromBuild, schema: any): SerializeFunction {
    return this.#finish(read() as SerializeFunction, schema)
  }

  #finish(compiled: SerializeFunction, schema: any): SerializeFunction {
    const serialize = this.namesInherited(schema) ? (payload: unknown) => compiled(copyWithoutPrototypes(payload)) : compiled
    sources.set(serialize, { schema, shared: this.shared })
    return serialize
  }

  protected override createPlaceholder(compile: () => SerializeFunction): SerializeFunction {
    const placeholder = (payload: unknown): string => {
      const serialize = compile()
      if (!sources.has(placeholder)) sources.set(placeholder, sources.get(serialize)!)
      return serialize(payload)
    }
    return placeholder
  }

  /** Writes the code of all schemas of the engine to a build, also of those that are not compiled yet. */
  writeTo({ add }: BuildSink): void {
    for (const { key, schema } of this.entries()) {
      const prepared = this.#prepare(schema) as AnySchema
      const code = fastJson(prepared, { ...this.#engineOptions(), mode: 'standalone', inlineValidators: true })
      // A fifth of the code is indentation. None of its literals spans several lines.
      add('serializers', key, code.replaceAll(/\n[ \n]+/g, '\n'))
    }
  }
}

/**
 * Changes what fast-json-stringify would write in another way than the schema says:
 * - `array` becomes the first of a list of types. It takes the first type that fits, and writes each object with a `toString` of its own, such
 *   as a list, as a text (`a,b`).
 * - Properties whose schema is `false`, which allows no value, are removed. It writes any value of them.
 */
function fitted(schema: any): any {
  if (!isObject(schema)) return schema
  const mapped = mapSchemas(schema, fitted) as { readonly type?: unknown; readonly properties?: unknown }
  const { type, properties } = mapped
  const isMoved = Array.isArray(type) && type.includes('array') && type[0] !== 'array'
  const isReduced = isObject(properties) && Object.values(properties).includes(false)
  if (!isMoved && !isReduced) return mapped
  return {
    ...mapped,
    ...(isMoved && { type: ['array', ...type.filter((name) => name !== 'array')] }),
    ...(isReduced && { properties: mapEntries(properties, (_name, property) => (property === false ? undefined : property)) }),
  }
}

/** Throws for a schema with a misspelt keyword. @throws Error that names the keyword */
function assertSpelling(schema: unknown, of: string): void {
  const found = findMisspeltKeyword(schema)
  if (found !== undefined) throw new Error(`unknown keyword "${found.key}"${of}. Did you mean "${found.meant}"?`)
}

/**
 * Copies plain objects to objects that inherit nothing. A serializer would otherwise write the `constructor` that every object inherits.
 */
function copyWithoutPrototypes(value: any): any {
  if (Array.isArray(value)) return value.map(copyWithoutPrototypes)
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value
  const copy: Record<string, unknown> = Object.create(null)
  for (const [name, entry] of Object.entries(value)) copy[name] = copyWithoutPrototypes(entry)
  return copy
}

/**
 * Adds to an error of a serializer the place of the value that could not be written, as `context`: `property /items/0/id of the response
 * 200 of GET /users`. The message of the error stays the same.
 * @param route the name of the route: `GET /users` or `App > Users.list`
 */
export function nameUnserializable(error: unknown, serialize: SerializeFunction, payload: unknown, status: number, route: string): void {
  const source = sources.get(serialize)
  if (source === undefined || !(error instanceof Error) || 'context' in error || !Object.isExtensible(error)) return
  const pointer = findUnserializable(source, payload, error.message)
  if (pointer === undefined) return
  Object.assign(error, { context: `${pointer === '' ? '' : `property ${pointer} of `}the response ${status} of ${route}` })
}

/** Returns the name of the required member that a payload lacks, read from the error of a serializer; `undefined` for another error. */
export function missingMember(error: unknown): string | undefined {
  return error instanceof Error ? /^"(.*)" is required!$/s.exec(error.message)?.[1] : undefined
}

/** Whether an error of a serializer says that a value is valid for no alternative of an `anyOf`, a `oneOf` or a list of types. */
export function fitsNoAlternative(error: unknown): boolean {
  return error instanceof Error && /^The value of '.*' does not match schema definition\.$/s.test(error.message)
}
