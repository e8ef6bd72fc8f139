/** `@Plugin`: the declarations and imports of a context. */
import type {
  ContextDocs,
  Deprecation,
  ContentTypeParser,
  ContentTypeParserOptions,
  ErrorHandler,
  HookName,
  Hooks,
  HttpErrorClass,
  LifecycleHookName,
  RouteHandler,
  SchemaController,
  SchemaErrorFormatter,
  SerializerCompiler,
  ValidatorCompiler,
} from '../../lib/index.js'
import type { ReadonlyArrays } from '../../lib/internal.js'
import type { AccessRule } from './access/rule.js'
import { noteCopy } from './copies.js'
import type { CheckedImport, ImportEntry, PluginImport, WithoutOptions } from './imports.js'
import type {
  InjectedContentTypeParser,
  InjectedErrorHandler,
  InjectedNotFoundHandler,
  InjectedSchemaErrorFormatter,
} from './handler-class.js'
import type { AroundHook, GuardHookName, RouteHook } from './hook.js'
import type { Provider } from './injectable.js'
import { addMetadata, type Class, getOwnMetadata, metadataKey } from './metadata.js'
import type {
  NameAtStart,
  NameOf,
  NamesAskedBy,
  NamesAskedByErrorHandler,
  NamesAskedByHook,
  NamesSetByHook,
  UnstatedNames,
  NotAny,
  WantedOptions,
  WronglyInjected,
} from './proofs.js'
import type { BootstrappedServer, RequestDecorator, Token, TokenValue } from './tokens.js'

const kPlugin = metadataKey<PluginOptions>({
  decorator: '@Plugin',
  standsOn: ['plugin'],
  place: 'above a class that is the application, or that a plugin lists in imports',
})

/**
 * The options of {@link Plugin}. Their declarations are visible in the context of the plugin and in the contexts below it.
 * ```ts
 * @Plugin({ prefix: '/users', providers: [Users], routes: [UsersController], hooks: { onRequest: RequireUser }, imports: [BillingPlugin] })
 * class UsersPlugin {}
 * ```
 */
