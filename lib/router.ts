/**
 * Routing (find-my-way, the only file that knows it): which compiled route answers a method and a URL.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import findMyWay from 'find-my-way'
import type { ConstraintStrategy, PrintRoutesOptions } from './contract.js'

export const httpMethods = [
  'DELETE',
  'GET',
  'HEAD',
  'PATCH',
  'POST',
  'PUT',
  'OPTIONS',
  'PROPFIND',
  'PROPPATCH',
  'MKCOL',
  'COPY',
  'MOVE',
  'LOCK',
  'UNLOCK',
  'TRACE',
  'SEARCH',
] as const

export interface RouterOptions {
  constraints: Record<string, ConstraintStrategy> | undefined
  ignoreTrailingSlash: boolean
  ignoreDuplicateSlashes: boolean
  maxParamLength: number
  caseSensitive: boolean
  allowUnsafeRegex: boolean
  useSemicolonDelimiter: boolean
  querystringParser: ((query: string) => any) | undefined
  /** What `printRoutes` may tell of a route. */
  describe: (store: any) => Record<string, unknown>
}

type Serve<Store> = (request: IncomingMessage, response: ServerResponse, params: any, store: Store, query: any) => void

/** The table of routes. `Store` is what a route is found as. */
export class Router<Store> {
  readonly #router: any
  readonly #serve: Serve<Store>

  /**
   * @param serve called with the route that was found
   * @param onMissing called where no route matches
   * @param onBadUrl called where the path cannot be decoded
   */
  constructor(
    { describe, ...options }: RouterOptions,
    serve: Serve<Store>,
    onMissing: (request: IncomingMessage, response: ServerResponse) => void,
    onBadUrl: (path: string, request: IncomingMessage, response: ServerResponse) => void,
  ) {
    this.#serve = serve
    this.#router = findMyWay({
      ...options,
      defaultRoute: onMissing,
      onBadUrl,
      buildPrettyMeta: (route: any) => describe(route.store),
    } as any)
    dropPrototypes(this.#router)
  }

  add(method: string | readonly string[], url: string, constraints: object, store: Store): void {
    this.#router.on(method, url, { constraints }, this.#serve, store)
  }

  remove(method: string, url: string, constraints: object): void {
    this.#router.off(method, url, constraints)
  }

  /** The route declared with exactly this method, path and constraints. */
  declared(method: string, url: string, constraints: object): { store: Store; params: string[] } | null {
    return this.#router.findRoute(method, url, constraints)
  }

  /** The route that would answer a URL. */
  match(
    method: string,
    url: string,
    constraints: object | undefined,
  ): { handler: unknown; store: Store; params: any; searchParams: any } | null {
    return this.#router.find(method, url, constraints)
  }

  /** @param onError for constraint strategies that work asynchronously */
  lookup(request: IncomingMessage, response: ServerResponse, onError?: (error: unknown) => void): void {
    this.#router.lookup(request, response, onError)
  }

  get hasAsyncConstraints(): boolean {
    return this.#router.constrainer.asyncStrategiesInUse.size > 0
  }

  addConstraintStrategy(strategy: ConstraintStrategy): void {
    this.#router.addConstraintStrategy(strategy)
  }

  hasConstraintStrategy(name: string): boolean {
    return this.#router.hasConstraintStrategy(name)
  }

  print(options: PrintRoutesOptions): string {
    return this.#router.prettyPrint(options)
  }
}

/**
 * Queries without a `__proto__`: they inherit nothing, so that it is a value among others, until somebody copies it to an object
 * whose prototype it then becomes.
 */
function dropPrototypes(router: { querystringParser: (query: string) => any }): void {
  const parse = router.querystringParser
  router.querystringParser = (text) => {
    const query = parse(text)
    if (query !== null && typeof query === 'object' && Object.hasOwn(query, '__proto__')) delete query['__proto__']
    return query
  }
}

/** A table from path prefixes to what answers below them, the longest prefix first. Prefixes may hold parameters. */
export class PrefixTable<Value> {
  readonly #router: any

  /** @param options those by which routes are found as well: the same URL must not mean something else here */
  constructor({
    caseSensitive,
    ignoreDuplicateSlashes,
    useSemicolonDelimiter,
    querystringParser,
  }: Pick<RouterOptions, 'caseSensitive' | 'ignoreDuplicateSlashes' | 'useSemicolonDelimiter' | 'querystringParser'>) {
    const options = { caseSensitive, ignoreDuplicateSlashes, useSemicolonDelimiter, querystringParser, maxParamLength: 16_384 }
    this.#router = findMyWay(options as any)
    dropPrototypes(this.#router)
  }

  add(prefix: string, value: Value): void {
    const base = prefix.endsWith('/') ? prefix.slice(0, -1) : prefix
    this.#router.on('GET', `${base}/*`, () => {}, value)
    this.#router.on('GET', base === '' ? '/' : base, () => {}, value)
  }

  find(url: string): { value: Value; params: Record<string, string | undefined>; query: Record<string, string> } | undefined {
    const found = this.#router.find('GET', url)
    return found === null ? undefined : { value: found.store as Value, params: found.params, query: found.searchParams }
  }
}
