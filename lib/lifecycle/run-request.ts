/**
 * Runs a request: onRequest, preParsing, body, preValidation, validation, preHandler, handler. A compiled route lists its stages, and
 * {@link advance} goes from one stage to the next. The reply is made from the result of the handler in answer.ts, and from the error of a
 * stage in failing/send-error.ts.
 */
import type { AsyncResource } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorCodes } from '../errors/codes.js'
import { closeInStages } from '../http/connection-states.js'
import { type CompiledRoute, type Stage, type StageFields, withNotFoundHandler } from '../route/compiled-route.js'
import { validateRequest } from '../schema/validate-request.js'
import { takeResult } from './answer.js'
import { announceDeprecation } from './announce-deprecation.js'
import { createAsyncContext, hasOwnContext, keepAsyncContext, runInContextOf } from './async-context.js'
import { onResponseError, watchEnd } from './ending/request-end.js'
import { beginWork, endWork } from './ending/pending-work.js'
import { Exchange, NO_STAGE, ReplyState, replyState } from './exchange.js'
import { sendError } from './failing/send-error.js'
import { createRequestLogger, logFailedHook, type LogSettings } from './log-request.js'
import { beginStep, endStep, enterObserved, observerOfServer } from './observe.js'
import { awaitBody, hasBodyToParse, isReadable, parseBody } from './read-body.js'
import { startDeadline } from './ending/request-deadline.js'
import { runPreParsingHooks, runRequestHooks, runResponseHooks } from './run-hooks.js'
import { ignoreIfPromise } from '../util/promises.js'
import { isTraced, traceHandler } from './tracing.js'

/** Runs a request on the route that was found for it. */
export type RunRequest = (route: CompiledRoute, raw: IncomingMessage, response: ServerResponse, params: unknown, query: unknown) => void

export function createRunRequest(settings: LogSettings): RunRequest {
  function begin(
    asyncContext: AsyncResource | undefined,
    route: CompiledRoute,
    raw: IncomingMessage,
    response: ServerResponse,
    params: unknown,
    query: unknown,
  ): void {
    const id = route.genReqId(raw)
    const log = createRequestLogger(settings, route, id, raw)
    const exchange = new Exchange(route, asyncContext, raw, response, params, query, id, log)
    response.on('error', onResponseError)
    try {
      startRequest(settings, exchange)
    } catch (error) {
      // Neither a hook nor the handler failed, but a logger, or a getter of a request that is logged.
      sendError(exchange, error)
    }
    // Everything so far has run in one event, in which no timer can fire. A request that is answered by now needs no deadline.
    if (route.deadlines !== null && exchange.areHeadersDue) startDeadline(exchange, route.deadlines)
  }
  return function runRequest(route, raw, response, params, query) {
    if (hasOwnContext(response)) {
      begin(route.keepsAsyncContext ? createAsyncContext() : undefined, route, raw, response, params, query)
    } else {
      const asyncContext = createAsyncContext()
      asyncContext.runInAsyncScope(() => begin(asyncContext, route, raw, response, params, query))
    }
  }
}

function startRequest(settings: LogSettings, exchange: Exchange): void {
  const { route } = exchange
  route.logs.incomingRequest(exchange.request, exchange.reply)
  if (settings.hasLogger || route.onResponse !== null || route.onRequestAbort !== null) watchEnd(exchange)
  if (route.onTimeout !== null) watchTimeout(exchange)
  advance(null, exchange)
}

/**
 * Runs the next stage of a request, if the stage before it has succeeded and nothing has replied. Each stage calls this function when it is
 * done, at once or in a later event; only the last one, the handler, does not.
 */
function advance(error: unknown, exchange: Exchange): void {
  if (!goesOn(exchange)) return
  if (error != null) return sendError(exchange, error)
  exchange.route.stages[exchange.nextStage++]!(exchange)
}

/** Whether a request has neither failed nor got a reply, so that its next stage may run. */
function goesOn(exchange: Exchange): boolean {
  return exchange.nextStage !== NO_STAGE && replyState(exchange) === ReplyState.Open
}

/** Runs the next stage after hooks. The error of a hook that comes too late for the reply is logged, because nothing else tells of it. */
function afterHooks(error: unknown, exchange: Exchange): void {
  const isLate = error != null && !goesOn(exchange) && error !== exchange.error
  if (isLate) logLateError(error, exchange)
  else advance(error, exchange)
}

