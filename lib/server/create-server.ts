/** Makes servers: creates the objects that a server consists of, and returns its root instance. */
import { channel } from 'node:diagnostics_channel'
import { BodyParsers } from '../context/body-parsers.js'
import { Context } from '../context/context.js'
import { declaredRepliesOf, addDeclaredReplies } from '../context/declared-replies.js'
import { type Conventions, ownConventions } from '../context/conventions.js'
import { type AnyReply, type AnyRequest, Decorations } from '../context/decorators.js'
import { createJsonParser } from '../context/json-parser.js'
import { createLogger, guardLogger } from '../context/logger.js'
import { Deadlines } from '../http/deadline.js'
import type { ErrorFormat } from '../http/error-payload.js'
import { findHttp2Fault } from '../http/http2.js'
import { defaultErrorHandler } from '../lifecycle/failing/default-error-handler.js'
import { FailureLog, guardLogController, LogController } from '../lifecycle/log-request.js'
import { Reply, replyFields } from '../lifecycle/reply.js'
import { createRequestClass, requestFields } from '../lifecycle/request.js'
import { endHooksOf } from '../lifecycle/observe.js'
import { createRunRequest, stagesOf } from '../lifecycle/run-request.js'
import { createRootMethods } from '../route/methods.js'
import { FunctionWriter } from '../route/router.js'
import { buildOf } from '../schema/lazy/engine-pool.js'
import type { ChildLoggerFactory, Logger, LogLines } from '../types/logger.js'
import type { ServerOptions } from '../types/options.js'
import type { Server } from '../types/server.js'
import { kContext } from '../util/symbols.js'
import { createFetch, unknownSource } from './fetch/fetch.js'
import { keepAlive } from './inject.js'
import { createInstance, type Instance, type InstanceDependencies } from './instance.js'
import { createClientErrorListener } from './network/client-errors.js'
import { createHttpServer } from './network/http-server.js'
import { Listener } from './network/listener.js'
import { createRequestListeners } from './network/receive.js'
import { describeOptions, type SettledOptions, settleOptions } from './options.js'
import { PluginLoader } from './plugins/plugin-loader.js'
import { checkPluginMetadata, isShared, pluginName } from './plugins/plugin-metadata.js'
import { createIdGenerator } from './request-id.js'
import { RouteTable } from './route-table.js'
import { createServerState, setStateOf } from './server-state.js'

/**
 * Makes a server, and returns its root instance.
 * ```ts
 * const server = createServer({ logger: true })
 * server.get('/', () => ({ hello: 'world' }))
 * await server.listen({ port: 3000 })
 * ```
 * @throws ALC_ERR_OPTIONS_NOT_OBJ, ALC_ERR_INIT_OPTS_INVALID (which lists all options that are unknown or of the wrong kind),
 * ALC_ERR_QSP_NOT_FN, ALC_ERR_SCHEMA_ERROR_FORMATTER_NOT_FN, ALC_ERR_SCHEMA_CONTROLLER_BUCKET_OPT_NOT_FN,
 * ALC_ERR_JSV_CUSTOM_OPTIONS_OPT_NOT_OBJ, ALC_ERR_JSV_CUSTOM_OPTIONS_OPT_NOT_ARR, ALC_ERR_ROUTE_BODY_LIMIT_OPTION_NOT_INT,
 * ALC_ERR_LOG_INVALID_DESTINATION, ALC_ERR_LOG_INVALID_LOGGER, ALC_ERR_FORCE_CLOSE_CONNECTIONS_IDLE_NOT_AVAILABLE
 * @throws TypeError for a constraint strategy whose `deriveConstraint` is async and takes no `done`, and for an invalid address in
 * `trustProxy`; the errors of find-my-way for an incomplete strategy; the errors of Node for options of `http` and `https`
 */
export function createServer(options?: ServerOptions | null | false): Server {
  return createServerWith(options, ownConventions)
}

/** Makes a server as `createServer` does, with the conventions of alcove or of Fastify 5. */
export function createServerWith(options: ServerOptions | null | undefined | false, conventions: Conventions): Server {
  const { root } = new ServerAssembly(settleOptions(options, conventions))
  for (const name of ['alcove.initialization', 'fastify.initialization']) {
    const initialization = channel(name)
    if (initialization.hasSubscribers) initialization.publish({ server: root, fastify: root })
  }
  return root
}

