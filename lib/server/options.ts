/**
 * Checks the options of `createServer`, fills in the defaults, and selects the options that `initialConfig` shows. An unknown option is
 * refused, with the nearest known name in the message.
 */
import { type Conventions, ownConventions } from '../context/conventions.js'
import { errorCodes } from '../errors/codes.js'
import { MAX_TIMEOUT_MS } from '../http/deadline.js'
import { assertBodyLimit } from '../route/check-options.js'
import type { JsvOptions } from '../types/compilers.js'
import type { ServerOptions } from '../types/options.js'
import { isAsyncFunction } from '../util/promises.js'
import { problemOfName, type OnlyGrouped, readFastify5Options } from './fastify-5-options.js'

/**
 * A function that checks the value of an option. Returns a description of the expected value, such as `a string`, or `undefined` if the
 * value is valid.
 */
type Check = (value: unknown) => string | undefined

const are =
  (isGood: (value: any) => boolean, expected: string): Check =>
  (value) =>
    isGood(value) ? undefined : expected
const boolean = are((value) => typeof value === 'boolean', 'boolean')
const text = are((value) => typeof value === 'string', 'a string')
const aFunction = are((value) => typeof value === 'function', 'a function')
const synchronous = are((value) => typeof value === 'function' && !isAsyncFunction(value), 'a synchronous function')
const object = are((value) => value !== null && typeof value === 'object', 'an object')
const wholeNumber = are((value) => Number.isInteger(value) && value >= 0, 'a whole number ≥ 0')
const positive = are((value) => Number.isInteger(value) && value > 0, 'a whole number ≥ 1')
/** Checks a time in ms. A time above `MAX_TIMEOUT_MS` is refused, because Node fires a timer with such a delay immediately. */
const milliseconds: Check = (value) => wholeNumber(value) ?? are((span) => span <= MAX_TIMEOUT_MS, `at most ${MAX_TIMEOUT_MS} ms`)(value)
const oneOf = (...allowed: unknown[]): Check =>
  are((value) => allowed.includes(value), `one of ${allowed.map(describeOptionValue).join(', ')}`)
const exactly = (allowed: unknown): Check => are((value) => value === allowed, describeOptionValue(allowed))
const anything: Check = () => undefined
const either =
  (...checks: Check[]): Check =>
  (value) => {
    const expected = checks.map((check) => check(value))
    return expected.includes(undefined) ? undefined : expected.join(' or ')
  }

/** Describes the problem of an option's value: `must be a string, got 3`. Returns `undefined` if the value is valid. */
function problemOf(check: Check, value: unknown): string | undefined {
  const expected = check(value)
  return expected === undefined ? undefined : `must be ${expected}, got ${describeOptionValue(value)}`
}

const schemaController = are(
  (value) =>
    object(value) === undefined &&
    ['boolean', 'undefined'].includes(typeof value.coerceBodies) &&
    (!value.bucket || typeof value.bucket === 'function') &&
    Object.keys(value).every((name) => ['coerceBodies', 'bucket', 'compilersFactory'].includes(name)) &&
    Object.keys(value.compilersFactory ?? {}).every((name) => ['buildValidator', 'buildSerializer'].includes(name)),
  'an object of coerceBodies (a boolean), bucket (a function) and compilersFactory (buildValidator and buildSerializer)',
)

const poisoning = oneOf('error', 'remove', 'ignore')

const checks: { [K in keyof Required<ServerOptions>]: Check } = {
  name: text,
  jsv: object,
  schemaErrorFormatter: anything,
  schemaController,
  serializerOpts: object,
  compileSchemas: oneOf('lazy', 'boot'),
  prebuilt: object,
  jsonShorthand: boolean,
  undeclaredResponses: oneOf('send', 'warn', 'refuse'),
  errorFormat: oneOf('default', 'problem'),
  answerOptions: boolean,
  methodNotAllowed: boolean,
  exposeErrorMessages: boolean,
  logger: either(boolean, object, exactly(null)),
  loggerInstance: object,
  logController: anything,
  disableRequestLogging: either(boolean, synchronous),
  requestIdHeader: either(boolean, text),
  requestIdLogLabel: text,
  genReqId: synchronous,
  childLoggerFactory: synchronous,
  telemetry: object,
  bodyLimit: anything,
  pluginTimeout: milliseconds,
  connectionTimeout: milliseconds,
  keepAliveTimeout: milliseconds,
  requestTimeout: milliseconds,
  sendTimeout: milliseconds,
  handlerTimeout: milliseconds,
  maxPipelinedRequests: positive,
  maxRequestsPerSocket: either(wholeNumber, exactly(null)),
  closeIdleDelay: milliseconds,
  closeTimeout: milliseconds,
  forceCloseConnections: oneOf(true, false, 'idle'),
  return503OnClosing: boolean,
  trustProxy: either(boolean, text, wholeNumber, synchronous, object),
  rewriteUrl: synchronous,
  caseSensitive: boolean,
  ignoreTrailingSlash: boolean,
  ignoreDuplicateSlashes: boolean,
  maxParamLength: positive,
  allowErrorHandlerOverride: boolean,
  allowUnsafeRegex: boolean,
  useSemicolonDelimiter: boolean,
  querystringParser: synchronous,
  constraints: object,
  routerOptions: object,
  exposeHeadRoutes: boolean,
  onProtoPoisoning: poisoning,
  onConstructorPoisoning: poisoning,
  frameworkErrors: aFunction,
  clientErrorHandler: aFunction,
  serverFactory: aFunction,
  http: either(object, exactly(null)),
  https: either(object, boolean, exactly(null)),
  http2: either(boolean, object),
  http2SessionTimeout: milliseconds,
}

