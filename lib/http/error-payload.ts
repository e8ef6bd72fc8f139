/** The payloads of the error replies that the framework makes, in each format that a context can choose. */
import { STATUS_CODES } from 'node:http'

export interface ErrorPayload {
  readonly statusCode: number
  readonly code?: unknown
  /** The status text: `Not Found`. */
  readonly error: string
  readonly message: unknown
}

/** What a client is told of an error. */
export interface ErrorFacts {
  readonly statusCode: number
  readonly message: unknown
  readonly code?: unknown
}

export type ErrorFormatName = 'default'

/** How the errors of a context are written. */
export interface ErrorFormat {
  readonly name: ErrorFormatName
  readonly mediaType: string
  readonly payload: (facts: ErrorFacts) => object
  /** The payload if there is no route. Plugins' own tests compare the text of the default format, so it has keys in the order of Fastify. */
  readonly notFound: (facts: ErrorFacts) => object
  /** The members that a response schema finds besides those of the error itself. */
  readonly members: (facts: ErrorFacts) => object
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

/** The formats by their names. */
export const errorFormats = {
  default: {
    name: 'default',
    mediaType: 'application/json',
    payload: ({ statusCode, message, code }) => errorPayload(statusCode, message, code),
    notFound: ({ message }) => ({ message, error: 'Not Found', statusCode: 404 }),
    members: ({ statusCode, message }) => ({ error: statusText(statusCode), message, statusCode }),
  },
} satisfies { readonly [Name in ErrorFormatName]: ErrorFormat & { readonly name: Name } }
