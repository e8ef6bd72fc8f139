/** Which bodies the body schema of a route covers. The schema validates these bodies; the route refuses all others. */
import type { BodyParser } from '../context/body-parsers.js'
import type { Context } from '../context/context.js'
import { isJsonType, MediaTypeMap } from '../http/media-type.js'
import type { NormalSchema } from '../schema/normalize.js'

/**
 * A function that tells whether the body schema of a route covers a media type that a parser reads. The media type is `undefined` if none
 * was sent.
 */
export type CoversBody = (essence: string | undefined, parser: BodyParser) => boolean

/** Makes the function that tells which bodies the body schema of a route covers. @returns `undefined` if the route has no body schema */
export function compileCoverage(context: Context, normal: NormalSchema | undefined): CoversBody | undefined {
  const { consumes, bodyContent, parts } = normal ?? {}
  if (bodyContent === undefined && parts?.body === undefined) return undefined
  const listed = new MediaTypeMap<true>()
  for (const type of [...consumes!, ...(bodyContent?.keys() ?? textTypes(parts!.body))]) listed.add(type, true)
  const isListed = (essence: string | undefined): boolean => essence !== undefined && listed.find(essence) === true
  // Schemas that are declared for single media types cover no other ones.
  if (bodyContent !== undefined) return isListed
  // Most bodies are JSON, and this test needs no look-up.
  return (essence, parser) => (essence !== undefined && isJsonType(essence)) || isListed(essence) || coversParser(context, parser)
}

/**
 * Lists the media types, besides JSON, that a body schema covers by name. The schema must not be declared for single media types
 * (`content`).
 */
export function coveredTypes(context: Context, { consumes, parts }: NormalSchema): readonly string[] {
  const parsed = context.parsers.list().filter(({ type, parser }) => /^[^/]+\/[^/]+$/.test(type) && coversParser(context, parser))
  return [...new Set([...consumes, ...textTypes(parts.body), ...parsed.map(({ type }) => type)])]
}

/** Returns `text/plain` for a body schema of the type `string`, which can only be meant for a text; an empty list for any other schema. */
function textTypes(body: unknown): readonly string[] {
  return (body as { type?: unknown }).type === 'string' ? ['text/plain'] : []
}

/**
 * Whether the body schemas of a context cover the bodies that a parser reads. Bodies that a parser of an ancestor context reads are not
 * covered, because its author does not know the schema; they are covered if the conventions validate all bodies.
 */
function coversParser({ parsers, options }: Context, parser: BodyParser): boolean {
  return options.conventions.validatesAllBodies || parsers.wasAddedHere(parser)
}
