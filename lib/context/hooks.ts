/**
 * The hooks: one table of what is known about each, and the store in which a context keeps its own. The functions that run them
 * are in lifecycle/run-hooks.ts (hooks of a request) and server/ (hooks of the application).
 */
import { errorCodes } from '../errors/codes.js'
import type { HookName, LifecycleHookName } from '../types/hooks.js'
import { isAsyncFunction } from '../util/promises.js'
import { type Conventions, ownConventions } from './conventions.js'

export interface HookFunction {
  (...args: any[]): any
  /** Set for a hook whose result `false` is an error: the name of the hook and its place. */
  [kRefusedFalse]?: readonly [name: string, label: string]
}

export const kRefusedFalse = Symbol('alcove.refused-false')

interface HookFacts {
  /** Whether the hook runs for a request, for a declaration in a context, or for the application. */
  readonly of: 'request' | 'declaration' | 'application'
  /**
   * Which contexts below get a hook that is added here: `all` of them, the `later` ones (created after the hook was added), or
   * `none`. `onClose` hooks are kept by the plugin loader.
   */
  readonly below: 'all' | 'later' | 'none'
  /** Position of `done` among the parameters. `undefined`: the hook is not waited for. */
  readonly doneAt: number | undefined
  /** Whether an async function may have the parameter `done` too. Plugins rely on it where Fastify takes it. */
  readonly asyncTakesDone: boolean
  /**
   * Whether `addHook` adds the hook at once. Otherwise it is added after the plugins that were registered before it have loaded, so
   * that their contexts get it too.
   */
  readonly isAddedAtOnce: boolean
}

const request = (doneAt: number) => ({ of: 'request', below: 'all', doneAt, asyncTakesDone: false, isAddedAtOnce: false }) as const
const application = { of: 'application', below: 'none', doneAt: 0, asyncTakesDone: false, isAddedAtOnce: true } as const

/** All hooks; those of a request in the order in which they run, the last three of them for failures. */
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
/** The hooks of a request. A route may carry them as options. */
export const lifecycleHookNames = namesWhere(({ of }) => of === 'request') as readonly LifecycleHookName[]

/** A hook that a context keeps itself: any but `onClose`. */
export type StoredHookName = Exclude<HookName, 'onClose'>
const storedHookNames = namesWhere(() => true).filter((name): name is StoredHookName => name !== 'onClose')

/** A hook and the context that it was added in, which may be an ancestor of the one that runs it. */
export interface AddedHook {
  readonly run: HookFunction
  readonly from: { readonly path: string }
}

export type HookStore = Record<StoredHookName, AddedHook[]>

/** The hooks that a new context starts with: those of its parent at this moment. Later ones are handed down when they are added. */
export function createHookStore(parent?: HookStore): HookStore {
  const store = {} as HookStore
  for (const name of storedHookNames) store[name] = parent !== undefined && hookFacts[name].below !== 'none' ? parent[name].slice() : []
  return store
}

/**
 * Refuses a value that cannot run as this hook.
 * @param conventions the conventions of the server, which may refuse more
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
 * Reads an onClose hook: a function, or a resource with `Symbol.asyncDispose` or `Symbol.dispose`, which is disposed of.
 * @throws ALC_ERR_HOOK_INVALID_HANDLER, ALC_ERR_HOOK_INVALID_ASYNC_HANDLER
 */
export function readCloseHook(given: unknown): HookFunction {
  if (given !== null && typeof given === 'object') {
    const resource = given as Partial<AsyncDisposable & Disposable>
    // Called as a method, so that a method that is replaced until then counts.
    if (typeof resource[Symbol.asyncDispose] === 'function') return () => resource[Symbol.asyncDispose]!()
    if (typeof resource[Symbol.dispose] === 'function') return async () => resource[Symbol.dispose]!()
  }
  assertHook('onClose', given)
  return given
}

/** Whether a hook is asynchronous and also takes `done`. */
export function isAsyncWithDone(name: HookName, hook: HookFunction): boolean {
  const { doneAt, asyncTakesDone } = hookFacts[name]
  return !asyncTakesDone && hook.length === doneAt + 1 && isAsyncFunction(hook)
}
