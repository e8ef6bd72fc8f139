/** `routeTable`: what clients need of the routes of classes, as plain data. */
import type { ApplicationDescription, RouteDescription, Server, ServerOptions } from '../../../lib/index.js'
import type { ClassRoutes } from '../../client/client.js'
import { toRouteEntry } from '../../client/route-entry.js'
import type { RouteEntry } from '../../client/runtime.js'
import type { Class } from '../../declare/metadata.js'
import { describe } from '../describe.js'
import { placeOf } from '../openapi/operation-names.js'

/**
 * The routes of all controllers and route classes, by class and method: for `client` of `alcove/client`.
 * ```ts
 * const users = client<UsersController>(routeTable(App).UsersController!, { baseUrl })
 * ```
 * The command `alcove client <file> --routes <out>` writes it, so that a client contains nothing of the server. A class that stands in two
 * contexts has a key for each, with the names of the contexts: `Admin.UsersController`. Routes that `docs: { hide: true }` hides are left out.
 * @param serverOptions for a class: the options that `bootstrap` gets
 * @throws WiringError if the wiring of a class is wrong
 */
export function routeTable(source: Class | Server, serverOptions?: ServerOptions): RouteTable {
  return writeRouteTable(describe(source, serverOptions))
}

interface RouteTable {
  readonly [className: string]: ClassRoutes
}

export function writeRouteTable(description: ApplicationDescription): RouteTable {
  const classes = new Map<string, Record<string, RouteEntry>>()
  for (const route of description.routes) {
    const place = placeOf(route)
    if (route.isAutomatic || place === undefined || route.docs.hide === true) continue
    const routes = classes.get(place.classPath) ?? {}
    // A path `/` below a prefix is declared without the slash too, and stands before the one with it.
    routes[place.method ?? 'handle'] ??= entryOf(route, route.methods[0]!)
    classes.set(place.classPath, routes)
  }
  return Object.fromEntries([...classes].map(([path, routes]) => [keyOf(path, [...classes.keys()]), routes]))
}

/** As many of the last names as tell the class from the others: `UsersController`, `Admin.UsersController`. */
function keyOf(path: string, all: readonly string[]): string {
  const names = path.split(' > ')
  const last = (count: number): string => names.slice(-count).join(' > ')
  const count = names.findIndex((_name, index) => all.filter((other) => ` > ${other}`.endsWith(` > ${last(index + 1)}`)).length === 1)
  return last(count + 1).replaceAll(' > ', '.')
}

/** What a client needs of a route. */
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
