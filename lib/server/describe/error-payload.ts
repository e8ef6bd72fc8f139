/** Describes the payload of errors that the framework answers, as a schema. */
import type { Context } from '../../context/context.js'
import type { JsonSchema } from '../../types/description.js'

export interface ErrorPayloadDescription {
  readonly mediaType: string
  readonly schema: Exclude<JsonSchema, boolean>
}

/** Returns the media type and the schema of the payload that errors of a context and its routes have. */
export function errorPayloadOf({ errorFormat: { mediaType, schema } }: Context): ErrorPayloadDescription {
  return { mediaType, schema: { ...schema } }
}
