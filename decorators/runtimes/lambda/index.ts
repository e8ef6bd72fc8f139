/** The exports of alcove/lambda: runs an application as the handler of an AWS Lambda function. */
import { errorCodes, type Request as ServerRequest, type Server, type ServerOptions } from '../../../lib/index.js'
import { fetchFrom, infoOf, type ReplyParts, whenRequestsAreOver } from '../../../lib/internal.js'
import type { Class } from '../../declare/metadata.js'
import type { LambdaContext, LambdaEvent, LambdaResult } from './event-types.js'
import { addressOf, requestOf } from './request.js'
import { resultOf } from './result.js'
import { type ResponseStream, streamRuntime, writeTo } from './streams.js'

export type { HttpEvent, LambdaContext, LambdaEvent, LambdaResult, MultiValues, ProxyEvent, Values } from './event-types.js'

/** Options of {@link handler}. */
export interface LambdaOptions {
  /** The options of the server, as for `bootstrap`. Must be absent if `App` is an existing server. */
  server?: ServerOptions
  /**
   * Whether replies are streamed. The function URL must have the invoke mode `RESPONSE_STREAM`; API Gateway and load balancers that use
   * buffered invocations do not support such a handler. Default `false`: a reply is sent once it is complete.
   */
  streams?: boolean
}

/** The arguments with which Lambda has called the handler of a function. */
export interface Invocation {
  readonly event: LambdaEvent
  readonly context: LambdaContext | undefined
}

/**
 * The handler of a Lambda function, which returns the result for an HTTP event. With the option `streams`, the result is written to a
 * stream.
 */
export type LambdaHandler = (event: LambdaEvent, context?: LambdaContext) => Promise<LambdaResult>

/** The time, in ms, before the timeout of the Lambda function from which the handler no longer waits for the ends of request scopes. */
const RESERVE_MS = 500
/** The time, in ms, that the handler waits for the ends of request scopes if Lambda does not tell the remaining time. */
const DEFAULT_WAIT_MS = 5_000

/**
 * Makes the handler of a Lambda function for HTTP APIs and REST APIs of API Gateway, function URLs and load balancers. The boot begins at
 * once, during the initialization of the function.
 * ```ts
 * import { handler } from 'alcove/lambda'
 *
 * export const main = handler(App)
 * ```
 * The handler's promise settles when the request is over, and its request-scoped providers and handlers of events with `when: 'later'` have
 * ended, because Lambda may freeze the process afterwards.
 * @param App a plugin class, or an existing server
 * @returns the handler. If the boot fails, the handler rejects with its error, and the next invocation boots again
 * @throws ALC_ERR_LAMBDA_OPTIONS_INVALID for invalid options
 */
export function handler(App: Class | Server, options: LambdaOptions = {}): LambdaHandler {
  const { server: serverOptions, streams = false, ...others } = options
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new errorCodes.ALC_ERR_LAMBDA_OPTIONS_INVALID(`handler has no option ${unknown}`)
  if (typeof App !== 'function' && serverOptions !== undefined)
    throw new errorCodes.ALC_ERR_LAMBDA_OPTIONS_INVALID('the options of a server that is made already cannot be changed')
  const boot = keptBoot(async () => {
    const server = typeof App === 'function' ? await (await import('../bootstrap.js')).bootstrap(App, serverOptions) : App
    await server.ready()
    return server
  })
  if (!streams) return async (event, context) => (await exchange(await boot(), event, context, readWhole))!
  return streamRuntime().streamifyResponse(async (event: LambdaEvent, target: ResponseStream, context?: LambdaContext) => {
    await exchange(await boot(), event, context, (_event, reply) => writeTo(target, reply))
  }) as LambdaHandler
}

/** Returns the Lambda invocation of a request; `undefined` if the request did not come from Lambda. */
export function invocationOf(request: ServerRequest): Invocation | undefined {
  const info = infoOf(request)
  return info instanceof OwnInvocation ? info : undefined
}

class OwnInvocation implements Invocation {
  readonly event: LambdaEvent
  readonly context: LambdaContext | undefined

  constructor(event: LambdaEvent, context: LambdaContext | undefined) {
    this.event = event
    this.context = context
  }
}

/** Boots at once, and returns a function for the booted server. If the boot has failed, the next call of this function boots again. */
function keptBoot(begin: () => Promise<Server>): () => Promise<Server> {
  let booting: Promise<Server> | undefined
  const boot = (): Promise<Server> => {
    booting ??= begin()
    // The invocation that awaits the boot reports the error.
    booting.catch(() => (booting = undefined))
    return booting
  }
  void boot().catch(() => {})
  return boot
}

type TakeReply = (event: LambdaEvent, reply: ReplyParts) => Promise<LambdaResult | undefined>

async function exchange(
  server: Server,
  event: LambdaEvent,
  context: LambdaContext | undefined,
  take: TakeReply,
): Promise<LambdaResult | undefined> {
  if (typeof event?.requestContext !== 'object' || event.requestContext === null)
    throw new errorCodes.ALC_ERR_LAMBDA_EVENT_INVALID(
      typeof event === 'object' ? `keys ${Object.keys(event ?? {}).join(', ')}` : typeof event,
    )
  const fetch = fetchFrom(server, source)
  const invocation = new OwnInvocation(event, context)
  try {
    return await take(event, await fetch(requestOf(event), invocation))
  } finally {
    // A reply that breaks off fails the invocation, and its request ends like others.
    const time = context?.getRemainingTimeInMillis?.()
    const limit = time === undefined ? DEFAULT_WAIT_MS : time - RESERVE_MS
    if (!(await whenRequestsAreOver(server, limit)))
      server.log.error(
        'the handler of Lambda has not waited for the end of a request: a handler, a hook, the end of a request scope or the handler of an event takes too long',
      )
  }
}

const source = {
  makeReply: (parts: ReplyParts): ReplyParts => parts,
  isFramed: true,
  addressOf: (_request: Request, { event }: Invocation) => addressOf(event),
}

async function readWhole(event: LambdaEvent, { body, ...head }: ReplyParts): Promise<LambdaResult> {
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) return resultOf(event, head, Buffer.from(body ?? ''))
  const chunks: Uint8Array[] = []
  // A stream that fails fails the invocation: the gateway answers 502. The result of a part would look complete.
  for await (const chunk of body) chunks.push(chunk)
  return resultOf(event, head, Buffer.concat(chunks))
}
