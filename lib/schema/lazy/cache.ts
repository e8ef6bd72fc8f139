/**
 * The cache of compiled schemas, on which both default engines are built. Two schemas share one compiled function if their texts are equal
 * and, in case they contain references, their shared schemas are equal too.
 *
 * The cache relies on these facts: the text says all that the engines read of a schema (`jsonText` refuses values that lose something), and
 * the compilation of a schema is put off only if `SchemaCheck` is certain that the schema compiles. Any other schema is compiled at boot,
 * where its faults are reported. No request chooses a key: keys are texts of schemas that the application declares, or compiles with
 * `request.compileValidationSchema`.
 */
import { type BuildSource, digest, type SchemaKind } from '../../build/prebuilt.js'
import type { ServerOptions } from '../../types/options.js'
import { References } from '../json-schema/canonical-references.js'
import { extendToShared, namesInheritedMember } from '../json-schema/schema-keys.js'
import { assertNoStandardWithin } from '../standard/standard-schema.js'
import { jsonText, type SchemaCheck, standsAlone } from './check.js'
import { compileLater, isTurnTaken, noteCompilation } from './turns.js'

/** The compiled function that all schemas with the same text share, for one variant. */
interface CacheEntry<Compiled> {
  compiled: Compiled | undefined
  placeholder: Compiled | undefined
}

/** The compiled functions by the text of the schema, then by variant. */
type Entries<Compiled, Variant> = Map<string, Map<Variant, CacheEntry<Compiled>>>

/** The state of a placeholder: a function that compiles its schema when it is first called, which has not happened yet. */
interface Deferral {
  readonly compile: () => unknown
  readonly callbacks: ((compiled: any) => void)[]
  /** The promise of the compilation, while the compilation waits for its turn of the event loop. */
  turn: Promise<void> | undefined
}

const deferrals = new WeakMap<object, Deferral>()

/** Whether a validator or serializer is a placeholder whose schema has not been compiled yet. */
export function isDeferred(compiled: object): boolean {
  return deferrals.has(compiled)
}

/** Calls back with the compiled function when the schema of a placeholder has been compiled. Does nothing for any other function. */
export function whenCompiled<Compiled extends object>(placeholder: Compiled, replace: (compiled: Compiled) => void): void {
  deferrals.get(placeholder)?.callbacks.push(replace)
}

/**
 * Compiles the schema of a placeholder, at most one schema in a turn of the event loop. Does nothing for any other function.
 * @returns a promise if another schema was compiled in this turn of the event loop, so that the placeholder has to wait
 * @throws the error of compiling the schema
 */
export function compileInTurn(placeholder: object): Promise<void> | undefined {
  const deferral = deferrals.get(placeholder)
  if (deferral === undefined) return undefined
  if (isTurnTaken()) return (deferral.turn ??= compileLater(deferral.compile).finally(() => (deferral.turn = undefined)))
  deferral.compile()
  return undefined
}

/** A function that returns a compiled function from a build, or one variant of it. The code in the build may call the `helpers`. */
export type ReadFromBuild = (variant?: string, helpers?: object) => any

/** Returns the name under which a build contains one variant of a compiled schema. */
export function keyOfVariant(key: string, variant: string | undefined): string {
  return variant === undefined ? key : `${key} ${variant}`
}

/**
 * The places where an engine finds and keeps compiled functions. Within a server, the engines for validators (or for serializers) have the
 * same settings except for `sharedText`, unless functions of the application change ajv.
 */
export interface CacheSettings<Compiled, Variant> {
  readonly kind: SchemaKind
  /** The compiled functions of schemas without references. Such a schema does not depend on the shared schemas, so its function is used with all of them. */
  readonly alone: Entries<Compiled, Variant>
  readonly build: BuildSource | undefined
  /** The JSON text of the shared schemas; `undefined` if they are not plain JSON. */
  readonly sharedText: string | undefined
  /** Is called with the route and the part of a schema that is missing in the build. */
  readonly onMissing: (where: string) => void
}

/**
 * An engine that compiles equal schemas only once. A schema that is certain to compile is compiled when its function is first called.
 * `Variant` is everything besides the schema that changes the compiled function.
 */
export abstract class CachingEngine<Compiled extends object, Variant> {
  /** The references of all schemas of the engine, rewritten so that the engine understands them. */
  readonly references: References
  protected readonly shared: Record<string, any>
  protected readonly isLazy: boolean
  /** Whether a schema names a member that every object inherits, such as `constructor`. */
  protected readonly namesInherited: (schema: unknown) => boolean
  /** The check that finds schemas which are certain to compile; `undefined`: no schema is certain to compile. */
  protected check: SchemaCheck | undefined
  readonly #settings: CacheSettings<Compiled, Variant>
  readonly #referring: Entries<Compiled, Variant> = new Map()

  constructor(shared: Record<string, any>, compileSchemas: ServerOptions['compileSchemas'], settings: CacheSettings<Compiled, Variant>) {
    this.references = new References(shared)
    this.shared = this.references.shared
    this.isLazy = compileSchemas === 'lazy'
    this.namesInherited = extendToShared(this.shared, namesInheritedMember)
    this.#settings = settings
    if (settings.sharedText === undefined) assertNoStandardWithin(shared)
  }

