/** The function that each request of a context calls first. An instance inherits this function from the instance of its parent context. */
import type { Request } from '../types/request.js'

const kRequestEntry = Symbol('alcove.request-entry')

type RequestEntry = (request: Request) => void

/** Sets the function that each request of a context and of its descendants calls first, before any hook. */
export function setRequestEntry(instance: object, enter: RequestEntry): void {
  Object.defineProperty(instance, kRequestEntry, { value: enter })
}

/** Returns the function that each request of a context calls first; `null` if there is none. */
export function requestEntryOf(instance: object): RequestEntry | null {
  return (instance as { readonly [kRequestEntry]?: RequestEntry })[kRequestEntry] ?? null
}
