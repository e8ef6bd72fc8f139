/** Ending with the process: signals close the server before they end it. */
import type { Server } from '../types/server.js'

export interface CloseOnSignalsOptions {
  /** Default: SIGINT and SIGTERM. */
  signals?: readonly NodeJS.Signals[]
  /** ms that closing may take before the process is ended with exit code 1; default 10 000 */
  timeout?: number
  /** Run first, while all requests are still answered: where load balancers are told, and given the time to notice. Not part of the timeout. */
  beforeClose?: (signal: NodeJS.Signals) => unknown
}

/**
 * Closes the server when the process is asked to end: requests in flight are answered, `onClose` hooks run, then the process
 * exits with code 0. A second signal ends it at once.
 * ```ts
 * closeOnSignals(server)
 * ```
 * @returns a function that takes the listeners off again
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
  // What fails to prepare does not keep the server from closing.
  const prepare = async (run: NonNullable<typeof beforeClose>, signal: NodeJS.Signals): Promise<void> => {
    try {
      await run(signal)
    } catch (error) {
      server.log.error({ err: error }, 'beforeClose failed')
    }
  }
  const close = (): void => {
    // Not unref'd: a closing that hangs with nothing else to do would look like one that went well.
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
