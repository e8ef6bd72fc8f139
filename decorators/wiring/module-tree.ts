/**
 * From decorated classes to plain data: the tree of plugins with their providers and routes. Nothing is constructed, and
 * faults of the declaration are collected on the way.
 */
import { type HookName, type HttpMethod, type Plugin as PluginFunction, hookNames, type RouteSchema } from '../../lib/index.js'
import { type Fault, fault } from './faults.js'
import { configOf, hookMethodsOf, type HookNote, hooksOf, misplacedHooksOf, type RouteHook } from '../declare/hook.js'
import type { Class } from '../declare/metadata.js'
import { isImportEntry, type ImportEntry, type PluginOptions, pluginOptionsOf } from '../declare/plugin.js'
import { actionsOf, controllerPrefixOf, type RouteNote, routeOf } from '../declare/route.js'
import { schemaOf } from '../declare/schema.js'

/** A plugin of the tree. */
export interface PluginNode {
  readonly Class: Class
  readonly name: string
  /** `App > PublicPlugin` */
  readonly path: string
  readonly options: PluginOptions
  /** What `use(PluginClass, options)` gave. */
  readonly importOptions: unknown
  readonly parent: PluginNode | undefined
  readonly isShared: boolean
  /** The node whose context this one declares in: itself, or the nearest ancestor that is not shared. */
  readonly home: PluginNode
  /** Full prefix of its routes. */
  readonly prefix: string
  readonly imports: (PluginNode | FunctionNode)[]
  readonly routes: RouteNode[]
  readonly hookMethods: readonly { member: string | symbol; name: HookName }[]
  readonly schemas: readonly object[]
  /** Request decorators by name. */
  readonly requestDecorators: ReadonlyMap<string | symbol, unknown>
}

/** A plugin function of ours or of the ecosystem. */
export interface FunctionNode {
  readonly plugin: PluginFunction
  readonly options: unknown
  readonly decorates: readonly string[]
  /** Whether what it declares lands in the importing context (fastify-plugin). */
  readonly isShared: boolean
}

/** One route: a class with `handle`, or a method of a controller. */
export interface RouteNode {
  readonly Class: Class
  readonly member: string | symbol
  /** `App > PublicPlugin > GetTwo` */
  readonly path: string
  readonly plugin: PluginNode
  readonly methods: readonly HttpMethod[]
  /** Below the plugin's prefix. */
  readonly url: string
  readonly options: RouteNote
  readonly schema: RouteSchema | undefined
  readonly config: Record<string, unknown>
  readonly hooks: readonly (HookNote & { hook: RouteHook })[]
}

export interface ModuleTree {
  readonly root: PluginNode
  readonly faults: Fault[]
}

/** What a test puts in the place of declared providers and request decorators, by token key or decorator name. */
export type Overrides = ReadonlyMap<object | symbol | string, { readonly name: string; readonly substitute: unknown }>

export function isPluginNode(node: PluginNode | FunctionNode): node is PluginNode {
  return 'Class' in node
}

/** All plugins of the tree, each before those it imports. */
export function allPlugins(node: PluginNode): PluginNode[] {
  return [node, ...node.imports.filter(isPluginNode).flatMap(allPlugins)]
}

export function buildModuleTree(Root: Class, overrides: Overrides): ModuleTree {
  const found: Fault[] = []
  const options = pluginOptionsOf(Root)
  if (options === undefined) found.push(fault('APPLICATION_NOT_A_PLUGIN', nameOf(Root)))
  const root = buildPlugin(Root, { entry: undefined, parent: undefined, found, overrides })
  findDuplicateRoutes(root, found)
  findDuplicateDecorators(root, found)
  findHiddenSchemas(root, found)
  return { root, faults: found }
}

interface Surroundings {
  readonly entry: ImportEntry | undefined
  readonly parent: PluginNode | undefined
  readonly found: Fault[]
  readonly overrides: Overrides
}

