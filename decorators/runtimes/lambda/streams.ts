/** Streams replies by the interface of Lambda's Node runtime: the global object `awslambda`. */
import { errorCodes } from '../../../lib/index.js'
import type { ReplyParts } from '../../../lib/internal.js'
import { streamHeadOf } from './result.js'

/** The stream to which a reply is written: a `Writable` of Node. */
export interface ResponseStream {
  write(chunk: string | Uint8Array): boolean
  end(): unknown
  destroy(error?: Error): unknown
  once(event: string, listener: () => void): unknown
  off(event: string, listener: () => void): unknown
}

interface StreamRuntime {
  streamifyResponse(handler: (event: any, target: ResponseStream, context?: any) => Promise<void>): unknown
  readonly HttpResponseStream: { from(target: ResponseStream, head: object): ResponseStream }
}

/** Returns the streaming interface of Lambda. @throws ALC_ERR_LAMBDA_OPTIONS_INVALID outside of Lambda's Node runtime */
export function streamRuntime(): StreamRuntime {
  const { awslambda } = globalThis as { readonly awslambda?: StreamRuntime }
  if (awslambda === undefined)
    throw new errorCodes.ALC_ERR_LAMBDA_OPTIONS_INVALID(
      'streams needs the Node runtime of Lambda, whose global object awslambda is not there',
    )
  return awslambda
}

/** Writes a reply to the stream of an invocation, as fast as Lambda reads it. */
export async function writeTo(target: ResponseStream, { status, headers, body }: ReplyParts): Promise<undefined> {
  const stream = streamRuntime().HttpResponseStream.from(target, { statusCode: status, ...streamHeadOf(headers) })
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) {
    // The head is sent with the first write, also with an empty one.
    stream.write(body ?? '')
    return void stream.end()
  }
  const reader = body.getReader()
  const onClose = (): void => void reader.cancel().catch(() => {})
  stream.once('close', onClose)
  try {
    // After `cancel`, the reader is at its end.
    for (let part = await reader.read(); !part.done; part = await reader.read()) if (!stream.write(part.value)) await drained(stream)
    stream.off('close', onClose)
    stream.end()
  } catch (error) {
    // The client must not take a part for the whole.
    stream.destroy(error as Error)
  }
}

function drained(stream: ResponseStream): Promise<void> {
  return new Promise((resolve) => {
    const onEnd = (): void => {
      stream.off('drain', onEnd)
      stream.off('close', onEnd)
      resolve()
    }
    stream.once('drain', onEnd)
    stream.once('close', onEnd)
  })
}
