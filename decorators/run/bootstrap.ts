/**
 * From a plugin class to a running server: module tree, proof of the wiring, nested contexts, instances, routes.
 */
import { createServer, type HookName, type Plugin as PluginFunction, type Server, type ServerOptions } from '../../lib/index.js'
import { fault, ResolutionError, WiringError } from '../wiring/faults.js'
import { bindHook, createHandler, createHook, type OpenRequestScope, RequestScopes } from './bind-methods.js'
import type { RouteHook } from '../declare/hook.js'
import type { Class } from '../declare/metadata.js'
import {
  allPlugins,
  ancestors,
  buildModuleTree,
  entriesOf,
  type FunctionNode,
  hookClassesIn,
  isPluginNode,
  joinPaths,
  type Overrides,
  type PluginNode,
  type RouteNode,
} from '../wiring/module-tree.js'
import type { PluginSetup } from '../declare/plugin.js'
import { Lifetimes, type ProviderRecord, Scope } from './scope.js'
import { LOGGER, PLUGIN_OPTIONS, REQUEST, SERVER, type Token, tokenName, type TokenValue } from '../declare/tokens.js'
import { proveWiring, type Wiring } from '../wiring/resolve.js'

/** A server made from classes: the same that `createServer` gives, and the providers that its contexts see. */
export interface BootstrappedServer extends Server {
  /**
   * The provider of a token as the root context sees it, for tests and scripts.
   * ```ts
   * const users = server.resolve(Users)
   * ```
   * @throws ResolutionError (ALC_ERR_RESOLUTION) when it is not visible there, is request-scoped or transient, or is not
   * constructed yet
   */
  resolve<K extends Token<any>>(token: K): TokenValue<K>
}

/**
 * Proves the wiring of an application without constructing anything, for a test or a script in CI.
 * ```ts
 * test('the wiring is right', () => check(App))
 * ```
 * @throws WiringError (ALC_ERR_WIRING) with all faults
 */
export function check(App: Class): void {
  prove(App, new Map())
}

function prove(App: Class, overrides: Overrides): { root: PluginNode; wiring: Wiring } {
  const tree = buildModuleTree(App, overrides)
  const { wiring, faults } = proveWiring(tree, overrides)
  if (faults.length > 0) throw new WiringError(tree.root.name, faults)
  return { root: tree.root, wiring }
}

/**
 * Makes a server from a plugin class, which becomes the root context; all plugins are loaded and all providers constructed when it
 * resolves.
 * ```ts
 * const server = await bootstrap(App, { logger: true })
 * await server.listen({ port: 8000 })
 * ```
 * @throws WiringError before anything is constructed; the construction codes of {@link createServer}; whatever a plugin, a factory
 * or a constructor throws, after what was made has been closed
 */
export async function bootstrap(App: Class, options: ServerOptions = {}): Promise<BootstrappedServer> {
  return (await assemble(App, options, new Map())).server
}

/** A server, the tree that it was made from, and its providers as any plugin of the tree sees them. */
export interface Application {
  readonly server: BootstrappedServer
  readonly root: PluginNode
  readonly wiring: Wiring
  /** @throws ResolutionError */
  resolve(plugin: PluginNode, token: Token<any>): unknown
}

const applications = new WeakMap<Server, Application>()

/** The application that a server was made from; `undefined` for one made without classes. */
export function applicationOf(server: Server): Application | undefined {
  return applications.get(server)
}

/** What {@link bootstrap} does, with overrides, and with the tree that it was made from. */
export async function assemble(App: Class, options: ServerOptions, overrides: Overrides): Promise<Application> {
  const { root, wiring } = prove(App, overrides)
  const server = createServer({ name: root.name, ...options })
  const assembly = new Assembly(wiring, root)
  assembly.declareRequestScopes(server)
  // The first onClose hook runs last: after the last request, and after whatever closes what providers hold.
  server.addHook('onClose', () => assembly.end(server))
  server.register(shareWithParent(assembly.pluginFunction(root)), {})
  server.addHook('onReady', () => assembly.lifetimes.ready())
  try {
    await server.ready()
  } catch (error) {
    await closeFailed(server)
    throw assembly.named(error)
  }
  const application: Application = {
    server: server as BootstrappedServer,
    root,
    wiring,
    resolve: (plugin, token) => assembly.resolve(plugin, token),
  }
  applications.set(server, application)
  return application
}

/** Closes what does not start: neither for ever, nor with an error that hides the one of the boot. */
async function closeFailed(server: Server): Promise<void> {
  const closing = server.close().catch((error: unknown) => server.log.error({ err: error }, 'closing failed after the boot had failed'))
  const { pluginTimeout } = server.initialConfig
  if (!pluginTimeout) return void (await closing)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => (timer = setTimeout(resolve, pluginTimeout)))
  await Promise.race([closing, late])
  clearTimeout(timer)
}

/** Puts one application together. */
class Assembly {
  readonly lifetimes = new Lifetimes()
  readonly #wiring: Wiring
  readonly #scopes: ReadonlyMap<PluginNode, Scope>
  readonly #requestScopes: RequestScopes
  /** What is being made; what was, when something failed. */
  #making: string | undefined