  protected abstract compile(schema: any, variant: Variant): Compiled
  protected abstract loadFromBuild(read: ReadFromBuild, schema: any, variant: Variant): Compiled
  /** Returns a function that compiles the schema when it is called, and passes the call on to the compiled function. */
  protected abstract createPlaceholder(compile: () => Compiled): Compiled

  #entryOf(schema: unknown, variant: Variant): { entry: CacheEntry<Compiled>; text: string } | undefined {
    const text = jsonText(schema)
    if (text === undefined) return undefined
    const entries = standsAlone(text) ? this.#settings.alone : this.#referring
    let variants = entries.get(text)
    if (variants === undefined) entries.set(text, (variants = new Map()))
    let entry = variants.get(variant)
    if (entry === undefined) variants.set(variant, (entry = { compiled: undefined, placeholder: undefined }))
    return { entry, text }
  }

  /** Returns the name of a schema in a build; `undefined` if a build cannot contain this schema. */
  #keyOf(text: string): string | undefined {
    if (standsAlone(text)) return digest(text)
    const { sharedText } = this.#settings
    return sharedText === undefined ? undefined : digest(`${text}\n${sharedText}`)
  }

  /** The name of the entry in a build which records that the build was made with these shared schemas. */
  protected get sharedKey(): string | undefined {
    const { sharedText } = this.#settings
    return sharedText === undefined ? undefined : digest(`shared\n${sharedText}`)
  }

  /** Whether a build was made with the same shared schemas, which are then known to compile. */
  protected get isSharedBuilt(): boolean {
    const { build, kind } = this.#settings
    return build !== undefined && this.sharedKey !== undefined && build.has(kind, this.sharedKey)
  }

  /** Lists all schemas of the engine that a build can contain, compiled or not. */
  protected *entries(): Iterable<{ key: string; schema: any; variants: Variant[] }> {
    for (const [text, variants] of [...this.#settings.alone, ...this.#referring]) {
      const key = this.#keyOf(text)
      if (key !== undefined) yield { key, schema: JSON.parse(text), variants: [...variants.keys()] }
    }
  }

  /** Returns the compiled function of a schema. */
  protected findOrCompile(original: unknown, variantOf: (schema: unknown) => Variant): Compiled {
    const schema: unknown = this.references.canonical(original)
    const variant = variantOf(schema)
    const found = this.#entryOf(schema, variant)
    if (found === undefined) {
      assertNoStandardWithin(schema)
      return this.compile(schema, variant)
    }
    return (found.entry.compiled ??= this.#make(found.text, schema, variant))
  }

  /** Returns the function of a schema from the build; if the build lacks it, compiles the schema. */
  #make(text: string, schema: unknown, variant: Variant): Compiled {
    const { build, kind } = this.#settings
    const key = build === undefined ? undefined : this.#keyOf(text)
    if (key === undefined || !build!.has(kind, key)) return this.compile(schema, variant)
    return this.loadFromBuild((name, helpers) => build!.schema(kind, keyOfVariant(key, name), helpers), schema, variant)
  }

  /**
   * Returns the function of a schema. If the schema is certain to compile, this function is a placeholder that compiles the schema when it
   * is first called.
   * @param where the route and the part, for the warning about schemas that the build lacks
   */
  protected findOrDefer(original: unknown, variantOf: (schema: unknown) => Variant, where: string): Compiled {
    const schema: unknown = this.references.canonical(original)
    const variant = variantOf(schema)
    const { build, kind, onMissing } = this.#settings
    const found = this.#entryOf(schema, variant)
    if (found === undefined) {
      assertNoStandardWithin(schema)
      if (build !== undefined) onMissing(where)
      return this.compile(schema, variant)
    }
    const { entry, text } = found
    if (entry.compiled !== undefined) return entry.compiled
    if (entry.placeholder !== undefined) return entry.placeholder
    const key = build === undefined ? undefined : this.#keyOf(text)
    const isBuilt = key !== undefined && build!.has(kind, key)
    if (build !== undefined && !isBuilt && (key === undefined || !build.isLeft(key))) onMissing(where)
    if (!this.isLazy || (!isBuilt && this.check?.isSound(schema) !== true)) return (entry.compiled = this.#make(text, schema, variant))
    return (entry.placeholder = this.#defer(entry, text, variant))
  }

  #defer(entry: CacheEntry<Compiled>, text: string, variant: Variant): Compiled {
    const compile = (): Compiled => {
      if (entry.compiled === undefined) {
        // Compiled from the text, as the schema was at `ready`: later changes of the object must have no effect.
        entry.compiled = this.#make(text, JSON.parse(text), variant)
        noteCompilation()
      }
      entry.placeholder = undefined
      const callbacks = deferrals.get(placeholder)?.callbacks ?? []
      deferrals.delete(placeholder)
      for (const replace of callbacks) replace(entry.compiled)
      return entry.compiled
    }
    const placeholder = this.createPlaceholder(compile)
    deferrals.set(placeholder, { compile, callbacks: [], turn: undefined })
    return placeholder
  }
}
