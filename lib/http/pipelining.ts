/**
 * Bounds the cost of pipelining: of requests that a client sends on an HTTP/1 connection before the replies to earlier ones are out.
 *
 * Only some requests of a connection are served at a time. Further ones are held, and the connection is not read until all are served.
 * Node parses a whole read (64 KiB, up to 2,600 requests) before a pause takes effect. So a connection that was stopped once passes its
 * bytes to the parser in small slices. The read that first exceeds the limit is not sliced; if it brings far too many requests, the
 * connection is destroyed.
 */
import { AsyncResource } from 'node:async_hooks'
import type { ServerResponse } from 'node:http'
import { MAX_UNSERVED, readInSlices, resumeReading, stopReading } from './connection.js'
import type { HttpSocket } from './node-internals.js'

const kPipeline = Symbol('alcove.pipeline')

/** A connection on which requests came before the replies to earlier ones were out. */
interface Pipeline {
  /** Requests that are served and not answered yet, with the one whose turn it is. */
  served: number
  /** The limit for `served`. */
  readonly max: number
  /** Functions that serve the requests beyond the limit, in order. */
  readonly held: { readonly resource: AsyncResource; readonly serve: () => void }[]
  isStopped: boolean
}

type PipelinedSocket = HttpSocket & { [kPipeline]?: Pipeline }

/** Whether a request has to wait until earlier ones of its connection are answered. Injected requests and those of HTTP/2 never do. */
export function isPipelined(socket: HttpSocket | undefined, response: ServerResponse): boolean {
  return response.socket === null && socket?._httpMessage != null
}

/**
 * Counts a pipelined request.
 * @param max requests of a connection that are served at a time
 * @param serve called later if the request is held
 * @returns `now` if the request is to be served, `later` if it is held, `never` if the client has sent far too many
 */
export function enqueue(socket: PipelinedSocket, response: ServerResponse, max: number, serve: () => void): 'now' | 'later' | 'never' {
  const pipeline = (socket[kPipeline] ??= { served: 1, max, held: [], isStopped: false })
  if (pipeline.held.length >= MAX_UNSERVED) {
    pipeline.held.length = 0
    return 'never'
  }
  response.once('socket', onTurn)
  if (pipeline.held.length === 0 && pipeline.served < max) {
    pipeline.served++
    return 'now'
  }
  // It is served in an event of another request, whose AsyncLocalStorage it must not see.
  pipeline.held.push({ resource: new AsyncResource('alcove.held-request'), serve })
  if (!pipeline.isStopped) {
    pipeline.isStopped = true
    readInSlices(socket)
    stopReading(socket)
  }
  return 'later'
}

/** Called when the reply before this one is out. */
function onTurn(this: ServerResponse, socket: PipelinedSocket): void {
  const pipeline = socket[kPipeline]!
  pipeline.served--
  // Node is about to write what this response has buffered. A handler must not reply in between.
  if (pipeline.isStopped) process.nextTick(serveHeld, socket, pipeline)
}

function serveHeld(socket: HttpSocket, pipeline: Pipeline): void {
  const { held } = pipeline
  if (socket.destroyed) held.length = 0
  while (held.length > 0 && pipeline.served < pipeline.max) {
    pipeline.served++
    const { resource, serve } = held.shift()!
    resource.runInAsyncScope(serve)
    resource.emitDestroy()
  }
  if (held.length > 0 || !pipeline.isStopped) return
  pipeline.isStopped = false
  resumeReading(socket)
}
