/**
 * Collects the `around` hooks of routes: first the hooks of the plugins whose context contains the route, then the hooks of the route
 * itself.
 */
import { type AroundHook, isFirstHook } from '../declare/hook.js'
import { isClass } from './value-names.js'
import { allPlugins, isPluginNode, type PluginNode, type RouteNode } from './nodes.js'

/** An `around` hook of a route, with the place of its declaration. */
export interface AroundUse {
  /** The hook function or class. For a method of a plugin class: the name of the method. */
  readonly hook: AroundHook | { readonly member: string | symbol }
  /** The plugin that lists the hook, or whose route has the hook. */
  readonly plugin: PluginNode
  /** The path of the context or route that declares the hook. */
  readonly from: string
}

/**
 * Returns the `around` hooks that hold for all routes of a context, by the plugin that owns the context: hooks of ancestors first, then
 * hooks of shared imports, then hooks of the plugin.
 */
export function collectArounds(root: PluginNode): Map<PluginNode, readonly AroundUse[]> {
  const arounds = new Map<PluginNode, readonly AroundUse[]>()
  // A plugin comes before the plugins that it imports.
  for (const plugin of allPlugins(root)) {
    if (plugin.contextOwner !== plugin) continue
    const above = plugin.parent === undefined ? [] : arounds.get(plugin.parent.contextOwner)!
    const own = pluginsInContext(plugin).flatMap(declaredBy)
    arounds.set(plugin, own.length === 0 ? above : [...above, ...own])
  }
  return arounds
}

/** Returns all `around` hooks of a route, outermost first. */
export function aroundsOf(route: RouteNode, ofContexts: ReadonlyMap<PluginNode, readonly AroundUse[]>): readonly AroundUse[] {
  const { hooks, plugin, path } = route
  const own = hooks.filter(({ name }) => name === 'around')
  const above = ofContexts.get(plugin.contextOwner)!
  if (own.length === 0) return above
  const uses = own.map(({ hook }) => ({ hook: hook as AroundHook, plugin, from: path }))
  const isFirst = ({ hook }: AroundUse): boolean => isFirstHook(hook, 'around')
  return [...uses.filter(isFirst), ...above, ...uses.filter((use) => !isFirst(use))]
}

/**
 * Returns the plugins that declare in the context of a plugin, in the order of their hooks: shared imports first, then the plugin itself.
 */
function pluginsInContext(plugin: PluginNode): PluginNode[] {
  return [
    ...plugin.imports
      .filter(isPluginNode)
      .filter((entry) => entry.isShared)
      .flatMap(pluginsInContext),
    plugin,
  ]
}

function declaredBy(plugin: PluginNode): AroundUse[] {
  const listed = plugin.hooks.filter(({ name }) => name === 'around').map(({ hook }) => hook as AroundHook)
  const methods = plugin.hookMethods.filter(({ name }) => name === 'around')
  return [...listed, ...methods].map((hook) => ({ hook, plugin, from: plugin.path }))
}

/** Returns the name of an `around` hook in errors and in `explain`: `Transaction.around`. */
export function aroundName({ hook, plugin }: AroundUse): string {
  if (isClass(hook)) return `${hook.name}.around`
  return typeof hook === 'function' ? hook.name || 'anonymous' : `${plugin.Class.name}.${String(hook.member)}`
}
