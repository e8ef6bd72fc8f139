/** The members of every server instance. Each member does little itself, and works on the context of the instance that it is called on. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { assertWholeType, parseText } from '../context/body-parsers.js'
import type { Context } from '../context/context.js'
import { declaredRepliesOf } from '../context/declared-replies.js'
import { decorateInstance, readDecorator } from '../context/decorators.js'
import { assertHook, hookFacts, readCloseHook } from '../context/hooks.js'
import { createJsonParser, type PoisoningAction } from '../context/json-parser.js'
import { errorCodes } from '../errors/codes.js'
import { type ErrorFormatName, errorFormats } from '../http/error-payload.js'
import { assertBodyLimit, assertErrorClasses, readShorthand } from '../route/check-options.js'
import { addMethod, shorthandMethods } from '../route/methods.js'
import type { HookName } from '../types/hooks.js'
import type { ServerOptions } from '../types/options.js'
import type { Server, ServerMembers } from '../types/server.js'
import { kContext } from '../util/symbols.js'
import { injectRequest } from './inject.js'
import type { Listener } from './network/listener.js'
import { assertFormatter, assertSchemaController, assertSetting, type SettledOptions } from './options.js'
import { assertCallback } from './plugins/plugin-errors.js'
import type { PluginLoader } from './plugins/plugin-loader.js'
import { createIdGenerator } from './request-id.js'
import type { RouteTable } from './route-table.js'
import type { ServerState } from './server-state.js'

/** A server instance that has a context. */
export interface Instance extends Server {
  [kContext]: Context
}

/** The objects of one server that its instances use. `loader` and `listener` are made later than the root instance. */
export interface InstanceDependencies {
  readonly options: SettledOptions
  readonly initialConfig: Readonly<ServerOptions>
  readonly state: ServerState
  readonly routes: RouteTable
  readonly server: Server['server']
  readonly handleRequest: (raw: IncomingMessage, response: ServerResponse) => void
  readonly handleInjected: (raw: IncomingMessage, response: ServerResponse) => void
  readonly fetch: Server['fetch']
  readonly loader: PluginLoader
  readonly listener: Listener
  /** Reports a problem that concerns the whole server, not a request. */
  readonly warn: (text: string) => void
}

/** Returns members of a server unchanged. Their `this` gets a type: the instance that they are called on. */
function typedMembers<Members extends Partial<ServerMembers>>(members: Members & ThisType<Instance>): Members {
  return members
}

/** Returns getters of a server's members unchanged, typed as functions that are called each time the member is read. */
function typedGetters<Getters extends { readonly [Name in keyof ServerMembers]?: (this: Instance) => ServerMembers[Name] }>(
  getters: Getters,
): Getters {
  return getters
}

/** The names of the members that the plugin loader adds to an instance. */
type LoaderName = 'register' | 'after' | 'ready' | 'close' | 'onClose'

/** The names of the members that declare a route of one method: `server.get(path, handler)`. */
type ShorthandName = 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete' | 'options' | 'trace' | 'query'

/** Makes the root instance, which gets its context later. Instances of child contexts inherit its members. */
export function createInstance(dependencies: InstanceDependencies): Instance {
  const members: Omit<ServerMembers, 'log' | keyof ReturnType<typeof getters> | LoaderName> & ThisType<Instance> = {
    server: dependencies.server,
    initialConfig: dependencies.initialConfig,
    routing: dependencies.handleRequest,
    ...routeMembers(dependencies),
    ...networkMembers(dependencies),
    ...decoratorMembers(dependencies),
    ...hookMembers(dependencies),
    ...schemaMembers(dependencies),
    ...settingMembers(dependencies),
    ...parserMembers(dependencies),
    printPlugins: () => dependencies.loader.print(),
    hasPlugin(name: string) {
      const context = this[kContext]
      return context.registeredPlugins.has(name) || context.pluginNames.includes(name)
    },
    withTypeProvider() {
      return this
    },
    [Symbol.asyncDispose]() {
      return this.close()
    },
  }
  for (const [name, get] of Object.entries<() => unknown>(getters(dependencies)))
    Object.defineProperty(members, name, { get, configurable: true })
  return members as Instance
}

