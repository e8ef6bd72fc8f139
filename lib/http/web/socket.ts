/**
 * The stand-in for the connection of a request that `server.fetch` serves: the runtime has the connection, and gives the server no access
 * to it.
 */
import { EventEmitter } from 'node:events'
import { errorCodes } from '../../errors/codes.js'

/** The values that a `Response` is made from. Headers are pairs of name and value; a name may occur several times. */
export interface ReplyParts {
  readonly status: number
  readonly statusText?: string
  readonly headers: [string, string][]
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
  /**
   * Says that a body with a `Content-Encoding` is encoded already. Without this, `workerd` would encode the body; other runtimes ignore the
   * field.
   */
  readonly encodeBody?: 'manual'
}

/** The facts about the requests that one caller passes to `fetch`: a runtime, or the application itself. */
export interface RequestSource<Reply = Response> {
  /**
   * Makes the reply that the caller gets, by default a `Response`. (Node loads its `Response` when it is first used, which takes longer
   * than many a boot.)
   */
  makeReply(parts: ReplyParts): Reply

  /**
   * Whether a runtime has read the request from a connection, so that a body with a `content-length` has this length. Only then may a body be
   * read as a whole without counting its bytes.
   */
  readonly isFramed: boolean
  /** Returns the client's address. @param info the second argument that the runtime passes along with the request */
  addressOf(request: Request, info: any): string | undefined
}

/** The response to the request of a {@link StandInSocket}. */
interface Endable {
  destroy(error?: Error): unknown
  /** Ends the request because its client has left. */
  abort(): void
}

/**
 * The `socket` of a request without a connection. The object knows the client's address and whether the URL was `https:`, emits `close`
 * when the request is over, and can be destroyed. Settings of a connection (`setTimeout`, `setNoDelay`, `setKeepAlive`) do nothing.
 */
export class StandInSocket extends EventEmitter {
  readonly #source: RequestSource<unknown>
  readonly #web: Request
  readonly #info: unknown
  readonly remotePort = undefined
  readonly remoteFamily = undefined
  /** Whether the client uses HTTPS, according to the URL of the request. */
  readonly encrypted: boolean
  readonly readable = false
  readonly writable = false
  readonly bytesRead = 0
  readonly bytesWritten = 0
  readonly writableLength = 0
  destroyed = false
  response: Endable | undefined = undefined

  constructor(source: RequestSource<unknown>, web: Request, info: unknown, encrypted: boolean) {
    super()
    this.#source = source
    this.#web = web
    this.#info = info
    this.encrypted = encrypted
  }

  /** The second argument that the runtime has passed along with the request. */
  get info(): unknown {
    return this.#info
  }

  get remoteAddress(): string | undefined {
    return this.#source.addressOf(this.#web, this.#info)
  }

  address(): object {
    return {}
  }
  setTimeout(): this {
    return this
  }
  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
  pause(): this {
    return this
  }
  resume(): this {
    return this
  }
  cork(): void {}
  uncork(): void {}

  /** Ends the request and its response, as if the connection had closed. */
  destroy(error?: Error): this {
    this.response?.destroy(error)
    return this
  }
  destroySoon(): void {
    this.destroy()
  }

  write(): never {
    throw new errorCodes.ALC_ERR_FETCH_NO_SOCKET('write')
  }
  end(): never {
    throw new errorCodes.ALC_ERR_FETCH_NO_SOCKET('end')
  }
  pipe(): never {
    throw new errorCodes.ALC_ERR_FETCH_NO_SOCKET('pipe')
  }
  read(): never {
    throw new errorCodes.ALC_ERR_FETCH_NO_SOCKET('read')
  }
}

export function makeResponse(parts: ReplyParts): Response {
  return new Response(parts.body, parts)
}

/** Returns the second argument that a runtime has passed along with a request; `undefined` for a request that did not come by `fetch`. */
export function infoOf({ raw }: { readonly raw: { readonly socket: unknown } }): unknown {
  return raw.socket instanceof StandInSocket ? raw.socket.info : undefined
}
