/** `@Route` for a class per route; `@Controller` with `@Get`, `@Post` … for many routes in a class. */
import type { HttpMethod, PluginRouteOptions, RouteShorthandOptions } from '../../lib/index.js'
import { type Class, setMetadata, getMemberMetadata, getMetadata, readDecoratorTarget } from './metadata.js'

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
      | 'childLoggerFactory'
      | 'config'
      | 'constraints'
      | 'errorHandler'
      | 'exposeHeadRoute'
      | 'handlerTimeout'
      | 'logLevel'
      | 'logSerializers'
      | 'prefixTrailingSlash'
      | 'schemaErrorFormatter'
      | 'serializerCompiler'
      | 'validatorCompiler'
    > {
  /** Below the plugin's prefix and the controller's: `/:id`. Begins with a slash; default: the prefix itself. */
  path?: string
  /** The status of a reply that the handler returns; others are chosen with `reply.code(n).send(…)`. Default 200. */
  status?: number
}

/** What `@Route` takes: a method, a path and options. */
export interface RouteNote extends RouteClassOptions {
  /** One or several: `GET`. */
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
  return <C extends RouteClass>(...args: [target: C, context?: unknown]): void => setMetadata(readDecoratorTarget(args), kRoute, options)
}

/**
 * Makes a class a controller: its decorated methods are routes below `prefix`, which begins with a slash.
 * ```ts
 * @Controller('/users')
 * class UsersController {
 *   @Get('/:id') find({ params }: RouteRequest) { … }
 *   @Post({ status: 201 }) create({ body }: RouteRequest) { … }
 * }
 * ```
 */
export function Controller(prefix = '') {
  return (...args: [target: Class, context?: unknown]): void => setMetadata(readDecoratorTarget(args), kController, prefix)
}

type ActionDecorator = (target: any, name: any, descriptor?: any) => void

/**
 * A route of a controller, for methods that have no decorator of their own, or for several: `@Action('PROPFIND', '/')`,
 * `@Action(['PUT', 'PATCH'], '/:id')`.
 */
export function Action(method: HttpMethod | readonly HttpMethod[], pathOrOptions: string | RouteClassOptions = ''): ActionDecorator {
  const options = typeof pathOrOptions === 'string' ? { path: pathOrOptions } : pathOrOptions
  return (...args: unknown[]) => setMetadata(readDecoratorTarget(args), kAction, { ...options, method } satisfies RouteNote)
}

type Shorthand = (pathOrOptions?: string | RouteClassOptions) => ActionDecorator
const shorthand =
  (method: HttpMethod): Shorthand =>
  (pathOrOptions) =>
    Action(method, pathOrOptions)

/**
 * A GET route of a controller: `@Get('/:id')`, or with options `@Get({ path: '/:id', constraints: { version: '1.0.0' } })`. A HEAD
 * route comes with it.
 */
export const Get: Shorthand = shorthand('GET')
/** A HEAD route of a controller; see {@link Get}. */
export const Head: Shorthand = shorthand('HEAD')
/** A POST route of a controller: `@Post('/')`, `@Post({ status: 201 })`. */
export const Post: Shorthand = shorthand('POST')
/** A PUT route of a controller; see {@link Post}. */
export const Put: Shorthand = shorthand('PUT')
/** A PATCH route of a controller; see {@link Post}. */
export const Patch: Shorthand = shorthand('PATCH')
/** A DELETE route of a controller: `@Delete({ path: '/:id', status: 204 })`. */
export const Delete: Shorthand = shorthand('DELETE')
/** An OPTIONS route of a controller; see {@link Get}. */
export const Options: Shorthand = shorthand('OPTIONS')

export function getRouteOptions(Class: object): RouteNote | undefined {
  return getMetadata(Class, kRoute)
}
export function getControllerPrefix(Class: object): string | undefined {
  return getMetadata(Class, kController)
}
export function getActions(Class: object): { member: string | symbol; value: RouteNote }[] {
  return getMemberMetadata(Class, kAction)
}
