/**
 * The body of a reply that is a stream of items: asks the handler's iterable for the next item when the client has taken the earlier ones,
 * and turns that item into text.
 *
 * How the stream ends:
 * - The iterable ends, or fails: the response ends or fails too, as with any stream (transmit.ts).
 * - The client leaves, or a hook replaces the body: `return()` of the iterable's iterator is called, so that its `finally` blocks run. A
 *   stream is destroyed.
 * - The server closes: the iterable is ended too, and the request's signal is aborted. A response of events ends, and its client asks
 *   another server for the events that follow. In JSON Lines an end means that there is nothing more, so such a response is cut.
 *
 * The request is over when the iterable has ended too.
 */
import { Readable } from 'node:stream'
import { errorCodes } from '../../errors/codes.js'
import { Deadline, Deadlines } from '../../http/deadline.js'
import { isWebStream } from '../../http/payload.js'
import { nameUnserializable } from '../../schema/fast-json.js'
import type { StreamSerializer } from '../../schema/serialize-response.js'
import { StreamItem } from '../../schema/streams/stream.js'
import { runInContextOf } from '../async-context.js'
import { beginWork, endWork } from '../ending/pending-work.js'
import { endSource } from '../ending/sources.js'
import { type ClosableStream, describeRequest, type Exchange, routePlace } from '../exchange.js'
import { abortRequest } from '../request.js'
import type { StreamFormat } from './formats.js'

/** Milliseconds without a first item after which the headers are sent. An `EventSource` is open only when it has the headers. */
const OPENING_MS = 1_000
/** Milliseconds that an iterable may take to end when the server closes. */
const CLOSING_MS = 1_000

const openings = new Deadlines(OPENING_MS)
const closings = new Deadlines(CLOSING_MS)

export class StreamBody extends Readable {
  readonly #exchange: Exchange
  readonly #source: AsyncIterable<unknown>
  readonly #serializer: StreamSerializer
  readonly #format: StreamFormat
  /**
   * The earlier stream of the same reply. This stream replaces it if an error was answered while the source of the earlier stream was still
   * running.
   */
  readonly #previous: ClosableStream | undefined
  #iterator: AsyncIterator<unknown> | undefined
  /** Whether the reader of this stream waits for more bytes. */
  #isAwaited = false
  /** Whether the iterator was asked for an item, and has not answered yet. */
  #isPending = false
  /** Whether no further item is sent, because the iterator has ended or was told to end. */
  #isOver = false
  /** Whether the iterator has ended. */
  #hasEnded = false
  /** Whether the request no longer waits for the iterator. */
  #isSettled = false
  /** The deadline that falls due when nothing was sent for some time, so that a heartbeat is sent. */
  readonly #silence = new Deadline(this, beat)
  /** The deadline that falls due if the iterator does not end in time. */
  readonly #closing = new Deadline(this, abandon)

  constructor(exchange: Exchange, source: AsyncIterable<unknown>, serializer: StreamSerializer, format: StreamFormat) {
    // No item is asked for ahead.
    super({ highWaterMark: 0 })
    this.#exchange = exchange
    this.#source = source
    this.#serializer = serializer
    this.#format = format
    this.#previous = exchange.itemStream
    exchange.itemStream = this
    beginWork(exchange)
  }

