/** Reads the facts from which the description of a route is made. */
import type { Context, ErrorHandlerLink } from '../../context/context.js'
import { declaredRepliesOf } from '../../context/declared-replies.js'
import type { DeclaredOptions, DeclaredRoute } from '../../context/declared-route.js'
import { type HookFunction, kRunsFirst, lifecycleHookNames, runsBeforeHandler } from '../../context/hooks.js'
import { normalizeRouteSchema } from '../../route/compile-schemas.js'
import type { NormalSchema } from '../../schema/normalize.js'
import type { DeclaredReplies, HandlerDescription, HookDescription } from '../../types/description.js'
import { kPlace } from '../../util/symbols.js'
import { functionName } from './function-name.js'

/** Replies that are declared for a route, and the path of the hook, error handler or plugin that declares them. */
export interface CoveringReplies {
  readonly from: string
  readonly replies: DeclaredReplies
}

/**
 * An error handler or not-found handler that may answer instead of the framework. The replies of such a handler are known only if it
 * declares them.
 */
export interface AnsweringHandler {
  /** The path of the handler: `App > Api > ApiErrors.errorHandler`. */
  readonly from: string
  readonly replies: DeclaredReplies | undefined
}

/**
 * A hook of a route, with its function and the replies that this function declares. An `around` hook has no function here, because it is
 * compiled into the handler.
 */
type HeldHook = HookDescription & { readonly hookFunction?: HookFunction; readonly replies: DeclaredReplies | undefined }

/** A route, with all facts from which its description is made. */
export interface RouteFacts {
  readonly context: Context
  readonly declared: DeclaredRoute
  readonly methods: readonly string[]
  /** The schemas of the route in their normal form. Absent without schemas. */
  readonly normal: NormalSchema | undefined
  readonly place: string
  /** The path that names the route in faults and descriptions: `App > Api > Users.find`, `Api > GET /users`. */
  readonly path: string
  readonly hooks: readonly HeldHook[]
  /** The replies that the contexts and hooks of the route declare, outermost first. */
  readonly replies: readonly CoveringReplies[]
  /** The error handlers of the route, nearest first. An error handler that declares no replies may answer with anything. */
  readonly errorHandlers: readonly (HandlerDescription & { readonly replies: DeclaredReplies | undefined })[]
}

export function readRouteFacts(context: Context, declared: DeclaredRoute): RouteFacts {
  const { method, url, options } = declared
  const { schema } = options
  // A plugin may have written the name of the route into `config.route`.
  const { route }: { route?: unknown } = options.config ?? {}
  const place = options[kPlace]?.path ?? (typeof route === 'string' ? route : functionName(options.handler))
  const path = options[kPlace]?.path ?? `${context.path} > ${[method].flat().join(', ')} ${url}`
  const normal = schema == null ? undefined : normalizeRouteSchema({ context, options, method, url }, schema)
  const hooks = hooksOf(context, options, place)
  const ofHooks = hooks.flatMap(({ replies, ...hook }) =>
    replies === undefined ? [] : { from: handlerPath(hook, path), replies, isGuard: runsBeforeHandler(hook.hook) },
  )
  return {
    context,
    declared,
    methods: [method].flat(),
    normal,
    place,
    path,
    hooks,
    replies: uniqueReplies([...repliesOfContexts(context), ...ofHooks]).map(withoutSecurityOfLateHook),
    errorHandlers: errorHandlersOf(context, options),
  }
}

/** Returns the path of a hook or handler of a route: `App > Api > Guard.onRequest`. */
function handlerPath({ name, from }: HandlerDescription, routePath: string): string {
  return `${from === 'route' ? routePath : from} > ${name}`
}

/** Returns the error handlers of a route with their paths and declared replies, nearest first. */
export function answeringHandlers({ errorHandlers, path }: RouteFacts): AnsweringHandler[] {
  return errorHandlers.map(({ replies, ...handler }) => ({ from: handlerPath(handler, path), replies }))
}

/** Returns all declared replies that may occur at a route: first those of contexts and hooks, then those of error handlers. */
export function allDeclaredReplies(facts: RouteFacts): CoveringReplies[] {
  const ofHandlers = answeringHandlers(facts).flatMap(({ from, replies }) => (replies === undefined ? [] : [{ from, replies }]))
  return [...facts.replies, ...ofHandlers]
}

/** Declared replies, and for those of a hook, whether it runs before the handler. */
type HeldReplies = CoveringReplies & { readonly isGuard?: boolean }

/** Removes the security schemes of a hook that runs only after the handler: it lets no request in, so the route is open. */
function withoutSecurityOfLateHook({ from, replies, isGuard = true }: HeldReplies): CoveringReplies {
  if (isGuard || replies.security === undefined) return { from, replies }
  const { security: _, ...others } = replies
  return { from, replies: others }
}

/**
 * Removes repeated declarations: a class with several hooks declares its replies only once, for all of its hooks. The first of them counts,
 * which is a guard if any of them is.
 */
function uniqueReplies(all: readonly HeldReplies[]): HeldReplies[] {
  return all.filter(({ from, replies }, index) => {
    const owner = withoutMember(from)
    return all.findIndex((other) => other.replies === replies && withoutMember(other.from) === owner) === index
  })
}

function withoutMember(path: string): string {
  return path.replace(/\.\w+$/, '')
}

function repliesOfContexts(context: Context): CoveringReplies[] {
  return [...(context.parent === undefined ? [] : repliesOfContexts(context.parent)), ...context.declaredReplies]
}

function hooksOf(context: Context, options: DeclaredOptions, place: string): HeldHook[] {
  return lifecycleHookNames.flatMap((hook): HeldHook[] => {
    const held = (hookFunction: HookFunction, from: string): HeldHook => ({
      hook,
      name: functionName(hookFunction),
      from,
      hookFunction,
      replies: declaredRepliesOf(hookFunction),
    })
    const ofContext = context.hooks[hook].map(({ hookFunction, from }) => held(hookFunction, from.path))
    const own = [options[hook] ?? []].flat().map((hookFunction: HookFunction) => held(hookFunction, 'route'))
    const runsFirst = ({ hookFunction }: HeldHook): boolean => hookFunction?.[kRunsFirst] === true
    const arounds = hook === 'preHandler' ? (options[kPlace]?.arounds ?? []) : []
    return [
      ...own.filter(runsFirst),
      ...ofContext,
      ...own.filter((held) => !runsFirst(held)),
      ...arounds.map(({ name, from, replies }) => ({ hook: 'around' as const, name, from: from === place ? 'route' : from, replies })),
    ]
  })
}

function errorHandlersOf(context: Context, { errorHandler: own }: DeclaredOptions): RouteFacts['errorHandlers'] {
  const ofRoute = own === undefined ? [] : [{ name: functionName(own), from: 'route', replies: declaredRepliesOf(own) }]
  return [...ofRoute, ...errorHandlersIn(context)]
}

/** Returns the error handlers of a context and its ancestors, nearest first. */
export function errorHandlersIn(context: Context): RouteFacts['errorHandlers'] {
  const found: RouteFacts['errorHandlers'][number][] = []
  for (let at: ErrorHandlerLink | undefined = context.errorHandler; at?.from !== undefined; at = at.next)
    found.push({ name: functionName(at.handle), from: at.from.path, replies: at.replies })
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
