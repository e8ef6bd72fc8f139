/**
 * Provider records: the facts about a provider that the wiring needs, such as its factory, lifetime and dependencies. A record is created
 * from an entry of a plugin's `providers`, or from a class that is only constructed (a route, a plugin, a hook).
 */
import { type FactoryProvider, getProviderScope, type Provider, type ProviderScope } from '../declare/injectable.js'
import { type Class, getConstructorParameters, lineage } from '../declare/metadata.js'
import { builtInTokens, type InjectEntry, isToken, type Token, tokenName } from '../declare/tokens.js'
import { type Fault, fault } from './faults.js'
import type { FunctionNode, JobNode, PluginNode } from './nodes.js'
import { type Consumer, describeValue, isClass, isConstructible, labelOf, nameOf } from './value-names.js'

/**
 * The result of resolving a dependency: a provider, one of the built-in values, or nothing if the dependency is optional and no plugin
 * provides it.
 */
export type Dependency = PresentDependency | { readonly token: Token<any>; readonly missing: true }

/** A dependency that was found. `isAmbient`: a handle is injected, which looks the instance up when the handle is read. */
export type PresentDependency =
  | { readonly token: Token<any>; readonly provider: ProviderRecord; readonly isAmbient?: true }
  | { readonly token: Token<any>; readonly builtIn: Token<any>; readonly isAmbient?: true }

/** A dependency that a class or factory asks for with `ambient`. */
export interface Handle {
  readonly record: ProviderRecord
  readonly dependency: PresentDependency
}

/** A token that a constructor or factory asks for. */
export interface RequestedToken {
  readonly token: Token<any>
  readonly isOptional: boolean
  /**
   * Whether a handle is asked for (`ambient`), which looks the instance up when it is read. Absent otherwise, to save memory: an
   * application has thousands of tokens.
   */
  readonly isAmbient?: true
}

/** A provider, or a class that is constructed but cannot be injected: a route, a plugin, a hook. */
export interface ProviderRecord {
  readonly token: Token<any>
  readonly kind: 'class' | 'value' | 'factory' | 'existing'
  /** The class, factory or value of the provider; `undefined` for an alias (`useExisting`). */
  readonly source: any
  readonly scope: ProviderScope
  /** Whether the application disposes of the result of a factory. */
  readonly isOwned: boolean
  /** The plugin that lists the provider or class. */
  readonly plugin: PluginNode
  /** The tokens that the constructor or factory asks for, in the order of its parameters. */
  readonly tokens: readonly RequestedToken[]
  /** The dependency for each of `tokens`; {@link unresolved} until the wiring is resolved. */
  dependencies: readonly Dependency[]
  /**
   * Whether each request has a separate instance, because the provider or one of its dependencies is request-scoped. `false` until the
   * wiring is resolved.
   */
  isRequestBound: boolean
}

/** The resolved wiring of an application: its providers, and the dependencies with which each instance is constructed. */
export interface Wiring {
  /** The providers that a context and the contexts below see, by the plugin that owns the context. */
  readonly providers: ReadonlyMap<PluginNode, ReadonlyMap<object | symbol | string, ProviderRecord>>
  /** The private providers, which only one plugin sees, by that plugin. Their instances live in the context of the plugin too. */
  readonly privateProviders: ReadonlyMap<PluginNode, ReadonlyMap<object | symbol | string, ProviderRecord>>
  /** The provider records of the plugin classes themselves, by plugin. */
  readonly plugins: ReadonlyMap<PluginNode, ProviderRecord>
  /** The records of the classes that a plugin lists and alcove constructs (of routes, hooks and handlers): a map from each plugin to its records. */
  readonly constructedClasses: ReadonlyMap<PluginNode, ReadonlyMap<Class, ProviderRecord>>
  /** The provider records of options that are computed from providers (`optionsFrom`), by the import with these options. */
  readonly importOptions: ReadonlyMap<PluginNode | FunctionNode, ProviderRecord>
  /** A map from each job to the provider record of the queue that feeds the job. */
  readonly jobQueues: ReadonlyMap<JobNode, ProviderRecord>
  /** A map from each job to the provider record of the event that the job handles. */
  readonly jobEvents: ReadonlyMap<JobNode, ProviderRecord>
  /** Whether any guard, handler or plugin declares its replies. */
  readonly hasDeclaredReplies: boolean
  /** Returns the provider of a token that a plugin sees. Aliases are followed. */
  findProvider(plugin: PluginNode, token: Token<any>): ProviderRecord | undefined
  /** Returns the plugins that provide a token to other plugins, whether or not these see it. */
  pluginsProviding(token: Token<any>): PluginNode[]
  /** Returns the plugins that provide a token privately. */
  pluginsHiding(token: Token<any>): PluginNode[]
  /** Returns the plugins that provide a token with the same name. */
  namesakesOf(token: Token<any>): PluginNode[]
  /** The dependencies that classes ask for with `ambient`. */
  readonly handles: readonly Handle[]
  /** Whether the root is mounted for a test, without its ancestors. */
  readonly isMountedAlone: boolean
}

