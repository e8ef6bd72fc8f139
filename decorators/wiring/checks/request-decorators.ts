/**
 * Finds faults of request decorators. A plugin or hook must see each request decorator that it requires, and not another one with the same
 * name. A request decorator without a value must be set by a hook that runs before every hook and handler that reads it.
 */
import { lifecycleHookNames } from '../../../lib/internal.js'
import { getLacking, getRequired, getSet, runsBeforeHandler } from '../../declare/hook.js'
import { isImportEntry } from '../../declare/imports.js'
import { isSameDecorator, type RequestDecorator } from '../../declare/tokens.js'
import { type Fault, fault } from '../faults.js'
import { ancestors, type FunctionNode, isPluginNode, pluginPath, type PluginNode, type RouteNode } from '../nodes.js'
import { nameOf } from '../value-names.js'
import { howToShare } from '../sharing.js'

/**
 * Returns the faults of all request decorators. @param isMountedAlone whether the root of the tree is mounted for a test, so that an
 * ancestor that adds a decorator may be missing
 */
export function findRequestDecoratorFaults(plugins: readonly PluginNode[], isMountedAlone: boolean): Fault[] {
  const added = decoratorsAdded(plugins)
  const findAdded: FindAdded = (plugin, name) => {
    for (const { contextOwner } of ancestors(plugin)) {
      const found = added.get(contextOwner)?.get(name)
      if (found !== undefined) return found
    }
    return undefined
  }
  const unmet = findUnmetRequirements(plugins, findAdded, isMountedAlone)
  // Most applications have no decorator that hooks set, and then nothing else is looked at.
  if (!plugins.some(usesHookSet)) return unmet
  const check = new SetCheck(plugins, findAdded)
  for (const plugin of plugins) check.checkPlugin(plugin)
  const found = [...unmet, ...check.found]
  return found.length === 0 && !isMountedAlone ? check.findNeverSet() : found
}

/** A request decorator that a plugin adds. */
interface Added {
  /** The request decorator; `undefined` if a plugin adds the value by a name alone. */
  readonly decorator: RequestDecorator | undefined
  readonly value: unknown
  readonly plugin: PluginNode
}

/** Returns the request decorator with a name that a plugin sees; `undefined` if there is none. */
type FindAdded = (plugin: PluginNode, name: string) => Added | undefined

/** Returns the request decorators that plugins add, by the plugin that owns the context and by name. */
function decoratorsAdded(plugins: readonly PluginNode[]): Map<PluginNode, Map<string | symbol, Added>> {
  const added = new Map<PluginNode, Map<string | symbol, Added>>()
  for (const plugin of plugins) {
    const { contextOwner, options, requestDecorators, imports } = plugin
    const listed = decoratorsIn(options.decorateRequest)
    const own = [...requestDecorators].map(([name, value]) => ({ name, value, decorator: listed.find((each) => each.name === name) }))
    const ofImports = decoratorsIn((options.imports ?? []).filter(isImportEntry).flatMap(({ decorates }) => decorates))
    // A plugin function that is not shared declares in its own context.
    const shared = imports
      .flatMap((entry) => (!isPluginNode(entry) && entry.isShared ? entry.decorates : []))
      .map((name) => ({ name, value: undefined, decorator: ofImports.find((each) => each.name === name) }))
    for (const { name, value, decorator } of [...own, ...shared]) {
      if (!added.has(contextOwner)) added.set(contextOwner, new Map())
      added.get(contextOwner)!.set(name, { decorator, value, plugin })
    }
  }
  return added
}

/** Returns the request decorators in a list. Invalid entries are left out, because they are reported elsewhere. */
export function decoratorsIn(list: unknown): RequestDecorator[] {
  return Array.isArray(list) ? (list as (RequestDecorator | undefined)[]).flatMap((entry) => (entry?.name === undefined ? [] : entry)) : []
}

/**
 * Returns a fault for each required request decorator that a plugin does not see, or instead of which it sees another one with the same
 * name.
 */