/** The options that have no effect on a blueprint: they open files or sockets, or do not change what is declared. */
const optionsOfServing = ['logger', 'loggerInstance', 'logController', 'prebuilt', 'serverFactory', 'http', 'https', 'http2'] as const

/** A server in which an application is declared only to be described and checked. It never becomes ready, and opens no files or sockets. */
export interface BlueprintServer {
  readonly root: Server
  /**
   * Compiles the routes of some instances. @param isIncluded whether the routes of an instance are compiled
   * @param faults faults that were found before
   * @throws all these faults, and those with which the boot would refuse the routes
   */
  compile(isIncluded: (instance: Server) => boolean, faults: readonly Error[]): void
}

export function createBlueprint(serverOptions: ServerOptions): BlueprintServer {
  const options = { ...serverOptions }
  for (const name of optionsOfServing) delete options[name]
  const { root, routes } = new ServerAssembly(settleOptions(options, ownConventions))
  return { root, compile: (isIncluded, faults) => routes.compileOnly(({ instance }) => isIncluded(instance), [...faults]) }
}

const defaultChildLoggerFactory: ChildLoggerFactory = (logger, bindings, options) => guardLogger(logger.child(bindings, options))

function createLogLines({ logController, requestIdLogLabel, ...options }: SettledOptions, logger: Logger): LogLines {
  if (logController !== undefined) return guardLogController(logController as LogController, logger)
  const { disableRequestLogging }: Pick<ServerOptions, 'disableRequestLogging'> = options
  if (typeof disableRequestLogging === 'function') {
    return guardLogController(new LogController({ disableRequestLogging, requestIdLogLabel }), logger)
  }
  return disableRequestLogging ? new FailureLog({ requestIdLogLabel }) : new LogController({ requestIdLogLabel })
}

/** The warnings about the process that were given already. They do not depend on a server, so each is given only once. */
const warned = new Set<string>()

/**
 * The objects that one server consists of, in the order in which they are made. An object that needs a later object uses it only when a
 * request or a method call comes.
 */
class ServerAssembly implements InstanceDependencies {
  readonly options: SettledOptions
  readonly initialConfig: InstanceDependencies['initialConfig']
  readonly state: InstanceDependencies['state']
  readonly routes: RouteTable
  readonly server: Server['server']
  readonly handleRequest: InstanceDependencies['handleRequest']
  readonly handleInjected: InstanceDependencies['handleInjected']
  readonly fetch: InstanceDependencies['fetch']
  readonly root: Instance
  readonly loader: PluginLoader
  readonly listener: Listener
  readonly #logger: Logger
  readonly #logs: LogLines
  /** The queues of deadlines of requests, by the time in ms in which a request must be answered. */
  readonly #deadlines = new Map<number, Deadlines>()