export interface PluginOptions {
  /** The name of the plugin in context paths and errors. Default: the name of the class. */
  name?: string
  /**
   * The prefix of the routes of this plugin and of the plugins below: `/users`. The prefix of the importing plugin is prepended. An import
   * with `use(PluginClass, { prefix })` replaces this prefix. `setup` of the root or of a shared plugin must write it in its paths.
   */
  prefix?: string
  /**
   * Plugin classes, which become child contexts, and plugin functions by {@link use}. The declarations of a child stay in the child, unless
   * it is shared. If an ancestor imports a class with {@link shared}, an import without options uses that instance, and no second one is
   * made.
   */
  imports?: readonly PluginImport[]
  /**
   * Whether the plugin declares everything in the importing context instead of a new context, as if imported by {@link shared}. Default:
   * false.
   */
  shared?: boolean
  /**
   * The request decorators that this plugin, an ancestor or a shared import must add, so that routes of this plugin may read them. If such
   * a decorator has no value, a hook that sets the value must run before each class route of this plugin, except routes with
   * {@link Without}.
   */
  requires?: readonly RequestDecorator[]
  /** The providers that can be injected in this context and below: classes, or values, factories and aliases for a token. */
  providers?: readonly Provider[]
  /**
   * The tokens of `providers` that only this plugin and the classes that it lists see. No other plugin sees them, not even a plugin that
   * imports this plugin as shared.
   */
  private?: readonly Token<any>[]
  /** The route classes and controllers of the plugin. */
  routes?: readonly Class[]
  /** Job classes ({@link Job}): they do what queues hold, run at times, or handle events. */
  jobs?: readonly Class[]
  /** The members to add to the server instance, by name. */
  decorate?: Readonly<Record<string | symbol, unknown>>
  /** The members to add to requests: typed handles ({@link requestDecorator}), or values by name. */
  decorateRequest?: readonly RequestDecorator[] | Readonly<Record<string | symbol, unknown>>
  /** The members to add to replies, by name. */
  decorateReply?: Readonly<Record<string | symbol, unknown>>
  /**
   * The shared schemas, for references by name (`{ $ref: 'User#' }`): classes that extend `Model` or have `@Schema` with an `$id`, or
   * objects with an `$id`. A class that routes in classes refer to with `ref` need not be listed.
   */
  schemas?: readonly (object | Class)[]
  /**
   * The hooks of this context, by name: one hook or a list. A hook is a function; a request hook may also be a class, which is constructed
   * with its dependencies injected and may be request-scoped. An `around` hook surrounds the handlers of the routes in classes of this
   * context and below.
   */
  hooks?: { readonly [N in HookName]?: PluginHook<N> | readonly PluginHook<N>[] } & { readonly around?: AroundHook | readonly AroundHook[] }
  /**
   * The access rules for the routes and plugins in this context and below, made by {@link rule}. A route or plugin that breaks a rule is a
   * fault of the wiring.
   */
  access?: readonly AccessRule[]
  /**
   * The documentation texts for the routes in this context and below: `{ tags: ['billing'] }`. A context, controller or route below may set
   * other texts.
   */
  docs?: ContextDocs
  /**
   * Deprecates the routes in this context and below, which clients should stop using:
   * `{ since: '2026-06-30', sunset: '2026-12-31', link: '/changes' }`. Replies then have the headers `Deprecation` and, if they are given,
   * `Sunset` and `Link`, and documents show the deprecation too. `true`: only documents and client files show it. `false`: the routes are
   * not deprecated, even if the context above is.
   */
  deprecated?: boolean | Deprecation
  /** The body parsers, with the options of `addContentTypeParser` and the parser function as `parse`. */
  contentTypeParsers?: readonly ({
    type: string | RegExp | (string | RegExp)[]
    parse: ContentTypeParser | Class<InjectedContentTypeParser>
  } & ContentTypeParserOptions)[]
  /**
   * Answers the errors of this context and below, unless a nearer handler does. An error that it throws goes to the next error handler
   * outwards, finally to the framework's. Like the options `notFoundHandler` and `schemaErrorFormatter`, and `parse` of a body parser, it is
   * a function, or a class with a method of the same name.
   */
  errorHandler?: ErrorHandler | Class<InjectedErrorHandler>
  /**
   * The payload format of errors in this context and below: `problem` for problem details (RFC 9457), `default` for
   * `{ statusCode, code?, error, message }`. Default: the format of the context above. If the context is the root or has a prefix,
   * the format holds for unknown paths below it too.
   */
  errorFormat?: 'default' | 'problem'
  /**
   * The error classes ({@link httpError}) with which the routes of this context and below may reply, such as the errors that hooks of the
   * context throw.
   */
  throws?: readonly HttpErrorClass[]
  /** The handler for requests below the context's prefix that match no route, unless a longer prefix has one. One for each prefix. */
  notFoundHandler?: RouteHandler<any> | Class<InjectedNotFoundHandler>
  /** A function that compiles the request schemas of this context and below. */
  validatorCompiler?: ValidatorCompiler
  /** A function that compiles the response schemas of this context and below. */
  serializerCompiler?: SerializerCompiler
  /** A function or class that creates the errors of failed validations in this context and below. */
  schemaErrorFormatter?: SchemaErrorFormatter | Class<InjectedSchemaErrorFormatter>
  /**
   * An object that stores the shared schemas of this context and below, creates the schema compilers, and says whether JSON bodies are
   * coerced.
   */
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
  jobs: true,
  decorate: true,
  decorateRequest: true,
  decorateReply: true,
  schemas: true,
  hooks: true,
  access: true,
  docs: true,
  deprecated: true,
  contentTypeParsers: true,
  errorHandler: true,
  errorFormat: true,
  throws: true,
  notFoundHandler: true,
  validatorCompiler: true,
  serializerCompiler: true,
  schemaErrorFormatter: true,
  schemaController: true,
}
/** The names of the options of {@link Plugin}. */
export const knownPluginOptions: readonly string[] = Object.keys(pluginOptionNames)

/** A hook of a context: a function, or for request hooks also a class with a method of the hook's name. */
export type PluginHook<N extends HookName = HookName> = N extends LifecycleHookName ? RouteHook<N> : Hooks[N]

/**
 * A plugin class with a `setup` method, which may call any method of the server instance. `options` are the options of
 * `use(PluginClass, options)`.
 * ```ts
 * @Plugin()
 * class Files implements PluginSetup<{ path: string }> {
 *   setup(instance: Server, { path }: { path: string }) { instance.get(path, () => 'by hand') }
 * }
 * ```
 */
export interface PluginSetup<Options = unknown> {
  /**
   * Declares further routes, hooks and decorators by calls of the server instance. This method is called at boot, after the instances of
   * the plugin are constructed; a promise is awaited. The routes that it adds come before the routes in the option `routes`.
   */
  setup(instance: BootstrappedServer, options: Options): unknown
}

// The names that a handler may read: those that each request starts with, and those that a hook has set by then.
type VisibleNames<O> =
  | NamesAtStart<O>
  | (O extends { readonly requires: readonly (infer D)[] } ? NameOf<D> : never)
  | (O extends { readonly hooks: infer H } ? NamesSetByHook<H[keyof H & (GuardHookName | 'around')]> : never)
  | (O extends { readonly imports: readonly (infer I)[] } ? (I extends ImportEntry<any, infer D> ? NameOf<D> : never) : never)