  override _read(): void {
    this.#isAwaited = true
    // `_read` is called in events that many requests share.
    if (!this.#isPending) runInContextOf(this.#exchange, this.#next)
  }

  readonly #next = async (): Promise<void> => {
    this.#isPending = true
    let item: unknown
    try {
      if (this.#iterator === undefined) {
        this.#iterator = iteratorOf(this.#source)
        openings.add(this.#silence)
      }
      const { done, value } = await this.#iterator.next()
      this.#hasEnded = done === true
      item = value
    } catch (error) {
      return this.#fail(error)
    }
    this.#isPending = false
    this.#take(item)
  }

  /**
   * Takes the result of the iterator.
   * @param item the next item; no item if the iterator has ended (`#hasEnded`)
   */
  #take(item: unknown): void {
    if (this.#isOver) {
      if (this.#hasEnded || this.#iterator!.return === undefined) this.#settle()
      return
    }
    if (this.#hasEnded) {
      this.push(null)
      return this.#end()
    }
    try {
      this.#send(this.#textOf(item))
    } catch (error) {
      return void this.destroy(thrownOrDefault(error))
    }
    // The reader has taken the item, and would ask for the next one only in the next tick.
    if (this.readableFlowing === true && !this.#isOver) void this.#next()
  }

  #fail(error: unknown): void {
    this.#hasEnded = true
    if (!this.#isOver) return void this.destroy(thrownOrDefault(error))
    this.#logLateError(error)
    this.#settle()
  }

  #textOf(value: unknown): string {
    const [data, fields] = value instanceof StreamItem ? [value.data, value.head] : [value, '']
    const json: unknown = this.#serialize(data)
    if (typeof json !== 'string')
      throw new errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE(typeof json, 'The serializer of an item returns a text')
    // JSON has line breaks only between its values. A serializer of the application, or a string of the format `unsafe`, may have others,
    // which would end the item.
    return this.#format.frame(json.replaceAll(/[\r\n]+/g, ' '), fields)
  }

  #serialize(data: unknown): unknown {
    try {
      return this.#serializer.serialize(data)
    } catch (error) {
      const { statusCode } = this.#exchange.reply.raw
      nameUnserializable(error, this.#serializer.serialize, data, statusCode, routePlace(this.#exchange))
      throw error
    }
  }

  #send(text: string): void {
    this.#isAwaited = false
    this.#silence.cancel()
    this.push(text)
    if (!this.#isOver) this.#serializer.heartbeats?.add(this.#silence)
  }

  /** Sends a heartbeat, unless the client has not taken the last text yet. */
  beat(): void {
    if (this.#isAwaited) this.#send(this.#format.heartbeat)
    else this.#serializer.heartbeats!.add(this.#silence)
  }

  /** Ends the stream, because the server closes. The iterable that makes its items has {@link CLOSING_MS} ms to end. */
  shutDown(): void {
    this.#previous?.shutDown()
    if (!this.#isOver) {
      if (this.#format.isResumable) this.push(null)
      else this.destroy(new errorCodes.ALC_ERR_REP_STREAM_CUT(describeRequest(this.#exchange)))
      this.#end()
    }
    abortRequest(this.#exchange)
    // A stream that was asked for while the server closes is told twice.
    this.#closing.cancel()
    if (!this.#isSettled) closings.add(this.#closing)
  }

  /** Stops waiting for an iterable that has not ended in time. */
  abandonStream(): void {
    this.#exchange.reply.log.error(
      `${describeRequest(this.#exchange)}: the source of its stream has not ended within ${CLOSING_MS} ms while the server closed. Let it wait with request.signal`,
    )
    this.#exchange.route.state.isIncomplete = true
    this.#settle()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#end()
    done(error)
  }

  /** Tells the iterator to end, because no further item is wanted. */
  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#silence.cancel()
    if (this.#hasEnded) return this.#settle()
    // The iterator of a stream that waits for something takes note of `return()` only when that has come.
    endSource(this.#exchange, this.#source)
    const iterator = this.#iterator
    if (iterator === undefined) return this.#settle()
    if (iterator.return === undefined) {
      if (!this.#isPending) this.#settle()
      return
    }
    runInContextOf(this.#exchange, async () => {
      try {
        // A generator that waits for something notices this call only when that wait is over.
        await iterator.return!()
      } catch (failure) {
        this.#logLateError(failure)
      }
      this.#settle()
    })
  }

  /**
   * Logs an error of the iterable that can no longer be sent to the client. An `AbortError` is not logged, because code that waits with the
   * request's signal ends with such an error; nor is a premature close, which is how the iterator of a destroyed stream ends.
   */
  #logLateError(error: unknown): void {
    const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown }
    if (name !== 'AbortError' && code !== 'ERR_STREAM_PREMATURE_CLOSE')
      this.#exchange.reply.log.error({ err: error }, 'the source of a stream failed after its reply had ended')
  }

  /** Ends the pending work of the request: the iterable has ended, or is not waited for any more. */
  #settle(): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#closing.cancel()
    endWork(this.#exchange)
  }
}

/**
 * Returns the iterator of the items. For a web stream it uses a reader, because the stream's own iterator cannot cancel the stream while it
 * waits for an item.
 */
function iteratorOf(source: AsyncIterable<unknown>): AsyncIterator<unknown> {
  if (!isWebStream(source)) return source[Symbol.asyncIterator]()
  const reader = source.getReader()
  return {
    next: () => reader.read() as Promise<IteratorResult<unknown>>,
    return: () => reader.cancel() as Promise<never>,
  }
}

function beat(body: StreamBody): void {
  body.beat()
}

function abandon(body: StreamBody): void {
  body.abandonStream()
}

/** Returns a thrown value, or an error in place of a falsy value: a stream that is destroyed with a falsy value would not fail. */
function thrownOrDefault(thrown: unknown): Error {
  return (thrown || new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR()) as Error
}
