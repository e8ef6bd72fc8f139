/** Reads the routes of a plugin from route classes and controllers, with the hooks that their decorators add. */
import type { RouteSchema } from '../../lib/index.js'
import { getConfig, getHooks, withoutReplaced } from '../declare/hook.js'
import { type Class, otherCopyOfDecorators } from '../declare/metadata.js'
import { getPluginOptions } from '../declare/plugin.js'
import { getActions, getControllerOptions, getControllerPrefix, getRouteOptions, type RouteNote } from '../declare/route.js'
import { getRouteSchema } from '../declare/schema.js'
import { type Fault, fault } from './faults.js'
import { describeValue, nameOf } from './value-names.js'
import type { PluginNode, RouteNode, UsedHook } from './nodes.js'
import { readControllerOptions, readMethods, readRouteOptions } from './option-kinds.js'

export function buildRoutes(RouteClass: Class, node: PluginNode, found: Fault[]): RouteNode[] {
  const name = nameOf(RouteClass)
  if (typeof RouteClass !== 'function') {
    found.push(fault('NOT_A_ROUTE', name, node.path))
    return []
  }
  const route = getRouteOptions(RouteClass)
  const prefix = getControllerPrefix(RouteClass)
  if (route === undefined && prefix === undefined) {
    // Decorators of another copy are reported as such.
    if (otherCopyOfDecorators(RouteClass) === undefined)
      found.push(fault('NOT_A_ROUTE', name, node.path, getPluginOptions(RouteClass) !== undefined))
    return []
  }
  const path = `${node.path} > ${name}`
  const routes: RouteNode[] = []
  if (route !== undefined) {
    const { method, ...options } = readRouteOptions(route, path, found)
    if (typeof RouteClass.prototype.handle !== 'function') found.push(fault('ROUTE_WITHOUT_HANDLE', name, node.path))
    else
      routes.push(buildRoute({ Class: RouteClass, member: 'handle', isClass: true, path, plugin: node, base: '', method, options }, found))
  }
  if (prefix !== undefined) {
    const base: unknown = prefix
    if (typeof base !== 'string') found.push(fault('CONTROLLER_PREFIX_INVALID', path))
    const actions = getActions(RouteClass)
    const shared = readControllerOptions(getControllerOptions(RouteClass), path, found)
    if (actions.length === 0) found.push(fault('CONTROLLER_WITHOUT_ROUTES', name, node.path))
    for (const action of actions) {
      const place = `${path}.${String(action.member)}`
      const own = { Class: RouteClass, isClass: false, path: place, plugin: node, base: typeof base === 'string' ? base : '' }
      const options = readRouteOptions(action.options, place, found)
      const config = { ...shared.config, ...getConfig(RouteClass), ...options.config }
      const docs = shared.docs && { docs: { ...shared.docs, ...options.docs } }
      const throws = [...(shared.throws ?? []), ...(options.throws ?? [])]
      const merged = { ...shared, ...options, ...docs, config, ...(throws.length > 0 && { throws }) }
      routes.push(buildRoute({ ...own, ...action, options: merged }, found))
    }
  }
  return routes
}

/** The declaration of a route in a class, before hooks and schemas are added: its place, method and options. */
interface RouteSource extends Pick<RouteNode, 'Class' | 'member' | 'path' | 'plugin' | 'options'> {
  /** Whether the class itself is the route, so that the schemas may be declared above the class. */
  readonly isClass: boolean
  readonly method: RouteNote['method']
  /** The prefix of the controller. */
  readonly base: string
}

function buildRoute(declared: RouteSource, found: Fault[]): RouteNode {
  const { Class, member, isClass: isRouteClass, path, plugin, base, method, options } = declared
  const schema = readRouteSchema(Class, member, isRouteClass, path, found)
  const methods = readMethods(method, path, found)
  const listedHooks = withoutReplaced([...getHooks(Class), ...getHooks(Class, member)])
  const hooks = listedHooks.filter((entry): entry is UsedHook => entry.hook !== undefined)
  // The @Config of a controller is among the options: those of the route replace it.
  const config = { ...options.config, ...(isRouteClass && getConfig(Class)), ...getConfig(Class, member) }
  const url = joinPaths('', joinPaths(base, options.path ?? '')) || '/'
  const fullUrl = joinPaths(plugin.prefix, url) || '/'
  return { Class, member, path, plugin, methods, url, fullUrl, options, schema, config, hooks, listedHooks }
}

/**
 * Returns the option `schema` of a route. A fault is added if the option is not an object; `undefined` is reported elsewhere, with the
 * decorator.
 */
function readRouteSchema(
  Class: Class,
  member: string | symbol,
  isRouteClass: boolean,
  path: string,
  found: Fault[],
): RouteSchema | undefined {
  const schema = getRouteSchema(Class, member, isRouteClass)
  if (schema === undefined || (typeof schema === 'object' && !Array.isArray(schema))) return schema
  found.push(fault('SCHEMAS_INVALID', path, describeValue(schema)))
  return undefined
}

/** Joins path segments with exactly one slash between them. */
export function joinPaths(base: string, own: string): string {
  if (own === '' || own === '/') return base
  return `${base.replace(/\/$/, '')}/${own.replace(/^\//, '')}`
}
