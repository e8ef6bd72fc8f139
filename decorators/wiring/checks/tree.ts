/** Finds faults between the declarations of a module tree, such as two routes with the same URL or two decorators with the same name. */
import { bodySchemaMethods, missingParameters, repeatedParameter, textOfConstraints, withoutParameterNames } from '../../../lib/internal.js'
import { isImportEntry } from '../../declare/imports.js'
import { modelOf } from '../../declare/model/ref.js'
import { getSharedSchema } from '../../declare/schema.js'
import { type Fault, fault } from '../faults.js'
import { hasOptions } from '../imports.js'
import { decoratorEntries, isMethodOrAccessor } from '../module-tree.js'
import { ancestors, contextPrefix, isPluginNode, type PluginNode, type RouteNode } from '../nodes.js'
import { lifecycleMethods } from '../provider-record.js'
import { nameOf } from '../value-names.js'
import { decoratorsIn } from './request-decorators.js'

/**
 * Returns the faults between the declarations of a module tree. `isMountedAlone`: whether the root of the tree is mounted for a test,
 * without the prefixes of its ancestors.
 */
export function findTreeFaults(plugins: readonly PluginNode[], isMountedAlone: boolean): Fault[] {
  const found: Fault[] = []
  for (const { routes } of plugins) for (const route of routes) checkRoute(route, isMountedAlone, found)
  for (const plugin of plugins) checkImports(plugin, found)
  findDuplicateRoutes(plugins, found)
  findDuplicateNotFoundHandlers(plugins, found)
  findDifferentSettings(plugins, found)
  findDuplicateDecorators(plugins, found)
  return found
}

function checkRoute({ path, member, fullUrl, methods, options, schema }: RouteNode, isMountedAlone: boolean, found: Fault[]): void {
  const { status = 200 } = options
  if (lifecycleMethods.has(member)) found.push(fault('ROUTE_NAMED_AS_LIFECYCLE', path, member))
  if (schema?.body)
    for (const name of methods) if (!bodySchemaMethods.includes(name)) found.push(fault('BODY_SCHEMA_ON_BODYLESS_METHOD', path, name))
  if (!Number.isInteger(status) || status < 200 || status > 599) found.push(fault('STATUS_INVALID', path, String(status)))
  const missing = missingParameters(schema?.params, fullUrl, (reference) => {
    const Model = modelOf(reference)
    return Model && getSharedSchema(Model)
  })
  if (missing.length > 0 && !isMountedAlone) found.push(fault('PARAMETER_NOT_IN_PATH', path, missing, fullUrl))
  const repeated = repeatedParameter(fullUrl)
  if (repeated !== undefined) found.push(fault('PARAMETER_REPEATED', path, repeated, fullUrl))
}

/**
 * Reports request decorators that `use` lists for a plugin that cannot add them to the importing context. Request decorators of other
 * plugins are verified at boot.
 */
function checkImports({ path, options, imports, uses }: PluginNode, found: Fault[]): void {
  for (const entry of options.imports ?? []) {
    if (!isImportEntry(entry) || entry.decorates.length === 0) continue
    const isPlugin = [...imports.filter(isPluginNode), ...uses].some(({ Class }) => Class === entry.plugin)
    if (isPlugin) found.push(fault('DECORATES_OF_CLASS', nameOf(entry.plugin), path))
  }
  for (const node of imports) {
    if (!isPluginNode(node) && !node.isShared && node.decorates.length > 0)
      found.push(fault('DECORATES_NOT_SHARED', node.decorates, nameOf(node.plugin), path))
  }
}

function findDuplicateRoutes(plugins: readonly PluginNode[], found: Fault[]): void {
  const seen = new Map<string, RouteNode>()
  for (const route of plugins.flatMap((plugin) => plugin.routes)) {
    const { fullUrl, methods, options, path } = route
    const target = `${withoutParameterNames(fullUrl)} ${textOfConstraints(options.constraints)}`
    for (const method of methods) {
      const key = `${method} ${target}`
      const first = seen.get(key)
      if (first === undefined) seen.set(key, route)
      else found.push(repeatedImport(first, route, method, fullUrl) ?? fault('DUPLICATE_ROUTE', method, fullUrl, first.path, path))
    }
  }
}

/** Returns the fault of a plugin that is imported twice, if two routes are equal because of the second import; otherwise `undefined`. */
function repeatedImport(first: RouteNode, second: RouteNode, method: string, url: string): Fault | undefined {
  if (first.Class !== second.Class || first.member !== second.member) return undefined
  let [one, other] = [first.plugin, second.plugin]
  if (one === other || one.Class !== other.Class) return undefined
  // The plugin that is imported twice may import the plugin of the route.
  while (one.parent !== other.parent && one.parent?.Class === other.parent?.Class) [one, other] = [one.parent!, other.parent!]
  const [importer, otherImporter] = [one.parent, other.parent]
  if (importer === undefined || otherImporter === undefined) return undefined
  const above = new Set(ancestors(otherImporter))
  const common = ancestors(importer).find((ancestor) => above.has(ancestor))!
  const isUsable = !hasOptions(one.importOptions) && !hasOptions(other.importOptions)
  const importers = [...new Set([importer.path, otherImporter.path])]
  return fault('PLUGIN_IMPORTED_TWICE', nameOf(one.Class), importers, `${method} ${url}`, isUsable ? common.path : undefined)
}

