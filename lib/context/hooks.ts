/**
 * Hooks: which there are, the ones that a context holds, and how each kind is run.
 *
 * Everything that runs hooks takes its continuation as a callback and calls it synchronously where the hooks were
 * synchronous, so that a request without asynchronous hooks never leaves the current tick.
 */
import type { HookName, LifecycleHookName, Reply, Request } from '../types/contract.js'
import { errorCodes } from '../errors.js'
import { kPayloadStream, kPhase, kRoute } from '../util/symbols.js'
import { isAsyncFunction } from '../util/promises.js'

type HookFunction = (...args: any[]) => any

/** The hooks of a request, in the order in which they run; the last three are for what goes wrong. */
export const lifecycleHookNames = [
  'onRequest',
  'preParsing',
  'preValidation',
  'preHandler',
  'preSerialization',
  'onSend',
  'onResponse',
  'onError',
  'onTimeout',
  'onRequestAbort',
] as const satisfies readonly LifecycleHookName[]

/** Hooks that a child context takes over from its parent; the others belong to the context they were added in. */
const inheritedHookNames = [...lifecycleHookNames, 'onRoute', 'onRegister'] as const
const ownHookNames = ['onReady', 'onListen', 'preClose'] as const
/** The names of all hooks: those of a request, those of contexts, those of the application. */
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
  if (!hookNames.includes(name as HookName)) throw new errorCodes.ALC_ERR_HOOK_NOT_SUPPORTED(name, hookNames.join(', '))
  if (typeof hook !== 'function') {
    throw new errorCodes.ALC_ERR_HOOK_INVALID_HANDLER(name, hook == null ? String(hook) : Object.prototype.toString.call(hook))
  }
  if (isAsyncFunction(hook)) {
    const isForbidden = forbiddenAsyncArity[name as HookName] ?? ((length: number) => length === 3)
    if (isForbidden((hook as HookFunction).length)) throw new errorCodes.ALC_ERR_HOOK_INVALID_ASYNC_HANDLER()
  }
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
type PayloadEnd = (error: unknown, request: Request, reply: Reply, payload: unknown) => void
type Done = (error?: unknown, value?: unknown) => void

/** A rejection or a throw is a failure whatever its value; only `done()` without one is a success. */
function failureOf(error: unknown): unknown {
  return error ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR()
}

interface RequestInternals {
  [kRoute]: unknown
  [kPayloadStream]: unknown
}

/**
 * The loop behind all request hooks. A hook ends its turn once: by `done(error?, value?)` or by the promise it returns,
 * whichever comes first; what it says afterwards is ignored, what it throws afterwards is logged. Nothing that fails behind
 * `done` comes back to the hook that called it.
 */
class HookRun {
  protected readonly hooks: readonly HookFunction[]
  protected readonly request: Request
  protected readonly reply: Reply
  protected readonly onEnd: PayloadEnd
  /** How many hooks have begun; a hook's turn is the number that it began with. */
  private turn = 0
  /** The turn that is being taken; 0 between two. */
  private open = 0

  constructor(hooks: readonly HookFunction[], request: Request, reply: Reply, onEnd: PayloadEnd) {
    this.hooks = hooks
    this.request = request
    this.reply = reply
    this.onEnd = onEnd
  }

  /** Whether somebody else answers by now. */
  protected isTaken(): boolean {
    return false
  }
  protected call(hook: HookFunction, done: Done): any {
    return hook(this.request, this.reply, done)
  }
  /** What a hook hands on to the next. */
  protected take(_value: unknown): void {}
  protected end(error: unknown): void {
    this.onEnd(error, this.request, this.reply, undefined)
  }

  next(): void {
    if (this.isTaken()) return
    const { hooks } = this
    if (this.turn === hooks.length) return this.end(null)
    const hook = hooks[this.turn]!
    const turn = (this.open = ++this.turn)
    try {
      // Given to async functions too: those that hand on all their arguments may lead to one that calls it.
      const result = this.call(hook, (error, value) => this.finish(turn, error, value))
      if (result == null || typeof result.then !== 'function') return
      result.then(
        (value: unknown) => this.finish(turn, null, value),
        (error: unknown) => this.fail(turn, error),
      )
    } catch (error) {
      this.fail(turn, error)
    }
  }

