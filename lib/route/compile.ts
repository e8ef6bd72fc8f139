/** Compiles a declared route: from its options and its context it makes the compiled route, which serves requests. */
import type { Context, ErrorHandlerLink, NotFoundOptions } from '../context/context.js'
import { requestEntryOf } from '../context/request-entry.js'
import { type DeclaredOptions, type DeclaredRoute, textOfConstraints } from '../context/declared-route.js'
import { type HookFunction, kRefusedFalse, lifecycleHookNames, orderHooks } from '../context/hooks.js'
import { compileDeprecation, findDeprecationProblems } from '../context/deprecation.js'
import type { Deadlines } from '../http/deadline.js'
import { errorCodes } from '../errors/codes.js'
import type { NormalSchema } from '../schema/normalize.js'
import type { LifecycleHookName } from '../types/hooks.js'
import type { LogLines, Observer } from '../types/logger.js'
import type { RouteInfo } from '../types/request.js'
import type { RouteHandler, RouteSchema } from '../types/route.js'
import { kAnswersUndefined, kEndsReturnedReply, kPlace } from '../util/symbols.js'
import { compileCoverage } from './body-coverage.js'
import { assertBodySchema, assertNoProblems } from './check-options.js'
import {
  compileSerializers,
  compileThrownErrors,
  compileValidators,
  normalizeRouteSchema,
  warnOfInvalidReplies,
  warnOfMissingParameters,
} from './compile-schemas.js'
import { deprecationOf } from './declared-deprecation.js'
import { repeatedParameter } from './path-parameters.js'
import { observeHandler, observeHook } from './observed-functions.js'
import type { BodyRule, CompiledHooks, CompiledRoute, ReplyWatcher, Stage, StageFields } from './compiled-route.js'

/** A declared route, which is compiled when the server becomes ready. */
export interface RouteDeclaration extends DeclaredRoute {
  readonly context: Context
  compiled: CompiledRoute | undefined
}

/** Settings of the server that routes are compiled with. */
export interface CompileSettings {
  /** The most bytes that the body of a request may have. */
  readonly bodyLimit: number
  /** Milliseconds in which the headers of a reply must be sent. */
  readonly handlerTimeout: number
  readonly state: CompiledRoute['state']
  readonly logs: LogLines
  /** Returns the queue of the requests that must be answered within this many ms. */
  readonly deadlinesOf: (timeout: number) => Deadlines
  /** The hooks that tell the observer of the server how a request has ended; empty if there is none. */
  readonly endHooks: Readonly<Partial<Record<LifecycleHookName, readonly HookFunction[]>>>
  /** Lists the stages of a route in their order. */
  readonly stagesOf: (route: StageFields) => readonly Stage[]
  /** Returns the not-found route of a context. */
  readonly notFoundOf: (context: Context) => CompiledRoute
}

/** Compiles a declared route. @throws ALC_ERR_SCH_… if its schemas cannot be compiled */
export function compileRoute(declaration: RouteDeclaration, settings: CompileSettings): CompiledRoute {
  const { context, options, method, url, shownUrl, isImplicitHead } = declaration
  // A hook onRoute may have changed these options, and addHttpMethod may have changed whether the body is read.
  assertBodySchema({ method, schema: options.schema }, url, context)
  assertNoProblems(findDeprecationProblems(options.deprecated), method, url)
  const declaredSchema: RouteSchema | undefined = options.schema ?? undefined
  const normal = declaredSchema && normalizeRouteSchema(declaration, declaredSchema)
  const schema = normal?.declared
  if (normal !== undefined && !isImplicitHead) {
    warnOfMissingParameters(declaration, normal)
    warnOfInvalidReplies(declaration, normal)
  }
  if (!isImplicitHead) warnOfRepeatedParameter(declaration)
  // Documentation plugins read the complete schemas from the options that their `onRoute` hook kept.
  if (schema !== undefined) options.schema = schema
  const config = { ...options.config, url: shownUrl, method }
  const info: RouteInfo = {
    method,
    url: shownUrl,
    bodyLimit: options.bodyLimit ?? settings.bodyLimit,
    handlerTimeout: options.handlerTimeout ?? settings.handlerTimeout,
    attachValidation: options.attachValidation ?? false,
    logLevel: options.logLevel ?? context.logLevel,
    exposeHeadRoute: exposesHeadRoute(options, context),
    prefixTrailingSlash: options.prefixTrailingSlash ?? 'both',
    version: (options.constraints?.['version'] as string | undefined) ?? undefined,
    config,
    schema,
    handler: options.handler,
  }
  return assembleRoute(context, withWatcher(declaration, settings.state.replyWatcher), settings, {
    info,
    isImplicitHead,
    constraints: textOfConstraints(options.constraints),
    deprecation: compileDeprecation(deprecationOf(context, options)),
    body: compileBodyRule(context, options, normal),
    notFound: settings.notFoundOf(context),
    validators: normal === undefined ? null : compileValidators(declaration, normal),
    serializers: normal === undefined ? null : compileSerializers(declaration, normal),
    thrownErrors: compileThrownErrors(declaration, options[kPlace]?.path ?? `${String(method)} ${url}`, options.throws),
  })
}