/** Returns the name of a provider in errors, with its plugin. A class is named by itself, any other provider by its token. */
export function consumerOf({ kind, token, source, plugin }: ProviderRecord): Consumer {
  return { name: kind === 'class' ? nameOf(source) : tokenName(token), plugin }
}

/** Returns the name of a provider in errors, logs and spans: `Repo (in App > UsersPlugin)`. */
export function labelOfRecord(record: ProviderRecord): string {
  return labelOf(consumerOf(record))
}

/** The value of a record's `dependencies` before they are resolved. */
export const unresolved: readonly Dependency[] = []

/** Returns the scope that a provider declares, itself or by `@Injectable`; by default, the scope of its context. */
export function scopeOfProvider(provider: Provider): ProviderScope {
  if (typeof provider === 'function') return getProviderScope(provider) ?? 'context'
  if ('scope' in provider && provider.scope != null) return provider.scope
  return ('useClass' in provider && isConstructible(provider.useClass) ? getProviderScope(provider.useClass) : undefined) ?? 'context'
}

/**
 * Creates the provider record of an entry of `providers`.
 * @returns `undefined` for an invalid entry, whose fault is added to `found`
 */
export function createProviderRecord(provider: Provider, plugin: PluginNode, found: Fault[]): ProviderRecord | undefined {
  if (isConstructible(provider)) return createClassRecord(provider, plugin, scopeOfProvider(provider), found)
  if (provider === null || typeof provider !== 'object' || !isToken(provider.provide)) {
    const hasToken = provider !== null && typeof provider === 'object' && 'provide' in provider
    found.push(
      fault('PROVIDER_INVALID', hasToken ? `a provider of ${describeValue(provider.provide)}` : describeValue(provider), plugin.path),
    )
    return undefined
  }
  const { provide: token } = provider
  if ((builtInTokens as readonly unknown[]).includes(token))
    return void found.push(fault('PROVIDER_BUILT_IN', tokenName(token), plugin.path))
  const invalid = findInvalidSource(provider, plugin)
  if (invalid !== undefined) return void found.push(invalid)
  if ('useClass' in provider)
    return {
      ...createClassRecord(provider.useClass, plugin, scopeOfProvider(provider), found),
      token,
    }
  if ('useValue' in provider) return createRecord(plugin, { kind: 'value', token, source: provider.useValue })
  if ('useExisting' in provider)
    return createRecord(plugin, { kind: 'existing', token, tokens: [readRequestedToken(provider.useExisting)] })
  if ('useFactory' in provider) {
    const tokens = readFactoryTokens(provider, plugin, found)
    const { owned: isOwned = true } = provider
    return createRecord(plugin, { kind: 'factory', token, source: provider.useFactory, tokens, scope: scopeOfProvider(provider), isOwned })
  }
  found.push(fault('PROVIDER_INVALID', tokenName(token), plugin.path))
  return undefined
}

/**
 * Returns the fault of a provider whose `useClass` is not a class, whose `useFactory` is not a function, or whose `useExisting` is not a
 * token; `undefined` if there is none.
 */