const jsvNames: readonly string[] = ['customOptions', 'plugins', 'onCreate'] satisfies (keyof JsvOptions)[]

/** The names of all options of `createServer`. */
export const optionNames: readonly string[] = Object.keys(checks)

/** Checks of the options that can be given in `routerOptions` only, by name. */
const groupedChecks: { [K in OnlyGrouped]: Check } = {
  compile: boolean,
  defaultRoute: synchronous,
  onBadUrl: synchronous,
  onMaxParamLength: synchronous,
  buildPrettyMeta: synchronous,
}

/** The defaults of the server's options that are plain values. */
export const defaultOptions = {
  bodyLimit: 1_048_576,
  caseSensitive: true,
  closeIdleDelay: 250,
  closeTimeout: 30_000,
  compileSchemas: 'lazy',
  connectionTimeout: 0,
  allowErrorHandlerOverride: true,
  allowUnsafeRegex: false,
  disableRequestLogging: false,
  exposeErrorMessages: false,
  handlerTimeout: 60_000,
  http2SessionTimeout: 72_000,
  exposeHeadRoutes: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  jsonShorthand: true,
  keepAliveTimeout: 72_000,
  maxParamLength: 100,
  maxPipelinedRequests: 32,
  maxRequestsPerSocket: 0,
  onProtoPoisoning: 'error',
  onConstructorPoisoning: 'error',
  pluginTimeout: 10_000,
  requestIdHeader: false,
  requestIdLogLabel: 'reqId',
  requestTimeout: 300_000,
  return503OnClosing: false,
  sendTimeout: 60_000,
  useSemicolonDelimiter: false,
} as const satisfies ServerOptions

/** The options of a server after the check, with the defaults filled in. */
export type SettledOptions = ServerOptions &
  typeof defaultOptions & { undeclaredResponses: 'send' | 'warn' | 'refuse'; readonly conventions: Conventions }

/**
 * Checks the options of `createServer` and fills in the defaults. All problems are reported together.
 * @throws ALC_ERR_OPTIONS_NOT_OBJ, ALC_ERR_INIT_OPTS_INVALID, ALC_ERR_QSP_NOT_FN, ALC_ERR_SCHEMA_ERROR_FORMATTER_NOT_FN,
 * ALC_ERR_SCHEMA_CONTROLLER_BUCKET_OPT_NOT_FN, ALC_ERR_JSV_CUSTOM_OPTIONS_OPT_NOT_OBJ, ALC_ERR_JSV_CUSTOM_OPTIONS_OPT_NOT_ARR,
 * ALC_ERR_ROUTE_BODY_LIMIT_OPTION_NOT_INT, the ALC_ERR_LOG_… codes
 */
export function settleOptions(serverOptions: ServerOptions | null | undefined | false, conventions: Conventions): SettledOptions {
  if (serverOptions && typeof serverOptions !== 'object') throw new errorCodes.ALC_ERR_OPTIONS_NOT_OBJ()
  const problems: string[] = []
  const options = readFastify5Options(dropUndefined(serverOptions || {}), Object.keys(groupedChecks), problems)
  assertSpecial(options)
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(checks, name) ? (checks as Record<string, Check>)[name] : undefined
    const problem = check === undefined ? problemOfName(name, optionNames) : problemOf(check, value)
    if (problem !== undefined) problems.push(`'${name}' ${problem}`)
  }
  // Applications for Fastify 5 pass further options along, and a validator of the application may have options of its own.
  if (conventions === ownConventions && options.schemaController?.compilersFactory?.buildValidator === undefined)
    for (const name of Object.keys(options.jsv ?? {}))
      if (!jsvNames.includes(name)) problems.push(`'jsv.${name}' ${problemOfName(name, jsvNames)}`)
  for (const [name, check] of Object.entries(groupedChecks)) {
    const value = options.routerOptions?.[name as OnlyGrouped]
    const problem = value === undefined ? undefined : problemOf(check, value)
    if (problem !== undefined) problems.push(`'routerOptions.${name}' ${problem}`)
  }
  if (conventions === ownConventions && options.serverFactory === undefined) findUnused(options, problems)
  if (problems.length > 0) throw new errorCodes.ALC_ERR_INIT_OPTS_INVALID(problems.join('; '))
  if (options.requestIdHeader !== undefined) options.requestIdHeader = readIdHeader(options.requestIdHeader)
  const undeclaredResponses = process.env['NODE_ENV'] === 'production' ? 'send' : 'warn'
  return { ...defaultOptions, undeclaredResponses, ...options, conventions } as SettledOptions
}

