/** `@Route` for a class with one route; `@Controller` with `@Get`, `@Post` … for a class with several routes. */
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
import type { InjectedSchemaErrorFormatter, RouteErrorHandler } from './handler-class.js'
import { addMetadata, type Class, getDecoratedMembers, getMetadata, getOwnMetadata, type MetadataKey, metadataKey } from './metadata.js'
import type { MethodOf, NoSuchMethod, PlainName, PublicIfAsking } from './proofs.js'
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

/** The options of a route that a class declares. Hooks are declared by `@Hook`; the schema is the argument after the options. */
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
      | 'deprecated'
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
  /** The path below the prefixes of the plugin and the controller: `/:id`. Default: the prefix itself. */
  path?: string
  /**
   * Status of the reply when the handler is called. The handler may set another (`reply.code(n)`); a `Response`, and an error that the
   * default error handler answers, have their own. Default 200.
   */
  status?: number
  /**
   * The error handler of this route: a function or a class. If the handler throws, the error goes to the error handler of the context.
   * Request decorators are {@link Optional} for the handler, because an error may occur before a hook has set them.
   */
  errorHandler?: ErrorHandler | Class<RouteErrorHandler>
  /** A function or class that creates the errors of failed validations of this route. */
  schemaErrorFormatter?: SchemaErrorFormatter | Class<InjectedSchemaErrorFormatter>
}

/**
 * The options of all routes of a controller. An option of a route replaces the option of the controller; the keys of `config` and `docs`
 * and the lists of `throws` are merged.
 */
export interface ControllerOptions extends Omit<RouteClassOptions, 'path' | 'status' | 'docs'> {
  /** The documentation texts for the controller's routes: `{ tags: ['users'] }`. They replace the texts of the plugin. */
  docs?: ContextDocs
}

