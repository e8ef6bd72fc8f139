/** Reads the routes of a plugin from route classes and controllers, with the hooks above them. */
import { hookNames, type HttpMethod } from '../../lib/index.js'
import { bodySchemaMethods, lifecycleHookNames } from '../../lib/internal.js'
import { classHookNames, getConfig, getHooks } from '../declare/hook.js'
import type { Class } from '../declare/metadata.js'
import { getActions, getControllerOptions, getControllerPrefix, getRouteOptions, type RouteNote } from '../declare/route.js'
import { getRouteSchema } from '../declare/schema.js'
import { type Fault, fault } from './faults.js'
import { nameOf } from './names.js'
import type { PluginNode, RouteNode, UsedHook } from './nodes.js'

export function buildRoutes(given: Class, node: PluginNode, found: Fault[]): RouteNode[] {
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

export function checkHookClass(HookClass: Class, name: string, place: string, found: Fault[]): void {
  if (typeof HookClass.prototype[name] !== 'function') found.push(fault('HOOK_CLASS_WITHOUT_METHOD', nameOf(HookClass), name, place))
}

export function checkHookName(name: string, place: string, found: Fault[]): void {
  if (!(classHookNames as readonly string[]).includes(name)) found.push(fault('UNKNOWN_HOOK', name, place, classHookNames))
}

/** Joins path parts with exactly one slash between them. */
export function joinPaths(base: string, own: string): string {
  if (own === '' || own === '/') return base
  return `${base.replace(/\/$/, '')}/${own.replace(/^\//, '')}`
}
