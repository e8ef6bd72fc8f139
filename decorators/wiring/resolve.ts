/**
 * Resolves the wiring: decides, for each class that will be constructed, which provider each of its dependencies is. A plugin sees what
 * it and its ancestors declare, and what shared plugins declare in one of these contexts. Nothing is constructed, and all faults are
 * reported together.
 */
import { getProviderScope, type Provider } from '../declare/injectable.js'
import type { Class } from '../declare/metadata.js'
import { isInjectedOptions } from '../declare/plugin.js'
import { builtInTokens, REQUEST, type Token, tokenKey, tokenName } from '../declare/tokens.js'
import { findDecoratorFaults } from './check-decorators.js'
import { findInvalidEntries } from './check-entries.js'
import { findUnknownOptions } from './check-options.js'
import { findTreeFaults } from './check-tree.js'
import { type Fault, fault } from './faults.js'
import { hookClassesIn } from './build-routes.js'
import { decoratorKey, type ModuleTree, type Overrides } from './module-tree.js'
import { allPlugins, ancestors, type FunctionNode, isPluginNode, type PluginNode, type RouteNode } from './nodes.js'
import { isClass, nameOf } from './names.js'
import {
  createClassRecord,
  createProviderRecord,
  createRecord,
  type Dependency,
  type ProviderRecord,
  readRequestedToken,
} from './provider-record.js'

/** The result: which providers there are, and with which dependencies each instance is constructed. */
export interface Wiring {
  /** The providers that the context of a plugin and those below it see. */
  readonly providers: ReadonlyMap<PluginNode, ReadonlyMap<object | symbol | string, ProviderRecord>>
  /** The providers that only the plugin itself sees. They live in its context too. */
  readonly privateProviders: ReadonlyMap<PluginNode, ReadonlyMap<object | symbol | string, ProviderRecord>>
  /** The plugin classes themselves. */
  readonly plugins: ReadonlyMap<PluginNode, ProviderRecord>
  /** Route classes and hook classes, by the plugin that lists them. */
  readonly members: ReadonlyMap<PluginNode, ReadonlyMap<Class, ProviderRecord>>
  /** The imports whose options are computed from providers. */
  readonly importOptions: ReadonlyMap<FunctionNode, ProviderRecord>
  /** The provider of a token that a plugin sees; for an alias, the provider behind it. */
  findProvider(plugin: PluginNode, token: Token<any>): ProviderRecord | undefined
  /** Paths of the plugins that provide a token to others, visible or not. */
  pathsProviding(token: Token<any>): string[]
  /** Paths of the plugins that provide a token for themselves only. */
  pathsHiding(token: Token<any>): string[]
}

type Records = Map<object | symbol | string, ProviderRecord>
/** `shared` by the owner of the context, `own` by the plugin that declares them. */
interface Providers {
  readonly shared: Map<PluginNode, Records>
  readonly own: Map<PluginNode, Records>
}

/**
 * Resolves all dependencies in a tree. `faults` is empty if the wiring is right. `isPart` says that the root is mounted for a test, without
 * its ancestors.
 */
export function resolveWiring(
  { root, faults: declared }: ModuleTree,
  overrides: Overrides,
  isPart = false,
): { wiring: Wiring; faults: readonly Fault[] } {
  const found: Fault[] = [
    ...declared,
    ...findInvalidEntries(root),
    ...findUnknownOptions(root, isPart),
    ...findDecoratorFaults(root),
    ...findTreeFaults(root, isPart),
  ]
  const plugins = allPlugins(root)
  const providers = collectProviders(plugins, overrides, found)
  const findProvider = (plugin: PluginNode, token: Token<any>): ProviderRecord | undefined => findVisible(providers, plugin, token)
  const all = [...providers.shared.values(), ...providers.own.values()]
  const pathsIn = (kind: keyof Providers, token: Token<any>): string[] =>
    [...providers[kind].values()].flatMap((records) => records.get(tokenKey(token))?.plugin.path ?? [])
  const wiring: Wiring = {
    providers: providers.shared,
    privateProviders: providers.own,
    plugins: new Map(plugins.map((plugin) => [plugin, createClassRecord(plugin.Class, plugin, 'context', found)])),
    members: new Map(plugins.map((plugin) => [plugin, collectMembers(plugin, findProvider, found)])),
    importOptions: new Map(plugins.flatMap(collectImportOptions)),
    findProvider,
    pathsProviding: (token) => pathsIn('shared', token),
    pathsHiding: (token) => pathsIn('own', token),
  }
  const resolver = new DependencyResolver(wiring, found)
  for (const records of all) for (const record of records.values()) resolver.resolve(record)
  for (const record of wiring.plugins.values()) resolver.resolve(record)
  for (const records of wiring.members.values()) for (const record of records.values()) resolver.resolve(record, true)
  for (const record of wiring.importOptions.values()) resolver.resolve(record)
  findUnmetRequirements(plugins, found)
  findUnusedOverrides(overrides, plugins, all, found)
  return { wiring, faults: withoutRepeats(found) }
}

