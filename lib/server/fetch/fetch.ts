/** `server.fetch`: serves a web-standard `Request` without a socket. */
import { errorCodes } from '../../errors/codes.js'
import type { Deadlines } from '../../http/deadline.js'
import { WebRequest } from '../../http/web/request.js'
import { WebResponse } from '../../http/web/response.js'
import { makeResponse, type RequestSource } from '../../http/web/socket.js'
import type { FetchOptions } from '../../types/inject.js'
import type { ServerState } from '../server-state.js'
import type { FetchFrom } from './runtime-port.js'

interface FetchDependencies {
  readonly state: ServerState
  readonly dispatch: (raw: WebRequest, response: WebResponse) => void
  /** The queues of deadlines of the server's requests, by the time in ms in which a request must be answered. */
  readonly queues: ReadonlyMap<number, Deadlines>
  readonly ready: () => Promise<unknown>
  readonly presentError: (error: unknown) => unknown
}

/** Makes the function that serves the requests of a source (a runtime, or the application itself). */
export function createFetch(dependencies: FetchDependencies): FetchFrom {
  return function fetchFrom(source, request, info) {
    const problem = findProblem(request)
    if (problem !== undefined) return Promise.reject(dependencies.presentError(new errorCodes.ALC_ERR_FETCH_REQUEST_INVALID(problem)))
    if (dependencies.state.ready) return serve(dependencies, source, request, info)
    return dependencies.ready().then(() => serve(dependencies, source, request, info))
  }
}

/**
 * The source of requests that the application itself passes to `server.fetch`: the framework knows only the facts that the application
 * states, which may be wrong.
 */
export const unknownSource: RequestSource = {
  makeReply: makeResponse,
  isFramed: false,
  addressOf(_request, options: FetchOptions | undefined) {
    const address: unknown = options?.remoteAddress
    return typeof address === 'string' ? address : undefined
  },
}

/**
 * Returns the reason why a value is not a `Request` that can be served; `undefined` if it is one. The fault is the caller's, not a
 * client's.
 */
function findProblem(request: unknown): string | undefined {
  const { url, method, headers, bodyUsed, body } = (request ?? {}) as Partial<Request>
  if (typeof url !== 'string' || typeof method !== 'string' || typeof headers?.get !== 'function')
    return `got ${typeof request === 'object' ? 'another object' : typeof request}`
  if (bodyUsed || body?.locked) return 'the body of this one is read elsewhere. Pass request.clone(), or do not read it before'
  return undefined
}

function serve<Reply>(dependencies: FetchDependencies, source: RequestSource<Reply>, request: Request, info: unknown): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const raw = new WebRequest(request, source, info)
    const response = new WebResponse(raw, (parts) => resolve(source.makeReply(parts)))
    dependencies.state.fetches.hasServed = true
    dependencies.dispatch(raw, response)
    // Its functions are gone: what is written now goes nowhere, and no reply would come.
    if (!(response instanceof WebResponse)) return reject(new errorCodes.ALC_ERR_FETCH_RESPONSE_REPLACED())
    if (!response.destroyed && !response.writableFinished) watch(dependencies, request, response)
  })
}

/**
 * Watches a request that was not answered in the event in which it came, because its client may leave or the server may close; and keeps
 * the process alive, because there is no socket that would do so.
 */
function watch({ state: { fetches }, queues }: FetchDependencies, { signal }: Request, response: WebResponse): void {
  const onAbort = (): void => response.abort()
  const held = [...queues.values()]
  for (const queue of held) queue.hold()
  fetches.add(response)
  response.onOver = () => {
    for (const queue of held) queue.release()
    fetches.remove(response)
    signal?.removeEventListener('abort', onAbort)
  }
  if (signal?.aborted) onAbort()
  else signal?.addEventListener('abort', onAbort, { once: true })
}
