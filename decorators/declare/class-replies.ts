/**
 * The replies that a hook class, a handler class or a plugin class declares: `static responses` and `static security`, and the headers in
 * `static requestHeaders` and `static responseHeaders`.
 */
import type { DeclaredReplies } from '../../lib/index.js'
import { declaredRepliesOf, type PluginReplies } from '../../lib/internal.js'
import type { Class } from './metadata.js'
import { getSharedSchema } from './schema.js'

const repliesByClass = new WeakMap<object, DeclaredReplies>()

/**
 * Returns the declared replies (responses and security) of a class, or of a function that `declareReplies` made; `undefined` if there are
 * none. Classes in the place of schemas are replaced with their shared schemas. All calls for one class return the same object.
 */
export function getDeclaredReplies(declaring: unknown): DeclaredReplies | undefined {
  if (typeof declaring !== 'function') return undefined
  let replies = repliesByClass.get(declaring)
  if (replies !== undefined) return replies
  replies = withoutClasses(declaredRepliesOf(declaring) ?? (declaring as Class & DeclaredReplies))
  if (Object.keys(replies).length === 0) return undefined
  repliesByClass.set(declaring, replies)
  return replies
}

function withoutClasses({ responses, security, requestHeaders, responseHeaders }: DeclaredReplies): DeclaredReplies {
  return {
    ...(responses !== undefined && { responses: withSchemas(responses) }),
    ...(security !== undefined && { security }),
    ...(requestHeaders !== undefined && { requestHeaders }),
    ...(responseHeaders !== undefined && { responseHeaders }),
  }
}

/** Returns the declared replies in the third argument of `use`. Classes in the place of schemas are replaced with their shared schemas. */
export function readRepliesOfImport({ docs, deprecated, ...replies }: PluginReplies): PluginReplies {
  return {
    ...withoutClasses(replies),
    ...(docs !== undefined && { docs }),
    ...(deprecated !== undefined && { deprecated }),
  }
}

/** Returns the responses, in which the shared schemas of classes replace the classes. */
function withSchemas(responses: NonNullable<DeclaredReplies['responses']>): NonNullable<DeclaredReplies['responses']> {
  return Object.fromEntries(Object.entries(responses).map(([status, entry]) => [status, withSchema(entry)]))
}

function withSchema(entry: unknown): unknown {
  if (typeof entry === 'function') return getSharedSchema(entry) ?? entry
  const { content } = (entry ?? {}) as { content?: Record<string, { schema?: unknown } | undefined> }
  if (content === null || typeof content !== 'object') return entry
  const types = Object.entries(content).map(([type, media]) => [
    type,
    media?.schema ? { ...media, schema: withSchema(media.schema) } : media,
  ])
  return { ...(entry as object), content: Object.fromEntries(types) }
}
