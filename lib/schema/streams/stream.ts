/** `stream` and `event`: a response that is a stream of items, and the fields that an item can have besides its data. */
import { errorCodes } from '../../errors/codes.js'
import { MAX_TIMEOUT_MS } from '../../http/deadline.js'
import type { StreamEvent, StreamSchema } from '../../types/schema.js'
import { assertKnownOptions } from '../../util/nearest-name.js'

/** Options of {@link stream}. */
export interface StreamOptions {
  /** The description of the response in documents. */
  readonly description?: string
  /**
   * Milliseconds without an item after which a heartbeat is sent, so that no proxy takes the connection for dead: a comment, or in JSON
   * Lines an empty line. Default 15 000; 0: no heartbeats.
   */
  readonly heartbeat?: number
}

const DEFAULT_HEARTBEAT_MS = 15_000

/** The media types of a stream. The schema of each describes the whole text of the body. */
const content = {
  'text/event-stream': {
    schema: { type: 'string', description: 'Server-sent events. The data of each event is an item as JSON.' },
  },
  'application/jsonl': {
    schema: { type: 'string', description: 'JSON Lines. Each line is an item as JSON; an empty line means nothing.' },
  },
  'application/x-ndjson': {
    schema: { type: 'string', description: 'The same as JSON Lines, under its older name.' },
  },
} as const

/** The response that {@link stream} returns, in the form that the framework reads. */
export class StreamResponse {
  readonly description?: string
  /** The media types of the stream, for plugins that make documents from the schemas of routes. */
  readonly content = content
  /** The schema of an item of the stream. */
  readonly item: unknown
  /** Milliseconds without an item after which a heartbeat is sent; 0: no heartbeats. */
  readonly heartbeat: number

  constructor(item: unknown, { description, heartbeat = DEFAULT_HEARTBEAT_MS }: StreamOptions) {
    this.item = item
    this.heartbeat = heartbeat
    if (description !== undefined) this.description = description
    hasStreams = true
  }

  /** Returns the same stream with another schema of its items. */
  with(item: unknown): StreamResponse {
    return new StreamResponse(item, this)
  }
}

/** Whether any stream was declared in this process. Most applications declare none; their schemas need not be searched for streams. */
let hasStreams = false

/**
 * Declares that a response is a stream of items, each of which has this schema. The handler returns an async iterable, most simply as an
 * `async function*`. The client gets server-sent events or JSON Lines, as its `Accept` header says.
 * ```ts
 * const ticks = { response: { 200: stream({ type: 'object', properties: { n: { type: 'integer' } } }) } } as const
 * server.get('/ticks', { schema: ticks }, async function* ({ signal }) {
 *   for (let n = 1; ; n++) {
 *     yield { n }
 *     await wait(1000, undefined, { signal })
 *   }
 * })
 * ```
 * `stream(…)` is written under a status from 200 to 299 other than 204 and 205, or under `2xx`.
 * @param item JSON Schema that is not shorthand, `ref(Tick)`, or a schema of a library
 * @throws TypeError for an item that is not a schema, and for invalid options
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html and https://jsonlines.org
 */
export function stream<const S>(item: S, options: StreamOptions = {}): StreamSchema<S> {
  if (item === undefined || item === null)
    throw new TypeError(`stream(${String(item)}): this is not a schema, often because of a circle of imports. Declare the schema first.`)
  assertKnownOptions('stream(…)', options, ['description', 'heartbeat'])
  const { heartbeat = 0 } = options
  if (!Number.isInteger(heartbeat) || heartbeat < 0 || heartbeat > MAX_TIMEOUT_MS)
    throw new TypeError(`stream(…) has ${String(heartbeat)} as heartbeat. Write a whole number of milliseconds, or 0 for none.`)
  // The type of the items is only in the interface.
  return new StreamResponse(item, options) as unknown as StreamSchema<S>
}

/** The fields of a server-sent event besides its data. */
export interface EventFields {
  /** The id of the event. A client that has lost its connection sends the id of the last event as the header `Last-Event-ID`. */
  readonly id?: string
  /** The type of the event, for `addEventListener` of an `EventSource`. Default: `message`. */
  readonly event?: string
  /** Milliseconds after which a client that has lost its connection asks again. */
  readonly retry?: number
}