/** Returns the options of a route. If the server is under test, an onSend hook is added to them, by which the test sees the replies. */
function withWatcher({ context, options, ...route }: RouteDeclaration, watcher: ReplyWatcher | undefined): DeclaredOptions {
  if (watcher === undefined) return options
  return { ...options, onSend: [...[options.onSend ?? []].flat(), watcher.createHook(context, { ...route, options })] }
}

/** Logs a warning if a path has two parameters with the same name. Such a path is not refused, because Fastify accepts it. */
function warnOfRepeatedParameter({ context, method, url }: RouteDeclaration): void {
  const name = repeatedParameter(url)
  if (name !== undefined)
    context.logger.warn(
      `${String(method)} ${url}: the path has the parameter '${name}' twice, and a request has only the value of the last`,
    )
}

/** Whether a HEAD route is made in addition to a GET route with these options. */
export function exposesHeadRoute(options: DeclaredOptions, { options: { exposeHeadRoutes = true } }: Context): boolean {
  return options.exposeHeadRoute ?? exposeHeadRoutes
}

/** Compiles a route that has no declaration: it answers if no route was found, or if a URL cannot be read. */
export function compileFallbackRoute(
  context: Context,
  handler: RouteHandler<any>,
  options: NotFoundOptions,
  settings: CompileSettings,
): CompiledRoute {
  const info: RouteInfo = {
    method: undefined,
    url: undefined,
    bodyLimit: settings.bodyLimit,
    handlerTimeout: options.handlerTimeout ?? settings.handlerTimeout,
    attachValidation: false,
    logLevel: context.logLevel,
    exposeHeadRoute: false,
    prefixTrailingSlash: 'both',
    version: undefined,
    config: (options.config as RouteInfo['config'] | undefined) ?? {},
    schema: undefined,
    handler,
  }
  return assembleRoute(context, options, settings, {
    info,
    isImplicitHead: false,
    constraints: textOfConstraints(undefined),
    deprecation: null,
    body: compileBodyRule(context, options, undefined),
    notFound: null,
    validators: null,
    serializers: null,
    thrownErrors: compileThrownErrors({ context, options, method: 'any method', url: `${context.prefix}/*` }, undefined),
  })
}

/** The fields of a compiled route in which a declared route and a fallback route differ. */
type SpecificFields = Pick<
  CompiledRoute,
  'info' | 'isImplicitHead' | 'constraints' | 'deprecation' | 'body' | 'notFound' | 'validators' | 'serializers' | 'thrownErrors'
>

/**
 * Puts a compiled route together. One object literal makes all compiled routes: if they were made of spread objects, V8 would give nearly
 * every route a different hidden class, and each property that a request reads would be looked up anew.
 */
function assembleRoute(
  context: Context,
  options: NotFoundOptions,
  settings: CompileSettings,
  { info, isImplicitHead, constraints, deprecation, body, notFound, validators, serializers, thrownErrors }: SpecificFields,
): CompiledRoute {
  const hooks = compileHooks(context, options, settings)
  const enterRequest = requestEntryOf(context.instance)
  return Object.freeze<CompiledRoute>({
    instance: context.instance,
    url: info.url,
    info: Object.freeze(info),
    handler: bindHandler(info.handler, options[kPlace]?.path, context),
    endsReturnedReply: kEndsReturnedReply in info.handler,
    answersUndefined: kAnswersUndefined in info.handler,
    isImplicitHead,
    classes: context.classes,
    onRequest: hooks.onRequest,
    preParsing: hooks.preParsing,
    preValidation: hooks.preValidation,
    preHandler: hooks.preHandler,
    preSerialization: hooks.preSerialization,
    onSend: hooks.onSend,
    onResponse: hooks.onResponse,
    onError: hooks.onError,
    onTimeout: hooks.onTimeout,
    onRequestAbort: hooks.onRequestAbort,
    stages: settings.stagesOf({ ...hooks, info, instance: context.instance, enterRequest, deprecation, body, validators }),
    enterRequest,
    constraints,
    deprecation,
    body,
    validators,
    attachValidation: options.attachValidation === true,
    schemaErrorFormatter: options.schemaErrorFormatter?.bind(context.instance) ?? context.schemaErrorFormatter,
    serializers,
    streams: serializers?.hasStreams === true ? serializers : null,
    bytes: serializers?.hasBytes === true ? serializers : null,
    thrownErrors,
    replySerializer: context.replySerializer,
    errorHandler: errorHandlerOf(context, options),
    errorFormat: context.errorFormat,
    notFound,
    handlerTimeout: info.handlerTimeout,
    state: settings.state,
    deadlines: info.handlerTimeout === 0 ? null : settings.deadlinesOf(info.handlerTimeout),
    genReqId: context.genReqId,
    childLoggerFactory: options.childLoggerFactory ?? context.childLoggerFactory,
    loggerOptions: compileLoggerOptions(context, options),
    logs: settings.logs,
    keepsAsyncContext: enterRequest !== null || runsLater(context, options, hooks),
    runsBeforeBody: enterRequest !== null || runsFirst(context, options, hooks),
    exposesErrors: context.options.exposeErrorMessages === true,
    conventions: context.options.conventions,
    validatorCompiler: () => options.validatorCompiler ?? context.validatorCompiler,
    serializerCompiler: () => options.serializerCompiler ?? context.serializerCompiler,
    compiledInputs: new WeakMap(),
    compiledOutputs: new WeakMap(),
  })
}

