/** Makes the names of operations (`operationId`) and tags from the names of classes and methods. */
import type { RouteDescription } from '../../../lib/index.js'

/** The class and the method in a route's place such as `App > Api > UsersController.findOne`. A class with `@Route` has no method. */
interface ClassAndMethod {
  /** The path of the class: `App > Api > UsersController`. */
  readonly classPath: string
  readonly className: string
  readonly method: string | undefined
}

/** Returns the class and the method of a route; `undefined` for a handler function. */
export function classAndMethod({ place }: RouteDescription): ClassAndMethod | undefined {
  const names = place.split(' > ')
  if (names.length < 2) return undefined
  const [className = '', method] = names.at(-1)!.split('.')
  return { classPath: [...names.slice(0, -1), className].join(' > '), className, method }
}

/**
 * Returns the default `operationId` of a route: `usersFindOne` for `UsersController.findOne`, `getTwo` for a class `GetTwo`, `getUsersById`
 * for a function that answers `GET /users/:id`. The name is changed if another route has the same one.
 */
function defaultOperationId(route: RouteDescription): string {
  const place = classAndMethod(route)
  if (place === undefined) return [lower(route.methods[0]!.toLowerCase()), ...wordsOfUrl(route.url)].join('')
  const className = subjectOf(place.className)
  return lower(className) + (place.method === undefined ? '' : capital(place.method))
}

/** Returns the default tag of a route: the name of its controller, or else of the plugin that declares the route. */
export function defaultTag(route: RouteDescription): string {
  const place = classAndMethod(route)
  const name = place?.method === undefined ? route.context.split(' > ').at(-1)! : place.className
  return subjectOf(name)
}

/** Returns the default summary of a route: the name of its method in words, such as `Find one` for `UsersController.findOne`. */
export function defaultSummary(route: RouteDescription): string {
  const place = classAndMethod(route)
  if (place === undefined) return `${route.methods.join(', ')} ${route.url}`
  const name = place.method ?? subjectOf(place.className)
  return capital(name.replaceAll(/(?<=[\p{Ll}\d])\p{Lu}/gu, (letter) => ` ${letter.toLowerCase()}`))
}

/** Returns the name of a class without `Controller` or `Plugin` at its end: `Users` for `UsersController`. */
export function subjectOf(className: string): string {
  return className.replace(/(?<=.)(?:Controller|Plugin)$/, '')
}

/** An operation or a member of a client that needs a unique name. */
export interface Nameable {
  readonly wanted: string
  /** Whether the application declares the name. A declared name is not changed if other operations have the same one. */
  readonly isWritten: boolean
  /** The class and method that declare the operation: `Users.find`. Several contexts may contain the same declaration. */
  readonly declaration: string
  /** The names of the contexts of the operation, from the root: `['App', 'AdminPlugin']`. */
  readonly contexts: readonly string[]
  /** The path of the route; empty for a handler function, whose default name contains the path already. */
  readonly url: string
}

/**
 * Returns the preferred name of a route, and the facts that tell the route from others. @param written the name that the application
 * declares
 */
export function nameableOf(route: RouteDescription, written: string | undefined): Nameable {
  const names = route.place.split(' > ')
  const isOfClass = names.length > 1
  return {
    wanted: written ?? defaultOperationId(route),
    isWritten: written !== undefined,
    declaration: names.at(-1)!,
    contexts: isOfClass ? names.slice(0, -1) : route.context.split(' > '),
    url: isOfClass ? route.url : '',
  }
}

/** Returns pairs of different declarations for which the application declares the same name. */
export function findWrittenTwice<T extends Nameable>(all: readonly T[]): (readonly [T, T])[] {
  const before = new Map<string, T>()
  return all.flatMap((each): (readonly [T, T])[] => {
    if (!each.isWritten) return []
    const other = before.get(each.wanted)
    before.set(each.wanted, each)
    return other === undefined || isOneDeclaration(other, each) ? [] : [[other, each]]
  })
}

/**
 * Whether two operations have the same declaration, a method of a class, so that their names are equal on purpose. Handler functions have
 * no path that tells this.
 */
function isOneDeclaration(one: Nameable, other: Nameable): boolean {
  return one.declaration === other.declaration && one.declaration.includes('.')
}

/**
 * Returns a unique name for each operation: the preferred name if no other operation has it. Otherwise the names of the nearest differing
 * contexts are prepended (`adminUsersFindOne`), and within one context the segments by which the paths differ: `northUsersFindOne`.
 */
export function tellApart(all: readonly Nameable[]): string[] {
  const keyOf = ({ isWritten, wanted }: Nameable): string => `${isWritten ? 'written' : 'default'} ${wanted}`
  const rivals = new Map<string, Nameable[]>()
  for (const each of all) {
    const others = rivals.get(keyOf(each))
    if (others === undefined) rivals.set(keyOf(each), [each])
    else others.push(each)
  }
  const isAlone = (each: Nameable): boolean =>
    rivals.get(keyOf(each))!.length === 1 && (each.isWritten || !rivals.has(keyOf({ ...each, isWritten: true })))
  const taken = new Set(all.filter(isAlone).map(({ wanted }) => wanted))
  return all.map((each) => {
    if (isAlone(each)) return each.wanted
    for (const name of longerNames(each, rivals.get(keyOf(each))!)) {
      if (taken.has(name)) continue
      taken.add(name)
      return name
    }
    return each.wanted
  })
}

function* longerNames({ wanted, contexts, url }: Nameable, rivals: readonly Nameable[]): Generator<string> {
  const last = (names: readonly string[], count: number): string => names.map(subjectOf).slice(-count).join(' > ')
  const whole = last(contexts, contexts.length)
  const isHere = (other: Nameable): boolean => last(other.contexts, other.contexts.length) === whole
  const path = differingPath(
    url,
    rivals.filter(isHere).map((other) => other.url),
  )
  const others = rivals.filter((other) => !isHere(other))
  const isClear = (count: number): boolean =>
    count === 0 ? others.length === 0 : others.every((other) => last(other.contexts, count) !== last(contexts, count))
  const named = (count: number): string =>
    lower(
      [...wordsOfUrl(path), ...contexts.slice(contexts.length - count).map((name) => capital(subjectOf(name))), capital(wanted)].join(''),
    )
  for (let count = 0; count <= contexts.length; count++) if (isClear(count)) yield named(count)
  for (let number = 2; ; number++) yield `${named(contexts.length)}${number}`
}

/** Returns the segments by which a path differs from other paths: `/north` for `/north/users` beside `/south/users`. */
export function differingPath(url: string, all: readonly string[]): string {
  const lists = all.map((each) => each.split('/').filter(Boolean))
  const own = url.split('/').filter(Boolean)
  const shortest = Math.min(own.length, ...lists.map(({ length }) => length))
  let start = 0
  while (start < shortest && lists.every((each) => each[start] === own[start])) start++
  let end = 0
  while (end < shortest - start && lists.every((each) => each.at(-1 - end) === own.at(-1 - end))) end++
  return own
    .slice(start, own.length - end)
    .map((segment) => `/${segment}`)
    .join('')
}

/** Returns the words of a path, of which names are made: `Users` and `ById` for `/users/:id`. */
function wordsOfUrl(url: string): string[] {
  return url.split('/').flatMap((segment) => {
    const isParameter = segment.startsWith(':')
    const words = segment.replaceAll(/\([^)]*\)/g, ' ').match(/[\p{L}\p{N}]+/gu) ?? []
    return words.length === 0 ? [] : [(isParameter ? 'By' : '') + words.map(capital).join('')]
  })
}

export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

export function lower(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}
