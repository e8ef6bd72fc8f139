/** Chooses the serializer of a reply among the serializers of its route, by status and media type. */
import { errorCodes } from '../errors/codes.js'
import type { Deadlines } from '../http/deadline.js'
import { MediaTypeMap, parseMediaType } from '../http/media-type.js'
import { readStatus } from '../http/response.js'
import type { SerializeFunction } from '../types/compilers.js'
import { compileInTurn, isDeferred, whenCompiled } from './lazy/cache.js'

/** The serializers that are declared for one key of the responses, such as `200` or `2xx`. */
interface ResponseEntry {
  /** The serializer for replies of every media type. */
  any: SerializeFunction | undefined
  /** The serializer of the items, if the response is a stream. Such a response has no other serializer. */
  stream: StreamSerializer | undefined
  /** Whether the response consists of bytes, whatever its media type. */
  isOfBytes: boolean
  /** Whether every schema that is declared for the status requires a value as the payload. */
  needsPayload: boolean
  readonly byMediaType: MediaTypeMap<SerializeFunction>
}

/** The serializer of the items of a stream, and the time after which the stream sends heartbeats. */
export interface StreamSerializer {
  /** Serializes one item of the stream. */
  serialize: SerializeFunction
  /** The queue of the streams that send a heartbeat if nothing was sent for the span of the queue; `null`: no heartbeats. */
  readonly heartbeats: Deadlines | null
}

/**
 * The most media types for which a route remembers that it has logged a warning. The number is limited because an application may choose
 * media types as clients ask for them.
 */
const MAX_WARNINGS = 100

/**
 * Makes the function that is called for a reply without a declared response: according to the option `undeclaredResponses` it does nothing,
 * warns or throws.
 * @param route the name of the route for messages: `GET /users`
 */
export function createUndeclaredCheck(
  policy: 'send' | 'warn' | 'refuse' | undefined,
  route: string,
  warn: (text: string) => void,
): (status: number, contentType: string | undefined) => void {
  const warned = new Set<string>()
  return (status, contentType) => {
    if (policy === undefined || policy === 'send') return
    const mediaType = (contentType === undefined ? undefined : parseMediaType(contentType)?.essence) ?? 'none'
    if (policy === 'refuse') throw new errorCodes.ALC_ERR_REP_UNDECLARED(route, status, mediaType)
    const key = `${status} ${mediaType}`
    if (warned.has(key) || warned.size === MAX_WARNINGS) return
    warned.add(key)
    warn(`${route} replied ${key}, for which its schema declares no response: all fields of the payload are sent`)
  }
}

/** The serializers of a route by status and media type. */
export class ResponseSerializers {
  /** The function that is called before a payload without a response schema is serialized. It throws if that is not allowed. */
  readonly checkUndeclared: ReturnType<typeof createUndeclaredCheck>
  /** Whether replies that no schema describes are refused. */
  readonly refusesUndeclared: boolean
  /** Whether any of the responses of the route is a stream. */
  hasStreams = false
  /** Whether any of the responses of the route consists of bytes. */
  hasBytes = false
  /** The serializers of successful replies whose schemas have not been compiled yet. */
  readonly deferred = new Set<SerializeFunction>()
  readonly #entries = new Map<string, ResponseEntry>()
  /**
   * The entry that was found for each status; `null`: there is none. Only checked statuses are keys, so the list has at most 800 entries.
   */
  readonly #found: (ResponseEntry | null | undefined)[] = []

  constructor(checkUndeclared: ReturnType<typeof createUndeclaredCheck>, refusesUndeclared = false) {
    this.checkUndeclared = checkUndeclared
    this.refusesUndeclared = refusesUndeclared
  }

