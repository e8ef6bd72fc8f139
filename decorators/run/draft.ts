/**
 * Declares an application in contexts that are only described: as `Assembly` does, but with nothing constructed and no plugin function
 * run. What plugin functions and `setup` methods would add is unknown here.
 */
import type { LifecycleHookName, Server, ServerOptions } from '../../lib/index.js'
import {
  addDraftHook,
  type ApplicationFacts,
  createDraft,
  draftContext,
  draftFunction,
  findContradictions,
  isPromiseLike,
  lifecycleHookNames,
  readApplicationFacts,
} from '../../lib/internal.js'
import type { Class } from '../declare/metadata.js'
import { type AroundUse, aroundsOf, collectArounds } from '../wiring/arounds.js'
import type { Sharing } from '../wiring/fault-texts/text.js'
import { type Fault, fault } from '../wiring/faults.js'
import { isClass } from '../wiring/names.js'
import { allPlugins, type FunctionNode, isPluginNode, type PluginNode, type RouteNode } from '../wiring/nodes.js'
import type { Wiring } from '../wiring/resolve.js'
import { howToShare } from '../wiring/sharing.js'
import { withContractOf } from './bind-methods.js'
import { declareInContext, declareRoute, ownPrefix } from './declare-in-context.js'
import type { Instances } from './handler-classes.js'

type Method = (...args: any[]) => any

/** Makes the contexts of an application that has no faults. @throws the ALC_ERR_… codes of invalid options and declarations */
export function draftApplication(root: PluginNode, wiring: Wiring, options: ServerOptions): Server {
  const server = createDraft({ name: root.name, ...options })
  declarePlugin(root, server, { wiring, arounds: collectArounds(root) })
  return server
}

interface Drafting {
  readonly wiring: Wiring
  readonly arounds: ReadonlyMap<PluginNode, readonly AroundUse[]>
}

function declarePlugin(node: PluginNode, instance: Server, drafting: Drafting): void {
  const instances: Instances = { members: drafting.wiring.members.get(node)!, scope: unconstructed, openScope: neverCalled }
  declareInContext(node, instance, instances)
  for (const entry of node.imports) {
    if (!isPluginNode(entry)) draftFunction(instance, entry.plugin, entry.isSharedByImport, entry.contract)
    else if (entry.isShared) declarePlugin(entry, instance, drafting)
  }
  for (const { name, hook } of node.hooks) declareHook(instance, name, standInFor(hook as Method | Class, name))
  for (const { member, name } of node.hookMethods) declareHook(instance, name, named(node.Class.prototype[member].name as string))
  for (const route of node.routes) addRoute(route, instance, instances, drafting)
  for (const entry of node.imports)
    if (isPluginNode(entry) && !entry.isShared) declarePlugin(entry, draftContext(instance, entry.name, ownPrefix(entry)), drafting)
}

/** Hooks of the application and of declarations are of no route. */
function declareHook(instance: Server, name: string, run: Method): void {
  if ((lifecycleHookNames as readonly string[]).includes(name)) addDraftHook(instance, name as LifecycleHookName, run)
}

function addRoute(route: RouteNode, instance: Server, instances: Instances, { arounds }: Drafting): void {
  const hooks: Record<string, Method[]> = {}
  for (const { name, hook } of route.hooks) if (name !== 'around') (hooks[name] ??= []).push(standInFor(hook as Method | Class, name))
  declareRoute(route, instance, {
    handler: named(route.path),
    hooks,
    arounds: aroundsOf(route, arounds),
    instances,
    cureOfMissingSchema: () => '',
  })
}

/** A function with the name and the contract of a hook. */
function standInFor(hook: Method | Class, name: string): Method {
  return withContractOf(hook, named(isClass(hook) ? `${hook.name}.${name}` : hook.name))
}

function named(name: string): Method {
  return Object.defineProperty(() => neverCalled(), 'name', { value: name })
}

function neverCalled(): never {
  throw new Error('a draft of an application serves no requests')
}

const unconstructed: Instances['scope'] = { ownerOf: neverCalled }

/** The plugin functions that may add routes, as far as `mayAdd` does not say otherwise, and the `setup` methods of an application. */
export function pathsThatMayAddRoutes(root: PluginNode, mayAdd: (entry: FunctionNode) => boolean = () => true): string[] {
  const paths = allPlugins(root).flatMap((plugin) => [
    ...(typeof plugin.Class.prototype.setup === 'function' ? [`${plugin.path}.setup`] : []),
    ...plugin.imports.flatMap((entry) => (isPluginNode(entry) || !mayAdd(entry) ? [] : `${plugin.path} > ${nameOfFunction(entry.plugin)}`)),
  ])
  // A plugin that is used with two prefixes has one path.
  return [...new Set(paths)]
}

function nameOfFunction(plugin: unknown): string {
  return typeof plugin === 'function' ? plugin.name || 'an anonymous function' : isPromiseLike(plugin) ? 'a promise' : 'a module'
}

/**
 * Faults of what guards and others declare of their replies, against each other and against the routes. Most applications declare nothing.
 * A declaration that the server refuses is left to it.
 */
export function findContractFaults(root: PluginNode, wiring: Wiring, options: ServerOptions, isPart: boolean): Fault[] {
  if (!wiring.hasContracts) return []
  try {
    // An ancestor that is missing in a test, or a plugin function when it runs, may declare the scheme.
    const hasAll = !isPart && pathsThatMayAddRoutes(root).length === 0
    return faultsOfContracts(readApplicationFacts(draftApplication(root, wiring, options)), allPlugins(root), hasAll)
  } catch {
    return []
  }
}

function howToShareSchema(plugins: readonly PluginNode[], place: string, id: string): Sharing | undefined {
  const needing = plugins.find(({ routes }) => routes.some(({ path }) => path === place))
  const declaring = plugins.filter(({ schemas }) => schemas.some((schema) => (schema as { $id?: unknown }).$id === id))
  return needing && howToShare(needing, declaring)
}

/**
 * The same of a server, or of a draft.
 * @param plugins those of its class, if that is known
 * @param hasAll whether the facts contain everything that declares security schemes
 */
export function faultsOfContracts(facts: ApplicationFacts, plugins: readonly PluginNode[] = [], hasAll = true): Fault[] {
  const { responses, schemes, hidden, unknownSchemes } = findContradictions(facts)
  return [
    ...(hasAll ? unknownSchemes : []).map(({ place, name, declared }) => fault('SECURITY_SCHEME_UNKNOWN', place, name, declared)),
    ...responses.map(({ from, place, status, mediaType, own }) => fault('RESPONSE_CONTRADICTED', place, from, status, mediaType, own)),
    ...hidden.map(({ from, place, id, contexts }) =>
      fault('RESPONSE_SCHEMA_HIDDEN', from, place, id, contexts, howToShareSchema(plugins, place, id)),
    ),
    ...schemes.map(({ name, first, second }) => fault('SECURITY_SCHEME_AMBIGUOUS', name, first, second)),
  ]
}