type NamesAtStart<O> =
  | (O extends { readonly decorateRequest: readonly (infer D)[] }
      ? NameAtStart<D>
      : O extends { readonly decorateRequest: infer R }
        ? keyof R
        : never)
  | (O extends { readonly requires: readonly (infer D)[] } ? NameAtStart<D> : never)
  | (O extends { readonly imports: readonly (infer I)[] } ? (I extends ImportEntry<infer D> ? NameAtStart<D> : never) : never)

// An import of which nothing is known may add any name.
type Unseen<Names, O> = NotAny<Exclude<Names, VisibleNames<O> | undefined>>
type UnseenAtStart<Names, O> = NotAny<Exclude<Names, NamesAtStart<O> | undefined>>
type RoutesOf<O> = O extends { readonly routes: readonly (infer C)[] } ? C : never
type MissingNames<O> = Unseen<NamesAskedBy<RoutesOf<O>>, O>
type CheckedOptions<O> = CheckedNames<O> &
  CheckedDecorators<O> &
  CheckedHooks<O> &
  CheckedHandlers<O> &
  CheckedInjection<O> &
  CheckedProviders<O> &
  CheckedImports<O>
// The options are inferred, so the compiler itself does not look for excess properties.
type CheckedNames<O> = { readonly [K in Exclude<keyof O, keyof PluginOptions>]: '@Plugin has no such option' }
// Any class fits the type `Class`, which says nothing of what its methods read.
type HasUnknownRoutes<O> = Class<object> extends NotAny<RoutesOf<O>> ? true : false
type CheckedDecorators<O> = [MissingNames<O>] extends [never]
  ? HasUnknownRoutes<O> extends false
    ? unknown
    : { routes: { error: 'the types of the routes do not say what they read: list the classes themselves, not values of the type Class' } }
  : {
      routes: {
        error: 'a route reads a request decorator that this plugin neither adds (decorateRequest; without a value, with a hook that sets it) nor requires (requires)'
        missing: MissingNames<O>
      }
    }

type InjectedClasses<O> = NotAny<ListedClasses<O>>
type ListedClasses<O> =
  | RoutesOf<O>
  | (O extends { readonly providers: readonly (infer P)[] } ? (P extends { useClass: infer C } ? C : P) : never)
  | (O extends { readonly hooks: infer H } ? Entry<H[keyof H]> : never)
  | (O extends { readonly errorHandler: infer H } ? H : never)
  | (O extends { readonly notFoundHandler: infer H } ? H : never)
  | (O extends { readonly schemaErrorFormatter: infer H } ? H : never)
  | (O extends { readonly contentTypeParsers: readonly { readonly parse: infer H }[] } ? H : never)
type Entry<L> = L extends readonly (infer E)[] ? E : L
type CheckedInjection<O> = [WronglyInjected<InjectedClasses<O>>] extends [never]
  ? unknown
  : { error: 'static inject of a class does not fit its constructor'; classes: WronglyInjected<InjectedClasses<O>> }

// The hooks that run before the handler may read what the routes may read. The others run although a guard has refused the request.
type MissingForHooks<O> = O extends { readonly hooks: infer H }
  ? Unseen<NamesAskedByHook<H[keyof H]>, O> | UnseenAtStart<NamesAskedByHook<H[Exclude<keyof H, GuardHookName | 'around'>]>, O>
  : never
// The boot sees when a hook runs, but what it reads only by the lists of its class.
type UnstatedForHooks<O> = O extends { readonly hooks: infer H } ? UnseenAtStart<UnstatedNames<H[keyof H]>, O> : never
type CheckedHooks<O> = [MissingForHooks<O>] extends [never]
  ? [UnstatedForHooks<O>] extends [never]
    ? unknown
    : {
        hooks: {
          error: 'a hook reads a request decorator that another hook sets: make it a class with static requires = [ … ]'
          missing: UnstatedForHooks<O>
        }
      }
  : {
      hooks: {
        error: 'a hook reads a request decorator that this plugin neither adds (decorateRequest; without a value, with a hook that sets it) nor requires (requires), or that may not be set when it runs (read it as Optional)'
        missing: MissingForHooks<O>
      }
    }

