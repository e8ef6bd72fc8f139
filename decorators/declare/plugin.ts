/** `@Plugin`: the declarations and imports of a context. `use` imports with options; `shared` imports into the same context. */
import type {
  ContentTypeParser,
  ContentTypeParserOptions,
  ErrorHandler,
  HookName,
  Hooks,
  LifecycleHookName,
  Plugin as PluginFunction,
  RouteHandler,
  SchemaController,
  SchemaErrorFormatter,
  SerializerCompiler,
  Server,
  ValidatorCompiler,
} from '../../lib/index.js'
import type { ReadonlyArrays } from '../../lib/internal.js'
import { noteCopy } from './copies.js'
import type { AroundHook, RouteHook } from './hook.js'
import type { Injected, Provider } from './injectable.js'
import { addMetadata, type Class, getOwnMetadata, metadataKey } from './metadata.js'
import type { askedDecorators, OptionalToken, RequestDecorator, Token, TokenValue } from './tokens.js'

const kPlugin = metadataKey<PluginOptions>({
  decorator: '@Plugin',
  standsOn: ['plugin'],
  place: 'above a class that is the application, or that a plugin lists in imports',
})

/**
 * The options of {@link Plugin}. All that they declare is visible in the plugin's own context and in those below it.
 * ```ts
 * @Plugin({ prefix: '/users', providers: [Users], routes: [UsersController], hooks: { onRequest: RequireUser }, imports: [BillingPlugin] })
 * class UsersPlugin {}
 * ```
 */
export interface PluginOptions {
  /** Name in context paths and errors. Default: the name of the class. */
  name?: string
  /**
   * Prefix of the routes in this context and below: `/users`. It is added to the prefix of the importing plugin. An import with
   * `use(PluginClass, { prefix })` replaces it.
   */
  prefix?: string
  /**
   * Plugin classes, which become child contexts, and plugin functions by {@link use}. The declarations of a child stay in the child,
   * unless it is shared. A class without options that this context or an ancestor imports with {@link shared} is not made again: that
   * one instance is used.
   */
  imports?: readonly PluginImport[]
  /** Declares everything in the importing context instead of in a context of its own, as if imported by {@link shared}. Default: false. */
  shared?: boolean
  /** Request decorators that an ancestor or a shared import must add. Routes of this plugin may read them. */
  requires?: readonly RequestDecorator[]
  /** Providers that can be injected here and below: classes, or values, factories and aliases for a token. */
  providers?: readonly Provider[]
  /**
   * Tokens of `providers` that only this plugin itself sees: its providers, routes and hooks, but neither the plugin that imports it as
   * shared nor any other.
   */
  private?: readonly Token<any>[]
  /** Route classes and controllers. */
  routes?: readonly Class[]
  /** Members to add to the server instance, by name. */
  decorate?: Readonly<Record<string | symbol, unknown>>
  /** Members to add to requests: typed handles ({@link requestDecorator}), or values by name. */
  decorateRequest?: readonly RequestDecorator[] | Readonly<Record<string | symbol, unknown>>
  /** Members to add to replies, by name. */
  decorateReply?: Readonly<Record<string | symbol, unknown>>
  /** Shared schemas: objects with an `$id`, or classes whose `@Schema` has one. */
  schemas?: readonly (object | Class)[]
  /**
   * Hooks of this context, by name: one hook or a list. A hook is a function; a hook of requests may also be a class, which is injected
   * and may be request-scoped. An `around` hook surrounds the handlers of the routes here and below.
   */
  hooks?: { readonly [N in HookName]?: PluginHook<N> | readonly PluginHook<N>[] } & { readonly around?: AroundHook | readonly AroundHook[] }
  /** Body parsers, with the options of `addContentTypeParser` and the parser function as `parse`. */
  contentTypeParsers?: readonly ({ type: string | RegExp | (string | RegExp)[]; parse: ContentTypeParser } & ContentTypeParserOptions)[]
  /** Answers the errors of this context and below. An error that it throws goes to the error handler of an ancestor. */
  errorHandler?: ErrorHandler
  /** Answers requests below the prefix that match no route. There can be only one for each prefix. */
  notFoundHandler?: RouteHandler<any>
  /** Compiles the request schemas of this context and below. */
  validatorCompiler?: ValidatorCompiler
  /** Compiles the response schemas of this context and below. */
  serializerCompiler?: SerializerCompiler
  /** Creates the errors of failed validations in this context and below. */
  schemaErrorFormatter?: SchemaErrorFormatter
  /** Stores the shared schemas of this context and below, and creates the schema compilers. */
  schemaController?: SchemaController
}

