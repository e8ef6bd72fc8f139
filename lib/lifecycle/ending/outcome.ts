/** How a request ends: with which status or error it was answered, or that it was not answered. */
import { isClientGone, isOverWhole } from '../../http/connection.js'
import { readStatus } from '../../http/response.js'
import type { Request, RequestOutcome } from '../../types/request.js'
import { type Exchange, exchangeOf, ReplyState, replyState } from '../exchange.js'
import { isAbortOfClient } from '../failing/error-reply.js'

/** The requests that count as completed even if their clients leave. */
const completedAnyway = new WeakSet<Exchange>()

/**
 * Makes a request count as completed even if its client leaves before the reply, because the reply is kept for another request: objects of
 * the request scope that end before the reply then get the outcome that the request would have had.
 */
export function completeWithoutClient(request: Request): void {
  completedAnyway.add(exchangeOf(request))
}

/** The requests that the framework answers because the time of their handlers is over, whatever error handlers make of it. */
const expired = new WeakSet<Exchange>()

/** Notes that the time of a request's handler is over, so that the request ends as timed out. */
export function noteExpired(exchange: Exchange): void {
  expired.add(exchange)
}

/** Returns how a request has ended; if its reply is not sent yet, how the request will end. */
export function outcomeOf(request: Request): RequestOutcome {
  const exchange = exchangeOf(request)
  const { reply, error, state } = exchange
  const { raw } = reply
  const status = readStatus(raw.statusCode)
  if (expired.has(exchange)) return { kind: 'timed-out', status, error }
  const isAnswered = state === ReplyState.Sending && completedAnyway.has(exchange)
  const isLost = isOverWhole(raw) === false && !isAnswered
  if (isLost && (error === undefined || isAbortOfClient(error, exchange))) return { kind: 'aborted', status: undefined, error: undefined }
  const hasFailed = error !== undefined || status === undefined || status >= 400
  return { kind: hasFailed ? 'failed' : 'completed', status, error }
}

/**
 * Sets the function that is called once before the head of the reply is written, after all hooks. If its promise is rejected, the request
 * is answered with the error instead. The function is not called if the client has left, if the time of the handler is over, or if the
 * application writes the response itself.
 */
export function setBeforeHead(request: Request, call: () => Promise<void>): void {
  exchangeOf(request).beforeHead = call
}

/** Returns the function that has to be called before the head of the reply is written, and forgets it; `undefined` if there is none. */
export function takeBeforeHead(exchange: Exchange): (() => Promise<void>) | undefined {
  const { beforeHead, reply } = exchange
  if (beforeHead === undefined || replyState(exchange) >= ReplyState.Hijacked || expired.has(exchange)) return undefined
  if (isClientGone(reply.raw) && !completedAnyway.has(exchange)) return undefined
  exchange.beforeHead = undefined
  return beforeHead
}
