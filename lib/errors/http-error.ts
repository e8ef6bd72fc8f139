/** The error that handlers throw for their clients. */
import { STATUS_CODES } from '../util/node/modules.js'
import { errorCodes } from './codes.js'

/** The members of the payload that come from the error itself, in one of the formats. */
type OwnMember = 'code' | 'detail' | 'error' | 'instance' | 'message' | 'status' | 'statusCode' | 'title' | 'type'

const ownMembers: { readonly [M in OwnMember]: true } = {
  code: true,
  detail: true,
  error: true,
  instance: true,
  message: true,
  status: true,
  statusCode: true,
  title: true,
  type: true,
}

/** Whether the payload of errors has a member of this name already. */
export function isErrorMember(name: string): boolean {
  return Object.hasOwn(ownMembers, name)
}

/** Whether a value is a whole number from 400 to 599. */
export function isErrorStatus(status: unknown): status is number {
  return Number.isInteger(status) && (status as number) >= 400 && (status as number) <= 599
}

/** Further members of the payload of an error, by name. */
export type ErrorExtensions = { readonly [name: string]: unknown } & { readonly [M in OwnMember]?: never }

/** Options of {@link HttpError}. */
export interface HttpErrorOptions {
  readonly expose?: boolean
  readonly code?: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
  readonly type?: string
  readonly title?: string
  readonly extensions?: ErrorExtensions
  /** The error that led to this one; logged, not shown. */
  readonly cause?: unknown
}

/**
 * An error meant for the client.
 * ```ts
 * throw new HttpError(404, 'No such invoice')
 * throw new HttpError(503, 'Closed for today', { expose: true, code: 'CLOSED', headers: { 'retry-after': '3600' } })
 * throw new HttpError(403, 'The balance is 30', { type: 'https://shop.example/out-of-credit', extensions: { balance: 30 } })
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
  /** The kind of problem, as a URI reference (RFC 9457 §3.1.1). Shown as `type` in problem details. Default there: `about:blank`. */
  declare readonly type: string | undefined
  /** The name of the kind of problem. Shown as `title` in problem details. Default there: the status text. */
  declare readonly title: string | undefined
  /** Further members of the payload, shown whenever the message is. */
  declare readonly extensions: ErrorExtensions | undefined

  /**
   * @throws ALC_ERR_BAD_STATUS_CODE if `status` is not a whole number from 400 to 599
   * @throws ALC_ERR_HTTP_ERROR_EXTENSION if an extension member has the name of another member of the payload
   */
  constructor(status: number, message: string = STATUS_CODES[status] ?? 'Error', options: HttpErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    if (!isErrorStatus(status)) throw new errorCodes.ALC_ERR_BAD_STATUS_CODE(status, 'Created an HttpError (400 to 599)')
    this.statusCode = status
    this.expose = options.expose ?? status < 500
    if (options.code !== undefined) this.code = options.code
    if (options.headers !== undefined) this.headers = options.headers
    if (options.body !== undefined) this.body = options.body
    if (options.type !== undefined) this.type = options.type
    if (options.title !== undefined) this.title = options.title
    if (options.extensions === undefined) return
    for (const name of Object.keys(options.extensions)) if (isErrorMember(name)) throw new errorCodes.ALC_ERR_HTTP_ERROR_EXTENSION(name)
    this.extensions = options.extensions
  }
  override get name(): string {
    return 'HttpError'
  }
}

/**
 * The class of errors that a route lists in `throws`. {@link httpError} makes base classes of them.
 */
export interface HttpErrorClass {
  new (...args: any[]): HttpError
  /** The status of its instances, 400 to 599. */
  readonly status: number
  /** The schema of the members that its instances add to the payload (`extensions`). */
  readonly schema?: object
  /** Describes the reply in documents. {@link httpError} takes the default message. */
  readonly description?: string | undefined
}
