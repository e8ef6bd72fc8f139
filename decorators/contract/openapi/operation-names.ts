/** The names of operations: `operationId` and tags, from classes and methods. */
import type { RouteDescription } from '../../../lib/index.js'

/** The class and the method of a place such as `App > Api > UsersController.findOne`. A class with `@Route` has no method. */
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
 * Returns the `operationId` that a route has unless another route wants the same name: `usersFindOne` for `UsersController.findOne`,
 * `getTwo` for a class `GetTwo`, `getUsersById` for a function that answers `GET /users/:id`.
 */
function defaultOperationId(route: RouteDescription): string {
  const place = classAndMethod(route)
  if (place === undefined) return [lower(route.methods[0]!.toLowerCase()), ...wordsOfUrl(route.url)].join('')
  const className = subjectOf(place.className)
  return lower(className) + (place.method === undefined ? '' : capital(place.method))
}

/** Returns the tag of a route that names none: the name of its controller, or else of the plugin that declares the route. */
export function defaultTag(route: RouteDescription): string {
  const place = classAndMethod(route)
  const name = place?.method === undefined ? route.context.split(' > ').at(-1)! : place.className
  return subjectOf(name)
}

/** Returns the summary of a route that declares none: the name of the route in words, `Find one` for `UsersController.findOne`. */
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

/** Something that needs a name: an operation, or a member of a client. */
export interface Nameable {
  readonly wanted: string
  /** Whether the application has written the name, so that the names of other operations do not change it. */
  readonly isWritten: boolean
  /** The class and method that have the name: `Users.find`. Several contexts may contain one declaration. */
  readonly declaration: string
  /** The names of the contexts from the root: `['App', 'AdminPlugin']`. */
  readonly contexts: readonly string[]
  /** The path of the route; empty for a handler function, whose default name contains the path already. */
  readonly url: string
}

/** Returns the name that a route wants, and the facts that tell it from other routes. @param written the name in the application */
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

/** Returns the pairs of different declarations for which the application has written one name. */
export function findWrittenTwice<T extends Nameable>(all: readonly T[]): (readonly [T, T])[] {
  const before = new Map<string, T>()
  return all.flatMap((each): (readonly [T, T])[] => {
    if (!each.isWritten) return []
    const other = before.get(each.wanted)
    before.set(each.wanted, each)
    return other === undefined || isOneDeclaration(other, each) ? [] : [[other, each]]
  })
}

/** Whether two names were written at one method of a class. Functions have no path that tells whether they are one declaration. */
function isOneDeclaration(one: Nameable, other: Nameable): boolean {
  return one.declaration === other.declaration && one.declaration.includes('.')
}

/**
 * Returns a name for each operation: the wanted name if no other operation wants it. Otherwise the names of the nearest contexts that tell
 * the operation from its rivals are put before it (`adminUsersFindOne`), and the segments by which its path differs from rivals in the same
 * context: `northUsersFindOne`.
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

/** Returns the words of a path, for names: `Users` and `ById` for `/users/:id`. */
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
