/**
 * The body of a reply that is a stream of items: asks the handler's iterable for an item when the client has taken the items before it, and
 * turns the item into text.
 *
 * How the stream ends:
 * - The iterable ends, or fails: the response ends or fails too, as with any stream (transmit.ts).
 * - The client leaves, or a hook replaces the body: `return()` of the iterable's iterator is called, so that its `finally` blocks run.
 * - The server closes: the iterable is ended too, and the request's signal is aborted. A response of events ends, and its client asks
 *   another server for the events that follow. In JSON Lines an end means that there is nothing more, so such a response is cut.
 *
 * The request is over when the iterable has ended too.
 */
import { Readable } from 'node:stream'
import { errorCodes } from '../../errors/codes.js'
import { Deadline, Deadlines } from '../../http/deadline.js'
import { nameUnserializable } from '../../schema/fast-json.js'
import type { StreamSerializer } from '../../schema/serialize-response.js'
import { StreamItem } from '../../schema/streams/stream.js'
import { runInContextOf } from '../async-context.js'
import { beginWork, endWork } from '../ending/pending-work.js'
import { endSource } from '../ending/sources.js'
import { type ClosableStream, describeRequest, type Exchange, placeOf } from '../exchange.js'
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
   * The earlier stream of the same reply, which this stream replaces if an error was answered while the source of the earlier one was
   * running.
   */
  readonly #previous: ClosableStream | undefined
  #iterator: AsyncIterator<unknown> | undefined
  /** Whether the reader of this stream waits for more. */
  #isAwaited = false
  /** Whether the iterator was asked for an item, and has not answered yet. */
  #isPending = false
  /** Whether no further item is sent. */
  #isOver = false
  /** Whether the iterator has ended. */
  #hasEnded = false
  /** Whether the iterator was told to end. */
  #isReturned = false
  /** Whether the request no longer waits for the iterator. */
  #isSettled = false
  /** The deadline that falls due when nothing was sent for some time. */
  readonly #silence = new Deadline(this, beat)
  #closing: Deadline | undefined

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
    if (!this.#isPending && !this.#isOver) runInContextOf(this.#exchange, this.#next)
  }

  readonly #next = (): void => {
    this.#isPending = true
    try {
      if (this.#iterator === undefined) {
        this.#iterator = this.#source[Symbol.asyncIterator]()
        openings.add(this.#silence)
      }
      this.#iterator.next().then(this.#take, this.#fail)
    } catch (error) {
      this.#fail(error)
    }
  }

  readonly #take = ({ done, value }: IteratorResult<unknown>): void => {
    this.#isPending = false
    this.#hasEnded = done === true
    if (this.#isOver) {
      if (this.#hasEnded || this.#iterator!.return === undefined) this.#settle()
      return
    }
    if (this.#hasEnded) {
      this.#isOver = true
      this.#silence.cancel()
      this.push(null)
      return this.#settle()
    }
    try {
      this.#send(this.#textOf(value))
    } catch (error) {
      return void this.destroy(asError(error))
    }
    // The reader has taken the item, and would ask for the next one only in the next tick.
    if (this.readableFlowing !== true || this.readableLength > 0 || this.#isOver) return
    this.#isAwaited = true
    this.#next()
  }

  readonly #fail = (error: unknown): void => {
    this.#isPending = false
    this.#hasEnded = true
    if (this.#isOver) this.#logLateError(error)
    else this.destroy(asError(error))
    this.#settle()
  }

  #textOf(value: unknown): string {
    const [data, fields] = value instanceof StreamItem ? [value.data, value.head] : [value, '']
    const json: unknown = this.#serialize(data)
    if (typeof json !== 'string')
      throw new errorCodes.ALC_ERR_REP_INVALID_PAYLOAD_TYPE(typeof json, 'The serializer of an item returns a text')
    // JSON has line breaks only between its values. A serializer of the application, or a string of the format `unsafe`, may have others,
    // which would end the item.
    return this.#format.frame(/[\r\n]/.test(json) ? json.replaceAll(/[\r\n]+/g, ' ') : json, fields)
  }

  #serialize(data: unknown): unknown {
    try {
      return this.#serializer.serialize(data)
    } catch (error) {
      const { statusCode } = this.#exchange.reply.raw
      nameUnserializable(error, this.#serializer.serialize, data, statusCode, placeOf(this.#exchange))
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
    else this.#serializer.heartbeats?.add(this.#silence)
  }

  /** Ends the stream, because the server closes. The iterable that makes its items has {@link CLOSING_MS} ms to end. */
  shutDown(): void {
    this.#previous?.shutDown()
    if (!this.#isOver) {
      this.#isOver = true
      if (this.#format.isResumable) this.push(null)
      else this.destroy(new errorCodes.ALC_ERR_REP_STREAM_CUT(describeRequest(this.#exchange)))
      this.#return()
    }
    abortRequest(this.#exchange)
    if (this.#isSettled || this.#closing !== undefined) return
    closings.add((this.#closing = new Deadline(this, abandon)))
  }

  /** Stops waiting for an iterable that has not ended. */
  abandon(): void {
    this.#exchange.reply.log.error(
      `${describeRequest(this.#exchange)}: the source of its stream has not ended within ${CLOSING_MS} ms while the server closed. Let it wait with request.signal`,
    )
    this.#settle()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#isOver = true
    this.#return()
    done(error)
  }

  /** Tells the iterator that no further item is wanted. */
  #return(): void {
    this.#silence.cancel()
    if (this.#isReturned || this.#hasEnded) return
    this.#isReturned = true
    if (this.#iterator === undefined) {
      endSource(this.#exchange, this.#source)
      return this.#settle()
    }
    const iterator = this.#iterator
    if (iterator.return === undefined) {
      if (!this.#isPending) this.#settle()
      return
    }
    runInContextOf(this.#exchange, () => {
      try {
        // A generator that waits for something notices this call only when that wait is over.
        iterator.return!().then(
          () => this.#settle(),
          (failure: unknown) => {
            this.#logLateError(failure)
            this.#settle()
          },
        )
      } catch (failure) {
        this.#logLateError(failure)
        this.#settle()
      }
    })
  }

  /**
   * Logs an error of the iterable that can no longer be sent to the client. An `AbortError` is not logged: waiting with the request's
   * signal ends with it.
   */
  #logLateError(error: unknown): void {
    if ((error as { name?: unknown } | undefined)?.name !== 'AbortError')
      this.#exchange.reply.log.error({ err: error }, 'the source of a stream failed after its reply had ended')
  }

  /** Notes that the iterable has ended, or is not waited for any more. */
  #settle(): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#closing?.cancel()
    endWork(this.#exchange)
  }
}

function beat(body: StreamBody): void {
  body.beat()
}

function abandon(body: StreamBody): void {
  body.abandon()
}

/** Returns the value that was thrown, or an error if the value is falsy: a stream that is destroyed without an error has not failed. */
function asError(thrown: unknown): Error {
  return (thrown || new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR()) as Error
}
