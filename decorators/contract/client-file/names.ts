/** The names that routes have in clients: a function for each method of a route, in a group for each controller. */
import type { RouteDescription } from '../../../lib/index.js'
import { capital, defaultOperationId, lower, placeOf, subjectOf } from '../openapi/operation-names.js'
import { titleOf } from '../openapi/document-context.js'

export interface NamedRoute {
  readonly route: RouteDescription
  /** One of the methods of the route, in capitals. */
  readonly method: string
  /** `users` for `UsersController`; absent for a class with `@Route` and for a handler function. */
  readonly group?: string
  /** `find` for `UsersController.find`, `getTwo` for the class `GetTwo`, `getUsersById` for a function. */
  readonly name: string
}

/** @throws TypeError if two routes have one name */
export function nameRoutes(routes: readonly RouteDescription[]): readonly NamedRoute[] {
  const groups = nameGroups(routes)
  const named = routes.flatMap((route) =>
    route.methods.map((method): NamedRoute => {
      const suffix = route.methods.length === 1 ? '' : capital(method.toLowerCase())
      const group = groups.get(classPathOf(route))
      const own = group === undefined ? nameOf(route) : placeOf(route)!.method!
      return { route, method, name: own + suffix, ...(group !== undefined && { group }) }
    }),
  )
  const taken = new Map<string, NamedRoute>()
  for (const each of named) {
    const name = each.group === undefined ? each.name : `${each.group}.${each.name}`
    const other = taken.get(name) ?? (each.group === undefined ? named.find(({ group }) => group === name) : undefined)
    if (other !== undefined)
      throw new TypeError(
        `The client cannot have two members '${name}': ${titleOf(other.route)} and ${titleOf(each.route)}. Give one of them docs: { operationId: '…' }, rename its class, or write a client for each with the option include.`,
      )
    taken.set(name, each)
  }
  return named
}

function nameOf(route: RouteDescription): string {
  const id = route.docs.operationId?.replaceAll(/[^\w$]+/g, '_').replace(/^(?=\d)/, '_')
  return id ?? defaultOperationId(route)
}

/** `App > Api > UsersController` of a controller's route. One that declares an `operationId` is called by this instead. */
function classPathOf(route: RouteDescription): string {
  const place = placeOf(route)
  return place?.method !== undefined && route.docs.operationId === undefined ? place.classPath : ''
}

/** The groups by the paths of their classes. Controllers of one name get the names of their contexts too: `adminUsers`. */
function nameGroups(routes: readonly RouteDescription[]): ReadonlyMap<string, string> {
  const paths = [...new Set(routes.map(classPathOf))].filter((path) => path !== '')
  const plain = (path: string): string => lower(subjectOf(path.split(' > ').at(-1)!))
  return new Map(
    paths.map((path) => {
      const isAlone = paths.every((other) => other === path || plain(other) !== plain(path))
      const context = path.split(' > ').at(-2)
      return [path, isAlone || context === undefined ? plain(path) : lower(subjectOf(context)) + capital(plain(path))]
    }),
  )
}