function findUnmetRequirements(plugins: readonly PluginNode[], findAdded: FindAdded, isMountedAlone: boolean): Fault[] {
  return plugins.flatMap((plugin) =>
    requirementsOf(plugin).flatMap(({ required, place, reader }) => {
      const { name } = required
      const added = findAdded(plugin, name)
      if (added === undefined) {
        const elsewhere = plugins.filter((other) => other.requestDecorators.has(name))
        return fault('REQUIREMENT_NOT_MET', name, place, elsewhere.map(pluginPath), reader, howToShare(plugin, elsewhere), isMountedAlone)
      }
      return isOther(required, added) ? fault('DECORATOR_AMBIGUOUS', name, place, reader, added.plugin.path) : []
    }),
  )
}

/** Whether the added value may have another type than the required request decorator of the same name. */
function isOther(required: RequestDecorator, { decorator, value }: Added): boolean {
  if (decorator !== undefined) return !isSameDecorator(decorator, required)
  return required.isSetByHook && value != null
}

/** A request decorator that a plugin requires, or that one of its hooks or handlers reads or sets. */
interface Requirement {
  readonly required: RequestDecorator
  readonly place: string
  readonly reader: string | undefined
}

function requirementsOf({ options, path, hooks, routes }: PluginNode): Requirement[] {
  const found: Requirement[] = []
  const add = (entries: readonly RequestDecorator[], place: string, reader?: string): void => {
    for (const required of decoratorsIn(entries)) found.push({ required, place, reader })
  }
  add(options.requires ?? [], path)
  for (const owner of [{ path, hooks }, ...routes])
    for (const { hook } of owner.hooks) add([...getRequired(hook), ...getSet(hook)], owner.path, hookNamed(hook))
  add(getRequired(options.notFoundHandler), path, notFoundHandlerNamed(options.notFoundHandler))
  return found
}

function hookNamed(hook: unknown): string {
  return `the hook ${nameOf(hook)}`
}

function notFoundHandlerNamed(handler: unknown): string {
  return `the not-found handler ${nameOf(handler)}`
}

/** A hook of a route, or all hooks of an imported plugin function together. */
interface ListedHook {
  readonly name: string
  /** The hook function or class, or the plugin function. */
  readonly hook: unknown
  /** The path of the plugin or route that lists the hook. */
  readonly place: string
  /** The names of the request decorators that the hook reads. */
  readonly reads: readonly string[]
  /** The names of the request decorators that the hook sets. */
  readonly sets: readonly string[]
}

function listHooks({ path: place, hooks }: Pick<PluginNode | RouteNode, 'path' | 'hooks'>): ListedHook[] {
  return hooks.map(({ name, hook }) => ({
    name,
    hook,
    place,
    reads: namesSetByHooks(getRequired(hook)),
    sets: decoratorsIn(getSet(hook)).map((each) => each.name),
  }))
}

/** Returns the hooks of a plugin function that set request decorators. They count as `onRequest` hooks at the place of the import. */
function listFunction({ plugin, sets }: FunctionNode, place: string): ListedHook[] {
  return sets.length === 0 ? [] : [{ name: 'onRequest', hook: plugin, place, reads: [], sets }]
}

function usesHookSet({ options, hooks, routes }: PluginNode): boolean {
  const ofHooks = [{ hooks }, ...routes].flatMap((owner) => owner.hooks.flatMap(({ hook }) => [getSet(hook), getRequired(hook)]))
  const lists = [...ofHooks, options.requires, options.decorateRequest, getRequired(options.notFoundHandler)]
  return lists.some((list) => namesSetByHooks(list).length > 0) || routes.some(({ Class, member }) => getLacking(Class, member).length > 0)
}

/** Returns the names of those request decorators in a list that hooks set. */
function namesSetByHooks(list: unknown): string[] {
  return decoratorsIn(list).flatMap(({ name, isSetByHook }) => (isSetByHook ? name : []))
}

/**
 * The names of the request decorators that have a value, each with the hook that sets the value; `undefined` if a plugin or a test gives
 * the value.
 */
