/**
 * The routes of a server. Routes are declared one by one while the server boots, compiled together at `ready`, and looked up for each
 * request. The table also holds the not-found handlers.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from '../context/context.js'
import type { DeclaredOptions } from '../context/declared-route.js'
import { hookNames } from '../context/hooks.js'
import { errorCodes } from '../errors/codes.js'
import { defaultNotFoundHandler } from '../lifecycle/failing/default-error-handler.js'
import type { RunRequest } from '../lifecycle/run-request.js'
import { assertNotPromise } from '../util/promises.js'
import { assertRouteHooks, assertRouteOptions, normalizeMethod } from '../route/check-options.js'
import { pastSunset, textOfPastSunsets } from '../context/deprecation.js'
import { deprecationOf } from '../route/declared-deprecation.js'
import { compileFallbackRoute, compileRoute, type CompileSettings, exposesHeadRoute, type RouteDeclaration } from '../route/compile.js'
import type { CompiledRoute } from '../route/compiled-route.js'
import { addPlace, collectInto, nameRouteIn, throwFaults } from '../route/faults.js'
import { type FunctionWriter, Router } from '../route/router.js'
import type { ServerOptions } from '../types/options.js'
import type { ConstraintStrategy, PrintRoutesOptions, RouteHandler } from '../types/route.js'
import { AllowedMethods } from './allowed-methods.js'
import { NotFoundTable } from './not-found-table.js'
import type { SettledOptions } from './options.js'

export interface RouteTableDependencies {
  readonly options: SettledOptions
  readonly runRequest: RunRequest
  readonly writer: FunctionWriter
  /** Reports a problem that concerns the whole server, not a request. */
  readonly warn: (text: string) => void
  /** Watches the result of an onRoute hook. Nothing awaits the result, but its rejection fails the boot. */
  readonly watch: (result: unknown) => void
  readonly settings: Omit<CompileSettings, 'notFoundOf'>
  readonly root: () => Context
}

export class RouteTable {
  readonly #dependencies: RouteTableDependencies
  readonly #router: Router<RouteDeclaration>
  readonly #declarations: RouteDeclaration[] = []
  /** The methods of the routes whose path is `*`. */
  readonly #methodsOfAsterisk = new Set<string>()
  readonly notFound: NotFoundTable
  /** The answers to requests whose path has routes only for other methods; `undefined` if such requests are answered like unknown paths. */
  #allowed: AllowedMethods | undefined
  #failed!: CompiledRoute
  /** The methods that write log lines about a request, except the line about its end. */
  #logsOfArrival!: CompiledRoute['logs']

