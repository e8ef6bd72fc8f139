/**
 * The runs of a request: promises of its hooks and handlers that are not settled yet. A request is over when its response is over, its last
 * hooks have run, and no run is left. Only then is what belongs to it ended, and only then may the server take away what its handlers use.
 */
import { Deadline, Deadlines } from '../../http/deadline.js'
import { kHasEnded, kOverListener, kRoute, kRuns, kRunsDeadline } from '../../util/symbols.js'
import { runInContextOf } from '../async-context.js'
import { describeRequest, type InternalRequest } from '../state.js'

/** ms that runs, and the last hooks, may go on after the end of the response */
const MAX_RUN_MS = 30_000

/** The requests whose response is over, but which still have a listener. */
const unfinished = new Deadlines(MAX_RUN_MS)

/** Sets the function that is called once when a request is over, or when its runs have lasted too long after its response. */
export function setOverListener(request: InternalRequest, call: () => void): void {
  request[kOverListener] = call
  if (request[kHasEnded] === true) callWhenIdle(request)
}

export function beginRun(request: InternalRequest): void {
  if (request[kRuns]++ === 0) request[kRoute].state.running.add(request)
}

export function endRun(request: InternalRequest): void {
  if (--request[kRuns] > 0) return
  request[kRoute].state.running.remove(request)
  if (request[kHasEnded] === true) callWhenIdle(request)
}

/** Gives a request whose response is over a deadline, if its last hooks or runs go on and something waits for their end. */
export function limitRuns(request: InternalRequest): void {
  if (request[kOverListener] === undefined || request[kRunsDeadline] !== undefined) return
  if (request[kHasEnded] === true && request[kRuns] === 0) return
  unfinished.add((request[kRunsDeadline] = new Deadline(request, abandonLate)))
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
  if (request[kRuns] === 0) callOnce(request)
  else limitRuns(request)
}

function callOnce(request: InternalRequest): void {
  const call = request[kOverListener]
  if (call === undefined) return
  request[kOverListener] = undefined
  request[kRunsDeadline]?.cancel()
  call()
}

function abandonLate(request: InternalRequest): void {
  abandon(request, `within ${MAX_RUN_MS} ms after its response`)
}

/** Stops waiting for a request that still runs, with an error in the log. @param when it was waited for */
export function abandon(request: InternalRequest, when: string): void {
  request.log.error(`${describeRequest(request)}: its handler or one of its hooks has not ended ${when}`)
  runInContextOf(request, callOnce, request)
}
