/** Closes the server when a signal asks the process to end. */
import { MAX_TIMEOUT_MS } from '../http/deadline.js'
import type { Server } from '../types/server.js'
import { assertKnownOptions, suggestName } from '../util/nearest-name.js'
import { loadOs } from '../util/node/modules.js'
import { settleWithin } from '../util/promises.js'
import { stateOf } from './server-state.js'

/** Options of {@link closeOnSignals}. */
export interface CloseOnSignalsOptions {
  /** Signals that close the server. Default: SIGINT and SIGTERM. */
  signals?: readonly NodeJS.Signals[]
  /**
   * ms that closing may take; after that, the process exits with code 1. Default 10 000. Connections that are still open 2 s before that
   * (half of a time below 4 s) are cut, to leave time for onClose hooks; earlier if the server's `closeTimeout` is shorter.
   */
  timeout?: number
  /**
   * Is called before the server is closed, while requests are still served. Use it to take the server off its load balancers, and to wait
   * until they have noticed. The time of this function does not count for `timeout`.
   */
  beforeClose?: (signal: NodeJS.Signals) => unknown
  /** ms that `beforeClose` may take; then the server is closed without waiting for it. Default 30 000 */
  beforeCloseTimeout?: number
}

/** The defaults of {@link CloseOnSignalsOptions} that are times, in ms. */
export const defaultTimes = { timeout: 10_000, beforeCloseTimeout: 30_000 } as const

/** The number of servers of this process that are closing because of a signal. */
let closingCount = 0
/** The exit code of the process, which ends when the last of these servers has closed. */
let exitCode = 0

/** Notes that a server has closed, and ends the process unless other servers are still closing. */
function exitWhenAllHaveClosed(code: number): void {
  exitCode ||= code
  closingCount--
  if (closingCount > 0) return
  process.exit(exitCode)
}

/** ms of the time for closing that are left for handlers and onClose hooks when the connections are cut. */
const TIME_FOR_HOOKS_MS = 2_000

/**
 * Closes the server when the process receives a signal to end: requests in flight are answered, `onClose` hooks run, then the process exits
 * with code 0. The code is 1 if closing fails or takes longer than `timeout`, or if closing could not wait for the end of a handler, a hook
 * or a provider, which is named in the log. If several servers of a process are closed by signals, the process exits when the last of them
 * has closed. A second signal ends the process at once, with code 1.
 * ```ts
 * closeOnSignals(server)
 * ```
 * @returns a function that removes the listeners
 * @throws TypeError for an option that does not exist, and for an invalid value
 */
export function closeOnSignals(server: Server, options: CloseOnSignalsOptions = {}): () => void {
  assertKnownOptions('closeOnSignals(…)', options, ['signals', 'timeout', 'beforeClose', 'beforeCloseTimeout'])
  const {
    signals = ['SIGINT', 'SIGTERM'],
    timeout = defaultTimes.timeout,
    beforeClose,
    beforeCloseTimeout = defaultTimes.beforeCloseTimeout,
  } = options
  assertValues({ signals, timeout, beforeClose, beforeCloseTimeout })
  let isClosing = false
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isClosing) process.exit(1)
    isClosing = true
    closingCount++
    stateOf(server.server).isProcessEnding = true
    server.log.info(`${signal}: closing`)
    if (beforeClose === undefined) close()
    else void prepare(beforeClose, signal).then(close)
  }
  // The server is closed even if `beforeClose` fails.
  const prepare = async (callback: NonNullable<typeof beforeClose>, signal: NodeJS.Signals): Promise<void> => {
    try {
      await settleWithin(beforeCloseTimeout, callback(signal))
    } catch (error) {
      server.log.error({ err: error }, 'beforeClose failed')
    }
  }
  const close = (): void => {
    const state = stateOf(server.server)
    const limit = timeout - Math.min(TIME_FOR_HOOKS_MS, timeout / 2)
    state.cutAt = performance.now() + limit
    // The timer keeps the process alive. If closing hangs with nothing else to do, the process would otherwise exit with code 0.
    setTimeout(() => {
      server.log.error(`closing took more than ${timeout} ms: it waits for ${state.describeWait?.() ?? 'its plugins'}`)
      process.exit(1)
    }, timeout)
    server.close().then(
      () => exitWhenAllHaveClosed(state.isIncomplete ? 1 : 0),
      (error: unknown) => {
        server.log.error({ err: error }, 'closing failed')
        exitWhenAllHaveClosed(1)
      },
    )
  }
  for (const signal of signals) process.on(signal, onSignal)
  return () => {
    for (const signal of signals) process.removeListener(signal, onSignal)
  }
}

/** @throws TypeError for a value with which a signal would have no effect, or would end the process at once */
function assertValues({ signals, beforeClose, ...times }: { [Name in keyof Required<CloseOnSignalsOptions>]: unknown }): void {
  for (const [name, value] of Object.entries(times)) {
    const least = name === 'timeout' ? 1 : 0
    if (typeof value === 'number' && value >= least && value <= MAX_TIMEOUT_MS) continue
    throw new TypeError(
      `closeOnSignals(…) has ${String(value)} as ${name}. Write a number of ms from ${least} to ${MAX_TIMEOUT_MS}: a value read from the environment may be NaN or a text.`,
    )
  }
  if (beforeClose !== undefined && typeof beforeClose !== 'function')
    throw new TypeError(`closeOnSignals(…) has a ${typeof beforeClose} as beforeClose. Write a function.`)
  if (!Array.isArray(signals)) throw new TypeError(`closeOnSignals(…) has ${String(signals)} as signals. Write a list: ['SIGTERM'].`)
  const known = Object.keys(loadOs().constants.signals)
  for (const signal of signals as unknown[])
    if (!(known as unknown[]).includes(signal))
      throw new TypeError(
        `closeOnSignals(…) has the signal ${String(signal)}, which does not exist here. ${suggestName(String(signal), known)}`.trimEnd(),
      )
}
