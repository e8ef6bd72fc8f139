/** The stand-in for the connection of a request that `server.fetch` serves: the runtime has the connection, and hands over none of it. */
import { EventEmitter } from 'node:events'
import { errorCodes } from '../../errors/codes.js'

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
  readonly remoteAddress: string | undefined
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

  constructor(remoteAddress: string | undefined, encrypted: boolean) {
    super()
    this.remoteAddress = remoteAddress
    this.encrypted = encrypted
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