function findInvalidSource(provider: Exclude<Provider, Class>, { path }: PluginNode): Fault | undefined {
  const invalid = (key: string, value: unknown, wanted: string, other?: string): Fault =>
    fault('PROVIDER_SOURCE_INVALID', tokenName(provider.provide), path, key, describeValue(value), wanted, other)
  if ('useClass' in provider && !isConstructible(provider.useClass)) {
    const isFunction = typeof provider.useClass === 'function'
    return invalid('useClass', provider.useClass, 'a class', isFunction ? 'useFactory for a function that makes the value' : undefined)
  }
  if ('useFactory' in provider && (typeof provider.useFactory !== 'function' || isClass(provider.useFactory)))
    return invalid('useFactory', provider.useFactory, 'a function', isClass(provider.useFactory) ? 'useClass for a class' : undefined)
  if ('useExisting' in provider && !isToken(provider.useExisting)) return invalid('useExisting', provider.useExisting, 'a token')
  return undefined
}

/** Returns the tokens that a factory asks for. A factory with more parameters than tokens is a fault. */
function readFactoryTokens({ provide, inject = [], useFactory }: FactoryProvider, plugin: PluginNode, found: Fault[]): RequestedToken[] {
  const name = tokenName(provide)
  if (!Array.isArray(inject)) {
    const place = [plugin.path, `the provider of ${name}`, describeValue(inject)] as const
    found.push(fault('OPTION_INVALID', ...place, 'inject', 'a list', 'Write inject: [ … ].'))
    return []
  }
  if (inject.length < useFactory.length) found.push(fault('INJECT_COUNT', name, plugin.path, inject.length, useFactory.length, true))
  return readTokens(inject, () => name, plugin, found)
}

/** Returns the tokens in a list. Entries that are not tokens are faults. */
function readTokens(entries: InjectList, consumer: () => string, { path }: PluginNode, found: Fault[]): RequestedToken[] {
  const requested: RequestedToken[] = []
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index]
    const read = entry == null ? undefined : readRequestedToken(entry)
    if (read?.token == null) found.push(fault('INJECT_UNDEFINED', consumer(), path, index))
    else if (isToken(read.token)) requested.push(read)
    else found.push(fault('INJECT_INVALID', consumer(), path, index, describeValue(read.token)))
  }
  return requested
}

// This takes a third of the time of `Class.length`, which V8 looks up by the shape of the object: each class has another shape, and an
// application may have thousands of classes.
function classProperty(Class: object, name: 'inject' | 'length' | 'prototype'): unknown {
  return Reflect.get(Class, name)
}

/** Creates a provider record for a class whose token is the class itself. */
export function createClassRecord(Class: Class, plugin: PluginNode, scope: ProviderScope, found: Fault[]): ProviderRecord {
  const tokens = readConstructorTokens(Class, plugin, found)
  findLifecycleMethodOfNest(Class, plugin, found)
  return createRecord(plugin, { kind: 'class', token: Class, source: Class, tokens, scope })
}

/**
 * The methods that are called only on instances that live as long as their context, and (`methodsOfRequests`) only on instances of a
 * request.
 */
export const methodsOfContexts = ['onReady', 'onListen'] as const
export const methodsOfRequests = ['onRequestEnd'] as const

/** The methods that end an instance, in the order of preference: only the first existing method is called. */
export const endMethods = [Symbol.asyncDispose, Symbol.dispose, 'onClose', 'dispose'] as const

/** The methods of instances that alcove calls itself: without a request, without guards and without validation. */
export const lifecycleMethods: ReadonlySet<string | symbol> = new Set([...methodsOfContexts, ...methodsOfRequests, ...endMethods])

/**
 * The methods that NestJS calls, each with the methods that alcove calls instead. A class with both methods is meant for both frameworks,
 * so it is no fault.
 */
const methodsOfNest: readonly { readonly method: string; readonly known: readonly (string | symbol)[] }[] = [
  ...['onModuleInit', 'onApplicationBootstrap'].map((method) => ({ method, known: ['onReady'] })),
  ...['onModuleDestroy', 'beforeApplicationShutdown', 'onApplicationShutdown'].map((method) => ({
    method,
    known: ['onClose', 'dispose', Symbol.dispose, Symbol.asyncDispose],
  })),
]

function findLifecycleMethodOfNest(Class: Class, plugin: PluginNode, found: Fault[]): void {
  const prototype = classProperty(Class, 'prototype') as object | undefined
  if (prototype === undefined) return
  const place = Class === plugin.Class ? plugin.path : `${plugin.path} > ${Class.name}`
  for (const { method, known } of methodsOfNest) {
    if (Reflect.has(prototype, method) && !known.some((each) => each in prototype))
      found.push(fault('LIFECYCLE_METHOD_UNKNOWN', place, method, String(known[0])))
  }
}

