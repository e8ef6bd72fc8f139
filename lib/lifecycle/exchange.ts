/**
 * One request and its reply, as the framework itself works on them. An exchange is made when the route is known, and is what every stage of
 * `run-request.ts` gets. The application sees only its two faces, `request` and `reply`, which refer to it by one symbol.
 */
import type { AsyncResource } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorHandlerLink } from '../context/context.js'
import type { AnyReply, AnyRequest } from '../context/decorators.js'
import type { HookFunction } from '../context/hooks.js'
import type { Deadline } from '../http/deadline.js'
import { isHeadSent } from '../http/response.js'
import type { CompiledRoute } from '../route/compiled-route.js'
import type { Logger } from '../types/logger.js'
import type { TrailerFunction } from '../types/reply.js'
import { kNext, kPrevious, type ListEntry } from '../util/linked-list.js'
import { shorten } from '../util/shorten.js'
import { kExchange } from '../util/symbols.js'

/** A run of hooks whose latest hook did not complete when it was called. */
export interface WaitingHooks {
  readonly hooks: readonly HookFunction[]
  /** The hook that has not completed; `undefined` if all have, or if the run was stopped by a reply or `callNotFound`. */
  readonly pending: HookFunction | undefined
  readonly hasReturnedPromise: boolean
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

/** Whether a hook or a handler in callback style is waited for: one that will call `done` or reply in a later event. */
export const enum DueReply {
  None = 0,
  Due = 1,
  /** The request was answered for it, because its time was over. */
  Overdue = 2,
}

/** A stream that ends when the server closes. */
export interface ClosableStream {
  shutDown(): void
}

/** Headers by name. It inherits nothing, so that it has no header `constructor`. (An object made by `Object.create(null)` is slower.) */
const HeaderBag = function HeaderBag() {} as unknown as new () => Record<string, any> // A class could not have this prototype.
HeaderBag.prototype = Object.create(null)

export class Exchange implements ListEntry {
  readonly request: AnyRequest
  readonly reply: AnyReply
  /** The route that serves the request. After `callNotFound` it is the route of the not-found handler. */
  route: CompiledRoute
  /** The index in `route.stages` of the stage that runs next. */
  nextStage = 0
  /** How far the reply is, unless the application ends the response itself: {@link replyState} knows that too. */
  state: ReplyState = ReplyState.Open
  /** Entered again by each later event of the request. `undefined` while no later event needs one. */
  asyncContext: AsyncResource | undefined

  /** The stream that the body is read from. A preParsing hook may replace it, by a value that is not a stream too. */
  payloadStream: unknown
  /** The hooks or the validator that the request waits for, or has waited for: read if it is not answered in time. */
  waitsFor: WaitingHooks | 'validation' | undefined = undefined
  /** The controller of `request.signal`; `undefined` until that is read. */
  abortController: AbortController | undefined = undefined

  /** The headers of the response so far, by lower-case name. */
  readonly headers: Record<string, any> = new HeaderBag()
  /** Whether a status was chosen with `reply.code()`. */
  hasStatus = false
  /** The serializer of this reply alone. */
  serializer: ((payload: any) => string | Buffer) | null = null
  /** Trailers by lower-case name. */
  trailers: Map<string, TrailerFunction> | null = null
  /** The error handler that gets the next error. `undefined`: none was called yet; `null`: all of them were. */
  nextErrorHandler: ErrorHandlerLink | null | undefined = undefined
  /** Whether the headers of the reply are still to be sent in time; see {@link meetDeadline}. */
  areHeadersDue = true
  /** The time until which they are due. A request that is answered in the event in which it came never gets one. */
  deadline: Deadline | undefined = undefined

  /** When the request arrived (ms, monotonic). */
  readonly startTime = performance.now()
  /** When the response ended (ms, monotonic); `undefined` if nothing waits for that. */
  endTime: number | undefined = undefined
  /** How much is at work for the request: promises of hooks and handlers, callbacks that are due, sources of streams. */
  pendingWork = 0
  dueReply: DueReply = DueReply.None
  /** The stream of items that is the body of the reply. It is pending work until its source has ended. */
  itemStream: ClosableStream | undefined = undefined
  /** Whether the response is over and the last hooks have run; `undefined` if nothing waits for that. */
  hasEnded: boolean | undefined = undefined
  /** Called once when the request is over. */
  overListener: (() => void) | undefined = undefined
  /** Since when the response is known to be over while work is pending (ms, monotonic). */
  overSince: number | undefined = undefined;
  [kPrevious]: ListEntry | undefined = undefined;
  [kNext]: ListEntry | undefined = undefined

  constructor(
    route: CompiledRoute,
    asyncContext: AsyncResource | undefined,
    raw: IncomingMessage,
    response: ServerResponse,
    params: unknown,
    query: unknown,
    id: string,
    log: Logger,
  ) {
    this.route = route
    this.asyncContext = asyncContext
    this.payloadStream = raw
    this.request = new route.classes.Request(id, params, raw, query, log, this)
    this.reply = new route.classes.Reply(response, this.request, log, this)
  }
}

/** The exchange of a request or reply that an application has handed back. */
export function exchangeOf(given: object): Exchange {
  return (given as { readonly [kExchange]: Exchange })[kExchange]
}

/**
 * Tells whether a reply is done, and how far it is if not: the one answer to both questions. Any state but `Open` keeps the next
 * stage from running.
 */
export function replyState(exchange: Exchange): ReplyState {
  return exchange.reply.raw.writableEnded ? ReplyState.Ended : exchange.state
}

/** Notes that the time of a request is not measured any more: its headers are sent, or the source of its reply takes as long as it likes. */
export function meetDeadline(exchange: Exchange): void {
  exchange.areHeadersDue = false
  exchange.deadline?.cancel()
}

/** Whether the reply of a request has no known end: the application writes it itself, or sends events for as long as it likes. */
export function isOpenEnded({ state, reply }: Exchange): boolean {
  if (state === ReplyState.Hijacked) return true
  return isHeadSent(reply.raw) && /^text\/event-stream\b/i.test(String(reply.getHeader('content-type')))
}

/** How messages name a request: `GET /users/:id`. */
export function describeRequest({ request, route }: Exchange): string {
  return `${request.method} ${route.url ?? shorten(request.url)}`
}

/** What errors call the route of a request: `App > Users.list`, or `GET /users`. */
export function placeOf(exchange: Exchange): string {
  return exchange.route.thrownErrors.place ?? describeRequest(exchange)
}

/** Whether it is too late to send other headers: they were sent, or the connection is closed. */
export function hasBegun(response: ServerResponse): boolean {
  return isHeadSent(response) || response.destroyed
}