/** The options of {@link Route}: one or several methods, a path and other options. */
export interface RouteNote extends RouteClassOptions {
  /** One HTTP method or several, in upper or lower case: `'GET'`, `['PUT', 'PATCH']`. */
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
  deprecated: true,
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
/** The names of the route options that alcove itself reads, without options that only plugins read. */
export const knownRouteOptions: readonly string[] = Object.keys(routeOptionNames)

/** The names of the options of {@link Controller}. */
export const knownControllerOptions: readonly string[] = knownRouteOptions.filter((name) => name !== 'path' && name !== 'status')

/** The names of the route options that plugins of the ecosystem read (docs/reference/ecosystem.md). */
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
type FitsNamedMethod<T, N, D, S> =
  N extends PlainName<D> ? ([MethodOf<T, N>] extends [never] ? NoSuchMethod : FitsRoute<MethodOf<T, N>, S>) : unknown
type FitsRouteClass<C, S> = C extends new (...args: any[]) => { handle: infer H } ? FitsRoute<H, S> : unknown

/**
 * Returns a decorator that writes the metadata of a route. A schemas argument is kept even if it is `undefined`, so that the boot can report this mistake.
 */
function routeDecorator<T>(key: MetadataKey<T>, note: T, schema: readonly unknown[]): AnyRouteDecorator {
  const decorate = (...args: unknown[]): unknown => {
    if (schema.length > 0) addRouteSchema(args, schema[0] as RouteSchema)
    return addMetadata(args, key, note)
  }
  return decorate as AnyRouteDecorator // the schemas are only in the type
}
type AnyRouteDecorator = RouteClassDecorator<any> & ActionDecorator<any> & DecoratorWithSchema<any>

/**
 * Makes a class a route. Its method `handle(request, reply)` handles the requests. The second argument is the schema of the route; the
 * compiler checks `handle` against it.
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

/** The decorator that {@link Route} returns. `S` is the type of the route's schemas, `undefined` without schemas. */
export interface RouteClassDecorator<S> {
  <C extends RouteClass>(target: C & FitsRouteClass<C, S>, context?: unknown): C
}

/**
 * Makes a class a controller: its decorated methods are routes below `prefix`. An option holds for every route that does not set the same
 * option: `@Controller('/users', { constraints: { version: '2.0.0' } })`.
 * ```ts
 * @Controller('/users')
 * class UsersController {
 *   @Get('/:id', schema) find({ params }: RouteRequest<typeof schema>) { … }
 *   @Post({ status: 201 }) create({ body }: RouteRequest) { … }
 * }
 * ```
 */
export function Controller(prefix = '', options: ControllerOptions = {}) {
  return <C extends Class>(...args: [target: C, context?: unknown]): C => addMetadata(args, kController, { prefix, options })
}

/** The decorator that {@link Get}, {@link Post} … return. `S` is the type of the route's schemas, `undefined` without schemas. */
export interface ActionDecorator<S> {
  <T, const N, D>(
    target: T & (T extends (...args: any[]) => unknown ? FitsRoute<T, S> : unknown),
    nameOrContext: N & PublicIfAsking<T, N, D> & FitsNamedMethod<T, N, D, S>,
    descriptor?: CheckedDescriptor<D, D extends TypedPropertyDescriptor<infer F> ? FitsRoute<F, S> : unknown>,
  ): void
}

/**
 * Declares a route of a controller with an HTTP method that has no decorator, or with several methods: `@Action('PROPFIND', '/')`,
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
 * Declares a GET route of a controller: `@Get('/:id', schema)`, without a schema `@Get('/:id')`, with options `@Get({ path: '/:id',
 * constraints: { version: '1.0.0' } }, schema)`. The compiler checks the method against the schema. The request of the method has the type
 * `RouteRequest<typeof schema>`. A HEAD route with the same path is added too.
 */
export const Get: Shorthand = shorthand('GET')
/** Declares a HEAD route of a controller, with the same arguments as {@link Get}. */
export const Head: Shorthand = shorthand('HEAD')
/**
 * Declares a POST route of a controller: `@Post('/', schema)`, `@Post({ status: 201 }, schema)`. The arguments are the same as for
 * {@link Get}.
 */
export const Post: Shorthand = shorthand('POST')
/** Declares a PUT route of a controller, with the same arguments as {@link Post}. */
export const Put: Shorthand = shorthand('PUT')
/** Declares a PATCH route of a controller, with the same arguments as {@link Post}. */
export const Patch: Shorthand = shorthand('PATCH')
/**
 * Declares a DELETE route of a controller: `@Delete({ path: '/:id', status: 204 }, schema)`. The arguments are the same as for {@link Get}.
 */
export const Delete: Shorthand = shorthand('DELETE')
/** Declares an OPTIONS route of a controller, with the same arguments as {@link Get}. */
export const Options: Shorthand = shorthand('OPTIONS')

/**
 * Returns the options of `@Route`; `undefined` for a class without this decorator. A subclass of a route class is a route only if it is
 * decorated with `@Route` itself.
 */
export function getRouteOptions(Class: object): RouteNote | undefined {
  return getOwnMetadata(Class, kRoute)
}
/**
 * Returns the prefix of `@Controller`; `undefined` for a class without this decorator. A subclass of a controller is a controller only if
 * it is decorated with `@Controller` itself.
 */
export function getControllerPrefix(Class: object): string | undefined {
  return getOwnMetadata(Class, kController)?.prefix
}
/** Returns the options of `@Controller`, or `{}` for a class without this decorator. */
export function getControllerOptions(Class: object): ControllerOptions {
  return getOwnMetadata(Class, kController)?.options ?? {}
}
/** Returns the methods of a controller that are routes, inherited methods included. */
export function getActions(Class: object): ({ readonly member: string | symbol } & Action)[] {
  return getDecoratedMembers(Class, kAction).map((member) => ({ member, ...getMetadata(Class, kAction, member)! }))
}
