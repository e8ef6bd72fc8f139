/**
 * Faults of request decorators: a plugin or hook that requires one must see it, and one without a value must be set by a hook that runs
 * before each handler and hook that reads it.
 */
import { lifecycleHookNames } from '../../../lib/internal.js'
import { getLacking, getRequired, getSet, runsBeforeHandler } from '../../declare/hook.js'
import type { RequestDecorator } from '../../declare/tokens.js'
import { type Fault, fault } from '../faults.js'
import { ancestors, isPluginNode, pluginPath, type PluginNode, type RouteNode, type UsedHook } from '../nodes.js'
import { nameOf } from '../value-names.js'
import { howToShare } from '../sharing.js'

/** @param isMountedAlone whether the root of the tree is mounted for a test, so that an ancestor that adds a decorator may be missing */
export function findRequestDecoratorFaults(plugins: readonly PluginNode[], isMountedAlone: boolean): Fault[] {
  const added = namesAdded(plugins)
  const isVisible: IsVisible = (plugin, name) => ancestors(plugin).some(({ contextOwner }) => added.get(contextOwner)?.has(name))
  const unmet = findUnmetRequirements(plugins, isVisible, isMountedAlone)
  // Most applications have no decorator that hooks set, and then nothing else is looked at.
  if (!plugins.some(usesHookSet)) return unmet
  const check = new SetCheck(plugins, isVisible)
  for (const plugin of plugins) check.checkPlugin(plugin)
  const found = [...unmet, ...check.found]
  return found.length === 0 && !isMountedAlone ? check.findNeverSet() : found
}

/** Whether a plugin sees a request decorator. */
type IsVisible = (plugin: PluginNode, name: string) => boolean

/** Returns the names of the request decorators that plugins add, by the owner of the context. */
function namesAdded(plugins: readonly PluginNode[]): Map<PluginNode, Set<string | symbol>> {
  const added = new Map<PluginNode, Set<string | symbol>>()
  for (const plugin of plugins) {
    // A plugin function that is not shared declares in its own context.
    const shared = plugin.imports.flatMap((entry) => (!isPluginNode(entry) && entry.isShared ? entry.decorates : []))
    const names = [...plugin.requestDecorators.keys(), ...shared]
    if (names.length > 0) added.set(plugin.contextOwner, new Set([...(added.get(plugin.contextOwner) ?? []), ...names]))
  }
  return added
}

/** Returns a fault for each required request decorator that neither the plugin, nor an ancestor, nor a shared import adds. */
function findUnmetRequirements(plugins: readonly PluginNode[], isVisible: IsVisible, isMountedAlone: boolean): Fault[] {
  return plugins.flatMap((plugin) =>
    requirementsOf(plugin)
      .filter(({ name }) => !isVisible(plugin, name))
      .map(({ name, place, hook }) => {
        const elsewhere = plugins.filter((other) => other.requestDecorators.has(name))
        return fault('REQUIREMENT_NOT_MET', name, place, elsewhere.map(pluginPath), hook, howToShare(plugin, elsewhere), isMountedAlone)
      }),
  )
}

/** Returns the request decorators that a plugin requires, and that hooks of its routes or context read or set. */
function requirementsOf(plugin: PluginNode): { name: string; place: string; hook: string | undefined }[] {
  const required: { name: string; place: string; hook: string | undefined }[] = []
  const add = (entries: readonly (RequestDecorator | undefined)[], place: string, hook?: string): void => {
    // An entry that is not a request decorator is reported with the other entries.
    for (const entry of entries) if (entry?.name !== undefined) required.push({ name: entry.name, place, hook })
  }
  add(plugin.options.requires ?? [], plugin.path)
  for (const { path, hooks } of [plugin, ...plugin.routes])
    for (const { hook } of hooks) add([...getRequired(hook), ...getSet(hook)], path, nameOf(hook))
  return required
}

/** One hook of a route, with the plugin or route that lists it. */
interface ListedHook extends UsedHook {
  readonly place: string
}

function usesHookSet(plugin: PluginNode): boolean {
  const ofHooks = [plugin, ...plugin.routes].some(({ hooks }) => hooks.some(({ hook }) => getSet(hook).length > 0))
  const ofRoutes = plugin.routes.some(({ Class, member }) => getLacking(Class, member).length > 0)
  return ofHooks || ofRoutes || hookSet(plugin.options.requires).length > 0 || hookSet(plugin.options.decorateRequest).length > 0
}

/** Returns the names of the decorators of a list that hooks set. An entry of another kind is reported with the other entries. */
function hookSet(list: unknown): string[] {
  return Array.isArray(list) ? (list as (RequestDecorator | undefined)[]).flatMap((entry) => (entry?.isSetByHook ? entry.name : [])) : []
}

/** The names of the decorators that are set, each with what sets it; `undefined` for a value that a plugin or a test gives. */
type NamesSet = ReadonlyMap<string, string | undefined>

class SetCheck {
  readonly found: Fault[] = []
  readonly #plugins: readonly PluginNode[]
  readonly #isVisible: IsVisible
  readonly #hooks: ReadonlyMap<PluginNode, readonly ListedHook[]>
  /** The hook classes that set a decorator, by its name. */
  readonly #setters = new Map<string, Set<string>>()

  constructor(plugins: readonly PluginNode[], isVisible: IsVisible) {
    this.#plugins = plugins
    this.#isVisible = isVisible
    this.#hooks = hooksOfContexts(plugins[0]!)
    for (const { hooks } of plugins.flatMap((plugin) => [plugin, ...plugin.routes]))
      for (const { hook } of hooks)
        for (const { name } of getSet(hook)) this.#setters.set(name, (this.#setters.get(name) ?? new Set()).add(nameOf(hook)))
  }

