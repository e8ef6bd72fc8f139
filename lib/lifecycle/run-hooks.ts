/**
 * The loop that runs all hooks of a request.
 *
 * Each function here takes its continuation as a callback and calls it synchronously if the hooks were synchronous. A request without
 * asynchronous hooks therefore never leaves the current tick.
 */
import { type HookFunction, kRefusedFalse } from '../context/hooks.js'
import { errorCodes } from '../errors/codes.js'
import { isResponse } from '../http/payload.js'
import type { CompiledRoute } from '../route/compiled-route.js'
import { ignoreIfPromise } from '../util/promises.js'
import { keepAsyncContext } from './async-context.js'
import { beginWork, endWork, expectReply, noteLateReply } from './ending/pending-work.js'
import { type Exchange, NO_STAGE, ReplyState, replyState, type WaitingHooks } from './exchange.js'

type End = (error: unknown, exchange: Exchange) => void
type PayloadEnd = (error: unknown, exchange: Exchange, payload: unknown) => void
type Done = (error?: unknown, value?: unknown) => void

/**
 * Returns the error of a hook that has thrown, or whose promise was rejected. If the hook failed with `undefined` or `null`, makes an
 * error: only `done()` without an error is a success.
 */
function failureOf(error: unknown): unknown {
  return error ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR()
}

/**
 * A run of hooks, one after the other. A hook completes once, by `done(error?, value?)` or by the promise that it returns, whichever comes
 * first. A second completion is ignored, but its error is logged. If a stage that runs after the hooks throws, the error does not reach the
 * hook that called `done`.
 */
class HookRun implements WaitingHooks {
  readonly hooks: readonly HookFunction[]
  readonly exchange: Exchange
  protected readonly onEnd: PayloadEnd
  /** The number of hooks of the run that have started; this is also the number of the latest hook, counted from 1. */
  protected started = 0
  /** The number of the hook that is running, counted from 1; 0 between two hooks. */
  private running = 0
  /** Whether the async context was kept when the latest hook returned a promise. The hook completes in the same context. */
  private isContextKept = false
  /**
   * The callbacks for the promise that the latest hook returned. All hooks of the run share one object, because they run one after the
   * other.
   */
  private settling: Settling | undefined = undefined
  private isCallbackRunning = false
  hasReturnedPromise = false

  constructor(hooks: readonly HookFunction[], exchange: Exchange, onEnd: PayloadEnd) {
    this.hooks = hooks
    this.exchange = exchange
    this.onEnd = onEnd
  }

  /** Whether the run was stopped, so that its remaining hooks must not run. */
  protected isStopped(): boolean {
    return false
  }
  protected call(hook: HookFunction, done: Done): any {
    return hook(this.exchange.request, this.exchange.reply, done)
  }
  /**
   * Keeps the async context, in subclasses for hooks that need it. Called in the context of the hooks when a hook begins to wait, and when
   * the last hook is done.
   */
  protected keepContext(): void {}
  /** Notes that the run begins to wait for a hook in callback style: the work of the hook is pending until it calls `done`. */
  protected beginCallback(): void {
    this.isCallbackRunning = true
    beginWork(this.exchange)
  }
  protected endCallback(): void {
    if (this.isCallbackRunning) endWork(this.exchange)
    this.isCallbackRunning = false
  }
  /** Takes the value that a hook passes on to the next hook. @returns an error if the hook must not pass on such a value */
  protected take(_value: unknown): unknown {
    return undefined
  }
  protected end(error: unknown): void {
    this.onEnd(error, this.exchange, undefined)
  }

  /** The hook that the run waits for; `undefined` if the run waits for no hook any more. */
  get pending(): HookFunction | undefined {
    return this.isStopped() ? undefined : this.hooks[this.running - 1]
  }

  next(): void {
    if (this.isStopped()) return
    const { hooks } = this
    if (this.started === hooks.length) {
      if (!this.isContextKept) this.keepContext()
      return this.end(null)
    }
    const hook = hooks[this.started]!
    const number = (this.running = ++this.started)
    this.isContextKept = false
    try {
      // Async functions get `done` too: a function that passes on all its arguments may call another one that uses it.
      const result = this.call(hook, (error, value) => {
        this.settling = undefined
        this.finish(number, error, value)
      })
      const isPromise = result != null && typeof result.then === 'function'
      if (this.running === number) {
        this.keepContext()
        this.isContextKept = isPromise
        this.hasReturnedPromise = isPromise
        this.exchange.waitsFor = this
        if (!isPromise) this.beginCallback()
      }
      if (!isPromise) return
      beginWork(this.exchange)
      // A hook that has completed by `done` already must not share its callbacks with the next hook. A thenable object may call them twice.
      const isShared = this.running === number && result.then === nativeThen
      const settling = isShared ? (this.settling ??= new Settling(this)) : new Settling(this)
      settling.number = number
      result.then(settling.onValue, settling.onError)
    } catch (error) {
      this.finish(number, failureOf(error), undefined)
    }
  }

  finish(number: number, error: unknown, value: unknown): void {
    if (this.running !== number) {
      // An error that comes after the hook was over refuses nothing.
      if (error != null) logLateFailure(this.exchange, error)
      return
    }
    this.running = 0
    this.endCallback()
    try {
      if (error != null) {
        ignoreIfPromise(error)
        return this.end(error)
      }
      if (ignoreIfPromise(value)) return this.end(new TypeError('a hook must not pass a promise to done: return the promise instead'))
      const failure = value === undefined ? undefined : this.take(value)
      if (failure !== undefined) this.end(failure)
      else this.next()
    } catch (failure) {
      logLateFailure(this.exchange, failure)
    }
  }
}

