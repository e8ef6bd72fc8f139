/**
 * The programmatic server: `createServer` puts the parts together; an instance is a thin face over its context.
 */
import { channel } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { BodyParsers, createJsonParser, parseText } from '../context/body-parsers.js'
import { type Boot, type BootState, createBoot } from './plugin-loader.js'
import { Context } from '../context/context.js'
import type { HookName } from '../types/hooks.js'
import type { ChildLoggerFactory } from '../types/logger.js'
import type { ServerOptions } from '../types/options.js'
import type { Server } from '../types/server.js'
import { Deadlines } from '../http/deadline.js'
import { decorateInstance, Decorations } from '../context/decorators.js'
import { createDispatch } from './receive.js'
import { buildOf } from '../schema/lazy/engine-pool.js'
import { errorCodes } from '../errors.js'
import { assertHook } from '../context/hooks.js'
import { injectRequest } from './inject.js'
import { createClientErrorListener, createHttpServer, createListener, type Listener } from './listen.js'
import { createLogger, guardLogger } from '../context/logger.js'
import { assertFormatter, assertSetting, describeOptions, settleOptions } from './options.js'
import { callNotFound, createPipeline } from '../lifecycle/run-request.js'
import { admitPlugin, interfaceVersion, isShared, pluginName } from './plugin-metadata.js'
import { Reply, replyFields } from '../lifecycle/reply.js'
import { createRequestClass, requestFields } from '../lifecycle/request.js'
import { defaultErrorHandler, respond } from '../lifecycle/send.js'
import { assertBodyLimit } from '../route/compile.js'
import { RouteTable } from './route-table.js'
import { functionWriter, httpMethods } from '../route/router.js'
import { kContext } from '../util/symbols.js'
import { assertNotPromise } from '../util/promises.js'

/** An instance with its one symbol. */
interface Instance extends Server {
  [kContext]: Context
}

const defaultChildLoggerFactory: ChildLoggerFactory = (logger, bindings, options) => guardLogger(logger.child(bindings, options))

/**
 * Makes a server.
 * ```ts
 * const server = createServer({ logger: true })
 * server.get('/', () => ({ hello: 'world' }))
 * await server.listen({ port: 3000 })
 * ```
 * @throws ALC_ERR_OPTIONS_NOT_OBJ, ALC_ERR_INIT_OPTS_INVALID (which lists all options that are unknown or of the wrong kind),
 * ALC_ERR_QSP_NOT_FN, ALC_ERR_SCHEMA_ERROR_FORMATTER_NOT_FN, ALC_ERR_SCHEMA_CONTROLLER_BUCKET_OPT_NOT_FN,
 * ALC_ERR_JSV_CUSTOM_OPTIONS_OPT_NOT_OBJ, ALC_ERR_JSV_CUSTOM_OPTIONS_OPT_NOT_ARR, ALC_ERR_ROUTE_BODY_LIMIT_OPTION_NOT_INT,
 * ALC_ERR_LOG_INVALID_DESTINATION, ALC_ERR_LOG_INVALID_LOGGER, ALC_ERR_FORCE_CLOSE_CONNECTIONS_IDLE_NOT_AVAILABLE
 * @throws TypeError for a constraint strategy whose `deriveConstraint` is async and takes no `done`, and for an address in
 * `trustProxy` that is none; what find-my-way throws for an incomplete strategy, Node for options of `http` and `https`
 */
