/**
 * Payloads that are read from a source (a stream, a web stream, a `Response`): how they are told apart, and how a source that is not sent
 * is destroyed.
 *
 * Kept for the process: the sources that a reply has begun to send, in a `WeakSet`, which keeps no source alive.
 */
import type { Readable } from 'node:stream'
import { ignoreIfPromise } from '../util/promises.js'

export const isResponse = (payload: any): payload is Response => payload?.[Symbol.toStringTag] === 'Response'
export const isStream = (payload: any): payload is Readable => typeof payload.pipe === 'function'
/** Whether a payload is an Observable of rxjs, which is no stream although it has the method `pipe`. */
export const isObservable = (payload: any): boolean => typeof payload.subscribe === 'function' && typeof payload.on !== 'function'
export const isWebStream = (payload: any): payload is ReadableStream => typeof payload.getReader === 'function'

/** Cures for values that JSON writes as `{}` although they have contents, by their `Symbol.toStringTag`: the value to send instead. */
const cures: Readonly<Record<string, string>> = {
  Map: 'Send Object.fromEntries(map)',
  Set: 'Send a list: [...set]',
  ArrayBuffer: 'Send Buffer.from(arrayBuffer)',
  SharedArrayBuffer: 'Send Buffer.from(sharedArrayBuffer)',
  Blob: 'Send blob.stream(), with its type',
  File: 'Send file.stream(), with its type',
  FormData: 'Send new Response(formData)',
  URLSearchParams: 'Send the text String(params), with its type',
  Headers: 'Send Object.fromEntries(headers)',
}

/** Returns the kind of a value that JSON writes as `{}` although it has contents, and what to send instead; otherwise `undefined`. */
export function findLostContents(payload: any): readonly [kind: string, cure: string] | undefined {
  if (typeof payload?.next === 'function' && (Symbol.iterator in payload || Symbol.asyncIterator in payload))
    return ['generator', 'Send Readable.from(generator), or a list of its values']
  const kind = Object.prototype.toString.call(payload).slice('[object '.length, -1)
  return Object.hasOwn(cures, kind) ? [kind, cures[kind]!] : undefined
}

const sentSources = new WeakSet<object>()

/** Notes that a reply has begun to send this source, so that {@link isUnsentSource} is false for it. */
export function markAsSent(source: object): void {
  sentSources.add(source)
}

/**
 * Whether a payload that came too late to be sent may be a source, such as a stream, that no reply has begun to send. If the payload is a
 * promise, its rejection is handled.
 */
export function isUnsentSource(payload: unknown): boolean {
  return typeof payload === 'object' && payload !== null && !ignoreIfPromise(payload) && !sentSources.has(payload)
}

/**
 * Destroys the source of a payload that is not sent (a stream, a web stream, the body of a `Response`), which would otherwise stay open for
 * ever.
 * @returns the stream, which will close; for a web stream a promise that resolves when it is closed; `undefined` for any other payload
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

/**
 * Destroys a stream. A stream that lacks `destroy` is closed or aborted.
 * @returns `false` if the stream lacks `destroy`, `close` and `abort`
 */
export function destroyStream(stream: any): boolean {
  if (typeof stream.destroy === 'function') stream.destroy()
  else if (typeof stream.close === 'function') stream.close(() => {})
  else if (typeof stream.abort === 'function') stream.abort()
  else return false
  return true
}
