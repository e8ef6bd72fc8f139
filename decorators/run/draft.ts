/**
 * Declares an application in contexts that are only described: nothing is constructed and no plugin function is run, so what plugin
 * functions and `setup` methods would add is unknown here.
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
  kPluginMeta,
  lifecycleHookNames,
  readApplicationFacts,
} from '../../lib/internal.js'
import type { ClassHookName } from '../declare/hook.js'
import { judge, rulesOf } from '../wiring/access/judge.js'
import { collectArounds } from '../wiring/arounds.js'
import type { Sharing } from '../wiring/fault-texts/text.js'
import { type Fault, fault } from '../wiring/faults.js'
import { isClass } from '../wiring/names.js'
import { allPlugins, type FunctionNode, isPluginNode, type PluginNode, type RouteNode, type UsedHook } from '../wiring/nodes.js'
import type { Wiring } from '../wiring/provider-record.js'
import { howToShare } from '../wiring/sharing.js'
import { readJudgedRoutes } from './access/judged-routes.js'
import { madeOf } from './bind-methods.js'
import { declarePlugin, type Host, ownPrefix } from './declare-in-context.js'
import type { Instances } from './request-scopes.js'

type Method = (...args: any[]) => any

/**
 * Makes the contexts of an application that has no faults, without constructing anything.
 * @throws the ALC_ERR_… codes of invalid options and declarations
 */
export function draftApplication(root: PluginNode, wiring: Wiring, options: ServerOptions): Server {
  const server = createDraft({ name: root.name, ...options })
  new Draft(wiring, root).registerShared(root, server)
  return server
}

class Draft implements Host {
  readonly wiring: Wiring
  readonly arounds: Host['arounds']

  constructor(wiring: Wiring, root: PluginNode) {
    this.wiring = wiring
    this.arounds = collectArounds(root)
  }

  registerShared(node: PluginNode, instance: Server): void {
    // No step of a draft is a promise.
    void Array.from(declarePlugin(node, instance, this))
  }

  registerChild(node: PluginNode, instance: Server): void {
    this.registerShared(node, draftContext(instance, node.name, ownPrefix(node)))
  }

  registerFunction({ plugin, isSharedByImport, contract }: FunctionNode, _node: PluginNode, instance: Server): void {
    draftFunction(instance, plugin, isSharedByImport, contract)
  }

  construct(): void {}

  setUp(): void {}

  instancesOf(node: PluginNode): Instances {
    const plugin = this.wiring.plugins.get(node)!
    return { plugin, members: this.wiring.members.get(node)!, find: neverCalled, openScope: neverCalled }
  }

  /** Returns a function with the name and the contract of a hook. */
  createHook({ name, hook }: UsedHook): Method {
    return madeOf(hook, named(isClass(hook) ? `${hook.name}.${name}` : hook.name))
  }

  bindOwnHook({ member }: PluginNode['hookMethods'][number], { Class }: PluginNode): Method {
    const method = Class.prototype[member] as Method
    return madeOf(method, named(method.name))
  }

  /** Adds a hook of requests to a context. Hooks of the application and of declarations are left out, because they belong to no route. */
  addHook(instance: Server, name: ClassHookName, hook: Method): void {
    if ((lifecycleHookNames as readonly string[]).includes(name)) addDraftHook(instance, name as LifecycleHookName, hook)
  }

  createHandler({ path }: RouteNode): Method {
    return named(path)
  }
}

function named(name: string): Method {
  return Object.defineProperty(() => neverCalled(), 'name', { value: name })
}

function neverCalled(): never {
  throw new Error('a draft of an application serves no requests')
}

/**
 * Returns the paths of the plugin functions and `setup` methods of an application, which may add routes. Plugin functions for which
 * `mayAdd` returns false are left out.
 */
