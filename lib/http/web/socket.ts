/** The stand-in for the connection of a request that `server.fetch` serves: the runtime has the connection, and hands over none of it. */
import { EventEmitter } from 'node:events'
import { errorCodes } from '../../errors/codes.js'

/** A reply as a `Response` takes it. Headers are names and values in pairs, a name may repeat. */
export interface ReplyParts {
  readonly status: number
  readonly statusText?: string
  readonly headers: [string, string][]
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
  /** Says that a body with a `Content-Encoding` has this coding already: `workerd` would encode it, other runtimes ignore it. */
  readonly encodeBody?: 'manual'
}

/** What is known of the requests of one caller of `fetch`. */
export interface RequestSource<Reply = Response> {
  /** Makes what the caller gets. (Node loads its `Response` when it is first used, which takes longer than many a boot.) */
  makeReply(parts: ReplyParts): Reply

  /**
   * Whether a runtime has read the request from a connection, so that a body with a `content-length` has this length. Only then may a body be
   * read as a whole without counting its bytes.
   */
  readonly isFramed: boolean
  /** Returns the client's address. @param info what the runtime passes beside the request */
  addressOf(request: Request, info: any): string | undefined
}

/** The response of the request. */
interface Endable {
  destroy(error?: Error): unknown
  /** Ends the request because its client has left. */
  abort(): void
}

/**
 * The `socket` of a request without a connection. It knows the client's address and whether the URL was `https:`, emits `close` when the
 * request is over, and can be destroyed. Settings of a connection (`setTimeout`, `setNoDelay`, `setKeepAlive`) do nothing.
 */
export class StandInSocket extends EventEmitter {
  readonly #source: RequestSource<unknown>
  readonly #web: Request
  readonly #info: unknown
  readonly remotePort = undefined
  readonly remoteFamily = undefined
  /** Whether the client speaks HTTPS, by the URL of the request. */
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

  /** What the runtime has passed beside the request. */
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

/** Returns what a runtime has passed beside a request; `undefined` for a request that came by another way than `fetch`. */
export function infoOf({ raw }: { readonly raw: { readonly socket: unknown } }): unknown {
  return raw.socket instanceof StandInSocket ? raw.socket.info : undefined
}
