/** The logger of a test server that gets no logger: without it, a reply with status 500 would not tell what has failed. */
import { HttpError, type Logger } from '../../lib/index.js'
import { inspect } from '../../lib/internal.js'

const ignore = (): void => {}

/**
 * Returns a logger that prints errors on stderr, each error once. An HttpError is not printed, because a test may expect such a reply.
 */
export function createErrorPrinter(): Logger {
  const printed = new WeakSet<object>()
  const print = (values: unknown): void => {
    const { err, req } = (values ?? {}) as { err?: unknown; req?: { method: string; url: string } }
    if (err === undefined || err === null || err instanceof HttpError) return
    if (typeof err === 'object') {
      if (printed.has(err)) return
      printed.add(err)
    }
    process.stderr.write(`${req === undefined ? 'Logged' : `${req.method} ${req.url}`}: ${inspect(err)}\n`)
  }
  const logger: Logger = {
    level: 'error',
    trace: ignore,
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: print,
    fatal: print,
    child: () => logger,
  }
  return logger
}