// The not-found handler may read what the routes may read, except what `around` hooks set. An error handler runs although a guard has refused the request, and a parser
// before some of the guards.
type UnstatedForNotFound<O> = O extends { readonly notFoundHandler: infer H } ? UnseenAtStart<UnstatedNames<H>, O> : never
type MissingForHandlers<O> =
  | (O extends { readonly notFoundHandler: infer H } ? Unseen<NamesAskedByHook<H>, WithoutArounds<O>> : never)
  | UnseenAtStart<
      | (O extends { readonly errorHandler: infer H } ? NamesAskedByErrorHandler<H> : never)
      | (O extends { readonly contentTypeParsers: readonly { readonly parse: infer H }[] } ? NamesAskedByHook<H> : never),
      O
    >
type WithoutArounds<O> = O extends { readonly hooks: infer H } ? Omit<O, 'hooks'> & { readonly hooks: Omit<H, 'around'> } : O
type CheckedHandlers<O> = [MissingForHandlers<O>] extends [never]
  ? [UnstatedForNotFound<O>] extends [never]
    ? unknown
    : {
        error: 'the not-found handler reads a request decorator that a hook sets: make it a class with static requires = [ … ]'
        missing: UnstatedForNotFound<O>
      }
  : {
      error: 'a handler or parser reads a request decorator that this plugin neither adds (decorateRequest; without a value, with a hook that sets it) nor requires (requires), or that may not be set when it runs (read it as Optional)'
      missing: MissingForHandlers<O>
    }

// A value fits its token by its public members. Inferred options have readonly arrays, so readonly arrays fit too.
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
type Misfits<O> = O extends { readonly providers: readonly (infer P)[] } ? NotAny<Misfit<P>> : never
type CheckedProviders<O> = [Misfits<O>] extends [never]
  ? unknown
  : { providers: { error: 'a provider gives something else than its token stands for'; misfits: Misfits<O> } }

type CheckedImports<O> = O extends { readonly imports: readonly (infer I)[] }
  ? [WithoutOptions<NotAny<I>>] extends [never]
    ? unknown
    : { imports: CheckedImport<I> }
  : unknown

/**
 * Makes a class a plugin: an encapsulation context with a separate scope of providers.
 * ```ts
 * @Plugin({ providers: [Clock], imports: [UsersPlugin, BillingPlugin] })
 * class App {}
 * ```
 * The class is constructed with its dependencies injected, and lives as long as its context. The compiler reports:
 * - a route, a hook or a method of the class that reads a request decorator which the plugin neither adds nor requires;
 * - a class whose `static inject` does not fit its constructor, and a provider that does not fit its token;
 * - `pluginOptions<T>()` with another type than `setup` takes, and an import without the options that its `setup` needs.
 */
export function Plugin<const O extends PluginOptions>(options: O & CheckedOptions<O> = {} as O & CheckedOptions<O>): PluginDecorator<O> {
  return (...args) => {
    noteCopy(args[0])
    return addMetadata(args, kPlugin, options)
  }
}

/** The decorator that {@link Plugin} returns. `O` is the type of the plugin's options. */
export interface PluginDecorator<O> {
  <C extends Class>(target: C & CheckedClass<C, O>, context?: unknown): C
}

// Types do not show which methods are hooks: every method whose request names request decorators counts as a hook.
type CheckedClass<C, O> = [UnseenAtStart<NamesAskedBy<C>, O>] extends [never]
  ? [WronglyInjected<C>] extends [never]
    ? [Unfit<C, WantedOptions<C | InjectedClasses<O>>>] extends [never]
      ? unknown
      : {
          error: 'pluginOptions<T>() is not what setup(instance, options: T) of this plugin takes'
          wanted: WantedOptions<C | InjectedClasses<O>>[0]
          taken: SetupOptions<C>
        }
    : { error: 'static inject of the plugin does not fit its constructor' }
  : [Unseen<NamesAskedBy<C>, O>] extends [never]
    ? {
        error: 'a method reads a request decorator that a hook sets: read it as Optional, or in a hook class with static requires = [ … ]'
        missing: UnseenAtStart<NamesAskedBy<C>, O>
      }
    : {
        error: 'a method reads a request decorator that this plugin neither adds (decorateRequest; without a value, with a hook that sets it) nor requires (requires)'
        missing: Unseen<NamesAskedBy<C>, O>
      }
type SetupOptions<C> = C extends Class<infer I> ? (I extends { setup(instance: any, options: infer T): unknown } ? T : unknown) : never
type Unfit<C, W extends [unknown]> = W extends [infer T] ? (SetupOptions<C> extends T ? never : T) : never

/**
 * Returns the options of `@Plugin`; `undefined` for a class without this decorator. A subclass of a plugin is a plugin only if it is
 * decorated with `@Plugin` itself.
 */
export function getPluginOptions(Class: object): PluginOptions | undefined {
  return getOwnMetadata(Class, kPlugin)
}
