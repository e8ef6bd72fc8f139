/** Tokens, which identify providers, and request decorators, which are typed handles for members of requests. */
import type { Logger, Request, routeSchema, SchemaRequest, Server } from '../../lib/index.js'
import type { SchemasOf } from '../../lib/internal.js'
import type { DecoratedProvider, MetadataDecorator } from './metadata-decorator.js'
import type { Class } from './metadata.js'

declare const valueType: unique symbol

/**
 * The token of a provider whose value has the type `T`, made by {@link token}. Two typed tokens are different even if they have the same
 * name.
 */
export interface TypedToken<T> {
  /** The name of the token in errors. */
  readonly name: string
  /** The symbol that identifies the token. */
  readonly key: symbol
  readonly [valueType]?: T
}

/** A value that identifies a provider: a class, a typed token, a symbol or a string. */
export type Token<T = unknown> = Class<T> | (abstract new (...args: any[]) => T) | TypedToken<T> | symbol | string

/** The type of the value that is injected for a token. */
export type TokenValue<K> =
  K extends TypedToken<infer T>
    ? T
    : K extends abstract new (...args: any[]) => infer T
      ? T
      : K extends OptionalToken<infer O>
        ? TokenValue<O> | undefined
        : K extends AmbientToken<infer A>
          ? Ambient<TokenValue<A>>
          : unknown

/**
 * Makes a typed token, for a value that is not an instance of a class.
 * ```ts
 * const CLOCK = token<() => Date>('CLOCK')
 * @Plugin({ providers: [{ provide: CLOCK, useValue: () => new Date() }] })
 * class App {}
 * ```
 */
export function token<T>(name: string): TypedToken<T> {
  return Object.freeze({ name, key: Symbol(name) })
}

/** An entry of `static inject` that needs no provider. Made by {@link optional}. */
export interface OptionalToken<K = Token> {
  readonly optional: K
}

/**
 * Marks an entry of `static inject` as optional: `undefined` is injected if no visible plugin provides it.
 * ```ts
 * class Invoices {
 *   static readonly inject = [DB, optional(Mailer)] as const
 *   constructor(private readonly db: Db, private readonly mailer: Mailer | undefined) {}
 * }
 * ```
 */
export function optional<K extends Token<any>>(asked: K): OptionalToken<K> {
  return Object.freeze({ optional: asked })
}

/** An entry of `static inject` for a handle of a request-scoped provider. Made by {@link ambient}. */
export interface AmbientToken<K = Token> {
  readonly ambient: K
}

/**
 * A handle of a request-scoped provider, for a class that lives longer than a request. The handle looks up the instance whenever it is
 * read: the instance of the current request, or of the current work of `server.run`.
 */
export interface Ambient<T> {
  /**
   * The current instance. It is constructed if the request has no instance yet.
   * @throws ResolutionError (ALC_ERR_RESOLUTION) outside of requests and of `server.run`, if the request is over, or if an asynchronous
   * factory has not made the instance yet (use `get` then)
   */
  readonly current: T
  /**
   * Returns the current instance, even if an asynchronous factory makes it.
   * @throws ResolutionError (ALC_ERR_RESOLUTION) outside of requests and of `server.run`, or if the request is over
   */
  get(): Promise<T>
}

/**
 * Asks for a handle of a request-scoped provider, or of the request itself:
 * ```ts
 * @Injectable()
 * class AuditLog {
 *   static readonly inject = [ambient(REQUEST)] as const
 *   constructor(private readonly request: Ambient<Request>) {}
 *   write(line: string) {
 *     console.log(this.request.current.id, line)
 *   }
 * }
 * ```
 * The token may be that of a request-scoped provider, `REQUEST` or `LOGGER`. docs/how-to/request-context.md shows more.
 */
export function ambient<K extends Token<any>>(asked: K): AmbientToken<K> {
  return Object.freeze({ ambient: asked })
}

/** An entry of `static inject`, or of the list `inject` of a factory: a token, `optional(token)` or `ambient(token)`. */
export type InjectEntry = Token<any> | OptionalToken | AmbientToken

