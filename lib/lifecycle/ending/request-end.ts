/** The one end of a request: its response is sent or has failed, or its client has left. Then its last hooks run, and it is over. */
import type { ServerResponse } from 'node:http'
import { isClientGone, whenOver } from '../../http/connection.js'
import type { Request } from '../../types/request.js'
import { kEndTime, kHasEnded, kReply, kRoute, kState } from '../../util/symbols.js'
import { runInContextOf } from '../async-context.js'
import { logFailedHook } from '../log-request.js'
import { runAbortHooks, runResponseHooks } from '../run-hooks.js'
import { noteEnd, noteRawEnd, setOverListener } from './running.js'
import { type InternalReply, type InternalRequest, ReplyState } from '../state.js'

/**
 * Waits for the end of a request. Then it runs the onResponse hooks, or, if the response was cut or the client has left, the
 * onRequestAbort hooks, and logs the request.
 */
export function watchEnd(request: InternalRequest, reply: InternalReply): void {
  request[kHasEnded] = false
  const response: WatchedResponse = reply.raw
  response[kReply] = reply
  whenOver(response, onOver)
}

/**
 * The listener for errors of a response. Every response has it: without one, an error of a write after its end would end the process.
 */
export function onResponseError(this: WatchedResponse, error: Error): void {
  if (this[kReply] !== undefined) end(this[kReply], finish, error)
}

interface WatchedResponse extends ServerResponse {
  [kReply]?: InternalReply
}

function onOver(response: WatchedResponse, isWhole: boolean): void {
  end(response[kReply]!, isWhole ? finish : abort)
}

function end(reply: InternalReply, run: typeof finish, error?: Error): void {
  if (reply[kEndTime] !== undefined) return
  reply[kEndTime] = performance.now()
  const { request } = reply
  noteRawEnd(request)
  runInContextOf(request, run, request, reply, error)
}

function finish(request: InternalRequest, reply: InternalReply, error: Error | undefined): void {
  const { onResponse } = request[kRoute]
  if (onResponse === null) complete(error, request, reply)
  else runResponseHooks(onResponse, request, reply, error === undefined ? complete : () => complete(error, request, reply))
}

function complete(error: unknown, request: InternalRequest, reply: InternalReply): void {
  request[kRoute].logs.requestCompleted(error, request, reply)
  noteEnd(request)
}

function abort(request: InternalRequest, reply: InternalReply): void {
  const { onRequestAbort, logs } = request[kRoute]
  // An application that has hijacked the response logs its end itself.
  if (reply[kState] !== ReplyState.Hijacked) logs.requestAborted(request, reply)
  if (onRequestAbort === null) return noteEnd(request)
  runAbortHooks(onRequestAbort, request, reply, (error) => {
    if (error != null) logFailedHook('onRequestAbort', error, reply)
    noteEnd(request)
  })
}

/**
 * Calls back once when a request is over: its response is sent or cut, its last hooks have run, and no promise of its hooks and its handler
 * is pending. If one is still pending 30 s after the response, or after the server has closed, it is not waited for.
 */
export function whenRequestIsOver(given: Request, call: () => void): void {
  const request = given as InternalRequest
  const reply = request[kReply]
  if (request[kHasEnded] === undefined) {
    if (isClientGone(reply.raw) || reply.raw.writableFinished) request[kHasEnded] = true
    else watchEnd(request, reply)
  }
  setOverListener(request, call)
}
