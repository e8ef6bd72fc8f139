/** The error that handlers throw for their clients. */
import { STATUS_CODES } from '../util/node/modules.js'
import { errorCodes } from './codes.js'

/** The names of the members that the payload of an error has in one of the two formats. Extensions (`extensions`) must have other names. */
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

/** Whether payloads of errors have a built-in member of this name. */
export function isErrorMember(name: string): boolean {
  return Object.hasOwn(ownMembers, name)
}

/** Whether a value is a whole number from 400 to 599. */
export function isErrorStatus(status: unknown): status is number {
  return Number.isInteger(status) && (status as number) >= 400 && (status as number) <= 599
}

/** Members that an error adds to its payload, by name. */
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
  /** The error that led to this error. It is logged, and not shown to clients. */
  readonly cause?: unknown
}

/**
 * An error whose status and message are meant for the client.
 * ```ts
 * throw new HttpError(404, 'No such invoice')
 * throw new HttpError(503, 'Closed for today', { expose: true, code: 'CLOSED', headers: { 'retry-after': '3600' } })
 * throw new HttpError(403, 'The balance is 30', { type: 'https://shop.example/out-of-credit', extensions: { balance: 30 } })
 * ```
 * Clients see the message if the status is below 500. They see the message of a 5xx only with `expose: true` or the option
 * `exposeErrorMessages`; `expose: false` hides the message below 500 too. The default message is the status text, e.g. `Not Found`.
 */
export class HttpError extends Error {
  /** Status of the reply, 400 to 599. */
  declare readonly statusCode: number
  /** The code of the error, which the client sees as `code` whenever it sees the message. */
  declare readonly code: string | undefined
  /** Whether the client sees message and code. Default: `true` below 500, `false` from 500 on. */
  declare readonly expose: boolean
  /** Headers of the reply. Headers that describe a body (`content-type`, `content-length` …) are ignored. */
  declare readonly headers: Record<string, string> | undefined
  /** The payload that replaces the usual payload of the reply, whenever the client sees the message. */
  declare readonly body: unknown
  /** The kind of problem, as a URI reference (RFC 9457 §3.1.1). Shown as `type` in problem details. Default there: `about:blank`. */
  declare readonly type: string | undefined
  /** The name of the kind of problem, which problem details show as `title`. Default: the status text. */
  declare readonly title: string | undefined
  /** Members that are added to the payload of the reply, whenever the client sees the message. */
  declare readonly extensions: ErrorExtensions | undefined

  /**
   * Makes an error with a status from 400 to 599. The default message is the text of the status.
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

/** A class of errors that routes can list in `throws`. {@link httpError} makes base classes for such classes. */
export interface HttpErrorClass {
  new (...args: any[]): HttpError
  /** The status of the errors of this class, 400 to 599. */
  readonly status: number
  /** The schema of the members that errors of this class add to the payload (`extensions`). */
  readonly schema?: object
  /** The description of the reply in documents. {@link httpError} takes the default message. */
  readonly description?: string | undefined
}
