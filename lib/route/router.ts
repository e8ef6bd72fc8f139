/**
 * Routing: finds the route that answers a method and a URL. Only this file uses find-my-way.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import findMyWay from 'find-my-way'
import { BuildRecording } from '../build/build-recording.js'
import { type BuildSource, canGenerateCode } from '../build/prebuilt.js'
import { errorCodes } from '../errors/codes.js'
import { Deadline, type Deadlines } from '../http/deadline.js'
import type { ServerOptions } from '../types/options.js'
import type { ConstraintStrategy, PrintRoutesOptions } from '../types/route.js'
import { assertNotPromise, isAsyncFunction } from '../util/promises.js'
import { deleteProtoKey } from '../util/delete-proto-key.js'

export interface RouterSettings {
  constraints: Record<string, ConstraintStrategy> | undefined
  ignoreTrailingSlash: boolean
  ignoreDuplicateSlashes: boolean
  maxParamLength: number
  caseSensitive: boolean
  allowUnsafeRegex: boolean
  useSemicolonDelimiter: boolean
  querystringParser: ((query: string) => any) | undefined
  /** Returns the properties of a route that `printRoutes` shows. */
  describe: (route: { method: string; path: string; store: any }) => Record<string | symbol, unknown>
  writer: FunctionWriter
  /** The queue of the deadlines of asynchronous constraint strategies; `undefined`: there is no limit. */
  deadlines: Deadlines | undefined
}

/**
 * Creates a router of find-my-way. The function is typed as `any`, because the library's types lack `buildPrettyMeta`, its own stores and
 * the fields that are set below.
 */
const createRouter: (options: any) => any = findMyWay

type Generated = (...parameters: any[]) => any

/** The global `Function`, which {@link withWriter} replaces while its step runs. */
const Compiler = globalThis.Function

/**
 * A supplier of the functions whose code find-my-way generates. The functions are recorded for a build, taken from a build, or compiled.
 */
export class FunctionWriter {
  readonly #prebuilt: ServerOptions['prebuilt']
  readonly #build: BuildSource | undefined
  /** Whether a function was compiled that the build lacks. */
  #hasCompiled = false

  /**
   * Makes a writer.
   * @param build the build that the server uses; `undefined` if there is none, or if it was made with other versions or options
   */
  constructor(prebuilt: ServerOptions['prebuilt'], build: BuildSource | undefined) {
    this.#prebuilt = prebuilt
    this.#build = build
  }

  /** Whether find-my-way must ask this writer for its functions; if not, find-my-way may compile its code itself. */
  get isNeeded(): boolean {
    return this.#prebuilt instanceof BuildRecording || this.#build !== undefined || !canGenerateCode()
  }