function buildPlugin(PluginClass: Class, { entry, parent, found, overrides }: Surroundings): PluginNode {
  const options = pluginOptionsOf(PluginClass) ?? {}
  const name = options.name ?? nameOf(PluginClass)
  const isShared = parent !== undefined && (entry?.isShared === true || options.shared === true)
  const prefixes = [options.prefix, (entry?.options as { prefix?: string } | undefined)?.prefix]
  const node: PluginNode = {
    Class: PluginClass,
    name,
    path: parent === undefined ? name : `${parent.path} > ${name}`,
    options,
    importOptions: entry?.options,
    parent,
    isShared,
    home: undefined as unknown as PluginNode,
    prefix: prefixes.reduce<string>((base, own) => joinPaths(base, own ?? ''), parent?.prefix ?? '').replace(/\/$/, ''),
    imports: [],
    routes: [],
    hookMethods: hookMethodsOf(PluginClass),
    schemas: readSchemas(options, parent === undefined ? name : `${parent.path} > ${name}`, found),
    requestDecorators: readRequestDecorators(options, overrides),
  }
  ;(node as { home: PluginNode }).home = isShared ? parent.home : node
  for (const { name: hook } of node.hookMethods) assertHookName(hook, node.path, found)
  for (const { name: hook } of misplacedHooksOf(PluginClass)) found.push(fault('HOOK_NOT_A_METHOD', hook, node.path))
  for (const [hook, given] of Object.entries(options.hooks ?? {})) {
    assertHookName(hook, node.path, found)
    for (const HookClass of hookClassesIn(given)) assertHookClass(HookClass, hook, node.path, found)
  }
  for (const given of options.routes ?? []) node.routes.push(...buildRoutes(given, node, found))
  for (const given of options.imports ?? []) {
    const built = buildImport(given, node, found, overrides)
    if (built !== undefined) node.imports.push(built)
  }
  return node
}

function buildImport(given: unknown, node: PluginNode, found: Fault[], overrides: Overrides): PluginNode | FunctionNode | undefined {
  const entry = isImportEntry(given) ? given : undefined
  const plugin: unknown = entry === undefined ? given : entry.plugin
  if (typeof plugin === 'function' && pluginOptionsOf(plugin) !== undefined) {
    const circle = ancestors(node).find((ancestor) => ancestor.Class === plugin)
    if (circle === undefined) return buildPlugin(plugin as Class, { entry, parent: node, found, overrides })
    found.push(fault('IMPORT_CIRCLE', [...node.path.split(' > ').slice(circle.path.split(' > ').length - 1), circle.name]))
    return undefined
  }
  // A function given without use() may be a class that lacks its decorator: refusing it is the safe reading.
  if (entry === undefined || !isPluginFunction(plugin)) {
    found.push(fault('NOT_A_PLUGIN', nameOf(plugin), node.path))
    return undefined
  }
  return {
    plugin: plugin as PluginFunction,
    options: entry.options,
    decorates: entry.decorates.map((decorator) => decorator.name),
    // Of a plugin that is still being loaded nothing is known; it is checked when it is registered.
    isShared: typeof plugin !== 'function' || (plugin as unknown as Record<symbol, unknown>)[Symbol.for('skip-override')] === true,
  }
}

function isPluginFunction(plugin: unknown): boolean {
  if (typeof plugin === 'function') return !/^class\b/.test(Function.prototype.toString.call(plugin))
  if (plugin === null || typeof plugin !== 'object') return false
  return typeof (plugin as { default?: unknown }).default === 'function' || typeof (plugin as { then?: unknown }).then === 'function'
}

/** The node and its ancestors, nearest first. */
export function ancestors(node: PluginNode): PluginNode[] {
  return node.parent === undefined ? [node] : [node, ...ancestors(node.parent)]
}

function buildRoutes(given: Class, node: PluginNode, found: Fault[]): RouteNode[] {
  const name = nameOf(given)
  if (typeof given !== 'function') {
    found.push(fault('NOT_A_ROUTE', name, node.path))
    return []
  }
  const route = routeOf(given)
  const prefix = controllerPrefixOf(given)
  if (route === undefined && prefix === undefined) {
    found.push(fault('NOT_A_ROUTE', name, node.path))
    return []
  }
  const path = `${node.path} > ${name}`
  const routes: RouteNode[] = []
  if (route !== undefined) {
    if (typeof given.prototype.handle !== 'function') found.push(fault('ROUTE_WITHOUT_HANDLE', name, node.path))
    else routes.push(buildRoute(given, 'handle', path, node, route.path ?? '', route, found))
  }
  if (prefix !== undefined) {
    const actions = actionsOf(given)
    if (actions.length === 0) found.push(fault('CONTROLLER_WITHOUT_ROUTES', name, node.path))
    for (const { member, value } of actions)
      routes.push(buildRoute(given, member, `${path}.${String(member)}`, node, joinPaths(prefix, value.path ?? ''), value, found))
  }
  return routes
}

