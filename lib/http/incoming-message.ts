/**
 * Node's request, whose stream comes into being when somebody reads it. Most requests have no body, or one that is wanted whole:
 * neither needs what a stream costs (buffer, events, ticks). To everybody else it is the stream that it always was.
 *
 * Public API alone: a class for the `IncomingMessage` option of `http.createServer` that overrides methods of `Readable`.
 */
import { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

/** What takes a body without a stream between. Called in order, `onEnd` or `onError` last. */
export interface BodySink {
  onData(chunk: Buffer): void
  onEnd(): void
  onError(error: unknown): void
}

const enum Reading {
  /** Nobody asked yet: what comes is kept. */
  Held,
  /** It is a stream like any other. */
  Streamed,
  /** A sink has it. */
  Sunk,
  /** It came to its end, and nobody asked to be told. */
  Over,
}

const kReading = Symbol('alcove.reading')
const kChunks = Symbol('alcove.chunks')
const kSize = Symbol('alcove.size')
const kIsEnded = Symbol('alcove.is-ended')
const kSink = Symbol('alcove.sink')
const kEndSink = Symbol('alcove.end-sink')

/** Events that tell of the stream's end. */
const endings: ReadonlySet<string | symbol> = new Set(['end', 'close', 'error', 'readable'])

function isHeard(stream: Readable): boolean {
  return (
    stream.listenerCount('end') > 0 ||
    stream.listenerCount('close') > 0 ||
    stream.listenerCount('data') > 0 ||
    stream.listenerCount('readable') > 0 ||
    stream.listenerCount('error') > 0
  )
}

export class Incoming extends IncomingMessage {
  [kReading] = Reading.Held;
  [kChunks]: Buffer[] | undefined = undefined;
  [kSize] = 0;
  [kIsEnded] = false;
  [kSink]: BodySink | undefined = undefined

  /** Hands the body to a sink. `false` where somebody else reads it already: then it stays a stream. */
  sinkInto(sink: BodySink): boolean {
    if (this[kReading] !== Reading.Held || this.readableFlowing !== null || this.destroyed || this.readableLength > 0) return false
    // Whoever put a function of his own in its place wants to know of the reading.
    if (this.readableEncoding !== null || Object.hasOwn(this, '_read')) return false
    this[kReading] = Reading.Sunk
    this[kSink] = sink
    // The socket may wait since more was held than a stream would.
    super._read(0)
    const chunks = this[kChunks]
    this[kChunks] = undefined
    if (chunks !== undefined) for (const chunk of chunks) sink.onData(chunk)
    if (this[kIsEnded]) this[kEndSink](sink)
    return true
  }

  [kEndSink](sink: BodySink): void {
    this[kSink] = undefined
    this[kReading] = Reading.Over
    if (isHeard(this)) super.resume()
    sink.onEnd()
  }

  /** Called by the parser, with the chunks of the body and `null` after the last. */
  override push(chunk: any, encoding?: BufferEncoding): boolean {
    switch (this[kReading]) {
      case Reading.Held:
        if (chunk === null) {
          this[kIsEnded] = true
          return false
        }
        ;(this[kChunks] ??= []).push(chunk)
        return (this[kSize] += chunk.length) < this.readableHighWaterMark
      case Reading.Sunk: {
        const sink = this[kSink]!
        if (chunk === null) this[kEndSink](sink)
        else sink.onData(chunk)
        return true
      }
      default:
        return super.push(chunk, encoding)
    }
  }

  /** Called when somebody reads the stream. */
  override _read(size: number): void {
    const reading = this[kReading]
    const chunks = this[kChunks]
    const sink = this[kSink]
    this[kReading] = Reading.Streamed
    this[kChunks] = this[kSink] = undefined
    if (reading !== Reading.Over) super._read(size)
    if (reading === Reading.Streamed) return
    if (sink !== undefined) {
      super.on('data', (chunk) => sink.onData(chunk))
      super.on('end', () => sink.onEnd())
      super.on('error', (error) => sink.onError(error))
    }
    if (chunks !== undefined) for (const chunk of chunks) super.push(chunk)
    if (this[kIsEnded] || reading === Reading.Over) super.push(null)
  }

  override resume(): this {
    const reading = this[kReading]
    if ((reading === Reading.Over || (reading === Reading.Held && this[kIsEnded])) && !isHeard(this)) {
      this[kReading] = Reading.Over
      this[kChunks] = undefined
      return this
    }
    return super.resume()
  }

  override on(event: any, listener: any): this {
    super.on(event, listener)
    if (this[kReading] === Reading.Over && endings.has(event)) super.resume()
    return this
  }
  override addListener(event: any, listener: any): this {
    return this.on(event, listener)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const sink = this[kSink]
    this[kSink] = undefined
    if (this[kReading] === Reading.Sunk) this[kReading] = Reading.Streamed
    super._destroy(error, done)
    sink?.onError(error ?? new Error('aborted'))
  }
}

/** Whether the server waits for more of a body: somebody reads it, and has room for it. */
export function isBodyAwaited(raw: IncomingMessage): boolean {
  if (raw.complete) return false
  const reading = raw instanceof Incoming ? raw[kReading] : Reading.Streamed
  if (reading === Reading.Sunk) return true
  return reading === Reading.Streamed && raw.readableFlowing !== null && raw.readableLength < raw.readableHighWaterMark
}

const isStreamEnded = Object.getOwnPropertyDescriptor(Readable.prototype, 'readableEnded')!.get!
// Node asks before it destroys: a request that was read to its end does not take its connection along.
Object.defineProperty(Incoming.prototype, 'readableEnded', {
  configurable: true,
  get(this: Incoming): boolean {
    return this[kReading] === Reading.Over || isStreamEnded.call(this)
  },
})
