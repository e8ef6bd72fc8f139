/**
 * The way of a request: onRequest, preParsing, body, preValidation, validation, preHandler, handler. Each stage calls the
 * next; a stage that a route does not have costs one comparison with `null`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { awaitBody, parseBody } from '../context/body-parsers.js'
import type { CompiledRoute } from '../route/compiled-route.js'
import { closeInStages } from '../http/connection.js'
import type { Logger } from '../types/logger.js'
import type { Reply as ReplyContract } from '../types/reply.js'
import type { Request as RequestContract } from '../types/request.js'
import { errorCodes } from '../errors.js'
import { isReplied, runAbortHooks, runPreParsingHooks, runRequestHooks, runResponseHooks } from '../context/hooks.js'
import { admitLogger } from '../context/logger.js'
import { parseMediaType } from '../http/media-type.js'
import { isRepeated } from '../http/headers.js'
import { mayHaveHttp2Body } from '../http/http2.js'
import { respondError, settle, startDeadline } from './send.js'
import { kEndTime, kPayloadStream, kResponse, kRoute, kStartTime } from '../util/symbols.js'
import { notFoundFor } from '../route/compile.js'
import { handling, traceHandler } from './tracing.js'
import { validateRequest } from '../schema/validate-request.js'

interface Request extends RequestContract<any, any, any, any> {
  [kRoute]: CompiledRoute
  [kPayloadStream]: unknown
  [kResponse]: ServerResponse
}
interface Reply extends ReplyContract<any, any> {
  [kStartTime]: number | undefined
  [kEndTime]: number | undefined
}

/** What the pipeline must know of the server as a whole. */
export interface PipelineSettings {
  readonly logger: Logger
  /** Whether response times and lines are wanted even where a route has no onResponse hooks. */
  readonly hasLogger: boolean
  readonly defaultChildLoggerFactory: CompiledRoute['childLoggerFactory']
}

export type Serve = (route: CompiledRoute, raw: IncomingMessage, response: ServerResponse, params: unknown, query: unknown) => void

export function createPipeline(settings: PipelineSettings): Serve {
  return function serve(route, raw, response, params, query) {
    const { request, reply } = open(settings, route, raw, response, params, query)
    try {
      start(settings, route, request, reply)
    } catch (error) {
      // What is no hook and no handler of the route: a logger, a getter of a request that somebody logs.
      respondError(reply, error)
    }
  }
}

function start(settings: PipelineSettings, route: CompiledRoute, request: Request, reply: Reply): void {
  if (route.isLogging) request.log.info({ req: request }, 'incoming request')
  if (settings.hasLogger || route.onResponse !== null) watchResponse(request, reply)
  if (route.deadlines !== null) startDeadline(reply, route.deadlines)
  if (route.onRequestAbort !== null) watchAbort(route, request, reply)
  if (route.onTimeout !== null) watchTimeout(route, request, reply)

  if (route.onRequest === null) beforeParsing(null, request, reply)
  else runRequestHooks(route.onRequest, request, reply, beforeParsing as End)
}

type End = (error: unknown, request: RequestContract, reply: ReplyContract) => void

/** Makes the request and the reply of a route. */
function open(
  settings: PipelineSettings,
  route: CompiledRoute,
  raw: IncomingMessage,
  response: ServerResponse,
  params: unknown,
  query: unknown,
): { request: Request; reply: Reply } {
  const id = route.genReqId(raw)
  const log = createLog(settings, route, id, raw)
  const request = new route.RequestClass(id, params, raw, query, log, route) as unknown as Request
  request[kResponse] = response
  response.on('error', ignore)
  const reply = new route.ReplyClass(response, request, log) as unknown as Reply
  reply[kStartTime] = performance.now()
  return { request, reply }
}

/** What is written to a response after its end is an error that would end the process. */
function ignore(): void {}

function createLog(settings: PipelineSettings, route: CompiledRoute, id: string, raw: IncomingMessage): Logger {
  const { childLoggerFactory } = route
  const isDefault = childLoggerFactory === settings.defaultChildLoggerFactory
  // The logger that says nothing is its own child.
  if (isDefault && !settings.hasLogger) return settings.logger
  const log = childLoggerFactory.call(route.instance, settings.logger as any, { [route.requestIdLogLabel]: id }, route.loggerOptions, raw)
  return isDefault ? log : admitLogger(log)
}

