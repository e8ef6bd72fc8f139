/**
 * Reads decorated classes into plain data: the tree of plugins with their providers and routes. Nothing is constructed; faults of the
 * declarations are collected.
 */
import { hookNames, type HttpMethod, type Plugin as PluginFunction, type RouteSchema } from '../../lib/index.js'
import { bodySchemaMethods, kSkipOverride, lifecycleHookNames } from '../../lib/internal.js'
import {
  type AroundHook,
  type ClassHookName,
  classHookNames,
  getConfig,
  getHookMethods,
  getHooks,
  getMisplacedHooks,
  type HookDeclaration,
  type RouteHook,
} from '../declare/hook.js'
import type { Class } from '../declare/metadata.js'
import { getPluginOptions, type ImportEntry, isImportEntry, type PluginOptions } from '../declare/plugin.js'
import {
  getActions,
  getControllerOptions,
  getControllerPrefix,
  getRouteOptions,
  type RouteClassOptions,
  type RouteNote,
} from '../declare/route.js'
import { getRouteSchema, getSharedSchema } from '../declare/schema.js'
import { type Fault, fault } from './faults.js'

/** A plugin class in the tree. */
export interface PluginNode {
  readonly Class: Class
  readonly name: string
  /** `App > PublicPlugin` */
  readonly path: string
  readonly options: PluginOptions
  /** The options given by `use(PluginClass, options)`. */
  readonly importOptions: unknown
  readonly parent: PluginNode | undefined
  readonly isShared: boolean
  /** The plugin in whose context this one declares: itself, or for a shared plugin the nearest ancestor that is not shared. */
  readonly contextOwner: PluginNode
  /** Full prefix of its routes, without a slash at its end: `/api/users`. */
  readonly prefix: string
  readonly imports: (PluginNode | FunctionNode)[]
  readonly routes: RouteNode[]
  readonly hookMethods: readonly { member: string | symbol; name: ClassHookName }[]
  readonly schemas: readonly object[]
  /** Request decorators by name. */
  readonly requestDecorators: ReadonlyMap<string | symbol, unknown>
}

/** An imported plugin function, written for alcove or for Fastify. */
export interface FunctionNode {
  readonly plugin: PluginFunction
  readonly options: unknown
  /** Names of the request decorators that it is said to add. */
  readonly decorates: readonly string[]
  /** Names of the options of routes that it is said to read. */
  readonly routeOptions: readonly string[]
  /** Whether it declares in the importing context, as fastify-plugin marks it or the import says. */
  readonly isShared: boolean
  /** Whether the import says so: `shared(use(…))`. */
  readonly isSharedByImport: boolean
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
  readonly options: RouteClassOptions
  readonly schema: RouteSchema | undefined
  readonly config: Record<string, unknown>
  readonly hooks: readonly UsedHook[]
}

/** A hook that a decorator or an option names. */
export type UsedHook = HookDeclaration & { readonly hook: RouteHook | AroundHook }

export interface ModuleTree {
  readonly root: PluginNode
  readonly faults: Fault[]
}

/** A test's substitutes for declared providers and request decorators, by token key or {@link decoratorKey}. */
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
  const options = getPluginOptions(Root)
  if (options === undefined) found.push(fault('APPLICATION_NOT_A_PLUGIN', nameOf(Root)))
  const root = buildPlugin(Root, { entry: undefined, parent: undefined, found, overrides })
  return { root, faults: found }
}

/** How a plugin is imported, and where faults and overrides are kept. */
interface ImportContext {
  readonly entry: ImportEntry | undefined
  readonly parent: PluginNode | undefined
  readonly found: Fault[]
  readonly overrides: Overrides
}

/** A node without its routes and imports. */
function createNode(PluginClass: Class, { entry, parent, found, overrides }: ImportContext): PluginNode {
  const options = getPluginOptions(PluginClass) ?? {}
  const name = options.name ?? nameOf(PluginClass)
  const path = parent === undefined ? name : `${parent.path} > ${name}`
  const isShared = parent !== undefined && (entry?.isShared === true || options.shared === true)
  const prefixes = [options.prefix, (entry?.options as { prefix?: string } | undefined)?.prefix]
  // An object literal, because check() of a large application takes a third longer with instances of a class.
  const node: Omit<PluginNode, 'contextOwner'> & { contextOwner: PluginNode | undefined } = {
    Class: PluginClass,
    name,
    path,
    options,
    importOptions: entry?.options,
    parent,
    isShared,
    contextOwner: parent?.contextOwner,
    prefix: prefixes.reduce<string>((base, own) => joinPaths(base, own ?? ''), parent?.prefix ?? '').replace(/\/$/, ''),
    imports: [],
    routes: [],
    hookMethods: getHookMethods(PluginClass),
    schemas: readSchemas(options, path, found),
    requestDecorators: readRequestDecorators(options, overrides),
  }
  if (!isShared) node.contextOwner = node as PluginNode
  // A shared plugin has a parent, so every node has an owner now.
  return node as PluginNode
}

