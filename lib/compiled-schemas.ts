/**
 * Schemas of a server that are compiled once: by their text, and by the shared schemas that their references can lead to.
 */
import { jsonText, type SchemaCheck, standsAlone } from './schema-check.js'

/** What is known of the schemas of one text. */
interface Entry<Compiled> {
  compiled: Compiled | undefined
  late: Compiled | undefined
}

type Replace<Compiled> = (compiled: Compiled) => void

/** Where functions that stand in for later ones are kept, until those are there. */
const places = new WeakMap<object, Replace<any>[]>()

/** Tells when a function that stands in for a later one gives way to it; at once or never where it is no stand-in. */
export function whenCompiled<Compiled extends object>(standIn: Compiled, put: Replace<Compiled>): void {
  places.get(standIn)?.push(put)
}

export class CompiledSchemas<Compiled extends object> {
  /** Of schemas that mean the same with any shared ones. */
  readonly #alone: Map<string, Entry<Compiled>>
  readonly #referring = new Map<string, Entry<Compiled>>()

  private constructor(alone: Map<string, Entry<Compiled>>) {
    this.#alone = alone
  }

  static create<Compiled extends object>(): CompiledSchemas<Compiled> {
    return new CompiledSchemas(new Map())
  }

  /** Those of contexts that see other shared schemas. */
  beside(): CompiledSchemas<Compiled> {
    return new CompiledSchemas(this.#alone)
  }

  #entryOf(schema: unknown): Entry<Compiled> | undefined {
    const text = jsonText(schema)
    if (text === undefined) return undefined
    const entries = standsAlone(text) ? this.#alone : this.#referring
    let entry = entries.get(text)
    if (entry === undefined) entries.set(text, (entry = { compiled: undefined, late: undefined }))
    return entry
  }

  /** What a schema is compiled to. */
  now(schema: unknown, compile: (schema: any) => Compiled): Compiled {
    const entry = this.#entryOf(schema)
    if (entry === undefined) return compile(schema)
    return (entry.compiled ??= compile(schema))
  }

  /** What a schema is compiled to; where it is sure to compile, a function that does so when it is called. */
  late(
    schema: unknown,
    check: SchemaCheck | undefined,
    compile: (schema: any) => Compiled,
    createLate: (compile: () => Compiled) => Compiled,
  ): Compiled {
    const entry = this.#entryOf(schema)
    if (entry === undefined) return compile(schema)
    if (entry.compiled !== undefined) return entry.compiled
    if (entry.late !== undefined) return entry.late
    if (check?.isSound(schema) !== true) return (entry.compiled = compile(schema))
    const late = createLate(() => {
      entry.compiled ??= compile(schema)
      entry.late = undefined
      for (const put of places.get(late) ?? []) put(entry.compiled)
      places.delete(late)
      return entry.compiled
    })
    places.set(late, [])
    return (entry.late = late)
  }
}
