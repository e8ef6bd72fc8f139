/**
 * The limit of the time that a server which closes waits for its connections and its handlers.
 *
 * A reply without an end is ended at once if it is a stream of items; otherwise the signal of its request is aborted (events that the
 * application writes itself, a hijacked response, an upgraded connection). All other replies have until shortly before the limit. At the
 * limit all connections are cut. A handler whose client has left, or which was answered already, still works with what `onClose` hooks take
 * away, so handlers and hooks are waited for too, a little longer.
 */
import { abandon } from '../../lifecycle/ending/pending-work.js'
import { describeRequest, type Exchange, isOpenEnded } from '../../lifecycle/exchange.js'
import { abortRequest } from '../../lifecycle/request.js'
import type { Logger } from '../../types/logger.js'
import type { ServerState } from '../server-state.js'

/** ms between the moment when the signals of all requests are aborted, and the limit of closing. */
const NOTICE_MS = 1_000
/** ms that handlers, hooks and background work have left after the limit of closing. */
export const GRACE_MS = 1_000
/** ms between two looks at the handlers and hooks that still run. */
const INTERVAL_MS = 25

/**
 * Ends the replies that would never end, such as server-sent events. Their clients may ask again at once, so the port must be closed by
 * then.
 */
export function endOpenEnded(state: ServerState): void {
  for (const { itemStream } of state.pendingRequests.toArray()) itemStream?.shutDown()
  abortSignals(state, isOpenEnded)
}

function abortSignals({ withSignal }: ServerState, isMeant: (exchange: Exchange) => boolean): void {
  for (const exchange of withSignal) if (isMeant(exchange)) abortRequest(exchange)
}

/** The most requests that a message names. */
const MAX_NAMED = 5

/**
 * Returns what a server that closes its connections waits for, as a text: `its connections`, the handlers and hooks of some requests, or
 * background work.
 */
export function describeWait({ pendingRequests, backgroundWorks }: ServerState): string {
  const requests = pendingRequests.waitedFor()
  if (requests.length === 0) return backgroundWorks.labels.slice(0, MAX_NAMED).join(', ') || 'its connections'
  const more = requests.length > MAX_NAMED ? ` and ${requests.length - MAX_NAMED} more` : ''
  return `handlers and hooks of ${requests.slice(0, MAX_NAMED).map(describeRequest).join(', ')}${more}`
}

export class CloseLimit {
  readonly #state: ServerState
  readonly #timers: NodeJS.Timeout[]
  #isOver = false

  /**
   * Starts to measure the time of closing.
   * @param cutAll ends the connections, and the requests of `fetch`, which have none
   * @param timeout ms until they are cut; 0: no limit
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

  /** Waits for the handlers and hooks that still run, at most until the limit, then calls `done`. Call this when no connection is left. */
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
    const interval = setInterval(look, INTERVAL_MS)
    look()
  }
}
