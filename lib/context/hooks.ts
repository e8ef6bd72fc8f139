/**
 * The hooks: a table with the facts about each hook, and the store in which a context keeps its hooks. The functions that run hooks are in
 * lifecycle/run-hooks.ts (hooks of a request) and server/ (hooks of the application).
 */
import { errorCodes } from '../errors/codes.js'
import type { HookName, LifecycleHookName } from '../types/hooks.js'
import { isAsyncFunction } from '../util/promises.js'
import { type Conventions, ownConventions } from './conventions.js'

export interface HookFunction {
  (...args: any[]): any
  /**
   * The name of the hook and its place, for a hook that must not return `false` or a `Response`: that result is an error. Absent for all
   * other hooks.
   */
  [kRefusedFalse]?: readonly [name: string, label: string]
  /** Whether the hook of a route runs before the hooks of the route's contexts. Absent for hooks of applications. */
  [kRunsFirst]?: boolean
}

export const kRefusedFalse = Symbol('alcove.refused-false')
export const kRunsFirst = Symbol('alcove.runs-first')

interface HookFacts {
  /** Whether the hook runs for each request, for each declaration in a context (of a route or a child context), or once for the application. */
  readonly of: 'request' | 'declaration' | 'application'
  /**
   * The descendants that get a hook which is added to a context: `all`, the `later` ones (created after the hook was added), or `none`.
   * (`onClose` hooks are kept by the plugin loader.)
   */
  readonly below: 'all' | 'later' | 'none'
  /** The position of `done` among the hook's parameters; `undefined` for a hook that the framework does not wait for. */
  readonly doneAt: number | undefined
  /** Whether an async hook may have the parameter `done` too. Fastify allows it for some hooks, and plugins rely on that. */
  readonly asyncTakesDone: boolean
  /**
   * Whether `addHook` adds the hook at once. If not, the hook is added when the plugins that were registered before the call have loaded,
   * so that the contexts of these plugins get the hook too.
   */
  readonly isAddedAtOnce: boolean
}

const request = (doneAt: number) => ({ of: 'request', below: 'all', doneAt, asyncTakesDone: false, isAddedAtOnce: false }) as const
const application = { of: 'application', below: 'none', doneAt: 0, asyncTakesDone: false, isAddedAtOnce: true } as const

/**
 * The facts of all hooks by name. The hooks of a request are first, in the order in which they run; the last three of them are for
 * failures.
 */
export const hookFacts = {
  onRequest: request(2),
  preParsing: request(3),
  preValidation: request(2),
  preHandler: request(2),
  preSerialization: request(3),
  onSend: request(3),
  onResponse: request(2),
  onError: request(3),
  onTimeout: request(2),
  onRequestAbort: request(1),
  onRoute: { of: 'declaration', below: 'later', doneAt: undefined, asyncTakesDone: true, isAddedAtOnce: true },
  onRegister: { of: 'declaration', below: 'all', doneAt: undefined, asyncTakesDone: true, isAddedAtOnce: false },
  onReady: application,
  onListen: application,
  preClose: { ...application, isAddedAtOnce: false },
  onClose: { of: 'application', below: 'none', doneAt: 1, asyncTakesDone: true, isAddedAtOnce: true },
} as const satisfies Record<LifecycleHookName, HookFacts & { of: 'request' }> &
  Record<Exclude<HookName, LifecycleHookName>, HookFacts & { of: 'declaration' | 'application' }>

const namesWhere = (holds: (facts: HookFacts) => boolean): HookName[] =>
  (Object.keys(hookFacts) as HookName[]).filter((name) => holds(hookFacts[name]))

/** The names of all hooks: of requests, of contexts, and of the application. */
export const hookNames: readonly HookName[] = namesWhere(() => true)
/** The names of the hooks of a request. A route may have these hooks as options. */
export const lifecycleHookNames = namesWhere(({ of }) => of === 'request') as readonly LifecycleHookName[]

/** The names of the hooks that run before the handler, in the order in which they run. They can refuse a request. */
export const guardHookNames = ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const satisfies readonly LifecycleHookName[]

/** Whether hooks of this name run before the handler (`onRequest` to `preHandler`, and `around`). */
export function runsBeforeHandler(name: string): boolean {
  return name === 'around' || (guardHookNames as readonly string[]).includes(name)
}

/** The name of a hook that a context stores: every hook except `onClose`. */
export type StoredHookName = Exclude<HookName, 'onClose'>
const storedHookNames = namesWhere(() => true).filter((name): name is StoredHookName => name !== 'onClose')

/** A hook, and the context that it was added in. This context may be an ancestor of the context of the route that the hook runs for. */
export interface AddedHook {
  readonly hookFunction: HookFunction
  /** The context that has added the hook. */
  readonly from: HookSource
}

interface HookSource {
  readonly path: string
  readonly parent?: HookSource | undefined
}

export type HookStore = Record<StoredHookName, AddedHook[]>

