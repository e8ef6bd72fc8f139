/**
 * Resolves the wiring: finds the provider of each dependency of each class that will be constructed. A plugin sees its own declarations and
 * those of its ancestors, and the declarations of shared plugins in one of these contexts. Nothing is constructed, and all faults are
 * reported together.
 */
import { kMissingCure, type Provider } from '../declare/injectable.js'
import type { Class } from '../declare/metadata.js'
import { isInjectedOptions } from '../declare/imports.js'
import { builtInTokens, LOGGER, PLUGIN_OPTIONS, REQUEST, type Token, tokenKey, tokenName } from '../declare/tokens.js'
import { isEventToken } from '../jobs/event.js'
import { isQueueToken } from '../jobs/queue.js'
import { checkDeclaredReplies } from './checks/replies.js'
import { findDecoratorFaults, findUnfindable } from './checks/decorators.js'
import { findInvalidEntries } from './checks/entries.js'
import { findHookFaults, findIdleContexts, findIdleHookClasses } from './checks/hooks.js'
import { findUnknownOptions } from './checks/options.js'
import { findRequestDecoratorFaults } from './checks/request-decorators.js'
import { findSchemaFaults } from './checks/schemas.js'
import { findTreeFaults } from './checks/tree.js'
import { type Fault, fault } from './faults.js'
import { createJobEvents, createJobQueues, findIdleEvents, findUntakenQueues } from './jobs/job-queues.js'
import { findJobFaults } from './jobs/check-jobs.js'
import { calledClassesIn, readConstructedClasses, findScopedFormatters } from './constructed-classes.js'
import { decoratorKey, type ModuleTree } from './module-tree.js'
import { allPlugins, type FunctionNode, isPluginNode, type Overrides, pluginPath, type PluginNode } from './nodes.js'
import { describeValue, isClass, nameOf } from './value-names.js'
import { addReferencedModels } from './referenced-models.js'
import {
  consumerOf,
  createClassRecord,
  createProviderRecord,
  createRecord,
  type Dependency,
  type Handle,
  methodsOfContexts,
  methodsOfRequests,
  type ProviderRecord,
  type RequestedToken,
  readRequestedToken,
  scopeOfProvider,
  unresolved,
  type Wiring,
} from './provider-record.js'
import { howToShare } from './sharing.js'

type Records = Map<object | symbol | string, ProviderRecord>
interface Providers {
  /** The providers that other plugins see too, by the plugin that owns the context. */
  readonly shared: Map<PluginNode, Records>
  /** The private providers, by the plugin that declares them. */
  readonly own: Map<PluginNode, Records>
  /**
   * The providers that a context sees, by the plugin that owns the context: the context's own records first, then the records of the
   * contexts above, nearest first. Contexts without providers are left out.
   */
  readonly visible: Map<PluginNode, readonly Records[]>
}

/**
 * Resolves all dependencies in a module tree. `faults` is empty if the wiring is valid. `isMountedAlone`: whether the root is mounted for a
 * test, without its ancestors.
 */
