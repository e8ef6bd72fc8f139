/** Types that `alcove/fastify-types` narrows. Without it they are what the files beside this one say. */

/**
 * Fastify's types for the members that Fastify and alcove both have, by the name of the member. Only `alcove/fastify-types` augments this
 * interface.
 */
export interface NarrowedTypes {}

/** The type `Own`, narrowed by the entry `Name` of {@link NarrowedTypes} if there is one. */
export type Narrowed<Name, Own> = NarrowedTypes extends { [N in Name & string]: infer More } ? More & Own : Own

/** The type that Fastify's types give to a reply, as methods of plugins return it. `never` if these types are not imported. */
export type ForeignReply = NarrowedTypes extends { reply: infer Other } ? Other : never