const nativeThen: unknown = Promise.prototype.then

/** The callbacks that are attached to the promise of a hook. */
class Settling {
  /** The number of the hook that has returned the promise. */
  number = 0
  readonly onValue: (value: unknown) => void
  readonly onError: (error: unknown) => void

  constructor(run: HookRun) {
    this.onValue = (value) => {
      run.finish(this.number, null, value)
      endWork(run.exchange)
    }
    this.onError = (error) => {
      run.finish(this.number, failureOf(error), undefined)
      endWork(run.exchange)
    }
  }
}

/**
 * A run of hooks before the handler. The run is stopped by a reply, by a failure such as the end of the request's time, and by
 * `callNotFound`, which moves the request to another route.
 */
class RequestRun extends HookRun {
  private readonly route: CompiledRoute

  constructor(hooks: readonly HookFunction[], exchange: Exchange, onEnd: End) {
    super(hooks, exchange, onEnd)
    this.route = exchange.route
  }
  protected override isStopped(): boolean {
    const { exchange } = this
    return replyState(exchange) !== ReplyState.Open || exchange.nextStage === NO_STAGE || exchange.route !== this.route
  }
  protected override keepContext(): void {
    if (this.route.keepsAsyncContext) keepAsyncContext(this.exchange)
  }
  /** Notes that the run waits for a hook in callback style, which may reply and then never call `done`. */
  protected override beginCallback(): void {
    expectReply(this.exchange)
  }
  protected override endCallback(): void {
    noteLateReply(this.exchange)
  }
  protected override take(value: unknown): unknown {
    const isLostResponse = isResponse(value) && !this.isStopped()
    if (value !== false && !(value instanceof Error) && !isLostResponse) return undefined
    const place = this.hooks[this.started - 1]![kRefusedFalse]
    if (place === undefined) return undefined
    if (isLostResponse) return new errorCodes.ALC_ERR_HOOK_RETURNED_FALSE(...place, 'a Response')
    return value === false ? new errorCodes.ALC_ERR_HOOK_RETURNED_FALSE(...place) : value
  }
}

class PreParsingRun extends RequestRun {
  protected override call(hook: HookFunction, done: Done): any {
    return hook(this.exchange.request, this.exchange.reply, this.exchange.payloadStream, done)
  }
  protected override take(stream: unknown): unknown {
    const failure = super.take(stream)
    if (failure === undefined && stream !== false) this.exchange.payloadStream = stream
    return failure
  }
}

/** A run of onError hooks, which observe an error. A hook cannot replace the error for the next hook. */
class ErrorRun extends HookRun {
  /** The value that the hooks get as an argument: the error of onError hooks, the payload of hooks that take payloads. */
  protected value: unknown

  constructor(hooks: readonly HookFunction[], exchange: Exchange, value: unknown, onEnd: PayloadEnd) {
    super(hooks, exchange, onEnd)
    this.value = value
  }
  protected override call(hook: HookFunction, done: Done): any {
    return hook(this.exchange.request, this.exchange.reply, this.value, done)
  }
}

class PayloadRun extends ErrorRun {
  protected override take(payload: unknown): unknown {
    this.value = payload
    return undefined
  }
  protected override end(error: unknown): void {
    this.onEnd(error, this.exchange, this.value)
  }
}

class AbortRun extends HookRun {
  protected override call(hook: HookFunction, done: Done): any {
    return hook(this.exchange.request, done)
  }
}

/**
 * Runs onRequest, preValidation, preHandler or onTimeout hooks. A hook that replies stops the run, and `end` is not called: plugins
 * reply from a hook and never call `done`.
 */
export function runRequestHooks(hooks: readonly HookFunction[], exchange: Exchange, end: End): void {
  new RequestRun(hooks, exchange, end).next()
}

/** Runs onResponse hooks. The reply has been sent already, so it does not stop the run. */
export function runResponseHooks(hooks: readonly HookFunction[], exchange: Exchange, end: End): void {
  new HookRun(hooks, exchange, end).next()
}

/** Runs preParsing hooks. Each hook may pass a new stream to the next hook and to the body parser. */
export function runPreParsingHooks(hooks: readonly HookFunction[], exchange: Exchange, end: End): void {
  new PreParsingRun(hooks, exchange, end).next()
}

/** Runs preSerialization or onSend hooks. Each hook may pass a new payload to the next hook. */
export function runPayloadHooks(hooks: readonly HookFunction[], exchange: Exchange, payload: unknown, end: PayloadEnd): void {
  new PayloadRun(hooks, exchange, payload, end).next()
}

export function runErrorHooks(hooks: readonly HookFunction[], exchange: Exchange, error: unknown, end: End): void {
  new ErrorRun(hooks, exchange, error, end).next()
}

export function runAbortHooks(hooks: readonly HookFunction[], exchange: Exchange, end: End): void {
  new AbortRun(hooks, exchange, end).next()
}

function logLateFailure({ request }: Exchange, error: unknown): void {
  request.log.error({ err: error }, 'a hook failed after it had completed')
}