  checkPlugin(plugin: PluginNode): void {
    // A decorator that is not even visible is another fault.
    const required = hookSet(plugin.options.requires).filter((name) => this.#isVisible(plugin, name))
    const ofContext = this.#hooks.get(plugin.contextOwner)!
    const atStart = this.#namesAtStart(plugin)
    const namesSet = (hooks: readonly ListedHook[], route: string): NamesSet => this.#namesSet(plugin, atStart, hooks, route)
    for (const route of plugin.routes) {
      const ofRoute = route.hooks.map((used) => ({ ...used, place: route.path }))
      const title = `${route.methods.join(', ')} ${route.fullUrl}`
      this.#checkRoute(route, required, namesSet([...ofContext, ...ofRoute], title))
    }
    if (plugin.options.notFoundHandler == null) return
    // `around` hooks surround the handlers of routes only.
    const beforeAll = ofContext.filter(({ name }) => name !== 'around')
    const known = namesSet(beforeAll, `unknown paths below ${plugin.prefix || '/'}`)
    for (const name of required) if (!known.has(name)) this.#addNotSet(name, 'its not-found handler', plugin.path)
  }

  #checkRoute({ Class, member, path }: RouteNode, required: readonly string[], known: NamesSet): void {
    // An entry that is not a request decorator is reported with the other entries.
    const lacking = new Set(getLacking(Class, member).flatMap((entry: RequestDecorator | undefined) => entry?.name ?? []))
    for (const name of lacking)
      if (!required.includes(name) || known.get(name) !== undefined) this.found.push(fault('WITHOUT_NEEDLESS', name, path, known.get(name)))
    for (const name of required) if (!known.has(name) && !lacking.has(name)) this.#addNotSet(name, 'its handler', path)
  }

  /**
   * Returns the names of the decorators that are set when the handler runs, each with the name of what sets it. A hook that reads a
   * decorator before it is set is a fault.
   */
  #namesSet(plugin: PluginNode, atStart: NamesSet, hooks: readonly ListedHook[], route: string): NamesSet {
    const known = new Map(atStart)
    for (const { name: hookName, hook, place } of inOrder(hooks)) {
      for (const name of hookSet(getRequired(hook)).filter((each) => this.#isVisible(plugin, each))) {
        if (!runsBeforeHandler(hookName)) this.#add(fault('DECORATOR_READ_LATE', name, hookName, nameOf(hook), place))
        else if (!known.has(name)) this.#addNotSet(name, nameOf(hook), place, route)
      }
      if (runsBeforeHandler(hookName)) for (const { name } of getSet(hook)) known.set(name, nameOf(hook))
    }
    return known
  }

  /** Returns the names that imported plugin functions set, and those that a plugin or a test gives a value. */
  #namesAtStart(plugin: PluginNode): NamesSet {
    const known = new Map<string, string | undefined>()
    const visible = new Set(ancestors(plugin).map(({ contextOwner }) => contextOwner))
    for (const other of this.#plugins.filter(({ contextOwner }) => visible.has(contextOwner))) {
      for (const entry of other.imports) if (!isPluginNode(entry)) for (const name of entry.sets) known.set(name, nameOf(entry.plugin))
      for (const [name, value] of other.requestDecorators) if (value != null) known.set(String(name), undefined)
    }
    return known
  }

  findNeverSet(): Fault[] {
    return this.#plugins.flatMap((plugin) => {
      const names = hookSet(plugin.options.decorateRequest)
      return names
        .filter((name) => !this.#setters.has(name) && !this.#namesAtStart(plugin).has(name))
        .map((name) => fault('DECORATOR_NEVER_SET', name, plugin.path))
    })
  }

  #addNotSet(name: string, reader: string, place: string, route?: string): void {
    this.#add(fault('DECORATOR_NOT_SET', name, reader, place, route, [...(this.#setters.get(name) ?? [])]))
  }

  /** Adds a fault, unless the same hook at the same place has it for another route. */
  #add(next: Fault): void {
    const isKnown = this.found.some(({ code, place, cure }) => code === next.code && place === next.place && cure === next.cure)
    if (!isKnown) this.found.push(next)
  }
}

/** Returns the hooks of each context, by the plugin that owns it, in the order in which run/declare-in-context.ts adds them. */
function hooksOfContexts(root: PluginNode): Map<PluginNode, ListedHook[]> {
  const contexts = new Map<PluginNode, ListedHook[]>()
  const isBelow = (owner: PluginNode, above: PluginNode): boolean => ancestors(owner).some(({ contextOwner }) => contextOwner === above)
  const declare = (node: PluginNode): void => {
    const { contextOwner, parent } = node
    if (contextOwner === node) contexts.set(node, parent === undefined ? [] : [...contexts.get(parent.contextOwner)!])
    for (const entry of node.imports) if (isPluginNode(entry) && entry.isShared) declare(entry)
    const own = node.hooks.map((used) => ({ ...used, place: node.path }))
    // A context that exists gets later hooks too. Most plugins have no hooks.
    if (own.length > 0) for (const [owner, hooks] of contexts) if (isBelow(owner, contextOwner)) hooks.push(...own)
    for (const entry of node.imports) if (isPluginNode(entry) && !entry.isShared) declare(entry)
  }
  declare(root)
  return contexts
}

const order: readonly string[] = lifecycleHookNames

/** Returns hooks in the order in which they run. `around` hooks run after all other hooks before the handler. */
function inOrder(hooks: readonly ListedHook[]): ListedHook[] {
  const indexOf = ({ name }: ListedHook): number => (name === 'around' ? order.indexOf('preHandler') + 0.5 : order.indexOf(name))
  return hooks.toSorted((one, other) => indexOf(one) - indexOf(other))
}
