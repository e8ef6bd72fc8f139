/**
 * The runs of a request: what its hooks, its handler and its reply still do. A promise that is not settled is a run, and so are a hook and a
 * handler in callback style until they call `done` or reply, and the source of a stream that is sent until it closes. A request is over when
 * its response is over, its last hooks have run, and no run is left. Only then is what belongs to it ended, and only then may the server take
 * away what its handlers use.
 *
 * Code that never ends must not keep its request for ever: 30 s after the response it is not waited for any more.
 */
import { isClientGone } from '../../http/connection.js'
import { kEndTime, kHasEnded, kDueReply, kOverListener, kOverSince, kReply, kRoute, kRuns } from '../../util/symbols.js'
import { LinkedList } from '../../util/linked-list.js'
import { runInContextOf } from '../async-context.js'
import { describeRequest, DueReply, type InternalRequest, ReplyState, replyState } from '../state.js'

/** ms that runs may go on after the end of the response */
const MAX_RUN_MS = 30_000
/** ms between two looks at the requests that run */
const SWEEP_INTERVAL_MS = 5_000

/** The value of {@link kRuns} of a request that is not waited for any more. Runs that begin or end do not change it. */
const ABANDONED = -Infinity

/** The requests of a server that have runs. While there are any, those that last too long are looked for. */
export class RunningRequests extends LinkedList<InternalRequest> {
  #hasTimer = false

  override add(request: InternalRequest): void {
    super.add(request)
    if (!this.#hasTimer) this.#startTimer()
  }

  /** The requests that are waited for. */
  waitedFor(): InternalRequest[] {
    for (const request of this.toArray()) noteRawEnd(request)
    return this.toArray()
  }

  #startTimer(): void {
    this.#hasTimer = true
    setTimeout(() => {
      this.#hasTimer = false
      const now = performance.now()
      for (const request of this.waitedFor()) abandonIfLate(request, now)
      if (this.size > 0) this.#startTimer()
    }, SWEEP_INTERVAL_MS).unref()
  }
}

function abandonIfLate(request: InternalRequest, now: number): void {
  const { [kReply]: reply } = request
  if (reply[kEndTime] === undefined && !reply.raw.writableFinished && !isClientGone(reply.raw)) return
  // Only a response that something has listened to has an end time.
  const since = (request[kOverSince] ??= reply[kEndTime] ?? now)
  if (now - since >= MAX_RUN_MS) abandon(request, `within ${MAX_RUN_MS} ms after its response`)
}

/** Sets the function that is called once when a request is over, or when its runs have lasted too long after its response. */
export function setOverListener(request: InternalRequest, call: () => void): void {
  request[kOverListener] = call
  if (request[kHasEnded] === true) callWhenIdle(request)
}

export function beginRun(request: InternalRequest): void {
  if (request[kRuns]++ === 0) request[kRoute].state.running.add(request)
}

export function endRun(request: InternalRequest): void {
  if (--request[kRuns] !== 0) return
  request[kRoute].state.running.remove(request)
  if (request[kHasEnded] === true) callWhenIdle(request)
}

/** Notes that a hook or a handler in callback style is at work: it will call `done` or reply, in a later event. */
export function expectReply(request: InternalRequest): void {
  if (request[kDueReply] !== DueReply.None || replyState(request[kReply]) !== ReplyState.Open) return
  request[kDueReply] = DueReply.Due
  beginRun(request)
}

/** Notes that a hook or a handler that is waited for has replied. */
export function noteReply(request: InternalRequest): void {
  if (request[kDueReply] === DueReply.Due) endDue(request)
}

/** Notes that a reply is not due any more, if the application has ended or failed the response by `reply.raw`. */
export function noteRawEnd(request: InternalRequest): void {
  const { raw } = request[kReply]
  if (raw.writableEnded || raw.errored) noteReply(request)
}

/** Notes that a hook that is waited for has called `done`, or that a handler has replied after its request was answered for it. */
export function noteLateReply(request: InternalRequest): void {
  if (request[kDueReply] !== DueReply.None) endDue(request)
}

/** Notes that a request is answered in the place of a hook or a handler that is still at work. */
export function noteOverdue(request: InternalRequest): void {
  if (request[kDueReply] === DueReply.Due) request[kDueReply] = DueReply.Overdue
}

function endDue(request: InternalRequest): void {
  request[kDueReply] = DueReply.None
  endRun(request)
}

/** Notes that the last hooks of a request have run. */
export function noteEnd(request: InternalRequest): void {
  request[kHasEnded] = true
  callWhenIdle(request)
}

/** Calls the listener later in the tick, unless there is a run then: a handler that has just replied may still return a promise. */
function callWhenIdle(request: InternalRequest): void {
  if (request[kOverListener] !== undefined) process.nextTick(callIfIdle, request)
}

function callIfIdle(request: InternalRequest): void {
  if (request[kRuns] <= 0) callOnce(request)
}

function callOnce(request: InternalRequest): void {
  const call = request[kOverListener]
  if (call === undefined) return
  request[kOverListener] = undefined
  call()
}

/** Stops waiting for a request that still runs, with an error in the log. @param when it was waited for */
export function abandon(request: InternalRequest, when: string): void {
  request.log.error(`${describeRequest(request)}: its handler or one of its hooks has not ended ${when}`)
  request[kRuns] = ABANDONED
  request[kRoute].state.running.remove(request)
  runInContextOf(request, callOnce, request)
}
