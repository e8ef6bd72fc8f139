/**
 * The symbols under which instances, requests, replies, handlers and plugins keep state, if several folders of `lib` use them. (A symbol
 * that only one module uses is in that module.) A symbol cannot collide with the name of a decorator. Of these symbols, an instance
 * (which plugins see as `server`) has only {@link kContext}; requests and replies have {@link kExchange}, and requests {@link kHeaders} too.
 */

/** The key under which an instance has its encapsulation context. */
export const kContext = Symbol('alcove.context')
/** The key under which a request or reply has its exchange (the state that the framework itself keeps of one request and its reply). */
export const kExchange = Symbol('alcove.exchange')
/** The key under which a request has the headers that a validator or a plugin set. They take precedence over the raw headers. */
export const kHeaders = Symbol('alcove.headers')
/** The key under which a handler says whether the framework ends a reply that the handler returns unsent, if the status has no body. */
export const kEndsReturnedReply = Symbol('alcove.ends-returned-reply')
/**
 * The key under which a handler says whether a reply without a body is sent if the handler returns `undefined`. Such a handler has no
 * parameter for the reply, so it cannot send one later.
 */
export const kAnswersUndefined = Symbol('alcove.answers-undefined')
/**
 * The key under which a handler names what else runs in its call, such as `around` hooks, for the message of a timeout:
 * `Transaction.around of App > Users`.
 */
export const kRunsWithin = Symbol('alcove.runs-within')
/** The key under which the options of a route have the place that declares the route, for errors. */
export const kPlace = Symbol('alcove.place')

/** The key by which plugins of the Fastify ecosystem (fastify-plugin) ask to share the context that they are registered in. */
export const kSkipOverride = Symbol.for('skip-override')
export const kDisplayName = Symbol.for('fastify.display-name')
export const kPluginMeta = Symbol.for('plugin-meta')