const pluginOptionNames: { readonly [K in keyof Required<PluginOptions>]: true } = {
  name: true,
  prefix: true,
  imports: true,
  shared: true,
  requires: true,
  providers: true,
  private: true,
  routes: true,
  decorate: true,
  decorateRequest: true,
  decorateReply: true,
  schemas: true,
  hooks: true,
  contentTypeParsers: true,
  errorHandler: true,
  notFoundHandler: true,
  validatorCompiler: true,
  serializerCompiler: true,
  schemaErrorFormatter: true,
  schemaController: true,
}
/** The names of the options of {@link Plugin}. */
export const knownPluginOptions: readonly string[] = Object.keys(pluginOptionNames)

/** A hook of a context: a function, or for the hooks of requests also a class with a method of the hook's name. */
export type PluginHook<N extends HookName = HookName> = N extends LifecycleHookName ? RouteHook<N> : Hooks[N]

/**
 * A plugin class with a `setup` method, which may call any method of the server instance. `options` are those of
 * `use(PluginClass, options)`.
 * ```ts
 * @Plugin()
 * class Files implements PluginSetup<{ path: string }> {
 *   setup(instance: Server, { path }: { path: string }) { instance.get(path, () => 'by hand') }
 * }
 * ```
 */
export interface PluginSetup<Options = unknown> {
  /** Called at boot, after the plugin's instances are constructed; a promise is awaited. Its routes come before those of `routes`. */
  setup(instance: Server, options: Options): unknown
}

/** One entry of `imports`: a plugin class, or the result of {@link use} or {@link shared}. */
export type PluginImport = Class | ImportEntry

/** An import with options, made by {@link use} or {@link shared}. */
export interface ImportEntry<D extends RequestDecorator = RequestDecorator> {
  readonly kind: 'import'
  readonly plugin: Class | PluginFunction | Promise<unknown> | { readonly default: unknown }
  readonly options: unknown
  /** Request decorators that the plugin function is said to add. */
  readonly decorates: readonly D[]
  /** The third argument of {@link use}, as it was given. */
  readonly known: object
  /** Whether the plugin declares in the importing context. */
  readonly isShared: boolean
  /** Further arguments of {@link shared}, which takes none: a mistake that is reported. */
  readonly more?: readonly unknown[]
}

type NameOf<D> = D extends RequestDecorator<infer Name> ? Name : never
type VisibleNames<O> =
  | (O extends { readonly decorateRequest: readonly (infer D)[] }
      ? NameOf<D>
      : O extends { readonly decorateRequest: infer R }
        ? keyof R
        : never)
  | (O extends { readonly requires: readonly (infer D)[] } ? NameOf<D> : never)
  | (O extends { readonly imports: readonly (infer I)[] } ? (I extends ImportEntry<infer D> ? NameOf<D> : never) : never)

// A request of type `any` asks for `unknown`, which is the name of nothing.
type AskedNames<Q> = Q extends { readonly [askedDecorators]?: infer Name } ? (unknown extends Name ? never : Name) : never
type NamesAskedBy<C> = C extends abstract new (...args: any[]) => infer I
  ? { [M in keyof I]: I[M] extends (request: infer Q, ...rest: any[]) => any ? AskedNames<Q> : never }[keyof I]
  : never
type MissingNames<O> = O extends { readonly routes: readonly (infer C)[] } ? Exclude<NamesAskedBy<C>, VisibleNames<O> | undefined> : never
type CheckedOptions<O> = CheckedNames<O> &
  CheckedDecorators<O> &
  CheckedHooks<O> &
  CheckedInjection<O> &
  CheckedProviders<O> &
  CheckedImports<O>
// The options are inferred, so the compiler itself does not look for excess properties.
type CheckedNames<O> = { readonly [K in Exclude<keyof O, keyof PluginOptions>]: '@Plugin has no such option' }
type CheckedDecorators<O> = [MissingNames<O>] extends [never]
  ? unknown
  : {
      routes: {
        error: 'a route reads a request decorator that this plugin neither adds (decorateRequest) nor requires (requires)'
        missing: MissingNames<O>
      }
    }

