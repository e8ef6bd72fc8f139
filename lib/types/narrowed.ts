/**
 * Types that `alcove/fastify-types` narrows to Fastify's types. Without that import, the types are as the files beside this one declare
 * them.
 */

/**
 * Fastify's types for the members that Fastify and alcove have in common, by the name of the member. Only `alcove/fastify-types` augments
 * this interface.
 */
export interface NarrowedTypes {}

/** The type `Own`, narrowed by the entry `Name` of {@link NarrowedTypes} if there is one. */
export type Narrowed<Name, Own> = NarrowedTypes extends { [N in Name & string]: infer More } ? More & Own : Own

/** Fastify's type of a reply, which methods of Fastify plugins return. `never` if `alcove/fastify-types` is not imported. */
export type ForeignReply = NarrowedTypes extends { reply: infer Other } ? Other : never
