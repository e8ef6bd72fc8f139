/** The facts that a client needs to call a route, as plain data, and whether the client needs the code for streams or forms. */
import type { RouteDescription } from '../../../lib/index.js'
import { isMultipart, mainBodyType, toRouteEntry } from '../../client/route-entry.js'
import type { RouteEntry } from '../../client/runtime.js'

/** Returns the data by which a client calls a route with this method. */
export function entryOf({ url, constraints, input, responses }: RouteDescription, method: string): RouteEntry {
  const { version } = constraints ?? {}
  const headers = {
    ...(typeof version === 'string' && { 'accept-version': version }),
    // Of all formats of streams, only events have ids, by which a client continues a stream.
    ...(Object.values(responses).some(({ itemSchema }) => itemSchema !== undefined) && { accept: 'text/event-stream' }),
  }
  const body = mainBodyType(input.body ?? {})
  return toRouteEntry(method, url, {
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(body !== undefined && body !== 'application/json' && !body.includes('*') && { body }),
  })
}

/** Whether a reply of the route can be a stream of events. */
export function hasStream({ responses }: RouteDescription): boolean {
  return Object.values(responses).some(
    ({ content, itemSchema }) => itemSchema !== undefined || Object.keys(content).some((type) => /^text\/event-stream/i.test(type)),
  )
}

/** Whether the route takes forms with files. */
export function takesForm({ input }: RouteDescription): boolean {
  return Object.keys(input.body ?? {}).some(isMultipart)
}
