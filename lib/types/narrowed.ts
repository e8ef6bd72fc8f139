/** Types that `alcove/fastify-types` narrows. Without it they are what the files beside this one say. */

/** What Fastify's types say of members that both have, by name. Only `alcove/fastify-types` augments it. */
export interface NarrowedTypes {}

/** A type of ours, which the entry of {@link NarrowedTypes} narrows if there is one. */
export type Narrowed<Name, Own> = NarrowedTypes extends { [N in Name & string]: infer More } ? More & Own : Own

/** A reply by Fastify's types, as methods of plugins return it. `never` if these types are not imported. */
export type ForeignReply = NarrowedTypes extends { reply: infer Other } ? Other : never