function assertNotStarted(state: ServerState, action: string): void {
  if (state.started) throw new errorCodes.ALC_ERR_INSTANCE_ALREADY_LISTENING(action)
}

function routeMembers({ state, routes, warn, options }: InstanceDependencies) {
  function shorthand(methodsOf: (context: Context) => string | string[]) {
    return function declareRoute(this: Instance, path: string, routeOptions?: any, handler?: any): Instance {
      assertNotStarted(state, 'Cannot add route!')
      const context = this[kContext]
      routes.declare(context, readShorthand(methodsOf(context), path, routeOptions, handler))
      return this
    }
  }
  const shorthands = {} as Pick<ServerMembers, ShorthandName>
  for (const method of shorthandMethods) shorthands[method.toLowerCase() as ShorthandName] = shorthand(() => method)
  return typedMembers({
    route(routeOptions: any) {
      assertNotStarted(state, 'Cannot add route!')
      if (routeOptions === null || typeof routeOptions !== 'object') throw new errorCodes.ALC_ERR_ROUTE_OPTIONS_NOT_OBJ()
      routes.declare(this[kContext], routeOptions)
      return this
    },
    ...shorthands,
    all: shorthand(({ methods }) => methods.all),
    addHttpMethod(method: unknown, methodOptions: unknown = {}) {
      assertNotStarted(state, 'Cannot call "addHttpMethod"!')
      const { methods } = this[kContext]
      const { name, hasBody, overrideExisting } = readMethod(method, methodOptions)
      const isKnown = methods.find(name)?.hasShorthand === true
      addMethod(methods, name, hasBody)
      if (isKnown && !overrideExisting) options.conventions.warnOfKnownMethod(name, warn)
      const member = name.toLowerCase()
      if (!(member in this)) Object.assign(this, { [member]: shorthand(() => name) })
      return this
    },
    hasRoute: ({ method, url, constraints }: any) => routes.has(readMethodName(method), url ?? '', constraints),
    findRoute: ({ method, url, constraints }: any) => routes.find(readMethodName(method), url ?? '', constraints),
    printRoutes: (printOptions = {}) => routes.print(printOptions),
    addConstraintStrategy(strategy: any) {
      assertNotStarted(state, 'Cannot add constraint strategy!')
      routes.addConstraintStrategy(strategy)
    },
    hasConstraintStrategy: (name: string) => routes.hasConstraintStrategy(name),
    setNotFoundHandler(handlerOptions?: any, handler?: any) {
      assertNotStarted(state, 'Cannot call "setNotFoundHandler"!')
      // A first argument that is not an object is the handler.
      const isOptions = handlerOptions == null || typeof handlerOptions === 'object'
      const [declared, handle] = isOptions ? [handlerOptions ?? {}, handler] : [{}, handlerOptions]
      routes.notFound.set(this[kContext], declared, handle)
      return this
    },
  })
}

function networkMembers(dependencies: InstanceDependencies) {
  const { state, handleInjected, options } = dependencies
  const { presentError } = options.conventions
  return typedMembers({
    listen(listenOptions?: any, callback?: any): any {
      const [target, done] = typeof listenOptions === 'function' ? [{}, listenOptions] : [listenOptions ?? {}, callback]
      if (typeof target !== 'object')
        throw new errorCodes.ALC_ERR_LISTEN_OPTIONS_INVALID('listen takes an object, e.g. listen({ port: 3000 })')
      if (target.signal && typeof target.signal.addEventListener !== 'function')
        throw new errorCodes.ALC_ERR_LISTEN_OPTIONS_INVALID('Invalid options.signal')
      assertCallback('listen', done)
      const listening = dependencies.listener.listen(target).catch((error: unknown) => {
        throw presentError(error)
      })
      if (done == null) return listening
      return void listening.then(
        (address) => process.nextTick(done, null, address),
        (error) => process.nextTick(done, error, null),
      )
    },
    addresses: () => dependencies.listener.addresses(),
    fetch: dependencies.fetch,
    inject(request?: any, callback?: any) {
      if (state.started) {
        if (!state.closing) return injectRequest(handleInjected, request, callback)
        const error = presentError(new errorCodes.ALC_ERR_REOPENED_CLOSE_SERVER())
        return callback === undefined ? Promise.reject(error) : callback(error)
      }
      if (callback === undefined) {
        return injectRequest((raw, response) => {
          this.ready((error: unknown) => (error ? response.emit('error', error) : handleInjected(raw, response)))
        }, request)
      }
      this.ready((error: any) => (error ? callback(error, null) : injectRequest(handleInjected, request, callback)))
      return undefined
    },
  })
}

