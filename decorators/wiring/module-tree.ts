/**
 * Reads decorated classes into plain data: the tree of plugins with their providers and routes. Nothing is constructed. An unreadable
 * declaration is a fault and is left out of the tree; the modules in ./checks examine all other declarations.
 */
import type { Plugin as PluginFunction } from '../../lib/index.js'
import { isSharedFunction } from '../../lib/internal.js'
import { otherCopyOf } from '../declare/copies.js'
import { readRepliesOfImport } from '../declare/class-replies.js'
import { getHookMethods } from '../declare/hook.js'
import { getProviderScope } from '../declare/injectable.js'
import type { Class } from '../declare/metadata.js'
import { type ImportEntry, isImportEntry } from '../declare/imports.js'
import { getPluginOptions, type PluginOptions } from '../declare/plugin.js'
import { getControllerPrefix, getRouteOptions } from '../declare/route.js'
import { cureOfMissingSchema, getSharedSchema } from '../declare/schema.js'
import type { RequestDecorator } from '../declare/tokens.js'
import { buildRoutes, joinPaths } from './build-routes.js'
import { type Fault, fault, WiringError } from './faults.js'
import {
  canReplace,
  findImportPath,
  hasOptions,
  isChildContext,
  isPluginClass,
  isPluginFunction,
  mayAddRoutes,
  replaceImport,
} from './imports.js'
import { addHandlers } from './constructed-classes.js'
import { readJob } from './jobs/read-job.js'
import { describeValue, nameOf } from './value-names.js'
import { ancestors, type FunctionNode, type Overrides, type PluginNode, type UsedHook } from './nodes.js'
import { readImportPrefix, readPluginOptions } from './option-kinds.js'

export interface ModuleTree {
  readonly root: PluginNode
  readonly faults: Fault[]
  /** The imported plugins that a test has replaced. */
  readonly replaced: ReadonlySet<unknown>
}

export function buildModuleTree(Root: Class, overrides: Overrides): ModuleTree {
  const found: Fault[] = []
  const copy = otherCopyOf(Root)
  const problem =
    copy === undefined ? fault('APPLICATION_NOT_A_PLUGIN', nameOf(Root)) : fault('PLUGIN_OF_OTHER_COPY', nameOf(Root), 'is', copy)
  if (typeof Root !== 'function') throw new WiringError(describeValue(Root), [problem])
  if (getPluginOptions(Root) === undefined) found.push(problem)
  const replaced = new Set<unknown>()
  const root = buildPlugin(Root, { entry: undefined, parent: undefined, found, overrides, replaced, instances: new Map(), deferred: [] })
  return { root, faults: found, replaced }
}

/** The state of building one module tree. */
interface Build {
  readonly found: Fault[]
  readonly overrides: Overrides
  /** The imported plugins that a test has replaced so far. */
  readonly replaced: Set<unknown>
  /** The instances of shared plugins in each context, by class, in the order in which they are loaded. */
  readonly instances: Map<PluginNode, Map<Class, PluginNode[]>>
  /**
   * Functions that build the child plugins of the current context. They are called once all plugins that are shared in the context are
   * known, because the children may use these.
   */
  readonly deferred: (() => void)[]
}

/** The state for building one plugin of a module tree: how the plugin is imported, and by which plugin. */
interface ImportContext extends Build {
  readonly entry: ImportEntry | undefined
  readonly parent: PluginNode | undefined
}

/** Creates the node of a plugin, at first without its routes and imports. */
function createNode(PluginClass: Class, { entry, parent, found, overrides, replaced }: ImportContext): PluginNode {
  const name = pluginClassName(PluginClass)
  const path = parent === undefined ? name : `${parent.path} > ${name}`
  const options = replaceImports(readPluginOptions(PluginClass, path, found) ?? {}, path, overrides, replaced, found)
  const isShared = parent !== undefined && (entry?.isShared === true || options.shared === true)
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
    prefix: prefixBelow(parent?.prefix ?? '', options, readImportPrefix(entry, path, found)),
    imports: [],
    uses: [],
    routes: [],
    jobs: [],
    hooks: readHooks(options),
    handlers: [],
    hookMethods: getHookMethods(PluginClass),
    schemas: readSchemas(options, path, found),
    requestDecorators: readRequestDecorators(options, overrides),
  }
  if (!isShared) node.contextOwner = node as PluginNode
  // A shared plugin has a parent, so every node has an owner now.
  return node as PluginNode
}

