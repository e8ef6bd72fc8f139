/**
 * One request and its reply, as the framework itself works on them. An exchange is made when the route is known, and every stage of
 * `run-request.ts` gets it. The application sees only its `request` and its `reply`, which refer to the exchange by one symbol.
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

/** A run of hooks that waits for one of its hooks: the hook had not completed when its call returned. */
export interface WaitingHooks {
  readonly hooks: readonly HookFunction[]
  /** The hook that the run waits for; `undefined` if all hooks have completed, or if a reply or `callNotFound` has stopped the run. */
  readonly pending: HookFunction | undefined
  readonly hasReturnedPromise: boolean
}

/** The states of a reply. Their order is used in comparisons: from {@link ReplyState.Sending} on nothing more can be sent. */
export const enum ReplyState {
  /** Nothing was sent. The next stage may reply. */
  Open = 0,
  /** onError hooks are running, which must not send. */
  RunningErrorHooks = 1,
  /** `send` was called. Hooks and serializers may still be at work. */
  Sending = 2,
  /** `hijack` was called: the application writes the response itself. */
  Hijacked = 3,
  /** The response has ended, whether the framework or the application ended it. */
  Ended = 4,
}

/**
 * Whether the framework waits, for a request, for a hook or a handler in callback style, which will call `done` or reply in a later event.
 */
export const enum DueReply {
  None = 0,
  Due = 1,
  /** The time of the request was over: the framework has answered it, but the hook or the handler is still at work. */
  Overdue = 2,
}

/** A stream of items that ends when the server closes. */
export interface ClosableStream {
  shutDown(): void
}

/**
 * A class of objects that hold headers by name. These objects inherit nothing, so that no header seems to be named `constructor`. (An
 * object made by `Object.create(null)` is slower.)
 */
const HeaderBag = function HeaderBag() {} as unknown as new () => Record<string, any> // A class could not have this prototype.
HeaderBag.prototype = Object.create(null)

/** The `nextStage` of a request that has failed: an error handler answers it, so the results of its stages come too late. */
export const NO_STAGE = -1

export class Exchange implements ListEntry {
  readonly request: AnyRequest
  readonly reply: AnyReply
  /** The route that serves the request. After `callNotFound` it is the route of the not-found handler. */
  route: CompiledRoute
  /** The index in `route.stages` of the stage that runs next, or {@link NO_STAGE}. */
  nextStage = 0
  /**
   * The state of the reply. If the application itself ends the response, this field may still say `Open`; {@link replyState} notices that
   * case too.
   */
  state: ReplyState = ReplyState.Open
  /** The async context that each later event of the request enters again; `undefined` while no later event needs one. */
  asyncContext: AsyncResource | undefined

  /** The stream that the body is read from. A preParsing hook may replace it, even by a value that is not a stream. */
  payloadStream: unknown
  /**
   * The hooks, the body parser or the validator that the request waits for, or the hooks that it has waited for. If the request is not
   * answered in time, the error names them.
   */
  waitsFor: WaitingHooks | 'parser' | 'validation' | undefined = undefined
  /** The controller of `request.signal`; `undefined` until the signal is read. */
  abortController: AbortController | undefined = undefined

  /** The headers of the response so far, by lower-case name. */
  readonly headers: Record<string, any> = new HeaderBag()
  /** Whether a status was chosen with `reply.code()`. */
  hasStatus = false
  /** The serializer that was set for this reply alone, by `reply.serializer()`. */
  serializer: ((payload: any) => string | Buffer) | null = null
  /** The trailers of the reply by lower-case name. */
  trailers: Map<string, TrailerFunction> | null = null
  /** The error that the request is answered with, or that its stream failed with; `undefined` if there is none. */
  error: unknown = undefined
  /** A function that is called once before the head of the reply is written; a rejection becomes the reply. */
  beforeHead: (() => Promise<void>) | undefined = undefined
  /** The error handler that gets the next error of the request. `undefined`: no error handler was called yet; `null`: all of them were. */
  nextErrorHandler: ErrorHandlerLink | null | undefined = undefined
  /** Whether the headers of the reply must still be sent in time; see {@link meetDeadline}. */
  areHeadersDue = true
  /**
   * The time until which the headers of the reply must be sent. A request that is answered in the same event in which it came never gets
   * one.
   */
  deadline: Pick<Deadline, 'cancel'> | undefined = undefined

  /** The time when the request arrived (ms, monotonic). */
  readonly startTime = performance.now()
  /** The time when the response ended (ms, monotonic); `undefined` if nothing waits for its end. */
  endTime: number | undefined = undefined
  /**
   * The number of functions and sources that are at work for the request: promises of hooks and handlers, callbacks that are due, sources
   * of streams.
   */
  pendingWork = 0
  dueReply: DueReply = DueReply.None
  /** The stream of items that is the body of the reply. The stream counts as pending work until its source has ended. */
  itemStream: ClosableStream | undefined = undefined
  /** Whether the response is over and the last hooks have run; `undefined` if nothing waits for the end of the request. */
  hasEnded: boolean | undefined = undefined
  /** A function that is called once when the request is over. */
  overListener: (() => void) | undefined = undefined
  /** The time since which the response is known to be over while work is pending (ms, monotonic). */
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

/** Returns the exchange of a request or a reply object that an application has passed to the framework. */
export function exchangeOf(requestOrReply: object): Exchange {
  return (requestOrReply as { readonly [kExchange]: Exchange })[kExchange]
}

/**
 * Returns the state of a reply. The application may have ended the response itself; this is noticed too. In any state but `Open` the next
 * stage does not run.
 */
export function replyState(exchange: Exchange): ReplyState {
  return exchange.reply.raw.writableEnded ? ReplyState.Ended : exchange.state
}

/**
 * Ends the measuring of a request's time: the headers of its reply are sent, or its reply is a source that may take as long as it likes.
 */
export function meetDeadline(exchange: Exchange): void {
  exchange.areHeadersDue = false
  exchange.deadline?.cancel()
}

/** Whether the reply of a request has no known end: the application itself writes the response, or the reply is a stream of events. */
export function isOpenEnded({ state, reply }: Exchange): boolean {
  if (state === ReplyState.Hijacked) return true
  return isHeadSent(reply.raw) && /^text\/event-stream\b/i.test(String(reply.getHeader('content-type')))
}

/** Returns the name of a request for messages: `GET /users/:id`. */
export function describeRequest({ request, route }: Exchange): string {
  return `${request.method} ${route.url ?? shorten(request.url)}`
}

/** Returns the name of a request's route for errors: `App > Users.list`, or `GET /users`. */
export function routePlace(exchange: Exchange): string {
  return exchange.route.thrownErrors.place ?? describeRequest(exchange)
}

/** Whether it is too late to set other headers: the headers were sent, or the connection is closed. */
export function hasBegun(response: ServerResponse): boolean {
  return isHeadSent(response) || response.destroyed
}