export function resolveWiring(
  { root, faults: declared, replaced }: ModuleTree,
  overrides: Overrides,
  isMountedAlone = false,
): { wiring: Wiring; faults: readonly Fault[] } {
  const plugins = allPlugins(root)
  const replies = checkDeclaredReplies(plugins)
  const found: Fault[] = [
    ...declared,
    ...findHookFaults(plugins),
    ...findInvalidEntries(plugins),
    ...replies.faults,
    ...findUnknownOptions(plugins, isMountedAlone),
    ...findDecoratorFaults(plugins),
    ...findTreeFaults(plugins, isMountedAlone),
    ...findJobFaults(plugins),
    ...findSchemaFaults(plugins, addReferencedModels(plugins), isMountedAlone),
  ]
  const providers = collectProviders(plugins, overrides, found)
  const findProvider = (plugin: PluginNode, token: Token<any>): ProviderRecord | undefined => findVisible(providers, plugin, token)
  const all = [...providers.shared.values(), ...providers.own.values()]
  const pluginsIn = (kind: 'shared' | 'own', token: Token<any>): PluginNode[] =>
    [...providers[kind].values()].flatMap((records) => records.get(tokenKey(token))?.plugin ?? [])
  const handles: Handle[] = []
  const wiring: Wiring = {
    providers: providers.shared,
    privateProviders: providers.own,
    plugins: new Map(plugins.map((plugin) => [plugin, createClassRecord(plugin.Class, plugin, 'context', found)])),
    constructedClasses: new Map(plugins.map((plugin) => [plugin, readConstructedClasses(plugin, overrides, findProvider, found)])),
    importOptions: new Map(plugins.flatMap(collectImportOptions)),
    jobQueues: createJobQueues(plugins, found),
    jobEvents: createJobEvents(plugins),
    hasDeclaredReplies: replies.hasDeclaredReplies,
    findProvider,
    pluginsProviding: (token) => pluginsIn('shared', token),
    pluginsHiding: (token) => pluginsIn('own', token),
    namesakesOf: (token) => findNamesakes(all, token),
    handles,
    isMountedAlone,
  }
  const resolver = new DependencyResolver(wiring, handles, found)
  for (const records of all) for (const record of records.values()) resolver.resolve(record)
  for (const record of wiring.plugins.values()) resolver.resolve(record)
  for (const records of wiring.constructedClasses.values()) for (const record of records.values()) resolver.resolve(record, true)
  for (const record of [...wiring.importOptions.values(), ...wiring.jobQueues.values(), ...wiring.jobEvents.values()])
    resolver.resolve(record)
  for (const [plugin, records] of wiring.constructedClasses) found.push(...findScopedFormatters(plugin, records))
  // A test may replace a request-scoped provider by a value.
  if (overrides.size === 0 && !isMountedAlone) found.push(...findNeedlessHandles(handles), ...findIdleQueuesAndEvents(wiring, all))
  found.push(...findRequestDecoratorFaults(plugins, isMountedAlone))
  findUnusedOverrides(overrides, replaced, plugins, all, found)
  // Any other fault may be their cause, and an ancestor that is missing in a test may be what they are for.
  if (found.length === 0 && !isMountedAlone) found.push(...findIdleContexts(plugins), ...findIdleHookClasses(plugins, wiring))
  return { wiring, faults: withoutRepeats(found) }
}

function findIdleQueuesAndEvents(
  { jobQueues, jobEvents, plugins, constructedClasses, importOptions }: Wiring,
  all: readonly Records[],
): Fault[] {
  const providers = all.flatMap((records) => [...records.values()])
  // Most applications have none, and some have thousands of providers.
  if (!providers.some(({ token }) => isQueueToken(token) || isEventToken(token))) return []
  // A job with a fault of its own is not read: it may be the job that takes them.
  if ([...plugins.keys()].some(({ jobs, options }) => jobs.length < (options.jobs?.length ?? 0))) return []
  const classes = [...constructedClasses.values()].flatMap((records) => [...records.values()])
  const injecting = [...providers, ...classes, ...plugins.values(), ...importOptions.values()]
  return [...findUntakenQueues(providers, jobQueues), ...findIdleEvents(providers, injecting, jobEvents)]
}

function withoutRepeats(found: readonly Fault[]): Fault[] {
  return [...new Map(found.map((entry) => [entry.message, entry])).values()]
}

