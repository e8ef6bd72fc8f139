/**
 * `LazyIncomingMessage`: Node's request, whose stream starts only when it is read. Most requests have no body, or a body that is parsed as
 * a whole; such requests do without the buffer, the events and the ticks that a stream costs. To code that reads such a request as a
 * stream, the class behaves like Node's own.
 *
 * The class uses public API only: it overrides methods of `Readable`, and is passed as the option `IncomingMessage` of `http.createServer`.
 *
 * The class relies on how Node's server uses a request, which no document states: Node hands over the body by `push`, `null` last; after
 * the reply it drops what was not read by `resume` or `read(0)`, and keeps the connection if `readableEnded` is true. So servers use it
 * only in a Node that is verified (node-verification.ts): there, requests of this class and of Node's have emitted the same events.
 *
 * The gain: with Node's class a small request takes 1.10 times the CPU on Node 24 and 1.15 on Node 20, one with a body of 1 KB 1.02 and
 * 1.06 (docs/decisions/0019-request-class.md).
 *
 * Nothing is cached. A request keeps unread at most `readableHighWaterMark` and one chunk more, then the socket is paused.
 */
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { ChunkList } from '../util/chunk-list.js'
import { IncomingMessage } from '../util/node/modules.js'
import { isDropping } from './connection-states.js'
import { collectUnread } from './unread-chunks.js'

/** A receiver of the bytes of a body, without a stream in between. The last call that it gets is `onEnd` or `onError`. */
export interface BodySink {
  onData(chunk: Buffer): void
  /** Whether the sink takes no further bytes. */
  readonly isOver?: boolean
  onEnd(): void
  onError(error: unknown): void
}

const enum BodyState {
  /** Nothing has asked for the body yet, so its chunks are kept. */
  Held,
  /** The body is read as a stream. */
  Streaming,
  /** The chunks of the body go to a sink. */
  Sinking,
  /**
   * A sink has taken the whole body, or the body was dropped, and nothing listened to the stream. If a listener for the end is added, the
   * stream starts and ends.
   */
  EndedSilently,
}

const kBodyState = Symbol('alcove.body-state')
const kHeldChunks = Symbol('alcove.held-chunks')
const kHasAllChunks = Symbol('alcove.has-all-chunks')
const kSink = Symbol('alcove.sink')
const kEndSink = Symbol('alcove.end-sink')
const kIgnoredRequest = Symbol('alcove.ignored-request')

