/**
 * Answers with what a handler or an error handler has returned: a payload, a promise of a payload, or nothing if the handler itself
 * replies.
 */
import type { ErrorHandlerLink } from '../context/context.js'
import { errorCodes } from '../errors/codes.js'
import { isAborted } from '../http/connection.js'
import type { CompiledRoute } from '../route/compiled-route.js'
import { beginWork, endWork, expectReply } from './ending/pending-work.js'
import { endUnlessSent } from './ending/sources.js'
import { type Exchange, hasBegun, routePlace, ReplyState, replyState } from './exchange.js'

/**
 * A function that answers a request with an error: `sendError` of failing/send-error.ts. That function is passed as a parameter, because it
 * calls error handlers, whose results this file sends too.
 */
type Fail = (exchange: Exchange, error: unknown) => void

/**
 * Sends the result of a handler or an error handler; a promise is waited for. If the result is `undefined`, the handler itself sends the
 * reply, or has sent it.
 * @param route the route whose handler was called: after `callNotFound` another route answers
 */
export function takeResult(exchange: Exchange, result: any, route: CompiledRoute, fail: Fail): void {
  if (result === undefined || result === exchange.reply) return expectReply(exchange)
  try {
    if (result !== null && typeof result.then === 'function') awaitResult(exchange, result, route, fail)
    else if (exchange.route === route) exchange.reply.send(result)
  } catch (error) {
    // Even reading `then` may fail: a getter that throws, a revoked proxy.
    fail(exchange, error ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR())
  }
}

function awaitResult(exchange: Exchange, result: PromiseLike<unknown>, route: CompiledRoute, fail: Fail): void {
  const { nextErrorHandler: stage, reply } = exchange
  beginWork(exchange)
  result.then(
    (payload: unknown) => {
      if (hasFailedSince(stage, exchange)) endUnlessSent(exchange, payload)
      else if (stage === undefined && payload === undefined && isMissing(exchange, route))
        fail(exchange, new errorCodes.ALC_ERR_REP_MISSING(routePlace(exchange), reply.statusCode))
      else takeValue(exchange, payload, route)
      endWork(exchange)
    },
    (error: unknown) => {
      if (reply.sent) reply.log.error({ err: error }, 'Promise errored, but reply.sent = true was set')
      else if (hasFailedSince(stage, exchange))
        reply.log.error({ err: error }, 'the promise of a handler was rejected after its request had failed')
      else fail(exchange, error ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR())
      endWork(exchange)
    },
  )
}

/** Whether a request has failed since its handler was called. If so, the result of the handler is too late to be sent. */
function hasFailedSince(stage: ErrorHandlerLink | null | undefined, { nextErrorHandler, state }: Exchange): boolean {
  return nextErrorHandler !== stage || state === ReplyState.RunningErrorHooks
}

function takeValue(exchange: Exchange, payload: unknown, route: CompiledRoute): void {
  const { reply } = exchange
  if (payload === reply) return
  // After `callNotFound` another handler answers.
  if (exchange.route !== route) return endUnlessSent(exchange, payload)
  // A promise of nothing is a reply without a body, unless the reply was or is being sent elsewhere.
  const isWanted = payload === undefined ? isUnanswered(exchange) : exchange.state !== ReplyState.Hijacked
  if (isWanted) reply.send(payload)
  else endUnlessSent(exchange, payload)
}

/** Whether the handler of a route has returned nothing and sent no reply, although the response schema of the status requires a value. */
function isMissing(exchange: Exchange, route: CompiledRoute): boolean {
  return exchange.route === route && route.serializers?.needsPayload(exchange.reply.statusCode) === true && isUnanswered(exchange)
}

function isUnanswered(exchange: Exchange): boolean {
  return replyState(exchange) < ReplyState.Sending && !hasBegun(exchange.reply.raw) && !isAborted(exchange.request.raw)
}
