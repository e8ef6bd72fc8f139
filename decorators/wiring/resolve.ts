/**
 * The proof of the wiring: for every class that will be made, which provider each of its dependencies is, by the one rule of
 * visibility: a plugin sees what it and its ancestors declare, and what is shared up to them. Nothing is constructed; all
 * faults are reported together.
 */
import { type Fault, fault } from './faults.js'
import { type Class, constructorParameters } from '../declare/metadata.js'
import {
  allPlugins,
  ancestors,
  decoratorKey,
  type FunctionNode,
  hookClassesIn,
  isClass,
  isPluginNode,
  type ModuleTree,
  nameOf,
  type Overrides,
  type PluginNode,
  type RouteNode,
} from './module-tree.js'
import { isInjectedOptions } from '../declare/plugin.js'
import { type Provider, type ProviderScope, scopeOf } from '../declare/injectable.js'
import type { Dependency, ProviderRecord } from '../run/scope.js'
import { builtInTokens, type OptionalToken, REQUEST, type Token, tokenKey, tokenName } from '../declare/tokens.js'

/** What was proved: who provides what, and with which dependencies everything is made. */
export interface Wiring {
  /** The providers that live in the context of a plugin. */
  readonly providers: ReadonlyMap<PluginNode, ReadonlyMap<object | symbol | string, ProviderRecord>>
  /** The plugin classes themselves. */
  readonly plugins: ReadonlyMap<PluginNode, ProviderRecord>
  /** Route classes and hook classes, by the plugin that lists them. */
  readonly members: ReadonlyMap<PluginNode, ReadonlyMap<Class, ProviderRecord>>
  /** The imports whose options are made of providers. */
  readonly importOptions: ReadonlyMap<FunctionNode, ProviderRecord>
  /** The provider of a token as a plugin sees it, aliases followed. */
  find(plugin: PluginNode, token: Token<any>): ProviderRecord | undefined
  /** Paths of the plugins that provide a token, visible or not. */
  placesOf(token: Token<any>): string[]
}

type Records = Map<object | symbol | string, ProviderRecord>

/** Proves the wiring of a tree. `faults` is empty when all is well. */
export function proveWiring({ root, faults: declared }: ModuleTree, overrides: Overrides): { wiring: Wiring; faults: readonly Fault[] } {
  const found: Fault[] = [...declared]
  const plugins = allPlugins(root)
  const providers = collectProviders(plugins, overrides, found)
  const find = (plugin: PluginNode, token: Token<any>): ProviderRecord | undefined => findProvider(providers, plugin, token)
  const wiring: Wiring = {
    providers,
    plugins: new Map(plugins.map((plugin) => [plugin, classRecord(plugin.Class, plugin, 'context', found)])),
    members: new Map(plugins.map((plugin) => [plugin, collectMembers(plugin, find, found)])),
    importOptions: new Map(plugins.flatMap(collectImportOptions)),
    find,
    placesOf: (token) => [...providers.values()].flatMap((records) => records.get(tokenKey(token))?.plugin.path ?? []),
  }
  const proof = new Proof(wiring, found)
  for (const records of providers.values()) for (const record of records.values()) proof.prove(record)
  for (const record of wiring.plugins.values()) proof.prove(record)
  for (const records of wiring.members.values()) for (const record of records.values()) proof.prove(record, true)
  for (const record of wiring.importOptions.values()) proof.prove(record)
  proveRequirements(plugins, found)
  findUnusedOverrides(overrides, plugins, providers, found)
  return { wiring, faults: withoutRepeats(found) }
}

function withoutRepeats(found: readonly Fault[]): Fault[] {
  return [...new Map(found.map((entry) => [entry.message, entry])).values()]
}

function collectProviders(plugins: readonly PluginNode[], overrides: Overrides, found: Fault[]): Map<PluginNode, Records> {
  const providers = new Map<PluginNode, Records>(plugins.map((plugin) => [plugin.home, new Map()]))
  for (const plugin of plugins) {
    const records = providers.get(plugin.home)!
    for (const given of plugin.options.providers ?? []) {
      const record = readProvider(substitute(given, overrides), plugin, found)
      if (record === undefined) continue
      const key = tokenKey(record.token)
      const other = records.get(key)
      if (other === undefined) records.set(key, record)
      else found.push(fault('PROVIDER_AMBIGUOUS', tokenName(record.token), plugin.home.path, [other.plugin.path, plugin.path]))
    }
  }
  return providers
}

/** A provider that is overridden stands where the original stood: same token, same plugin. */
function substitute(given: Provider, overrides: Overrides): Provider {
  const provide: Token<any> | undefined = typeof given === 'function' ? given : given?.provide
  const override = provide == null ? undefined : overrides.get(tokenKey(provide))
  if (override === undefined) return given
  const fake = override.substitute
  if (typeof fake !== 'function' || !isClass(fake as never)) return { provide: provide, useValue: fake }
  const scope = typeof given === 'function' ? scopeOf(given) : 'scope' in given ? given.scope : undefined
  return { provide: provide, useClass: fake as Class, ...(scope && { scope }) }
}