/** The scope that `server.run` passes to a work function, which runs outside of requests. */
export interface WorkScope {
  /** The logger of the plugin; its lines contain the name of the work. */
  readonly log: Logger
  /** A signal that is aborted when the server begins to close. The server waits for the work for at most `closeTimeout`. */
  readonly signal: AbortSignal
  /**
   * Returns the provided value of a token, as the plugin sees it. Instances of request-scoped providers belong to this work: each is
   * constructed once, and ends with the work.
   * @throws ResolutionError (ALC_ERR_RESOLUTION) if the plugin does not see the token, or if the provider needs a request
   */
  get<K extends Token<any>>(token: K): Promise<TokenValue<K>>
}

/** The options of `server.run`. */
export interface RunOptions {
  /** The plugin class whose providers the work sees. Default: the plugin of the server instance. */
  readonly plugin?: Class
  /** The name of the work in logs and errors. Default: the name of the function */
  readonly name?: string
}

/**
 * A server that `bootstrap` made from classes: a `Server` with access to its providers. `Server` itself lacks these members, because a
 * server of `createServer` has no providers. `setup` of a plugin class gets the server instance of its context, and the token `SERVER`
 * injects it.
 */
export interface BootstrappedServer extends Server {
  /**
   * Returns the provided value of a token, as this context sees it, for tests and scripts.
   * ```ts
   * const users = server.resolve(Users)
   * ```
   * @throws ResolutionError (ALC_ERR_RESOLUTION) if the provider is not visible in this context, is request-scoped or transient, or is not
   * constructed yet
   */
  resolve<K extends Token<any>>(token: K): TokenValue<K>
  /**
   * Finds the instances of this context and of the contexts below it whose classes or methods have a decorator of
   * {@link metadataDecorator}: instances of a plugin come before instances of the plugins that it imports, and each instance, private ones
   * included, is listed once for each use. The result depends on the context of the plugin that calls: a plugin that serves its importing
   * plugin must be shared. Of substitutes in a test, their own decorators count. Call this method in `onReady` or later.
   * ```ts
   * for (const { instance, method = 'run' } of server.providersWith(Every)) await instance[method]()
   * ```
   * @throws ResolutionError (ALC_ERR_RESOLUTION) if the application is still being constructed
   */
  providersWith<T>(decorator: MetadataDecorator<T>): DecoratedProvider<T>[]
  /**
   * Runs work outside of requests, such as a script, in a separate scope. Request-scoped providers are constructed for the work; their
   * `onRequestEnd` is called with the outcome before the promise settles.
   * ```ts
   * await server.run(async (scope) => {
   *   const users = await scope.get(Users)
   *   scope.log.info(users.find(1).name)
   * }, { plugin: BillingPlugin, name: 'show a user' })
   * ```
   * @returns the result of the work. The promise is rejected with the error of the work, or of an `onRequestEnd` with
   * `static endsBefore = 'reply'`
   * @throws ResolutionError (ALC_ERR_RESOLUTION) if the server has closed, or if the plugin is in this context or below not at all or more
   * than once
   */
  run<T>(work: (scope: WorkScope) => T | Promise<T>, options?: RunOptions): Promise<T>
  /**
   * Runs a job at once, for tests and scripts, by its class and the input that its queue would pass. A failure is not retried.
   * ```ts
   * await server.runJob(SendMail, { to: 'ada@example.com' })
   * ```
   * @returns the result of the job's `run`
   * @throws ALC_ERR_JOB_INPUT_INVALID; ALC_ERR_JOB_TIMEOUT; ResolutionError (ALC_ERR_RESOLUTION) if the class is not a job in this context
   * or below; the error of the job
   */
  runJob<C extends Class<{ run: (...args: any[]) => unknown }>>(job: C, ...input: JobInput<C>): Promise<JobResult<C>>
  /**
   * Starts the jobs of the application, as `listen` does, in a process that opens no port. The promise is fulfilled once all queues hand
   * out jobs.
   */
  startJobs(): Promise<void>
}

/** The type of a job class's input, as the arguments after the class. A scheduled job takes no input. */
export type JobInput<C> =
  C extends Class<{ run: (job: infer R) => unknown }>
    ? R extends { readonly input: infer T }
      ? undefined extends T
        ? unknown extends T
          ? [input?: unknown]
          : []
        : [input: T]
      : [input?: unknown]
    : [input?: unknown]