/** The hooks that run before all hooks of the contexts below. */
const covering = new WeakSet<HookFunction>()

/**
 * Lets a hook run before the hooks of the contexts below the one that it is added to, also if these were added earlier: so a guard of a plugin
 * class covers all that is below. Other hooks run in the order in which they are added, as in Fastify.
 */
export function coverBelow<H extends HookFunction>(hook: H): H {
  covering.add(hook)
  return hook
}

/** Adds a hook to the hooks of a context: at the end, unless it covers the contexts below (see {@link coverBelow}). */
export function insertHook(hooks: AddedHook[], added: AddedHook): void {
  const at = covering.has(added.hookFunction) ? hooks.findIndex(({ from }) => isBelow(from, added.from)) : -1
  hooks.splice(at === -1 ? hooks.length : at, 0, added)
}

function isBelow({ parent }: HookSource, other: HookSource): boolean {
  return parent !== undefined && (parent === other || isBelow(parent, other))
}

/**
 * Makes the store of hooks of a new context, with the hooks that its parent has now. Hooks that the parent gets later are handed down when
 * they are added.
 */
export function createHookStore(parent?: HookStore): HookStore {
  const store = {} as HookStore
  for (const name of storedHookNames) store[name] = parent !== undefined && hookFacts[name].below !== 'none' ? parent[name].slice() : []
  return store
}

/**
 * Orders the hooks of a route: the route's hooks that run first (`kRunsFirst`), the hooks of its contexts, then the route's other hooks.
 */
export function orderHooks(ofContexts: readonly HookFunction[], own: readonly HookFunction[]): readonly HookFunction[] {
  if (!own.some((hook) => hook[kRunsFirst])) return [...ofContexts, ...own]
  return [...own.filter((hook) => hook[kRunsFirst]), ...ofContexts, ...own.filter((hook) => !hook[kRunsFirst])]
}

/**
 * Throws unless a value can be the hook of this name.
 * @param conventions the conventions of the server, which may refuse further hooks
 * @throws ALC_ERR_HOOK_INVALID_TYPE, ALC_ERR_HOOK_NOT_SUPPORTED, ALC_ERR_HOOK_INVALID_HANDLER, ALC_ERR_HOOK_INVALID_ASYNC_HANDLER
 */
export function assertHook(
  name: unknown,
  hook: unknown,
  conventions: Pick<Conventions, 'assertHook'> = ownConventions,
): asserts hook is HookFunction {
  if (typeof name !== 'string') throw new errorCodes.ALC_ERR_HOOK_INVALID_TYPE()
  if (!Object.hasOwn(hookFacts, name)) throw new errorCodes.ALC_ERR_HOOK_NOT_SUPPORTED(name, hookNames.join(', '))
  if (typeof hook !== 'function') {
    throw new errorCodes.ALC_ERR_HOOK_INVALID_HANDLER(name, hook == null ? String(hook) : Object.prototype.toString.call(hook))
  }
  if (isAsyncWithDone(name as HookName, hook as HookFunction)) throw new errorCodes.ALC_ERR_HOOK_INVALID_ASYNC_HANDLER()
  conventions.assertHook(name as HookName, hook as HookFunction)
}

/**
 * Reads an onClose hook: a function, or a resource with `Symbol.asyncDispose` or `Symbol.dispose`, which is disposed of when the server
 * closes.
 * @throws ALC_ERR_HOOK_INVALID_HANDLER, ALC_ERR_HOOK_INVALID_ASYNC_HANDLER
 */
export function readCloseHook(hook: unknown): HookFunction {
  if (hook !== null && typeof hook === 'object') {
    const resource = hook as Partial<AsyncDisposable & Disposable>
    // The method is looked up when the server closes, because it may be replaced until then.
    if (typeof resource[Symbol.asyncDispose] === 'function') return () => resource[Symbol.asyncDispose]!()
    if (typeof resource[Symbol.dispose] === 'function') return async () => resource[Symbol.dispose]!()
  }
  assertHook('onClose', hook)
  return hook
}

/** Whether a hook is an async function that also takes `done`, and hooks of this name may not take both. */
export function isAsyncWithDone(name: HookName, hook: HookFunction): boolean {
  const { doneAt, asyncTakesDone } = hookFacts[name]
  return !asyncTakesDone && hook.length === doneAt + 1 && isAsyncFunction(hook)
}

/**
 * Returns the name of a function as it was written, for messages. Node puts `bound` in front of the name of a function that is bound, such as
 * a method of a class to its instance.
 */
export function writtenName({ name }: { readonly name: string }): string {
  return name.replace(/^(?:bound )+/, '')
}

/** Returns the label of a hook or a callback in messages: `onClose hook 'leave'`, or `onClose hook` for a function without a name. */
export function labelOfFunction(kind: string, named: { readonly name: string }): string {
  const name = writtenName(named)
  return name === '' ? kind : `${kind} '${name}'`
}