function beforeParsing(error: unknown, request: Request, reply: Reply): void {
  if (isReplied(reply)) return
  if (error != null) return respondError(reply, error)
  request[kPayloadStream] = request.raw
  const { preParsing } = request[kRoute]
  if (preParsing === null) readBody(null, request, reply)
  else runPreParsingHooks(preParsing, request, reply, takeStream as End)
}

function takeStream(error: unknown, request: Request, reply: Reply): void {
  const stream = request[kPayloadStream]
  // Whether the body is read or refused: an error of a stream that nobody listens to ends the process.
  if (stream !== request.raw && isStream(stream)) stream.on('error', () => {})
  readBody(error, request, reply)
}

/**
 * Which methods' bodies are read: `always` refuses a body without a media type, `typed` leaves it alone. The bodies of
 * other methods (GET, and WebDAV's, which are XML for the handler itself) stay in `request.raw`.
 */
const bodyReading: { readonly [method: string]: 'always' | 'typed' | undefined } = {
  POST: 'always',
  PUT: 'always',
  PATCH: 'always',
  TRACE: 'always',
  SEARCH: 'always',
  DELETE: 'typed',
  OPTIONS: 'typed',
}

function readBody(error: unknown, request: Request, reply: Reply): void {
  if (isReplied(reply)) return
  if (error != null) return respondError(reply, error)
  const { method } = request
  const reading = bodyReading[method]
  if (reading === undefined) return beforeValidation(request, reply)

  const { headers } = request.raw
  const contentType = headers['content-type']
  const isTyped = contentType !== undefined
  if (isTyped && reading === 'always') return parse(contentType, request, reply)
  if (!isTyped && reading === 'typed') return beforeValidation(request, reply)
  const length = headers['content-length']
  if (headers['transfer-encoding'] !== undefined || (length !== undefined && (isTyped || length !== '0'))) {
    return parse(contentType, request, reply)
  }
  if (!mayHaveHttp2Body(request.raw)) return beforeValidation(request, reply)
  awaitBody(request.raw, (error, isThere) => {
    if (isReplied(reply)) return
    if (error != null) respondError(reply, error)
    else if (isThere) parse(contentType, request, reply)
    else beforeValidation(request, reply)
  })
}

function parse(contentType: string | undefined, request: Request, reply: Reply): void {
  const { headers } = request.raw
  const route = request[kRoute]
  const { parsers, limit, covers } = route.body
  // Two media types are none.
  const isOne = contentType === undefined || !isRepeated(request.raw.rawHeaders, 'content-type')
  // What a body schema does not cover is refused before it is read: skipping the schema because of a header would let
  // anything through (CVE-2025-32442).
  const isCovered = covers === undefined || covers(contentType === undefined ? undefined : parseMediaType(contentType)?.essence)
  const parser = isOne && isCovered ? parsers.find(contentType) : undefined
  if (parser === undefined) {
    if (request.is404) return beforeValidation(request, reply)
    return respondError(reply, new errorCodes.ALC_ERR_CTP_INVALID_MEDIA_TYPE(contentType))
  }
  // Who is handed the bytes of a coding that no preParsing hook took off would read something else than was sent.
  const coding = headers['content-encoding']
  if (coding !== undefined && parser.parseAs !== undefined && request[kPayloadStream] === request.raw && !isIdentity(coding))
    return respondError(reply, new errorCodes.ALC_ERR_CTP_UNSUPPORTED_ENCODING(coding))
  if (!isStream(request[kPayloadStream])) return respondError(reply, new TypeError('a preParsing hook must give a stream'))
  parseBody(parser, request, limit, (failure, body, close) => {
    // A parser may come to its end after the client was answered otherwise.
    if (isReplied(reply)) return
    if (close === true) closeAfter(reply)
    if (failure != null) return respondError(reply, failure)
    request.body = body
    beforeValidation(request, reply)
  })
}

/** Closes the connection behind a reply that comes before the end of its request. */
function closeAfter(reply: Reply): void {
  reply.header('connection', 'close')
  const { raw } = reply.request
  if (raw.httpVersionMajor !== 2 && !raw.complete) closeInStages(raw.socket)
}

function isStream(value: unknown): value is Readable {
  return typeof (value as Readable | undefined)?.on === 'function'
}

function isIdentity(coding: string): boolean {
  return coding === '' || coding.toLowerCase() === 'identity'
}

