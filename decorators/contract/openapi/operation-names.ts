/** The names of operations: `operationId` and tags, from classes and methods. */
import type { RouteDescription } from '../../../lib/index.js'

/** `App > Api > UsersController.findOne` → the class and the method; a class with `@Route` has no method. */
interface Place {
  /** `App > Api > UsersController` */
  readonly classPath: string
  readonly className: string
  readonly method: string | undefined
}

/** The class and method of a route; `undefined` for a handler function. */
export function placeOf({ place }: RouteDescription): Place | undefined {
  const names = place.split(' > ')
  if (names.length < 2) return undefined
  const [className = '', method] = names.at(-1)!.split('.')
  return { classPath: [...names.slice(0, -1), className].join(' > '), className, method }
}

/**
 * The `operationId` that a route has by default. It depends on nothing but the route, so that it stays when others are added:
 * `usersFindOne` for `UsersController.findOne`, `getTwo` for a class `GetTwo`, `getUsersById` for a function that answers `GET /users/:id`.
 */
export function defaultOperationId(route: RouteDescription): string {
  const place = placeOf(route)
  if (place === undefined) return [lower(route.methods[0]!.toLowerCase()), ...wordsOf(route.url)].join('')
  const className = subjectOf(place.className)
  return lower(className) + (place.method === undefined ? '' : capital(place.method))
}

/** The tag of a route that names none: its controller, or else the plugin that declares it. */
export function defaultTag(route: RouteDescription): string {
  const place = placeOf(route)
  const name = place?.method === undefined ? route.context.split(' > ').at(-1)! : place.className
  return subjectOf(name)
}

/** The summary of a route that declares none: its name in words, `Find one` for `UsersController.findOne`. */
export function defaultSummary(route: RouteDescription): string {
  const place = placeOf(route)
  if (place === undefined) return `${route.methods.join(', ')} ${route.url}`
  const name = place.method ?? subjectOf(place.className)
  return capital(name.replaceAll(/(?<=[\p{Ll}\d])\p{Lu}/gu, (letter) => ` ${letter.toLowerCase()}`))
}

/** `UsersController` and `UsersPlugin` are about users. */
export function subjectOf(className: string): string {
  return className.replace(/(?<=.)(?:Controller|Plugin)$/, '')
}

/** `/users/:id` → `Users`, `ById` */
function wordsOf(url: string): string[] {
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
