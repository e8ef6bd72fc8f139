/** `@Route` for a class with one route; `@Controller` with `@Get`, `@Post` … for a class with several. */
import type {
  ContextDocs,
  ErrorHandler,
  HttpMethod,
  PluginRouteOptions,
  routeSchema,
  RouteSchema,
  RouteShorthandOptions,
  SchemaErrorFormatter,
} from '../../lib/index.js'
import type { InjectedErrorHandler, InjectedSchemaErrorFormatter } from './handler-class.js'
import { addMetadata, type Class, getDecoratedMembers, getMetadata, getOwnMetadata, type MetadataKey, metadataKey } from './metadata.js'
import { addRouteSchema, type CheckedDescriptor, type CheckedParts, type Fits } from './schema.js'
import type { DecoratorWithSchema } from './tokens.js'

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
  readonly method: AnyCase | readonly AnyCase[]
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
      | 'docs'
      | 'exposeHeadRoute'
      | 'handlerTimeout'
      | 'logLevel'
      | 'logSerializers'
      | 'prefixTrailingSlash'
      | 'serializerCompiler'
      | 'throws'
      | 'validatorCompiler'
    > {
  /** Path below the prefixes of the plugin and the controller: `/:id`. Default: the prefix itself. */
  path?: string
  /** Status of the reply, unless the handler sets another (`reply.code(n)`) or fails. Default 200. */
  status?: number
  /** Answers the errors of this route: a function or a class. If it throws, the error goes to the error handler of the context. */
  errorHandler?: ErrorHandler | Class<InjectedErrorHandler>
  /** Creates the errors of failed validations of this route: a function or a class. */
  schemaErrorFormatter?: SchemaErrorFormatter | Class<InjectedSchemaErrorFormatter>
}

/**
 * Options of all routes of a controller. An option of a route takes their place; the keys of `config` and `docs` and the lists of `throws` are
 * merged.
 */
export interface ControllerOptions extends Omit<RouteClassOptions, 'path' | 'status' | 'docs'> {
  /** Texts for the documentation of its routes: `{ tags: ['users'] }`. They replace the texts of the plugin. */
  docs?: ContextDocs
}

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
  docs: true,
  errorHandler: true,
  exposeHeadRoute: true,
  handlerTimeout: true,
  logLevel: true,
  logSerializers: true,
  prefixTrailingSlash: true,
  schemaErrorFormatter: true,
  serializerCompiler: true,
  throws: true,
  validatorCompiler: true,
}
/** The names of the options of a route that are not read by plugins. */
export const knownRouteOptions: readonly string[] = Object.keys(routeOptionNames)

/** The same for {@link Controller}. */
export const knownControllerOptions: readonly string[] = knownRouteOptions.filter((name) => name !== 'path' && name !== 'status')

/** Options of routes that plugins of the ecosystem read (docs/reference/ecosystem.md). */
export const ecosystemRouteOptions: readonly string[] = 'websocket wsHandler sse compress decompress helmet responseValidation'.split(' ')

type RouteClass = Class<{ handle: (...args: any[]) => unknown }>

// Without schemas, the request must not have the type of a decorator with schemas: nothing would validate it.
type FitsRoute<F, S> = S extends undefined ? FitsOnly<F, unknown> : Fits<F, S> & FitsOnly<F, S>
type FitsOnly<F, S> = F extends (request: infer Q, ...rest: any[]) => unknown ? FitsRequest<Q, S> : unknown
type FitsRequest<Q, S> = Q extends { readonly [routeSchema]?: infer R }
  ? [S] extends [R]
    ? unknown
    : { error: 'the request is that of another route decorator'; its: R }
  : unknown
type FitsRouteClass<C, S> = C extends new (...args: any[]) => { handle: infer H } ? FitsRoute<H, S> : unknown

/** Writes the metadata of a route, and its schemas if some are given, also if these are `undefined` by mistake. */
function routeDecorator<T>(key: MetadataKey<T>, note: T, schema: readonly unknown[]): AnyRouteDecorator {
  const decorate = (...args: unknown[]): void => {
    addMetadata(args, key, note)
    if (schema.length > 0) addRouteSchema(args, schema[0] as RouteSchema)
  }
  return decorate as AnyRouteDecorator // the schemas are only in the type
}
type AnyRouteDecorator = RouteClassDecorator<any> & ActionDecorator<any> & DecoratorWithSchema<any>

/**
 * Makes a class a route. Its method `handle(request, reply)` answers the requests. The schema of the route follows the options; the compiler
 * checks `handle` against it.
 * ```ts
 * @Route({ method: 'GET', path: '/users/:id' }, schema)
 * class GetUser { handle({ params }: RouteRequest<typeof schema>) { … } }
 * ```
 */