/** Finds options for Node's server that have no effect, because the server's own options are set on it afterwards. */
function findUnused(options: ServerOptions, problems: string[]): void {
  const { requestTimeout = defaultOptions.requestTimeout } = options
  for (const group of ['http', 'https', 'http2'] as const) {
    const given: unknown = options[group]
    if (given === null || typeof given !== 'object') continue
    for (const [name, value] of Object.entries(given)) {
      if (value !== undefined && optionNames.includes(name))
        problems.push(`'${group}.${name}' has no effect: write ${name} beside ${group}`)
      else if (name === 'headersTimeout' && requestTimeout > 0 && value > requestTimeout)
        problems.push(`'${group}.${name}' must be at most requestTimeout (${requestTimeout}), got ${describeOptionValue(value)}`)
    }
  }
}

function readIdHeader(option: string | boolean): string | false {
  if (option === true) return 'request-id'
  return option === false || option === '' ? false : option.toLowerCase()
}

function assertSpecial({ querystringParser, schemaErrorFormatter, schemaController, jsv, bodyLimit }: ServerOptions): void {
  if (querystringParser !== undefined && typeof querystringParser !== 'function')
    throw new errorCodes.ALC_ERR_QSP_NOT_FN(typeof querystringParser)
  if (schemaErrorFormatter !== undefined) assertFormatter(schemaErrorFormatter)
  const bucket: unknown = schemaController?.bucket
  if (bucket && typeof bucket !== 'function') throw new errorCodes.ALC_ERR_SCHEMA_CONTROLLER_BUCKET_OPT_NOT_FN(typeof bucket)
  const custom: unknown = jsv?.customOptions
  if (custom !== undefined && Object.prototype.toString.call(custom) !== '[object Object]')
    throw new errorCodes.ALC_ERR_JSV_CUSTOM_OPTIONS_OPT_NOT_OBJ(typeof custom)
  if (jsv?.plugins !== undefined && !Array.isArray(jsv.plugins))
    throw new errorCodes.ALC_ERR_JSV_CUSTOM_OPTIONS_OPT_NOT_ARR(typeof jsv.plugins)
  assertBodyLimit(bodyLimit)
}

/** Checks a function that is passed to a `set…` method of the server, which must be synchronous. @throws ALC_ERR_SETTING_INVALID */
export function assertSetting(method: string, value: unknown): void {
  const expected = synchronous(value)
  if (expected !== undefined) throw new errorCodes.ALC_ERR_SETTING_INVALID(method, `expects ${expected}, got ${describeOptionValue(value)}`)
}

/** Throws unless a value can be passed to `setSchemaController`. @throws ALC_ERR_SETTING_INVALID */
export function assertSchemaController(value: unknown): void {
  const expected = schemaController(value)
  if (expected !== undefined)
    throw new errorCodes.ALC_ERR_SETTING_INVALID('setSchemaController', `expects ${expected}, got ${describeOptionValue(value)}`)
}

/** Throws unless a value is a synchronous function. @throws ALC_ERR_SCHEMA_ERROR_FORMATTER_NOT_FN */
export function assertFormatter(formatter: unknown): void {
  if (typeof formatter !== 'function') throw new errorCodes.ALC_ERR_SCHEMA_ERROR_FORMATTER_NOT_FN(typeof formatter)
  if (isAsyncFunction(formatter)) throw new errorCodes.ALC_ERR_SCHEMA_ERROR_FORMATTER_NOT_FN('AsyncFunction')
}

function dropUndefined(options: ServerOptions): ServerOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

function describeOptionValue(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  if (typeof value === 'function') return isAsyncFunction(value) ? 'an async function' : 'a function'
  if (Array.isArray(value)) return 'an array'
  return value !== null && typeof value === 'object' ? 'an object' : String(value)
}

/** Returns the options that `initialConfig` shows: plain settings, frozen, without secrets such as TLS keys. */
export function describeOptions(options: SettledOptions): Readonly<ServerOptions> {
  const shown: Record<string, unknown> = {}
  for (const name of [...Object.keys(defaultOptions), 'http2', 'forceCloseConnections'] as (keyof ServerOptions)[]) {
    if (options[name] !== undefined && typeof options[name] !== 'function') shown[name] = options[name]
  }
  if (options.http2) shown['http2'] = true
  if (options.routerOptions !== undefined) shown['routerOptions'] = Object.freeze({ ...options.routerOptions })
  if (options.https)
    shown['https'] =
      typeof options.https === 'object' && 'allowHTTP1' in options.https ? Object.freeze({ allowHTTP1: options.https.allowHTTP1 }) : true
  return Object.freeze(shown)
}
