/**
 * Schemas of a server that are compiled once: by their text, and by the shared schemas that their references can lead to.
 */
import { type BuildSource, digest, type SchemaKind } from '../../build/prebuilt.js'
import { jsonText, type SchemaCheck, standsAlone } from './check.js'

/** What is known of the schemas of one text, compiled for one purpose. */
interface Entry<Compiled> {
  compiled: Compiled | undefined
  late: Compiled | undefined
}

/** By the text of the schemas and by variant. */
type Entries<Compiled, Variant> = Map<string, Map<Variant, Entry<Compiled>>>

type Replace<Compiled> = (compiled: Compiled) => void

/** Callbacks to run when a stand-in has compiled, by stand-in. */
const places = new WeakMap<object, Replace<any>[]>()

/** Tells when a function that stands in for a later one gives way to it; never where it is no stand-in. */
export function whenCompiled<Compiled extends object>(standIn: Compiled, put: Replace<Compiled>): void {
  places.get(standIn)?.push(put)
}

/** Reads a function of a build, or a part of it; `helpers` are what its code may call. */
export type ReadBuilt = (part?: string, helpers?: object) => any

/** The name in a build of a part of what a schema is compiled to. */
export function keyOfPart(key: string, part: string | undefined): string {
  return part === undefined ? key : `${key} ${part}`
}

/** How an engine compiles. `Variant` is what else than its schema makes a difference to a function. */
export interface Compiling<Compiled, Variant> {
  compile(schema: any, variant: Variant): Compiled
  /** Makes what a build holds one of the engine's functions. */
  adopt(read: ReadBuilt, schema: any, variant: Variant): Compiled
  /** A function that stands in for a compiled one. */
  standIn(compile: () => Compiled): Compiled
  readonly isLazy: boolean
  /** `undefined`: nothing is sure to compile. */
  readonly check: SchemaCheck | undefined
}

/** What the compiled schemas of a server have in common. */
export interface Compilation<Compiled, Variant> {
  readonly kind: SchemaKind
  /** Of schemas that mean the same with any shared ones. */
  readonly alone: Entries<Compiled, Variant>
  readonly build: BuildSource | undefined
  /** Called for a schema that the build should hold and does not. */
  onMissing(where: string): void
}

export class CompiledSchemas<Compiled extends object, Variant = undefined> {
  readonly #compilation: Compilation<Compiled, Variant>
  readonly #referring: Entries<Compiled, Variant> = new Map()
  /** Text of the shared schemas; `undefined` where it does not say it all. */
  readonly #sharedText: string | undefined

  constructor(compilation: Compilation<Compiled, Variant>, sharedText: string | undefined) {
    this.#compilation = compilation
    this.#sharedText = sharedText
  }

  #entryOf(schema: unknown, variant: Variant): { entry: Entry<Compiled>; text: string } | undefined {
    const text = jsonText(schema)
    if (text === undefined) return undefined
    const entries = standsAlone(text) ? this.#compilation.alone : this.#referring
    let variants = entries.get(text)
    if (variants === undefined) entries.set(text, (variants = new Map()))
    let entry = variants.get(variant)
    if (entry === undefined) variants.set(variant, (entry = { compiled: undefined, late: undefined }))
    return { entry, text }
  }

  /** The name under which a build has it; `undefined` where it can have none. */
  #keyOf(text: string): string | undefined {
    if (standsAlone(text)) return digest(text)
    return this.#sharedText === undefined ? undefined : digest(`${text}\n${this.#sharedText}`)
  }

  /** The name of the shared schemas in a build that was made with them. */
  get sharedKey(): string | undefined {
    return this.#sharedText === undefined ? undefined : digest(`shared\n${this.#sharedText}`)
  }

  /** Whether a build was made with the same shared schemas: they are in order then. */
  get isSharedBuilt(): boolean {
    const { build, kind } = this.#compilation
    return build !== undefined && this.sharedKey !== undefined && build.has(kind, this.sharedKey)
  }

  /** What was compiled, for a build. */
  *entries(): Iterable<{ key: string; schema: any }> {
    for (const text of [...this.#compilation.alone.keys(), ...this.#referring.keys()]) {
      const key = this.#keyOf(text)
      if (key !== undefined) yield { key, schema: JSON.parse(text) }
    }
  }

  /** What a schema is compiled to. */
  now(schema: unknown, engine: Compiling<Compiled, Variant>, variant: Variant): Compiled {
    const found = this.#entryOf(schema, variant)
    if (found === undefined) return engine.compile(schema, variant)
    return (found.entry.compiled ??= this.#make(found.text, schema, engine, variant))
  }

  /** Takes a schema from the build, or compiles it. */
  #make(text: string, schema: unknown, engine: Compiling<Compiled, Variant>, variant: Variant): Compiled {
    const { build, kind } = this.#compilation
    const key = build === undefined ? undefined : this.#keyOf(text)
    if (key === undefined || !build!.has(kind, key)) return engine.compile(schema, variant)
    return engine.adopt((part, helpers) => build!.schema(kind, keyOfPart(key, part), helpers), schema, variant)
  }

  /**
   * What a schema is compiled to; where it is sure to compile, a function that does so when it is called.
   * @param where the route and the part, for whoever looks for what a build lacks
   */
  late(schema: unknown, engine: Compiling<Compiled, Variant>, variant: Variant, where: string): Compiled {
    const { build, kind, onMissing } = this.#compilation
    const found = this.#entryOf(schema, variant)
    if (found === undefined) {
      if (build !== undefined) onMissing(where)
      return engine.compile(schema, variant)
    }
    const { entry, text } = found
    if (entry.compiled !== undefined) return entry.compiled
    if (entry.late !== undefined) return entry.late
    const key = build === undefined ? undefined : this.#keyOf(text)
    const isBuilt = key !== undefined && build!.has(kind, key)
    if (build !== undefined && !isBuilt) onMissing(where)
    if (!engine.isLazy || (!isBuilt && engine.check?.isSound(schema) !== true)) {
      return (entry.compiled = this.#make(text, schema, engine, variant))
    }
    const late = engine.standIn(() => {
      // The schema as it was at `ready`: what is done to the object since then is too late.
      entry.compiled ??= this.#make(text, JSON.parse(text), engine, variant)
      entry.late = undefined
      for (const put of places.get(late) ?? []) put(entry.compiled)
      places.delete(late)
      return entry.compiled
    })
    places.set(late, [])
    return (entry.late = late)
  }
}
