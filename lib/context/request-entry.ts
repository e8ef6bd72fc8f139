/** The function that the requests of a context begin with. Instances inherit it from the instance of the context above. */
import type { Request } from '../types/request.js'

const kRequestEntry = Symbol('alcove.request-entry')

type RequestEntry = (request: Request) => void

/** Sets the function that each request of a context and of those below it begins with, before its first hook. */
export function setRequestEntry(instance: object, enter: RequestEntry): void {
  Object.defineProperty(instance, kRequestEntry, { value: enter })
}

/** Returns the function that the requests of a context begin with; `null` if there is none. */
export function requestEntryOf(instance: object): RequestEntry | null {
  return (instance as { readonly [kRequestEntry]?: RequestEntry })[kRequestEntry] ?? null
}