/** The names of the events that report the end of a stream. (A listener of `readable` or `data` starts the stream by itself.) */
const endEvents: ReadonlySet<string | symbol> = new Set(['end', 'close', 'error'])

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
  [kBodyState]: BodyState = BodyState.Held;
  [kHeldChunks]: ChunkList | undefined = undefined;
  /** Whether the parser has handed over the whole body. Not updated any more once the body is read as a stream. */
  [kHasAllChunks] = false;
  [kSink]: BodySink | undefined = undefined

  // Bun passes other arguments than Node.
  constructor(...args: ConstructorParameters<typeof IncomingMessage>) {
    super(...args)
    // Express gives requests another prototype. The methods that take the body in and hand it out must outlast that.
    this.push = push
    this._read = _read
    const socket: Socket & { [kIgnoredRequest]?: IncomingMessage } = args[0]
    if (!isDropping(socket)) return
    // Node keeps the requests of a connection until their turn. One object serves for all requests that are never answered.
    this.push = () => true
    return (socket[kIgnoredRequest] ??= this) as this
  }

  /** Hands the body of the request to a sink. @returns `false` if the body is already being read as a stream, which then goes on */
  sinkInto(sink: BodySink): boolean {
    if (this[kBodyState] !== BodyState.Held || this.readableFlowing !== null || this.destroyed || bufferedLength.call(this) > 0)
      return false
    // If `_read` was overridden on this request, the body stays a stream, so that the override is called.
    if (this._read !== _read) return false
    this[kBodyState] = BodyState.Sinking
    this[kSink] = sink
    // The socket is paused if more was held than a stream buffers.
    super._read(0)
    const chunks = this[kHeldChunks]
    this[kHeldChunks] = undefined
    if (chunks !== undefined) sink.onData(chunks.toBuffer())
    if (this[kHasAllChunks]) this[kEndSink](sink)
    return true
  }

  [kEndSink](sink: BodySink): void {
    this[kSink] = undefined
    this[kHasAllChunks] = true
    this[kBodyState] = BodyState.EndedSilently
    if (hasListeners(this)) super.resume()
    sink.onEnd()
  }

  /** Takes a chunk of the body, or `null` after the last one. Node's parser calls it. */
  override push(chunk: any, encoding?: BufferEncoding): boolean {
    switch (this[kBodyState]) {
      case BodyState.Held: {
        if (chunk === null) {
          this[kHasAllChunks] = true
          return false
        }
        const chunks = (this[kHeldChunks] ??= new ChunkList())
        chunks.add(chunk)
        return chunks.length < this.readableHighWaterMark
      }
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

  /** Starts the stream of the body when it is first read; later asks for more bytes whenever the stream has room. */
  override _read(size: number): void {
    const state = this[kBodyState]
    const chunks = this[kHeldChunks]
    const sink = this[kSink]
    this[kBodyState] = BodyState.Streaming
    this[kHeldChunks] = this[kSink] = undefined
    if (state !== BodyState.EndedSilently) super._read(size)
    if (state === BodyState.Streaming) return
    if (!this[kHasAllChunks]) collectUnread(this)
    if (sink !== undefined) {
      super.on('data', (chunk) => sink.onData(typeof chunk === 'string' ? Buffer.from(chunk, this.readableEncoding!) : chunk))
      super.on('end', () => sink.onEnd())
      super.on('error', (error) => sink.onError(error))
    }
    if (chunks !== undefined) super.push(chunks.toBuffer())
    if (this[kHasAllChunks]) super.push(null)
  }

  override read(size?: number): any {
    if (this[kHasAllChunks] && this[kBodyState] !== BodyState.Streaming) {
      // Node 26 ends a complete request that was not read by `read(0)`, and by `resume` only if it has bytes left.
      if (this[kHeldChunks] === undefined && !hasListeners(this)) {
        this[kBodyState] = BodyState.EndedSilently
        return null
      }
      // As if the parser had filled the stream: `read` must find all bytes and the end.
      this._read(0)
    }
    return super.read(size)
  }

  override resume(): this {
    if (this[kHasAllChunks] && this[kBodyState] !== BodyState.Streaming && !hasListeners(this)) {
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

const { push, _read } = LazyIncomingMessage.prototype

/** Whether the server waits for more of the body of a request: something reads the body and has room for more. */
export function isBodyAwaited(raw: IncomingMessage): boolean {
  if (raw.complete) return false
  const state = raw instanceof LazyIncomingMessage ? raw[kBodyState] : BodyState.Streaming
  if (state === BodyState.Sinking) return true
  return state === BodyState.Streaming && raw.readableFlowing !== null && raw.readableLength < raw.readableHighWaterMark
}

const isStreamEnded = Object.getOwnPropertyDescriptor(Readable.prototype, 'readableEnded')!.get!
const bufferedLength = Object.getOwnPropertyDescriptor(Readable.prototype, 'readableLength')!.get! as () => number
Object.defineProperties(LazyIncomingMessage.prototype, {
  // undici compares this constructor with Node's class before it destroys a body that it no longer needs, so that the connection is kept.
  constructor: { value: IncomingMessage },
  // Before Node destroys a request it asks whether the request was read to its end. If so, the connection is kept.
  readableEnded: {
    get(this: LazyIncomingMessage): boolean {
      return this[kBodyState] === BodyState.EndedSilently || isStreamEnded.call(this)
    },
  },
  // Node 26 asks whether bytes are left before it drops a body.
  readableLength: {
    get(this: LazyIncomingMessage): number {
      return this[kBodyState] === BodyState.Held ? (this[kHeldChunks]?.length ?? 0) : bufferedLength.call(this)
    },
  },
})
