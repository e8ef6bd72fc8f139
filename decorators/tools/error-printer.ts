/** The logger of a test that has none: without it, a reply with status 500 would not say what has failed. */
import { HttpError, type Logger } from '../../lib/index.js'
import { inspect } from '../../lib/internal.js'

const ignore = (): void => {}

/** Returns a logger that prints the errors of its lines on stderr, each error once. An HttpError is a reply that a test may expect. */
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
