/**
 * Declares an application in a blueprint: contexts that are only described. Nothing is constructed and no plugin function is run, so the
 * declarations of plugin functions and `setup` methods are missing.
 */
import type { LifecycleHookName, Server } from '../../lib/index.js'
import {
  addBlueprintHook,
  type ApplicationFacts,
  type BlueprintServer,
  createBlueprint,
  addBlueprintContext,
  addBlueprintFunction,
  findContradictions,
  isPromiseLike,
  kPluginMeta,
  lifecycleHookNames,
  readApplicationFacts,
} from '../../lib/internal.js'
import type { ClassHookName } from '../declare/hook.js'
import { compileEventCheck } from '../jobs/event.js'
import { compileQueueCheck } from '../jobs/queue.js'
import { judge, rulesOf } from '../wiring/access/judge.js'
import { collectArounds } from '../wiring/arounds.js'
import type { Sharing } from '../wiring/fault-texts/text.js'
import { type Fault, fault } from '../wiring/faults.js'
import { consumerPath, isClass } from '../wiring/value-names.js'
import { allPlugins, type FunctionNode, isPluginNode, type PluginNode, type RouteNode, type UsedHook } from '../wiring/nodes.js'
import { consumerOf, type Wiring } from '../wiring/provider-record.js'
import { howToShare } from '../wiring/sharing.js'
import { readJudgedRoutes } from './checks/judged-routes.js'
import { madeOf } from './bind-methods.js'
import { type BootstrapOptions, readSettings } from './bootstrap-options.js'
import { declarePlugin, type DeclarationHost, ownPrefix } from './declare-in-context.js'
import type { Instances } from './scopes/request-scopes.js'

type Method = (...args: any[]) => any

/**
 * Makes the blueprint of an application without faults. Nothing is constructed.
 * @throws the ALC_ERR_… codes of invalid options and declarations
 */
export function createApplicationBlueprint(root: PluginNode, wiring: Wiring, options: BootstrapOptions): Server {
  const { root: server } = createServerBlueprint(root, options)
  new Blueprint(wiring, root).registerShared(root, server)
  return server
}

/**
 * Compiles the schemas of the routes, queues and events of an application in a blueprint. Leaves out contexts that a `setup` method or a
 * shared plugin function changes when it runs: it may add a shared schema, a compiler or a constraint strategy.
 * @throws the errors with which the boot would refuse these schemas, all together
 */
export function compileInBlueprint(root: PluginNode, wiring: Wiring, options: BootstrapOptions): void {
  const { root: server, compile } = createServerBlueprint(root, options)
  const blueprint = new Blueprint(wiring, root)
  try {
    blueprint.registerShared(root, server)
  } catch (error) {
    // Such code may add what a declaration needs, for example a constraint strategy.
    if (pathsThatMayAddRoutes(root).length > 0) return
    throw error
  }
  compile((instance) => !blueprint.mayChange(instance), blueprint.compileInputs())
}

function createServerBlueprint({ name }: PluginNode, options: BootstrapOptions): BlueprintServer {
  return createBlueprint({ name, ...readSettings(options).options })
}

/** The host of {@link declarePlugin} that only describes an application, without constructing anything. */
class Blueprint implements DeclarationHost {
  readonly wiring: Wiring
  readonly arounds: DeclarationHost['arounds']
  readonly #instances = new Map<PluginNode, Server>()
  /** The instances on which a `setup` method or a shared plugin function is called at boot. */
  readonly #changing = new Set<object>()

  constructor(wiring: Wiring, root: PluginNode) {
    this.wiring = wiring
    this.arounds = collectArounds(root)
  }