function errorHandlerOf({ instance, errorHandler: next }: Context, { errorHandler }: NotFoundOptions): ErrorHandlerLink {
  return errorHandler ? { handle: errorHandler.bind(instance), next } : next
}

/** Whether functions of the application, or an observer (`telemetry`), are called before the body of a request is read. */
function runsFirst(context: Context, { childLoggerFactory }: NotFoundOptions, { onRequest, preParsing }: CompiledHooks): boolean {
  return (
    onRequest !== null ||
    preParsing !== null ||
    childLoggerFactory !== undefined ||
    context.mayEnterStorageFirst ||
    context.options.telemetry !== undefined
  )
}

/**
 * Whether functions of the application, a logger or an observer (`telemetry`) are called at the end of a request, at its deadline or
 * because of an error.
 */
function runsLater({ options, errorHandler }: Context, own: NotFoundOptions, hooks: CompiledHooks): boolean {
  if (Boolean(options.logger) || options.telemetry !== undefined || own.errorHandler !== undefined || errorHandler.next !== undefined)
    return true
  return [hooks.onResponse, hooks.onRequestAbort, hooks.onError, hooks.onTimeout].some((list) => list !== null)
}

/**
 * Collects the hooks of a context, then the hooks of a route, and binds them to the instance of the context.
 * @returns the hooks by name; `null` for a name without hooks
 */
function compileHooks(context: Context, options: NotFoundOptions, { endHooks }: CompileSettings): CompiledHooks {
  const compiled = {} as Record<LifecycleHookName, HookFunction[] | null>
  for (const name of lifecycleHookNames) {
    const own: HookFunction[] = [options[name] ?? []].flat()
    const ofContexts = context.hooks[name].map(({ hookFunction }) => hookFunction)
    const hooks = orderHooks(ofContexts, own)
    const bound = hooks.map((hook) => bindToInstance(hook, context.instance))
    const { telemetry } = context.options
    const all = telemetry === undefined ? bound : [...observeHooks(name, hooks, bound, context, telemetry), ...(endHooks[name] ?? [])]
    compiled[name] = all.length === 0 ? null : all
  }
  return compiled
}

/** Wraps the bound hooks of one name, so that an observer (`telemetry`) is told when each of them begins and ends. */
function observeHooks(
  name: LifecycleHookName,
  hooks: readonly HookFunction[],
  bound: readonly HookFunction[],
  context: Context,
  observer: Observer,
): HookFunction[] {
  const origins = new Map(context.hooks[name].map(({ hookFunction, from }) => [hookFunction, from.path]))
  return bound.map((hook, index) => {
    const observed = observeHook(hook, name, origins.get(hooks[index]!) ?? 'route', observer)
    if (hook[kRefusedFalse] !== undefined) observed[kRefusedFalse] = hook[kRefusedFalse]
    return observed
  })
}

/**
 * Binds a handler to the instance of its context. An observer (`telemetry`), if there is one, is told of each call of the handler.
 * @param path the path of the class that declares the route
 */
function bindHandler(handler: RouteHandler<any>, path: string | undefined, { instance, options }: Context): CompiledRoute['handler'] {
  const bound = handler.bind(instance)
  return options.telemetry === undefined ? bound : observeHandler(bound, path ?? (handler.name || 'anonymous'), options.telemetry)
}

function bindToInstance(hook: HookFunction, instance: Context['instance']): HookFunction {
  const bound: HookFunction = hook.bind(instance)
  if (hook[kRefusedFalse] !== undefined) bound[kRefusedFalse] = hook[kRefusedFalse]
  return bound
}

function compileBodyRule(context: Context, { bodyLimit: limit }: NotFoundOptions, normal: NormalSchema | undefined): BodyRule {
  return { parsers: context.parsers, readings: context.methods.bodyReadings, limit, covers: compileCoverage(context, normal) }
}

function compileLoggerOptions(context: Context, options: NotFoundOptions): CompiledRoute['loggerOptions'] {
  const level = options.logLevel || context.logLevel
  // A logger of the application may know other levels, and not list them.
  const known: Readonly<Record<string, number>> | undefined = (context.logger as { levels?: { values?: Record<string, number> } }).levels
    ?.values
  if (level && known !== undefined && level !== 'silent' && !Object.hasOwn(known, level))
    throw new errorCodes.ALC_ERR_LOG_LEVEL_UNKNOWN(level, [...Object.keys(known), 'silent'].join(', '))
  const serializers = options.logSerializers ? { ...context.logSerializers, ...options.logSerializers } : context.logSerializers
  return { ...(level && { level }), ...(serializers && { serializers }) }
}