/** Reports a second not-found handler for a prefix. Prefixes are equal if they differ only in the names of parameters. */
function findDuplicateNotFoundHandlers(plugins: readonly PluginNode[], found: Fault[]): void {
  const seen = new Map<string, PluginNode>()
  for (const plugin of plugins) {
    if (plugin.options.notFoundHandler == null) continue
    const prefix = contextPrefix(plugin.contextOwner)
    const shape = withoutParameterNames(prefix)
    const other = seen.get(shape)
    if (other === undefined) seen.set(shape, plugin)
    else found.push(fault('NOT_FOUND_HANDLER_REPEATED', plugin.path, prefix || '/', other.path))
  }
}

/** Returns the options of a plugin of which a context has one value. */
function settingsOf({ options }: PluginNode): [string, unknown][] {
  const { errorFormat, schemaErrorFormatter, validatorCompiler, serializerCompiler, schemaController } = options
  const settings: [string, unknown][] = Object.entries({ errorFormat, schemaErrorFormatter, validatorCompiler, serializerCompiler })
  if (schemaController != null) {
    // A second controller keeps the parts that it does not have.
    const { compilersFactory, ...parts } = schemaController
    for (const [name, value] of Object.entries(parts)) settings.push([`schemaController.${name}`, value])
    for (const [name, value] of Object.entries(compilersFactory ?? {})) settings.push([`schemaController.compilersFactory.${name}`, value])
  }
  return settings.filter(([, value]) => value != null)
}

/**
 * Reports settings that two plugins declare with different values for one context. A shared plugin declares in the context of another
 * plugin, and comes after it in the list.
 */
function findDifferentSettings(plugins: readonly PluginNode[], found: Fault[]): void {
  const seen = new Map<PluginNode, Map<string, { plugin: PluginNode; value: unknown }>>()
  for (const plugin of plugins) {
    for (const [option, value] of settingsOf(plugin)) {
      const here = seen.get(plugin.contextOwner) ?? new Map<string, { plugin: PluginNode; value: unknown }>()
      seen.set(plugin.contextOwner, here)
      const other = here.get(option)
      if (other === undefined) here.set(option, { plugin, value })
      else if (other.value !== value)
        found.push(
          option === 'errorFormat'
            ? fault('ERROR_FORMATS_DIFFER', plugin.path, String(value), other.plugin.path, String(other.value))
            : fault('CONTEXT_SETTINGS_DIFFER', plugin.path, option, other.plugin.path, nameOf(plugin.Class)),
        )
    }
  }
}

function findDuplicateDecorators(plugins: readonly PluginNode[], found: Fault[]): void {
  const kinds: { kind: string; of: (plugin: PluginNode) => [string | symbol, unknown][] }[] = [
    { kind: 'server', of: (plugin) => decoratorEntries(plugin.options.decorate) },
    { kind: 'request', of: (plugin) => [...plugin.requestDecorators, ...repeatedDecorators(plugin)] },
    { kind: 'reply', of: (plugin) => decoratorEntries(plugin.options.decorateReply) },
  ]
  for (const { kind, of } of kinds) {
    const added = new Map<PluginNode, Map<string | symbol, { plugin: PluginNode; value: unknown }>>()
    for (const plugin of plugins) {
      const decorators = of(plugin)
      // Most plugins add no decorators.
      if (decorators.length === 0) continue
      const here = added.get(plugin.contextOwner) ?? new Map<string | symbol, { plugin: PluginNode; value: unknown }>()
      added.set(plugin.contextOwner, here)
      for (const [name, value] of decorators) {
        // For requests and replies, a child may replace a method or accessor of an ancestor, but not a value.
        const above = ancestors(plugin.contextOwner)
          .slice(1)
          .map((ancestor) => added.get(ancestor.contextOwner)?.get(name))
        const other =
          here.get(name) ?? (kind === 'server' ? undefined : above.find((entry) => entry !== undefined && !isMethodOrAccessor(entry.value)))
        if (other !== undefined) found.push(fault('DUPLICATE_DECORATOR', kind, String(name), plugin.path, other.plugin.path))
        here.set(name, { plugin, value })
      }
    }
  }
}

/** Returns the request decorators in the list of a plugin that repeat the name of an earlier one. */
function repeatedDecorators({ options }: PluginNode): [string | symbol, unknown][] {
  const listed = decoratorsIn(options.decorateRequest)
  return listed
    .filter(({ name }, index) => listed.findIndex((other) => other.name === name) < index)
    .map(({ name, value }) => [name, value])
}
