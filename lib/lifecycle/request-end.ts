/** The one end of a request: its response is sent or has failed, or its client has left. Then its last hooks run. */
import { whenOver } from '../http/connection.js'
import { kEndTime, kRoute } from '../util/symbols.js'
import { runInContextOf } from './async-context.js'
import { logAborted, logCompleted, logFailedHook } from './log-request.js'
import { runAbortHooks, runResponseHooks } from './run-hooks.js'
import type { InternalReply, InternalRequest } from './state.js'

/**
 * Waits for the end of a request. Then it runs the onResponse hooks, or, if the response was cut or the client has left, the
 * onRequestAbort hooks, and logs the request.
 */
export function watchEnd(request: InternalRequest, reply: InternalReply): void {
  const end = (run: typeof finish, error?: Error): void => {
    if (reply[kEndTime] !== undefined) return
    reply[kEndTime] = performance.now()
    runInContextOf(request, run, request, reply, error)
  }
  whenOver(reply.raw, (isWhole) => end(isWhole ? finish : abort))
  reply.raw.on('error', (error) => end(finish, error))
}

function finish(request: InternalRequest, reply: InternalReply, error: Error | undefined): void {
  const { onResponse } = request[kRoute]
  if (onResponse === null) logCompleted(error, request, reply)
  else runResponseHooks(onResponse, request, reply, logCompleted)
}

function abort(request: InternalRequest, reply: InternalReply): void {
  const { onRequestAbort } = request[kRoute]
  logAborted(request, reply)
  if (onRequestAbort === null) return
  runAbortHooks(onRequestAbort, request, reply, (error) => {
    if (error != null) logFailedHook('onRequestAbort', error, reply)
  })
}