export function createServer(given?: ServerOptions | null): Server {
  const options = settleOptions(given)
  const logger = createLogger(options.logger)
  const state: BootState = {
    started: false,
    ready: false,
    closeAsked: false,
    closing: false,
    draining: false,
    listening: false,
  }
  const initialConfig = describeOptions(options)
  // About the deployment, not about a request: it must not get lost where requests are not logged.
  const warn = (text: string): void => (options.logger ? logger.warn(text) : process.emitWarning(text, 'AlcoveWarning'))
  const pipeline = createPipeline({ logger, hasLogger: Boolean(options.logger), defaultChildLoggerFactory })

  const deadlines = new Map<number, Deadlines>()
  const deadlinesOf = (span: number): Deadlines => {
    let queue = deadlines.get(span)
    if (queue === undefined) deadlines.set(span, (queue = new Deadlines(span)))
    return queue
  }
  const build = buildOf(options, warn)
  const routes = new RouteTable({
    options,
    writer: functionWriter(options.prebuilt, build),
    warn,
    serve: pipeline,
    watch: (result) => parts.boot.watch(result),
    services: { respond, callNotFound, deadlinesOf, state, handlerTimeout: options.handlerTimeout, bodyLimit: options.bodyLimit },
    root: () => root[kContext],
  })

  const { handleRequest, handleInjected } = createDispatch({ options, state, routes, logger, root: () => root })
  const server = createHttpServer(options, handleRequest)
  const parts: Parts = {
    state,
    routes,
    server,
    options,
    initialConfig,
    handleRequest,
    handleInjected,
    boot: undefined as unknown as Boot,
    listener: undefined as unknown as Listener,
  }
  const root = createInstance(parts) as Instance
  root.log = logger
  root[kContext] = Context.root(root, options.name ?? 'root', {
    options,
    logger,
    requests: Decorations.root(createRequestClass(options.trustProxy), requestFields),
    replies: Decorations.root(Reply, replyFields),
    parsers: BodyParsers.root(options.bodyLimit, options.onProtoPoisoning, options.onConstructorPoisoning),
    errorHandler: defaultErrorHandler,
    genReqId: createIdGenerator(options.requestIdHeader, options.genReqId),
    childLoggerFactory: options.childLoggerFactory ?? defaultChildLoggerFactory,
    build,
  })
  const context = root[kContext]

  parts.boot = createBoot({
    instance: root,
    context,
    state,
    pluginTimeout: options.pluginTimeout,
    enter: (parent, plugin, pluginOptions) => enterPlugin(parts, parent as Instance, plugin, pluginOptions),
    compile() {
      // Registered last, so that it closes first: no request may reach what onClose hooks take away.
      root.onClose((_instance, done) => {
        state.closing = true
        parts.boot.runApplicationHooks('preClose', () => parts.listener.stop(() => done()))
      })
      routes.compile()
    },
  })
  parts.listener = createListener({
    context,
    options,
    server,
    handler: handleRequest,
    state,
    ready: () => root.ready(),
    close: () => root.close(),
  })
  server.on('clientError', createClientErrorListener(options.clientErrorHandler?.bind(root), logger) as any)
  for (const name of ['alcove.initialization', 'fastify.initialization']) {
    const initialization = channel(name)
    if (initialization.hasSubscribers) initialization.publish({ server: root, fastify: root })
  }
  return root
}

// An id goes into log lines, and often into headers of replies and of further requests.
const isPrintable = /^[\x20-\x7e]+$/

function createIdGenerator(
  header: string | false | undefined,
  generate: ((raw: IncomingMessage) => string) | undefined,
): (raw: IncomingMessage) => string {
  let last = 0
  const next = generate
    ? (raw: IncomingMessage) => assertNotPromise(generate(raw), 'genReqId')
    : () => `req-${(last = (last + 1) & 0x7fffffff).toString(36)}`
  if (!header) return next
  return (raw) => {
    const given = raw.headers[header]
    return typeof given === 'string' && isPrintable.test(given) ? given : next(raw)
  }
}

/** Gives the instance that a plugin runs with: its own child, or the parent itself where it is shared. */
function enterPlugin(parts: Parts, parent: Instance, plugin: any, options: any): Server {
  const context = parent[kContext]
  admitPlugin(plugin, context)
  const name = pluginName(plugin)
  if (isShared(plugin)) {
    context.names.push(name)
    return parent
  }
  const instance = Object.create(parent) as Instance
  instance[kContext] = context.child(instance, name, options)
  parts.boot.bindReady(instance)
  for (const { run } of instance[kContext].hooks.onRegister) parts.boot.watch(run.call(parent, instance, options))
  return instance
}

interface Parts {
  readonly state: BootState
  readonly routes: RouteTable
  readonly server: Server['server']
  readonly options: ReturnType<typeof settleOptions>
  readonly initialConfig: Readonly<ServerOptions>
  readonly handleRequest: (raw: IncomingMessage, response: ServerResponse) => void
  readonly handleInjected: (raw: IncomingMessage, response: ServerResponse) => void
  boot: Boot
  listener: Listener
}

