/**
 * Imports of plugins: `use` passes options to a plugin, `shared` imports a plugin into the importing context, `optionsFrom` computes
 * options from providers.
 */
import type { ContextDocs, DeclaredReplies, Deprecation, Plugin as PluginFunction } from '../../lib/index.js'
import type { Injected } from './injectable.js'
import type { Class } from './metadata.js'
import type { HookSetDecorator, InjectEntry, RequestDecorator } from './tokens.js'

/** An entry of the option `imports`: a plugin class, or the result of {@link use} or {@link shared}. */
export type PluginImport = Class | ImportEntry

/** An import with options, made by {@link use} or {@link shared}. */
export interface ImportEntry<D extends RequestDecorator = RequestDecorator, S extends HookSetDecorator = HookSetDecorator> {
  readonly kind: 'import'
  readonly plugin: Class | PluginFunction | Promise<unknown> | { readonly default: unknown }
  readonly options: unknown
  /** The request decorators that the plugin function adds, according to the third argument of {@link use}. */
  readonly decorates: readonly (D | S)[]
  /** The request decorators among `decorates` that hooks of the plugin function set. */
  readonly sets: readonly S[]
  /** The third argument of {@link use}, unchanged: facts about a plugin function. */
  readonly known: object
  /** Whether the imported plugin declares everything in the importing context instead of a new context. */
  readonly isShared: boolean
  /** Further arguments of {@link shared}, which takes none. They are reported as a mistake. */
  readonly more?: readonly unknown[]
}

/**
 * Imports a plugin with options: a plugin function, written for alcove or for Fastify, or a plugin class.
 * ```ts
 * @Plugin({ imports: [
 *   use(bearerAuth, { keys: new Set(['abc123']) }),
 *   use(UsersPlugin, { table: 'users' }),
 *   use(jwt, { secret }, { decorates: [JwtUser] }),
 * ] })
 * class App {}
 * ```
 * The options of a plugin class have the type that its `setup(instance, options)` takes; its providers inject them as `PLUGIN_OPTIONS`.
 * `options.prefix` replaces the prefix of a plugin class.
 * @param known.decorates the request decorators that a plugin function adds. The check of the wiring relies on this list, which is verified
 * at boot
 * @param known.sets the request decorators that a plugin function adds and that its onRequest hooks set for each request
 * @param known.routeOptions the options of routes that a plugin function reads, such as `['audit']`, so that {@link RouteClassOptions} may
 * have these options. The options of the plugins in docs/reference/ecosystem.md are known already
 * @param known.responses the replies that a plugin function may send at the routes of its context, by status: `{ 401: Problem }`. See
 * {@link DeclaredReplies}
 * @param known.security how clients authenticate at these routes: `{ bearer: { type: 'http', scheme: 'bearer' } }`
 * @param known.requestHeaders the request headers that the plugin function reads at these routes:
 * `{ type: 'object', properties: { 'x-tenant': { type: 'string' } } }`
 * @param known.responseHeaders the headers that the plugin function adds to replies: `{ '2xx': { 'x-cache': { type: 'string' } } }`
 * @param known.docs texts for the documentation of the routes in its context
 * @param known.deprecated a deprecation of the routes in its context, which clients should stop using:
 * `{ since: '2026-06-30', sunset: '2026-12-31' }`
 */
export function use<P extends Class, const D extends RequestDecorator = never, const S extends HookSetDecorator = never>(
  plugin: P,
  options: InjectedOptions<OptionsOf<P> & WithoutPrefix>,
  known?: Known<D, S>,
): ImportEntry<NoInfer<D>, NoInfer<S>>
export function use<P, const D extends RequestDecorator = never, const S extends HookSetDecorator = never>(
  plugin: P,
  ...rest: UseArguments<P, D, S>
): ImportEntry<NoInfer<D>, NoInfer<S>>
export function use(plugin: unknown, options?: unknown, known: Known<RequestDecorator, HookSetDecorator> = {}): ImportEntry {
  const { decorates = [], sets = [] } = known
  const added = [decorates, sets].flat()
  return { kind: 'import', plugin: plugin as ImportEntry['plugin'], options, decorates: added, sets, known, isShared: false }
}

