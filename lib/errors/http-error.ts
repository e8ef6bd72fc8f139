/** The error that handlers throw for their clients. */
import { STATUS_CODES } from 'node:http'
import { errorCodes } from './codes.js'

/**
 * An error meant for the client.
 * ```ts
 * throw new HttpError(404, 'No such invoice')
 * throw new HttpError(503, 'Closed for today', { expose: true, code: 'CLOSED', headers: { 'retry-after': '3600' } })
 * ```
 * Clients see the message if the status is below 500, that of a 5xx only with `expose: true` or the option
 * `exposeErrorMessages`; `expose: false` hides it below 500 too. The default message is the status text, e.g. `Not Found`.
 */
export class HttpError extends Error {
  /** Status of the reply, 400 to 599. */
  declare readonly statusCode: number
  /** Shown to the client as `code` whenever the message is shown. */
  declare readonly code: string | undefined
  /** Whether the client sees message and code. Default: `true` below 500, `false` from 500 on. */
  declare readonly expose: boolean
  /** Headers of the reply. Those that describe a body (`content-type`, `content-length` …) are ignored. */
  declare readonly headers: Record<string, string> | undefined
  /** The payload of the reply in place of the usual one, whenever the message is shown. */
  declare readonly body: unknown

  /**
   * @param options.cause the error that led to this one; logged, not shown
   * @throws ALC_ERR_BAD_STATUS_CODE if `status` is not a whole number from 400 to 599
   */
  constructor(
    status: number,
    message: string = STATUS_CODES[status] ?? 'Error',
    options: { expose?: boolean; code?: string; headers?: Record<string, string>; body?: unknown; cause?: unknown } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new errorCodes.ALC_ERR_BAD_STATUS_CODE(status, 'Created an HttpError (400 to 599)')
    }
    this.statusCode = status
    this.expose = options.expose ?? status < 500
    if (options.code !== undefined) this.code = options.code
    if (options.headers !== undefined) this.headers = options.headers
    if (options.body !== undefined) this.body = options.body
  }
  override get name(): string {
    return 'HttpError'
  }
}
