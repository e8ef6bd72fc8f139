/** `@Route` for a class with one route; `@Controller` with `@Get`, `@Post` … for a class with several. */
import type { HttpMethod, PluginRouteOptions, RouteShorthandOptions } from '../../lib/index.js'
import { addMetadata, type Class, getDecoratedMembers, getMetadata, getOwnMetadata, metadataKey } from './metadata.js'

const kRoute = metadataKey<RouteNote>({ decorator: '@Route', standsOn: ['route'], place: 'above a class that a plugin lists in routes' })
const kController = metadataKey<ControllerNote>({
  decorator: '@Controller',
  standsOn: ['controller'],
  place: 'above a class that a plugin lists in routes',
})
const kAction = metadataKey<Action>({
  decorator: '@Get, @Post … or @Action',
  standsOn: ['action'],
  place: 'above a method of a class with @Controller() that a plugin lists in routes',
  cureOfRepeat: "For several HTTP methods write @Action(['GET', 'POST'], path); for another path write another method.",
})

interface ControllerNote {
  readonly prefix: string
  readonly options: ControllerOptions
}

interface Action {
  readonly method: HttpMethod | readonly HttpMethod[]
  readonly options: RouteClassOptions
}

/** Options of a route. Hooks and schemas have decorators of their own. */
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
  /** Path below the prefixes of the plugin and the controller: `/:id`. Default: the prefix itself. */
  path?: string
  /** Status of the reply, unless the handler sets another (`reply.code(n)`) or fails. Default 200. */
  status?: number
}

/** Options of all routes of a controller. An option of a route takes their place; the keys of `config` are merged. */
export type ControllerOptions = Omit<RouteClassOptions, 'path' | 'status'>

/** The options of {@link Route}: one or several methods, a path and other options. */
export interface RouteNote extends RouteClassOptions {
  /** One method or several, in upper or lower case: `'GET'`, `['PUT', 'PATCH']`. */
  readonly method: AnyCase | readonly AnyCase[]
}

type AnyCase = HttpMethod | Lowercase<HttpMethod>

const routeOptionNames: { readonly [K in Exclude<keyof RouteClassOptions, keyof PluginRouteOptions>]: true } = {
  path: true,
  status: true,
  attachValidation: true,
  bodyLimit: true,
  childLoggerFactory: true,
  config: true,
  constraints: true,
  errorHandler: true,
  exposeHeadRoute: true,
  handlerTimeout: true,
  logLevel: true,
  logSerializers: true,
  prefixTrailingSlash: true,
  schemaErrorFormatter: true,
  serializerCompiler: true,
  validatorCompiler: true,
}
/** The names of the options of a route that are not read by plugins. */
export const knownRouteOptions: readonly string[] = Object.keys(routeOptionNames)

/** The same for {@link Controller}. */
export const knownControllerOptions: readonly string[] = knownRouteOptions.filter((name) => name !== 'path' && name !== 'status')

/** Options of routes that plugins of the ecosystem read (docs/ecosystem.md). */
export const ecosystemRouteOptions: readonly string[] = 'websocket wsHandler sse compress decompress helmet responseValidation'.split(' ')

type RouteClass = Class<{ handle: (...args: any[]) => unknown }>

/**
 * Makes a class a route. Its method `handle(request, reply)` answers the requests.
 * ```ts
 * @Route({ method: 'GET', path: '/two' })
 * class GetTwo { handle(request: RouteRequest) { return { answer: 42 } } }
 * ```
 */
export function Route(options: RouteNote) {
  return <C extends RouteClass>(...args: [target: C, context?: unknown]): void => addMetadata(args, kRoute, options)
}

/**
 * Makes a class a controller: its decorated methods are routes below `prefix`. The options hold for each of them that does not set its own:
 * `@Controller('/users', { constraints: { version: '2.0.0' } })`.
 * ```ts
 * @Controller('/users')
 * class UsersController {
 *   @Get('/:id') find({ params }: RouteRequest) { … }
 *   @Post({ status: 201 }) create({ body }: RouteRequest) { … }
 * }
 * ```
 */
export function Controller(prefix = '', options: ControllerOptions = {}) {
  return (...args: [target: Class, context?: unknown]): void => addMetadata(args, kController, { prefix, options })
}

type ActionDecorator = (target: any, name: any, descriptor?: any) => void

/**
 * A route of a controller with an HTTP method that has no decorator here, or with several: `@Action('PROPFIND', '/')`,
 * `@Action(['PUT', 'PATCH'], '/:id')`.
 */
export function Action(method: AnyCase | readonly AnyCase[], pathOrOptions: string | RouteClassOptions = ''): ActionDecorator {
  const options = typeof pathOrOptions === 'string' ? { path: pathOrOptions } : pathOrOptions
  return (...args: unknown[]) => addMetadata(args, kAction, { method, options })
}

type Shorthand = (pathOrOptions?: string | RouteClassOptions) => ActionDecorator
const shorthand =
  (method: HttpMethod): Shorthand =>
  (pathOrOptions) =>
    Action(method, pathOrOptions)

/**
 * A GET route of a controller: `@Get('/:id')`, or with options `@Get({ path: '/:id', constraints: { version: '1.0.0' } })`. A HEAD
 * route is added with it.
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

/** The options of `@Route`; `undefined` for a class without it. A subclass of a route is a route only if it says so itself. */
export function getRouteOptions(Class: object): RouteNote | undefined {
  return getOwnMetadata(Class, kRoute)
}
/** The prefix of `@Controller`; `undefined` for a class without it. A subclass of a controller is one only if it says so itself. */
export function getControllerPrefix(Class: object): string | undefined {
  return getOwnMetadata(Class, kController)?.prefix
}
/** The options of `@Controller`. */
export function getControllerOptions(Class: object): ControllerOptions {
  return getOwnMetadata(Class, kController)?.options ?? {}
}
/** The methods of a controller that are routes, inherited ones included. */
export function getActions(Class: object): ({ readonly member: string | symbol } & Action)[] {
  return getDecoratedMembers(Class, kAction).map((member) => ({ member, ...getMetadata(Class, kAction, member)! }))
}
