/**
 * The function through which each request of a context goes first. An instance inherits this function from the instance of its parent
 * context.
 */
import type { Request } from '../types/request.js'

const kRequestEntry = Symbol('alcove.request-entry')

/** @param goOn goes on with the request, in the async context in which it is called */
type RequestEntry = (request: Request, goOn: () => void) => void

/** Sets the function through which each request of a context and of its descendants goes first, before any hook. */
export function setRequestEntry(instance: object, enter: RequestEntry): void {
  Object.defineProperty(instance, kRequestEntry, { value: enter })
}

/** Returns the function through which each request of a context goes first; `null` if there is none. */
export function requestEntryOf(instance: object): RequestEntry | null {
  return (instance as { readonly [kRequestEntry]?: RequestEntry })[kRequestEntry] ?? null
}