  /** Whether code that runs at boot may change what the routes of an instance see: code of the instance itself, or of an ancestor. */
  mayChange(instance: Server): boolean {
    for (let each: object | null = instance; each !== null; each = Object.getPrototypeOf(each)) if (this.#changing.has(each)) return true
    return false
  }

  /** Compiles the schemas of queues and events, and returns the errors. */
  compileInputs(): Error[] {
    const { providers, privateProviders } = this.wiring
    const records = new Set([...providers.values(), ...privateProviders.values()].flatMap((byToken) => [...byToken.values()]))
    return [...records].flatMap((record) => {
      const instance = this.#instances.get(record.plugin)
      if (instance === undefined || this.mayChange(instance)) return []
      try {
        compileQueueCheck(record.token, instance)
        compileEventCheck(record.token, instance)
        return []
      } catch (error) {
        return [Object.assign(error as Error, { context: consumerPath(consumerOf(record)) })]
      }
    })
  }

  registerShared(node: PluginNode, instance: Server): void {
    this.#instances.set(node, instance)
    // No step of a blueprint is a promise.
    void Array.from(declarePlugin(node, instance, this))
  }

  registerChild(node: PluginNode, instance: Server): void {
    this.registerShared(node, addBlueprintContext(instance, node.name, ownPrefix(node)))
  }

  registerFunction(entry: FunctionNode, _node: PluginNode, instance: Server): void {
    addBlueprintFunction(instance, entry.plugin, entry.isSharedByImport, entry.replies)
    if (entry.isShared && !pluginsWithoutSchemas.has(nameOfFunction(entry))) this.#changing.add(instance)
  }

  construct(): void {}

  setUp(node: PluginNode, instance: Server): void {
    if (hasSetup(node)) this.#changing.add(instance)
  }

  instancesOf(node: PluginNode): Instances {
    const plugin = this.wiring.plugins.get(node)!
    return { plugin, constructedClasses: this.wiring.constructedClasses.get(node)!, find: neverCalled, openScope: neverCalled }
  }

  /** Returns a placeholder function with the name and the declared replies of a hook. */
  createHook({ name, hook }: UsedHook): Method {
    return madeOf(hook, placeholder(isClass(hook) ? `${hook.name}.${name}` : hook.name))
  }

  bindOwnHook({ member }: PluginNode['hookMethods'][number], { Class }: PluginNode): Method {
    const method = Class.prototype[member] as Method
    return madeOf(method, placeholder(method.name))
  }

  /** Adds a request hook to a context. Other hooks, such as onRoute and onReady, are left out, because they belong to no route. */
  addHook(instance: Server, name: ClassHookName, hook: Method): void {
    if ((lifecycleHookNames as readonly string[]).includes(name)) addBlueprintHook(instance, name as LifecycleHookName, hook)
  }

  createHandler({ path }: RouteNode): Method {
    return placeholder(path)
  }
}

function placeholder(name: string): Method {
  return Object.defineProperty(() => neverCalled(), 'name', { value: name })
}

function neverCalled(): never {
  throw new Error('a blueprint of an application serves no requests')
}

/**
 * Returns the paths of the plugin functions and `setup` methods that may add routes to an application. Plugin functions for which `mayAdd`
 * returns false are left out.
 */
export function pathsThatMayAddRoutes(root: PluginNode, mayAdd: (entry: FunctionNode) => boolean = () => true): string[] {
  const paths = allPlugins(root).flatMap((plugin) => [
    ...(hasSetup(plugin) ? [`${plugin.path}.setup`] : []),
    ...plugin.imports.flatMap((entry) =>
      isPluginNode(entry) || !mayAdd(entry) ? [] : `${plugin.path} > ${pluginFunctionName(entry.plugin)}`,
    ),
  ])
  // A plugin that is used with two prefixes has one path.
  return [...new Set(paths)]
}

/** Whether a plugin class has a `setup` method. */
export function hasSetup({ Class }: PluginNode): boolean {
  return typeof Class.prototype.setup === 'function'
}

export function pluginFunctionName(plugin: unknown): string {
  return typeof plugin === 'function' ? plugin.name || 'an anonymous function' : isPromiseLike(plugin) ? 'a promise' : 'a module'
}

/**
 * Returns the faults for which a blueprint is needed: of declared replies, and of access rules. If the server would refuse a declaration of
 * the application, and there are no access rules, returns no faults: the server reports them at boot.
 * @throws if there are access rules, the error of a declaration that the server would refuse
 */
export function findBlueprintFaults(root: PluginNode, wiring: Wiring, options: BootstrapOptions, isMountedAlone: boolean): Fault[] {
  // An ancestor that is missing in a test may run what a rule demands.
  const rules = isMountedAlone ? [] : rulesOf(root)
  if (!wiring.hasDeclaredReplies && rules.length === 0) return []
  try {
    const facts = readApplicationFacts(createApplicationBlueprint(root, wiring, options))
    // An ancestor that is missing in a test, or a plugin function when it runs, may declare the scheme or the schema.
    const hasAll = !isMountedAlone && pathsThatMayAddRoutes(root).length === 0
    const ofReplies = wiring.hasDeclaredReplies ? faultsOfReplies(facts, allPlugins(root), hasAll) : []
    return [...ofReplies, ...judge({ root, wiring, routes: readJudgedRoutes(facts, root), unknownIn, isStrict: false }, rules)]
  } catch (error) {
    if (rules.length > 0) throw error
    return []
  }
}

/**
 * Returns a function that checks a server by the access rules of its plugins, if routes may have been added programmatically; `undefined`
 * if all routes of the rules were checked before.
 */
export function judgeOfServer(root: PluginNode, wiring: Wiring): ((server: Server) => Fault[]) | undefined {
  const rules = rulesOf(root)
  if (rules.every(({ plugin }) => unknownIn(plugin).length === 0)) return undefined
  return (server) =>
    judge({ root, wiring, routes: readJudgedRoutes(readApplicationFacts(server), root), unknownIn: () => [], isStrict: true }, rules)
}

/** The plugins in docs/reference/ecosystem.md that add no routes, by the name that they pass to fastify-plugin. */
const pluginsWithoutRoutes: ReadonlySet<string | undefined> = new Set(
  `auth basic-auth bearer-auth compress cookie csrf-protection etag formbody helmet jwt middie multipart rate-limit reply-from
  request-context response-validation sensible session view websocket`
    .split(/\s+/)
    .map((name) => `@fastify/${name}`),
)

/** The plugins among these that may add a shared schema (`sharedSchemaId`). */
const pluginsWithSchemas: readonly (string | undefined)[] = ['@fastify/multipart', '@fastify/sensible']

/** The plugins in docs/reference/ecosystem.md that change nothing by which the schemas of routes are compiled. */
const pluginsWithoutSchemas: ReadonlySet<string | undefined> = new Set([
  ...[...pluginsWithoutRoutes].filter((name) => !pluginsWithSchemas.includes(name)),
  ...['cors', 'mongodb', 'mysql', 'postgres', 'redis', 'static', 'swagger', 'under-pressure'].map((name) => `@fastify/${name}`),
])

/** The name that a plugin function passes to fastify-plugin; `undefined` if there is none. */
function nameOfFunction({ plugin }: FunctionNode): string | undefined {
  return (plugin as { [kPluginMeta]?: { readonly name?: string } })[kPluginMeta]?.name
}

/** Whether a plugin function may add routes: all may, except the known plugins that add none. */
export function functionMayAddRoutes(entry: FunctionNode): boolean {
  return !pluginsWithoutRoutes.has(nameOfFunction(entry))
}

/** Returns the paths of the plugin functions and `setup` methods in and below a plugin that may add routes. */
export function unknownIn(plugin: PluginNode): string[] {
  return pathsThatMayAddRoutes(plugin, functionMayAddRoutes)
}

function howToShareSchema(plugins: readonly PluginNode[], place: string, id: string): Sharing | undefined {
  const needing = plugins.find(({ routes }) => routes.some(({ path }) => path === place))
  const declaring = plugins.filter(({ schemas }) => schemas.some((schema) => (schema as { $id?: unknown }).$id === id))
  return needing && howToShare(needing, declaring)
}

/**
 * Returns the faults of the declared replies of a server, or of a blueprint.
 * @param plugins the plugin classes of the application; empty if they are unknown
 * @param hasAll whether the facts contain all declarations of security schemes and shared schemas
 */
export function faultsOfReplies(facts: ApplicationFacts, plugins: readonly PluginNode[] = [], hasAll = true): Fault[] {
  const { responses, schemes, hidden, dangling, unknownSchemes } = findContradictions(facts)
  return [
    ...(hasAll ? unknownSchemes : []).map(({ place, name, declared }) => fault('SECURITY_SCHEME_UNKNOWN', place, name, declared)),
    ...responses.map(({ from, place, status, mediaType, own }) => fault('RESPONSE_CONTRADICTED', place, from, status, mediaType, own)),
    ...hidden.map(({ from, place, id, contexts }) =>
      fault('RESPONSE_SCHEMA_HIDDEN', from, place, id, contexts, howToShareSchema(plugins, place, id)),
    ),
    ...(hasAll ? dangling : []).map(({ from, reference }) =>
      fault('REFERENCE_INVALID', from, {
        problem: `'${reference}' in a declared response, which leads nowhere.`,
        cure: 'Correct it, or list the schema in schemas of the plugin or of an ancestor.',
      }),
    ),
    ...schemes.map(({ name, first, second }) => fault('SECURITY_SCHEME_AMBIGUOUS', name, first, second)),
  ]
}
