/** Sets the headers of a deprecated route. The values were computed when the server became ready. */
import type { Exchange } from './exchange.js'

/** Sets the headers that say that the route is deprecated. They are set before any hook runs, so that every reply of the route has them. */
export function announceDeprecation({ headers, reply, route }: Exchange): void {
  const { deprecation, sunset, link } = route.deprecation!
  headers['deprecation'] = deprecation
  if (sunset !== undefined) headers['sunset'] = sunset
  if (link !== undefined) keepLinks(headers, link, () => reply.raw.getHeader('link'))
}

/**
 * Sets the header `link` so that a value that is set later is added to these links instead of replacing them: a route may send other links
 * too, for example to the next page of a list.
 * @param readRaw returns the header that the application has set on the raw response, which the headers of the reply would replace
 */
function keepLinks(headers: Record<string, any>, links: string, readRaw: () => unknown): void {
  let value: unknown = links
  Object.defineProperty(headers, 'link', {
    enumerable: true,
    configurable: true,
    get: () => join(value, readRaw()),
    set(added: unknown) {
      value = join(links, added)
    },
  })
}

function join(links: unknown, added: unknown): unknown {
  if (added === undefined || added === null || added === '') return links
  const all: unknown[] = [links, added].flat()
  // A value that was made of the header so far has the links already.
  const [first, ...others] = all
  if (others.some((each) => String(each).includes(String(first)))) return added
  return Array.isArray(links) || Array.isArray(added) ? all : all.join(', ')
}
