/** Builds an application: registers its plugins in their contexts, constructs their instances, and adds their hooks and routes. */
import type { HookName, Plugin as PluginFunction, RouteHandler, Server } from '../../lib/index.js'
import { assertKnownOptions, compileInputCheck, kDisplayName, setRequestEntry } from '../../lib/internal.js'
import type { ClassHookName } from '../declare/hook.js'
import type { InjectedOptions } from '../declare/imports.js'
import type { Class } from '../declare/metadata.js'
import type { PluginSetup } from '../declare/plugin.js'
import {
  type BootstrappedServer,
  LOGGER,
  PLUGIN_OPTIONS,
  REQUEST,
  type RunOptions,
  SERVER,
  type Token,
  tokenName,
  type WorkScope,
} from '../declare/tokens.js'
import { type AroundUse, collectArounds } from '../wiring/arounds.js'
import { fault, ResolutionError, WiringError } from '../wiring/faults.js'
import { describeValue, nameOf, consumerPath } from '../wiring/value-names.js'
import { allPlugins, type FunctionNode, isPluginNode, type JobNode, pluginPath, type PluginNode, type RouteNode } from '../wiring/nodes.js'
import { consumerOf, type ProviderRecord, type Wiring } from '../wiring/provider-record.js'
import { DispatchedEvent, eventOptionsOf, isEventToken } from '../jobs/event.js'
import { DrivenQueue, isQueueToken, queueOptionsOf } from '../jobs/queue.js'
import { handlersOf } from '../wiring/jobs/job-queues.js'
import { createDispatch, type EventHost } from './jobs/event-dispatch.js'
import { createAround } from './around.js'
import { createHandler, createHook, madeOf } from './bind-methods.js'
import { declarePlugin, type DeclarationHost, ownPrefix, registerFunction, requirePrefix, shareWithParent } from './declare-in-context.js'
import { DecoratedProviders, type PluginInstance } from './decorated-providers.js'
import { bindHook } from './done-callback.js'
import { Ambients } from './scopes/ambients.js'
import { BackgroundScope, type Settle } from './scopes/background-work.js'
import { Figures } from './scopes/figures.js'
import { Lifetimes } from './scopes/lifetimes.js'
import { type Instances, RequestScopes } from './scopes/request-scopes.js'
import { type HandleMaker, Scope } from './scopes/scope.js'
import { JobRunner } from './jobs/job-runner.js'

type Method = (...args: any[]) => any

export class Assembly implements DeclarationHost {
  readonly lifetimes = new Lifetimes()
  readonly decorated: DecoratedProviders
  readonly wiring: Wiring
  readonly arounds: DeclarationHost['arounds']
  readonly jobs: JobRunner
  readonly #host: EventHost
  readonly #scopes: ReadonlyMap<PluginNode, Scope>
  readonly #requestScopes: RequestScopes
  /** The storage in which handles (`ambient`) and events find the current request; `undefined` if the application has neither. */
  readonly #ambients: Ambients | undefined
  /**
   * The plugins whose contexts store each request as the current one, because a class there has a handle (`ambient`) or injects an event.
   */
  readonly #enteredBy: ReadonlySet<PluginNode>
  /** The path of the plugin function that is being registered, or whose registration has failed. */
  #registering: string | undefined
  /** The path of the plugin whose `setup` is running. */
  #settingUp: string | undefined

