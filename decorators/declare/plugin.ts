/** `@Plugin`: what a context declares and imports. `use` and `shared` say how something is imported. */
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
import type { RouteHook } from './hook.js'
import { type Class, setMetadata, getMetadata, readDecoratorTarget } from './metadata.js'
import type { Injected, Provider } from './injectable.js'
import type { askedDecorators, OptionalToken, RequestDecorator, Token, TokenValue } from './tokens.js'

const kPlugin = Symbol('alcove.plugin')

/**
 * What a plugin class declares, all of it for its own context and those below.
 * ```ts
 * @Plugin({ prefix: '/users', providers: [Users], routes: [UsersController], hooks: { onRequest: RequireUser }, imports: [BillingPlugin] })
 * class UsersPlugin {}
 * ```
 */
export interface PluginOptions {
  /** Name in context paths and errors. Default: the class's. */
  name?: string
  /** Prefix of the routes in this context and below, itself below that of the importing plugin: `/users`. */
  prefix?: string
  /** Child contexts, and plugins of the ecosystem by {@link use}. What they declare stays in them unless it is shared. */
  imports?: readonly PluginImport[]
  /**
   * Declare everything in the importing context instead of in one of our own (spec: Encapsulation rules 5). The same as
   * {@link shared} where it is imported.
   */
  shared?: boolean
  /** Request decorators that must be visible here, from an ancestor or a shared import; routes may read them. */
  requires?: readonly RequestDecorator[]
  /** What can be injected here and below: classes, or values, factories and aliases for a token. */
  providers?: readonly Provider[]
  /** Route classes and controllers. */
  routes?: readonly Class[]
  /** Members of the server instance, by name. */
  decorate?: Readonly<Record<string | symbol, unknown>>
  /** Members of requests: typed handles ({@link requestDecorator}), or values by name. */
  decorateRequest?: readonly RequestDecorator[] | Readonly<Record<string | symbol, unknown>>
  /** Members of replies, by name. */
  decorateReply?: Readonly<Record<string | symbol, unknown>>
  /** Shared schemas: objects with an `$id`, or classes with a `@Schema` that has one. */
  schemas?: readonly (object | Class)[]
  /**
   * Hooks of this context, one or a list by name: functions; for the hooks of a request also classes, which are injected and may be
   * request-scoped.
   */
  hooks?: { readonly [N in HookName]?: PluginHook<N> | readonly PluginHook<N>[] }
  /** Body parsers: what `addContentTypeParser` takes, with the parser as `parse`. */
  contentTypeParsers?: readonly ({ type: string | RegExp | (string | RegExp)[]; parse: ContentTypeParser } & ContentTypeParserOptions)[]
  /** Answers the errors of this context and below; what it throws goes to the handler of an ancestor. */
  errorHandler?: ErrorHandler
  /** Answers where there is no route below the prefix; a prefix has one. */
  notFoundHandler?: RouteHandler<any>
  /** Compiles the request schemas of this context and below. */
  validatorCompiler?: ValidatorCompiler
  /** Compiles the response schemas of this context and below. */
  serializerCompiler?: SerializerCompiler
  /** Makes the errors of failed validations in this context and below. */
  schemaErrorFormatter?: SchemaErrorFormatter
  /** How the shared schemas of this context and below are kept, and compilers made of them. */
  schemaController?: SchemaController
}

/** A hook of a context: a function or, for the hooks of a request, a class whose method of the hook's name is run. */
export type PluginHook<N extends HookName = HookName> = N extends LifecycleHookName ? RouteHook<N> : Hooks[N]

/**
 * A plugin class may set itself up through the programmatic interface; `options` are what `use(PluginClass, options)` gave.
 * ```ts
 * @Plugin()
 * class Files implements PluginSetup<{ path: string }> {
 *   setup(instance: Server, { path }: { path: string }) { instance.get(path, () => 'by hand') }
 * }
 * ```
 */
export interface PluginSetup<Options = unknown> {
  /** Called at boot, when the plugin's own instances are made; a promise is awaited. Its routes come before those of `routes`. */
  setup(instance: Server, options: Options): unknown
}

/** One entry of `imports`: a plugin class, or what {@link use} and {@link shared} give. */
export type PluginImport = Class | ImportEntry