/** The type of the result of a job class's `run`. */
export type JobResult<C> = C extends Class<{ run: (...args: any[]) => infer R }> ? Awaited<R> : never

/** The token of the server instance of the provider's context. */
export const SERVER: TypedToken<BootstrappedServer> = token<BootstrappedServer>('SERVER')
/**
 * The token of the logger of the provider's context. An instance that is made for a request gets the logger of the request, whose lines
 * contain the request id.
 */
export const LOGGER: TypedToken<Logger> = token<Logger>('LOGGER')
/**
 * The token of the current request. Routes and hook classes that inject it become request-scoped; a provider that injects it must be
 * request-scoped or transient.
 */
export const REQUEST: TypedToken<Request> = token<Request>('REQUEST')
/**
 * The token of the options with which the plugin was imported (`use(PluginClass, options)`). {@link pluginOptions} returns this token with
 * a type.
 */
export const PLUGIN_OPTIONS: TypedToken<unknown> = token<unknown>('PLUGIN_OPTIONS')

/** The token {@link PLUGIN_OPTIONS} with the type of the options. {@link pluginOptions} returns it. */
export interface PluginOptionsToken<O> extends TypedToken<O> {
  /** A mark that distinguishes this token from other tokens for the compiler. It does not exist at run time. */
  readonly [optionsType]: O
}
declare const optionsType: unique symbol

/**
 * Returns {@link PLUGIN_OPTIONS} with the type of the plugin's options. The plugin class declares the same type in `setup`, and `use`
 * checks the options against that type.
 * ```ts
 * class Rows {
 *   static readonly inject = [pluginOptions<{ table: string }>()] as const
 *   constructor(private readonly options: { table: string }) {}
 * }
 * ```
 */
export function pluginOptions<O>(): PluginOptionsToken<O> {
  return PLUGIN_OPTIONS as PluginOptionsToken<O>
}

export const builtInTokens: readonly TypedToken<any>[] = [SERVER, LOGGER, REQUEST, PLUGIN_OPTIONS]

/** Returns the key of a token in maps: the class, the symbol or the string. */
export function tokenKey(asked: Token<any>): object | symbol | string {
  return isTypedToken(asked) ? asked.key : asked
}

/** Whether a value identifies a provider. */
export function isToken(value: unknown): value is Token<any> {
  return typeof value === 'function' || typeof value === 'symbol' || typeof value === 'string' || isTypedToken(value)
}

function isTypedToken(value: unknown): value is TypedToken<unknown> {
  return value !== null && typeof value === 'object' && typeof (value as TypedToken<unknown>).key === 'symbol' && 'name' in value
}

/** Returns the name of a token in errors. */
export function tokenName(asked: unknown): string {
  if (typeof asked === 'function') return asked.name || 'an anonymous class'
  if (isTypedToken(asked)) return asked.name
  return typeof asked === 'symbol' ? (asked.description ?? String(asked)) : `'${String(asked)}'`
}

/** A typed handle of a member that a context adds to its requests. Made by {@link requestDecorator}. */
export interface RequestDecorator<Name extends string = string, T = any> {
  readonly kind: 'request decorator'
  /** The name of the member of the request. */
  readonly name: Name
  /** The value of the member at the start of each request; `undefined` if a hook sets the value later. */
  readonly value: unknown
  /**
   * Whether the decorator was declared without a value, so that a hook class with the decorator in `static sets` sets the value of each
   * request.
   */
  readonly isSetByHook: boolean
  /** Returns the same decorator, typed with a wider type: `User | null` for the value `null`. */
  as<U>(this: Holds<U, T>): RequestDecorator<Name, U>
  readonly [valueType]?: T
}

type Holds<U, T> = [T] extends [U]
  ? unknown
  : { error: 'the value at the start of each request is not of this type: leave the value out if a hook sets it later' }

/**
 * A {@link RequestDecorator} without a value: a hook class lists the decorator in `static sets`, and sets the value before the handler
 * runs.
 */
