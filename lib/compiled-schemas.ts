/**
 * Schemas of a server that are compiled once: by their text, and by the shared schemas that their references can lead to.
 */
import { type BuildSource, digest, type SchemaKind } from './prebuilt.js'
import { jsonText, type SchemaCheck, standsAlone } from './schema-check.js'

/** What is known of the schemas of one text. */
interface Entry<Compiled> {
  compiled: Compiled | undefined
  late: Compiled | undefined
}

type Replace<Compiled> = (compiled: Compiled) => void

/** Where functions that stand in for later ones are kept, until those are there. */
const places = new WeakMap<object, Replace<any>[]>()

/** Tells when a function that stands in for a later one gives way to it; never where it is no stand-in. */
export function whenCompiled<Compiled extends object>(standIn: Compiled, put: Replace<Compiled>): void {
  places.get(standIn)?.push(put)
}

/** How an engine compiles. */
export interface Compiling<Compiled> {
  compile(schema: any): Compiled
  /** A function that stands in for a compiled one. */
  standIn(compile: () => Compiled): Compiled
  readonly isLate: boolean
  /** `undefined`: nothing is sure to compile. */
  readonly check: SchemaCheck | undefined
}

/** What the compiled schemas of a server have in common. */
export interface Compilation<Compiled> {
  readonly kind: SchemaKind
  /** Of schemas that mean the same with any shared ones. */
  readonly alone: Map<string, Entry<Compiled>>
  readonly build: BuildSource | undefined
  /** Makes a function that a build holds one of the engine's. */
  adopt(prebuilt: any): Compiled
  /** Called for a schema that the build should hold and does not. */
  onMissing(where: string): void
}

export class CompiledSchemas<Compiled extends object> {
  readonly #compilation: Compilation<Compiled>
  readonly #referring = new Map<string, Entry<Compiled>>()
  /** Text of the shared schemas; `undefined` where it does not say it all. */
  readonly #sharedText: string | undefined

  constructor(compilation: Compilation<Compiled>, sharedText: string | undefined) {
    this.#compilation = compilation
    this.#sharedText = sharedText
  }

  #entryOf(schema: unknown): { entry: Entry<Compiled>; text: string } | undefined {
    const text = jsonText(schema)
    if (text === undefined) return undefined
    const entries = standsAlone(text) ? this.#compilation.alone : this.#referring
    let entry = entries.get(text)
    if (entry === undefined) entries.set(text, (entry = { compiled: undefined, late: undefined }))
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
  now(schema: unknown, engine: Compiling<Compiled>): Compiled {
    const found = this.#entryOf(schema)
    if (found === undefined) return engine.compile(schema)
    return (found.entry.compiled ??= this.#fromBuild(found.text) ?? engine.compile(schema))
  }

  #fromBuild(text: string): Compiled | undefined {
    const { build, kind, adopt } = this.#compilation
    const key = build === undefined ? undefined : this.#keyOf(text)
    if (key === undefined) return undefined
    const prebuilt: unknown = build!.schema(kind, key)
    return prebuilt === undefined ? undefined : adopt(prebuilt)
  }

  /**
   * What a schema is compiled to; where it is sure to compile, a function that does so when it is called.
   * @param where the route and the part, for whoever looks for what a build lacks
   */
  late(schema: unknown, engine: Compiling<Compiled>, where: string): Compiled {
    const { build, kind, onMissing } = this.#compilation
    const found = this.#entryOf(schema)
    if (found === undefined) {
      if (build !== undefined) onMissing(where)
      return engine.compile(schema)
    }
    const { entry, text } = found
    if (entry.compiled !== undefined) return entry.compiled
    if (entry.late !== undefined) return entry.late
    const key = build === undefined ? undefined : this.#keyOf(text)
    const isBuilt = key !== undefined && build!.has(kind, key)
    if (build !== undefined && !isBuilt) onMissing(where)
    if (!engine.isLate || (!isBuilt && engine.check?.isSound(schema) !== true)) {
      return (entry.compiled = this.#fromBuild(text) ?? engine.compile(schema))
    }
    const late = engine.standIn(() => {
      // The schema as it was at `ready`: what is done to the object since then is too late.
      entry.compiled ??= this.#fromBuild(text) ?? engine.compile(JSON.parse(text))
      entry.late = undefined
      for (const put of places.get(late) ?? []) put(entry.compiled)
      places.delete(late)
      return entry.compiled
    })
    places.set(late, [])
    return (entry.late = late)
  }
}