function decoratorMembers({ state }: InstanceDependencies) {
  function assertDecoratable(name: string | symbol): void {
    if (state.started) throw new errorCodes.ALC_ERR_DEC_AFTER_START(String(name))
  }
  return typedMembers({
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
    getDecorator(name: string) {
      return readDecorator(this, name, 'instance')
    },
  })
}

function hookMembers({ state, options }: InstanceDependencies) {
  return typedMembers({
    addHook(name: HookName, hook: any) {
      assertNotStarted(state, 'Cannot call "addHook"!')
      if (name === 'onClose') return this.onClose(readCloseHook(hook))
      assertHook(name, hook, options.conventions)
      const context = this[kContext]
      if (hookFacts[name].isAddedAtOnce) {
        context.addHook(name, hook)
        return this
      }
      // The hook is added when the plugins that were registered before it are loaded: their contexts exist then and get it too.
      this.after((error, done) => {
        context.addHook(name, hook)
        done(error)
      })
      return this
    },
  })
}

function schemaMembers({ state }: InstanceDependencies) {
  return typedMembers({
    addSchema(schema: any) {
      assertNotStarted(state, 'Cannot call "addSchema"!')
      this[kContext].addSchema(schema)
      return this
    },
    getSchema(id: string) {
      return this[kContext].schemas.getSchema(id)
    },
    getSchemas() {
      return this[kContext].schemas.getSchemas()
    },
    setSchemaController(controller: any) {
      assertNotStarted(state, 'Cannot call "setSchemaController"!')
      assertSchemaController(controller)
      this[kContext].setSchemaController(controller)
      return this
    },
  })
}

function settingMembers({ state, options }: InstanceDependencies) {
  /** Makes a method that checks and sets a value. @param takesNull whether `null` is allowed, which restores the default */
  function setter(name: string, set: (context: Context, value: any) => void, takesNull = false) {
    return function setInContext(this: Instance, value: unknown): Instance {
      assertNotStarted(state, `Cannot call "${name}"!`)
      if (!takesNull || value !== null) assertSetting(name, value)
      set(this[kContext], value)
      return this
    }
  }
  return typedMembers({
    setValidatorCompiler: setter('setValidatorCompiler', (context, compiler) => context.set('validatorCompiler', compiler), true),
    setSerializerCompiler: setter('setSerializerCompiler', (context, compiler) => context.set('serializerCompiler', compiler), true),
    setReplySerializer: setter('setReplySerializer', (context, serializer) => context.set('replySerializer', serializer)),
    setChildLoggerFactory: setter('setChildLoggerFactory', (context, factory) => context.set('childLoggerFactory', factory)),
    setGenReqId: setter('setGenReqId', (context, generate) =>
      context.set('genReqId', createIdGenerator(options.requestIdHeader, generate)),
    ),
    setSchemaErrorFormatter(formatter: any) {
      assertNotStarted(state, 'Cannot call "setSchemaErrorFormatter"!')
      assertFormatter(formatter)
      this[kContext].set('schemaErrorFormatter', formatter.bind(this))
      return this
    },
    setErrorFormat(name: any) {
      assertNotStarted(state, 'Cannot call "setErrorFormat"!')
      if (!Object.hasOwn(errorFormats, name))
        throw new errorCodes.ALC_ERR_SETTING_INVALID('setErrorFormat', `expects 'default' or 'problem', got ${String(name)}`)
      this[kContext].set('errorFormat', errorFormats[name as ErrorFormatName])
      return this
    },
    addErrorClass(Class: any) {
      assertNotStarted(state, 'Cannot call "addErrorClass"!')
      const context = this[kContext]
      assertErrorClasses([Class], context.path)
      context.ownErrorClasses.push({ Class, from: context.path })
      return this
    },
    setErrorHandler(handler: any) {
      assertNotStarted(state, 'Cannot call "setErrorHandler"!')
      if (typeof handler !== 'function') throw new errorCodes.ALC_ERR_ERROR_HANDLER_NOT_FN()
      const context = this[kContext]
      if (!options.allowErrorHandlerOverride && context.errorHandler.from === context)
        throw new errorCodes.ALC_ERR_ERROR_HANDLER_ALREADY_SET()
      context.setErrorHandler(handler.bind(this), declaredRepliesOf(handler))
      return this
    },
  })
}