export function pathsThatMayAddRoutes(root: PluginNode, mayAdd: (entry: FunctionNode) => boolean = () => true): string[] {
  const paths = allPlugins(root).flatMap((plugin) => [
    ...(hasSetup(plugin) ? [`${plugin.path}.setup`] : []),
    ...plugin.imports.flatMap((entry) => (isPluginNode(entry) || !mayAdd(entry) ? [] : `${plugin.path} > ${nameOfFunction(entry.plugin)}`)),
  ])
  // A plugin that is used with two prefixes has one path.
  return [...new Set(paths)]
}

/** Whether a plugin class has a `setup` method. */
export function hasSetup({ Class }: PluginNode): boolean {
  return typeof Class.prototype.setup === 'function'
}

export function nameOfFunction(plugin: unknown): string {
  return typeof plugin === 'function' ? plugin.name || 'an anonymous function' : isPromiseLike(plugin) ? 'a promise' : 'a module'
}

/**
 * Returns the faults that only a draft shows: of the replies that guards and others declare, and of access rules. Most applications have
 * neither. If the server would refuse a declaration, contracts are left to the server.
 * @throws if there are access rules, the error of a declaration that the server would refuse
 */
export function findDraftFaults(root: PluginNode, wiring: Wiring, options: ServerOptions, isPart: boolean): Fault[] {
  // An ancestor that is missing in a test may run what a rule demands.
  const rules = isPart ? [] : rulesOf(root)
  if (!wiring.hasContracts && rules.length === 0) return []
  try {
    const facts = readApplicationFacts(draftApplication(root, wiring, options))
    // An ancestor that is missing in a test, or a plugin function when it runs, may declare the scheme.
    const hasAll = !isPart && pathsThatMayAddRoutes(root).length === 0
    const ofContracts = wiring.hasContracts ? faultsOfContracts(facts, allPlugins(root), hasAll) : []
    return [...ofContracts, ...judge({ root, wiring, routes: readJudgedRoutes(facts, root), unknownIn, isStrict: false }, rules)]
  } catch (error) {
    if (rules.length > 0) throw error
    return []
  }
}

/**
 * Returns a function that judges a server by the access rules of its plugins, if code may have added routes to it; `undefined` if all its
 * routes were judged before.
 */
export function judgeOfServer(root: PluginNode, wiring: Wiring): ((server: Server) => Fault[]) | undefined {
  const rules = rulesOf(root)
  if (rules.every(({ plugin }) => unknownIn(plugin).length === 0)) return undefined
  return (server) =>
    judge({ root, wiring, routes: readJudgedRoutes(readApplicationFacts(server), root), unknownIn: () => [], isStrict: true }, rules)
}

/** The plugins of docs/reference/ecosystem.md that add no routes, by the names that they give to fastify-plugin. */
const pluginsWithoutRoutes: ReadonlySet<string | undefined> = new Set(
  `auth basic-auth bearer-auth compress cookie csrf-protection etag formbody helmet jwt middie multipart rate-limit reply-from
  request-context response-validation sensible session view websocket`
    .split(/\s+/)
    .map((name) => `@fastify/${name}`),
)

/** Whether a plugin function may add routes. */
export function mayAddRoutes({ plugin }: FunctionNode): boolean {
  return !pluginsWithoutRoutes.has((plugin as { [kPluginMeta]?: { readonly name?: string } })[kPluginMeta]?.name)
}

/** Returns the paths of the code in and below a plugin that may add routes. */
export function unknownIn(plugin: PluginNode): string[] {
  return pathsThatMayAddRoutes(plugin, mayAddRoutes)
}

function howToShareSchema(plugins: readonly PluginNode[], place: string, id: string): Sharing | undefined {
  const needing = plugins.find(({ routes }) => routes.some(({ path }) => path === place))
  const declaring = plugins.filter(({ schemas }) => schemas.some((schema) => (schema as { $id?: unknown }).$id === id))
  return needing && howToShare(needing, declaring)
}

/**
 * Returns the faults of the declared replies of a server, or of a draft.
 * @param plugins the plugin classes of the application, if they are known
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