  /**
   * Returns a function with these parameters and this code.
   * @throws ALC_ERR_BUILD_MISSING if the code must be compiled, and this process generates none
   */
  write(parameters: readonly string[], body: string): Generated {
    if (this.#prebuilt instanceof BuildRecording) this.#prebuilt.addFunction(parameters, body)
    const built = this.#build?.routerFunction(parameters, body)
    if (built !== undefined) return built
    this.#hasCompiled = true
    if (canGenerateCode()) return Reflect.construct(Compiler, [...parameters, body]) as Generated
    throw new errorCodes.ALC_ERR_BUILD_MISSING(
      this.missing === undefined ? 'the server has no build that it can use' : `its build lacks ${this.missing}`,
    )
  }

  /**
   * A text that names the functions which were compiled although there is a build, with the options that differ; `undefined` if the build
   * has all functions.
   */
  get missing(): string | undefined {
    if (this.#build === undefined || !this.#hasCompiled) return undefined
    const { routerDifferences } = this.#build
    return `functions of the router${routerDifferences.length === 0 ? '' : ` (${routerDifferences.join(', ')})`}`
  }
}

/**
 * Runs a step of find-my-way, during which `new Function` asks the writer for the function. The library has no option to replace its
 * generated functions. These functions are small closures over constants, so that a build can contain them.
 */
function withWriter<Result>(writer: FunctionWriter, step: () => Result): Result {
  if (!writer.isNeeded) return step()
  const Writer = function (this: unknown, ...texts: string[]): Generated {
    return writer.write(texts.slice(0, -1), texts.at(-1)!)
  }
  Writer.prototype = Compiler.prototype
  globalThis.Function = Writer as unknown as FunctionConstructor // It is called as one, but has none of its static members.
  try {
    return step()
  } finally {
    globalThis.Function = Compiler
  }
}

type Serve<Store> = (request: IncomingMessage, response: ServerResponse, params: any, store: Store, query: any) => void

/** The functions that answer requests for which there is no route. */
export interface Unrouted {
  /** Answers a request that no route matches. */
  onMissing: (request: IncomingMessage, response: ServerResponse) => void
  /** Answers a request whose path cannot be decoded. */
  onBadUrl: (path: string, request: IncomingMessage, response: ServerResponse) => void
  /** Answers a request that no route matches because a parameter is too long. */
  onLongParameter: (path: string, request: IncomingMessage, response: ServerResponse) => void
}

/** The table of routes. `Store` is the type of the values that are stored for the routes. */
export class Router<Store> {
  readonly #router: any
  readonly #serve: Serve<Store>
  readonly #writer: FunctionWriter
  readonly #deadlines: Deadlines | undefined

  /**
   * Makes a router without routes.
   * @param serve called with the route that was found
   */
  constructor(
    { describe, writer, deadlines, ...options }: RouterSettings,
    serve: Serve<Store>,
    { onMissing, onBadUrl, onLongParameter }: Unrouted,
  ) {
    const prepared = Object.entries(options.constraints ?? {}).map(([name, strategy]) => [name, prepareStrategy(strategy, deadlines)])
    this.#deadlines = deadlines
    this.#serve = serve
    this.#writer = writer
    this.#router = withWriter(writer, () =>
      createRouter({
        ...options,
        constraints: Object.fromEntries(prepared),
        defaultRoute: onMissing,
        onBadUrl,
        onMaxParamLength: onLongParameter,
        buildPrettyMeta: describe,
      }),
    )
    guardQueryParser(this.#router)
  }

  add(method: string | readonly string[], url: string, constraints: object, store: Store): void {
    withWriter(this.#writer, () => this.#router.on(method, url, { constraints }, this.#serve, store))
  }

  remove(method: string, url: string, constraints: object): void {
    withWriter(this.#writer, () => this.#router.off(method, url, constraints))
  }

  /** Returns the route that was declared with exactly this method, path and constraints. */
  declared(method: string, url: string, constraints: object): { store: Store; params: string[] } | null {
    return this.#router.findRoute(method, url, constraints)
  }

  /** Returns the route that would answer a URL. */
  match(
    method: string,
    url: string,
    constraints: object | undefined,
  ): { handler: unknown; store: Store; params: any; searchParams: any } | null {
    const found = this.#router.find(method, url, constraints)
    // The handler that answers an invalid URL has no store.
    return found?.store == null ? null : found
  }

  /**
   * Finds the route of a request and serves the request.
   * @param onError called when asynchronous constraint strategies are done, with their error if they failed
   */
  lookup(request: IncomingMessage, response: ServerResponse, onError?: (error: unknown) => void): void {
    this.#router.lookup(request, response, onError)
  }

  /**
   * Calls `use` with the values of the request for the constraints of routes; with `undefined` if no route has constraints.
   * @param onError called if an asynchronous constraint strategy fails
   */
  withConstraints(
    request: IncomingMessage,
    onError: ((error: unknown) => void) | undefined,
    use: (constraints: object | undefined) => void,
  ): void {
    const { constrainer } = this.#router
    if (onError === undefined) return use(constrainer.deriveConstraints(request))
    constrainer.deriveConstraints(request, undefined, (error: unknown, constraints: object | undefined) => {
      if (error) onError(error)
      else use(constraints)
    })
  }

  /** Compiles the routes that were added into functions, so that finding a route needs no walk through a tree. */
  compile(): void {
    withWriter(this.#writer, () => this.#router.compile())
  }

  get hasAsyncConstraints(): boolean {
    return this.#router.constrainer.asyncStrategiesInUse.size > 0
  }

  addConstraintStrategy(strategy: ConstraintStrategy): void {
    const prepared = prepareStrategy(strategy, this.#deadlines)
    withWriter(this.#writer, () => this.#router.addConstraintStrategy(prepared))
  }

  hasConstraintStrategy(name: string): boolean {
    return this.#router.hasConstraintStrategy(name)
  }

  print(options: PrintRoutesOptions): string {
    return this.#router.prettyPrint(options)
  }
}

/**
 * Checks a constraint strategy. Of an asynchronous strategy only the first result counts, and it must come within `handlerTimeout`: if a
 * strategy never called `done`, the request would never be answered.
 * @throws TypeError if the strategy is an async function without `done`, because find-my-way would not await its promise
 */
function prepareStrategy(strategy: ConstraintStrategy, deadlines: Deadlines | undefined): ConstraintStrategy {
  const derive: unknown = strategy?.deriveConstraint
  if (typeof derive !== 'function') return strategy
  if (isAsyncFunction(derive) && derive.length < 3)
    throw new TypeError(`deriveConstraint of '${strategy.name}' must not be an async function; it can take a callback, done, instead`)
  if (derive.length !== 3)
    return withDerive(strategy, function deriveConstraint(this: unknown, request: IncomingMessage, context: unknown): unknown {
      return assertNotPromise((derive as Generated).call(this, request, context), `deriveConstraint of '${strategy.name}'`)
    })
  function deriveConstraint(
    this: unknown,
    request: IncomingMessage,
    context: unknown,
    done: (error: unknown, value?: unknown) => void,
  ): void {
    let isOver = false
    const complete = (error: unknown, value?: unknown): void => {
      if (isOver) return
      isOver = true
      deadline.cancel()
      done(error, value)
    }
    const fail = (error: unknown): void => complete(error ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR())
    const late = (): void => fail(new errorCodes.ALC_ERR_HANDLER_TIMEOUT(deadlines!.span, `constraint '${strategy.name}'`))
    const deadline = new Deadline(undefined, late)
    deadlines?.add(deadline)
    try {
      const result = (derive as Generated).call(this, request, context, complete)
      if (typeof result?.then === 'function') result.then(undefined, fail)
    } catch (error) {
      fail(error)
    }
  }
  return withDerive(strategy, deriveConstraint)
}

function withDerive(strategy: ConstraintStrategy, deriveConstraint: unknown): ConstraintStrategy {
  return Object.create(strategy, { deriveConstraint: { value: deriveConstraint } }) as ConstraintStrategy
}

function guardQueryParser(router: { querystringParser: (query: string) => any }): void {
  const parse = router.querystringParser
  router.querystringParser = (text) => deleteProtoKey(assertNotPromise(parse(text), 'querystringParser'))
}

/** A table of values by path prefix. For a URL, the value of the longest matching prefix is found. Prefixes may contain parameters. */
export class PrefixTable<Value> {
  readonly #router: any
  readonly #writer: FunctionWriter

  /** Makes an empty table. @param options the options of the router for routes, so that both routers read a URL in the same way */
  constructor({
    caseSensitive,
    ignoreDuplicateSlashes,
    useSemicolonDelimiter,
    querystringParser,
    writer,
  }: Pick<RouterSettings, 'caseSensitive' | 'ignoreDuplicateSlashes' | 'useSemicolonDelimiter' | 'querystringParser' | 'writer'>) {
    this.#writer = writer
    const options = { caseSensitive, ignoreDuplicateSlashes, useSemicolonDelimiter, querystringParser, maxParamLength: 16_384 }
    this.#router = withWriter(writer, () => createRouter(options))
    guardQueryParser(this.#router)
  }

  add(prefix: string, value: Value): void {
    const base = prefix.endsWith('/') ? prefix.slice(0, -1) : prefix
    withWriter(this.#writer, () => {
      this.#router.on('GET', `${base}/*`, () => {}, value)
      this.#router.on('GET', base === '' ? '/' : base, () => {}, value)
    })
  }

  compile(): void {
    withWriter(this.#writer, () => this.#router.compile())
  }

  find(url: string): { value: Value; params: Record<string, string | undefined>; query: Record<string, string> } | undefined {
    const found = this.#router.find('GET', url)
    return found === null ? undefined : { value: found.store as Value, params: found.params, query: found.searchParams }
  }
}