// Without `as const` the list has no length to compare: it is checked at run time, with the wiring.
type WronglyInjected<C> = C extends { readonly inject: infer I extends readonly unknown[] }
  ? number extends I['length']
    ? never
    : C extends abstract new (...args: infer A) => unknown
      ? { -readonly [K in keyof I]: TokenValue<I[K]> } extends A
        ? never
        : C
      : never
  : never
type InjectedClasses<O> =
  | (O extends { readonly routes: readonly (infer C)[] } ? C : never)
  | (O extends { readonly providers: readonly (infer P)[] } ? (P extends { useClass: infer C } ? C : P) : never)
type CheckedInjection<O> = [WronglyInjected<InjectedClasses<O>>] extends [never]
  ? unknown
  : { error: 'static inject of a class does not fit its constructor'; classes: WronglyInjected<InjectedClasses<O>> }

// The hooks of a plugin may read what its routes may read.
type NamesAskedByHook<H> = H extends readonly (infer E)[]
  ? NamesAskedByHook<E>
  : H extends Class
    ? NamesAskedBy<H>
    : H extends (request: infer Q, ...rest: any[]) => unknown
      ? AskedNames<Q>
      : never
type MissingForHooks<O> = O extends { readonly hooks: infer H }
  ? Exclude<{ [N in keyof H]: NamesAskedByHook<H[N]> }[keyof H], VisibleNames<O> | undefined>
  : never
type CheckedHooks<O> = [MissingForHooks<O>] extends [never]
  ? unknown
  : {
      hooks: {
        error: 'a hook reads a request decorator that this plugin neither adds (decorateRequest) nor requires (requires)'
        missing: MissingForHooks<O>
      }
    }

// A value fits by its public members. Inferred options have readonly arrays.
type Gives<P> = P extends { readonly useClass: abstract new (...args: any[]) => infer I }
  ? I
  : P extends { readonly useValue: infer V }
    ? V
    : P extends { readonly useFactory: (...args: any[]) => infer R }
      ? Awaited<R>
      : P extends { readonly useExisting: infer K }
        ? unknown extends TokenValue<K>
          ? any
          : TokenValue<K>
        : never
type Misfit<P> = P extends { readonly provide: infer K }
  ? unknown extends TokenValue<K>
    ? never
    : [Gives<P>] extends [TokenValue<K> | ReadonlyArrays<TokenValue<K>>]
      ? never
      : { token: TokenValue<K>; given: Gives<P> }
  : never
type Misfits<O> = O extends { readonly providers: readonly (infer P)[] } ? Misfit<P> : never
type CheckedProviders<O> = [Misfits<O>] extends [never]
  ? unknown
  : { providers: { error: 'a provider gives something else than its token stands for'; misfits: Misfits<O> } }

type WithoutOptions<I> = I extends Class ? ({} extends OptionsOf<I> ? never : I) : never
type CheckedImport<I> = [WithoutOptions<I>] extends [never]
  ? unknown
  : { error: 'the setup of a plugin needs options: import it with use(Plugin, options)'; plugins: WithoutOptions<I> }
type CheckedImports<O> = O extends { readonly imports: readonly (infer I)[] }
  ? [WithoutOptions<I>] extends [never]
    ? unknown
    : { imports: CheckedImport<I> }
  : unknown

/**
 * Makes a class a plugin: an encapsulation context with its own scope of providers.
 * ```ts
 * @Plugin({ providers: [Clock], imports: [UsersPlugin, BillingPlugin] })
 * class App {}
 * ```
 * The class is constructed with its dependencies injected, and lives as long as its context. The compiler reports a route or a
 * hook that reads a request decorator which the plugin neither adds nor requires, a class whose `static inject` does not fit its constructor,
 * a provider that does not fit its token, and an import without the options that its `setup` needs.
 */
export function Plugin<const O extends PluginOptions>(options: O & CheckedOptions<O> = {} as O & CheckedOptions<O>) {
  return (...args: [target: Class, context?: unknown]): void => {
    addMetadata(args, kPlugin, options)
    noteCopy(args[0])
  }
}

/** The options of `@Plugin`; `undefined` for a class without it. A subclass of a plugin is one only if it says so itself. */
export function getPluginOptions(Class: object): PluginOptions | undefined {
  return getOwnMetadata(Class, kPlugin)
}

