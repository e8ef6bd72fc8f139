/** Ending with the process: signals close the server before they end it. */
import type { Server } from './contract.js'

export interface CloseOnSignalsOptions {
  /** Default: SIGINT and SIGTERM. */
  signals?: readonly NodeJS.Signals[]
  /** ms that closing may take before the process is ended with exit code 1; default 10 000 */
  timeout?: number
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
  { signals = ['SIGINT', 'SIGTERM'], timeout = 10_000 }: CloseOnSignalsOptions = {},
): () => void {
  let isClosing = false
  const close = (signal: NodeJS.Signals): void => {
    if (isClosing) process.exit(1)
    isClosing = true
    server.log.info(`${signal}: closing`)
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
  for (const signal of signals) process.on(signal, close)
  return () => {
    for (const signal of signals) process.removeListener(signal, close)
  }
}
