/** Reads facts about the imports of a plugin class before the module tree is built. */
import { isSharedFunction } from '../../lib/internal.js'
import type { Class } from '../declare/metadata.js'
import { type ImportEntry, isImportEntry, type PluginImport } from '../declare/imports.js'
import { getPluginOptions } from '../declare/plugin.js'
import { isClass } from './value-names.js'
import { readPluginOptions } from './option-kinds.js'

/** Whether an import creates a context: the import of a plugin class that is not shared. */
export function isChildContext(entry: PluginImport): boolean {
  const { plugin, isShared } = isImportEntry(entry) ? entry : { plugin: entry, isShared: false }
  const options = typeof plugin === 'function' ? readPluginOptions(plugin as Class) : undefined
  return options !== undefined && !isShared && options.shared !== true
}

export function isPluginClass(value: unknown): value is Class {
  return typeof value === 'function' && getPluginOptions(value) !== undefined
}

export function isPluginFunction(plugin: unknown): boolean {
  if (typeof plugin === 'function') return !isClass(plugin)
  if (plugin === null || typeof plugin !== 'object') return false
  return typeof (plugin as { default?: unknown }).default === 'function' || typeof (plugin as { then?: unknown }).then === 'function'
}

/** Whether a test may replace an imported plugin with a substitute: a class with a class, a function with a function. */
export function canReplace(plugin: unknown, substitute: unknown): boolean {
  return isPluginClass(plugin) ? isPluginClass(substitute) : !isPluginClass(substitute) && isPluginFunction(substitute)
}

/** Returns an import of the substitute, in the same context and with the same options as the replaced import. */
export function replaceImport(entry: PluginImport, substitute: unknown): ImportEntry {
  const plugin = substitute as ImportEntry['plugin']
  if (!isImportEntry(entry))
    return { kind: 'import', plugin, options: undefined, decorates: [], sets: [], known: {}, isShared: !isChildContext(entry) }
  return {
    ...entry,
    plugin,
    isShared: entry.isShared || isSharedFunction(entry.plugin) || (isPluginClass(entry.plugin) && !isChildContext(entry)),
  }
}

/** Whether the options that an import passes to its plugin are not empty. */
export function hasOptions(options: unknown): boolean {
  return options !== undefined && options !== null && (typeof options !== 'object' || Object.keys(options).length > 0)
}

/** Whether a plugin class, or a plugin that it imports, may add routes. */
export function mayAddRoutes(PluginClass: Class): boolean {
  const { routes = [], imports = [] } = readPluginOptions(PluginClass)!
  return routes.length > 0 || imports.length > 0 || typeof PluginClass.prototype.setup === 'function'
}

/** Returns the chain of plugin classes through which `from` imports `to`, both included; `undefined` if there is no such chain. */
export function findImportPath(from: Class, to: Class, seen = new Set<unknown>()): Class[] | undefined {
  if (from === to) return [from]
  if (seen.has(from)) return undefined
  seen.add(from)
  for (const entry of readPluginOptions(from)!.imports ?? []) {
    const plugin: unknown = isImportEntry(entry) ? entry.plugin : entry
    if (typeof plugin !== 'function' || readPluginOptions(plugin as Class) === undefined) continue
    const path = findImportPath(plugin as Class, to, seen)
    if (path !== undefined) return [from, ...path]
  }
  return undefined
}
