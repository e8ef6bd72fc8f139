/**
 * Payloads that are read from a source (a stream, a web stream, a `Response`): how they are told apart, and how a source that is
 * not sent is destroyed.
 *
 * Kept for the process: the sources that a reply has begun to send, in a `WeakSet`, so for as long as they live elsewhere.
 */
import type { Readable } from 'node:stream'
import { ignoreIfPromise } from '../util/promises.js'

export const isResponse = (payload: any): payload is Response => payload?.[Symbol.toStringTag] === 'Response'
export const isGenerator = (payload: any): boolean => typeof payload?.next === 'function' && typeof payload.throw === 'function'
export const isStream = (payload: any): payload is Readable => typeof payload.pipe === 'function'
/** An Observable of rxjs: it has `pipe` too, but is not a stream. */
export const isObservable = (payload: any): boolean => typeof payload.subscribe === 'function' && typeof payload.on !== 'function'
export const isWebStream = (payload: any): payload is ReadableStream => typeof payload.getReader === 'function'

const sentSources = new WeakSet<object>()

/** Notes that a reply sends this source, see {@link isUnsent}. */
export function markAsSent(source: object): void {
  sentSources.add(source)
}

/** Whether a payload that was returned or sent too late may be a source that no reply sends. Handles the rejection of a promise. */
export function isUnsent(payload: unknown): boolean {
  return typeof payload === 'object' && payload !== null && !ignoreIfPromise(payload) && !sentSources.has(payload)
}

/**
 * Destroys the source of a payload that is not sent: otherwise it would stay open for ever.
 * @returns the stream that will close, or the promise of a web stream that it is closed; `undefined` for any other payload
 */
export function destroySource(payload: any): Readable | Promise<void> | undefined {
  try {
    if (payload === null || typeof payload !== 'object') return undefined
    const source = isResponse(payload) ? payload.body : payload
    if (source === null) return undefined
    if (isWebStream(source)) return source.cancel().catch(() => {})
    if (!isStream(source)) return undefined
    source.on('error', () => {})
    destroyStream(source)
    return source
  } catch {
    // A payload whose getters throw is not a source.
    return undefined
  }
}

/** Destroys a stream, or closes or aborts one that lacks `destroy`. @returns `false` if it has none of these methods */
export function destroyStream(stream: any): boolean {
  if (typeof stream.destroy === 'function') stream.destroy()
  else if (typeof stream.close === 'function') stream.close(() => {})
  else if (typeof stream.abort === 'function') stream.abort()
  else return false
  return true
}
