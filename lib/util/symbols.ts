/**
 * The symbols by which the layers find each other's state. An instance (what plugins see as `server`) carries exactly
 * one of them, {@link kContext}; requests and replies carry a few, so that decorators can never collide with them.
 */

/** instance → its encapsulation context. */
export const kContext = Symbol('alcove.context')
/** request → the compiled route that serves it. */
export const kRoute = Symbol('alcove.route')
/** request → the stream its body is read from (preParsing hooks may replace it). */
export const kPayloadStream = Symbol('alcove.payload-stream')
/** request → the response it is answered with, as Node has it. */
export const kResponse = Symbol('alcove.response')
/** request → headers set by a validator or a plugin, laid over the raw ones. */
export const kHeaders = Symbol('alcove.headers')
/** reply → response headers collected so far, by lower-case name. */
export const kReplyHeaders = Symbol('alcove.reply-headers')
/** reply → how far it is, a `ReplyState`. */
export const kState = Symbol('alcove.state')
/** reply → serializer of this one reply. */
export const kSerializer = Symbol('alcove.serializer')
/** reply → trailers by lower-case name. */
export const kTrailers = Symbol('alcove.trailers')
/** reply → whether a status was chosen with `code()`. */
export const kHasStatus = Symbol('alcove.has-status')
/** reply → the link of the error handler chain that the next error goes to. */
export const kNextErrorHandler = Symbol('alcove.next-error-handler')
/** reply → the time it has for its headers. */
export const kDeadline = Symbol('alcove.deadline')
/** reply → when the request came and when its response ended (ms, monotonic). */
export const kStartTime = Symbol('alcove.start-time')
export const kEndTime = Symbol('alcove.end-time')

/** The contracts of the Fastify ecosystem's plugins (design decision 11). */
export const kSkipOverride = Symbol.for('skip-override')
export const kDisplayName = Symbol.for('fastify.display-name')
export const kPluginMeta = Symbol.for('plugin-meta')
