/**
 * Reads streams of server-sent events, and reconnects. `alcove client` copies this module into the client file, after runtime.ts, if routes
 * of the application send streams.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
import { ReplyError, sleep, type StreamContext, type StreamReader } from './runtime.js'

/** An item of a stream, with the fields of its server-sent event. */
export interface ServerSentEvent<T> {
  /** The type of the event; `message` if the server sends none. */
  readonly event: string
  /** The id of the event, or else of the latest earlier event with an id. */
  readonly id: string | undefined
  readonly data: T
}

/** The items of a stream. A `for await` loop reads them, and closes the connection when the loop ends. */
export interface EventStream<T> extends AsyncIterable<T> {
  /** The id of the last item. A new call with this id in the header `last-event-id` continues after this item. */
  readonly lastEventId: string | undefined
  /**
   * Returns the items with the fields of their events: `for await (const { event, data } of ticks.events())`. Each item can be read only
   * once.
   */
  events(): AsyncIterable<ServerSentEvent<T>>
}

interface Connection extends StreamContext {
  readonly payload: ReadableStream<Uint8Array>
}

/** The state of a stream, which is kept when the stream reconnects. */
interface StreamState {
  id: string | undefined
  /** The time to wait before reconnecting, in ms. */
  retry: number
  /** The number of successive connections without an item. */
  failures: number
}

export function readEvents(payload: ReadableStream<Uint8Array>, context: StreamContext): EventStream<any> {
  const { title, parts, ask } = context
  const state: StreamState = { id: undefined, retry: 1000, failures: 0 }

  async function* readAll(): AsyncGenerator<any> {
    const opened: Connection[] = [{ ...context, payload }]
    const connect: StreamReader = (payload, context) => opened.push({ ...context, payload })
    for (let connection; (connection = opened.pop());) {
      yield* readConnection(connection, state)
      if (!parts.reconnect || !ask) return
      const { id, retry } = state
      // The time doubles up to 30 s, or up to the time that the server asks for.
      const wait = Math.min(Math.max(retry, 1) * 2 ** state.failures++, Math.max(retry, 30_000), 2 ** 31 - 1)
      await sleep(wait, connection.signal!)
      const headers: object = { ...parts.headers, ...(id != null && { 'last-event-id': id ? asBytes(id) : undefined }) }
      const reply = await ask(connect, { headers, retries: Infinity })
      if (!opened[0] && reply.status !== 204) throw new ReplyError(title, reply)
    }
  }

  const events = readAll()
  return {
    get lastEventId() {
      return state.id
    },
    events: () => events,
    async *[Symbol.asyncIterator]() {
      for await (const { data } of events) yield data
    },
  }
}

async function* readConnection({ payload, parse, end, signal, parts }: Connection, state: StreamState): AsyncGenerator<any> {
  // Types of browsers and of Node disagree about the stream.
  const decoder: any = new TextDecoderStream()
  const reader = payload.pipeThrough<string>(decoder).getReader()
  let [rest, data, event, id] = ['', '', '', state.id]
  let isLineOpen = true
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error): any => {
        if (!parts.reconnect || signal?.aborted) throw error
        return { done: true }
      })
      if (done) return
      // Only the new piece is searched for line ends, so that the time grows with the bytes, however they are cut.
      const lines = value.slice(isLineOpen || value[0] !== '\n' ? 0 : 1).split(/\r\n?|\n/)
      // A line feed at the beginning of the next piece belongs to the same line end.
      isLineOpen = !value.endsWith('\r')
      lines[0] = rest + lines[0]
      rest = lines.pop()!
      for (const line of lines) {
        const [, field, text] = /^([^:]*):? ?([^]*)/.exec(line)!
        if (field === 'data') data += `${data && '\n'}${text}`
        if (field === 'event') event = text!
        if (field === 'id' && !/\0/.test(text!)) id = text
        if (field === 'retry' && /^\d+$/.test(text!)) state.retry = +text!
        if (line) continue
        state.id = id
        if (data) {
          state.failures = 0
          yield { event: event || 'message', id, data: parse(data) }
        }
        data = event = ''
      }
      if (rest.length + data.length > 2 ** 24) throw new RangeError('an item is longer than 16 MB')
    }
  } finally {
    end?.()
    // The reader is closed already if the connection was lost.
    await reader.cancel().catch(() => {})
  }
}

/** Returns a text in the form of a header value: with one character for each byte of its UTF-8 encoding. */
function asBytes(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text))
}
