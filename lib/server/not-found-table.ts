/** The not-found handlers of a server, by the prefix of the context that set the handler. */
import type { Context, NotFoundLevel, NotFoundOptions } from '../context/context.js'
import { errorCodes } from '../errors/codes.js'
import { defaultNotFoundHandler } from '../lifecycle/failing/default-error-handler.js'
import { assertRouteHooks } from '../route/check-options.js'
import { compileFallbackRoute, type CompileSettings } from '../route/compile.js'
import type { CompiledRoute } from '../route/compiled-route.js'
import { withoutParameterNames } from '../route/path-parameters.js'
import { PrefixTable, type RouterSettings } from '../route/router.js'
import type { RouteHandler } from '../types/route.js'

type Options = Pick<RouterSettings, 'caseSensitive' | 'ignoreDuplicateSlashes' | 'useSemicolonDelimiter' | 'querystringParser' | 'writer'>

export class NotFoundTable {
  readonly #options: Options
  /** The levels (prefixes of contexts) for which a not-found handler was set. */
  readonly #set: NotFoundLevel[] = []
  readonly #routes = new Map<NotFoundLevel, CompiledRoute>()
  readonly #byPrefix: PrefixTable<NotFoundLevel>
  /** The levels (prefixes of contexts) that are in `#byPrefix`, by the shape of their prefix (see `#shapeOf`). */
  readonly #byShape = new Map<string, NotFoundLevel>()

  constructor(options: Options) {
    this.#options = options
    this.#byPrefix = new PrefixTable(options)
  }

  /** The prefixes for which a not-found handler was set. */
  get prefixes(): readonly string[] {
    return this.#set.map(({ prefix }) => prefix)
  }

  /**
   * Sets the not-found handler for the prefix of a context.
   * @throws ALC_ERR_NOT_FOUND_HANDLER_PRESENT, ALC_ERR_NOT_FOUND_HANDLER_NOT_FN, ALC_ERR_HOOK_INVALID_HANDLER,
   * ALC_ERR_HOOK_INVALID_ASYNC_HANDLER
   */
  set(context: Context, options: NotFoundOptions, handler: RouteHandler<any> | undefined): void {
    const level = context.notFound
    if (level.own?.handler !== undefined) throw new errorCodes.ALC_ERR_NOT_FOUND_HANDLER_PRESENT(level.prefix)
    if (handler !== undefined && typeof handler !== 'function')
      throw new errorCodes.ALC_ERR_NOT_FOUND_HANDLER_NOT_FN(level.prefix, typeof handler)
    assertRouteHooks(options, context.options.conventions)
    level.own = { context, handler, options }
    if (!this.#set.includes(level)) this.#set.push(level)
  }

  /** Compiles the not-found handlers of all prefixes. @param attempt runs a step, and collects its error as a fault of the boot */
  compile(root: Context, settings: CompileSettings, attempt: (step: () => void) => boolean): void {
    // The root comes last: without a handler the root leaves unknown paths to a plugin with the prefix `/`.
    const levels = [...new Set([...this.#set, root.notFound])]
    const compiled = levels.filter((level) => attempt(() => this.#compileLevel(level, root, settings)))
    if (compiled.length === levels.length) this.#addErrorFormats(root)
  }

  /**
   * Compiles the not-found handler of a prefix, and adds it to `#byPrefix`.
   * @throws ALC_ERR_NOT_FOUND_HANDLER_PRESENT if another context has set a handler for the same prefix
   */
  #compileLevel(level: NotFoundLevel, root: Context, settings: CompileSettings): void {
    const shape = this.#shapeOf(level.prefix)
    const other = this.#byShape.get(shape)
    const { context, handler = defaultNotFoundHandler, options } = level.own ?? { context: root, handler: undefined, options: {} }
    const { path } = context
    this.#routes.set(level, compileFallbackRoute(context, handler, options, settings))
    if (other?.own !== undefined && level.own !== undefined) {
      const failure = new errorCodes.ALC_ERR_NOT_FOUND_HANDLER_PRESENT(level.prefix, path, other.own.context.path, other.prefix)
      throw Object.assign(failure, { context: path })
    }
    if (other !== undefined) return
    this.#byShape.set(shape, level)
    try {
      this.#byPrefix.add(level.prefix, level)
    } catch (error) {
      // The router refuses the path.
      ;(error as Error).message += ` (in the prefix '${level.prefix}' of ${path}, which has a not-found handler)`
      throw Object.assign(error as Error, { context: path })
    }
  }

  /** Returns the shape of a prefix: a text that is equal for prefixes which match the same paths, such as `/:a` and `/:b`. */
  #shapeOf(prefix: string): string {
    const { caseSensitive, ignoreDuplicateSlashes } = this.#options
    const path = withoutParameterNames(ignoreDuplicateSlashes ? prefix.replace(/\/+/g, '/') : prefix).replace(/\/$/, '')
    return caseSensitive ? path : path.toLowerCase()
  }

  /**
   * Makes unknown paths below a context's prefix be answered in the context's format of errors, if no not-found handler was set for that
   * prefix. The handler and the hooks for such a path remain those of the nearest ancestor that has set a handler.
   */
  #addErrorFormats(context: Context): void {
    const { notFound: level, errorFormat } = context
    const inherited = this.routeOf(level)
    const shape = this.#shapeOf(level.prefix)
    // Of several contexts with one prefix, one answers.
    if (level !== context.parent?.notFound && inherited.errorFormat !== errorFormat && !this.#byShape.has(shape)) {
      this.#byShape.set(shape, level)
      this.#routes.set(level, { ...inherited, errorFormat })
      this.#byPrefix.add(level.prefix, level)
    }
    for (const child of context.children) this.#addErrorFormats(child)
  }

  /** Compiles the table of prefixes into functions, so that finding a prefix needs no walk through a tree. */
  compileRouter(): void {
    this.#byPrefix.compile()
  }

  /**
   * Returns the route that answers unknown paths of a level (the prefix of a context): its own route, or the route of the nearest level
   * above it. (The root has no route only if the boot fails.)
   */
  routeOf(level: NotFoundLevel): CompiledRoute {
    const route = this.#routes.get(level)
    return route === undefined && level.parent !== undefined ? this.routeOf(level.parent) : route!
  }

  /** Finds the not-found route for a URL, and the parameters in its path. Returns `undefined` if the URL cannot be decoded. */
  find(url: string): { route: CompiledRoute; params: object; query: object } | undefined {
    const found = this.#byPrefix.find(url)
    return found && { route: this.#routes.get(found.value)!, params: found.params, query: found.query }
  }
}