/**
 * Imports a plugin with options: a plugin function, written for alcove or for Fastify, or a plugin class.
 * ```ts
 * imports: [use(bearerAuth, { keys: new Set(['abc123']) }), use(UsersPlugin, { table: 'users' })]
 * imports: [use(jwt, { secret }, { decorates: [JwtUser] })]
 * ```
 * The options of a plugin class have the type that its `setup(instance, options)` takes; its providers inject them as
 * `PLUGIN_OPTIONS`. `options.prefix` replaces the prefix of a plugin class.
 * @param known.decorates request decorators that a plugin function adds. The check of the wiring relies on this list; it is verified
 * at boot
 * @param known.routeOptions options of routes that a plugin function reads, such as `['audit']`: {@link RouteClassOptions} may then have
 * them. Those of the plugins in docs/ecosystem.md are known
 */
export function use<P, const D extends RequestDecorator = never>(plugin: P, ...rest: UseArguments<P, D>): ImportEntry<NoInfer<D>> {
  const [options, known] = rest as [unknown, Known<D> | undefined]
  const { decorates = [] } = known ?? {}
  return { kind: 'import', plugin: plugin as ImportEntry['plugin'], options, decorates, known: known ?? {}, isShared: false }
}

/** What is known of a plugin function: the third argument of {@link use}. */
interface Known<D> {
  decorates?: readonly D[]
  routeOptions?: readonly string[]
}
export const knownUseOptions: readonly string[] = ['decorates', 'routeOptions'] satisfies (keyof Known<never>)[]

type UseArguments<P, D> =
  {} extends OptionsOf<P> ? [options?: GivenOptions<P>, known?: Known<D>] : [options: GivenOptions<P>, known?: Known<D>]
// Options of a plugin class cannot be computed from providers: the class injects these itself.
type GivenOptions<P> = P extends Class ? OptionsOf<P> : OptionsOf<P> | InjectedOptions<OptionsOf<P>>
type OptionsOf<P> = 0 extends 1 & P
  ? any
  : P extends Class<infer I>
    ? Prefixed<I extends { setup(instance: any, options: infer O): unknown } ? O : unknown>
    : P extends (instance: any, options: infer O, ...rest: any[]) => unknown
      ? Prefixed<O>
      : any
type Prefixed<O> = (unknown extends O ? Record<string, unknown> : O) & { prefix?: string }

/** Options of a plugin function that are computed from providers. Made by {@link optionsFrom}. */
export interface InjectedOptions<O = unknown> {
  readonly kind: 'injected options'
  readonly inject: readonly (Token<any> | OptionalToken)[]
  readonly make: (...dependencies: any[]) => O | Promise<O>
}

/**
 * Computes the options of an imported plugin function from providers that the importing plugin sees. A promise is awaited.
 * ```ts
 * imports: [use(jwt, optionsFrom([CONFIG], (config) => ({ secret: config.secret })))]
 * ```
 */
export function optionsFrom<O, const I extends readonly (Token<any> | OptionalToken)[]>(
  inject: I,
  make: (...dependencies: Injected<I> extends infer P extends unknown[] ? P : never) => O | Promise<O>,
): InjectedOptions<O> {
  return { kind: 'injected options', inject, make: make as (...dependencies: any[]) => O | Promise<O> }
}

export function isInjectedOptions(value: unknown): value is InjectedOptions {
  return value !== null && typeof value === 'object' && (value as InjectedOptions).kind === 'injected options'
}

/**
 * Imports a plugin that declares everything in the importing context: its decorators, hooks, schemas, providers … Plugin functions that
 * are wrapped with fastify-plugin do so without it.
 * ```ts
 * imports: [shared(MetricsPlugin), shared(use(TenantPlugin, { header: 'x-tenant' })), shared(use(async (instance) => { … }))]
 * ```
 */
export function shared<P extends PluginImport>(plugin: P & CheckedImport<P>): ImportEntry
export function shared(plugin: PluginImport, ...more: unknown[]): ImportEntry {
  return isImportEntry(plugin)
    ? { ...plugin, isShared: true, more }
    : { kind: 'import', plugin, options: undefined, decorates: [], known: {}, isShared: true, more }
}

export function isImportEntry(value: unknown): value is ImportEntry {
  return value !== null && typeof value === 'object' && (value as ImportEntry).kind === 'import'
}
