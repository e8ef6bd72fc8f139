/**
 * Routes: from the options of `server.route` and the context they are declared in to the compiled route that requests run.
 */
import type { CompiledRoute } from './compiled-route.js'
import type { Context, DeclaredRoute } from '../context/context.js'
import type { LifecycleHookName } from '../types/hooks.js'
import type { HttpPart, RouteInfo } from '../types/request.js'
import type { RouteHandler } from '../types/route.js'
import { whenCompiled } from '../schema/lazy/cache.js'
import { errorCodes } from '../errors.js'
import { type Deadlines, MAX_TIMEOUT_MS } from '../http/deadline.js'
import { lowerCaseHeaderSchema } from '../schema/header-names.js'
import { assertHook, lifecycleHookNames } from '../context/hooks.js'
import { isJson, MediaTypeMap } from '../http/media-type.js'
import { httpMethods } from './router.js'
import type { RouteSchema } from '../types/schema.js'
import { type NormalSchema, normalizeSchema, type SchemaReading } from '../schema/normalize.js'
import { ResponseSerializers } from '../schema/serialize-response.js'
import { type PartValidator, partOrder } from '../schema/validate-request.js'

/** Route options as `onRoute` hooks see and change them. */
export type DeclaredOptions = Record<string, any> & { method: string | string[]; url: string; handler: RouteHandler<any> }

/** A route between its declaration and `ready`. */
export interface RouteDeclaration extends DeclaredRoute {
  readonly context: Context
  readonly options: DeclaredOptions
  compiled: CompiledRoute | undefined
}

/** What compiled routes need from above. */
export interface RouteServices {
  readonly respond: CompiledRoute['respond']
  readonly callNotFound: CompiledRoute['callNotFound']
  /** bytes */
  readonly bodyLimit: number
  /** ms */
  readonly handlerTimeout: number
  readonly state: CompiledRoute['state']
  /** The queue of the requests that have this span, in ms. */
  readonly deadlinesOf: (span: number) => Deadlines
  /** The not-found route that routes of a context hand over to. */
  readonly notFoundOf: (context: Context) => CompiledRoute
}

/** Methods whose requests a body schema is applied to (spec: Route schema object). */
const bodyMethods = ['POST', 'PUT', 'PATCH']

/** @throws ALC_ERR_ROUTE_METHOD_INVALID, ALC_ERR_ROUTE_METHOD_NOT_SUPPORTED */
export function normalizeMethod(method: unknown): string {
  if (typeof method !== 'string') throw new errorCodes.ALC_ERR_ROUTE_METHOD_INVALID()
  const name = method.toUpperCase()
  if (!(httpMethods as readonly string[]).includes(name)) throw new errorCodes.ALC_ERR_ROUTE_METHOD_NOT_SUPPORTED(name)
  return name
}

/** @throws ALC_ERR_ROUTE_BODY_LIMIT_OPTION_NOT_INT */
export function assertBodyLimit(limit: unknown): void {
  if (limit !== undefined && (!Number.isInteger(limit) || (limit as number) <= 0))
    throw new errorCodes.ALC_ERR_ROUTE_BODY_LIMIT_OPTION_NOT_INT(limit)
}

/** Checks what can be known of a route at its declaration. @throws the ALC_ERR_ROUTE_… codes */
export function assertRouteOptions(options: DeclaredOptions, path: string): void {
  for (const method of [options.method].flat()) {
    if (options['schema']?.body != null && !bodyMethods.includes(method))
      throw new errorCodes.ALC_ERR_ROUTE_BODY_VALIDATION_SCHEMA_NOT_SUPPORTED(method, path)
  }
  if (typeof options.handler !== 'function') throw new errorCodes.ALC_ERR_ROUTE_MISSING_HANDLER(String(options.method), path)
  if (options['errorHandler'] !== undefined && typeof options['errorHandler'] !== 'function') {
    throw new errorCodes.ALC_ERR_ROUTE_HANDLER_NOT_FN(String(options.method), path)
  }
  assertBodyLimit(options['bodyLimit'])
  const span: unknown = options['handlerTimeout']
  if (span !== undefined && !(Number.isInteger(span) && (span as number) >= 0 && (span as number) <= MAX_TIMEOUT_MS)) {
    throw new errorCodes.ALC_ERR_ROUTE_HANDLER_TIMEOUT_OPTION_NOT_INT(span)
  }
}

