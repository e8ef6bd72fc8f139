import { ref, Schema } from 'alcove'
import type { ErrorMessages } from './errors.js'

const genericError = {
  $id: 'GenericErrorModel',
  type: 'object',
  required: ['errors'],
  properties: {
    errors: {
      type: 'object',
      description: 'What is wrong, by field; what belongs to none, by subject (`body`, `token`, `article` …).',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
  },
} as const

@Schema(genericError)
export class GenericErrorModel {
  errors!: ErrorMessages
}

const meanings = {
  401: 'There is no token, or it is not valid',
  403: 'It belongs to somebody else',
  404: 'It does not exist',
  422: 'What was sent cannot be processed',
} as const

/** The error responses of a route. */
export function refusals<Status extends keyof typeof meanings>(...statuses: Status[]) {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      { description: meanings[status], content: { 'application/json': { schema: ref(GenericErrorModel) } } },
    ]),
  ) as unknown as {
    [S in Status]: { description: string; content: { 'application/json': { schema: ReturnType<typeof ref<GenericErrorModel>> } } }
  }
}