function withoutRepeats(found: readonly Fault[]): Fault[] {
  return [...new Map(found.map((entry) => [entry.message, entry])).values()]
}

function collectProviders(plugins: readonly PluginNode[], overrides: Overrides, found: Fault[]): Providers {
  const providers: Providers = { shared: new Map(plugins.map((plugin) => [plugin.contextOwner, new Map()])), own: new Map() }
  for (const plugin of plugins) {
    const { contextOwner, options } = plugin
    const listed = (options.private ?? []).filter((entry) => entry != null)
    const hidden = new Set(listed.map(tokenKey))
    const own: Records = new Map()
    if (hidden.size > 0) providers.own.set(plugin, own)
    for (const given of options.providers ?? []) {
      const record = createProviderRecord(applyOverride(given, overrides), plugin, found)
      if (record === undefined) continue
      const key = tokenKey(record.token)
      const records = hidden.has(key) ? own : providers.shared.get(contextOwner)!
      const other = records.get(key)
      if (other === undefined) records.set(key, record)
      else found.push(fault('PROVIDER_AMBIGUOUS', tokenName(record.token), contextOwner.path, [other.plugin.path, plugin.path]))
    }
    for (const token of listed) if (!own.has(tokenKey(token))) found.push(fault('PRIVATE_NOT_PROVIDED', tokenName(token), plugin.path))
  }
  return providers
}

/** An override takes the place of the original provider: same token, same plugin. */
function applyOverride(given: Provider, overrides: Overrides): Provider {
  const provide: Token<any> | undefined = typeof given === 'function' ? given : given?.provide
  const override = provide == null ? undefined : overrides.get(tokenKey(provide))
  if (override === undefined) return given
  const { substitute } = override
  // In the place of a class that is itself the value, a class is a value too.
  const isValue = typeof given === 'object' && 'useValue' in given && isClass(given.useValue)
  if (isValue || !isClass(substitute)) return { provide: provide, useValue: substitute }
  const scope = typeof given === 'function' ? getProviderScope(given) : 'scope' in given ? given.scope : undefined
  return { provide: provide, useClass: substitute, ...(scope && { scope }) }
}

function findUnusedOverrides(overrides: Overrides, plugins: readonly PluginNode[], providers: readonly Records[], found: Fault[]): void {
  const used = new Set([
    ...providers.flatMap((records) => [...records.keys()]),
    ...plugins.flatMap((plugin) => [...plugin.requestDecorators.keys()].map(decoratorKey)),
  ])
  for (const [key, { name }] of overrides) if (!used.has(key)) found.push(fault('OVERRIDE_UNUSED', name, plugins[0]!.path))
}

/** The route classes and hook classes of a plugin. */
function collectMembers(plugin: PluginNode, findProvider: Wiring['findProvider'], found: Fault[]): Map<Class, ProviderRecord> {
  const members = new Map<Class, ProviderRecord>()
  // A transient route or hook class has one instance for its context: its use as a route or hook counts as one injection.
  const ownRecord = (Class: Class): ProviderRecord =>
    createClassRecord(Class, plugin, getProviderScope(Class) === 'request' ? 'request' : 'context', found)
  for (const route of plugin.routes) if (!members.has(route.Class)) members.set(route.Class, ownRecord(route.Class))
  // If a visible plugin provides the hook class, the hook and the classes that inject it share that provider's instance.
  for (const HookClass of [...Object.values(plugin.options.hooks ?? {}).flatMap(hookClassesIn), ...plugin.routes.flatMap(hookClassesOf)]) {
    const provider = findProvider(plugin, HookClass)
    if (!members.has(HookClass))
      members.set(HookClass, provider?.scope === 'transient' ? ownRecord(HookClass) : (provider ?? ownRecord(HookClass)))
  }
  return members
}

function hookClassesOf(route: RouteNode): Class[] {
  return route.hooks.map(({ hook }) => hook).filter(isClass)
}

function collectImportOptions(plugin: PluginNode): [FunctionNode, ProviderRecord][] {
  return plugin.imports.flatMap((entry): [FunctionNode, ProviderRecord][] => {
    if (isPluginNode(entry) || !isInjectedOptions(entry.options)) return []
    const name = `the options of ${nameOf(entry.plugin)}`
    const { inject, make } = entry.options
    return [[entry, createRecord(plugin, { kind: 'factory', token: name, source: make, tokens: inject.map(readRequestedToken), name })]]
  })
}

/** The nearest provider of a token: private to the plugin, in its context or in that of an ancestor. */
function findVisible(
  providers: Providers,
  plugin: PluginNode,
  token: Token<any>,
  followed: ReadonlySet<ProviderRecord> = new Set(),
): ProviderRecord | undefined {
  const key = tokenKey(token)
  const record = providers.own.get(plugin)?.get(key) ?? findInContexts(providers, plugin.contextOwner, key)
  if (record === undefined || record.kind !== 'existing' || followed.has(record)) return record
  // An alias is followed from the plugin that declares it. If it leads to itself, to a built-in value or to nothing, the alias itself
  // is returned; resolving its own dependency then reports what is wrong.
  return findVisible(providers, record.plugin, record.tokens[0]!.token, new Set([...followed, record])) ?? record
}

