/** The request and the reply as the framework itself works on them, and the state of a reply. */
import type { AsyncResource } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorHandlerLink } from '../context/context.js'
import type { HookFunction } from '../context/hooks.js'
import type { Deadline } from '../http/deadline.js'
import { isHeadSent } from '../http/response.js'
import type { CompiledRoute } from '../route/compiled-route.js'
import type { Reply, TrailerFunction } from '../types/reply.js'
import type { Request } from '../types/request.js'
import type {
  kAsyncContext,
  kDeadline,
  kEndTime,
  kHasEnded,
  kHasStatus,
  kDueReply,
  kNextErrorHandler,
  kOverListener,
  kOverSince,
  kPayloadStream,
  kReplyHeaders,
  kRuns,
  kSerializer,
  kStartTime,
  kTrailers,
  kWaiting,
} from '../util/symbols.js'
import type { ListEntry } from '../util/linked-list.js'
import { shorten } from '../util/shorten.js'
import { kReply, kRoute, kState } from '../util/symbols.js'

/** A run of hooks whose latest hook did not complete when it was called. */
export interface WaitingHooks {
  readonly hooks: readonly HookFunction[]
  /** The hook that has not completed; `undefined` if all have. */
  readonly pending: HookFunction | undefined
  readonly hasReturnedPromise: boolean
}

/** A request with the fields that only the framework uses. */
export interface InternalRequest extends Request<any, any, any, any>, ListEntry {
  readonly raw: IncomingMessage
  /** After `callNotFound` that of the not-found handler. */
  [kRoute]: CompiledRoute
  /** The stream that the body is read from. A preParsing hook may replace it, by a value that is not a stream too. */
  [kPayloadStream]: unknown
  /** Read if the request is not answered in time. */
  [kWaiting]: WaitingHooks | 'validation' | undefined
  [kReply]: InternalReply
  [kAsyncContext]: AsyncResource
  [kRuns]: number
  [kHasEnded]: boolean | undefined
  /** Called once when the request is over. */
  [kOverListener]: (() => void) | undefined
  [kDueReply]: DueReply
  [kOverSince]?: number
}

/** A reply with the fields that only the framework uses. */
export interface InternalReply extends Reply<any, any> {
  readonly request: InternalRequest
  readonly [kRoute]: CompiledRoute
  [kState]: ReplyState
  /** By lower-case name. */
  [kReplyHeaders]: Record<string, any>
  [kHasStatus]: boolean
  [kSerializer]: ((payload: any) => string | Buffer) | null
  [kTrailers]: Map<string, TrailerFunction> | null
  /** `undefined`: no error handler was called yet; `null`: all of them were. */
  [kNextErrorHandler]: ErrorHandlerLink | null | undefined
  /** Set while the headers are due. */
  [kDeadline]: Deadline | undefined
  [kStartTime]: number | undefined
  [kEndTime]: number | undefined
}

/** Whether a hook or a handler in callback style is waited for: one that will call `done` or reply in a later event. */
export const enum DueReply {
  None = 0,
  Due = 1,
  /** The request was answered for it, because its time was over. */
  Overdue = 2,
}

/** How far a reply is. The order counts: from {@link ReplyState.Sending} on nothing more can be sent. */
export const enum ReplyState {
  /** Nothing was sent. The next stage may reply. */
  Open = 0,
  /** onError hooks are running. They must not send. */
  RunningErrorHooks = 1,
  /** `send` was called. Hooks and serializers may still be at work. */
  Sending = 2,
  /** `hijack` was called: the application writes the response itself. */
  Hijacked = 3,
  /** The response has ended, whether the framework or the application ended it. */
  Ended = 4,
}

/**
 * Tells whether a reply is done, and how far it is if not: the one answer to both questions. Any state but `Open` keeps the next
 * stage from running.
 */
export function replyState(reply: InternalReply): ReplyState {
  return reply.raw.writableEnded ? ReplyState.Ended : reply[kState]
}

/** Whether the reply of a request has no end of its own: the application writes it itself, or sends events for as long as it likes. */
export function isOpenEnded({ [kReply]: reply }: InternalRequest): boolean {
  if (reply[kState] === ReplyState.Hijacked) return true
  return isHeadSent(reply.raw) && /^text\/event-stream\b/i.test(String(reply.getHeader('content-type')))
}

/** How messages name a request: `GET /users/:id`. */
export function describeRequest(request: InternalRequest): string {
  return `${request.method} ${request[kRoute].url ?? shorten(request.url)}`
}

/** What errors call the route of a request: `App > Users.list`, or `GET /users`. */
export function placeOf(request: InternalRequest): string {
  return request[kRoute].thrownErrors.place ?? describeRequest(request)
}

/** Whether it is too late to send other headers: they were sent, or the connection is closed. */
export function hasBegun(response: ServerResponse): boolean {
  return isHeadSent(response) || response.destroyed
}
