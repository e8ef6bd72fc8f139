/**
 * Serialization of replies: the default engine (fast-json-stringify, the only file that knows it) and the choice of a
 * route's serializer by status and media type.
 */
import fastJson from 'fast-json-stringify'
import type { SerializeFunction, SerializerCompiler } from './contract.js'
import { parseMediaType } from './media-type.js'

/** Builds the default serializer compiler of a context from its shared schemas. */
export function buildSerializerCompiler(sharedSchemas: Record<string, any>, options: object | undefined): SerializerCompiler {
  return ({ schema }) => fastJson(schema, { ...options, schema: sharedSchemas } as object) as SerializeFunction
}

/** The serializers of one response key. */
interface ResponseEntry {
  /** Whatever the media type of the reply. */
  any: SerializeFunction | undefined
  readonly byMediaType: Map<string, SerializeFunction>
}

/** The serializers of a route by status and media type (design decision 5). */
export class ResponseSerializers {
  readonly #entries = new Map<string, ResponseEntry>()

  /** @param status `200`, `2xx` or `default` */
  add(status: string, contentType: string | undefined, serialize: SerializeFunction): void {
    let entry = this.#entries.get(status)
    if (entry === undefined) this.#entries.set(status, (entry = { any: undefined, byMediaType: new Map() }))
    if (contentType === undefined) entry.any = serialize
    else entry.byMediaType.set(parseMediaType(contentType)?.essence ?? contentType, serialize)
  }

  /** Exact code, then range, then `default`; inside it the media type, then any type. */
  find(status: number, contentType: string | undefined): SerializeFunction | undefined {
    const entry = this.#entries.get(String(status)) ?? this.#entries.get(`${Math.floor(status / 100)}xx`) ?? this.#entries.get('default')
    if (entry === undefined || entry.any !== undefined) return entry?.any
    const essence = contentType === undefined ? undefined : parseMediaType(contentType)?.essence
    return (essence === undefined ? undefined : entry.byMediaType.get(essence)) ?? entry.byMediaType.get('*/*')
  }

  /** The serializer declared under exactly this key, for `reply.getSerializationFunction`. */
  declared(status: string, contentType: string | undefined): SerializeFunction | undefined {
    const entry = this.#entries.get(status)
    return contentType === undefined ? entry?.any : entry?.byMediaType.get(contentType.toLowerCase())
  }
}