/** Checks the hooks among route options. @throws ALC_ERR_HOOK_INVALID_HANDLER, ALC_ERR_HOOK_INVALID_ASYNC_HANDLER */
export function assertRouteHooks(options: DeclaredOptions): void {
  for (const name of lifecycleHookNames) {
    const given = options[name]
    if (given === undefined) continue
    if (!Array.isArray(given) && typeof given !== 'function')
      throw new errorCodes.ALC_ERR_HOOK_INVALID_HANDLER(name, Object.prototype.toString.call(given))
    for (const hook of [given].flat()) {
      if (typeof hook !== 'function') throw new errorCodes.ALC_ERR_HOOK_INVALID_HANDLER(name, Object.prototype.toString.call(hook))
      assertHook(name, hook)
    }
  }
}

/** Compiles a declared route. @throws ALC_ERR_SCH_… where its schemas cannot be compiled */
export function compileRoute({ context, options, method, url, isAutomatic }: RouteDeclaration, services: RouteServices): CompiledRoute {
  const given: RouteSchema | undefined = options['schema'] ?? undefined
  const normal = given && buildStep('VALIDATION', method, url, () => normalizeSchema(given, readingOf(context, options)))
  const schema = normal?.declared
  // Most likely a name that was imported too early or misspelt: the part would go unvalidated without a word.
  for (const part of partOrder) {
    if (given !== undefined && part in given && given[part] === undefined) {
      context.logger.warn(`${String(method)} ${url}: schema.${part} is undefined, so it is not validated`)
    }
  }
  // Documentation plugins read the complete schemas from the options that their `onRoute` hook kept.
  if (schema !== undefined) options['schema'] = schema
  const config = { ...options['config'], url, method }
  return freeze(context, services, {
    method,
    url,
    config,
    schema,
    options,
    handler: options.handler,
    isHeadTwin: isAutomatic,
    normal,
    notFound: services.notFoundOf(context),
    info: {
      method,
      url,
      bodyLimit: options['bodyLimit'] ?? services.bodyLimit,
      attachValidation: options['attachValidation'] ?? false,
      logLevel: options['logLevel'] ?? context.logLevel,
      exposeHeadRoute: options['exposeHeadRoute'] ?? context.options.exposeHeadRoutes ?? true,
      prefixTrailingSlash: options['prefixTrailingSlash'] ?? 'both',
      version: options['constraints']?.version ?? undefined,
      config,
      schema,
      handler: options.handler,
    },
  })
}

function readingOf(context: Context, options: Record<string, any>): SchemaReading {
  return {
    hasShorthand: context.options.jsonShorthand !== false,
    isInputOurs: typeof options['validatorCompiler'] !== 'function' && !context.hasForeignValidator,
    isOutputOurs: typeof options['serializerCompiler'] !== 'function' && !context.hasForeignSerializer,
  }
}

/** Compiles the route that stands in where none was found, or where a URL cannot be read. */
export function compileFallbackRoute(
  context: Context,
  handler: RouteHandler<any>,
  options: Record<string, any>,
  services: RouteServices,
): CompiledRoute {
  const config = options['config'] ?? {}
  return freeze(context, services, {
    method: undefined,
    url: undefined,
    config,
    schema: undefined,
    options,
    handler,
    isHeadTwin: false,
    normal: undefined,
    notFound: null,
    info: {
      method: undefined,
      url: undefined,
      bodyLimit: services.bodyLimit,
      attachValidation: false,
      logLevel: context.logLevel,
      exposeHeadRoute: false,
      prefixTrailingSlash: 'both',
      version: undefined,
      config,
      schema: undefined,
      handler,
    },
  })
}

interface RouteParts {
  method: string | string[] | undefined
  url: string | undefined
  config: Record<string, unknown>
  schema: RouteSchema | undefined
  options: Record<string, any>
  handler: RouteHandler<any>
  isHeadTwin: boolean
  normal: NormalSchema | undefined
  notFound: CompiledRoute | null
  info: RouteInfo
}

