/** Reads the facts that the description of a route is made from. */
import type { Context, ErrorHandlerLink } from '../../context/context.js'
import { contractOf } from '../../context/contract.js'
import type { DeclaredOptions, DeclaredRoute } from '../../context/declared-route.js'
import { type HookFunction, lifecycleHookNames } from '../../context/hooks.js'
import { normalizeRouteSchema } from '../../route/compile-schemas.js'
import type { NormalSchema } from '../../schema/normalize.js'
import type { Contract, HandlerDescription, HookDescription } from '../../types/description.js'
import { kPlace } from '../../util/symbols.js'
import { nameOf } from './names.js'

/** A contract that holds for a route, and the path of the hook, error handler or plugin that declares it. */
export interface HeldContract {
  readonly from: string
  readonly contract: Contract
}

/** An error handler or not-found handler that may answer instead of the framework. Its replies are known only if it has a contract. */
export interface AnsweringHandler {
  /** The path of the handler: `App > Api > ApiErrors.errorHandler`. */
  readonly from: string
  readonly contract: Contract | undefined
}

/** A hook of a route, its function and its contract. An `around` hook is a part of the handler, so it has no function here. */
type HeldHook = HookDescription & { readonly run?: HookFunction; readonly contract: Contract | undefined }

/** A route, with all the facts that its description is made from. */
export interface RouteFacts {
  readonly context: Context
  readonly declared: DeclaredRoute
  readonly methods: readonly string[]
  /** The schemas of the route in their normal form. Absent without schemas. */
  readonly normal: NormalSchema | undefined
  readonly place: string
  /** The path by which faults and descriptions name the route: `App > Api > Users.find`, `Api > GET /users`. */
  readonly path: string
  readonly hooks: readonly HeldHook[]
  /** The contracts of the contexts and hooks that cover the route, outermost first. */
  readonly contracts: readonly HeldContract[]
  /** The error handlers of the route, nearest first. Without a contract it is not known what an error handler answers. */
  readonly errorHandlers: readonly (HandlerDescription & { readonly contract: Contract | undefined })[]
}

export function readFacts(context: Context, declared: DeclaredRoute): RouteFacts {
  const { method, url, options } = declared
  const { schema } = options
  // A plugin may have written the name of the route into `config.route`.
  const { route }: { route?: unknown } = options.config ?? {}
  const place = options[kPlace]?.path ?? (typeof route === 'string' ? route : nameOf(options.handler))
  const path = options[kPlace]?.path ?? `${context.path} > ${[method].flat().join(', ')} ${url}`
  const normal = schema == null ? undefined : normalizeRouteSchema({ context, options, method, url }, schema)
  const hooks = hooksOf(context, options, place)
  const ofHooks = hooks.flatMap(({ contract, ...hook }) => (contract === undefined ? [] : { from: pathOf(hook, path), contract }))
  return {
    context,
    declared,
    methods: [method].flat(),
    normal,
    place,
    path,
    hooks,
    contracts: uniqueContracts([...contextContracts(context), ...ofHooks]),
    errorHandlers: errorHandlersOf(context, options),
  }
}

/** Returns the path of a hook or handler of a route: `App > Api > Guard.onRequest`. */
function pathOf({ name, from }: HandlerDescription, routePath: string): string {
  return `${from === 'route' ? routePath : from} > ${name}`
}

/** Returns the error handlers of a route with their paths and contracts, nearest first. */
export function answeringHandlers({ errorHandlers, path }: RouteFacts): AnsweringHandler[] {
  return errorHandlers.map(({ contract, ...handler }) => ({ from: pathOf(handler, path), contract }))
}

/** Removes repeated contracts: a class with several hooks has one contract for all of them. */
function uniqueContracts(contracts: readonly HeldContract[]): HeldContract[] {
  return contracts.filter(({ from, contract }, index) => {
    const owner = withoutMember(from)
    return contracts.findIndex((other) => other.contract === contract && withoutMember(other.from) === owner) === index
  })
}

function withoutMember(path: string): string {
  return path.replace(/\.\w+$/, '')
}

function contextContracts(context: Context): HeldContract[] {
  return [...(context.parent === undefined ? [] : contextContracts(context.parent)), ...context.contracts]
}

function hooksOf(context: Context, options: DeclaredOptions, place: string): HeldHook[] {
  return lifecycleHookNames.flatMap((hook): HeldHook[] => {
    const held = (run: HookFunction, from: string): HeldHook => ({ hook, name: nameOf(run), from, run, contract: contractOf(run) })
    const ofContext = context.hooks[hook].map(({ run, from }) => held(run, from.path))
    const own = [options[hook] ?? []].flat().map((run: HookFunction) => held(run, 'route'))
    const arounds = hook === 'preHandler' ? (options[kPlace]?.arounds ?? []) : []
    return [
      ...ofContext,
      ...own,
      ...arounds.map(({ name, from, contract }) => ({ hook: 'around' as const, name, from: from === place ? 'route' : from, contract })),
    ]
  })
}

function errorHandlersOf(context: Context, { errorHandler: own }: DeclaredOptions): RouteFacts['errorHandlers'] {
  const ofRoute = own === undefined ? [] : [{ name: nameOf(own), from: 'route', contract: contractOf(own) }]
  return [...ofRoute, ...errorHandlersIn(context)]
}

/** Returns the error handlers of a context and its ancestors, nearest first. */
export function errorHandlersIn(context: Context): RouteFacts['errorHandlers'] {
  const found: RouteFacts['errorHandlers'][number][] = []
  for (let at: ErrorHandlerLink | undefined = context.errorHandler; at?.from !== undefined; at = at.next)
    found.push({ name: nameOf(at.handle), from: at.from.path, contract: at.contract })
  return found
}

/** Whether the body of a request with one of the route's methods is read. */
export function readsBody({ context, methods }: Pick<RouteFacts, 'context' | 'methods'>): boolean {
  return methodsWithoutBody({ context, methods }).length < methods.length
}

/** Returns the methods of a route whose bodies are not read. */
export function methodsWithoutBody({ context, methods }: Pick<RouteFacts, 'context' | 'methods'>): readonly string[] {
  return methods.filter((method) => (context.methods.bodyReadings[method] ?? 'never') === 'never')
}

/** Returns the ms until the headers of a route's reply must be written; 0: no limit. */
export function handlerTimeoutOf({ context, declared }: RouteFacts): number {
  return declared.options.handlerTimeout ?? context.options.handlerTimeout ?? 0
}

export function rootContext(context: Context): Context {
  return context.parent === undefined ? context : rootContext(context.parent)
}