type RecordOptions = Pick<ProviderRecord, 'kind' | 'token'> & Partial<Pick<ProviderRecord, 'source' | 'tokens' | 'scope' | 'isOwned'>>

/** Creates a provider record of a plugin. The dependencies are not resolved yet. */
export function createRecord(plugin: PluginNode, options: RecordOptions): ProviderRecord {
  const { kind, token, source, tokens = [], scope = 'context', isOwned = true } = options
  return { token, kind, source, scope, isOwned, plugin, tokens, dependencies: unresolved, isRequestBound: false }
}

/**
 * Returns the lifetime of the instances of a provider record: `request` also for a context-scoped record with a request-scoped dependency.
 */
export function lifetimeOf({ scope, isRequestBound }: ProviderRecord): ProviderScope {
  return scope === 'transient' ? scope : isRequestBound ? 'request' : 'context'
}

/** Reads an entry of `static inject` or of a factory's `inject`: the token, and whether it is optional or a handle. */
export function readRequestedToken(entry: InjectEntry): RequestedToken {
  if (typeof entry === 'object') {
    if ('optional' in entry) return { token: entry.optional, isOptional: true }
    if ('ambient' in entry) return { token: entry.ambient, isOptional: false, isAmbient: true }
  }
  return { token: entry, isOptional: false }
}

/**
 * Returns the tokens that a class's constructor asks for: `static inject`, otherwise the types that the compiler emitted with the tokens of
 * tsyringe's `@inject` over them. A class that declares none of these inherits them from its parent class, but inherits types only if it
 * inherits the constructor too.
 */
function readConstructorTokens(Class: Class, plugin: PluginNode, found: Fault[]): RequestedToken[] {
  const own = ownInjectList(Class)
  if (own !== undefined) return readInjectList(Class, own, classProperty(Class, 'length') as number, plugin, found)
  const classes = lineage(Class) as Class[]
  const declaring = classes.find((at) => ownInjectList(at) !== undefined || getConstructorParameters(at) !== undefined)
  // A class without a constructor counts no parameters: it passes all to its parent class.
  const constructing = classes.find((at) => at === declaring || at.length > 0)
  const taken = constructing?.length ?? 0
  const inherited = declaring && ownInjectList(declaring)
  if (inherited !== undefined) return readInjectList(Class, inherited, taken, plugin, found)
  const parameters = constructing === undefined || constructing !== declaring ? [] : getConstructorParameters(constructing)!
  if (parameters.length < taken) {
    found.push(fault('NO_CONSTRUCTOR_TYPES', nameOf(constructing), plugin.path, taken))
    return []
  }
  for (const [index, { token }] of parameters.entries()) {
    if (token === undefined) found.push(fault('CLASS_USED_BEFORE_DECLARATION', nameOf(Class), plugin.path, index))
    else if (isErased(token)) found.push(fault('UNKNOWN_CONSTRUCTOR_TYPE', nameOf(Class), plugin.path, index, tokenName(token)))
  }
  return parameters.filter(({ token }) => token !== undefined && !isErased(token)) as RequestedToken[]
}

type InjectList = readonly InjectEntry[]

/**
 * Returns the tokens of `static inject`. A constructor with more parameters than tokens is a fault.
 * @param taken the number of parameters of the constructor
 */
function readInjectList(Class: Class, listed: InjectList, taken: number, plugin: PluginNode, found: Fault[]): RequestedToken[] {
  if (listed.length < taken) found.push(fault('INJECT_COUNT', Class.name, plugin.path, listed.length, taken))
  return readTokens(listed, () => nameOf(Class), plugin, found)
}

/** Returns the `static inject` that the class itself declares, not its parent classes; `undefined` if it is not a list. */
function ownInjectList(Class: object): InjectList | undefined {
  const listed = Object.hasOwn(Class, 'inject') ? classProperty(Class, 'inject') : undefined
  return Array.isArray(listed) ? (listed as InjectList) : undefined
}

// The compiler emits these also for interfaces, unions and primitive types: they do not identify a provider.
const erasedTypes = new Set<unknown>([Object, String, Number, Boolean, Array, Function, Promise, Symbol, BigInt])
const isErased = (token: unknown): boolean => erasedTypes.has(token)