export function Route(options: RouteNote): RouteClassDecorator<undefined>
export function Route<const S extends RouteSchema>(
  options: RouteNote,
  schema: S & CheckedParts<S>,
): RouteClassDecorator<S> & DecoratorWithSchema<S>
export function Route(options: RouteNote, ...schema: unknown[]) {
  return routeDecorator(kRoute, options, schema)
}

/** What {@link Route} returns. `S` is the type of the schemas, `undefined` without them. */
export interface RouteClassDecorator<S> {
  <C extends RouteClass>(target: C & FitsRouteClass<C, S>, context?: unknown): void
}

/**
 * Makes a class a controller: its decorated methods are routes below `prefix`. The options hold for each of them that does not set its own:
 * `@Controller('/users', { constraints: { version: '2.0.0' } })`.
 * ```ts
 * @Controller('/users')
 * class UsersController {
 *   @Get('/:id', schema) find({ params }: RouteRequest<typeof schema>) { … }
 *   @Post({ status: 201 }) create({ body }: RouteRequest) { … }
 * }
 * ```
 */
export function Controller(prefix = '', options: ControllerOptions = {}) {
  return (...args: [target: Class, context?: unknown]): void => addMetadata(args, kController, { prefix, options })
}

/** What {@link Get}, {@link Post} … return. `S` is the type of the schemas, `undefined` without them. */
export interface ActionDecorator<S> {
  <T, D>(
    target: T & (T extends (...args: any[]) => unknown ? FitsRoute<T, S> : unknown),
    nameOrContext: any,
    descriptor?: CheckedDescriptor<D, D extends TypedPropertyDescriptor<infer F> ? FitsRoute<F, S> : unknown>,
  ): void
}

/**
 * A route of a controller with an HTTP method that has no decorator here, or with several: `@Action('PROPFIND', '/')`,
 * `@Action(['PUT', 'PATCH'], '/:id')`. The schema of the route may follow the path.
 */
export function Action(method: AnyCase | readonly AnyCase[], pathOrOptions?: string | RouteClassOptions): ActionDecorator<undefined>
export function Action<const S extends RouteSchema>(
  method: AnyCase | readonly AnyCase[],
  pathOrOptions: string | RouteClassOptions,
  schema: S & CheckedParts<S>,
): ActionDecorator<S> & DecoratorWithSchema<S>
export function Action(method: AnyCase | readonly AnyCase[], pathOrOptions?: string | RouteClassOptions, ...schema: unknown[]) {
  return actionDecorator(method, pathOrOptions, schema)
}

function actionDecorator(method: Action['method'], pathOrOptions: string | RouteClassOptions = '', schema: readonly unknown[]) {
  const options = typeof pathOrOptions === 'string' ? { path: pathOrOptions } : pathOrOptions
  return routeDecorator(kAction, { method, options }, schema)
}

interface Shorthand {
  (pathOrOptions?: string | RouteClassOptions): ActionDecorator<undefined>
  <const S extends RouteSchema>(
    pathOrOptions: string | RouteClassOptions,
    schema: S & CheckedParts<S>,
  ): ActionDecorator<S> & DecoratorWithSchema<S>
}
const shorthand =
  (method: HttpMethod): Shorthand =>
  (pathOrOptions?: string | RouteClassOptions, ...schema: unknown[]) =>
    actionDecorator(method, pathOrOptions, schema)

/**
 * A GET route of a controller: `@Get('/:id', schema)`, without a schema `@Get('/:id')`, with options
 * `@Get({ path: '/:id', constraints: { version: '1.0.0' } }, schema)`. The compiler checks the method against the schema, and the method's
 * request has its types as `RouteRequest<typeof schema>`. A HEAD route is added with it.
 */
export const Get: Shorthand = shorthand('GET')
/** A HEAD route of a controller; see {@link Get}. */
export const Head: Shorthand = shorthand('HEAD')
/** A POST route of a controller: `@Post('/', schema)`, `@Post({ status: 201 }, schema)`. See {@link Get}. */
export const Post: Shorthand = shorthand('POST')
/** A PUT route of a controller; see {@link Post}. */
export const Put: Shorthand = shorthand('PUT')
/** A PATCH route of a controller; see {@link Post}. */
export const Patch: Shorthand = shorthand('PATCH')
/** A DELETE route of a controller: `@Delete({ path: '/:id', status: 204 }, schema)`. See {@link Get}. */
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