type NamesSet = ReadonlyMap<string, string | undefined>

class SetCheck {
  readonly found: Fault[] = []
  readonly #plugins: readonly PluginNode[]
  readonly #findAdded: FindAdded
  readonly #hooks: ReadonlyMap<PluginNode, readonly ListedHook[]>
  /** The names of the hook classes that set a request decorator, by the decorator's name. */
  readonly #setters = new Map<string, Set<string>>()
  /** The names of the plugin functions that set a request decorator, by the decorator's name. */
  readonly #functions = new Map<string, Set<string>>()

  constructor(plugins: readonly PluginNode[], findAdded: FindAdded) {
    this.#plugins = plugins
    this.#findAdded = findAdded
    this.#hooks = hooksOfContexts(plugins[0]!)
    const note = (setters: Map<string, Set<string>>, hooks: readonly ListedHook[]): void => {
      for (const { sets, hook } of hooks) for (const name of sets) setters.set(name, (setters.get(name) ?? new Set()).add(nameOf(hook)))
    }
    for (const plugin of plugins) {
      for (const owner of [plugin, ...plugin.routes]) note(this.#setters, listHooks(owner))
      for (const entry of plugin.imports) if (!isPluginNode(entry)) note(this.#functions, listFunction(entry, plugin.path))
    }
  }

  checkPlugin(plugin: PluginNode): void {
    const isVisible = (name: string): boolean => this.#findAdded(plugin, name) !== undefined
    // A decorator that is not even visible is another fault.
    const required = namesSetByHooks(plugin.options.requires).filter(isVisible)
    const ofContext = this.#hooks.get(plugin.contextOwner)!
    const atStart = this.#namesAtStart(plugin)
    const namesSet = (hooks: readonly ListedHook[], route: string): NamesSet => this.#namesSet(plugin, atStart, hooks, route)
    for (const route of plugin.routes) {
      const title = `${route.methods.join(', ')} ${route.fullUrl}`
      this.#checkRoute(route, required, namesSet([...ofContext, ...listHooks(route)], title))
    }
    const { notFoundHandler } = plugin.options
    if (notFoundHandler == null) return
    // `around` hooks surround the handlers of routes only.
    const beforeAll = ofContext.filter(({ name }) => name !== 'around')
    const title = `unknown paths below ${plugin.prefix || '/'}`
    const known = namesSet(beforeAll, title)
    for (const name of namesSetByHooks(getRequired(notFoundHandler)).filter(isVisible))
      if (!known.has(name)) this.#addNotSet(name, notFoundHandlerNamed(notFoundHandler), plugin.path, title)
  }

  #checkRoute({ Class, member, path }: RouteNode, required: readonly string[], known: NamesSet): void {
    // An entry that is not a request decorator is reported with the other entries.
    const lacking = new Set(getLacking(Class, member).flatMap((entry: RequestDecorator | undefined) => entry?.name ?? []))
    for (const name of lacking)
      if (!required.includes(name) || known.get(name) !== undefined) this.found.push(fault('WITHOUT_NEEDLESS', name, path, known.get(name)))
    for (const name of required) if (!known.has(name) && !lacking.has(name)) this.#addNotSet(name, 'its handler', path)
  }

  /**
   * Returns the names of the request decorators that are set when the handler runs, each with the name of the hook that sets it. A fault is
   * added for each hook that reads a request decorator too early.
   */
  #namesSet(plugin: PluginNode, atStart: NamesSet, hooks: readonly ListedHook[], route: string): NamesSet {
    const known = new Map(atStart)
    for (const { name: hookName, hook, place, reads, sets } of inOrder(hooks)) {
      for (const name of reads.filter((each) => this.#findAdded(plugin, each) !== undefined)) {
        if (!runsBeforeHandler(hookName)) this.#add(fault('DECORATOR_READ_LATE', name, hookName, nameOf(hook), place))
        else if (!known.has(name)) this.#addNotSet(name, hookNamed(hook), place, route)
      }
      if (runsBeforeHandler(hookName)) for (const name of sets) known.set(name, nameOf(hook))
    }
    return known
  }

  /** Returns the names of the request decorators to which a plugin or a test gives a value. */
  #namesAtStart(plugin: PluginNode): NamesSet {
    const known = new Map<string, undefined>()
    const visible = new Set(ancestors(plugin).map(({ contextOwner }) => contextOwner))
    for (const other of this.#plugins.filter(({ contextOwner }) => visible.has(contextOwner)))
      for (const [name, value] of other.requestDecorators) if (value != null) known.set(String(name), undefined)
    return known
  }

  findNeverSet(): Fault[] {
    return this.#plugins.flatMap((plugin) => {
      const names = namesSetByHooks(plugin.options.decorateRequest)
      return names
        .filter((name) => !this.#setters.has(name) && !this.#functions.has(name) && !this.#namesAtStart(plugin).has(name))
        .map((name) => fault('DECORATOR_NEVER_SET', name, plugin.path))
    })
  }