function collectProviders(plugins: readonly PluginNode[], overrides: Overrides, found: Fault[]): Providers {
  const providers: Providers = {
    shared: new Map(plugins.map((plugin) => [plugin.contextOwner, new Map()])),
    own: new Map(),
    visible: new Map(),
  }
  for (const plugin of plugins) {
    const { contextOwner, options } = plugin
    const shared = providers.shared.get(contextOwner)!
    const listed = (options.private ?? []).filter((entry) => entry != null)
    const hidden = new Set(listed.map(tokenKey))
    const own: Records = new Map()
    if (hidden.size > 0) providers.own.set(plugin, own)
    for (const provider of options.providers ?? []) {
      const record = createProviderRecord(applyOverride(provider, overrides), plugin, found)
      if (record === undefined) continue
      const key = tokenKey(record.token)
      const records = hidden.has(key) ? own : shared
      const other = records.get(key)
      if (other === undefined) records.set(key, record)
      else {
        const places = [other.plugin.path, plugin.path]
        found.push(fault('PROVIDER_AMBIGUOUS', tokenName(record.token), contextOwner.path, places, other.plugin !== plugin))
      }
    }
    for (const token of listed) if (!own.has(tokenKey(token))) found.push(fault('PRIVATE_NOT_PROVIDED', tokenName(token), plugin.path))
  }
  // A plugin comes before the plugins that it imports.
  for (const [owner, records] of providers.shared) {
    const above = owner.parent === undefined ? [] : providers.visible.get(owner.parent.contextOwner)!
    providers.visible.set(owner, records.size === 0 ? above : [records, ...above])
  }
  return providers
}

/** Returns a test's substitute for a provider, as a provider of the same token; the provider itself if the test does not replace it. */
function applyOverride(provider: Provider, overrides: Overrides): Provider {
  if (overrides.size === 0) return provider
  const provide: Token<any> | undefined = typeof provider === 'function' ? provider : provider?.provide
  const override = provide == null ? undefined : overrides.get(tokenKey(provide))
  if (override === undefined) return provider
  const { substitute } = override
  // A class that replaces a class which is itself the value is a value too.
  const isValue = typeof provider === 'object' && 'useValue' in provider && isClass(provider.useValue)
  if (isValue || !isClass(substitute)) return { provide: provide, useValue: substitute }
  // An alias has no scope of its own.
  const scope = typeof provider === 'object' && 'useExisting' in provider ? undefined : scopeOfProvider(provider)
  return { provide: provide, useClass: substitute, ...(scope && { scope }) }
}

function findUnusedOverrides(
  overrides: Overrides,
  replaced: ReadonlySet<unknown>,
  plugins: readonly PluginNode[],
  providers: readonly Records[],
  found: Fault[],
): void {
  if (overrides.size === 0) return
  const used = new Set<unknown>([
    ...replaced,
    ...plugins.flatMap(calledClassesIn),
    ...providers.flatMap((records) => [...records.keys()]),
    ...plugins.flatMap((plugin) => [...plugin.requestDecorators.keys()].map(decoratorKey)),
  ])
  for (const [key, { name }] of overrides) if (!used.has(key)) found.push(fault('OVERRIDE_UNUSED', name, plugins[0]!.path))
}

function collectImportOptions(plugin: PluginNode): [PluginNode | FunctionNode, ProviderRecord][] {
  return plugin.imports.flatMap((entry): [PluginNode | FunctionNode, ProviderRecord][] => {
    const [imported, options] = isPluginNode(entry) ? [entry.Class, entry.importOptions] : [entry.plugin, entry.options]
    if (!isInjectedOptions(options)) return []
    const name = `the options of ${nameOf(imported)}`
    const tokens = options.inject.map(readRequestedToken)
    // The options belong to the imported plugin. If they were owned, the application would end them, by a method such as `dispose`.
    const record = createRecord(plugin, { kind: 'factory', token: Symbol(name), source: options.make, tokens, isOwned: false })
    return [[entry, record]]
  })
}

/**
 * Returns the nearest provider of a token that a plugin sees: a private one, one in its context, or one in the context of an ancestor.
 * Aliases are followed.
 */