  constructor(dependencies: RouteTableDependencies) {
    this.#dependencies = dependencies
    const { options, runRequest, writer } = dependencies
    const { handlerTimeout, deadlinesOf } = dependencies.settings
    this.notFound = new NotFoundTable({ ...options, querystringParser: options.querystringParser, writer })
    this.#router = new Router<RouteDeclaration>(
      {
        ...options,
        constraints: options.constraints,
        querystringParser: options.querystringParser,
        writer,
        deadlines: handlerTimeout === 0 ? undefined : deadlinesOf(handlerTimeout),
        describe: ({ method, path, store }) => {
          const shown = describeForPrint(store)
          return options.routerOptions?.buildPrettyMeta?.({ method, path, store: shown }) ?? shown
        },
      },
      (raw, response, params, declaration, query) => runRequest(declaration.compiled!, raw, response, params, query),
      {
        onMissing: (raw, response) => this.#serveMissing(raw, response),
        onBadUrl: (path, raw, response) => this.#serveBadUrl(path, raw, response),
        onLongParameter: (path, raw, response) => this.#serveLongParameter(path, raw, response),
      },
    )
  }

  /**
   * Declares a route in a context. A GET route also gets a HEAD route.
   * @throws the ALC_ERR_ROUTE_…, ALC_ERR_HOOK_… and ALC_ERR_DUPLICATED_ROUTE codes
   */
  declare(context: Context, routeOptions: Record<string, any>, isImplicitHead = false): void {
    try {
      this.#declare(context, routeOptions, isImplicitHead)
    } catch (error) {
      throw addPlace(error, routeOptions as DeclaredOptions)
    }
  }

  #declare(context: Context, routeOptions: Record<string, any>, isImplicitHead: boolean): void {
    const options = { ...routeOptions } as DeclaredOptions
    const { methods: known } = context
    if (Array.isArray(options.method) && options.method.length === 0)
      throw new errorCodes.ALC_ERR_ROUTE_METHOD_INVALID('The list of methods is empty.')
    options.method = Array.isArray(options.method)
      ? options.method.map((each) => normalizeMethod(each, known))
      : normalizeMethod(options.method, known)
    const path: unknown = routeOptions['url'] ?? routeOptions['path'] ?? ''
    if (typeof path !== 'string') throw new errorCodes.ALC_ERR_INVALID_URL(typeof path)
    assertRouteOptions(options, path, context)

    const variants = pathVariants(path, context.prefix, options, this.#dependencies.options)
    const shownUrl = context.prefix + variants[0]!
    for (const variant of variants) {
      this.#declareAt(context, options, variant, { shownUrl, runsHooks: variant === variants[0], isImplicitHead })
      const methods = [options.method].flat()
      if (!exposesHeadRoute(options, context) || isImplicitHead || !methods.includes('GET') || methods.includes('HEAD')) continue
      if (this.#router.declared('HEAD', context.prefix + variant, options.constraints ?? {}) !== null) continue
      const { schema, ...rest } = routeOptions
      const head = {
        ...rest,
        ...(schema && { schema: withoutBody(schema) }),
        method: 'HEAD',
        url: variant,
        path: variant,
        prefixTrailingSlash: 'slash',
      } as unknown as DeclaredOptions // `routeOptions` has been checked above
      this.#declareAt(context, head, variant, { shownUrl, runsHooks: true, isImplicitHead: true })
    }
  }

  #declareAt(
    context: Context,
    options: DeclaredOptions,
    path: string,
    { shownUrl, runsHooks, isImplicitHead }: { shownUrl: string; runsHooks: boolean; isImplicitHead: boolean },
  ): void {
    const url = context.prefix + path
    options.url = url
    options.path = url
    options.routePath = path
    options.prefix = context.prefix
    options.logLevel ||= context.logLevel
    options.attachValidation ??= false
    if (runsHooks)
      for (const { hookFunction } of context.hooks.onRoute) this.#dependencies.watch(hookFunction.call(context.instance, options))
    assertRouteHooks(options, context.options.conventions)

    // An onRoute hook may have changed the method.
    const { method } = options
    const constraints = options.constraints ?? {}
    const declaration: RouteDeclaration = { context, options, method, url, shownUrl, isImplicitHead, compiled: undefined }
    if ([method].flat().includes('HEAD') && !isImplicitHead && this.#router.declared('HEAD', url, constraints)?.store.isImplicitHead) {
      this.#router.remove('HEAD', url, constraints)
    }
    try {
      this.#router.add(method, url, constraints, declaration)
    } catch (error) {
      if (!(error as Error).message.includes('already declared for route')) throw nameRouteIn(error as Error, declaration)
      const failure = new errorCodes.ALC_ERR_DUPLICATED_ROUTE(String(method), url)
      failure.context = context.path
      throw failure
    }
    if (url === '*') for (const each of [method].flat()) this.#methodsOfAsterisk.add(each)
    this.#declarations.push(declaration)
    context.routes.push(declaration)
  }

  /** Compiles all routes and not-found handlers of the server. All faults are reported together. */
  compile(): void {
    const root = this.#dependencies.root()
    root.updateClasses()
    const settings = this.#compileSettings
    const faults: Error[] = []
    this.notFound.compile(root, settings, collectInto(faults))
    this.#compileDeclared(this.#declarations, settings, faults)
    throwFaults(faults)
    const failed = compileFallbackRoute(root, defaultNotFoundHandler, {}, settings)
    // If a request fails before it is routed, no parser may read its body.
    const parsers = root.parsers.child()
    parsers.removeAll()
    this.#failed = { ...failed, body: { ...failed.body, parsers } }
    this.#logsOfArrival = Object.create(failed.logs, { requestCompleted: { value: () => {} } })
    const { options } = this.#dependencies
    if (options.answerOptions === true || options.methodNotAllowed === true)
      this.#allowed = new AllowedMethods(options, this.#declarations, root, settings)
    this.#compileRouters()
    this.#warnOfBuild(root.missingInBuild)
    this.#warnOfSunsets(root)
  }

  /** Compiles only the routes of some contexts, to find their faults without a boot. All faults are reported together. */
  compileOnly(isIncluded: (context: Context) => boolean, faults: Error[]): void {
    this.#compileDeclared(
      this.#declarations.filter(({ context }) => isIncluded(context)),
      this.#compileSettings,
      faults,
    )
    throwFaults(faults)
  }

  get #compileSettings(): CompileSettings {
    return { ...this.#dependencies.settings, notFoundOf: (context) => this.notFound.routeOf(context.notFound) }
  }

  #compileDeclared(declarations: readonly RouteDeclaration[], settings: CompileSettings, faults: Error[]): void {
    const attempt = collectInto(faults)
    const broken = new Set<string>()
    for (const declaration of declarations) {
      // The HEAD route of a GET route that failed would only report the same fault again.
      if (declaration.isImplicitHead && broken.has(declaration.url)) continue
      const isCompiled = attempt(() => {
        try {
          declaration.compiled = compileRoute(declaration, settings)
        } catch (error) {
          throw addPlace(error, declaration.options)
        }
      })
      if (!isCompiled) broken.add(declaration.url)
    }
  }

  /** Logs the routes whose sunset is over, in one line. Such routes are still served, until the application removes them. */
  #warnOfSunsets({ logger }: Context): void {
    const now = Date.now()
    const over = this.#declarations.flatMap(({ context, options, method, shownUrl, isImplicitHead }) => {
      const sunset = isImplicitHead ? undefined : pastSunset(deprecationOf(context, options), now)
      return sunset === undefined ? [] : `${[method].flat().join(', ')} ${shownUrl} (${sunset})`
    })
    if (over.length > 0) logger.warn(textOfPastSunsets([...new Set(over)]))
  }

  #warnOfBuild(schemas: readonly string[]): void {
    const { writer, warn } = this.#dependencies
    const router = writer.missing
    if (router === undefined && schemas.length === 0) return
    // Options of the router that differ (in parentheses) are the cause, so they come first. Otherwise the routes that the build lacks are
    // the cause: they need further functions of the router.
    const [first, ...others] = router === undefined ? schemas : router.endsWith(')') ? [router, ...schemas] : [...schemas, router]
    const more = others.length === 0 ? '' : ` and ${others.length} more`
    warn(`Not in the build, so compiled here: ${first}${more}. Run alcove build again, with the options of this server.`)
  }

  #compileRouters(): void {
    const { compile, defaultRoute } = this.#dependencies.options.routerOptions ?? {}
    for (const prefix of defaultRoute === undefined ? [] : this.notFound.prefixes)
      this.#dependencies.warn(
        `routerOptions.defaultRoute answers in place of the not-found handler of ${prefix}, which only reply.callNotFound() reaches.`,
      )
    if (compile !== true) return
    this.#router.compile()
    this.notFound.compileRouter()
  }

  lookup(raw: IncomingMessage, response: ServerResponse): void {
    // RFC 9110 §9.3.7: `OPTIONS *` is about the server as a whole. The router would take it for `/`.
    if (raw.url === '*' && !this.#methodsOfAsterisk.has(raw.method!)) return this.#serveAsterisk(raw, response)
    this.#router.lookup(raw, response, this.#onConstraintError(raw, response))
  }

  #onConstraintError(raw: IncomingMessage, response: ServerResponse): ((error: unknown) => void) | undefined {
    if (!this.#router.hasAsyncConstraints) return undefined
    return (error) => {
      if (error instanceof errorCodes.ALC_ERR_HANDLER_TIMEOUT) this.serveFailure(error, raw, response)
      else if (error) this.serveFailure(Object.assign(new errorCodes.ALC_ERR_ASYNC_CONSTRAINT(), { cause: error }), raw, response)
    }
  }

  #serveAsterisk(raw: IncomingMessage, response: ServerResponse): void {
    const route = this.#allowed?.answerToAsterisk(raw.method!)
    if (route === undefined) this.#serveNotFound(raw, response)
    else this.#dependencies.runRequest(route, raw, response, {}, {})
  }

  /** Answers a request if there is no route for its method and path. */
  #serveMissing(raw: IncomingMessage, response: ServerResponse): void {
    const allowed = this.#allowed
    if (allowed === undefined) return this.#serveNotFound(raw, response)
    const { method = '', url = '' } = raw
    this.#router.withConstraints(raw, this.#onConstraintError(raw, response), (constraints) => {
      const answer = allowed.answerTo(method, url, (other) => this.#router.match(other, url, constraints))
      if (answer === undefined) this.#serveNotFound(raw, response)
      else this.#dependencies.runRequest(answer.route, raw, response, answer.params, answer.query)
    })
  }

  #serveNotFound(raw: IncomingMessage, response: ServerResponse): void {
    const found = this.notFound.find(raw.url!)
    const { routerOptions, conventions } = this.#dependencies.options
    // Every path that can be decoded is below the root. Without any route there is nothing to decode paths for.
    const refusesBadPaths = this.#declarations.length > 0 || conventions.refusesBadPathsWithoutRoutes
    if (found === undefined && raw.url !== '*' && refusesBadPaths) return this.#serveBadUrl(raw.url!, raw, response)
    const { defaultRoute } = routerOptions ?? {}
    if (defaultRoute !== undefined) return void assertNotPromise(defaultRoute(raw, response) as unknown, 'routerOptions.defaultRoute')
    const route = found?.route ?? this.notFound.routeOf(this.#dependencies.root().notFound)
    this.#dependencies.runRequest(route, raw, response, found?.params ?? {}, found?.query ?? {})
  }

  #serveBadUrl(path: string, raw: IncomingMessage, response: ServerResponse): void {
    const { onBadUrl } = this.#dependencies.options.routerOptions ?? {}
    if (onBadUrl !== undefined) return void assertNotPromise(onBadUrl(path, raw, response) as unknown, 'routerOptions.onBadUrl')
    this.serveFailure(new errorCodes.ALC_ERR_BAD_URL(path), raw, response)
  }

  #serveLongParameter(path: string, raw: IncomingMessage, response: ServerResponse): void {
    const { frameworkErrors, routerOptions, conventions } = this.#dependencies.options
    const answer = routerOptions?.onMaxParamLength
    if (answer !== undefined) return void assertNotPromise(answer(path, raw, response) as unknown, 'routerOptions.onMaxParamLength')
    if (frameworkErrors === undefined && !conventions.refusesLongParameters) return this.#serveNotFound(raw, response)
    this.serveFailure(new errorCodes.ALC_ERR_MAX_PARAM_LENGTH(path), raw, response)
  }

  /** Answers a request that fails before a route is found, with the error handlers of the root context. */
  serveFailure(fault: Error, raw: IncomingMessage, response: ServerResponse): void {
    const { frameworkErrors, conventions } = this.#dependencies.options
    const error = conventions.presentError(fault) as Error
    const handler: RouteHandler<any> =
      frameworkErrors === undefined
        ? () => {
            throw error
          }
        : (request, reply) => frameworkErrors(error, request, reply)
    const logs = frameworkErrors === undefined || conventions.logsFrameworkErrorsToTheEnd ? this.#failed.logs : this.#logsOfArrival
    this.#dependencies.runRequest({ ...this.#failed, handler, logs }, raw, response, {}, {})
  }

  /** Whether a route would answer a method and a URL, or was declared with this path. */
  has(method: string, url: string, constraints: object | undefined): boolean {
    if (this.#router.match(method, url, constraints) !== null) return true
    try {
      return this.#router.declared(method, url, constraints ?? {}) !== null
    } catch {
      return false // A path that no route can have, such as one with an open parenthesis.
    }
  }

  find(method: string, url: string, constraints: object | undefined): object | null {
    const route = this.#router.match(method, url, constraints)
    return route === null ? null : { handler: route.handler, params: route.params, searchParams: route.searchParams }
  }

  print(options: PrintRoutesOptions): string {
    const names = hookNames.filter((name) => name !== 'onClose')
    const includeMeta = options.includeHooks
      ? [...names, ...(Array.isArray(options.includeMeta) ? options.includeMeta : [])]
      : options.includeMeta
    return this.#router.print({ ...options, ...(includeMeta !== undefined && { includeMeta }) })
  }

  addConstraintStrategy(strategy: ConstraintStrategy): void {
    this.#router.addConstraintStrategy(strategy)
  }
  hasConstraintStrategy(name: string): boolean {
    return this.#router.hasConstraintStrategy(name)
  }
}

/**
 * Returns the paths, relative to the prefix, that a route answers. For the route `/` below the prefix `/users` they are `''` (`/users`),
 * `/` (`/users/`) or both.
 */
function pathVariants(path: string, prefix: string, options: DeclaredOptions, settings: ServerOptions): string[] {
  if (path === '/' && prefix !== '' && options.method !== 'HEAD') {
    if (options.prefixTrailingSlash === 'slash') return [path]
    if (options.prefixTrailingSlash === 'no-slash') return ['']
    const isSame = settings.ignoreTrailingSlash === true || (settings.ignoreDuplicateSlashes === true && prefix.endsWith('/'))
    return isSame ? [''] : ['', path]
  }
  return path.startsWith('/') && prefix.endsWith('/') ? [path.slice(1)] : [path]
}

function withoutBody({ body: _body, ...schema }: Record<string, unknown>): Record<string, unknown> {
  return schema
}

function describeForPrint({ options, compiled }: RouteDeclaration): Record<string, unknown> {
  return {
    ...compiled,
    errorHandler: compiled && `${compiled.errorHandler.handle.name.replace('bound ', '') || 'anonymous'}()`,
    logLevel: options.logLevel,
    logSerializers: options.logSerializers,
  }
}