  constructor(wiring: Wiring, root: PluginNode) {
    this.wiring = wiring
    const ownerOf = (record: ProviderRecord): Scope => this.#ownerOf(record)
    const contextOwners = new Set(allPlugins(root).map((plugin) => plugin.contextOwner))
    this.#requestScopes = new RequestScopes(ownerOf)
    const eventRecords = [...handlersOf(wiring.jobEvents).keys()]
    this.#ambients = wiring.handles.length + eventRecords.length === 0 ? undefined : new Ambients(this.#requestScopes.find)
    this.#requestScopes.storage = this.#ambients
    // A class can inject an event, or have a handle, in this context and below only.
    this.#enteredBy = new Set([...wiring.handles.map(({ record }) => record), ...eventRecords].map(({ plugin }) => plugin.contextOwner))
    const handleOf: HandleMaker = (dependency, record) => this.#ambients!.handleOf(dependency, record)
    this.#scopes = new Map([...contextOwners].map((plugin) => [plugin, new Scope(this.lifetimes, ownerOf, handleOf)]))
    this.arounds = collectArounds(root)
    this.#host = this.#hostOfJobs(root)
    this.jobs = new JobRunner(this.#host)
    this.decorated = new DecoratedProviders(() => allPlugins(root).flatMap((plugin) => this.#constructedBy(plugin)))
  }

  #ownerOf(record: ProviderRecord): Scope {
    return this.#scopes.get(record.plugin.contextOwner)!
  }

  /** Calls `onReady()` of all instances that have this method. */
  async onReady(): Promise<void> {
    this.#connectEvents()
    this.decorated.open()
    await this.lifetimes.ready()
  }

  /** Connects each event to its handlers, even if there are none. */
  #connectEvents(): void {
    const handlers = handlersOf(this.wiring.jobEvents)
    for (const records of [...this.wiring.providers.values(), ...this.wiring.privateProviders.values()])
      for (const record of records.values()) {
        const event = isEventToken(record.token) && record.kind === 'factory' ? this.#ownerOf(record).get(record) : undefined
        if (event instanceof DispatchedEvent) event.connect(createDispatch(this.#host, this.jobs, handlers.get(record) ?? []))
      }
  }

  /** Ends all instances, after the request scopes that are ending. */
  async end(server: Server): Promise<void> {
    await this.#requestScopes.settled(server)
    await this.lifetimes.end(server, server.initialConfig.pluginTimeout ?? 0)
  }

  /** Starts counting the figures of the application that an observer reads, such as open scopes. */
  count(): Figures {
    const { jobQueues, providers, privateProviders } = this.wiring
    const all = [...providers.values(), ...privateProviders.values()].flatMap((records) => [...records.values()])
    const declared = all.filter(({ token, kind }) => isQueueToken(token) && kind === 'factory')
    const findQueues = async (): Promise<DrivenQueue[]> => {
      const found = await Promise.all([...declared, ...jobQueues.values()].map((record) => this.#ownerOf(record).construct(record)))
      return [...new Set(found.map(({ value }) => value))].filter((value) => value instanceof DrivenQueue)
    }
    return (this.#requestScopes.figures = new Figures(findQueues))
  }

  /** Adds a member to requests that contains the scope of the request, if any class of the application needs a request scope. */
  declareRequestScopes(server: Server): void {
    const records = [...this.wiring.constructedClasses.values()].flatMap((byClass) => [...byClass.values()])
    if (this.#ambients !== undefined || records.some((record) => record.isRequestBound)) this.#requestScopes.addTo(server)
  }

  /** Returns the plugin function that registers a plugin class and all plugins below it. */
  pluginFunction(node: PluginNode): PluginFunction {
    const load = async (instance: Server): Promise<void> => {
      this.#scopes.get(node.contextOwner)!.instance ??= instance
      if (!Object.hasOwn(instance, 'resolve')) Object.assign(instance, this.#accessTo(node.contextOwner, instance))
      if (this.#enteredBy.has(node)) setRequestEntry(instance, this.#ambients!.enter)
      await this.#optionsOf(node)
      for (const step of declarePlugin(node, instance, this)) await step
    }
    Object.defineProperty(load, 'name', { value: node.name })
    return Object.assign(load, { [kDisplayName]: node.name })
  }

  instancesOf(node: PluginNode): Instances {
    return {
      plugin: this.wiring.plugins.get(node)!,
      constructedClasses: this.wiring.constructedClasses.get(node)!,
      find: (record) => this.#ownerOf(record).get(record),
      openScope: this.#requestScopes.open,
    }
  }

  async registerFunction(entry: FunctionNode, node: PluginNode, instance: Server): Promise<void> {
    const options = await this.#optionsOf(entry)
    this.#registering = `${node.path} > ${nameOf(entry.plugin)}`
    await registerFunction(entry, options, node, instance)
    this.#registering = undefined
  }

  async registerShared(node: PluginNode, instance: Server): Promise<void> {
    await instance.register(shareWithParent(this.pluginFunction(node)), {})
  }

  registerChild(node: PluginNode, instance: Server): void {
    instance.register(this.pluginFunction(node), { prefix: ownPrefix(node) })
  }

  async construct(node: PluginNode): Promise<void> {
    for (const record of this.#recordsOf(node)) await this.#ownerOf(record).construct(record)
  }

  async setUp(node: PluginNode, instance: Server): Promise<void> {
    const plugin = this.#pluginInstance(node) as Partial<PluginSetup>
    if (typeof plugin.setup !== 'function') return
    const options = await this.#optionsOf(node)
    this.#settingUp = node.path
    await requirePrefix(node, instance, async () => plugin.setup!(instance as BootstrappedServer, options))
    this.#settingUp = undefined
  }

  readonly createHook = createHook

  bindOwnHook({ name, member }: PluginNode['hookMethods'][number], node: PluginNode): Method {
    const hook = bindHook(this.#pluginInstance(node), member, { name, label: `${node.path}.${String(member)}` })
    return madeOf(node.Class.prototype[member] as Method, hook)
  }

  addHook(instance: Server, name: ClassHookName, hook: Method): void {
    instance.addHook(name as HookName, hook as never)
  }

  createHandler(route: RouteNode, instances: Instances, arounds: readonly AroundUse[]): RouteHandler<any> {
    const surrounding = arounds.map((use) => createAround(use, this.instancesOf(use.plugin)))
    return createHandler(route, instances, surrounding)
  }

  /** Returns the options that an import passes to its plugin. Computed options are made once, when they are first needed. */
  async #optionsOf(entry: PluginNode | FunctionNode): Promise<unknown> {
    const record = this.wiring.importOptions.get(entry)
    if (record === undefined) return isPluginNode(entry) ? entry.importOptions : entry.options
    const { value } = await this.#ownerOf(record).construct(record)
    if (!isPluginNode(entry)) return withPrefix(value, entry.options as InjectedOptions)
    // The wiring is proved with the paths of routes, before anything is constructed.
    if ((value as { prefix?: unknown } | null | undefined)?.prefix !== undefined)
      throw new WiringError(record.plugin.path, [fault('PREFIX_COMPUTED', record.plugin.path, entry.name)])
    return value
  }

  #pluginInstance(node: PluginNode): unknown {
    const record = this.wiring.plugins.get(node)!
    return this.#ownerOf(record).get(record)
  }

  /** Returns the members that {@link BootstrappedServer} has in addition to the members of `Server`. */
  #accessTo(owner: PluginNode, instance: Server): Pick<BootstrappedServer, 'resolve' | 'providersWith' | 'run' | 'runJob' | 'startJobs'> {
    const { decorated } = this
    return {
      resolve: (token: Token<any>) => this.resolve(owner, token) as never,
      // A plugin function with its own context inherits these members, but there are no instances in or below that context.
      providersWith(this: unknown, decorator) {
        return decorated.find(owner, decorator, this === instance)
      },
      run: async (work, options = {}) => this.#run(owner, work, options),
      runJob: async (JobClass: Class, input?: unknown) => this.jobs.run(findJob(owner, JobClass), input) as never,
      startJobs: () => this.jobs.start(),
    }
  }

  async #run<T>(owner: PluginNode, work: (scope: WorkScope) => T | Promise<T>, options: RunOptions): Promise<T> {
    if (typeof work !== 'function') throw new TypeError(`run takes a function, and got ${describeValue(work)}`)
    assertKnownOptions('server.run(…)', options, ['plugin', 'name'])
    const plugin = options.plugin === undefined ? owner : findPlugin(owner, options.plugin)
    const { instance } = this.#scopes.get(plugin.contextOwner)!
    if (instance === undefined) throw new ResolutionError(`${plugin.path} is not loaded yet: no work can run there.`)
    const name = options.name ?? (work.name || 'an anonymous function')
    const scope = this.#openScope(`the work '${name}' of ${plugin.path}`, instance, { work: name })
    const get = async (token: Token<any>): Promise<any> => {
      if (scope.hasEnded) throw scope.endedError(tokenName(token))
      if (token === LOGGER) return scope.log
      const record = this.wiring.findProvider(plugin, token)
      return record === undefined ? this.resolve(plugin, token) : scope.get(record)
    }
    const { log, signal } = scope
    return scope.run(instance, () => work({ log, signal, get }))
  }

  /**
   * Opens a scope for work outside of requests. @param label the name of the work in messages @param facts values for the lines of its log
   */
  #openScope(label: string, instance: Server, facts: object): BackgroundScope {
    return new BackgroundScope(
      label,
      instance.log.child(facts),
      (record) => this.#ownerOf(record),
      this.#ambients,
      this.#requestScopes.figures,
    )
  }

  #hostOfJobs(root: PluginNode): EventHost {
    const instanceOf = ({ plugin }: JobNode): Server => this.#scopes.get(plugin.contextOwner)!.instance!
    return {
      jobs: allPlugins(root).flatMap(({ jobs }) => jobs),
      get log() {
        return instanceOf({ plugin: root } as JobNode).log
      },
      queueOf: async (job) => {
        const record = this.wiring.jobQueues.get(job)!
        return (await this.#ownerOf(record).construct(record)).value
      },
      checkOf: (job) => {
        const schema = job.event === undefined ? queueOptionsOf(job.queue)!.input : eventOptionsOf(job.event.on).payload
        return compileInputCheck(instanceOf(job), schema, job.path)
      },
      currentUnit: () => this.#ambients?.unit,
      instanceIn: (unit, { Class, plugin }) => unit.get(this.wiring.constructedClasses.get(plugin)!.get(Class)!),
      serverOf: instanceOf,
      runIn: (job, facts, work, settle) => this.#runJob(job, instanceOf(job), facts, work, settle),
    }
  }

  #runJob<T>(
    { Class, path, plugin }: JobNode,
    instance: Server,
    facts: object,
    work: (scope: BackgroundScope, instance: unknown) => Promise<T>,
    settle: Settle | undefined,
  ): Promise<T> {
    const scope = this.#openScope(`the job ${path}`, instance, { job: nameOf(Class), ...facts })
    const record = this.wiring.constructedClasses.get(plugin)!.get(Class)!
    return scope.run(instance, async () => work(scope, await scope.get(record)), settle)
  }

  /**
   * Returns the records of those providers and classes of a plugin that have exactly one instance. Aliases are left out, because their
   * instance belongs to another provider.
   */
  #recordsOf(node: PluginNode): ProviderRecord[] {
    const { providers, privateProviders, plugins, constructedClasses } = this.wiring
    const listed = [...providers.get(node.contextOwner)!.values()].filter((record) => record.plugin === node)
    const own = privateProviders.get(node)?.values() ?? []
    return [...own, ...listed, plugins.get(node)!, ...constructedClasses.get(node)!.values()].filter((record) => {
      const isFollowed = record.kind === 'existing' && record.dependencies.some((dependency) => 'provider' in dependency)
      return record.scope === 'context' && !record.isRequestBound && !isFollowed
    })
  }

  #constructedBy(plugin: PluginNode): PluginInstance[] {
    // A hook class may be a provider of an ancestor.
    const own = this.#recordsOf(plugin).filter((record) => record.plugin === plugin && record.kind !== 'existing')
    const self = this.wiring.plugins.get(plugin)
    return own.map((record) => ({ plugin, isPlugin: record === self, instance: this.#ownerOf(record).get(record) }))
  }

  /**
   * Adds to an error of the boot the path of the plugin or instance that was being loaded or started.
   * @param limit `pluginTimeout` of the server, in ms
   */
  withContext(error: unknown, limit: number | undefined): unknown {
    if (!(error instanceof Error) || !Object.isExtensible(error)) return error
    const { code } = error as { code?: unknown }
    const { starting, constructing } = this.lifetimes
    const cure = 'If it needs longer, raise pluginTimeout (ms; 0: no limit).'
    if (code === 'ALC_ERR_HOOK_TIMEOUT' && starting !== undefined) {
      setMessage(error, `${error.message}. ${starting}() was not over.`)
      return Object.assign(error, { context: starting })
    }
    const isTimeout = code === 'ALC_ERR_PLUGIN_TIMEOUT'
    if (constructing !== undefined) {
      if (isTimeout) setMessage(error, `${this.lifetimes.describeLateFactory(constructing, limit ?? 0)} ${cure}`)
      return Object.assign(error, { context: consumerPath(consumerOf(constructing)) })
    }
    const registering = this.#registering
    if (isTimeout && registering !== undefined) setMessage(error, `${error.message}. ${registering} was being registered. ${cure}`)
    else if (isTimeout && this.#settingUp !== undefined)
      setMessage(error, `${error.message}. ${this.#settingUp}.setup was not over. ${cure}`)
    // A shared plugin has no context of its own. A plugin that `setup` registers is nearer to the error.
    const nearest = (error as { context?: string }).context?.split(' > ').at(-1) ?? ''
    const place = registering ?? (this.#settingUp?.split(' > ').includes(nearest) === true ? this.#settingUp : undefined)
    return place === undefined ? error : Object.assign(error, { context: place })
  }

  /**
   * Returns the provided value of a token, as a plugin sees it.
   * @throws ResolutionError if the plugin does not see the token, or if its provider has no instance
   */
  resolve(plugin: PluginNode, token: Token<any>): unknown {
    const computed = token === PLUGIN_OPTIONS ? this.wiring.importOptions.get(plugin) : undefined
    if (computed !== undefined) return this.#ownerOf(computed).get(computed)
    const self = this.wiring.plugins.get(plugin)!
    if (token === SERVER || token === LOGGER || token === PLUGIN_OPTIONS) return this.#ownerOf(self).builtIn(token, self)
    if (token === REQUEST) throw new ResolutionError(`${tokenName(token)} exists only while a request is served.`)
    const record = this.wiring.findProvider(plugin, token)
    if (record !== undefined) return this.#ownerOf(record).get(record)
    const paths = this.wiring.pluginsProviding(token).map(pluginPath)
    const hiding = this.wiring.pluginsHiding(token).map(pluginPath)
    const hint =
      paths.length > 0
        ? ` It is provided in ${paths.join(', ')}.`
        : hiding.length > 0
          ? ` It is private to ${hiding.join(', ')}.`
          : describeNamesakes(this.wiring.namesakesOf(token))
    throw new ResolutionError(`${tokenName(token)} is not visible in ${plugin.path}.${hint}`)
  }
}

/**
 * Finds the plugin of a class in a context or below.
 * @throws ResolutionError if there is no such plugin, or more than one
 */
function findPlugin(owner: PluginNode, Class: Class): PluginNode {
  const found = allPlugins(owner).filter((plugin) => plugin.Class === Class)
  if (found.length === 1) return found[0]!
  const cure = 'Inject SERVER in the plugin that is meant, and call its run.'
  if (found.length > 1) throw new ResolutionError(`${nameOf(Class)} is imported as ${found.map(pluginPath).join(' and as ')}. ${cure}`)
  throw new ResolutionError(`${nameOf(Class)} is no plugin in ${owner.path} or below it.`)
}

/** Finds the job of a class in a context or below. @throws ResolutionError if there is no such job */
function findJob(owner: PluginNode, Class: Class): JobNode {
  const jobs = allPlugins(owner).flatMap((plugin) => plugin.jobs)
  const job = jobs.find((each) => each.Class === Class)
  if (job !== undefined) return job
  const known = jobs.map(({ path }) => path).join(', ') || 'none'
  throw new ResolutionError(`${nameOf(Class)} is no job in ${owner.path} or below it. Its jobs are: ${known}.`)
}

/**
 * Changes the message of an error, also in its stack: Node prints the stack of an error that ends the process, and the stack contains the
 * original message.
 */
function setMessage(error: Error, message: string): void {
  error.stack = error.stack?.replace(error.message, () => message)
  error.message = message
}

function describeNamesakes(plugins: readonly PluginNode[]): string {
  if (plugins.length === 0) return ' No plugin provides it.'
  return ` No plugin provides it: ${plugins.map(pluginPath).join(', ')} provides another token of the same name. Import the same one in both places.`
}

/** Returns the computed options of a plugin function, with the prefix of its import. */
function withPrefix(computed: unknown, { prefix }: InjectedOptions): unknown {
  return prefix === undefined ? computed : { ...(computed as object | undefined), prefix }
}