function findUnusedOverrides(
  overrides: Overrides,
  plugins: readonly PluginNode[],
  providers: ReadonlyMap<PluginNode, Records>,
  found: Fault[],
): void {
  const used = new Set([
    ...[...providers.values()].flatMap((records) => [...records.keys()]),
    ...plugins.flatMap((plugin) => [...plugin.requestDecorators.keys()].map(decoratorKey)),
  ])
  for (const [key, { name }] of overrides) if (!used.has(key)) found.push(fault('OVERRIDE_UNUSED', name, plugins[0]!.path))
}

function readProvider(given: Provider, plugin: PluginNode, found: Fault[]): ProviderRecord | undefined {
  if (typeof given === 'function') return classRecord(given, plugin, scopeOf(given) ?? 'context', found)
  if (given === null || typeof given !== 'object' || given.provide == null) {
    found.push(fault('PROVIDER_INVALID', nameOf(given), plugin.path))
    return undefined
  }
  const { provide: token } = given
  if ('useClass' in given)
    return { ...classRecord(given.useClass, plugin, given.scope ?? scopeOf(given.useClass) ?? 'context', found), token }
  const base = { token, plugin, place: placeOf(tokenName(token), plugin), dependencies: [], isRequestBound: false }
  if ('useValue' in given) return { ...base, kind: 'value', source: given.useValue, scope: 'context', tokens: [] }
  if ('useExisting' in given)
    return { ...base, kind: 'existing', source: undefined, scope: 'context', tokens: [{ token: given.useExisting, isOptional: false }] }
  if ('useFactory' in given)
    return {
      ...base,
      kind: 'factory',
      source: given.useFactory,
      scope: given.scope ?? 'context',
      tokens: (given.inject ?? []).map(readToken),
    }
  found.push(fault('PROVIDER_INVALID', tokenName(token), plugin.path))
  return undefined
}

function collectMembers(plugin: PluginNode, find: Wiring['find'], found: Fault[]): Map<Class, ProviderRecord> {
  const members = new Map<Class, ProviderRecord>()
  // One that is made for each injection is made for its route.
  const ownRecord = (Class: Class): ProviderRecord =>
    classRecord(Class, plugin, scopeOf(Class) === 'request' ? 'request' : 'context', found)
  for (const route of plugin.routes) if (!members.has(route.Class)) members.set(route.Class, ownRecord(route.Class))
  // A hook class that a visible plugin provides is that provider: whoever injects it has the same instance.
  for (const HookClass of [...Object.values(plugin.options.hooks ?? {}).flatMap(hookClassesIn), ...plugin.routes.flatMap(hookClassesOf)]) {
    const provider = find(plugin, HookClass)
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
    const record = { token: name, kind: 'factory', source: make, scope: 'context', plugin, place: placeOf(name, plugin) } as const
    return [[entry, { ...record, tokens: inject.map(readToken), dependencies: [], isRequestBound: false }]]
  })
}

function classRecord(Class: Class, plugin: PluginNode, scope: ProviderScope, found: Fault[]): ProviderRecord {
  return {
    token: Class,
    kind: 'class',
    source: Class,
    scope,
    plugin,
    place: placeOf(nameOf(Class), plugin),
    tokens: readDependencies(Class, plugin, found),
    dependencies: [],
    isRequestBound: false,
  }
}

function placeOf(name: string, plugin: PluginNode): string {
  return `${name} (in ${plugin.path})`
}

function readToken(given: Token<any> | OptionalToken): { token: Token<any>; isOptional: boolean } {
  return typeof given === 'object' && 'optional' in given
    ? { token: given.optional, isOptional: true }
    : { token: given, isOptional: false }
}

/**
 * What a class's constructor asks for: `static inject`, else tsyringe's `@inject` over the types that the compiler emitted. A
 * class that says nothing has the constructor of its parent.
 */
function readDependencies(Class: Class, plugin: PluginNode, found: Fault[]): { token: Token<any>; isOptional: boolean }[] {
  const declaring = lineage(Class).find((at) => hasInjectList(at) || constructorParameters(at) !== undefined)
  if (declaring !== undefined && hasInjectList(declaring)) {
    const listed = declaring.inject
    if (listed.length < Class.length) found.push(fault('INJECT_COUNT', Class.name, plugin.path, listed.length, Class.length))
    return listed.map(readToken)
  }
  const parameters = declaring === undefined ? [] : constructorParameters(declaring)!
  if (parameters.length < Class.length) {
    found.push(fault('NO_CONSTRUCTOR_TYPES', nameOf(Class), plugin.path, Class.length))
    return []
  }
  for (const [index, { token }] of parameters.entries()) {
    if (token === undefined) found.push(fault('CLASS_USED_BEFORE_DECLARATION', nameOf(Class), plugin.path, index))
    else if (isErased(token)) found.push(fault('UNKNOWN_CONSTRUCTOR_TYPE', nameOf(Class), plugin.path, index, tokenName(token)))
  }
  return parameters.filter(({ token }) => token !== undefined && !isErased(token)) as { token: Token<any>; isOptional: boolean }[]
}

