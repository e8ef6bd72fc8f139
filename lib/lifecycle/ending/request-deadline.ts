/**
 * The time in which the headers of a reply must be sent. When this time is over, the framework answers the request instead of its handler.
 */
import { errorCodes } from '../../errors/codes.js'
import { Deadline, type Deadlines } from '../../http/deadline.js'
import { runInContextOf } from '../async-context.js'
import { noteExpired } from './outcome.js'
import { noteOverdue } from './pending-work.js'
import { describeWaiting } from './waiting.js'
import { describeRequest, type Exchange, hasBegun, ReplyState, replyState } from '../exchange.js'
import { sendError, sendLastResort } from '../failing/send-error.js'
import { abortRequest } from '../request.js'

/** Milliseconds that error handlers have to answer a request whose time is over. */
const ERROR_HANDLER_GRACE_MS = 1000

/** Starts the time in which the headers of the reply to a request must be sent. */
export function startDeadline(exchange: Exchange, deadlines: Deadlines): void {
  deadlines.add((exchange.deadline = new Deadline(exchange, expireInContext)), exchange.startTime)
}

function expireInContext(exchange: Exchange): void {
  runInContextOf(exchange, expire, exchange)
}

function expire(exchange: Exchange): void {
  if (isTooLate(exchange)) return
  const error = new errorCodes.ALC_ERR_HANDLER_TIMEOUT(exchange.route.handlerTimeout, describeRequest(exchange), describeWaiting(exchange))
  const isOpen = exchange.state === ReplyState.Open
  noteOverdue(exchange)
  abortRequest(exchange, error)
  if (isTooLate(exchange)) return
  // A hook that never completes would hold up the error reply as well.
  if (!isOpen) return giveUpRequest(exchange, error)
  // A listener of the signal may have replied.
  if (!exchange.reply.sent) {
    noteExpired(exchange)
    sendError(exchange, error)
  }
  if (!exchange.areHeadersDue) return
  // The timer keeps the process alive: an injected request has nothing else that does.
  const timer = setTimeout(() => isTooLate(exchange) || giveUpRequest(exchange, error), ERROR_HANDLER_GRACE_MS)
  exchange.deadline = { cancel: () => clearTimeout(timer) }
}

/** Whether the reply with status 503 can no longer be sent, or is not needed any more. */
function isTooLate(exchange: Exchange): boolean {
  return replyState(exchange) >= ReplyState.Hijacked || hasBegun(exchange.reply.raw)
}

function giveUpRequest(exchange: Exchange, error: unknown): void {
  noteExpired(exchange)
  exchange.state = ReplyState.Sending
  sendLastResort(exchange, error)
}