function parserMembers({ state, options }: InstanceDependencies) {
  function assertParsersOpen(method: string): void {
    if (state.started) throw new errorCodes.ALC_ERR_CTP_INSTANCE_ALREADY_STARTED(method)
  }
  return typedMembers({
    addContentTypeParser(type: any, parserOptions: any, parser?: any) {
      assertParsersOpen('addContentTypeParser')
      const [declared, parse] = typeof parserOptions === 'function' ? [{}, parserOptions] : [parserOptions ?? {}, parser]
      // 0: the limit of the server holds, as in Fastify.
      const own = declared.bodyLimit === 0 ? undefined : (declared.bodyLimit ?? undefined)
      assertBodyLimit(own)
      const bodyLimit = own ?? (declared.parseAs === undefined ? Infinity : options.bodyLimit)
      const { parsers } = this[kContext]
      for (const entry of [type].flat()) {
        if (!options.conventions.takesPartsOfMediaTypes && typeof parse === 'function') assertWholeType(entry)
        parsers.add(entry, { ...declared, bodyLimit }, parse)
      }
      return this
    },
    hasContentTypeParser(type: any) {
      return this[kContext].parsers.has(type)
    },
    removeContentTypeParser(type: any) {
      assertParsersOpen('removeContentTypeParser')
      for (const entry of [type].flat()) this[kContext].parsers.remove(entry)
    },
    removeAllContentTypeParsers() {
      assertParsersOpen('removeAllContentTypeParsers')
      this[kContext].parsers.removeAll()
    },
    getDefaultJsonParser: (onProto: PoisoningAction, onConstructor: PoisoningAction) =>
      createJsonParser(onProto, onConstructor, options.conventions),
    defaultTextParser: parseText,
  })
}

function getters(dependencies: InstanceDependencies) {
  return typedGetters({
    version: () => dependencies.options.conventions.version,
    prefix() {
      return this[kContext].prefix
    },
    pluginName() {
      return this[kContext].pluginNames.join(' -> ')
    },
    supportedMethods() {
      return this[kContext].methods.withShorthand
    },
    listeningOrigin: () => dependencies.listener.origin,
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
  })
}

function readMethodName(method: unknown): string {
  return typeof method === 'string' ? method.toUpperCase() : ''
}

/** Reads the arguments of `addHttpMethod`. @throws ALC_ERR_ROUTE_METHOD_INVALID, ALC_ERR_SETTING_INVALID */
function readMethod(method: unknown, settingsOfMethod: unknown): { name: string; hasBody: boolean; overrideExisting: boolean } {
  if (typeof method !== 'string') throw new errorCodes.ALC_ERR_ROUTE_METHOD_INVALID()
  const settings = { hasBody: false, overrideExisting: false }
  const fail = (problem: string): never => {
    throw new errorCodes.ALC_ERR_SETTING_INVALID(`addHttpMethod('${method}')`, problem)
  }
  if (settingsOfMethod === null || typeof settingsOfMethod !== 'object') fail('expects an object of options, such as { hasBody: true }')
  for (const [key, value] of Object.entries(settingsOfMethod as object)) {
    if (!Object.hasOwn(settings, key)) fail(`has no option '${key}'; its options are hasBody and overrideExisting`)
    if (value !== undefined && typeof value !== 'boolean') fail(`expects '${key}' to be a boolean`)
  }
  return { name: method.toUpperCase(), ...settings, ...(settingsOfMethod as Partial<typeof settings>) }
}
