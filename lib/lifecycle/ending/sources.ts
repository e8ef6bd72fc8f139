/**
 * The sources of payloads (streams, web streams, the body of a `Response`), as pending work of their request: a source that reads from a
 * connection of the request scope needs that connection until the source has closed, whether the source was sent or not.
 */
import { finished, type Readable } from 'node:stream'
import { destroySource, isStream, isUnsentSource } from '../../http/payload.js'
import type { Exchange } from '../exchange.js'
import { beginWork, endWork } from './pending-work.js'

/** Makes a request last until a stream has closed, or, if the stream never emits `close`, until the stream's end or error. */
export function awaitSource(exchange: Exchange, source: Readable): void {
  finished(source, { writable: false }, () => endSourceWork(exchange, source))
  beginWork(exchange)
}

/**
 * Ends the pending work of a request for a source (a stream) that has finished. If the source was destroyed in the middle and has not
 * closed yet, the work ends when it closes.
 */
export function endSourceWork(exchange: Exchange, source: Readable): void {
  if (source.destroyed && !source.closed) source.once('close', () => endWork(exchange))
  else endWork(exchange)
}

/** Destroys the source of a payload that is not sent, and makes the request last until the source has closed. Never throws. */
export function endSource(exchange: Exchange, payload: unknown): void {
  const source = destroySource(payload)
  if (source === undefined) return
  if (isStream(source)) return awaitSource(exchange, source)
  beginWork(exchange)
  const end = (): void => endWork(exchange)
  source.then(end, end)
}

/**
 * Destroys the source of a payload as {@link endSource} does, unless a reply sends this source: a handler may return a stream that it has
 * sent.
 */
export function endUnlessSent(exchange: Exchange, payload: unknown): void {
  if (isUnsentSource(payload)) endSource(exchange, payload)
}
