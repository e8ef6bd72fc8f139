/** Demands of a route's response schemas on its replies: a handler must return a value, and errors must have certain members. */
import type { Context } from '../context/context.js'
import type { DeclaredOptions } from '../context/declared-route.js'
import type { NormalSchema, ResponseSchema } from '../schema/normalize.js'
import { needsPayload, requiredMembers } from '../schema/reply-facts.js'
import { formatSchemaErrors } from '../schema/validate-request.js'

/** Finds the keys of the responses (such as `200` or `2xx`) for which a handler has to return a value. */
export function statusesWithPayload({ serializationEngine: { references } }: Context, responses: readonly ResponseSchema[]): Set<string> {
  const isFree = ({ schema, stream }: ResponseSchema): boolean =>
    stream !== undefined || !needsPayload(references.canonical(schema), references.shared)
  const statuses = new Set(responses.map(({ status }) => status))
  for (const response of responses) if (isFree(response)) statuses.delete(response.status)
  return statuses
}

/** The members that a response schema finds on the error of a failed validation, besides the members of the payload. */
const membersOfErrors = ['statusCode', 'code', 'name', 'stack', 'validation', 'validationContext']

/**
 * Finds the members that the response schema of status 400 requires, but the framework's reply to an invalid request lacks.
 * @returns an empty list if an error handler or a formatter of the application may add such members
 */
export function membersMissingOfInvalid(
  { serializationEngine: { references }, errorHandler, errorFormat, schemaErrorFormatter }: Context,
  options: DeclaredOptions,
  { parts, bodyContent, responses }: NormalSchema,
): readonly string[] {
  const validates = bodyContent !== undefined || Object.keys(parts).length > 0
  const isAnswered = options.attachValidation === true || options.errorHandler !== undefined || errorHandler.next !== undefined
  if (!validates || isAnswered || (options.schemaErrorFormatter ?? schemaErrorFormatter) !== formatSchemaErrors) return []
  const key = ['400', '4xx', 'default'].find((status) => responses.some((response) => response.status === status))
  const own = responses.filter(({ status }) => status === key)
  const response = own.find(({ contentType }) =>
    contentType === undefined ? errorFormat.takesAnySchema : contentType === errorFormat.mediaType,
  )
  if (response === undefined) return []
  const known = [...membersOfErrors, ...Object.keys(errorFormat.schema.properties)]
  return requiredMembers(references.canonical(response.schema), references.shared).filter((name) => !known.includes(name))
}
