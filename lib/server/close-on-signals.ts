/** Closes the server when a signal asks the process to end. */
import type { Server } from '../types/server.js'

/** Options of {@link closeOnSignals}. */
export interface CloseOnSignalsOptions {
  /** Signals that close the server. Default: SIGINT and SIGTERM. */
  signals?: readonly NodeJS.Signals[]
  /** ms that closing may take; after that, the process exits with code 1. Default 10 000 */
  timeout?: number
  /**
   * Called first, while requests are still served. Use it to take the server off its load balancers, and to wait until they have
   * noticed. Its time does not count for `timeout`.
   */
  beforeClose?: (signal: NodeJS.Signals) => unknown
}

/**
 * Closes the server when the process receives a signal to end: requests in flight are answered, `onClose` hooks run, then the process
 * exits with code 0. A second signal ends it at once, with code 1.
 * ```ts
 * closeOnSignals(server)
 * ```
 * @returns a function that removes the listeners
 */
export function closeOnSignals(
  server: Server,
  { signals = ['SIGINT', 'SIGTERM'], timeout = 10_000, beforeClose }: CloseOnSignalsOptions = {},
): () => void {
  let isClosing = false
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isClosing) process.exit(1)
    isClosing = true
    server.log.info(`${signal}: closing`)
    if (beforeClose === undefined) close()
    else void prepare(beforeClose, signal).then(close)
  }
  // The server is closed even if `beforeClose` fails.
  const prepare = async (run: NonNullable<typeof beforeClose>, signal: NodeJS.Signals): Promise<void> => {
    try {
      await run(signal)
    } catch (error) {
      server.log.error({ err: error }, 'beforeClose failed')
    }
  }
  const close = (): void => {
    // The timer keeps the process alive. If closing hangs with nothing else to do, the process would otherwise exit with code 0.
    setTimeout(() => {
      server.log.error(`closing took more than ${timeout} ms`)
      process.exit(1)
    }, timeout)
    server.close().then(
      () => process.exit(0),
      (error: unknown) => {
        server.log.error({ err: error }, 'closing failed')
        process.exit(1)
      },
    )
  }
  for (const signal of signals) process.on(signal, onSignal)
  return () => {
    for (const signal of signals) process.removeListener(signal, onSignal)
  }
}