/** Facts about a plugin function: the third argument of {@link use}. */
interface Known<D, S> extends DeclaredReplies {
  decorates?: readonly D[]
  sets?: readonly S[]
  routeOptions?: readonly string[]
  docs?: ContextDocs
  deprecated?: boolean | Deprecation
}
export const knownUseOptions: readonly string[] = [
  'decorates',
  'sets',
  'routeOptions',
  'responses',
  'security',
  'requestHeaders',
  'responseHeaders',
  'docs',
  'deprecated',
] satisfies (keyof Known<never, never>)[]

type UseArguments<P, D, S> =
  {} extends OptionsOf<P> ? [options?: ImportOptions<P>, known?: Known<D, S>] : [options: ImportOptions<P>, known?: Known<D, S>]
// Computed options of a class match the first signature: the compiler suggests no names for a union.
type ImportOptions<P> = P extends Class ? OptionsOf<P> : OptionsOf<P> | InjectedOptions<OptionsOf<P>>
interface WithoutPrefix {
  prefix?: 'error: the prefix of a plugin class cannot be computed, write it in the third argument of optionsFrom'
}
export type OptionsOf<P> = 0 extends 1 & P
  ? any
  : P extends Class<infer I>
    ? Prefixed<I extends { setup(instance: any, options: infer O): unknown } ? O : unknown>
    : P extends (instance: any, options: infer O, ...rest: any[]) => unknown
      ? Prefixed<O>
      : any
type Prefixed<O> = (unknown extends O ? Record<string, unknown> : O) & { prefix?: string }

/** The options of an imported plugin, computed from providers. Made by {@link optionsFrom}. */
export interface InjectedOptions<O = unknown> {
  readonly kind: 'injected options'
  readonly inject: readonly InjectEntry[]
  readonly make: (...dependencies: any[]) => O | Promise<O>
  readonly prefix?: string
}
/** The names of the options in the third argument of {@link optionsFrom}. */
export const knownInjectedOptions: readonly string[] = ['prefix'] satisfies (keyof InjectedOptions)[]

/**
 * Computes the options of an imported plugin function or plugin class from providers that the importing plugin sees. If the function
 * returns a promise, the promise is awaited.
 * ```ts
 * @Plugin({ imports: [use(jwt, optionsFrom([CONFIG], (config) => ({ secret: config.secret })))] })
 * class App {}
 * ```
 * The options are computed once for each import, before the providers of a plugin class are constructed.
 * @param options.prefix the prefix of the import. The prefix of a plugin class cannot be computed
 */
export function optionsFrom<O, const I extends readonly InjectEntry[]>(
  inject: I,
  make: (...dependencies: Injected<I> extends infer P extends unknown[] ? P : never) => O | Promise<O>,
  options: { prefix?: string } = {},
): InjectedOptions<O> {
  return { ...options, kind: 'injected options', inject, make: make as (...dependencies: any[]) => O | Promise<O> }
}

export function isInjectedOptions(value: unknown): value is InjectedOptions {
  return value !== null && typeof value === 'object' && (value as InjectedOptions).kind === 'injected options'
}

/**
 * The import that {@link shared} makes. Of a plugin function whose request decorators are named, it has their types. Any other import may add
 * any request decorator.
 */
type SharedImport<P> = P extends ImportEntry<infer D, infer S> ? ([D | S] extends [never] ? ImportEntry : ImportEntry<D, S>) : ImportEntry

/**
 * Imports a plugin that declares everything in the importing context: its decorators, hooks, schemas, providers … Plugin functions that are
 * wrapped with fastify-plugin do this without `shared`.
 * ```ts
 * @Plugin({ imports: [
 *   shared(MetricsPlugin),
 *   shared(use(TenantPlugin, { header: 'x-tenant' })),
 *   shared(use(async (instance: Server) => { … })),
 * ] })
 * class App {}
 * ```
 */
export function shared<P extends PluginImport>(plugin: P & CheckedImport<P>): SharedImport<P>
export function shared(plugin: PluginImport, ...more: unknown[]): ImportEntry {
  return isImportEntry(plugin)
    ? { ...plugin, isShared: true, more }
    : { kind: 'import', plugin, options: undefined, decorates: [], sets: [], known: {}, isShared: true, more }
}

export function isImportEntry(value: unknown): value is ImportEntry {
  return value !== null && typeof value === 'object' && (value as ImportEntry).kind === 'import'
}

export type WithoutOptions<I> = I extends Class ? ({} extends OptionsOf<I> ? never : I) : never
export type CheckedImport<I> = [WithoutOptions<I>] extends [never]
  ? unknown
  : { error: 'the setup of a plugin needs options: import it with use(Plugin, options)'; plugins: WithoutOptions<I> }
