/** Makes a server from a plugin class: reads the module tree, resolves its wiring and assembles the application. */
import { createServer, type ObservedBoot, type Observer, type Server } from '../../lib/index.js'
import { type ReplyWatcher, waitForListenHooks, watchReplies } from '../../lib/internal.js'
import type { Class } from '../declare/metadata.js'
import type { BootstrappedServer, Token } from '../declare/tokens.js'
import { closeMemoryDriver } from '../jobs/memory-driver.js'
import { assertEnvironment } from '../wiring/environments.js'
import { type Fault, WiringError } from '../wiring/faults.js'
import { nameOf } from '../wiring/value-names.js'
import { buildModuleTree } from '../wiring/module-tree.js'
import type { Overrides, PluginNode } from '../wiring/nodes.js'
import type { Wiring } from '../wiring/provider-record.js'
import { resolveWiring } from '../wiring/resolve.js'
import { Assembly } from './assembly.js'
import { type BootstrapOptions, readSettings } from './bootstrap-options.js'
import { watchReferences } from './checks/foreign-references.js'
import { shareWithParent } from './declare-in-context.js'
import { compileInBlueprint, findBlueprintFaults, judgeOfServer, pathsThatMayAddRoutes } from './blueprint.js'

/**
 * Checks the wiring and the schemas of an application without constructing anything, for a test or a script in CI.
 * ```ts
 * test('the wiring is right', () => check(App))
 * ```
 * The schemas of routes whose context a `setup` method or a plugin function may change at boot are not compiled.
 * @param options the options that `bootstrap` gets. Some of them, such as `jsv` and `constraints`, decide on what the boot accepts
 * @throws WiringError (ALC_ERR_WIRING) with all faults of the wiring; if there are none, the errors with which the boot would refuse
 * routes, all together (ALC_ERR_SCH_VALIDATION_BUILD, ALC_ERR_SCH_SERIALIZATION_BUILD, ALC_ERR_BOOT_FAULTS …); the codes of
 * {@link createServer} for invalid options
 */
export function check(App: Class, options: BootstrapOptions = {}): void {
  const { root, wiring } = readApplication(App, new Map(), options)
  compileInBlueprint(root, wiring, options)
}

/**
 * Reads an application and checks it completely: the wiring, the declared replies, and the access rules.
 * @throws WiringError with all faults
 */
function readApplication(
  App: Class,
  overrides: Overrides,
  options: BootstrapOptions,
  isMountedAlone = false,
): { root: PluginNode; wiring: Wiring } {
  const application = readWiring(App, overrides, isMountedAlone)
  assertNoFaults(application.root.name, findBlueprintFaults(application.root, application.wiring, options, isMountedAlone))
  return application
}

/**
 * Reads the wiring of an application and checks it, without the declared replies and the access rules.
 * @throws WiringError with all faults
 */
export function readWiring(App: Class, overrides: Overrides, isMountedAlone = false): { root: PluginNode; wiring: Wiring } {
  const tree = buildModuleTree(App, overrides)
  const { wiring, faults } = resolveWiring(tree, overrides, isMountedAlone)
  assertNoFaults(tree.root.name, faults)
  return { root: tree.root, wiring }
}

function assertNoFaults(name: string, faults: readonly Fault[]): void {
  if (faults.length > 0) throw new WiringError(name, faults)
}

/**
 * Makes a server from a plugin class, which becomes the root context. The promise resolves when all plugins are loaded and all
 * context-scoped providers are constructed.
 * ```ts
 * const server = await bootstrap(App, { logger: true })
 * await server.listen({ port: 8000 })
 * ```
 * @throws WiringError (ALC_ERR_WIRING) before anything is constructed; ALC_ERR_ENVIRONMENT_INVALID with all problems of the environment
 * variables of classes made by {@link environment}; the same codes as {@link createServer} for invalid options; any error of a plugin, a
 * factory or a constructor, after the existing instances have been ended
 */
export async function bootstrap(App: Class, options: BootstrapOptions = {}): Promise<BootstrappedServer> {
  return (await assemble(App, options)).server
}

/** A server, with the module tree and the wiring from which it was made. */
export interface Application {
  readonly server: BootstrappedServer
  readonly root: PluginNode
  readonly wiring: Wiring
  /**
   * Returns the provided value of a token, as a plugin sees it.
   * @throws ResolutionError if the plugin does not see the token, or if the provider has no instance
   */
  resolve(plugin: PluginNode, token: Token<any>): unknown
}

