/**
 * Runs a request: onRequest, preParsing, body, preValidation, validation, preHandler, handler. Each stage calls the next one. A stage
 * that a route does not have costs one comparison with `null`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorCodes } from '../errors/codes.js'
import { closeInStages } from '../http/connection-states.js'
import { readMediaType } from '../http/media-type.js'
import { type CompiledRoute, withNotFoundHandler } from '../route/compiled-route.js'
import { validateRequest } from '../schema/validate-request.js'
import { kAsyncContext, kPayloadStream, kReply, kRoute, kStartTime, kWaiting } from '../util/symbols.js'
import { createAsyncContext, keepAsyncContext, runInContextOf } from './async-context.js'
import { createRequestLogger, logFailedHook, type LogSettings } from './log-request.js'
import { awaitBody, hasBodyToParse, isReadable, parseBody } from './read-body.js'
import { onResponseError, watchEnd } from './ending/request-end.js'
import { beginRun, endRun } from './ending/running.js'
import { runPreParsingHooks, runRequestHooks } from './run-hooks.js'
import { handleResult, sendError, startDeadline } from './send-error.js'
import { type InternalReply, type InternalRequest, ReplyState, replyState } from './state.js'
import { traceHandler } from './tracing.js'

/** Runs a request on the route that was found for it. */
export type RunRequest = (route: CompiledRoute, raw: IncomingMessage, response: ServerResponse, params: unknown, query: unknown) => void

export function createRunRequest(settings: LogSettings): RunRequest {
  return function runRequest(route, raw, response, params, query) {
    const asyncContext = createAsyncContext()
    asyncContext.runInAsyncScope(() => {
      const { request, reply } = createPair(settings, route, raw, response, params, query)
      request[kAsyncContext] = asyncContext
      try {
        start(settings, route, request, reply)
      } catch (error) {
        // Neither a hook nor the handler failed, but a logger, or a getter of a request that is logged.
        sendError(reply, error)
      }
    })
  }
}

/** Makes the request and the reply of a route. */
function createPair(
  settings: LogSettings,
  route: CompiledRoute,
  raw: IncomingMessage,
  response: ServerResponse,
  params: unknown,
  query: unknown,
): { request: InternalRequest; reply: InternalReply } {
  const id = route.genReqId(raw)
  const log = createRequestLogger(settings, route, id, raw)
  const request = new route.classes.Request(id, params, raw, query, log, route) as InternalRequest
  response.on('error', onResponseError)
  const reply = new route.classes.Reply(response, request, log) as InternalReply
  request[kReply] = reply
  reply[kStartTime] = performance.now()
  return { request, reply }
}

function start(settings: LogSettings, route: CompiledRoute, request: InternalRequest, reply: InternalReply): void {
  route.logs.incomingRequest(request, reply)
  if (settings.hasLogger || route.onResponse !== null || route.onRequestAbort !== null) watchEnd(request, reply)
  if (route.deadlines !== null) startDeadline(reply, route.deadlines)
  if (route.onTimeout !== null) watchTimeout(route, request, reply)

  if (route.onRequest === null) beforeParsing(null, request, reply)
  else runRequestHooks(route.onRequest, request, reply, beforeParsing)
}

function beforeParsing(error: unknown, request: InternalRequest, reply: InternalReply): void {
  if (replyState(reply) !== ReplyState.Open) return
  if (error != null) return sendError(reply, error)
  request[kPayloadStream] = request.raw
  const { preParsing } = request[kRoute]
  if (preParsing === null) readBody(null, request, reply)
  else runPreParsingHooks(preParsing, request, reply, afterPreParsing)
}

function afterPreParsing(error: unknown, request: InternalRequest, reply: InternalReply): void {
  const stream = request[kPayloadStream]
  // Whether the body is read or refused: an error of a stream without a listener would end the process.
  if (stream !== request.raw && isReadable(stream)) stream.on('error', ignoreError)
  readBody(error, request, reply)
}

function ignoreError(): void {}

function readBody(error: unknown, request: InternalRequest, reply: InternalReply): void {
  if (replyState(reply) !== ReplyState.Open) return
  if (error != null) return sendError(reply, error)
  const hasBody = hasBodyToParse(request)
  if (hasBody === true) return parse(request, reply)
  if (hasBody === false) return beforeValidation(request, reply)
  awaitBody(request, (failure, isThere) => {
    if (replyState(reply) !== ReplyState.Open) return
    if (failure != null) sendError(reply, failure)
    else if (isThere) parse(request, reply)
    else beforeValidation(request, reply)
  })
}

function parse(request: InternalRequest, reply: InternalReply): void {
  parseBody(request, (error, body, closesConnection) => {
    // The reply may have been sent before the parser was done.
    if (replyState(reply) !== ReplyState.Open) return
    if (closesConnection === true) closeAfter(reply)
    if (error != null) return sendError(reply, error)
    request.body = body
    beforeValidation(request, reply)
  })
}