function findInContexts({ shared }: Providers, owner: PluginNode, key: object | symbol | string): ProviderRecord | undefined {
  for (let at: PluginNode | undefined = owner; at !== undefined; at = at.parent?.contextOwner) {
    const record = shared.get(at)?.get(key)
    if (record !== undefined) return record
  }
  return undefined
}

/** Fills in `dependencies` and `isRequestBound` of records, depth first. */
class DependencyResolver {
  readonly #wiring: Wiring
  readonly #found: Fault[]
  readonly #resolved = new Set<ProviderRecord>()
  /** The records that are being resolved, each a dependency of the one before it. */
  readonly #path: ProviderRecord[] = []

  constructor(wiring: Wiring, found: Fault[]) {
    this.#wiring = wiring
    this.#found = found
  }

  /**
   * @param mayBecomeRequestBound whether the record is request-scoped if a dependency is: so it is for routes, hooks, aliases and
   * transient providers. For any other record of a context it is a fault.
   */
  resolve(record: ProviderRecord, mayBecomeRequestBound = record.scope === 'transient' || record.kind === 'existing'): void {
    if (this.#resolved.has(record)) return
    if (this.#path.includes(record)) {
      const circle = [...this.#path.slice(this.#path.indexOf(record)), record]
      this.#found.push(
        fault(
          'CIRCULAR_DEPENDENCY',
          circle.map((entry) => `${tokenName(entry.token)} (${entry.plugin.path})`),
        ),
      )
      return
    }
    this.#path.push(record)
    record.dependencies = record.tokens.map(({ token, isOptional }) => this.#resolveToken(record, token, isOptional))
    this.#path.pop()
    this.#resolved.add(record)

    const bound = record.dependencies.find(isRequestBound)
    record.isRequestBound = record.scope === 'request' || (bound !== undefined && mayBecomeRequestBound)
    if (bound !== undefined && record.scope === 'context' && !mayBecomeRequestBound) {
      const isProvider = this.#wiring.findProvider(record.plugin, record.token) === record
      const owner = record.plugin.contextOwner.path
      const name = tokenName(record.token).replace(/^'(the options of .*)'$/, '$1')
      this.#found.push(fault('CAPTIVE_REQUEST_SCOPE', name, owner, tokenName(bound.token), isProvider))
    }
  }

  #resolveToken(record: ProviderRecord, token: Token<any>, isOptional: boolean): Dependency {
    if (builtInTokens.includes(token as (typeof builtInTokens)[number])) return { token, builtIn: token }
    const { plugin } = record
    const provider = this.#wiring.findProvider(plugin, token)
    if (provider !== undefined) {
      this.resolve(provider)
      return { token, provider }
    }
    if (!isOptional) this.#found.push(this.#missing(record, token))
    return { token, missing: true }
  }

  #missing({ label, plugin }: ProviderRecord, token: Token<any>): Fault {
    const elsewhere = this.#wiring.pathsProviding(token)
    if (elsewhere.length > 0) return fault('PROVIDER_NOT_VISIBLE', label, tokenName(token), plugin.name, elsewhere)
    const hiding = this.#wiring.pathsHiding(token)
    if (hiding.length > 0) return fault('PROVIDER_PRIVATE', label, tokenName(token), hiding)
    return fault('PROVIDER_UNKNOWN', label, tokenName(token), plugin.name)
  }
}

function isRequestBound(dependency: Dependency): boolean {
  if ('provider' in dependency) return dependency.provider.isRequestBound
  return 'builtIn' in dependency && dependency.builtIn === REQUEST
}

/** A required request decorator must be added by an ancestor or by a shared import. */
function findUnmetRequirements(plugins: readonly PluginNode[], found: Fault[]): void {
  const added = new Map<PluginNode, Set<string | symbol>>(plugins.map((plugin) => [plugin.contextOwner, new Set()]))
  for (const plugin of plugins) {
    const names = added.get(plugin.contextOwner)!
    for (const name of plugin.requestDecorators.keys()) names.add(name)
    for (const entry of plugin.imports) {
      // A plugin function that is not shared declares in a context of its own.
      if (!isPluginNode(entry) && entry.isShared) for (const name of entry.decorates) names.add(name)
    }
  }
  for (const plugin of plugins) {
    for (const { name } of (plugin.options.requires ?? []).filter((entry) => entry != null)) {
      if (ancestors(plugin).some((ancestor) => added.get(ancestor.contextOwner)!.has(name))) continue
      const elsewhere = plugins.filter((other) => other.requestDecorators.has(name)).map((other) => other.path)
      found.push(fault('REQUIREMENT_NOT_MET', name, plugin.path, elsewhere))
    }
  }
}