function beforeValidation(request: Request, reply: Reply): void {
  const { preValidation } = request[kRoute]
  if (preValidation === null) validate(null, request, reply)
  else runRequestHooks(preValidation, request, reply, validate as End)
}

function validate(error: unknown, request: Request, reply: Reply): void {
  if (isReplied(reply)) return
  if (error != null) return respondError(reply, error)
  const { validators, schemaErrorFormatter, body } = request[kRoute]
  if (validators === null) return beforeHandler(undefined, request, reply)
  let result: unknown
  try {
    const contentType = body.covers === undefined ? undefined : request.raw.headers['content-type']
    result = validateRequest(
      validators,
      request,
      contentType === undefined ? undefined : parseMediaType(contentType)?.essence,
      schemaErrorFormatter,
    )
  } catch (failure) {
    return respondError(reply, failure)
  }
  if (!(result instanceof Promise)) return beforeHandler(result, request, reply)
  result.then(
    (failure) => beforeHandler(failure, request, reply),
    (failure) => respondError(reply, failure),
  )
}

function beforeHandler(validationError: any, request: Request, reply: Reply): void {
  const route = request[kRoute]
  if (validationError !== undefined) {
    if (!route.attachValidation) return respondError(reply, validationError)
    request.validationError = validationError
  }
  if (route.preHandler === null) callHandler(null, request, reply)
  else runRequestHooks(route.preHandler, request, reply, callHandler as End)
}

function callHandler(error: unknown, request: Request, reply: Reply): void {
  if (isReplied(reply)) return
  if (error != null) return respondError(reply, error)
  const route = request[kRoute]
  let result: unknown
  try {
    const handler = route.handler as (request: Request, reply: Reply) => unknown
    result = handling.hasSubscribers ? traceHandler(handler, request, reply) : handler(request, reply)
  } catch (failure) {
    return respondError(reply, failure ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR())
  }
  settle(reply, result, route)
}

/** Hands a request over to the not-found handler of its context: its preHandler hooks, then itself. */
export function callNotFound(given: ReplyContract<any, any>): void {
  const reply = given as Reply
  const request = reply.request as unknown as Request
  const route = request[kRoute]
  if (route.notFound === null) {
    reply.log.warn('Trying to send a NotFound error inside a 404 handler. Sending basic 404 response.')
    reply.code(404).send('404 Not Found')
    return
  }
  request[kRoute] = notFoundFor(route, route.notFound)
  beforeHandler(undefined, request, reply)
}

function watchResponse(request: Request, reply: Reply): void {
  const { raw } = reply
  const onFinished = (error?: Error): void => {
    raw.removeListener('finish', onFinished)
    raw.removeListener('error', onFinished)
    reply[kEndTime] = performance.now()
    const { onResponse } = request[kRoute]
    if (onResponse === null) logResponse(error, request, reply)
    else runResponseHooks(onResponse, request, reply, logResponse as End)
  }
  raw.on('finish', onFinished)
  raw.on('error', onFinished)
}

function logResponse(error: unknown, request: Request, reply: Reply): void {
  if (!request[kRoute].isLogging) return
  const responseTime = reply.elapsedTime
  if (error != null) reply.log.error({ res: reply, err: error, responseTime }, 'request errored')
  else reply.log.info({ res: reply, responseTime }, 'request completed')
}

function watchAbort(route: CompiledRoute, request: Request, reply: Reply): void {
  request.raw.on('close', () => {
    if (!(request.raw as { aborted?: boolean }).aborted) return
    runAbortHooks(route.onRequestAbort!, request, reply, (error) => {
      if (error != null) reply.log.error({ err: error }, 'an onRequestAbort hook failed')
    })
  })
}

const kTimed = Symbol('alcove.timed')

// One listener a connection, however many requests it carries: it speaks for the latest.
function watchTimeout(route: CompiledRoute, request: Request, reply: Reply): void {
  const socket = request.raw.socket as IncomingMessage['socket'] & { [kTimed]?: () => void }
  if (socket[kTimed] === undefined) socket.on('timeout', () => socket[kTimed]!())
  socket[kTimed] = () => {
    runRequestHooks(route.onTimeout!, request, reply, (error) => {
      if (error != null) reply.log.error({ err: error }, 'onTimeout hook failed')
    })
  }
}