/** A class and its parents, nearest first. */
function lineage(Class: object): object[] {
  const parent: unknown = Object.getPrototypeOf(Class)
  return typeof parent === 'function' && parent !== Function.prototype ? [Class, ...lineage(parent)] : [Class]
}

function hasInjectList(Class: object): Class is { inject: readonly (Token<any> | OptionalToken)[] } {
  return Object.hasOwn(Class, 'inject') && Array.isArray((Class as { inject?: unknown }).inject)
}

const erasedTypes = new Set<unknown>([Object, String, Number, Boolean, Array, Function, Promise, Symbol, BigInt])
const isErased = (token: unknown): boolean => erasedTypes.has(token)

function findProvider(
  providers: ReadonlyMap<PluginNode, ReadonlyMap<object | symbol | string, ProviderRecord>>,
  plugin: PluginNode,
  token: Token<any>,
  followed: ReadonlySet<ProviderRecord> = new Set(),
): ProviderRecord | undefined {
  const key = tokenKey(token)
  for (const at of ancestors(plugin.home)) {
    const record = providers.get(at.home)?.get(key)
    if (record === undefined) continue
    if (record.kind !== 'existing' || followed.has(record)) return record
    // An alias is what it stands for, as seen from where it was declared. One that leads nowhere, to itself or to a built-in
    // value stands for itself: the proof finds what is wrong with it.
    return findProvider(providers, record.plugin, record.tokens[0]!.token, new Set([...followed, record])) ?? record
  }
  return undefined
}

class Proof {
  readonly #wiring: Wiring
  readonly #found: Fault[]
  readonly #proved = new Set<ProviderRecord>()
  readonly #path: ProviderRecord[] = []

  constructor(wiring: Wiring, found: Fault[]) {
    this.#wiring = wiring
    this.#found = found
  }

  /** @param mayFollow routes and hooks become request-scoped when what they ask for is; so do aliases */
  prove(record: ProviderRecord, mayFollow = record.scope === 'transient' || record.kind === 'existing'): void {
    if (this.#proved.has(record)) return
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
    record.dependencies = record.tokens.map(({ token, isOptional }) => this.#resolve(record, token, isOptional))
    this.#path.pop()
    this.#proved.add(record)

    const bound = record.dependencies.find(isRequestBound)
    record.isRequestBound = record.scope === 'request' || (bound !== undefined && mayFollow)
    if (bound !== undefined && record.scope === 'context' && !mayFollow) {
      this.#found.push(fault('CAPTIVE_REQUEST_SCOPE', tokenName(record.token), record.plugin.home.path, tokenName(bound.token)))
    }
  }

  #resolve(record: ProviderRecord, token: Token<any>, isOptional: boolean): Dependency {
    if (builtInTokens.includes(token as (typeof builtInTokens)[number])) return { token, builtIn: token }
    const { plugin } = record
    const provider = this.#wiring.find(plugin, token)
    if (provider !== undefined) {
      this.prove(provider)
      return { token, provider }
    }
    if (!isOptional) {
      const elsewhere = this.#wiring.placesOf(token)
      this.#found.push(
        elsewhere.length > 0
          ? fault('PROVIDER_NOT_VISIBLE', record.place, tokenName(token), plugin.name, elsewhere)
          : fault('PROVIDER_UNKNOWN', record.place, tokenName(token), plugin.name),
      )
    }
    return { token, missing: true }
  }
}

function isRequestBound(dependency: Dependency): boolean {
  if ('provider' in dependency) return dependency.provider.isRequestBound
  return 'builtIn' in dependency && dependency.builtIn === REQUEST
}

/** `requires` is met by an ancestor, or by what a shared import puts into the context. */
function proveRequirements(plugins: readonly PluginNode[], found: Fault[]): void {
  const added = new Map<PluginNode, Set<string | symbol>>(plugins.map((plugin) => [plugin.home, new Set()]))
  for (const plugin of plugins) {
    for (const name of plugin.requestDecorators.keys()) added.get(plugin.home)!.add(name)
    for (const entry of plugin.imports) {
      // A plugin function that is not wrapped keeps what it declares to itself.
      if (!isPluginNode(entry) && entry.isShared) for (const name of entry.decorates) added.get(plugin.home)!.add(name)
    }
  }
  for (const plugin of plugins) {
    for (const { name } of plugin.options.requires ?? []) {
      if (ancestors(plugin).some((ancestor) => added.get(ancestor.home)!.has(name))) continue
      const elsewhere = plugins.filter((other) => other.requestDecorators.has(name)).map((other) => other.path)
      found.push(fault('REQUIREMENT_NOT_MET', name, plugin.path, elsewhere))
    }
  }
}