/** Returns the options of a plugin in which a test's substitutes replace imported plugins. */
function replaceImports(options: PluginOptions, path: string, overrides: Overrides, replaced: Set<unknown>, found: Fault[]): PluginOptions {
  if (overrides.size === 0 || options.imports === undefined) return options
  const imports = options.imports.map((entry) => {
    const plugin: unknown = isImportEntry(entry) ? entry.plugin : entry
    const override = isImportEntry(entry) || isPluginClass(plugin) ? overrides.get(plugin as object) : undefined
    if (override === undefined) return entry
    replaced.add(plugin)
    const isReplaceable = canReplace(plugin, override.substitute)
    if (!isReplaceable)
      found.push(fault('SUBSTITUTE_NOT_A_PLUGIN', override.name, path, describeValue(override.substitute), isPluginClass(plugin)))
    return isReplaceable ? replaceImport(entry, override.substitute) : entry
  })
  return { ...options, imports }
}

function pluginClassName(PluginClass: Class): string {
  return readPluginOptions(PluginClass)?.name ?? nameOf(PluginClass)
}

/** Returns the full prefix of a plugin. The prefix in the import overrides the prefix of the plugin itself. */
function prefixBelow(above: string, { prefix: own = '' }: PluginOptions, prefix = own): string {
  return joinPaths(above, prefix).replace(/\/$/, '')
}

function buildPlugin(PluginClass: Class, context: ImportContext): PluginNode {
  const node = createNode(PluginClass, context)
  const { found, instances } = context
  const build: Build = node.isShared ? context : { ...context, deferred: [] }
  if (!node.isShared) instances.set(node, new Map())
  else addInstance(instances.get(node.contextOwner)!, PluginClass, node)
  for (const RouteClass of node.options.routes ?? []) node.routes.push(...buildRoutes(RouteClass, node, found))
  for (const JobClass of node.options.jobs ?? []) node.jobs.push(...readJob(JobClass, node, found))
  addHandlers(node)
  const entries = node.options.imports ?? []
  const built = entries.map((entry) => (isChildContext(entry) ? undefined : buildImport(entry, node, build)))
  build.deferred.push(() => {
    for (const [index, entry] of entries.entries()) if (isChildContext(entry)) built[index] = buildImport(entry, node, build)
    node.imports.push(...built.filter((entry) => entry !== undefined))
  })
  // Each function may add further ones only to a context below.
  if (!node.isShared) for (const finish of build.deferred) finish()
  return node
}

function readHooks({ hooks }: PluginOptions): UsedHook[] {
  return Object.entries(hooks ?? {}).flatMap(([name, listed]) => [listed as unknown].flat().map((hook) => ({ name, hook }) as UsedHook))
}

function buildImport(listed: unknown, node: PluginNode, build: Build): PluginNode | FunctionNode | undefined {
  const { found } = build
  const entry = isImportEntry(listed) ? listed : undefined
  const plugin: unknown = entry === undefined ? listed : entry.plugin
  if (isPluginClass(plugin)) {
    const circle = ancestors(node).find((ancestor) => ancestor.Class === plugin)
    if (circle === undefined) return buildOrUse(plugin, entry, node, build)
    found.push(fault('IMPORT_CIRCLE', [...node.path.split(' > ').slice(circle.path.split(' > ').length - 1), circle.name], node.path))
    return undefined
  }
  // Without use(), a function may be a class whose @Plugin was forgotten, so it is refused.
  if (entry === undefined || !isPluginFunction(plugin)) {
    const copy = otherCopyOf(plugin)
    if (copy === undefined) found.push(fault('NOT_A_PLUGIN', nameOf(plugin), node.path, cureOfImport(plugin)))
    else found.push(fault('PLUGIN_OF_OTHER_COPY', node.path, `imports ${nameOf(plugin)},`, copy))
    return undefined
  }
  return {
    plugin: plugin as PluginFunction,
    options: entry.options,
    decorates: namesOf(entry.decorates),
    sets: namesOf(entry.sets),
    routeOptions: (entry.known as { routeOptions?: readonly string[] }).routeOptions ?? [],
    replies: readRepliesOfImport(entry.known),
    isSharedByImport: entry.isShared,
    // A module, or a promise of one, counts as shared: the decorators listed for it are verified when it is registered.
    isShared: entry.isShared || typeof plugin !== 'function' || isSharedFunction(plugin),
  }
}

/** Returns the names of request decorators. Invalid entries are left out, because they are reported elsewhere. */
function namesOf(decorators: readonly (RequestDecorator | undefined)[]): string[] {
  return [decorators].flat().flatMap((decorator) => decorator?.name ?? [])
}

/** Returns the cure for an import that belongs in another list or comes from another framework; `undefined` for other imports. */
function cureOfImport(plugin: unknown): string | undefined {
  if (typeof plugin === 'function') {
    if (getControllerPrefix(plugin) !== undefined || getRouteOptions(plugin) !== undefined)
      return 'It is a route or a controller: list it in routes.'
    return getProviderScope(plugin as Class) === undefined ? undefined : 'It is a provider: list it in providers.'
  }
  if (plugin instanceof Promise) return 'Await the module and import its class, or import a plugin function with use(promise).'
  const { module } = (plugin ?? {}) as { module?: unknown }
  if (typeof module !== 'function') return undefined
  return `Import the class with its options, use(${nameOf(module)}, { … }): its providers inject them as PLUGIN_OPTIONS, and setup(instance, options) receives them.`
}