export interface HookSetDecorator<Name extends string = string, T = any> extends RequestDecorator<Name, T> {
  readonly isSetByHook: true
  /** Returns the same decorator, typed with the type of the value that the hook sets. */
  as<U>(): HookSetDecorator<Name, U>
}

/**
 * Declares a member of requests.
 *
 * With a value, each request starts with this value:
 * ```ts
 * export const Answer = requestDecorator('answer', 42)
 * export const Visitor = requestDecorator('visitor', null).as<User | null>()
 * ```
 * Without a value, a hook class sets the value. The boot fails unless such a hook runs before each route, hook or handler that requires the
 * decorator:
 * ```ts
 * export const CurrentUser = requestDecorator('user').as<User>()
 *
 * class RequireUser {
 *   static readonly sets = [CurrentUser] as const
 *   onRequest(request: RouteRequest<unknown, [typeof CurrentUser]>) { request.user = find(request.id) }
 * }
 * ```
 * A plugin adds a decorator with `decorateRequest: [Answer]`; a route reads it as `request.answer`.
 */
export function requestDecorator<const Name extends string>(name: Name): HookSetDecorator<Name, unknown>
export function requestDecorator<const Name extends string, T>(name: Name, value: T): RequestDecorator<Name, T>
export function requestDecorator(...[name, ...values]: [name: string, value?: unknown]): RequestDecorator {
  const handle = {
    kind: 'request decorator' as const,
    name,
    value: values[0],
    isSetByHook: values.length === 0,
    as: () => handle as RequestDecorator,
  }
  return Object.freeze(handle) as RequestDecorator
}

/** Whether two decorators come from the same call of {@link requestDecorator}. A test may add a copy with another value. */
export function isSameDecorator(one: RequestDecorator, other: RequestDecorator): boolean {
  return one.as === other.as
}

/** A request decorator whose value may be missing, in the list of a {@link RouteRequest}: the member of the request may be `undefined`. */
export interface Optional<D> {
  readonly optionalDecorator: D
}

type DecoratorMembers<D> =
  D extends Optional<RequestDecorator<infer Name, infer T>>
    ? { [K in Name]?: T }
    : D extends RequestDecorator<infer Name, infer T>
      ? { [K in Name]: T }
      : unknown
type AllMembers<D extends readonly unknown[]> = D extends readonly [infer First, ...infer Rest]
  ? DecoratorMembers<First> & AllMembers<Rest>
  : unknown

/**
 * The type of a route's request: with the schemas `S`, and with the request decorators `D` that the route reads. `S` is the type of the
 * schemas, or the type of a route decorator with schemas. In the latter case, the compiler refuses this request type for a method with any
 * other route decorator.
 * ```ts
 * class GetTwo {
 *   handle(request: RouteRequest<typeof schema, [typeof Answer, Optional<typeof Bar>]>) { … }
 * }
 *
 * const find = Get('/:id', { params: { id: { type: 'integer' } } })
 * @Controller('/users')
 * class UsersController {
 *   @find one({ params }: RouteRequest<typeof find>) { … }
 * }
 * ```
 */
export type RouteRequest<S = unknown, D extends readonly unknown[] = []> = RequestOf<S> &
  AllMembers<D> & { readonly [askedDecorators]?: NamesOf<D[number]>; readonly [requestSchemas]?: S }
type RequestOf<S> = S extends { readonly [routeSchema]: infer R } ? SchemaRequest<R> & { readonly [routeSchema]?: R } : SchemaRequest<S>

/** A route decorator with the schemas `S`. */
export interface DecoratorWithSchema<S> {
  readonly [routeSchema]: S
}
/** The type-level key of the names of the request decorators that a request type requires. It does not exist at run time. */
export declare const askedDecorators: unique symbol
/** The type-level key of the schemas of a request type. It does not exist at run time. */
declare const requestSchemas: unique symbol

/** The schemas of a request type; `unknown` if the type names none. */
export type RequestSchemas<Q> = Q extends { readonly [requestSchemas]?: infer S } ? SchemasOf<S> : unknown
type NamesOf<D> = D extends RequestDecorator<infer Name> ? Name : never