  /**
   * Adds the serializer of a response.
   * @param status `200`, `2xx` or `default`
   * @param contentType the media type of the response; `undefined`: for every media type
   * @throws ALC_ERR_SCH_DUPLICATE if the key already has a serializer for this media type
   */
  add(status: string, contentType: string | undefined, serialize: SerializeFunction): void {
    const entry = this.#entryFor(status)
    const { byMediaType } = entry
    if (contentType === undefined) entry.any = serialize
    else if (!byMediaType.add(contentType, serialize)) throw new errorCodes.ALC_ERR_SCH_DUPLICATE(`response ${status} ${contentType}`)
    this.#noteDeferred(status, serialize)
    whenCompiled(serialize, (compiled) => {
      if (contentType === undefined) entry.any = compiled
      else byMediaType.replace(contentType, compiled)
    })
  }

  /** Adds the serializer of a response that is a stream of items. @param status `200` or `2xx` */
  addStream(status: string, stream: StreamSerializer): void {
    this.hasStreams = true
    this.#entryFor(status).stream = stream
    this.#noteDeferred(status, stream.serialize)
    whenCompiled(stream.serialize, (compiled) => (stream.serialize = compiled))
  }

  /** Notes that the replies with a status consist of bytes. */
  addBytes(status: string): void {
    this.hasBytes = true
    this.#entryFor(status).isOfBytes = true
  }

  #noteDeferred(status: string, serialize: SerializeFunction): void {
    if (!status.startsWith('2') || !isDeferred(serialize)) return
    this.deferred.add(serialize)
    whenCompiled(serialize, () => this.deferred.delete(serialize))
  }

  /**
   * Compiles the serializers that successful replies need. This is done before the handler runs, because a reply must be serialized at
   * once: its payload may change afterwards.
   * @returns a promise if a serializer has to wait for its turn
   * @throws the error of compiling a schema
   */
  compileDeferred(): Promise<void> | undefined {
    for (const serialize of this.deferred) {
      const turn = compileInTurn(serialize)
      if (turn !== undefined) return turn
    }
    return undefined
  }

  /** Finds the serializer of the stream with which the route answers a status; `undefined` if the response is no stream. */
  findStream(status: number): StreamSerializer | undefined {
    return this.#entryOf(status)?.stream
  }

  /** Notes that replies with this status must have a payload. */
  requirePayload(status: string): void {
    this.#entryFor(status).needsPayload = true
  }

  /** Whether replies with this status must have a payload, whatever their media type. */
  needsPayload(status: number): boolean {
    return status !== 204 && status !== 205 && status !== 304 && this.#entryOf(status)?.needsPayload === true
  }

  /** Whether a reply with this status consists of bytes. */
  isOfBytes(status: number): boolean {
    return this.#entryOf(status)?.isOfBytes === true
  }

  #entryFor(status: string): ResponseEntry {
    let entry = this.#entries.get(status)
    if (entry === undefined)
      this.#entries.set(
        status,
        (entry = { any: undefined, stream: undefined, isOfBytes: false, needsPayload: false, byMediaType: new MediaTypeMap() }),
      )
    return entry
  }

  /**
   * Finds the serializer of a reply. Looks for the exact status first, then for its range (`2xx`), then for `default`. Within the first of
   * these keys that is declared, the serializer for every media type is preferred to one for a single media type.
   */
  find(status: number, contentType: string | undefined): SerializeFunction | undefined {
    const entry = this.#entryOf(status)
    return entry?.any ?? entry?.byMediaType.find(contentType)
  }

  /** Finds the serializer that the `content` map of a status has for a media type. */
  findInContent(status: number, contentType: string): SerializeFunction | undefined {
    return this.#entryOf(status)?.byMediaType.find(contentType)
  }

  #entryOf(statusCode: number): ResponseEntry | null {
    // A reply with another status is refused when it is sent.
    const status = readStatus(statusCode)
    if (status === undefined) return this.#entries.get('default') ?? null
    return (this.#found[status] ??=
      this.#entries.get(String(status)) ?? this.#entries.get(`${Math.floor(status / 100)}xx`) ?? this.#entries.get('default') ?? null)
  }

  /** Returns the serializer that is declared under exactly this key, for `reply.getSerializationFunction`. */
  declared(status: string, contentType: string | undefined): SerializeFunction | undefined {
    const entry = this.#entries.get(status.toLowerCase())
    return contentType === undefined ? entry?.any : entry?.byMediaType.get(contentType)
  }
}