function freeze(
  context: Context,
  services: RouteServices,
  { method, url, config, schema, options, handler, isHeadTwin, normal, notFound, info }: RouteParts,
): CompiledRoute {
  const { instance } = context
  const isCustomValidator = typeof options['validatorCompiler'] === 'function' || context.hasForeignValidator
  const logSerializers = options['logSerializers'] ? { ...context.logSerializers, ...options['logSerializers'] } : context.logSerializers
  const logLevel = options['logLevel'] || context.logLevel
  const handlerTimeout: number = options['handlerTimeout'] ?? services.handlerTimeout
  return Object.freeze<CompiledRoute>({
    instance,
    method,
    url,
    config,
    schema,
    info: Object.freeze(info),
    handler: handler.bind(instance),
    isHeadTwin,
    RequestClass: context.requests.EffectiveClass,
    ReplyClass: context.replies.EffectiveClass,
    ...compileHooks(context, options),
    body: compileBodyRule(context, options, normal),
    validators:
      normal === undefined
        ? null
        : buildStep('VALIDATION', method, url, () => compileValidators(context, options, normal, method, url, isCustomValidator)),
    attachValidation: options['attachValidation'] === true,
    schemaErrorFormatter: options['schemaErrorFormatter']?.bind(instance) ?? context.schemaErrorFormatter,
    serializers:
      normal === undefined
        ? null
        : buildStep('SERIALIZATION', method, url, () => compileSerializers(context, options, normal, method, url)),
    replySerializer: context.replySerializer,
    errorHandler: options['errorHandler']
      ? { handle: options['errorHandler'].bind(instance), next: context.errorHandler }
      : context.errorHandler,
    notFound,
    handlerTimeout,
    state: services.state,
    deadlines: handlerTimeout === 0 ? null : services.deadlinesOf(handlerTimeout),
    genReqId: context.genReqId,
    childLoggerFactory: options['childLoggerFactory'] ?? context.childLoggerFactory,
    loggerOptions: { ...(logLevel && { level: logLevel }), ...(logSerializers && { serializers: logSerializers }) },
    requestIdLogLabel: context.options.requestIdLogLabel ?? 'reqId',
    isLogging: context.options.disableRequestLogging !== true,
    exposesErrors: context.options.exposeErrorMessages === true,
    validatorCompiler: () => options['validatorCompiler'] ?? context.validatorCompiler,
    serializerCompiler: () => options['serializerCompiler'] ?? context.serializerCompiler,
    compiledInputs: new WeakMap(),
    compiledOutputs: new WeakMap(),
    respond: services.respond,
    callNotFound: services.callNotFound,
  })
}

type CompiledHooks = Pick<CompiledRoute, LifecycleHookName>

/** The context's hooks, then the route's own, bound to the instance; `null` where there are none. */
function compileHooks(context: Context, options: Record<string, any>): CompiledHooks {
  const compiled = {} as Record<LifecycleHookName, ((...args: any[]) => any)[] | null>
  for (const name of lifecycleHookNames) {
    const hooks = [...context.hooks[name].map(({ run }) => run), ...[options[name] ?? []].flat()]
    compiled[name] = hooks.length === 0 ? null : hooks.map((hook) => hook.bind(context.instance))
  }
  return compiled
}

/** Which bodies a route takes (design decision 4). */
function compileBodyRule(context: Context, options: Record<string, any>, normal: NormalSchema | undefined): CompiledRoute['body'] {
  const limit: number | undefined = options['bodyLimit']
  const { parsers } = context
  if (normal === undefined || (normal.parts.body === undefined && normal.bodyContent === undefined))
    return { parsers, limit, covers: undefined }
  const listed = new MediaTypeMap<true>()
  for (const type of [...normal.consumes, ...(normal.bodyContent?.keys() ?? [])]) listed.add(type, true)
  const hasJsonSchema = normal.bodyContent === undefined
  return {
    parsers,
    limit,
    covers: (essence) => essence !== undefined && (listed.find(essence) === true || (hasJsonSchema && isJson(essence))),
  }
}