function buildRoute(
  Class: Class,
  member: string | symbol,
  path: string,
  plugin: PluginNode,
  url: string,
  options: RouteNote,
  found: Fault[],
): RouteNode {
  const isAction = member !== 'handle' || routeOf(Class) === undefined
  const schema = schemaOf(Class, member) ?? (isAction ? undefined : schemaOf(Class))
  const methods = [options.method].flat()
  const noted = [...hooksOf(Class), ...hooksOf(Class, member)]
  for (const { name, hook } of noted) if (hook === undefined) found.push(fault('HOOK_WITHOUT_FUNCTION', name, path))
  const hooks = noted.filter((entry): entry is HookNote & { hook: RouteHook } => entry.hook !== undefined)
  for (const { name, hook } of hooks) {
    assertHookName(name, path, found)
    if (isClass(hook)) assertHookClass(hook, name, path, found)
  }
  if (schema?.body)
    for (const method of methods)
      if (!['POST', 'PUT', 'PATCH'].includes(method)) found.push(fault('BODY_SCHEMA_ON_BODYLESS_METHOD', path, method))
  const config = { ...options.config, ...configOf(Class), ...configOf(Class, member) }
  return { Class, member, path, plugin, methods, url: joinPaths('', url) || '/', options, schema, config, hooks }
}

/** Whether a hook is a provider class rather than a function. */
export function isClass(hook: RouteHook): hook is Class {
  return /^class\b/.test(Function.prototype.toString.call(hook))
}

/** The classes among the hooks that a plugin lists for one name. */
export function hookClassesIn(hooks: unknown): Class[] {
  return [hooks].flat().filter((hook): hook is Class => typeof hook === 'function' && isClass(hook as RouteHook))
}

function assertHookClass(HookClass: Class, name: string, place: string, found: Fault[]): void {
  if (typeof HookClass.prototype[name] !== 'function') found.push(fault('HOOK_CLASS_WITHOUT_METHOD', nameOf(HookClass), name, place))
}

function assertHookName(name: string, place: string, found: Fault[]): void {
  if (!(hookNames as readonly string[]).includes(name)) found.push(fault('UNKNOWN_HOOK', name, place, hookNames))
}

function readSchemas(options: PluginOptions, path: string, found: Fault[]): object[] {
  const schemas: object[] = []
  for (const given of options.schemas ?? []) {
    const schema = typeof given === 'function' ? schemaOf(given) : (given as { $id?: string })
    if (schema?.$id) schemas.push(schema)
    else found.push(fault('SCHEMA_WITHOUT_ID', nameOf(given), path))
  }
  return schemas
}

function readRequestDecorators({ decorateRequest }: PluginOptions, overrides: Overrides): ReadonlyMap<string | symbol, unknown> {
  const declared: [string | symbol, unknown][] = Array.isArray(decorateRequest)
    ? decorateRequest.map((decorator) => [decorator.name as string, decorator.value as unknown])
    : entriesOf(decorateRequest)
  return new Map(
    declared.map(([name, value]) => {
      const override = overrides.get(decoratorKey(name))
      return [name, override === undefined ? value : stubForRequests(override.substitute)]
    }),
  )
}

/**
 * A test's value of a request decorator. An object would be refused, since all requests would share it; here that is meant, and
 * what a hook sets instead is still its request's own.
 */
export function stubForRequests(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || isMethod(value)) return value
  const set = new WeakMap<object, unknown>()
  return {
    getter(this: object) {
      return set.has(this) ? set.get(this) : value
    },
    setter(this: object, own: unknown) {
      set.set(this, own)
    },
  }
}

/** The members of an object of decorators, symbols included. */
export function entriesOf(decorators: object | undefined): [string | symbol, unknown][] {
  return Reflect.ownKeys(decorators ?? {}).map((name) => [name, (decorators as Record<string | symbol, unknown>)[name]])
}

/** The key of a request decorator among overrides; no provider's token looks like it. */
export function decoratorKey(name: string | symbol): string {
  return `request.${String(name)}`
}

/** The regular expression of a parameter, two colons that stand for one, or the name of a parameter. */
const pathPart = /\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)|::|:[^/().-]+/g

/** A path as the router tells it from others: by neither the names of its parameters nor what their expressions are. */
function withoutNames(path: string): string {
  return path.replace(pathPart, (part) => (part === '::' ? part : part.startsWith('(') ? '()' : ':'))
}

