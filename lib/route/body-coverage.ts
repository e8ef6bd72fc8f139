/** Which bodies the body schema of a route covers. These are validated by it; a route refuses all others. */
import type { BodyParser } from '../context/body-parsers.js'
import type { Context } from '../context/context.js'
import { isJsonType, MediaTypeMap } from '../http/media-type.js'
import type { NormalSchema } from '../schema/normalize.js'

/** Whether the body schema covers a media type (`undefined`: none was sent) that a parser reads. */
export type CoversBody = (essence: string | undefined, parser: BodyParser) => boolean

/** @returns `undefined` if the route has no body schema */
export function compileCoverage(context: Context, normal: NormalSchema | undefined): CoversBody | undefined {
  const { consumes, bodyContent, parts } = normal ?? {}
  if (bodyContent === undefined && parts?.body === undefined) return undefined
  const listed = new MediaTypeMap<true>()
  for (const type of [...consumes!, ...(bodyContent?.keys() ?? textTypes(parts!.body))]) listed.add(type, true)
  const isListed = (essence: string | undefined): boolean => essence !== undefined && listed.find(essence) === true
  // A schema for each media type covers no other ones.
  if (bodyContent !== undefined) return isListed
  return (essence, parser) => isListed(essence) || (essence !== undefined && isJsonType(essence)) || coversParser(context, parser)
}

/** The media types, besides JSON, that a body schema which is not for single types covers by name. */
export function coveredTypes(context: Context, { consumes, parts }: NormalSchema): readonly string[] {
  const parsed = context.parsers.list().filter(({ type, parser }) => /^[^/]+\/[^/]+$/.test(type) && coversParser(context, parser))
  return [...new Set([...consumes, ...textTypes(parts.body), ...parsed.map(({ type }) => type)])]
}

/** A schema for texts can be meant for nothing but a text. */
function textTypes(body: unknown): readonly string[] {
  return (body as { type?: unknown }).type === 'string' ? ['text/plain'] : []
}

/** The parser of an outer context does not count: its author does not know the schema. */
function coversParser({ parsers, options }: Context, parser: BodyParser): boolean {
  return options.conventions.validatesAllBodies || parsers.wasAddedHere(parser)
}
