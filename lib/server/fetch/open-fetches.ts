/** The requests of `server.fetch` whose replies are not complete. A server that closes waits for them. */
import type { WebResponse } from '../../http/web/response.js'

export class OpenFetches {
  readonly #responses = new Set<WebResponse>()
  #onIdle: (() => void) | undefined
  /** Whether the server has got any request of `fetch`. */
  hasServed = false

  get size(): number {
    return this.#responses.size
  }

  add(response: WebResponse): void {
    this.#responses.add(response)
  }

  remove(response: WebResponse): void {
    this.#responses.delete(response)
    if (this.size > 0) return
    this.#onIdle?.()
    this.#onIdle = undefined
  }

  /** Calls back when no request is open, or at once if there is none. */
  whenIdle(call: () => void): void {
    if (this.size === 0) call()
    else this.#onIdle = call
  }

  /** Ends all open requests, because the time for closing is over. A client that has not got the head of its reply gets status 503. */
  cut(): void {
    for (const response of this.#responses) {
      response.statusIfDestroyed = 503
      response.destroy()
    }
  }
}
