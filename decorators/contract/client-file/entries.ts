/** What a client needs of the routes that it calls, as plain data. */
import type { RouteDescription } from '../../../lib/index.js'
import { toRouteEntry } from '../../client/route-entry.js'
import type { RouteEntry } from '../../client/runtime.js'

/** The entry of one method of a route. */
export function entryOf({ url, constraints, input, responses }: RouteDescription, method: string): RouteEntry {
  const { version } = constraints ?? {}
  const headers = {
    ...(typeof version === 'string' && { 'accept-version': version }),
    // Events have ids, by which a stream is continued.
    ...(Object.values(responses).some(({ itemSchema }) => itemSchema !== undefined) && { accept: 'text/event-stream' }),
  }
  const types = Object.keys(input.body ?? {})
  const body = types.find((type) => type === 'application/json') ?? types[0]
  return toRouteEntry(method, url, {
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(body !== undefined && body !== 'application/json' && !body.includes('*') && { body }),
  })
}