function addInstance(instances: Map<Class, PluginNode[]>, PluginClass: Class, node: PluginNode): void {
  const others = instances.get(PluginClass)
  if (others === undefined) instances.set(PluginClass, [node])
  else others.push(node)
}

/**
 * Builds a new instance of a plugin, unless the import uses an instance that a visible context shares already.
 * @returns `undefined` if the import uses a shared instance
 */
function buildOrUse(PluginClass: Class, entry: ImportEntry | undefined, node: PluginNode, build: Build): PluginNode | undefined {
  const used = findUsed(PluginClass, entry, node, build)
  if (used === undefined) return buildPlugin(PluginClass, { ...build, entry, parent: node })
  const circle = findImportPath(PluginClass, node.Class)
  if (circle !== undefined) build.found.push(fault('IMPORT_CIRCLE', [node.Class, ...circle].map(pluginClassName), node.path))
  node.uses.push(used)
  return undefined
}

/**
 * Returns the shared plugin instance that an import uses: the nearest one in the context of the importing plugin or of an ancestor.
 * `undefined` if the import makes a new instance.
 */
function findUsed(PluginClass: Class, entry: ImportEntry | undefined, node: PluginNode, { instances }: Build): PluginNode | undefined {
  if (hasOptions(entry?.options)) return undefined
  for (const { contextOwner } of ancestors(node)) {
    const shared = instances.get(contextOwner)!.get(PluginClass) ?? []
    // If there are several, each with options, the import means none of them.
    const used = shared.length === 1 ? shared[0] : shared.find(({ importOptions }) => !hasOptions(importOptions))
    if (used === undefined) continue
    // In one context, a plugin that is shared below two prefixes has its routes below both.
    const isRepeated = contextOwner !== node.contextOwner || isChildContext(entry ?? PluginClass)
    const hasSamePrefix = used.prefix === prefixBelow(node.prefix, used.options, readImportPrefix(entry))
    return isRepeated || hasSamePrefix || !mayAddRoutes(PluginClass) ? used : undefined
  }
  return undefined
}

function readSchemas(options: PluginOptions, path: string, found: Fault[]): object[] {
  const schemas: object[] = []
  for (const schemaOrClass of options.schemas ?? []) {
    const isModel = typeof schemaOrClass === 'function'
    const schema = isModel ? getSharedSchema(schemaOrClass) : (schemaOrClass as { $id?: string })
    if (schema?.$id) schemas.push(schema)
    else
      found.push(
        fault('SCHEMA_WITHOUT_ID', nameOf(schemaOrClass), path, isModel ? cureOfMissingSchema(schemaOrClass) : "Write { $id: '…', … }."),
      )
  }
  return schemas
}

const noDecorators: ReadonlyMap<string | symbol, unknown> = new Map()

function readRequestDecorators({ decorateRequest }: PluginOptions, overrides: Overrides): ReadonlyMap<string | symbol, unknown> {
  if (decorateRequest == null) return noDecorators
  const declared: [string | symbol, unknown][] = Array.isArray(decorateRequest)
    ? // An entry that is not a decorator is reported with the other entries.
      (decorateRequest as readonly (RequestDecorator | undefined)[]).flatMap((entry) => (entry?.name ? [[entry.name, entry.value]] : []))
    : decoratorEntries(decorateRequest)
  return new Map(
    declared.map(([name, value]) => {
      const override = overrides.get(decoratorKey(name))
      return [name, override === undefined ? value : stubForRequests(override.substitute)]
    }),
  )
}

/**
 * Returns the value that a test gives to a request decorator, as the server takes it. The server refuses objects, because all requests
 * would share them. A test may share an object on purpose, so the object becomes an accessor. A value that a hook sets holds only for the
 * hook's request.
 */
export function stubForRequests(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || isMethodOrAccessor(value)) return value
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

/** Whether a decorator's value is a function, or a getter or setter, and not a plain value of each request or reply. */
export function isMethodOrAccessor(value: unknown): boolean {
  return typeof value === 'function' || (value !== null && typeof value === 'object' && ('getter' in value || 'setter' in value))
}

/** Returns the names and values in an object of decorators, symbols included. */
export function decoratorEntries(decorators: object | undefined): [string | symbol, unknown][] {
  if (decorators == null) return []
  return Reflect.ownKeys(decorators).map((name) => [name, (decorators as Record<string | symbol, unknown>)[name]])
}

/** Returns the key of a request decorator in {@link Overrides}. */
export function decoratorKey(name: string | symbol): string {
  return `request.${String(name)}`
}
