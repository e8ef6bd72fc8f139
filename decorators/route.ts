/** `@Route` for a class per route; `@Controller` with `@Get`, `@Post` … for many routes in a class. */
import type { HttpMethod, PluginRouteOptions, RouteShorthandOptions } from '../lib/index.js'
import { type Class, note, readMembers, readNote, readPlace } from './metadata.js'

const kRoute = Symbol('alcove.route')
const kController = Symbol('alcove.controller')
const kAction = Symbol('alcove.action')

/** Options of a route. Hooks, schemas and config have decorators of their own. */
export interface RouteClassOptions
  extends
    PluginRouteOptions,
    Pick<
      RouteShorthandOptions,
      | 'attachValidation'
      | 'bodyLimit'
      | 'config'
      | 'constraints'
      | 'errorHandler'
      | 'exposeHeadRoute'
      | 'logLevel'
      | 'logSerializers'
      | 'prefixTrailingSlash'
      | 'schemaErrorFormatter'
      | 'serializerCompiler'
      | 'validatorCompiler'
    > {
  path?: string
  /** The status of a reply that the handler returns; others are chosen with `reply.code(n).send(…)`. Default 200. */
  status?: number
}

export interface RouteNote extends RouteClassOptions {
  readonly method: HttpMethod | readonly HttpMethod[]
}

type RouteClass = Class<{ handle: (...args: any[]) => unknown }>

/**
 * Makes a class a route: `handle(request, reply)` answers it.
 * ```ts
 * @Route({ method: 'GET', path: '/two' })
 * class GetTwo { handle(request: RouteRequest) { return { answer: 42 } } }
 * ```
 */
export function Route(options: RouteNote) {
  return <C extends RouteClass>(...args: [target: C, context?: unknown]): void => note(readPlace(args), kRoute, options)
}

/** Makes a class a controller: its decorated methods are routes below `prefix`. */
export function Controller(prefix = '') {
  return (...args: [target: Class, context?: unknown]): void => note(readPlace(args), kController, prefix)
}

type ActionDecorator = (target: any, name: any, descriptor?: any) => void

/** A route of a controller, for methods that have no decorator of their own: `@Action('PROPFIND', '/')`. */
export function Action(method: HttpMethod | readonly HttpMethod[], pathOrOptions: string | RouteClassOptions = ''): ActionDecorator {
  const options = typeof pathOrOptions === 'string' ? { path: pathOrOptions } : pathOrOptions
  return (...args: unknown[]) => note(readPlace(args), kAction, { ...options, method } satisfies RouteNote)
}

type Shorthand = (pathOrOptions?: string | RouteClassOptions) => ActionDecorator
const shorthand =
  (method: HttpMethod): Shorthand =>
  (pathOrOptions) =>
    Action(method, pathOrOptions)

export const Get: Shorthand = shorthand('GET')
export const Head: Shorthand = shorthand('HEAD')
export const Post: Shorthand = shorthand('POST')
export const Put: Shorthand = shorthand('PUT')
export const Patch: Shorthand = shorthand('PATCH')
export const Delete: Shorthand = shorthand('DELETE')
export const Options: Shorthand = shorthand('OPTIONS')

export function routeOf(Class: object): RouteNote | undefined {
  return readNote(Class, kRoute)
}
export function controllerPrefixOf(Class: object): string | undefined {
  return readNote(Class, kController)
}
export function actionsOf(Class: object): { member: string | symbol; value: RouteNote }[] {
  return readMembers(Class, kAction)
}
