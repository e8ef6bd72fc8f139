/** Payloads that are read from a source: which they are, and how a source is closed that nobody will read. */
import type { Readable } from 'node:stream'

export const isResponse = (payload: any): payload is Response => payload?.[Symbol.toStringTag] === 'Response'
export const isStream = (payload: any): payload is Readable => typeof payload.pipe === 'function'
export const isWebStream = (payload: any): payload is ReadableStream => typeof payload.getReader === 'function'

const claimed = new WeakSet<object>()

/** Notes that a reply sends this source: sending it again must not close it. */
export function claim(source: object): void {
  claimed.add(source)
}

/** Closes the source of a payload that comes too late to be sent. */
export function refuse(payload: unknown): void {
  if (typeof payload === 'object' && payload !== null && !claimed.has(payload)) discard(payload)
}

/** Closes the source of a body that is not sent: it would otherwise stay open for ever. */
export function discard(payload: any): void {
  try {
    if (payload === null || typeof payload !== 'object') return
    const source = isResponse(payload) ? payload.body : payload
    if (source === null) return
    if (isWebStream(source)) return void source.cancel().catch(() => {})
    if (!isStream(source)) return
    source.on('error', () => {})
    close(source)
  } catch {
    // A payload whose getters throw is no source.
  }
}

/** @returns whether the stream can be closed at all */
export function close(stream: any): boolean {
  if (typeof stream.destroy === 'function') stream.destroy()
  else if (typeof stream.close === 'function') stream.close(() => {})
  else if (typeof stream.abort === 'function') stream.abort()
  else return false
  return true
}
