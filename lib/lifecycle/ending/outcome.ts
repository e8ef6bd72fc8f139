/** How a request ends: what it was answered with, or that it was not answered. */
import { isClientGone, isOverWhole } from '../../http/connection.js'
import { readStatus } from '../../http/response.js'
import type { Request, RequestOutcome } from '../../types/request.js'
import { type Exchange, exchangeOf, ReplyState, replyState } from '../exchange.js'
import { readProperty } from '../failing/error-reply.js'

/** Returns how a request has ended; if its reply is not sent yet, how it will end. */
export function outcomeOf(request: Request): RequestOutcome {
  const { reply, error } = exchangeOf(request)
  const { raw } = reply
  const status = readStatus(raw.statusCode)
  if (isTimeout(error)) return { kind: 'timed-out', status, error }
  if (error !== undefined) return { kind: 'failed', status, error }
  if (isOverWhole(raw) === false) return { kind: 'aborted', status: undefined, error }
  return { kind: status === undefined || status >= 400 ? 'failed' : 'completed', status, error }
}

function isTimeout(error: unknown): boolean {
  return readProperty(error, 'code') === 'ALC_ERR_HANDLER_TIMEOUT'
}

/**
 * Sets the function that is called once before the head of the reply is written, after all hooks. If its promise is rejected, the request
 * is answered with the error instead. It is not called for a request that is not answered by its own handler: the client has left, the time
 * of the handler is over, or the application writes the response itself.
 */
export function setBeforeHead(request: Request, call: () => Promise<void>): void {
  exchangeOf(request).beforeHead = call
}

/** Takes the function that has to be called before the head of the reply is written; `undefined` if there is none. */
export function takeBeforeHead(exchange: Exchange): (() => Promise<void>) | undefined {
  const { beforeHead, error, reply } = exchange
  if (beforeHead === undefined || replyState(exchange) >= ReplyState.Hijacked || isTimeout(error) || isClientGone(reply.raw))
    return undefined
  exchange.beforeHead = undefined
  return beforeHead
}
