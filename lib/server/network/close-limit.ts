/**
 * How long a server that closes waits, for its connections and for its handlers.
 *
 * A reply without an end is ended at once if it is a stream of items; otherwise the signal of its request is aborted (events that the
 * application writes itself, a hijacked response, an upgraded connection). All other replies have until shortly before the limit. At
 * the limit all connections are cut. A handler whose client has left, or which was answered already, still works with what `onClose` hooks
 * take away, so handlers and hooks are waited for too, a little longer.
 */
import type { Connections } from '../../http/drain-connections.js'
import { abandon } from '../../lifecycle/ending/pending-work.js'
import { describeRequest, type Exchange, isOpenEnded } from '../../lifecycle/exchange.js'
import { abortRequest } from '../../lifecycle/request.js'
import type { Logger } from '../../types/logger.js'
import type { ServerState } from '../server-state.js'

/** ms before the limit at which the signals of all requests are aborted */
const NOTICE_MS = 1_000
/** ms after the limit that handlers and hooks have left */
const GRACE_MS = 1_000
/** ms between two looks at what still runs */
const INTERVAL_MS = 25

/** Ends the replies that have no end of their own. Their clients may ask again at once, so the port must be closed. */
export function endOpenEnded(state: ServerState): void {
  for (const { itemStream } of state.running.toArray()) itemStream?.shutDown()
  abortSignals(state, isOpenEnded)
}

function abortSignals({ withSignal }: ServerState, isMeant: (exchange: Exchange) => boolean): void {
  for (const exchange of withSignal) if (isMeant(exchange)) abortRequest(exchange)
}

/** Most requests that a message names. */
const MAX_NAMED = 5

/** What a server that closes its connections waits for. */
export function describeWait({ running }: ServerState): string {
  const requests = running.waitedFor()
  if (requests.length === 0) return 'its connections'
  const more = requests.length > MAX_NAMED ? ` and ${requests.length - MAX_NAMED} more` : ''
  return `handlers and hooks of ${requests.slice(0, MAX_NAMED).map(describeRequest).join(', ')}${more}`
}

export class CloseLimit {
  readonly #state: ServerState
  readonly #timers: NodeJS.Timeout[]
  #isOver = false

  /** Starts the time. @param timeout ms; 0: no limit */
  constructor(state: ServerState, connections: Connections, logger: Logger, timeout: number) {
    this.#state = state
    const cut = (): void => {
      logger.warn(`closing took more than ${timeout} ms: the connections that are left are cut`)
      connections.destroyAll()
    }
    const timers = [
      [Math.max(0, timeout - NOTICE_MS), () => abortSignals(state, () => true)],
      [timeout, cut],
      [timeout + GRACE_MS, () => (this.#isOver = true)],
    ] as const
    this.#timers = timeout === 0 ? [] : timers.map(([time, run]) => setTimeout(run, time))
  }

  /** Waits for the handlers and hooks that still run. Call this when no connection is left. */
  waitForRuns(done: () => void): void {
    const { running } = this.#state
    const look = (): void => {
      const left = running.waitedFor()
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
