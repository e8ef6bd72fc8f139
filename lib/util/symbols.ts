/**
 * The symbols of state on instances, requests and replies that several rooms of `lib` share. (A symbol that one module uses is in that
 * module.) As symbols they cannot collide with decorators. An instance (which plugins see as `server`) carries exactly one,
 * {@link kContext}; requests and replies carry several.
 */

/** instance → its encapsulation context */
export const kContext = Symbol('alcove.context')
/** request → the compiled route that serves it */
export const kRoute = Symbol('alcove.route')
/** request → the stream that its body is read from; preParsing hooks may replace it */
export const kPayloadStream = Symbol('alcove.payload-stream')
/** request → its reply */
export const kReply = Symbol('alcove.reply')
/** request → the async context of its later events */
export const kAsyncContext = Symbol('alcove.async-context')
/** request → how many of its hooks, handlers and sources are at work */
export const kRuns = Symbol('alcove.runs')
/** request → whether its response is over and its last hooks have run; `undefined` if nothing waits for that */
export const kHasEnded = Symbol('alcove.has-ended')
/** request → the function that is called when it is over */
export const kOverListener = Symbol('alcove.over-listener')
/** request → whether a hook or handler in callback style is one of its runs, a `DueReply` */
export const kDueReply = Symbol('alcove.due-reply')
/** request → since when its response is known to be over while it runs (ms, monotonic) */
export const kOverSince = Symbol('alcove.over-since')
/** request → what it waits for, or has waited for, since it came */
export const kWaiting = Symbol('alcove.waiting')
/** request → headers that were set by a validator or a plugin; they hide the raw ones */
export const kHeaders = Symbol('alcove.headers')
/** reply → the response headers so far, by lower-case name */
export const kReplyHeaders = Symbol('alcove.reply-headers')
/** reply → how far it is, a `ReplyState` */
export const kState = Symbol('alcove.state')
/** reply → the serializer of this reply alone */
export const kSerializer = Symbol('alcove.serializer')
/** reply → trailers by lower-case name */
export const kTrailers = Symbol('alcove.trailers')
/** reply → whether a status was chosen with `code()` */
export const kHasStatus = Symbol('alcove.has-status')
/** reply → the error handler of the chain that gets the next error */
export const kNextErrorHandler = Symbol('alcove.next-error-handler')
/** reply → the deadline for its headers */
export const kDeadline = Symbol('alcove.deadline')
/** reply → when its request arrived (ms, monotonic) */
export const kStartTime = Symbol('alcove.start-time')
/** reply → when its response ended (ms, monotonic) */
export const kEndTime = Symbol('alcove.end-time')
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