function findDuplicateRoutes(root: PluginNode, found: Fault[]): void {
  const seen = new Map<string, RouteNode>()
  for (const route of allPlugins(root).flatMap((plugin) => plugin.routes)) {
    for (const method of route.methods) {
      const url = joinPaths(route.plugin.prefix, route.url) || '/'
      const key = JSON.stringify([method, withoutNames(url), route.options.constraints ?? {}])
      const first = seen.get(key)
      if (first === undefined) seen.set(key, route)
      else found.push(fault('DUPLICATE_ROUTE', method, url, first.path, route.path))
    }
  }
}

function findDuplicateDecorators(root: PluginNode, found: Fault[]): void {
  const kinds: { kind: string; of: (plugin: PluginNode) => [string | symbol, unknown][] }[] = [
    { kind: 'server', of: (plugin) => entriesOf(plugin.options.decorate) },
    { kind: 'request', of: (plugin) => [...plugin.requestDecorators] },
    { kind: 'reply', of: (plugin) => entriesOf(plugin.options.decorateReply) },
  ]
  for (const { kind, of } of kinds) {
    const added = new Map<PluginNode, Map<string | symbol, { plugin: PluginNode; value: unknown }>>()
    for (const plugin of allPlugins(root)) {
      const here = added.get(plugin.home) ?? new Map<string | symbol, { plugin: PluginNode; value: unknown }>()
      added.set(plugin.home, here)
      for (const [name, value] of of(plugin)) {
        // A child may have its own method of a name; values that ancestors set up it may not replace.
        const above = ancestors(plugin.home)
          .slice(1)
          .map((ancestor) => added.get(ancestor.home)?.get(name))
        const other =
          here.get(name) ?? (kind === 'server' ? undefined : above.find((entry) => entry !== undefined && !isMethod(entry.value)))
        if (other !== undefined) found.push(fault('DUPLICATE_DECORATOR', kind, String(name), plugin.path, other.plugin.path))
        here.set(name, { plugin, value })
      }
    }
  }
}

function isMethod(value: unknown): boolean {
  return typeof value === 'function' || (value !== null && typeof value === 'object' && ('getter' in value || 'setter' in value))
}

/** A reference to a shared schema that exists, but not where it can be seen. One to a schema unknown here is left to `ready`. */
function findHiddenSchemas(root: PluginNode, found: Fault[]): void {
  const plugins = allPlugins(root)
  const declared = plugins.flatMap((plugin) => plugin.schemas.map((schema) => ({ id: (schema as { $id: string }).$id, plugin })))
  for (const route of plugins.flatMap((plugin) => plugin.routes)) {
    const seen = new Set(ancestors(route.plugin.home).map((ancestor) => ancestor.home))
    for (const id of referencedIds(route.schema)) {
      const places = declared.filter((entry) => entry.id === id || entry.id === `${id}#`).map(({ plugin }) => plugin)
      if (places.length > 0 && !places.some((plugin) => seen.has(plugin.home))) {
        found.push(
          fault(
            'SCHEMA_NOT_VISIBLE',
            route.path,
            id,
            places.map((plugin) => plugin.path),
          ),
        )
      }
    }
  }
}

/** How deep schemas are searched for references; deeper ones are the compilers' to refuse. */
const MAX_SCHEMA_DEPTH = 100

function referencedIds(schema: unknown, depth = 0): Set<string> {
  const ids = new Set<string>()
  if (schema === null || typeof schema !== 'object' || depth > MAX_SCHEMA_DEPTH) return ids
  for (const [key, value] of Object.entries(schema)) {
    if (key === '$ref' && typeof value === 'string' && !value.startsWith('#')) ids.add(value.split('#', 1)[0]!)
    else for (const id of referencedIds(value, depth + 1)) ids.add(id)
  }
  return ids
}

/** Joins path parts with exactly one slash between them. */
export function joinPaths(base: string, own: string): string {
  if (own === '' || own === '/') return base
  return `${base.replace(/\/$/, '')}/${own.replace(/^\//, '')}`
}

/** How something is called in errors. */
export function nameOf(value: unknown): string {
  if (typeof value === 'function') return value.name || 'an anonymous function'
  if (value === undefined) return 'undefined (a class used before its declaration, or a circle of imports)'
  if (value !== null && typeof value === 'object') return value.constructor?.name ?? 'an object'
  return JSON.stringify(value) ?? typeof value
}