  #addNotSet(name: string, reader: string, place: string, route?: string): void {
    const namesIn = (setters: Map<string, Set<string>>): string[] => [...(setters.get(name) ?? [])]
    this.#add(fault('DECORATOR_NOT_SET', name, reader, place, route, namesIn(this.#setters), namesIn(this.#functions)))
  }

  /** Adds a fault, unless the same fault of the same hook was added for another route. */
  #add(next: Fault): void {
    const isKnown = this.found.some(({ code, place, cure }) => code === next.code && place === next.place && cure === next.cure)
    if (!isKnown) this.found.push(next)
  }
}

/** A hook of a context, and the plugin that owns the context which has added it. */
interface AddedHook {
  readonly hook: ListedHook
  readonly from: PluginNode
}

/**
 * Returns the hooks of each context, by the plugin that owns the context, in the order in which they run: that in which
 * run/declare-in-context.ts adds them, but a hook of a class before those of the contexts below.
 */
function hooksOfContexts(root: PluginNode): Map<PluginNode, ListedHook[]> {
  const contexts = new Map<PluginNode, AddedHook[]>()
  const isIn = (owner: PluginNode, above: PluginNode): boolean => ancestors(owner).some(({ contextOwner }) => contextOwner === above)
  const add = (added: readonly ListedHook[], contextOwner: PluginNode, isOfClass: boolean): void => {
    if (added.length === 0) return
    // A context that exists gets later hooks too.
    for (const [owner, hooks] of contexts) {
      if (!isIn(owner, contextOwner)) continue
      const at = isOfClass ? hooks.findIndex(({ from }) => from !== contextOwner && isIn(from, contextOwner)) : -1
      hooks.splice(at === -1 ? hooks.length : at, 0, ...added.map((hook) => ({ hook, from: contextOwner })))
    }
  }
  const declare = (node: PluginNode): void => {
    const { contextOwner, parent } = node
    if (contextOwner === node) contexts.set(node, parent === undefined ? [] : [...contexts.get(parent.contextOwner)!])
    for (const entry of node.imports) {
      if (!isPluginNode(entry)) add(listFunction(entry, node.path), contextOwner, false)
      else if (entry.isShared) declare(entry)
    }
    add(listHooks(node), contextOwner, true)
    for (const entry of node.imports) if (isPluginNode(entry) && !entry.isShared) declare(entry)
  }
  declare(root)
  return new Map([...contexts].map(([owner, hooks]) => [owner, hooks.map(({ hook }) => hook)]))
}

const order: readonly string[] = lifecycleHookNames

/** Returns hooks in the order in which they run. `around` hooks come after all other hooks that run before the handler. */
function inOrder(hooks: readonly ListedHook[]): ListedHook[] {
  const indexOf = ({ name }: ListedHook): number => (name === 'around' ? order.indexOf('preHandler') + 0.5 : order.indexOf(name))
  return hooks.toSorted((one, other) => indexOf(one) - indexOf(other))
}