function findVisible(
  providers: Providers,
  plugin: PluginNode,
  token: Token<any>,
  followed: readonly ProviderRecord[] = [],
): ProviderRecord | undefined {
  const key = tokenKey(token)
  const record = providers.own.get(plugin)?.get(key) ?? findIn(providers.visible.get(plugin.contextOwner)!, key)
  if (record === undefined || record.kind !== 'existing' || followed.includes(record)) return record
  // An alias is followed from the plugin that declares it. If it leads to itself, to a built-in value or to nothing, the alias itself
  // is returned; resolving its own dependency then reports what is wrong.
  return findVisible(providers, record.plugin, record.tokens[0]!.token, [...followed, record]) ?? record
}

/** Returns the plugins that provide a token with the same name as `token`. */
function findNamesakes(all: readonly Records[], token: Token<any>): PluginNode[] {
  const name = tokenName(token)
  const records = all.flatMap((each) => [...each.values()])
  return [...new Set(records.filter((record) => tokenName(record.token) === name).map(({ plugin }) => plugin))]
}

function findIn(visible: readonly Records[], key: object | symbol | string): ProviderRecord | undefined {
  for (const records of visible) {
    const record = records.get(key)
    if (record !== undefined) return record
  }
  return undefined
}

/** The value of a record's `dependencies` while they are being resolved, by which circles are found. */
const resolving: readonly Dependency[] = []

/** Fills in `dependencies` and `isRequestBound` of provider records, depth first. */
class DependencyResolver {
  readonly #wiring: Wiring
  readonly #handles: Handle[]
  readonly #found: Fault[]
  /** The provider records that are being resolved. Each is a dependency of the record before it in the list. */
  readonly #path: ProviderRecord[] = []

  constructor(wiring: Wiring, handles: Handle[], found: Fault[]) {
    this.#wiring = wiring
    this.#handles = handles
    this.#found = found
  }

  /**
   * Resolves the dependencies of a provider record, and adds a fault for each dependency that cannot be provided.
   * @param mayBecomeRequestBound whether the record becomes request-scoped if a dependency is request-scoped. True for routes, hooks,
   * aliases and transient providers. For any other record of a context, such a dependency is a fault.
   */
  resolve(record: ProviderRecord, mayBecomeRequestBound = record.scope === 'transient' || record.kind === 'existing'): void {
    if (record.dependencies === resolving) {
      const circle = [...this.#path.slice(this.#path.indexOf(record)), record]
      this.#found.push(
        fault(
          'CIRCULAR_DEPENDENCY',
          circle.map(({ token, plugin }) => ({ name: tokenName(token), plugin })),
        ),
      )
    }
    if (record.dependencies !== unresolved) return
    this.#path.push(record)
    record.dependencies = resolving
    const dependencies: Dependency[] = []
    let bound: Dependency | undefined
    for (const asked of record.tokens) {
      const dependency = this.#resolveToken(record, asked)
      dependencies.push(dependency)
      if (asked.isAmbient && !('missing' in dependency)) this.#handles.push({ record, dependency })
      else if (bound === undefined && isRequestBound(dependency)) bound = dependency
    }
    record.dependencies = dependencies
    this.#path.pop()

    record.isRequestBound = record.scope === 'request' || (bound !== undefined && mayBecomeRequestBound)
    if (record.kind === 'class') this.#findUncalled(record)
    findUnfindable(record, this.#found)
    if (bound !== undefined && record.scope === 'context' && !mayBecomeRequestBound) {
      const isProvider = this.#wiring.findProvider(record.plugin, record.token) === record
      const owner = record.plugin.contextOwner.path
      this.#found.push(
        fault('CAPTIVE_REQUEST_SCOPE', { name: tokenName(record.token), plugin: record.plugin }, owner, tokenName(bound.token), isProvider),
      )
    }
  }