/** One import: made by {@link use} and {@link shared}. */
export interface ImportEntry<D extends RequestDecorator = RequestDecorator> {
  readonly kind: 'import'
  readonly plugin: Class | PluginFunction | Promise<unknown> | { readonly default: unknown }
  readonly options: unknown
  /** Request decorators that a plugin function is known to add. */
  readonly decorates: readonly D[]
  /** Whether a plugin class declares in the importing context. */
  readonly isShared: boolean
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

type AskedNames<Q> = Q extends { readonly [askedDecorators]?: infer Name } ? Exclude<Name, undefined> : never
type NamesAskedBy<C> = C extends abstract new (...args: any[]) => infer I
  ? { [M in keyof I]: I[M] extends (request: infer Q, ...rest: any[]) => any ? AskedNames<Q> : never }[keyof I]
  : never
type MissingNames<O> = O extends { readonly routes: readonly (infer C)[] } ? Exclude<NamesAskedBy<C>, VisibleNames<O>> : never
type CheckedOptions<O> = CheckedDecorators<O> & CheckedInjection<O>
type CheckedDecorators<O> = [MissingNames<O>] extends [never]
  ? unknown
  : {
      routes: {
        error: 'a route reads a request decorator that this plugin neither adds (decorateRequest) nor requires (requires)'
        missing: MissingNames<O>
      }
    }

// A list that is not `as const` has no length to compare: it is checked when the wiring is.
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

/**
 * Makes a class a plugin: an encapsulation context with its own scope of providers.
 * ```ts
 * @Plugin({ providers: [Clock], imports: [UsersPlugin, BillingPlugin] })
 * class App {}
 * ```
 * The class itself is injected, and lives as long as its context. A route that reads a request decorator which the plugin neither
 * adds nor requires does not compile, nor does a class whose `static inject` does not fit its constructor.
 */
export function Plugin<const O extends PluginOptions>(options: O & CheckedOptions<O> = {} as O & CheckedOptions<O>) {
  return (...args: [target: Class, context?: unknown]): void => setMetadata(readDecoratorTarget(args), kPlugin, options)
}

export function getPluginOptions(Class: object): PluginOptions | undefined {
  return getMetadata(Class, kPlugin)
}

/**
 * Imports a plugin with options: a function of ours or of the ecosystem, or a plugin class.
 * ```ts
 * imports: [use(bearerAuth, { keys: new Set(['abc123']) }), use(UsersPlugin, { table: 'users' })]
 * imports: [use(jwt, { secret }, { decorates: [JwtUser] })]
 * ```
 * A plugin class takes the options that its `setup(instance, options)` takes; its providers get them as `PLUGIN_OPTIONS`. `prefix`
 * sets the prefix of its context.
 * @param known.decorates request decorators that a plugin function adds; believed while the wiring is checked, verified at boot
 */
export function use<P, const D extends RequestDecorator = never>(plugin: P, ...rest: UseArguments<P, D>): ImportEntry<NoInfer<D>> {
  const [options, known] = rest as [unknown, Known<D> | undefined]
  return { kind: 'import', plugin: plugin as ImportEntry['plugin'], options, decorates: known?.decorates ?? [], isShared: false }
}

interface Known<D> {
  decorates?: readonly D[]
}
type UseArguments<P, D> =
  {} extends OptionsOf<P> ? [options?: GivenOptions<P>, known?: Known<D>] : [options: GivenOptions<P>, known?: Known<D>]
// The options of a plugin class are known while the wiring is proved; what it needs of providers it injects.
type GivenOptions<P> = P extends Class ? OptionsOf<P> : OptionsOf<P> | InjectedOptions<OptionsOf<P>>
type OptionsOf<P> = 0 extends 1 & P
  ? any
  : P extends Class<infer I>
    ? Prefixed<I extends { setup(instance: any, options: infer O): unknown } ? O : unknown>
    : P extends (instance: any, options: infer O, ...rest: any[]) => unknown
      ? Prefixed<O>
      : any
type Prefixed<O> = (unknown extends O ? Record<string, unknown> : O) & { prefix?: string }

/** Options of a plugin function that are made of providers, by {@link optionsFrom}. */
export interface InjectedOptions<O = unknown> {
  readonly kind: 'injected options'
  readonly inject: readonly (Token<any> | OptionalToken)[]
  readonly make: (...dependencies: any[]) => O | Promise<O>
}

/**
 * Options of an imported plugin function, made of what the importing plugin sees; a promise of them is awaited.
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
 * Imports a plugin class so that what it declares lands in the importing context: decorators, hooks, schemas and providers.
 * ```ts
 * imports: [shared(MetricsPlugin), shared(use(TenantPlugin, { header: 'x-tenant' }))]
 * ```
 */
export function shared(plugin: PluginImport): ImportEntry {
  return isImportEntry(plugin)
    ? { ...plugin, isShared: true }
    : { kind: 'import', plugin, options: undefined, decorates: [], isShared: true }
}

export function isImportEntry(value: unknown): value is ImportEntry {
  return value !== null && typeof value === 'object' && (value as ImportEntry).kind === 'import'
}