function buildPlugin(PluginClass: Class, context: ImportContext): PluginNode {
  const { found, overrides } = context
  const node = createNode(PluginClass, context)
  checkHooks(node, found)
  for (const given of node.options.routes ?? []) node.routes.push(...buildRoutes(given, node, found))
  for (const given of node.options.imports ?? []) {
    const built = buildImport(given, node, found, overrides)
    if (built !== undefined) node.imports.push(built)
  }
  return node
}

function checkHooks(node: PluginNode, found: Fault[]): void {
  for (const { name } of node.hookMethods) checkHookName(name, node.path, found)
  for (const { name } of getMisplacedHooks(node.Class)) found.push(fault('HOOK_NOT_A_METHOD', name, node.path))
  for (const [name, given] of Object.entries(node.options.hooks ?? {})) {
    checkHookName(name, node.path, found)
    for (const HookClass of hookClassesIn(given)) checkHookClass(HookClass, name, node.path, found)
    if (name === 'around') for (const hook of [given].flat()) checkAround(hook, node.path, found)
  }
}

function buildImport(given: unknown, node: PluginNode, found: Fault[], overrides: Overrides): PluginNode | FunctionNode | undefined {
  const entry = isImportEntry(given) ? given : undefined
  const plugin: unknown = entry === undefined ? given : entry.plugin
  if (typeof plugin === 'function' && getPluginOptions(plugin) !== undefined) {
    const circle = ancestors(node).find((ancestor) => ancestor.Class === plugin)
    if (circle === undefined) return buildPlugin(plugin as Class, { entry, parent: node, found, overrides })
    found.push(fault('IMPORT_CIRCLE', [...node.path.split(' > ').slice(circle.path.split(' > ').length - 1), circle.name]))
    return undefined
  }
  // Without use(), a function may be a class whose @Plugin was forgotten, so it is refused.
  if (entry === undefined || !isPluginFunction(plugin)) {
    found.push(fault('NOT_A_PLUGIN', nameOf(plugin), node.path))
    return undefined
  }
  return {
    plugin: plugin as PluginFunction,
    options: entry.options,
    decorates: entry.decorates.map((decorator) => decorator.name),
    routeOptions: (entry.known as { routeOptions?: readonly string[] }).routeOptions ?? [],
    isSharedByImport: entry.isShared,
    // A module, or a promise of one, counts as shared: the decorators listed for it are verified when it is registered.
    isShared: entry.isShared || typeof plugin !== 'function' || (plugin as { [kSkipOverride]?: unknown })[kSkipOverride] === true,
  }
}

function isPluginFunction(plugin: unknown): boolean {
  if (typeof plugin === 'function') return !isClass(plugin)
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
  const route = getRouteOptions(given)
  const prefix = getControllerPrefix(given)
  if (route === undefined && prefix === undefined) {
    found.push(fault('NOT_A_ROUTE', name, node.path))
    return []
  }
  const path = `${node.path} > ${name}`
  const routes: RouteNode[] = []
  if (route !== undefined) {
    const { method, ...options } = route
    if (typeof given.prototype.handle !== 'function') found.push(fault('ROUTE_WITHOUT_HANDLE', name, node.path))
    else routes.push(buildRoute({ Class: given, member: 'handle', isClass: true, path, plugin: node, base: '', method, options }, found))
  }
  if (prefix !== undefined) {
    const base: unknown = prefix
    if (typeof base !== 'string') found.push(fault('CONTROLLER_PREFIX_INVALID', path))
    const actions = getActions(given)
    if (actions.length === 0) found.push(fault('CONTROLLER_WITHOUT_ROUTES', name, node.path))
    for (const action of actions) {
      const place = `${path}.${String(action.member)}`
      const own = { Class: given, isClass: false, path: place, plugin: node, base: typeof base === 'string' ? base : '' }
      const shared = getControllerOptions(given)
      const config = { ...shared.config, ...action.options.config }
      routes.push(buildRoute({ ...own, ...action, options: { ...shared, ...action.options, config } }, found))
    }
  }
  return routes
}

/** Where a route is declared, and how. */
interface RouteDeclaration extends Pick<RouteNode, 'Class' | 'member' | 'path' | 'plugin' | 'options'> {
  /** Whether the class itself is the route, so that its schemas may stand above it. */
  readonly isClass: boolean
  readonly method: RouteNote['method']
  /** Prefix of the controller. */
  readonly base: string
}

