/**
 * `LazyIncomingMessage`: Node's request, whose stream starts only when it is read. Most requests have no body, or a body that is parsed as
 * a whole; both do without the buffer, the events and the ticks that a stream costs. To code that reads it as a stream, it behaves like
 * Node's own class.
 *
 * It uses public API only: a class for the `IncomingMessage` option of `http.createServer` that overrides methods of `Readable`.
 */
import { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

/** Takes the bytes of a body directly, without a stream in between. `onEnd` or `onError` is called last. */
export interface BodySink {
  onData(chunk: Buffer): void
  onEnd(): void
  onError(error: unknown): void
}

const enum BodyState {
  /** Nothing has asked for the body yet: its chunks are kept. */
  Held,
  /** The body is read as a stream. */
  Streaming,
  /** The chunks go to a sink. */
  Sinking,
  /** The whole body was taken by a sink, or dropped, without listeners. If one is added for the end, the stream starts and ends. */
  EndedSilently,
}

const kBodyState = Symbol('alcove.body-state')
const kHeldChunks = Symbol('alcove.held-chunks')
const kHeldBytes = Symbol('alcove.held-bytes')
const kHasAllChunks = Symbol('alcove.has-all-chunks')
const kSink = Symbol('alcove.sink')
const kEndSink = Symbol('alcove.end-sink')

/** Events that report the end of a stream. */
const endEvents: ReadonlySet<string | symbol> = new Set(['end', 'close', 'error', 'readable'])

function hasListeners(stream: Readable): boolean {
  return (
    stream.listenerCount('end') > 0 ||
    stream.listenerCount('close') > 0 ||
    stream.listenerCount('data') > 0 ||
    stream.listenerCount('readable') > 0 ||
    stream.listenerCount('error') > 0
  )
}

export class LazyIncomingMessage extends IncomingMessage {
  [kBodyState] = BodyState.Held;
  [kHeldChunks]: Buffer[] | undefined = undefined;
  [kHeldBytes] = 0;
  [kHasAllChunks] = false;
  [kSink]: BodySink | undefined = undefined

  /** Hands the body to a sink. @returns `false` if the body is read as a stream already: then it stays one */
  sinkInto(sink: BodySink): boolean {
    if (this[kBodyState] !== BodyState.Held || this.readableFlowing !== null || this.destroyed || this.readableLength > 0) return false
    // If `_read` was overridden on this request, the body stays a stream, so that the override is called.
    if (this.readableEncoding !== null || Object.hasOwn(this, '_read')) return false
    this[kBodyState] = BodyState.Sinking
    this[kSink] = sink
    // The socket is paused if more was held than a stream buffers.
    super._read(0)
    const chunks = this[kHeldChunks]
    this[kHeldChunks] = undefined
    if (chunks !== undefined) for (const chunk of chunks) sink.onData(chunk)
    if (this[kHasAllChunks]) this[kEndSink](sink)
    return true
  }

  [kEndSink](sink: BodySink): void {
    this[kSink] = undefined
    this[kBodyState] = BodyState.EndedSilently
    if (hasListeners(this)) super.resume()
    sink.onEnd()
  }

  /** Called by Node's parser with each chunk of the body, and with `null` after the last. */
  override push(chunk: any, encoding?: BufferEncoding): boolean {
    switch (this[kBodyState]) {
      case BodyState.Held:
        if (chunk === null) {
          this[kHasAllChunks] = true
          return false
        }
        ;(this[kHeldChunks] ??= []).push(chunk)
        return (this[kHeldBytes] += chunk.length) < this.readableHighWaterMark
      case BodyState.Sinking: {
        const sink = this[kSink]!
        if (chunk === null) this[kEndSink](sink)
        else sink.onData(chunk)
        return true
      }
      default:
        return super.push(chunk, encoding)
    }
  }

  /** Called when the stream is first read, and whenever it has room for more. */
  override _read(size: number): void {
    const state = this[kBodyState]
    const chunks = this[kHeldChunks]
    const sink = this[kSink]
    this[kBodyState] = BodyState.Streaming
    this[kHeldChunks] = this[kSink] = undefined
    if (state !== BodyState.EndedSilently) super._read(size)
    if (state === BodyState.Streaming) return
    if (sink !== undefined) {
      super.on('data', (chunk) => sink.onData(chunk))
      super.on('end', () => sink.onEnd())
      super.on('error', (error) => sink.onError(error))
    }
    if (chunks !== undefined) for (const chunk of chunks) super.push(chunk)
    if (this[kHasAllChunks] || state === BodyState.EndedSilently) super.push(null)
  }

  override resume(): this {
    const state = this[kBodyState]
    if ((state === BodyState.EndedSilently || (state === BodyState.Held && this[kHasAllChunks])) && !hasListeners(this)) {
      this[kBodyState] = BodyState.EndedSilently
      this[kHeldChunks] = undefined
      return this
    }
    return super.resume()
  }

  override on(event: any, listener: any): this {
    super.on(event, listener)
    if (this[kBodyState] === BodyState.EndedSilently && endEvents.has(event)) super.resume()
    return this
  }
  override addListener(event: any, listener: any): this {
    return this.on(event, listener)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const sink = this[kSink]
    this[kSink] = undefined
    if (this[kBodyState] === BodyState.Sinking) this[kBodyState] = BodyState.Streaming
    super._destroy(error, done)
    sink?.onError(error ?? new Error('aborted'))
  }
}

/** How many bytes of a body have arrived and were not read yet. */
export function unreadBytes(stream: Readable): number {
  return stream instanceof LazyIncomingMessage && stream[kBodyState] === BodyState.Held ? stream[kHeldBytes] : stream.readableLength
}

/** Whether the server waits for more of a body: something reads it and has room for more. */
export function isBodyAwaited(raw: IncomingMessage): boolean {
  if (raw.complete) return false
  const state = raw instanceof LazyIncomingMessage ? raw[kBodyState] : BodyState.Streaming
  if (state === BodyState.Sinking) return true
  return state === BodyState.Streaming && raw.readableFlowing !== null && raw.readableLength < raw.readableHighWaterMark
}

const isStreamEnded = Object.getOwnPropertyDescriptor(Readable.prototype, 'readableEnded')!.get!
// Before Node destroys a request it asks whether the request was read to its end. If so, the connection is kept.
Object.defineProperty(LazyIncomingMessage.prototype, 'readableEnded', {
  configurable: true,
  get(this: LazyIncomingMessage): boolean {
    return this[kBodyState] === BodyState.EndedSilently || isStreamEnded.call(this)
  },
})
