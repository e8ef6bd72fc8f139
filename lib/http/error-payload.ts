/** The payload of every error reply that the framework makes. */
import { STATUS_CODES } from 'node:http'

export interface ErrorPayload {
  readonly statusCode: number
  readonly code?: unknown
  /** The status text: `Not Found`. */
  readonly error: string
  readonly message: unknown
}

/** The text of a status: `Not Found`; `Error` for a status without one. */
export function statusText(statusCode: number): string {
  return STATUS_CODES[statusCode] ?? 'Error'
}

/** Makes `{ statusCode, code?, error, message }`, always in this order. */
export function errorPayload(statusCode: number, message: unknown, code?: unknown): ErrorPayload {
  const error = statusText(statusCode)
  return code === undefined ? { statusCode, error, message } : { statusCode, code, error, message }
}
