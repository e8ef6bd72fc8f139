/**
 * Hooks: which there are, the ones that a context holds, and how each kind is run.
 *
 * Everything that runs hooks takes its continuation as a callback and calls it synchronously where the hooks were
 * synchronous, so that a request without asynchronous hooks never leaves the current tick.
 */
import type { HookName, LifecycleHookName, Reply, Request } from './contract.js'
import { errorCodes } from './errors.js'
import { kPayloadStream, kPhase, kRoute } from './symbols.js'

type HookFunction = (...args: any[]) => any

export const lifecycleHookNames = [
  'onTimeout',
  'onRequest',
  'preParsing',
  'preValidation',
  'preSerialization',
  'preHandler',
  'onSend',
  'onResponse',
  'onError',
  'onRequestAbort',
] as const satisfies readonly LifecycleHookName[]

/** Hooks that a child context takes over from its parent; the others belong to the context they were added in. */
const inheritedHookNames = [...lifecycleHookNames, 'onRoute', 'onRegister'] as const
const ownHookNames = ['onReady', 'onListen', 'preClose'] as const
export const hookNames: readonly HookName[] = [...inheritedHookNames, ...ownHookNames, 'onClose']

/** A hook and the context that it was added in, which may be an ancestor of the one that runs it. */
export interface AddedHook {
  readonly run: HookFunction
  readonly from: { readonly path: string }
}

export type HookStore = Record<(typeof inheritedHookNames)[number] | (typeof ownHookNames)[number], AddedHook[]>

/** The hooks that a new context starts with: those of its parent at this moment. Later ones are handed down as they come. */
export function createHookStore(parent?: HookStore): HookStore {
  const store = {} as HookStore
  for (const name of inheritedHookNames) store[name] = parent ? parent[name].slice() : []
  for (const name of ownHookNames) store[name] = []
  return store
}

// How many parameters an async function of this hook must not have: the last one would be `done`.
const forbiddenAsyncArity: Partial<Record<HookName, (length: number) => boolean>> = {
  onSend: (length) => length === 4,
  preSerialization: (length) => length === 4,
  onError: (length) => length === 4,
  preParsing: (length) => length === 4,
  onReady: (length) => length !== 0,
  onListen: (length) => length !== 0,
  preClose: (length) => length !== 0,
  onRequestAbort: (length) => length !== 1,
}

/**
 * Refuses what cannot be run as this hook.
 * @throws ALC_ERR_HOOK_INVALID_TYPE, ALC_ERR_HOOK_NOT_SUPPORTED, ALC_ERR_HOOK_INVALID_HANDLER, ALC_ERR_HOOK_INVALID_ASYNC_HANDLER
 */
export function assertHook(name: unknown, hook: unknown): asserts hook is HookFunction {
  if (typeof name !== 'string') throw new errorCodes.ALC_ERR_HOOK_INVALID_TYPE()
  if (!hookNames.includes(name as HookName)) throw new errorCodes.ALC_ERR_HOOK_NOT_SUPPORTED(name)
  if (typeof hook !== 'function') {
    throw new errorCodes.ALC_ERR_HOOK_INVALID_HANDLER(name, hook == null ? String(hook) : Object.prototype.toString.call(hook))
  }
  if (isAsyncFunction(hook)) {
    const isForbidden = forbiddenAsyncArity[name as HookName] ?? ((length: number) => length === 3)
    if (isForbidden((hook as HookFunction).length)) throw new errorCodes.ALC_ERR_HOOK_INVALID_ASYNC_HANDLER()
  }
}

function isAsyncFunction(fn: { constructor: { name: string } }): boolean {
  return fn.constructor.name === 'AsyncFunction'
}

/** Where the sending of a reply stands. */
export const enum Phase {
  Open = 0,
  /** `send` was called: hooks and serializers may still be at work. */
  Sending = 1,
  /** `onError` hooks are running: nothing may be sent from them. */
  Failing = 2,
  Hijacked = 3,
}

interface ReplyInternals {
  [kPhase]: Phase
  raw: { writableEnded: boolean }
}

/** Whether a reply was given, so that the rest of the pipeline must keep its hands off. */
export function isReplied(reply: Reply): boolean {
  const { [kPhase]: phase, raw } = reply as unknown as ReplyInternals
  return phase !== Phase.Open || raw.writableEnded
}

