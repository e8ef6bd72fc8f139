/** Loggers of errors. A test server that gets no logger prints its errors: without that, a reply with status 500 would not tell what has failed. */
import { HttpError, type Logger, type ServerOptions } from '../../lib/index.js'
import { inspect } from '../../lib/internal.js'

const ignore = (): void => {}

/** Whether the options of a server choose a logger, or that there is none. */
export function hasLogger(options: ServerOptions | undefined): boolean {
  return options?.logger !== undefined || options?.loggerInstance !== undefined
}

/** Returns a logger that passes the values of each logged error to `take`, and drops all other lines. */
export function createErrorLogger(
  take: (values: { readonly err?: unknown; readonly req?: { method: string; url: string } }) => void,
): Logger {
  // As in pino, an error is the value `err` of its line.
  const takeValues = (values: unknown): void => take(values instanceof Error ? { err: values } : (values ?? {}))
  const logger: Logger = {
    level: 'error',
    trace: ignore,
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: takeValues,
    fatal: takeValues,
    child: () => logger,
  }
  return logger
}

/**
 * Returns a logger that prints errors on stderr, each error once. An HttpError is not printed, because a test may expect the error's reply.
 */
export function createErrorPrinter(): Logger {
  const printed = new WeakSet<object>()
  return createErrorLogger(({ err, req }) => {
    if (err === undefined || err === null || err instanceof HttpError) return
    if (typeof err === 'object') {
      if (printed.has(err)) return
      printed.add(err)
    }
    process.stderr.write(`${req === undefined ? 'Logged' : `${req.method} ${req.url}`}: ${inspect(err)}\n`)
  })
}
