import { Model, type ModelReference, ref } from 'alcove'

export class GenericErrorModel extends Model({
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
}) {}

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
    [S in Status]: { description: string; content: { 'application/json': { schema: ModelReference<GenericErrorModel> } } }
  }
}
