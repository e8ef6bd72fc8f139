/**
 * The pending work of a request: what its hooks, its handler and its reply still do. A promise that is not settled is pending work, and so
 * are a hook and a handler in callback style until they call `done` or reply, and the source of a stream that is sent until it closes. A
 * request is over when its response is over, its last hooks have run, and no work is pending. Only then is its request scope ended, and
 * only then may the server end the providers that its handlers use.
 *
 * Code that never ends must not keep its request for ever: 30 s after the response, such code is not waited for any more.
 */
import { isClientGone } from '../../http/connection.js'
import { LinkedList } from '../../util/linked-list.js'
import { runInContextOf } from '../async-context.js'
import { describeRequest, DueReply, type Exchange, ReplyState, replyState } from '../exchange.js'

/** Milliseconds that the pending work of a request may continue after the end of the response. */
const MAX_WORK_MS = 30_000
/** Milliseconds between two checks of the requests with pending work. */
const SWEEP_INTERVAL_MS = 5_000

/** The value of `pendingWork` of a request that is not waited for any more. Work that begins or ends does not change this value. */
const ABANDONED = -Infinity

/** The requests of a server that have pending work. While there are such requests, a timer looks for requests whose work lasts too long. */
export class PendingRequests extends LinkedList<Exchange> {
  #hasTimer = false

  override add(exchange: Exchange): void {
    super.add(exchange)
    if (!this.#hasTimer) this.#startTimer()
  }

  /** Returns the requests whose pending work the server still waits for. */
  waitedFor(): Exchange[] {
    for (const exchange of this.toArray()) noteRawEnd(exchange)
    return this.toArray()
  }

  #startTimer(): void {
    this.#hasTimer = true
    setTimeout(() => {
      this.#hasTimer = false
      const now = performance.now()
      for (const exchange of this.waitedFor()) abandonIfLate(exchange, now)
      if (this.size > 0) this.#startTimer()
    }, SWEEP_INTERVAL_MS).unref()
  }
}

function abandonIfLate(exchange: Exchange, now: number): void {
  const { raw } = exchange.reply
  if (exchange.endTime === undefined && !raw.writableFinished && !isClientGone(raw)) return
  // Only a response that something has listened to has an end time.
  const since = (exchange.overSince ??= exchange.endTime ?? now)
  if (now - since >= MAX_WORK_MS) abandon(exchange, `within ${MAX_WORK_MS} ms after its response`)
}

/** Sets the function that is called once: when a request is over, or when its work has lasted too long after its response. */
export function setOverListener(exchange: Exchange, call: () => void): void {
  exchange.overListener = call
  if (exchange.hasEnded === true) callWhenIdle(exchange)
}

/** Whether a request is not waited for any more, although its handler or a hook may still be at work. */
export function isAbandoned(exchange: Exchange): boolean {
  return exchange.pendingWork === ABANDONED
}

export function beginWork(exchange: Exchange): void {
  if (exchange.pendingWork++ === 0) exchange.route.state.pendingRequests.add(exchange)
}

export function endWork(exchange: Exchange): void {
  if (--exchange.pendingWork !== 0) return
  exchange.route.state.pendingRequests.remove(exchange)
  if (exchange.hasEnded === true) callWhenIdle(exchange)
}

/** Notes that the framework waits for a hook or a handler in callback style, which will call `done` or reply in a later event. */
export function expectReply(exchange: Exchange): void {
  if (exchange.dueReply !== DueReply.None || replyState(exchange) !== ReplyState.Open) return
  exchange.dueReply = DueReply.Due
  beginWork(exchange)
}

/** Notes that a hook or a handler in callback style has replied, so that the framework need not wait for it any more. */
export function noteReply(exchange: Exchange): void {
  if (exchange.dueReply === DueReply.Due) endDue(exchange)
}

/**
 * Ends the wait for a hook or a handler in callback style if the application has ended the response by `reply.raw`, or if the response has
 * failed.
 */
export function noteRawEnd(exchange: Exchange): void {
  const { raw } = exchange.reply
  if (raw.writableEnded || raw.errored) noteReply(exchange)
}

/**
 * Ends the wait for a hook in callback style that has called `done`, or for a handler that has replied, also if the framework had answered
 * the request before that.
 */
export function noteLateReply(exchange: Exchange): void {
  if (exchange.dueReply !== DueReply.None) endDue(exchange)
}

/** Notes that the framework answers a request whose hook or handler in callback style has not replied in time and is still at work. */
export function noteOverdue(exchange: Exchange): void {
  if (exchange.dueReply === DueReply.Due) exchange.dueReply = DueReply.Overdue
}

function endDue(exchange: Exchange): void {
  exchange.dueReply = DueReply.None
  endWork(exchange)
}

/** Notes that the last hooks of a request (onResponse or onRequestAbort) have run. */
export function noteEnd(exchange: Exchange): void {
  exchange.hasEnded = true
  callWhenIdle(exchange)
}

/**
 * Calls the listener for the end of a request later in the tick, unless work is pending by then: a handler that has just replied may still
 * return a promise.
 */
function callWhenIdle(exchange: Exchange): void {
  if (exchange.overListener !== undefined) process.nextTick(callIfIdle, exchange)
}

function callIfIdle(exchange: Exchange): void {
  if (exchange.pendingWork <= 0) callOnce(exchange)
}

function callOnce(exchange: Exchange): void {
  const call = exchange.overListener
  if (call === undefined) return
  exchange.overListener = undefined
  call()
}

/**
 * Stops waiting for a request with pending work, and logs an error.
 * @param when the end of the message, which says by when the work should have ended
 */
export function abandon(exchange: Exchange, when: string): void {
  exchange.request.log.error(`${describeRequest(exchange)}: its handler or one of its hooks has not ended ${when}`)
  exchange.pendingWork = ABANDONED
  exchange.route.state.pendingRequests.remove(exchange)
  runInContextOf(exchange, callOnce, exchange)
}
