/** The names that routes have in clients: a function for each method of a route, in a group for each controller. */
import type { RouteDescription } from '../../../lib/index.js'
import {
  capital,
  differingPath,
  findWrittenTwice,
  lower,
  type Nameable,
  nameableOf,
  classAndMethod,
  subjectOf,
  tellApart,
} from '../openapi/operation-names.js'
import { routeLabel } from '../openapi/document-context.js'
import { ofMethod } from '../openapi/operations.js'

export interface NamedRoute {
  readonly route: RouteDescription
  /** One of the methods of the route, in capitals. */
  readonly method: string
  /** The group of the function: `users` for `UsersController`; absent for a class with `@Route` and for a handler function. */
  readonly group?: string
  /**
   * The name of the function in the client: `find` for `UsersController.find`, `getTwo` for the class `GetTwo`, `getUsersById` for a
   * handler function.
   */
  readonly name: string
}

/** A member of the client: a group, or a function outside of all groups. */
interface ClientMember extends Nameable {
  readonly key: string
  readonly route: RouteDescription
}

/** Returns a function name for each method of each route. @throws TypeError if two functions would have the same name */
export function nameRoutes(routes: readonly RouteDescription[]): readonly NamedRoute[] {
  const groups = groupKeys(routes)
  const found = routes.flatMap((route) =>
    route.methods.map((method) => {
      const suffix = route.methods.length === 1 ? '' : capital(method.toLowerCase())
      return {
        route: ofMethod(route, method),
        method,
        suffix,
        isGrouped: groups.has(route),
        member: groupOf(route, groups) ?? functionOf(route, method, suffix),
      }
    }),
  )
  const members = [...new Map(found.map(({ member }) => [member.key, member])).values()]
  for (const [one, other] of findWrittenTwice(members)) refuseName(one.wanted, one.route, other.route)
  const names = new Map(tellApart(members).map((name, index) => [members[index]!.key, name]))
  const taken = new Map<string, RouteDescription>()
  return found.map(({ route, method, suffix, isGrouped, member }): NamedRoute => {
    const memberName = names.get(member.key)!
    if (!isGrouped) return { route, method, name: memberName }
    const name = classAndMethod(route)!.method! + suffix
    const other = taken.get(`${memberName}.${name}`)
    if (other !== undefined) refuseName(`${memberName}.${name}`, other, route)
    taken.set(`${memberName}.${name}`, route)
    return { route, method, group: memberName, name }
  })
}

/**
 * Returns the names of the constants of routes: `usersFindRoute`. The end `Route` keeps them apart from the keywords and globals of
 * TypeScript.
 * @param code the code of the client file: names that this code uses are not returned
 */
export function nameConstants(routes: readonly NamedRoute[], code: string): readonly string[] {
  // Comments of the code name routes of examples.
  const taken = new Set(code.replaceAll(/\/\*[^]*?\*\//g, '').match(/\w+Route\b/g))
  return routes.map(({ group, name }) => {
    const base = (group === undefined ? name : group + capital(name)).replaceAll(/[^\w$]+/g, '_').replace(/^(?=\d)/, '_')
    let constant = `${base}Route`
    for (let number = 2; taken.has(constant); number++) constant = `${base}${number}Route`
    taken.add(constant)
    return constant
  })
}

function refuseName(name: string, one: RouteDescription, other: RouteDescription): never {
  throw new TypeError(
    `The client cannot have two members '${name}': ${routeLabel(one)} and ${routeLabel(other)}. Give one of them another operationId, rename its method, or write a client for each with the option include.`,
  )
}

function functionOf(route: RouteDescription, method: string, suffix: string): ClientMember {
  const id = route.docs.operationId?.replaceAll(/[^\w$]+/g, '_').replace(/^(?=\d)/, '_')
  const own = nameableOf(route, id)
  return { ...own, wanted: own.wanted + suffix, key: `${method} ${route.url} ${route.place} ${JSON.stringify(route.constraints)}`, route }
}

/** Returns the group of a controller's route; `undefined` for other routes. A controller that one context lists twice has two groups. */
function groupOf(route: RouteDescription, groups: ReadonlyMap<RouteDescription, string>): ClientMember | undefined {
  const path = groups.get(route)
  if (path === undefined) return undefined
  const { classPath, className } = classAndMethod(route)!
  const contexts = classPath.split(' > ').slice(0, -1)
  const key = `${classPath} ${path}`
  return { wanted: lower(subjectOf(className)), isWritten: false, declaration: className, contexts, url: path, key, route }
}

/**
 * Returns for each route of a controller the segments by which its path differs from other paths of the same method: `/north`. A method has
 * several paths if one context lists its controller twice. A route that declares an `operationId` is left out, because the `operationId`
 * names its function.
 */
function groupKeys(routes: readonly RouteDescription[]): ReadonlyMap<RouteDescription, string> {
  const inGroups = routes.filter((route) => classAndMethod(route)?.method !== undefined && route.docs.operationId === undefined)
  const byMethod = gather(inGroups, (route) => `${route.methods.join()} ${route.place}`)
  const paths = new Map<RouteDescription, string>()
  const ofClass = new Map<string, Set<string>>()
  for (const own of byMethod.values()) {
    const urls = own.map(({ url }) => url)
    for (const route of own) {
      const path = differingPath(route.url, urls)
      paths.set(route, path)
      const { classPath } = classAndMethod(route)!
      ofClass.set(classPath, (ofClass.get(classPath) ?? new Set()).add(path))
    }
  }
  // Two controllers of one name in one context need not have the same methods.
  for (const [route, path] of paths)
    if (path === '')
      paths.set(
        route,
        [...ofClass.get(classAndMethod(route)!.classPath)!].find((each) => `${route.url}/`.includes(`${each}/`) && each !== '') ?? '',
      )
  return paths
}

function gather<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, T[]> {
  const found = new Map<string, T[]>()
  for (const each of all) found.set(keyOf(each), [...(found.get(keyOf(each)) ?? []), each])
  return found
}
