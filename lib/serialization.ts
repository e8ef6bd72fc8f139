/**
 * Serialization of replies: the default engine (fast-json-stringify, the only file that knows it) and the choice of a
 * route's serializer by status and media type.
 */
import fastJson from 'fast-json-stringify'
import type { SerializeFunction, SerializerCompiler } from './contract.js'
import { errorCodes } from './errors.js'
import { MediaTypeMap } from './media-type.js'
import { namesInherited } from './schema-names.js'

/** Builds the default serializer compiler of a context from its shared schemas. */
export function buildSerializerCompiler(sharedSchemas: Record<string, any>, options: object | undefined): SerializerCompiler {
  const isShared = namesInherited(sharedSchemas)
  return ({ schema }) => {
    const serialize = fastJson(schema, { ...options, schema: sharedSchemas } as object) as SerializeFunction
    return isShared || namesInherited(schema) ? (payload: unknown) => serialize(disinherit(payload)) : serialize
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
    if (contentType === undefined) entry.any = serialize
    else if (!entry.byMediaType.add(contentType, serialize)) throw new errorCodes.ALC_ERR_SCH_DUPLICATE(`response ${status} ${contentType}`)
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