  constructor(wiring: Wiring, root: PluginNode) {
    this.#wiring = wiring
    const owner = (record: ProviderRecord): Scope => this.#scopes.get(record.plugin.home)!
    this.#scopes = new Map(
      [...new Set(allPlugins(root).map((plugin) => plugin.home))].map((home) => [home, new Scope(this.lifetimes, owner)]),
    )
    this.#requestScopes = new RequestScopes(owner)
  }

  /** Ends all that was made. */
  async end(server: Server): Promise<void> {
    await this.#requestScopes.endLate()
    await this.lifetimes.end(server.log)
  }

  declareRequestScopes(server: Server): void {
    const members = [...this.#wiring.members.values()].flatMap((records) => [...records.values()])
    if (members.some((record) => record.isRequestBound)) this.#requestScopes.declareIn(server)
  }

  /** The plugin function that registers a plugin class and everything below it. */
  pluginFunction(node: PluginNode): PluginFunction {
    const load = async (instance: Server): Promise<void> => {
      const scope = this.#scopes.get(node.home)!
      scope.instance ??= instance
      if (!Object.hasOwn(instance, 'resolve')) (instance as any).resolve = (token: Token<any>) => this.resolve(node.home, token)
      declareInContext(node, instance)
      // What is shared into this context must be there before this plugin's own instances and hooks.
      for (const entry of node.imports) {
        if (!isPluginNode(entry)) await registerFunction(entry, await this.#optionsOf(entry, scope), node, instance)
        else if (entry.isShared) await instance.register(shareWithParent(this.pluginFunction(entry)), {})
      }
      await this.#construct(node, scope)
      await this.#setUp(node, scope, instance)
      for (const entry of node.imports) {
        if (isPluginNode(entry) && !entry.isShared) instance.register(this.pluginFunction(entry), { prefix: ownPrefix(entry) })
      }
    }
    Object.defineProperty(load, 'name', { value: node.name })
    return Object.assign(load, { [Symbol.for('fastify.display-name')]: node.name })
  }

  async #optionsOf(entry: FunctionNode, scope: Scope): Promise<unknown> {
    const record = this.#wiring.importOptions.get(entry)
    if (record === undefined) return entry.options
    // Options are the plugin's from then on: what looks like an ending among them is not ours to call.
    const make = record.source as (...dependencies: unknown[]) => unknown
    return make(...(await scope.dependenciesOf(record)))
  }

  async #construct(node: PluginNode, scope: Scope): Promise<void> {
    const declared = [...this.#wiring.providers.get(node.home)!.values()].filter((record) => record.plugin === node)
    const makers = [...declared, this.#wiring.plugins.get(node)!, ...this.#wiring.members.get(node)!.values()]
    for (const record of makers) {
      // An alias of a provider is never asked for: what it stands for is.
      const isFollowed = record.kind === 'existing' && record.dependencies.some((dependency) => 'provider' in dependency)
      if (record.scope !== 'context' || record.isRequestBound || isFollowed) continue
      this.#making = `${node.path} > ${tokenName(record.token)}`
      await scope.owner(record).make(record)
    }
    this.#making = undefined
  }

  /** An error of the boot, with what was being made. */
  named(error: unknown): unknown {
    if (this.#making === undefined || !(error instanceof Error) || !Object.isExtensible(error)) return error
    Object.assign(error, { context: this.#making })
    if ((error as { code?: unknown }).code === 'ALC_ERR_PLUGIN_TIMEOUT') error.message += `. ${this.#making} was being made.`
    return error
  }

  async #setUp(node: PluginNode, scope: Scope, instance: Server): Promise<void> {
    const plugin = scope.get(this.#wiring.plugins.get(node)!) as Partial<PluginSetup>
    const members = this.#wiring.members.get(node)!
    const openScope = this.#openerFor(node)
    for (const [name, hooks] of Object.entries(node.options.hooks ?? {})) {
      for (const hook of [hooks].flat())
        instance.addHook(name as HookName, createHook(name, hook as RouteHook, members, scope, openScope) as never)
    }
    if (this.#areLate(node, node.options.hooks?.onResponse)) instance.addHook('onResponse', this.#requestScopes.end)
    for (const { member, name } of node.hookMethods) instance.addHook(name, bindHook(plugin, member, name) as never)
    if (typeof plugin.setup === 'function') await plugin.setup(instance, node.importOptions)
    this.#addRoutes(node, scope, instance)
  }

  /** Whether some of a context's or route's onResponse hooks are of the request's scope. */
  #areLate(node: PluginNode, onResponse: unknown): boolean {
    const members = this.#wiring.members.get(node)!
    return hookClassesIn(onResponse).some((HookClass) => members.get(HookClass)?.isRequestBound === true)
  }

  #openerFor(node: PluginNode): OpenRequestScope {
    const { open, openForHooks } = this.#requestScopes
    return ancestors(node).some((plugin) => this.#areLate(plugin, plugin.options.hooks?.onResponse)) ? openForHooks : open
  }

  #addRoutes(node: PluginNode, scope: Scope, instance: Server): void {
    const members = this.#wiring.members.get(node)!
    const { openForHooks, end } = this.#requestScopes
    const openForContext = this.#openerFor(node)
    for (const route of node.routes) {
      const { status: _status, path: _path, method: _method, ...options } = route.options
      const hooks: Record<string, unknown[]> = {}
      const isUsedLate = this.#areLate(
        node,
        route.hooks.filter(({ name }) => name === 'onResponse').map(({ hook }) => hook),
      )
      const openScope = isUsedLate ? openForHooks : openForContext
      for (const { name, hook } of route.hooks) (hooks[name] ??= []).push(createHook(name, hook, members, scope, openScope))
      if (isUsedLate) hooks['onResponse']!.push(end)
      const handler = createHandler(route, members.get(route.Class)!, scope, openScope)
      // A shared plugin's own prefix is not that of the context it registers in.
      for (const url of relativeUrls(route, instance)) {
        instance.route({
          ...options,
          ...hooks,
          method: route.methods.length === 1 ? route.methods[0]! : [...route.methods],
          url,
          config: { ...route.config, route: route.path },
          ...(route.schema && { schema: route.schema }),
          handler,
        })
      }
    }
  }

  resolve(plugin: PluginNode, token: Token<any>): unknown {
    const scope = this.#scopes.get(plugin.home)!
    if (token === SERVER || token === LOGGER || token === PLUGIN_OPTIONS) return scope.builtIn(token, this.#wiring.plugins.get(plugin)!)
    if (token === REQUEST) throw new ResolutionError(`${tokenName(token)} exists only while a request is served.`)
    const record = this.#wiring.find(plugin, token)
    if (record !== undefined) return scope.owner(record).get(record)
    const places = this.#wiring.placesOf(token)
    const hint = places.length > 0 ? ` It is provided in ${places.join(', ')}.` : ' No plugin provides it.'
    throw new ResolutionError(`${tokenName(token)} is not visible in ${plugin.path}.${hint}`)
  }
}

function shareWithParent(plugin: PluginFunction): PluginFunction {
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true })
}

function ownPrefix(node: PluginNode): string {
  return node.prefix.slice(contextPrefix(node.parent!.home).length)
}

/** The prefix of a plugin's context. The application's is the root context, which has none. */
function contextPrefix(home: PluginNode): string {
  return home.parent === undefined ? '' : home.prefix
}

/** What a plugin's prefix adds to that of the context which it registers in. */
function extraPrefix(node: PluginNode): string {
  return node.prefix.slice(contextPrefix(node.home).length)
}

/** The URLs of a route within the context that it registers in; two where the prefix itself answers with and without a slash. */
function relativeUrls({ plugin, url, options }: RouteNode, { initialConfig }: Server): string[] {
  const extra = extraPrefix(plugin)
  if (extra === '' || url !== '/') return [extra + url]
  const { prefixTrailingSlash = 'both' } = options
  if (prefixTrailingSlash === 'slash') return [`${extra}/`]
  return prefixTrailingSlash === 'no-slash' || initialConfig.ignoreTrailingSlash ? [extra] : [extra, `${extra}/`]
}

/** Everything of `@Plugin` that is declared rather than run. */
function declareInContext(node: PluginNode, instance: Server): void {
  const { options } = node
  for (const [name, value] of entriesOf(options.decorate)) instance.decorate(name, value)
  for (const [name, value] of node.requestDecorators) instance.decorateRequest(name, value)
  for (const [name, value] of entriesOf(options.decorateReply)) instance.decorateReply(name, value)
  for (const schema of node.schemas) instance.addSchema(schema)
  for (const { type, parse, ...parserOptions } of options.contentTypeParsers ?? [])
    instance.addContentTypeParser(type, parserOptions, parse)
  if (options.schemaController) instance.setSchemaController(options.schemaController)
  if (options.validatorCompiler) instance.setValidatorCompiler(options.validatorCompiler)
  if (options.serializerCompiler) instance.setSerializerCompiler(options.serializerCompiler)
  if (options.schemaErrorFormatter) instance.setSchemaErrorFormatter(options.schemaErrorFormatter)
  if (options.errorHandler) instance.setErrorHandler(options.errorHandler)
  if (options.notFoundHandler) instance.setNotFoundHandler(options.notFoundHandler)
}

async function registerFunction(
  { plugin, decorates, isShared }: FunctionNode,
  options: unknown,
  node: PluginNode,
  instance: Server,
): Promise<void> {
  const given = (options ?? {}) as { prefix?: string }
  const prefix = joinPaths(extraPrefix(node), given.prefix ?? '')
  await instance.register(plugin, prefix === '' ? given : { ...given, prefix })
  if (!isShared) return
  const untrue = decorates.filter((name) => !instance.hasRequestDecorator(name))
  if (untrue.length > 0)
    throw new WiringError(
      node.path,
      untrue.map((name) => fault('DECORATES_UNTRUE', name, node.path)),
    )
}