  constructor(options: SettledOptions) {
    this.options = options
    this.state = createServerState(options.closeTimeout)
    this.initialConfig = describeOptions(options)
    this.#logger = createLogger(options.logger, options.conventions.hostInLog)
    this.#logs = createLogLines(options, this.#logger)
    const build = buildOf(options, (text) => this.warn(text))
    this.routes = this.#createRoutes(build)
    const { state, routes } = this
    const errorFormat = (): ErrorFormat => this.root[kContext].errorFormat
    const { handleRequest, handleInjected, handleFetched } = createRequestListeners({
      options,
      state,
      routes,
      logger: this.#logger,
      logs: this.#logs,
      root: () => this.root,
      errorFormat,
    })
    this.handleRequest = handleRequest
    this.handleInjected = keepAlive(handleInjected, this.#deadlines)
    const { presentError } = options.conventions
    const fetchFrom = createFetch({
      state,
      dispatch: handleFetched,
      queues: this.#deadlines,
      ready: () => this.root.ready(),
      presentError,
    })
    state.fetchFrom = fetchFrom
    this.fetch = (request, fetchOptions) => fetchFrom(unknownSource, request, fetchOptions)
    this.server = createHttpServer(options, handleRequest, errorFormat)
    if (options.http2) this.#warnOnce(findHttp2Fault())
    this.root = createInstance(this)
    this.root.log = this.#logger
    this.root[kContext] = this.#createRootContext(build)
    setStateOf(this.server, state)
    this.loader = this.#createLoader()
    this.listener = new Listener({
      context: this.root[kContext],
      options,
      server: this.server,
      handleRequest,
      state,
      ready: () => this.root.ready(),
      close: () => this.root.close(),
    })
    state.listenBy = (open) => this.listener.listenBy(open)
    const onClientError = createClientErrorListener(options.clientErrorHandler?.bind(this.root), this.#logger, errorFormat)
    this.server.on('clientError', onClientError as OnClientError)
  }

  /** Reports a problem of the deployment, not of a request: in the log, or as a warning of the process if the server does not log. */
  readonly warn = (text: string): void => {
    if (this.options.logger) this.#logger.warn(text)
    else process.emitWarning(text, 'AlcoveWarning')
  }

  #warnOnce(text: string | undefined): void {
    if (text === undefined || warned.has(text)) return
    warned.add(text)
    this.warn(text)
  }

  #createRoutes(build: ReturnType<typeof buildOf>): RouteTable {
    const { options, state } = this
    const { bodyLimit, handlerTimeout } = options
    const deadlinesOf = (timeout: number): Deadlines => {
      let queue = this.#deadlines.get(timeout)
      if (queue === undefined) this.#deadlines.set(timeout, (queue = new Deadlines(timeout)))
      return queue
    }
    const endHooks = endHooksOf(options.telemetry)
    return new RouteTable({
      options,
      writer: new FunctionWriter(options.prebuilt, build),
      warn: (text) => this.warn(text),
      runRequest: createRunRequest({ logger: this.#logger, hasLogger: Boolean(options.logger), defaultChildLoggerFactory }),
      watch: (result) => this.loader.watch(result),
      settings: { deadlinesOf, endHooks, stagesOf, state, logs: this.#logs, handlerTimeout, bodyLimit },
      root: () => this.root[kContext],
    })
  }

  #createRootContext(build: ReturnType<typeof buildOf>): Context {
    const { root, options } = this
    return Context.root(root, options.name ?? 'root', {
      options,
      logger: this.#logger,
      requests: Decorations.root<AnyRequest>(options.conventions.adaptRequests(createRequestClass(options.trustProxy)), requestFields),
      replies: Decorations.root<AnyReply>(options.conventions.adaptReplies(Reply), replyFields),
      methods: createRootMethods(),
      parsers: BodyParsers.root(
        options.bodyLimit,
        createJsonParser(options.onProtoPoisoning, options.onConstructorPoisoning, options.conventions),
      ),
      errorHandler: defaultErrorHandler,
      genReqId: createIdGenerator(options.requestIdHeader, options.genReqId),
      childLoggerFactory: options.childLoggerFactory ?? defaultChildLoggerFactory,
      build,
    })
  }

  #createLoader(): PluginLoader {
    const { root, state, options, routes } = this
    return new PluginLoader({
      root,
      context: root[kContext],
      state,
      pluginTimeout: options.pluginTimeout,
      conventions: options.conventions,
      enter: (parent, plugin, pluginOptions) => this.#enterPlugin(parent as Instance, plugin, pluginOptions),
      endRequests: (done) => {
        if (state.closing) return done()
        state.closing = true
        state.backgroundWorks.askToEnd()
        this.loader.runApplicationHooks('preClose', () => this.listener.stop(() => done()))
      },
      compile: () => routes.compile(),
      onReadyHooksRun: () => root[kContext].updateClasses(),
    })
  }

  /** Returns the instance that a plugin runs with: a child of the parent, or the parent itself if the plugin shares its context. */
  #enterPlugin(parent: Instance, plugin: any, options: any): Instance {
    const context = parent[kContext]
    checkPluginMetadata(plugin, context)
    const name = pluginName(plugin)
    const replies = declaredRepliesOf(plugin) ?? declaredRepliesOf(options)
    if (isShared(plugin)) {
      context.names.push(name)
      addDeclaredReplies(parent, `${context.path} > ${name}`, replies)
      return parent
    }
    const instance = Object.create(parent) as Instance
    const child = (instance[kContext] = context.child(instance, name, options))
    addDeclaredReplies(instance, child.path, replies)
    this.loader.addReady(instance)
    for (const { hookFunction } of instance[kContext].hooks.onRegister) this.loader.watch(hookFunction.call(parent, instance, options))
    return instance
  }
}

/** The type of `clientError` listeners that Node's declarations ask for. They have a stream in place of the socket that Node passes. */
type OnClientError = (error: Error, socket: any) => void
