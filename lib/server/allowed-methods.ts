/**
 * The replies to requests for a path that has routes, but no route for the method: 405, or 204 for OPTIONS, with the allowed methods in the
 * header `Allow` (RFC 9110 §9.3.7, §10.2.1, §15.5.6).
 */
import type { Context } from '../context/context.js'
import { errorCodes } from '../errors/codes.js'
import { compileFallbackRoute, type CompileSettings, type RouteDeclaration } from '../route/compile.js'
import type { CompiledRoute } from '../route/compiled-route.js'
import type { ServerOptions } from '../types/options.js'
import type { RouteHandler } from '../types/route.js'
import { describeDocs } from './describe/docs.js'

/** The route that answers the request, the parameters of the path and the parameters of the query string. */
interface Answer {
  readonly route: CompiledRoute
  readonly params: object
  readonly query: object
}

/** A function that finds the route which would answer the request if it had another method. */
type FindRoute = (method: string) => { store: RouteDeclaration; params: object; searchParams: object } | null

export class AllowedMethods {
  readonly #answersOptions: boolean
  readonly #refuses: boolean
  /** The methods of all routes that are not hidden, in the order of their declarations. */
  readonly #methods = new Set<string>()
  /**
   * For each route that is not hidden, a route that gives the answer 405 or 204 in its place. This substitute runs the onRequest hooks of
   * the route, so that a guard refuses the same clients, but reads no body and calls no later hook, because later hooks may rely on the
   * validation of the request.
   */
  readonly #substitutes = new Map<RouteDeclaration, CompiledRoute>()
  readonly #ofServer: CompiledRoute

  constructor(options: ServerOptions, declarations: readonly RouteDeclaration[], root: Context, settings: CompileSettings) {
    this.#answersOptions = options.answerOptions === true
    this.#refuses = options.methodNotAllowed === true
    for (const declaration of declarations) {
      const { context, options: own, method } = declaration
      if (describeDocs(context, own).hide === true) continue
      for (const each of [method].flat()) this.#methods.add(each)
      this.#substitutes.set(declaration, substituteOf(context, { onRequest: own.onRequest, config: own.config }, settings))
    }
    this.#ofServer = substituteOf(root, {}, settings)
  }

  /**
   * The methods for which routes are searched if a request has no route. Empty if the server treats a request with this method like a
   * request for an unknown path.
   */
  methodsFor(method: string): Iterable<string> {
    return (method === 'OPTIONS' && this.#answersOptions) || this.#refuses ? this.#methods : []
  }

  /** Returns the answer to a request without a route; `undefined` if its path has no routes that clients may know about. */
  answerTo(method: string, url: string, find: FindRoute): Answer | undefined {
    const allowed: string[] = []
    let first: ReturnType<FindRoute> = null
    for (const each of this.methodsFor(method)) {
      const found = find(each)
      if (found === null || !this.#substitutes.has(found.store)) continue
      first ??= found
      allowed.push(each)
    }
    if (first === null) return undefined
    const route = { ...this.#substitutes.get(first.store)!, handler: this.#handler(method, url, allowed) }
    return { route, params: first.params, query: first.searchParams }
  }

  /**
   * Returns the route that answers `OPTIONS *`, a request about the server as a whole; `undefined` if the server does not answer this
   * request.
   */
  answerToAsterisk(method: string): CompiledRoute | undefined {
    if (method !== 'OPTIONS' || !this.#answersOptions) return undefined
    return { ...this.#ofServer, handler: this.#handler(method, '*', [...this.#methods]) }
  }

  #handler(method: string, url: string, methods: readonly string[]): RouteHandler<any> {
    const allow = (this.#answersOptions && !methods.includes('OPTIONS') ? [...methods, 'OPTIONS'] : methods).join(', ')
    const answersOptions = method === 'OPTIONS' && this.#answersOptions
    return (_request, reply) => {
      reply.header('allow', allow)
      if (!answersOptions) throw new errorCodes.ALC_ERR_METHOD_NOT_ALLOWED(method, url, allow)
      reply.code(204).send()
    }
  }
}

function substituteOf(context: Context, options: Parameters<typeof compileFallbackRoute>[2], settings: CompileSettings): CompiledRoute {
  const route = compileFallbackRoute(context, () => undefined, options, settings)
  const onlyOnRequest = { ...route, preParsing: null, preValidation: null, preHandler: null, info: { ...route.info, method: [] } }
  // A guard that hides the route by `callNotFound` gets the answer that unknown paths have.
  return { ...route, notFound: settings.notFoundOf(context), stages: settings.stagesOf(onlyOnRequest) }
}