  private fail(turn: number, error: unknown): void {
    if (this.open !== turn) reportLate(this.request, error)
    else this.finish(turn, failureOf(error), undefined)
  }

  private finish(turn: number, error: unknown, value: unknown): void {
    if (this.open !== turn) return
    this.open = 0
    try {
      if (error != null) return this.end(error)
      if (value !== undefined) this.take(value)
      this.next()
    } catch (failure) {
      reportLate(this.request, failure)
    }
  }
}

/** Hooks before the handler: a reply ends the run, and so does `callNotFound`, which moves the request to another route. */
class RequestRun extends HookRun {
  private readonly route: unknown

  constructor(hooks: readonly HookFunction[], request: Request, reply: Reply, onEnd: End) {
    super(hooks, request, reply, onEnd)
    this.route = (request as unknown as RequestInternals)[kRoute]
  }
  protected override isTaken(): boolean {
    return isReplied(this.reply) || (this.request as unknown as RequestInternals)[kRoute] !== this.route
  }
}

class PreParsingRun extends RequestRun {
  protected override call(hook: HookFunction, done: Done): any {
    return hook(this.request, this.reply, (this.request as unknown as RequestInternals)[kPayloadStream], done)
  }
  protected override take(stream: unknown): void {
    ;(this.request as unknown as RequestInternals)[kPayloadStream] = stream
  }
}

class PayloadRun extends HookRun {
  private payload: unknown

  constructor(hooks: readonly HookFunction[], request: Request, reply: Reply, payload: unknown, onEnd: PayloadEnd) {
    super(hooks, request, reply, onEnd)
    this.payload = payload
  }
  protected override call(hook: HookFunction, done: Done): any {
    return hook(this.request, this.reply, this.payload, done)
  }
  protected override take(payload: unknown): void {
    this.payload = payload
  }
  protected override end(error: unknown): void {
    this.onEnd(error, this.request, this.reply, this.payload)
  }
}

/** They observe the error: none of them changes it for the next. */
class ErrorRun extends PayloadRun {
  protected override take(_value: unknown): void {}
}

class AbortRun extends HookRun {
  protected override call(hook: HookFunction, done: Done): any {
    return hook(this.request, done)
  }
}

/**
 * Runs onRequest, preValidation, preHandler, onTimeout hooks in order. A hook that has replied ends the run: `end` is not
 * called (plugins reply from a hook and never call `done`).
 */
export function runRequestHooks(hooks: readonly HookFunction[], request: Request, reply: Reply, end: End): void {
  new RequestRun(hooks, request, reply, end).next()
}

/** Runs onResponse hooks: the reply was given, and every hook has its turn. */
export function runResponseHooks(hooks: readonly HookFunction[], request: Request, reply: Reply, end: End): void {
  new HookRun(hooks, request, reply, end).next()
}

/** Runs preParsing hooks; each may hand a new stream to the next and to the body parser. */
export function runPreParsingHooks(hooks: readonly HookFunction[], request: Request, reply: Reply, end: End): void {
  new PreParsingRun(hooks, request, reply, end).next()
}

/** Runs preSerialization and onSend hooks; each may hand a new payload to the next. */
export function runPayloadHooks(hooks: readonly HookFunction[], request: Request, reply: Reply, payload: unknown, end: PayloadEnd): void {
  new PayloadRun(hooks, request, reply, payload, end).next()
}

export function runErrorHooks(hooks: readonly HookFunction[], request: Request, reply: Reply, error: unknown, end: PayloadEnd): void {
  new ErrorRun(hooks, request, reply, error, end).next()
}

export function runAbortHooks(hooks: readonly HookFunction[], request: Request, reply: Reply, end: End): void {
  new AbortRun(hooks, request, reply, end).next()
}

function reportLate(request: Request, error: unknown): void {
  request.log.error({ err: error }, 'a hook failed after it had completed')
}