function compileValidators(
  context: Context,
  options: Record<string, any>,
  normal: NormalSchema,
  method: any,
  url: any,
  isCustom: boolean,
): readonly PartValidator[] | null {
  if (!hasAny(normal)) return null
  const compiler = options['validatorCompiler'] ?? (isCustom ? context.validatorCompiler : undefined)
  const engine = compiler === undefined ? context.validationEngine : undefined
  const compile = (schema: any, httpPart: HttpPart): PartValidator['validate'] => {
    const validate = inPart(
      httpPart,
      !isCustom,
      () => engine?.late(schema, httpPart, `${method} ${url} ${httpPart}`) ?? compiler({ schema, method, url, httpPart }),
    )
    if (typeof validate !== 'function') throw new errorCodes.ALC_ERR_SCH_COMPILER_MISSING('validator', `${method} ${url} ${httpPart}`)
    return validate
  }
  const validators: PartValidator[] = []
  for (const part of partOrder) {
    const schema = normal.parts[part]
    if (part === 'body' && normal.bodyContent !== undefined) {
      const byMediaType = new MediaTypeMap<PartValidator['validate']>()
      for (const [type, entry] of normal.bodyContent) {
        const validate = compile(entry, 'body')
        byMediaType.add(type, validate)
        whenCompiled(validate, (compiled) => byMediaType.replace(type, compiled))
      }
      validators.push({ part, validate: byMediaType.first!, byMediaType })
    } else if (schema !== undefined) {
      // Only plain schemas for the default engine can be rewritten; other engines' objects are theirs.
      const isPlain = !isCustom && Object.getPrototypeOf(schema) === Object.prototype
      const given = part === 'headers' && isPlain ? lowerCaseHeaderSchema(schema, context.schemas.getSchemas()) : schema
      validators.push({ part, validate: compile(given, part), byMediaType: undefined })
    }
  }
  for (const validator of validators) whenCompiled(validator.validate, (compiled) => (validator.validate = compiled))
  return validators
}

function hasAny({ parts, bodyContent }: NormalSchema): boolean {
  return bodyContent !== undefined || Object.keys(parts).length > 0
}

function compileSerializers(
  context: Context,
  options: Record<string, any>,
  normal: NormalSchema,
  method: any,
  url: any,
): ResponseSerializers | null {
  if (normal.responses.length === 0) return null
  const compiler = options['serializerCompiler'] ?? (context.hasForeignSerializer ? context.serializerCompiler : undefined)
  const isDefault = compiler === undefined
  const engine = isDefault ? context.serializationEngine : undefined
  const serializers = new ResponseSerializers()
  for (const { status, contentType, schema } of normal.responses) {
    const serialize = inPart(
      contentType === undefined ? `response ${status}` : `response ${status} ${contentType}`,
      isDefault,
      () =>
        engine?.late(schema, `${method} ${url} response ${status}`) ??
        compiler({ schema, method, url, httpStatus: status, ...(contentType !== undefined && { contentType }) }),
    )
    if (typeof serialize !== 'function') throw new errorCodes.ALC_ERR_SCH_COMPILER_MISSING('serializer', `${method} ${url} ${status}`)
    serializers.add(status, contentType, serialize)
  }
  return serializers
}

/** What goes wrong while one part's schema is compiled. */
class PartFailure extends Error {
  /** `body`, `params`, …, `response 200`, `response 2xx application/json` */
  readonly part: string

  constructor(part: string, isOurs: boolean, cause: unknown) {
    const reason = (cause as Error)?.message ?? String(cause)
    // What a compiler of the application has to say is left as it is.
    super(isOurs ? `${reason} (in the schema of ${part})` : reason, { cause })
    this.part = part
  }
}

/** Names the part in whatever its compiler throws. */
function inPart<T>(part: string, isDefault: boolean, compile: () => T): T {
  try {
    return compile()
  } catch (error) {
    throw new PartFailure(part, isDefault, error)
  }
}

/** What already says enough, or is known by its code. */
const selfExplaining = [
  errorCodes.ALC_ERR_SCH_DUPLICATE,
  errorCodes.ALC_ERR_SCH_CONTENT_MISSING_SCHEMA,
  errorCodes.ALC_ERR_SCH_COMPILER_MISSING,
]

/** Names the route in whatever goes wrong while its schemas are compiled. */
function buildStep<T>(kind: 'VALIDATION' | 'SERIALIZATION', method: unknown, url: unknown, step: () => T): T {
  try {
    return step()
  } catch (error) {
    const isResponseKey = error instanceof errorCodes.ALC_ERR_SCH_RESPONSE_SCHEMA_NOT_NESTED_2XX
    if (selfExplaining.some((Known) => error instanceof Known)) throw error
    const Failure = errorCodes[`ALC_ERR_SCH_${isResponseKey ? 'SERIALIZATION' : kind}_BUILD`]
    const failure = new Failure(String(method), String(url), (error as Error)?.message ?? String(error))
    if (!(error instanceof PartFailure)) throw Object.assign(failure, { cause: error })
    throw Object.assign(failure, { part: error.part, cause: error.cause })
  }
}

/** The not-found route as a given route's handlers call it: with that route's onSend hooks. */
export function notFoundFor(route: CompiledRoute, notFound: CompiledRoute): CompiledRoute {
  return { ...notFound, onSend: route.onSend }
}