const applications = new WeakMap<Server, Application>()

/** Returns the application of a server made by `bootstrap`; `undefined` for a server made by `createServer`. */
export function applicationOf(server: Server): Application | undefined {
  return applications.get(server)
}

/** The settings of a test that mounts a plugin: its substitutes, and the watcher of replies. */
export interface TestMount {
  readonly overrides: Overrides
  /** The watcher that compares the replies of the server with their descriptions; `undefined` if replies are not compared. */
  readonly watcher: ReplyWatcher | undefined
}

/**
 * Makes a server from a plugin class, as {@link bootstrap} does, and returns it with its module tree and wiring. With `test`, the class may
 * be a plugin that is mounted without its ancestors.
 */
export async function assemble(App: Class, settings: BootstrapOptions, test?: TestMount): Promise<Application> {
  const observer = (settings as BootstrapOptions | null)?.telemetry
  const boot = observer?.boot?.(nameOf(App))
  try {
    const application = await assembleObserved(App, settings, test, observer, boot)
    boot?.end()
    return application
  } catch (error) {
    boot?.end(error)
    throw error
  }
}

async function assembleObserved(
  App: Class,
  settings: BootstrapOptions,
  test: TestMount | undefined,
  observer: Observer | undefined,
  boot: ObservedBoot | undefined,
): Promise<Application> {
  const { options, runsJobs } = readSettings(settings)
  const isMountedAlone = test !== undefined
  const { root, wiring } = readApplication(App, test?.overrides ?? new Map(), options, isMountedAlone)
  assertEnvironment(wiring)
  const server = createServer(typeof options === 'object' ? { name: root.name, ...options } : options)
  if (test?.watcher !== undefined) watchReplies(server, test.watcher)
  const assembly = new Assembly(wiring, root)
  assembly.lifetimes.boot = boot
  const figures = observer?.watch === undefined ? undefined : assembly.count()
  let unwatch: (() => void) | undefined
  assembly.declareRequestScopes(server)
  // onClose hooks run in reverse order: this one comes after the last request and after the hooks that use providers.
  server.addHook('onClose', async () => {
    unwatch?.()
    await assembly.end(server)
    closeMemoryDriver(server)
  })
  const findForeignReferences = pathsThatMayAddRoutes(root).length === 0 ? undefined : watchReferences(server)
  server.register(shareWithParent(assembly.pluginFunction(root)), {})
  const judgeServer = isMountedAlone ? undefined : judgeOfServer(root, wiring)
  server.addHook('onReady', async () => {
    if (findForeignReferences !== undefined) assertNoFaults(root.name, findForeignReferences())
    if (judgeServer !== undefined) assertNoFaults(root.name, judgeServer(server))
    await assembly.onReady()
  })
  waitForListenHooks(server)
  const listening = async (): Promise<void> => {
    await assembly.lifetimes.listening()
    if (runsJobs) await assembly.jobs.start()
  }
  assembly.jobs.stopWith(server)
  server.addHook('onListen', Object.defineProperty(listening, 'name', { get: () => assembly.lifetimes.starting ?? '' }))
  try {
    await server.ready()
  } catch (error) {
    const failure = assembly.withContext(error, server.initialConfig.pluginTimeout)
    await closeFailed(server)
    throw failure
  }
  // If a test mounts only some plugins, the plugin that reads a decorator may be missing.
  if (!isMountedAlone) assembly.decorated.warnOfUnread(server.log)
  const application: Application = {
    server: server as BootstrappedServer,
    root,
    wiring,
    resolve: (plugin, token) => assembly.resolve(plugin, token),
  }
  applications.set(server, application)
  assembly.lifetimes.boot = undefined
  if (figures !== undefined) unwatch = observer!.watch!(figures)
  return application
}

/**
 * Closes a server whose boot has failed. Waits at most `pluginTimeout`, and only logs errors, so that the error of the boot is reported.
 */
async function closeFailed(server: Server): Promise<void> {
  const closing = server.close().catch((error: unknown) => server.log.error({ err: error }, 'closing failed after the boot had failed'))
  const { pluginTimeout } = server.initialConfig
  if (!pluginTimeout) return void (await closing)
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise((resolve) => (timer = setTimeout(resolve, pluginTimeout)))
  await Promise.race([closing, timeout])
  clearTimeout(timer)
}