function logLateError(err: unknown, { state, reply }: Exchange): void {
  // After `hijack` a hook may throw only to end: Fastify logs nothing then.
  const level = state === ReplyState.Hijacked ? 'info' : 'error'
  reply.log[level]({ err }, 'a hook failed after its request was answered')
}

/** Lists the stages of a route in their order. A stage that the route does not need is left out, and costs its requests nothing. */
export function stagesOf(route: StageFields): readonly Stage[] {
  const stages: Stage[] = []
  const isObserved = observerOfServer(route.instance) !== undefined
  if (isObserved) stages.push(observe)
  if (route.enterRequest !== null) stages.push(enter)
  if (route.deprecation !== null) stages.push(announce)
  if (route.onRequest !== null) stages.push(runOnRequest)
  if (route.preParsing !== null) stages.push(runPreParsing)
  if (mayHaveBody(route)) stages.push(...(isObserved ? [observeBody, readBody, observeEnd] : [readBody]))
  if (route.preValidation !== null) stages.push(runPreValidation)
  if (route.validators !== null) stages.push(...(isObserved ? [observeValidation, validate, observeEnd] : [validate]))
  if (route.preHandler !== null) stages.push(runPreHandler)
  stages.push(callHandler)
  return stages
}

/** Whether requests of a route may have a body that is read. A not-found handler has no methods, so its requests may. */
function mayHaveBody({ info: { method }, body }: StageFields): boolean {
  if (method === undefined) return true
  return [method].flat().some((name) => (body.readings[name] ?? 'never') !== 'never')
}

function observe(exchange: Exchange): void {
  enterObserved(exchange, () => advance(null, exchange))
}

function observeBody(exchange: Exchange): void {
  if (hasBodyToParse(exchange) !== false) beginStep(exchange, 'body')
  advance(null, exchange)
}

function observeValidation(exchange: Exchange): void {
  beginStep(exchange, 'validation')
  advance(null, exchange)
}

/** Tells the observer that the step which {@link observeBody} or {@link observeValidation} has begun is over. */
function observeEnd(exchange: Exchange): void {
  endStep(exchange)
  advance(null, exchange)
}

function enter(exchange: Exchange): void {
  exchange.route.enterRequest!(exchange.request, () => {
    keepAsyncContext(exchange)
    advance(null, exchange)
  })
}

function announce(exchange: Exchange): void {
  announceDeprecation(exchange)
  advance(null, exchange)
}

function runOnRequest(exchange: Exchange): void {
  runRequestHooks(exchange.route.onRequest!, exchange, afterHooks)
}

function runPreParsing(exchange: Exchange): void {
  runPreParsingHooks(exchange.route.preParsing!, exchange, afterPreParsing)
}

function afterPreParsing(error: unknown, exchange: Exchange): void {
  const { payloadStream: stream, request } = exchange
  // Whether the body is read or refused: an error of a stream without a listener would end the process.
  if (stream !== request.raw && isReadable(stream)) stream.on('error', ignoreError)
  afterHooks(error, exchange)
}

function ignoreError(): void {}

function readBody(exchange: Exchange): void {
  const hasBody = hasBodyToParse(exchange)
  if (hasBody === true) return parse(exchange)
  if (hasBody === false) return advance(null, exchange)
  awaitBody(exchange, (failure, isThere) => {
    if (failure == null && isThere && goesOn(exchange)) parse(exchange)
    else advance(failure, exchange)
  })
}

function parse(exchange: Exchange): void {
  parseBody(exchange, (error, body, closesConnection) => {
    // The reply may have been sent before the parser was done.
    if (!goesOn(exchange)) return
    if (closesConnection === true) closeAfter(exchange)
    if (error == null) exchange.request.body = body
    advance(error, exchange)
  })
}

/** Closes the connection after the reply to a request whose body was not read to its end. */
function closeAfter({ request: { raw }, reply }: Exchange): void {
  reply.header('connection', 'close')
  if (raw.httpVersionMajor !== 2 && !raw.complete) closeInStages(raw.socket)
}

function runPreValidation(exchange: Exchange): void {
  runRequestHooks(exchange.route.preValidation!, exchange, afterHooks)
}

