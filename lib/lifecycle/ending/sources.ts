/**
 * The sources of payloads (streams, web streams, the body of a `Response`), as runs of their request: a source that reads from a connection
 * of the request scope needs it until it has closed, whether it was sent or not.
 */
import { finished, type Readable } from 'node:stream'
import { destroySource, isStream, isUnsent } from '../../http/payload.js'
import type { InternalRequest } from '../state.js'
import { beginRun, endRun } from './running.js'

/** Lets a request last until a stream has closed. A stream that never emits `close` counts until its end, or its error. */
export function awaitSource(request: InternalRequest, source: Readable): void {
  finished(source, { writable: false }, () => endRunOf(request, source))
  beginRun(request)
}

/** Ends the run of a source that has finished. One that is destroyed in the middle may tell its end before it has closed. */
export function endRunOf(request: InternalRequest, source: Readable): void {
  if (source.destroyed && !source.closed) source.once('close', () => endRun(request))
  else endRun(request)
}

/** Destroys the source of a payload that is not sent, and lets its request last until the source has closed. Never throws. */
export function endSource(request: InternalRequest, payload: unknown): void {
  const source = destroySource(payload)
  if (source === undefined) return
  if (isStream(source)) return awaitSource(request, source)
  beginRun(request)
  const end = (): void => endRun(request)
  source.then(end, end)
}

/** Does what {@link endSource} does, unless a reply sends this source: a handler may return a stream that it has sent. */
export function endUnlessSent(request: InternalRequest, payload: unknown): void {
  if (isUnsent(payload)) endSource(request, payload)
}
