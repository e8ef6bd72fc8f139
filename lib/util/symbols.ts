/**
 * The symbols of state on instances, requests and replies that several rooms of `lib` share. (A symbol that one module uses is in that
 * module.) As symbols they cannot collide with decorators. An instance (which plugins see as `server`) carries exactly one,
 * {@link kContext}; so do requests and replies, {@link kExchange}, but for {@link kHeaders}.
 */

/** instance → its encapsulation context */
export const kContext = Symbol('alcove.context')
/** request, reply → the exchange that they belong to: the state that the framework itself keeps */
export const kExchange = Symbol('alcove.exchange')
/** request → headers that were set by a validator or a plugin; they hide the raw ones */
export const kHeaders = Symbol('alcove.headers')
/** handler → whether a reply that it returns unsent is ended, if its status has no body */
export const kEndsReturnedReply = Symbol('alcove.ends-returned-reply')
/** handler → whether a reply without a body is sent if it returns `undefined`: it does not take the reply, so it cannot send one later */
export const kAnswersUndefined = Symbol('alcove.answers-undefined')
/** options of a route → the place that declares it, for errors */
export const kPlace = Symbol('alcove.place')

/** The contracts with plugins of the Fastify ecosystem. */
export const kSkipOverride = Symbol.for('skip-override')
export const kDisplayName = Symbol.for('fastify.display-name')
export const kPluginMeta = Symbol.for('plugin-meta')