  #findUncalled(record: ProviderRecord): void {
    const { source, isRequestBound, scope } = record
    const prototype = (source as Class).prototype as object | undefined
    // An arrow function in the place of a class, which is a fault of its own kind.
    if (prototype === undefined) return
    // A transient instance may belong to a request or not.
    const uncalled = isRequestBound ? methodsOfContexts : scope === 'transient' ? [] : methodsOfRequests
    // `Reflect.has` does not look names up by the shape of the class, of which an application may have thousands.
    for (const method of uncalled)
      if (Reflect.has(prototype, method)) this.#found.push(fault('LIFECYCLE_METHOD_UNCALLED', consumerOf(record), method, isRequestBound))
    if (!Reflect.has(source as Class, 'endsBefore')) return
    const { endsBefore } = source as { readonly endsBefore?: unknown }
    if (endsBefore !== 'reply' || !Reflect.has(prototype, 'onRequestEnd'))
      this.#found.push(fault('END_INVALID', consumerOf(record), describeValue(endsBefore)))
  }

  #resolveToken(record: ProviderRecord, { token, isOptional, isAmbient }: RequestedToken): Dependency {
    const { plugin } = record
    const builtIn = findBuiltIn(token)
    const computed = builtIn === PLUGIN_OPTIONS ? this.#wiring.importOptions.get(plugin) : undefined
    if (computed === undefined && builtIn !== undefined) return isAmbient ? { token, builtIn, isAmbient } : { token, builtIn }
    const provider = computed ?? this.#wiring.findProvider(plugin, token)
    if (provider !== undefined) {
      // A handle is looked up later, so the instance behind it may depend on the class that has the handle.
      if (isAmbient) return { token, provider, isAmbient }
      this.resolve(provider)
      return { token, provider }
    }
    if (!isOptional) this.#found.push(this.#missing(record, token))
    return { token, missing: true }
  }

  #missing(record: ProviderRecord, token: Token<any>): Fault {
    const elsewhere = this.#wiring.pluginsProviding(token)
    if (elsewhere.length > 0) {
      // Shared or not, a plugin cannot provide what its own options are computed from.
      const others = elsewhere.filter((plugin) => this.#wiring.importOptions.get(plugin) !== record)
      return fault(
        'PROVIDER_NOT_VISIBLE',
        consumerOf(record),
        tokenName(token),
        elsewhere.map(pluginPath),
        howToShare(record.plugin, others),
      )
    }
    const hiding = this.#wiring.pluginsHiding(token)
    if (hiding.length > 0) return fault('PROVIDER_PRIVATE', consumerOf(record), tokenName(token), hiding.map(pluginPath))
    return fault(
      'PROVIDER_UNKNOWN',
      consumerOf(record),
      tokenName(token),
      this.#wiring.namesakesOf(token).map(pluginPath),
      this.#wiring.isMountedAlone,
      (token as { [kMissingCure]?: string })[kMissingCure],
    )
  }
}

/** Finds handles (`ambient`) of providers that are not request-scoped: the class can inject such a provider itself. */
function findNeedlessHandles(handles: readonly Handle[]): Fault[] {
  return handles
    .filter(({ dependency }) => !isRequestBound(dependency) && !('builtIn' in dependency && dependency.builtIn === LOGGER))
    .map(({ record, dependency }) => fault('AMBIENT_NEEDLESS', consumerOf(record), tokenName(dependency.token)))
}

const builtInByKey = new Map<unknown, Token<any>>(builtInTokens.map((token) => [token.key, token]))

/**
 * Returns the built-in token with the same key as `token`; `undefined` if there is none. After a boot, the parameters of a class that
 * inherits `static inject` are read from the metadata for tsyringe, which contain the keys of tokens.
 */
function findBuiltIn(token: Token<any>): Token<any> | undefined {
  const key = tokenKey(token)
  return typeof key === 'symbol' ? builtInByKey.get(key) : undefined
}

function isRequestBound(dependency: Dependency): boolean {
  if ('provider' in dependency) return dependency.provider.isRequestBound
  return 'builtIn' in dependency && dependency.builtIn === REQUEST
}
