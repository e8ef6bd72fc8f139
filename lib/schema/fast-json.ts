/**
 * Serialization of replies: the default engine (fast-json-stringify, the only file that knows it) and the choice of a
 * route's serializer by status and media type.
 */
import fastJson from 'fast-json-stringify'
import { type CompiledSchemas, type Compiling, type ReadBuilt, whenCompiled } from './lazy/cache.js'
import type { SerializeFunction, SerializerCompiler } from '../types/compilers.js'
import type { ServerOptions } from '../types/options.js'
import { errorCodes } from '../errors.js'
import { MediaTypeMap } from '../http/media-type.js'
import { canGenerateCode } from '../build/prebuilt.js'
import { SchemaCheck } from './lazy/check.js'
import { namesInherited, withShared } from './schema-keys.js'

/** Serializers treat a format that they do not know like none. */
const anyFormat = { has: (format: unknown) => typeof format === 'string' }

/** Options that make no difference to which schemas can be compiled. */
const knownOptions = new Set(['rounding', 'largeArrayMechanism', 'largeArraySize', 'objectMechanism', 'ajv'])

/**
 * The default engine of the contexts that share the same schemas. Equal schemas are compiled once; one that is sure to
 * compile, when it is first needed.
 */
export class SerializationEngine implements Compiling<SerializeFunction, undefined> {
  readonly #shared: Record<string, any>
  readonly #options: object | undefined
  readonly #compiled: CompiledSchemas<SerializeFunction>
  readonly #namesInherited: (schema: unknown) => boolean
  readonly isLazy: boolean
  readonly check: SchemaCheck | undefined

  /** @param compiled those of the server, for the schemas that mean the same with other shared ones */
  constructor(
    shared: Record<string, any>,
    options: object | undefined,
    compiled: CompiledSchemas<SerializeFunction>,
    when: ServerOptions['compile'],
  ) {
    this.#shared = shared
    this.#options = options
    this.#compiled = compiled
    this.#namesInherited = withShared(shared, namesInherited)
    this.isLazy = when === 'lazy'
    if (!this.isLazy || !canGenerateCode()) return
    const check = new SchemaCheck(shared, { hasCombinators: false, hasCircles: false, isStrict: false, formats: anyFormat })
    if (this.#isInOrder(check)) this.check = check
  }

  /** What is wrong with the options or with a shared schema is wrong with every serializer, and each is to say so. */
  #isInOrder({ isSharedSound }: SchemaCheck): boolean {
    if (!Object.keys(this.#options ?? {}).every((name) => knownOptions.has(name))) return false
    if (isSharedSound && this.#options === undefined) return true
    try {
      this.compile({})
      return true
    } catch {
      return false
    }
  }

  readonly compiler: SerializerCompiler = ({ schema }) => this.#compiled.now(schema, this, undefined)

  /** A serializer that is compiled when it is first called; at once where that might fail. */
  late(schema: any, where: string): SerializeFunction {
    return this.#compiled.late(schema, this, undefined, where)
  }

  compile(schema: any): SerializeFunction {
    return this.#wrap(fastJson(schema, { ...this.#options, schema: this.#shared } as object) as SerializeFunction, schema)
  }

  adopt(read: ReadBuilt, schema: any): SerializeFunction {
    return this.#wrap(read() as SerializeFunction, schema)
  }

  #wrap(serialize: SerializeFunction, schema: any): SerializeFunction {
    return this.#namesInherited(schema) ? (payload: unknown) => serialize(disinherit(payload)) : serialize
  }

  standIn(compile: () => SerializeFunction): SerializeFunction {
    return (payload) => compile()(payload)
  }

  /** The code of all that was compiled or is to be. */
  *code(): Iterable<{ key: string; code: string }> {
    const options = { ...this.#options, schema: this.#shared, mode: 'standalone', inlineValidators: true }
    for (const { key, schema } of this.#compiled.entries()) {
      const code = fastJson(schema, options as object) as unknown as string
      // A fifth of it is indentation; none of its literals goes over several lines.
      yield { key, code: code.replaceAll(/\n[ \n]+/g, '\n') }
    }
  }
}

/** A copy of plain objects that inherits nothing: the engine would write the `constructor` that every object has. */
function disinherit(value: any): any {
  if (Array.isArray(value)) return value.map(disinherit)
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value
  const copy: Record<string, unknown> = Object.create(null)
  for (const [name, entry] of Object.entries(value)) copy[name] = disinherit(entry)
  return copy
}

/** The serializers of one response key. */
interface ResponseEntry {
  /** Whatever the media type of the reply. */
  any: SerializeFunction | undefined
  readonly byMediaType: MediaTypeMap<SerializeFunction>
}

/** The serializers of a route by status and media type (design decision 5). */
export class ResponseSerializers {
  readonly #entries = new Map<string, ResponseEntry>()
  /** What was found for a status; `null`: nothing. */
  readonly #found: (ResponseEntry | null | undefined)[] = []

  /**
   * @param status `200`, `2xx` or `default`
   * @throws ALC_ERR_SCH_DUPLICATE when the key has one for this media type
   */
  add(status: string, contentType: string | undefined, serialize: SerializeFunction): void {
    let entry = this.#entries.get(status)
    if (entry === undefined) this.#entries.set(status, (entry = { any: undefined, byMediaType: new MediaTypeMap() }))
    const { byMediaType } = entry
    if (contentType === undefined) entry.any = serialize
    else if (!byMediaType.add(contentType, serialize)) throw new errorCodes.ALC_ERR_SCH_DUPLICATE(`response ${status} ${contentType}`)
    whenCompiled(serialize, (compiled) => {
      if (contentType === undefined) entry.any = compiled
      else byMediaType.replace(contentType, compiled)
    })
  }

  /** Exact code, then range, then `default`; inside it the media type, then any type. */
  find(status: number, contentType: string | undefined): SerializeFunction | undefined {
    const entry = this.#entryOf(status)
    return entry?.any ?? entry?.byMediaType.find(contentType)
  }

  /** Whether a `content` map covers the media type. */
  hasMediaType(status: number, contentType: string): boolean {
    return this.#entryOf(status)?.byMediaType.find(contentType) !== undefined
  }

  #entryOf(status: number): ResponseEntry | null {
    return (this.#found[status] ??=
      this.#entries.get(String(status)) ?? this.#entries.get(`${Math.floor(status / 100)}xx`) ?? this.#entries.get('default') ?? null)
  }

  /** The serializer declared under exactly this key, for `reply.getSerializationFunction`. */
  declared(status: string, contentType: string | undefined): SerializeFunction | undefined {
    const entry = this.#entries.get(status.toLowerCase())
    return contentType === undefined ? entry?.any : entry?.byMediaType.get(contentType)
  }
}