type End = (error: unknown, request: Request, reply: Reply) => void

/** A rejection or a throw is a failure whatever its value; only `done()` without one is a success. */
function failureOf(error: unknown): unknown {
  return error ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR()
}

/**
 * Runs onRequest, preValidation, preHandler, onTimeout hooks in order. A hook that has replied ends the run: `end` is not
 * called (plugins reply from a hook and never call `done`).
 */
export function runRequestHooks(hooks: readonly HookFunction[], request: Request, reply: Reply, end: End): void {
  runInTurn(
    request,
    hooks.length,
    isTaken(request, reply),
    (index, done) => hooks[index]!(request, reply, done),
    (error) => end(error, request, reply),
  )
}

/** Whether somebody else answers by now: a reply was given, or `callNotFound` moved the request to another route. */
function isTaken(request: Request, reply: Reply): () => boolean {
  const route = (request as unknown as { [kRoute]: unknown })[kRoute]
  return () => isReplied(reply) || (request as unknown as { [kRoute]: unknown })[kRoute] !== route
}

/** Runs onResponse hooks: the reply was given, and every hook has its turn. */
export function runResponseHooks(hooks: readonly HookFunction[], request: Request, reply: Reply, end: End): void {
  runInTurn(
    request,
    hooks.length,
    undefined,
    (index, done) => hooks[index]!(request, reply, done),
    (error) => end(error, request, reply),
  )
}

/** Runs preParsing hooks; each may hand a new stream to the next and to the body parser. */
export function runPreParsingHooks(hooks: readonly HookFunction[], request: Request, reply: Reply, end: End): void {
  const internals = request as unknown as { [kPayloadStream]: unknown }
  runInTurn(
    request,
    hooks.length,
    isTaken(request, reply),
    (index, done) => hooks[index]!(request, reply, internals[kPayloadStream], done),
    (error) => end(error, request, reply),
    (stream) => (internals[kPayloadStream] = stream),
  )
}

/** Runs preSerialization, onSend and onError hooks; each may hand a new payload to the next. */
export function runPayloadHooks(
  hooks: readonly HookFunction[],
  request: Request,
  reply: Reply,
  payload: unknown,
  end: (error: unknown, request: Request, reply: Reply, payload: unknown) => void,
): void {
  let current = payload
  runInTurn(
    request,
    hooks.length,
    undefined,
    (index, done) => hooks[index]!(request, reply, current, done),
    (error) => end(error, request, reply, current),
    (next) => (current = next),
  )
}

export function runAbortHooks(hooks: readonly HookFunction[], request: Request, end: (error: unknown) => void): void {
  runInTurn(request, hooks.length, undefined, (index, done) => hooks[index]!(request, done), end)
}

/**
 * The loop behind all request hooks. A hook ends its turn once: by `done(error?, value?)` or by the promise it returns,
 * whichever comes first; what it says afterwards is ignored, what it throws afterwards is logged. Nothing that fails behind
 * `done` comes back to the hook that called it.
 */
function runInTurn(
  request: Request,
  count: number,
  isTaken: (() => boolean) | undefined,
  call: (index: number, done: (error?: unknown, value?: unknown) => void) => unknown,
  end: (error: unknown) => void,
  take?: (value: unknown) => void,
): void {
  let turn = 0
  next()

  function next(): void {
    if (isTaken?.()) return
    if (turn === count) return end(null)
    const mine = ++turn
    let isOver = false
    const finish = (error?: unknown, value?: unknown): void => {
      if (isOver) return
      isOver = true
      try {
        if (error != null) {
          turn = count + 1
          return end(error)
        }
        if (value !== undefined) take?.(value)
        next()
      } catch (failure) {
        reportLate(request, failure)
      }
    }
    try {
      const result: any = call(mine - 1, finish)
      if (result != null && typeof result.then === 'function') {
        result.then(
          (value: unknown) => finish(null, value),
          (error: unknown) => (isOver ? reportLate(request, error) : finish(failureOf(error), undefined)),
        )
      }
    } catch (error) {
      if (isOver) reportLate(request, error)
      else finish(failureOf(error), undefined)
    }
  }
}

function reportLate(request: Request, error: unknown): void {
  request.log.error({ err: error }, 'a hook failed after its turn')
}