/** The members of every instance; children inherit them. `this` is the instance that they are called on. */
function createInstance(parts: Parts): Server {
  const { state, routes, server, options, initialConfig, handleRequest, handleInjected } = parts

  function assertNotStarted(what: string): void {
    if (state.started) throw new errorCodes.ALC_ERR_INSTANCE_ALREADY_LISTENING(what)
  }
  function shorthand(method: string | readonly string[]) {
    return function declareRoute(this: Instance, path: string, routeOptions?: any, handler?: any): Instance {
      assertNotStarted('Cannot add route!')
      routes.declare(this[kContext], readShorthand(method, path, routeOptions, handler))
      return this
    }
  }
  /** @param takesNull `null` brings the default back */
  function setter(name: string, set: (context: Context, value: any) => void, takesNull = false) {
    return function setInContext(this: Instance, value: unknown): Instance {
      assertNotStarted(`Cannot call "${name}"!`)
      if (!takesNull || value !== null) assertSetting(name, value)
      set(this[kContext], value)
      return this
    }
  }

  const members: Record<string | symbol, any> & ThisType<Instance> = {
    server,
    initialConfig,
    routing: handleRequest,

    route(routeOptions: any) {
      assertNotStarted('Cannot add route!')
      if (routeOptions === null || typeof routeOptions !== 'object') throw new errorCodes.ALC_ERR_ROUTE_OPTIONS_NOT_OBJ()
      routes.declare(this[kContext], routeOptions)
      return this
    },
    get: shorthand('GET'),
    head: shorthand('HEAD'),
    post: shorthand('POST'),
    put: shorthand('PUT'),
    patch: shorthand('PATCH'),
    delete: shorthand('DELETE'),
    options: shorthand('OPTIONS'),
    all: shorthand(httpMethods),
    hasRoute({ method, url, constraints }: any) {
      return routes.find(method, url ?? '', constraints) !== null
    },
    findRoute({ method, url, constraints }: any) {
      return routes.find(method, url ?? '', constraints)
    },
    printRoutes: (printOptions = {}) => routes.print(printOptions),
    printPlugins: () => parts.boot.printPlugins(),
    addConstraintStrategy(strategy: any) {
      assertNotStarted('Cannot add constraint strategy!')
      routes.addConstraintStrategy(strategy)
    },
    hasConstraintStrategy: (name: string) => routes.hasConstraintStrategy(name),

    hasPlugin(name: string) {
      const context = this[kContext]
      return context.registeredPlugins.has(name) || context.pluginNames.includes(name)
    },

    listen(listenOptions?: any, callback?: any) {
      const [target, done] = typeof listenOptions === 'function' ? [{}, listenOptions] : [listenOptions ?? {}, callback]
      if (typeof target !== 'object')
        throw new errorCodes.ALC_ERR_LISTEN_OPTIONS_INVALID('listen takes an object, e.g. listen({ port: 3000 })')
      if (target.signal && typeof target.signal.addEventListener !== 'function')
        throw new errorCodes.ALC_ERR_LISTEN_OPTIONS_INVALID('Invalid options.signal')
      const listening = parts.listener.listen(target)
      if (done === undefined) return listening
      listening.then(
        (address) => process.nextTick(done, null, address),
        (error) => process.nextTick(done, error, null),
      )
      return undefined
    },
    addresses: () => parts.listener.addresses(),

    inject(request?: any, callback?: any) {
      if (state.started) {
        if (!state.closing) return injectRequest(handleInjected, request, callback)
        const error = new errorCodes.ALC_ERR_REOPENED_CLOSE_SERVER()
        if (callback === undefined) return Promise.reject(error)
        return callback(error)
      }
      if (callback === undefined) {
        return injectRequest((raw, response) => {
          this.ready((error: unknown) => (error ? response.emit('error', error) : handleInjected(raw, response)))
        }, request)
      }
      this.ready((error: any) => (error ? callback(error, null) : injectRequest(handleInjected, request, callback)))
      return undefined
    },

    decorate(name: string, value: unknown, dependencies?: any) {
      assertDecoratable(name)
      decorateInstance(this, name, value, dependencies)
      return this
    },
    decorateRequest(name: string, value: unknown, dependencies?: any) {
      assertDecoratable(name)
      this[kContext].requests.add(name, value, dependencies)
      return this
    },
    decorateReply(name: string, value: unknown, dependencies?: any) {
      assertDecoratable(name)
      this[kContext].replies.add(name, value, dependencies)
      return this
    },
    hasDecorator(name: string) {
      return name in this
    },
    hasRequestDecorator(name: string) {
      return this[kContext].requests.has(name)
    },
    hasReplyDecorator(name: string) {
      return this[kContext].replies.has(name)
    },

    addHook(name: HookName, hook: any) {
      assertNotStarted('Cannot call "addHook"!')
      assertHook(name, hook)
      if (name === 'onClose') return this.onClose(hook)
      const context = this[kContext]
      if (name === 'onReady' || name === 'onListen' || name === 'onRoute') {
        context.addHook(name, hook)
        return this
      }
      // In its turn after the plugins registered before it: their contexts exist then and get it too.
      this.after((error, done) => {
        context.addHook(name, hook)
        done(error)
      })
      return this
    },

    addSchema(schema: any) {
      assertNotStarted('Cannot call "addSchema"!')
      this[kContext].addSchema(schema)
      return this
    },
    getSchema(id: string) {
      return this[kContext].schemas.getSchema(id)
    },
    getSchemas() {
      return this[kContext].schemas.getSchemas()
    },
    setValidatorCompiler: setter('setValidatorCompiler', (context, compiler) => context.set('validatorCompiler', compiler), true),
    setSerializerCompiler: setter('setSerializerCompiler', (context, compiler) => context.set('serializerCompiler', compiler), true),
    setSchemaController(controller: any) {
      assertNotStarted('Cannot call "setSchemaController"!')
      this[kContext].setSchemaController(controller)
      return this
    },
    setReplySerializer: setter('setReplySerializer', (context, serializer) => context.set('replySerializer', serializer)),
    setSchemaErrorFormatter(formatter: any) {
      assertNotStarted('Cannot call "setSchemaErrorFormatter"!')
      assertFormatter(formatter)
      this[kContext].set('schemaErrorFormatter', formatter.bind(this))
      return this
    },
    setErrorHandler(handler: any) {
      assertNotStarted('Cannot call "setErrorHandler"!')
      if (typeof handler !== 'function') throw new errorCodes.ALC_ERR_ERROR_HANDLER_NOT_FN()
      this[kContext].setErrorHandler(handler.bind(this))
      return this
    },
    setNotFoundHandler(handlerOptions?: any, handler?: any) {
      assertNotStarted('Cannot call "setNotFoundHandler"!')
      // What is no object of options was meant as the handler.
      const isOptions = handlerOptions == null || typeof handlerOptions === 'object'
      const [given, run] = isOptions ? [handlerOptions ?? {}, handler] : [{}, handlerOptions]
      routes.setNotFound(this[kContext], given, run)
      return this
    },
    setChildLoggerFactory: setter('setChildLoggerFactory', (context, factory) => context.set('childLoggerFactory', factory)),
    setGenReqId: setter('setGenReqId', (context, generate) =>
      context.set('genReqId', createIdGenerator(options.requestIdHeader, generate)),
    ),
    withTypeProvider() {
      return this
    },

    addContentTypeParser(type: any, parserOptions: any, parser?: any) {
      if (state.started) throw new errorCodes.ALC_ERR_CTP_INSTANCE_ALREADY_STARTED('addContentTypeParser')
      const [given, parse] = typeof parserOptions === 'function' ? [{}, parserOptions] : [parserOptions ?? {}, parser]
      assertBodyLimit(given.bodyLimit ?? undefined)
      for (const entry of [type].flat())
        this[kContext].parsers.add(entry, { ...given, bodyLimit: given.bodyLimit ?? options.bodyLimit }, parse)
      return this
    },
    hasContentTypeParser(type: any) {
      return this[kContext].parsers.has(type)
    },
    removeContentTypeParser(type: any) {
      if (state.started) throw new errorCodes.ALC_ERR_CTP_INSTANCE_ALREADY_STARTED('removeContentTypeParser')
      for (const entry of [type].flat()) this[kContext].parsers.remove(entry)
    },
    removeAllContentTypeParsers() {
      if (state.started) throw new errorCodes.ALC_ERR_CTP_INSTANCE_ALREADY_STARTED('removeAllContentTypeParsers')
      this[kContext].parsers.removeAll()
    },
    getDefaultJsonParser: createJsonParser,
    defaultTextParser: parseText,

    [Symbol.asyncDispose]() {
      return this.close()
    },
  }

  function assertDecoratable(name: string | symbol): void {
    if (state.started) throw new errorCodes.ALC_ERR_DEC_AFTER_START(String(name))
  }

  const getters: Record<string, (this: Instance) => unknown> = {
    version: () => interfaceVersion,
    prefix() {
      return this[kContext].prefix
    },
    pluginName() {
      return this[kContext].pluginNames.join(' -> ')
    },
    listeningOrigin: () => parts.listener.origin,
    errorHandler() {
      return this[kContext].errorHandler.handle
    },
    validatorCompiler() {
      return this[kContext].builtValidatorCompiler
    },
    serializerCompiler() {
      return this[kContext].builtSerializerCompiler
    },
    childLoggerFactory() {
      return this[kContext].childLoggerFactory
    },
    genReqId() {
      return this[kContext].genReqId
    },
  }
  for (const [name, get] of Object.entries(getters)) Object.defineProperty(members, name, { get, configurable: true })
  return members as unknown as Server
}

function readShorthand(method: string | readonly string[], path: unknown, given: any, handler: any): Record<string, any> {
  if (typeof path !== 'string') throw new errorCodes.ALC_ERR_INVALID_URL(typeof path)
  const name = String(method)
  if (handler === undefined && typeof given === 'function') return { method, url: path, path, handler: given }
  if (typeof handler === 'function') {
    if (Object.prototype.toString.call(given) !== '[object Object]') throw new errorCodes.ALC_ERR_ROUTE_OPTIONS_NOT_OBJ(name, path)
    if (given.handler !== undefined) {
      if (typeof given.handler === 'function') throw new errorCodes.ALC_ERR_ROUTE_DUPLICATED_HANDLER(name, path)
      throw new errorCodes.ALC_ERR_ROUTE_HANDLER_NOT_FN(name, path, 'Handler')
    }
  }
  return { ...given, method, url: path, path, handler: handler ?? given?.handler }
}
