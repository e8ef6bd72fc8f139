/** The `around` hooks of routes: those of the plugins whose context a route is in or below, then those of the route itself. */
import type { AroundHook } from '../declare/hook.js'
import { isClass } from './names.js'
import { allPlugins, isPluginNode, type PluginNode, type RouteNode } from './nodes.js'

/** One `around` hook, and where it was declared. */
export interface AroundUse {
  /** A function or a class; for a method of a plugin class its name. */
  readonly hook: AroundHook | { readonly member: string | symbol }
  /** The plugin that lists it, or whose route does. */
  readonly plugin: PluginNode
  /** Path of the context or of the route that declares it. */
  readonly from: string
}

/** The `around` hooks that hold for all routes of a context, by its plugin: those of ancestors first, then those that imports share. */
export function collectArounds(root: PluginNode): Map<PluginNode, readonly AroundUse[]> {
  const arounds = new Map<PluginNode, readonly AroundUse[]>()
  // A plugin comes before those that it imports.
  for (const plugin of allPlugins(root)) {
    if (plugin.contextOwner !== plugin) continue
    const above = plugin.parent === undefined ? [] : arounds.get(plugin.parent.contextOwner)!
    const own = pluginsInContext(plugin).flatMap(declaredBy)
    arounds.set(plugin, own.length === 0 ? above : [...above, ...own])
  }
  return arounds
}

/** All `around` hooks of a route, outermost first. */
export function aroundsOf(route: RouteNode, ofContexts: ReadonlyMap<PluginNode, readonly AroundUse[]>): readonly AroundUse[] {
  const { hooks, plugin, path } = route
  const own = hooks.filter(({ name }) => name === 'around')
  const above = ofContexts.get(plugin.contextOwner)!
  return own.length === 0 ? above : [...above, ...own.map(({ hook }) => ({ hook: hook as AroundHook, plugin, from: path }))]
}

/** A plugin after those that it imports as shared ones, which is the order of their hooks. */
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

/** How errors and `explain` name it: `Transaction.around`. */
export function aroundName({ hook, plugin }: AroundUse): string {
  if (isClass(hook)) return `${hook.name}.around`
  return typeof hook === 'function' ? hook.name || 'anonymous' : `${plugin.Class.name}.${String(hook.member)}`
}
