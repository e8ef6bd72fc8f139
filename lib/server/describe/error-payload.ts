/** The payload of the errors that the framework answers, as a schema. */
import type { JsonSchema } from '../../types/description.js'

export interface ErrorPayloadDescription {
  readonly mediaType: string
  readonly schema: JsonSchema
}

const ownPayload: ErrorPayloadDescription = {
  mediaType: 'application/json',
  schema: {
    $id: 'AlcoveError',
    type: 'object',
    required: ['statusCode', 'error', 'message'],
    properties: {
      statusCode: { type: 'integer' },
      code: { type: 'string', description: 'The kind of error. Errors of validation have none.' },
      error: { type: 'string', description: 'The text of the status.' },
      message: { type: 'string' },
    },
  },
}

/** The payload that is in force for errors of a context and of its routes. */
export function errorPayloadOf(): ErrorPayloadDescription {
  return ownPayload
}
