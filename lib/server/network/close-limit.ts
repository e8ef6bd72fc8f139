/**
 * The limit of the time for which a closing server waits for its connections and its handlers.
 *
 * A reply that has no end by itself is ended at once if it is a stream of items; otherwise (events that the application writes itself, a
 * hijacked response, an upgraded connection) the signal of its request is aborted at once. For all other requests the signal is aborted
 * shortly before the limit. At the limit all connections are cut. Handlers may still run although their client has left or has got its
 * reply, and they use services that `onClose` hooks end. So the server waits a little longer for handlers and hooks.
 */
import { abandon } from '../../lifecycle/ending/pending-work.js'
import { describeRequest, type Exchange, isOpenEnded } from '../../lifecycle/exchange.js'
import { abortRequest } from '../../lifecycle/request.js'
import type { Logger } from '../../types/logger.js'
import type { ServerState } from '../server-state.js'

/** ms from the moment when the signals of all requests are aborted until the limit of closing. */
const NOTICE_MS = 1_000
/** ms that handlers, hooks and background work may still take after the limit of closing. */
export const GRACE_MS = 1_000
/** ms between two checks of the handlers and hooks that still run. */
const INTERVAL_MS = 25

/**
 * Ends the replies that would never end by themselves, such as server-sent events. Call this when the port is closed, because clients may
 * connect again at once.
 */
export function endOpenEnded(state: ServerState): void {
  for (const { itemStream } of state.pendingRequests.toArray()) itemStream?.shutDown()
  abortSignals(state, isOpenEnded)
}

function abortSignals({ withSignal }: ServerState, isMeant: (exchange: Exchange) => boolean): void {
  for (const exchange of withSignal) if (isMeant(exchange)) abortRequest(exchange)
}

/** The most requests that one message names. */
const MAX_NAMED = 5

/** Describes in words for what a closing server waits: `its connections`, the handlers and hooks of some requests, or background work. */
export function describeWait({ pendingRequests, backgroundWorks }: ServerState): string {
  const requests = pendingRequests.waitedFor()
  if (requests.length === 0) return backgroundWorks.labels.slice(0, MAX_NAMED).join(', ') || 'its connections'
  const more = requests.length > MAX_NAMED ? ` and ${requests.length - MAX_NAMED} more` : ''
  return `handlers and hooks of ${requests.slice(0, MAX_NAMED).map(describeRequest).join(', ')}${more}`
}

/** Returns the ms that connections have from now on, when the port is closed, until they are cut; 0: no limit */
export function timeForConnections({ closeTimeout, cutAt }: ServerState): number {
  if (cutAt === Infinity) return closeTimeout
  const left = Math.max(1, Math.ceil(cutAt - performance.now()))
  return closeTimeout === 0 ? left : Math.min(closeTimeout, left)
}

export class CloseLimit {
  readonly #state: ServerState
  readonly #timers: NodeJS.Timeout[]
  #isOver = false

  /**
   * Starts the time of closing.
   * @param cutAll ends all connections, and the requests of `fetch`, which have no connection
   * @param timeout ms until `cutAll` is called; 0: no limit
   */
  constructor(state: ServerState, cutAll: () => void, logger: Logger, timeout: number) {
    this.#state = state
    const cut = (): void => {
      logger.warn(`closing took more than ${timeout} ms: the connections that are left are cut`)
      cutAll()
    }
    const timers = [
      [Math.max(0, timeout - NOTICE_MS), () => abortSignals(state, () => true)],
      [timeout, cut],
      [timeout + GRACE_MS, () => (this.#isOver = true)],
    ] as const
    this.#timers = timeout === 0 ? [] : timers.map(([time, onTimeout]) => setTimeout(onTimeout, time))
  }

  /**
   * Waits for the handlers and hooks that still run, at most until the limit, then calls `done`. Call this when no connection is open any
   * more.
   */
  waitForPendingWork(done: () => void): void {
    const { pendingRequests } = this.#state
    const look = (): void => {
      const left = pendingRequests.waitedFor()
      if (left.length > 0 && !this.#isOver) return
      clearInterval(interval)
      for (const timer of this.#timers) clearTimeout(timer)
      if (left.length > 0) this.#state.isIncomplete = true
      for (const exchange of left) abandon(exchange, 'while the server closed')
      done()
    }
    let interval: NodeJS.Timeout | undefined
    // Node emits the `close` of a server before that of its last sockets, with which their requests end: two turns later they have.
    setImmediate(() =>
      setImmediate(() => {
        interval = setInterval(look, INTERVAL_MS)
        look()
      }),
    )
  }
}