function validate(exchange: Exchange): void {
  const { validators, schemaErrorFormatter } = exchange.route
  let result: unknown
  try {
    result = validateRequest(validators!, exchange.request, schemaErrorFormatter)
  } catch (failure) {
    return sendError(exchange, failure)
  }
  if (!(result instanceof Promise)) return takeVerdict(result, exchange)
  exchange.waitsFor = 'validation'
  beginWork(exchange)
  result.then(
    (failure) => {
      exchange.waitsFor = undefined
      takeVerdict(failure, exchange)
      endWork(exchange)
    },
    (failure) => {
      exchange.waitsFor = undefined
      advance(failure ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR(), exchange)
      endWork(exchange)
    },
  )
}

function takeVerdict(validationError: any, exchange: Exchange): void {
  if (!goesOn(exchange)) return
  if (validationError !== undefined) {
    const { attachValidation, conventions } = exchange.route
    if (!attachValidation) return sendError(exchange, validationError)
    exchange.request.validationError = conventions.presentError(validationError) as typeof validationError
  }
  advance(null, exchange)
}

function runPreHandler(exchange: Exchange): void {
  runRequestHooks(exchange.route.preHandler!, exchange, afterHooks)
}

function callHandler(exchange: Exchange): void {
  const { route, request, reply } = exchange
  let result: unknown
  try {
    const { handler, serializers } = route
    if (serializers !== null && serializers.deferred.size > 0) {
      const turn = serializers.compileDeferred()
      if (turn !== undefined) return waitForTurn(turn, exchange)
    }
    result = isTraced(route.conventions.handling) ? traceHandler(handler, exchange) : handler(request, reply)
    // Like the result of an async handler: a promise of `undefined` sends an empty reply, a promise of the reply ends one that was not
    // sent.
    if (result === undefined ? route.answersUndefined : result === reply && route.endsReturnedReply) result = Promise.resolve(result)
    if (route.keepsAsyncContext && isLate(result)) keepAsyncContext(exchange)
  } catch (failure) {
    // A reply that was sent may still wait for hooks, or for a transaction that commits.
    if (replyState(exchange) !== ReplyState.Sending) return sendError(exchange, failure)
    ignoreIfPromise(failure)
    return reply.log.error({ err: failure }, 'an error occurred after the reply was sent')
  }
  takeResult(exchange, result, route, sendError)
}

/** Waits until a serializer of the route has been compiled, then calls the handler. */
function waitForTurn(turn: Promise<void>, exchange: Exchange): void {
  exchange.nextStage--
  beginWork(exchange)
  turn.then(
    () => {
      advance(null, exchange)
      endWork(exchange)
    },
    (failure) => {
      sendError(exchange, failure)
      endWork(exchange)
    },
  )
}

/** Whether a request goes on in later events after its handler has returned: the result is `undefined`, a promise or a stream. */
function isLate(result: any): boolean {
  return (
    result === undefined ||
    (typeof result === 'object' && result !== null && (typeof result.then === 'function' || typeof result.pipe === 'function'))
  )
}

/** Passes a request to the not-found handler of its context: runs the preHandler hooks of that handler, then the handler itself. */
export function callNotFound(exchange: Exchange): void {
  const { route, reply } = exchange
  if (route.notFound === null) {
    reply.log.warn('Trying to send a NotFound error inside a 404 handler. Sending basic 404 response.')
    reply.code(404).send('404 Not Found')
    return
  }
  exchange.route = withNotFoundHandler(route, route.notFound)
  const { stages, preHandler, enterRequest } = route.notFound
  exchange.nextStage = stages.length - (preHandler === null ? 1 : 2)
  if (route.enterRequest === null && enterRequest !== null) enter(exchange)
  else advance(null, exchange)
}

const kOnTimeout = Symbol('alcove.on-timeout')

/**
 * Runs the onTimeout hooks of a request when its connection times out. A connection has one listener for all its requests, which runs the
 * hooks of the latest request.
 */
function watchTimeout(exchange: Exchange): void {
  const socket = exchange.request.raw.socket as IncomingMessage['socket'] & { [kOnTimeout]?: () => void }
  const hooks = exchange.route.onTimeout!
  if (socket[kOnTimeout] === undefined) socket.on('timeout', () => socket[kOnTimeout]!())
  socket[kOnTimeout] = () => {
    if (replyState(exchange) === ReplyState.Ended) return
    // A reply that pauses, such as a stream, does not stop the hooks. A hook that replies itself does.
    const run = goesOn(exchange) ? runRequestHooks : runResponseHooks
    runInContextOf(exchange, run, hooks, exchange, (error) => {
      if (error != null) logFailedHook('onTimeout', error, exchange.reply)
    })
  }
}