/** Closes the connection after a reply that is sent before the end of its request. */
function closeAfter(reply: InternalReply): void {
  reply.header('connection', 'close')
  const { raw } = reply.request
  if (raw.httpVersionMajor !== 2 && !raw.complete) closeInStages(raw.socket)
}

function beforeValidation(request: InternalRequest, reply: InternalReply): void {
  const { preValidation } = request[kRoute]
  if (preValidation === null) validate(null, request, reply)
  else runRequestHooks(preValidation, request, reply, validate)
}

function validate(error: unknown, request: InternalRequest, reply: InternalReply): void {
  if (replyState(reply) !== ReplyState.Open) return
  if (error != null) return sendError(reply, error)
  const { validators, schemaErrorFormatter, body } = request[kRoute]
  if (validators === null) return beforeHandler(undefined, request, reply)
  let result: unknown
  try {
    const mediaType = body.covers === undefined ? undefined : readMediaType(request.raw.headers['content-type'])
    result = validateRequest(validators, request, mediaType, schemaErrorFormatter)
  } catch (failure) {
    return sendError(reply, failure)
  }
  if (!(result instanceof Promise)) return beforeHandler(result, request, reply)
  request[kWaiting] = 'validation'
  beginRun(request)
  result.then(
    (failure) => {
      request[kWaiting] = undefined
      beforeHandler(failure, request, reply)
      endRun(request)
    },
    (failure) => {
      request[kWaiting] = undefined
      sendError(reply, failure)
      endRun(request)
    },
  )
}

function beforeHandler(validationError: any, request: InternalRequest, reply: InternalReply): void {
  const route = request[kRoute]
  if (validationError !== undefined) {
    if (!route.attachValidation) return sendError(reply, validationError)
    request.validationError = route.conventions.presentError(validationError) as typeof validationError
  }
  if (route.preHandler === null) callHandler(null, request, reply)
  else runRequestHooks(route.preHandler, request, reply, callHandler)
}

function callHandler(error: unknown, request: InternalRequest, reply: InternalReply): void {
  if (replyState(reply) !== ReplyState.Open) return
  if (error != null) return sendError(reply, error)
  const route = request[kRoute]
  let result: unknown
  try {
    const { handler, serializers } = route
    if (serializers !== null && serializers.deferred.size > 0) {
      const turn = serializers.compileDeferred()
      if (turn !== undefined) return waitForTurn(turn, request, reply)
    }
    result = route.conventions.handling.hasSubscribers ? traceHandler(handler, request, reply) : handler(request, reply)
    // As for an async handler, the promise of the reply or of nothing sends what is not sent yet.
    if (result === undefined ? route.answersUndefined : result === reply && route.endsReturnedReply) result = Promise.resolve(result)
    if (route.keepsAsyncContext && isLate(result)) keepAsyncContext(request)
  } catch (failure) {
    return sendError(reply, failure ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR())
  }
  handleResult(reply, result, route)
}

/** Calls the handler when a serializer of the route has been compiled. */
function waitForTurn(turn: Promise<void>, request: InternalRequest, reply: InternalReply): void {
  beginRun(request)
  turn.then(
    () => {
      callHandler(null, request, reply)
      endRun(request)
    },
    (failure) => {
      sendError(reply, failure)
      endRun(request)
    },
  )
}

/** Whether more of a request happens after what a handler has returned: it waits, or a stream is read. */
function isLate(result: any): boolean {
  return (
    result === undefined ||
    (typeof result === 'object' && result !== null && (typeof result.then === 'function' || typeof result.pipe === 'function'))
  )
}

/** Hands a request over to the not-found handler of its context: the preHandler hooks of that one, then the handler itself. */
export function callNotFound(reply: InternalReply): void {
  const { request } = reply
  const route = request[kRoute]
  if (route.notFound === null) {
    reply.log.warn('Trying to send a NotFound error inside a 404 handler. Sending basic 404 response.')
    reply.code(404).send('404 Not Found')
    return
  }
  request[kRoute] = withNotFoundHandler(route, route.notFound)
  beforeHandler(undefined, request, reply)
}

const kOnTimeout = Symbol('alcove.on-timeout')

/** A connection has one listener for all its requests. It runs the hooks of the latest one. */
function watchTimeout(route: CompiledRoute, request: InternalRequest, reply: InternalReply): void {
  const socket = request.raw.socket as IncomingMessage['socket'] & { [kOnTimeout]?: () => void }
  if (socket[kOnTimeout] === undefined) socket.on('timeout', () => socket[kOnTimeout]!())
  socket[kOnTimeout] = () => {
    runInContextOf(request, runRequestHooks, route.onTimeout!, request, reply, (error) => {
      if (error != null) logFailedHook('onTimeout', error, reply)
    })
  }
}