function buildRoute({ isClass: isRouteClass, method, base, ...declared }: RouteDeclaration, found: Fault[]): RouteNode {
  const { Class, member, path, options } = declared
  const schema = getRouteSchema(Class, member, isRouteClass)
  const methods = [method].flat().map(toUpperCase)
  const listed = [...getHooks(Class), ...getHooks(Class, member)]
  for (const { name, hook } of listed) if (hook === undefined) found.push(fault('HOOK_WITHOUT_FUNCTION', name, path))
  const hooks = listed.filter((entry): entry is UsedHook => entry.hook !== undefined)
  for (const { name, hook } of hooks) {
    checkHookName(name, path, found)
    if ((hookNames as readonly string[]).includes(name) && !(lifecycleHookNames as readonly string[]).includes(name))
      found.push(fault('HOOK_OF_APPLICATION', name, path))
    if (isClass(hook)) checkHookClass(hook, name, path, found)
    else if (name === 'around') checkAround(hook, path, found)
  }
  if (schema?.body)
    for (const name of methods) if (!bodySchemaMethods.includes(name)) found.push(fault('BODY_SCHEMA_ON_BODYLESS_METHOD', path, name))
  const config = { ...options.config, ...getConfig(Class), ...getConfig(Class, member) }
  return { ...declared, methods, url: joinPaths('', joinPaths(base, options.path ?? '')) || '/', schema, config, hooks }
}

/** Methods may be written in lower case, as in the programmatic server. Another value is left to it, which refuses it. */
function toUpperCase(method: HttpMethod | Lowercase<HttpMethod>): HttpMethod {
  return (typeof method === 'string' ? method.toUpperCase() : method) as HttpMethod
}

/** Whether a value is a class, as `class` declares it, and not another function. */
export function isClass(value: unknown): value is Class {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value))
}

/** The classes in one hook or a list of hooks. */
export function hookClassesIn(hooks: unknown): Class[] {
  return [hooks].flat().filter(isClass)
}

function checkHookClass(HookClass: Class, name: string, place: string, found: Fault[]): void {
  if (typeof HookClass.prototype[name] !== 'function') found.push(fault('HOOK_CLASS_WITHOUT_METHOD', nameOf(HookClass), name, place))
}

// The server refuses other hooks that are not functions, but it does not know this one.
function checkAround(hook: unknown, place: string, found: Fault[]): void {
  if (typeof hook !== 'function') found.push(fault('AROUND_INVALID', nameOf(hook), place))
}

function checkHookName(name: string, place: string, found: Fault[]): void {
  if (!(classHookNames as readonly string[]).includes(name)) found.push(fault('UNKNOWN_HOOK', name, place, classHookNames))
}

function readSchemas(options: PluginOptions, path: string, found: Fault[]): object[] {
  const schemas: object[] = []
  for (const given of options.schemas ?? []) {
    const schema = typeof given === 'function' ? getSharedSchema(given) : (given as { $id?: string })
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
 * The value of a request decorator in a test. The server refuses objects, because all requests would share them. A test may share
 * one on purpose, so it becomes an accessor; if a hook sets another value, only its own request has that.
 */
export function stubForRequests(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || isAccessor(value)) return value
  const valuesSet = new WeakMap<object, unknown>()
  return {
    getter(this: object) {
      return valuesSet.has(this) ? valuesSet.get(this) : value
    },
    setter(this: object, own: unknown) {
      valuesSet.set(this, own)
    },
  }
}

/** Whether a decorator is a function, or a getter or setter, rather than a value that each request or reply starts with. */
export function isAccessor(value: unknown): boolean {
  return typeof value === 'function' || (value !== null && typeof value === 'object' && ('getter' in value || 'setter' in value))
}

/** The members of an object of decorators, symbols included. */
export function entriesOf(decorators: object | undefined): [string | symbol, unknown][] {
  return Reflect.ownKeys(decorators ?? {}).map((name) => [name, (decorators as Record<string | symbol, unknown>)[name]])
}

/** The key of a request decorator in {@link Overrides}. */
export function decoratorKey(name: string | symbol): string {
  return `request.${String(name)}`
}

/** Joins path parts with exactly one slash between them. */
export function joinPaths(base: string, own: string): string {
  if (own === '' || own === '/') return base
  return `${base.replace(/\/$/, '')}/${own.replace(/^\//, '')}`
}

/** How errors name a value: a function by its name, an object by its class. */
export function nameOf(value: unknown): string {
  if (typeof value === 'function') return value.name || 'an anonymous function'
  if (value === undefined) return 'undefined (a class used before its declaration, or a circle of imports)'
  if (value !== null && typeof value === 'object') return value.constructor?.name ?? 'an object'
  return JSON.stringify(value) ?? typeof value
}
