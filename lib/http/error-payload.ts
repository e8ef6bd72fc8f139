/** The payloads of the error replies that the framework makes, in each format that a context can choose. */
import { STATUS_CODES } from '../util/node/modules.js'

export interface ErrorPayload {
  readonly statusCode: number
  readonly code?: unknown
  /** The status text: `Not Found`. */
  readonly error: string
  readonly message: unknown
}

/** One reason why a request is not valid. */
export interface ValidationIssue {
  /** The place of the value in its part of the request (JSON Pointer, RFC 6901), such as `/address/street`; empty for the part itself. */
  readonly pointer: string
  /** The rule that the value breaks: `should be integer`. */
  readonly detail: string
  /** The part of the request: `body`, `params`, `query`, `headers` or `cookies`. */
  readonly part: string
}

/** The facts of an error from which the payload for the client is made. */
export interface ErrorFacts {
  readonly statusCode: number
  readonly message: unknown
  readonly code?: unknown
  /** Returns the URL that was requested, as a URI reference. */
  readonly instance?: (() => string) | undefined
  /** Returns the reasons why the request is not valid. */
  readonly issues?: (() => readonly ValidationIssue[]) | undefined
  /** The URI of the kind of error (RFC 9457), given by an HttpError. The field `title` is the name of that kind. */
  readonly type?: string | undefined
  readonly title?: string | undefined
  /** Further members of the payload of the error. */
  readonly extensions?: object | undefined
}

export type ErrorFormatName = 'default' | 'problem'

/** A format in which the errors of a context are written. */
export interface ErrorFormat {
  readonly name: ErrorFormatName
  readonly mediaType: string
  /**
   * Whether a response schema that names no media type applies to errors of this format. Such a schema is written for the default format:
   * with it, problem details would be empty if the schema lists none of their members.
   */
  readonly takesAnySchema: boolean
  readonly payload: (facts: ErrorFacts) => object
  /**
   * Makes the payload of the reply for a missing route. In the default format the keys have the order of Fastify, because the tests of
   * plugins compare the text.
   */
  readonly notFound: (facts: ErrorFacts) => object
  /** The JSON Schema of the payload, without the members that only some errors add. */
  readonly schema: PayloadSchema
  /** Returns the members that a response schema can name in addition to the properties of the error object. */
  readonly members: (facts: ErrorFacts) => object
}

interface PayloadSchema {
  readonly $id: string
  readonly type: 'object'
  readonly required: readonly string[]
  readonly properties: { readonly [name: string]: object }
}

/** Returns the text of a status, such as `Not Found`; `Error` for a status without a text. */
export function statusText(statusCode: number): string {
  return STATUS_CODES[statusCode] ?? 'Error'
}

/** Makes the payload `{ statusCode, code?, error, message }`, with the keys always in this order. */
export function errorPayload(statusCode: number, message: unknown, code?: unknown): ErrorPayload {
  const error = statusText(statusCode)
  return code === undefined ? { statusCode, error, message } : { statusCode, code, error, message }
}

/** Makes the payload of an error in the format of problem details (RFC 9457 §3.1). A `detail` that only repeats the title is left out. */
function problemDetails({ statusCode, message, code, instance, issues, extensions, ...others }: ErrorFacts): object {
  const { type = 'about:blank', title = statusText(statusCode) } = others
  return {
    type,
    title,
    status: statusCode,
    ...(message !== title && { detail: message }),
    ...(instance !== undefined && { instance: instance() }),
    ...(code !== undefined && { code }),
    ...(issues !== undefined && { errors: issues() }),
    ...extensions,
  }
}

const codeSchema = {
  type: 'string',
  description: 'The kind of error. Absent for errors of validation, and for errors that were thrown without a code.',
} as const

const problemSchema: PayloadSchema = {
  $id: 'ProblemDetails',
  type: 'object',
  required: ['type', 'title', 'status'],
  properties: {
    type: { type: 'string', format: 'uri-reference', description: 'The kind of problem.' },
    title: { type: 'string', description: 'The name of the kind of problem.' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string', format: 'uri-reference', description: 'The path that was requested.' },
    code: codeSchema,
    errors: {
      type: 'array',
      description: 'What is wrong with an invalid request.',
      items: {
        type: 'object',
        required: ['pointer', 'detail', 'part'],
        properties: { pointer: { type: 'string', format: 'json-pointer' }, detail: { type: 'string' }, part: { type: 'string' } },
      },
    },
  },
}

/** The formats of error replies by their names. */
export const errorFormats = {
  default: {
    name: 'default',
    mediaType: 'application/json',
    takesAnySchema: true,
    payload: ({ statusCode, message, code, extensions }) => ({ ...errorPayload(statusCode, message, code), ...extensions }),
    schema: {
      $id: 'AlcoveError',
      type: 'object',
      required: ['statusCode', 'error', 'message'],
      properties: {
        statusCode: { type: 'integer' },
        code: codeSchema,
        error: { type: 'string', description: 'The text of the status.' },
        message: { type: 'string' },
      },
    },
    notFound: ({ message }) => ({ message, error: 'Not Found', statusCode: 404 }),
    members: ({ statusCode, message, extensions }) => ({ error: statusText(statusCode), message, statusCode, ...extensions }),
  },
  problem: {
    name: 'problem',
    mediaType: 'application/problem+json',
    takesAnySchema: false,
    payload: problemDetails,
    schema: problemSchema,
    notFound: problemDetails,
    members: problemDetails,
  },
} satisfies { readonly [Name in ErrorFormatName]: ErrorFormat & { readonly name: Name } }
