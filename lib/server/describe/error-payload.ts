/** The payload of the errors that the framework answers, as a schema. */
import type { Context } from '../../context/context.js'
import type { JsonSchema } from '../../types/description.js'

export interface ErrorPayloadDescription {
  readonly mediaType: string
  readonly schema: Exclude<JsonSchema, boolean>
}

/** The payload that is in force for errors of a context and of its routes. */
export function errorPayloadOf({ errorFormat: { mediaType, schema } }: Context): ErrorPayloadDescription {
  return { mediaType, schema: { ...schema } }
}