/** An item of a stream with its own `event`, `id` and `retry`. */
export class StreamItem {
  readonly data: unknown
  /** The fields of the event besides its data, each as a line. */
  readonly head: string

  constructor(data: unknown, head: string) {
    this.data = data
    this.head = head
  }
}

/**
 * Makes an item of a stream with an id, a type or a time to wait: `yield event(tick, { id: String(tick.n), event: 'tick' })`. In JSON Lines
 * only the data is sent.
 * @throws ALC_ERR_REP_EVENT_INVALID for another field, for an id or a type with a line break or NUL, and for an invalid time
 */
export function event<const T>(data: T, fields: EventFields): StreamEvent<T> {
  const head = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]: [string, unknown]) => `${name}: ${checkField(name, value)}\n`)
    .join('')
  // The type of the event is only in the interface.
  return new StreamItem(data, head) as unknown as StreamEvent<T>
}

/**
 * Returns the value of a field as a text, if it is valid. If a line break were allowed, it would end the field, and the rest would be read
 * as further fields or events.
 */
function checkField(name: string, value: unknown): string {
  if (name === 'retry') {
    if (Number.isInteger(value) && (value as number) >= 0) return String(value)
    throw new errorCodes.ALC_ERR_REP_EVENT_INVALID(`retry is ${String(value)}. Write a whole number of milliseconds`)
  }
  if (name !== 'id' && name !== 'event')
    throw new errorCodes.ALC_ERR_REP_EVENT_INVALID(`there is no field '${name}'. Fields are id, event, retry`)
  if (typeof value !== 'string') throw new errorCodes.ALC_ERR_REP_EVENT_INVALID(`${name} is not a text. Write String(…)`)
  if (/[\r\n]/.test(value) || value.includes('\0'))
    throw new errorCodes.ALC_ERR_REP_EVENT_INVALID(`${name} has a line break or NUL. Encode it, as by encodeURIComponent`)
  return value
}

/** A place in the schemas of a route where `stream(…)` has no effect. */
export interface MisplacedStream {
  /** The part of the route's schema, such as `body` or `response 404`. */
  readonly part: string
  readonly cure: string
}

/** Finds the places in the schemas of a route where `stream(…)` has no effect. */
export function findMisplacedStreams(schema: object): MisplacedStream[] {
  if (!hasStreams) return []
  const { response, ...parts } = schema as Readonly<Record<string, unknown>>
  const inParts = Object.keys(parts)
    .filter((part) => containsStream(parts[part]))
    .map((part) => ({ part, cure: 'Only a response can be a stream.' }))
  return [...inParts, ...Object.entries(response ?? {}).flatMap(([status, entry]) => findInResponse(status, entry))]
}

function findInResponse(status: string, entry: unknown): MisplacedStream[] {
  const part = `response ${status}`
  if (entry instanceof StreamResponse) {
    if (containsStream(entry.item))
      return [{ part, cure: 'A stream of streams cannot be sent. Write the schema of one item in stream(…).' }]
    if (status === '204' || status === '205') return [{ part, cure: `A reply ${status} has no body. Write it under 200.` }]
    return /^2(?:\d\d|xx)$/i.test(status) ? [] : [{ part, cure: 'A stream is a reply of success. Write it under 200.' }]
  }
  return containsStream(entry) ? [{ part, cure: `It chooses the media type itself, and stands alone. Write ${status}: stream(…).` }] : []
}

/** Whether a schema is `stream(…)`, or contains one. */
export function containsStream(schema: unknown, seen = new Set<unknown>()): boolean {
  if (!hasStreams || schema === null || typeof schema !== 'object' || seen.has(schema)) return false
  seen.add(schema)
  if (schema instanceof StreamResponse) return true
  // Schemas of libraries contain no streams, but may contain themselves many times over.
  return !('~standard' in schema) && Object.values(schema).some((value) => containsStream(value, seen))
}
