/** `stream` for decorated classes, whose item may also be a class with a shared schema. */
import { stream as streamOf, type StreamOptions, type StreamSchema } from '../../lib/index.js'
import type { Class } from './metadata.js'
import { type ModelReference, ref } from './model/ref.js'
import type { modelSchema } from './model/types.js'

/**
 * Makes the schema of a response that is a stream of items: server-sent events or JSON Lines, whichever the client accepts. The item is a
 * schema, or a class with a shared schema: `stream(Tick)` means `stream(ref(Tick))`.
 * ```ts
 * const ticks = { response: { 200: stream(Tick, { description: 'The ticks of a clock' }) } } as const
 * @Controller()
 * class ClockController {
 *   @Get('/ticks', ticks) async *ticks() { yield { n: 1 } }
 * }
 * ```
 * @throws TypeError if the class has no shared schema
 */
export function stream<const S>(item: S, options?: StreamOptions): StreamSchema<ItemSchema<S>>
export function stream(item: unknown, options?: StreamOptions): any {
  // Schemas of ArkType are functions.
  return streamOf(typeof item === 'function' && !('~standard' in item) ? ref(item as Class) : item, options)
}

// Not a second signature: of two, TypeScript prefers the one whose parameter has no optional members.
type ItemSchema<S> = S extends Class<infer T> ? ModelReference<T, S extends { readonly [modelSchema]?: infer M } ? M : unknown> : S
