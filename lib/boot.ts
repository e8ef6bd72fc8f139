/**
 * The order of booting and closing (avvio, the only file that knows it): plugins load one after the other, each after those
 * registered before it; then routes are compiled; then onReady hooks run.
 */
import avvio from 'avvio'
import type { Context } from './context.js'
import type { Server } from './contract.js'
import { errorCodes } from './errors.js'
import { pluginName } from './plugin.js'

const kAvvioCodes: Record<
  string,
  | 'ALC_ERR_PLUGIN_CALLBACK_NOT_FN'
  | 'ALC_ERR_PLUGIN_NOT_VALID'
  | 'ALC_ERR_ROOT_PLG_BOOTED'
  | 'ALC_ERR_PARENT_PLUGIN_BOOTED'
  | 'ALC_ERR_PLUGIN_TIMEOUT'
> = {
  AVV_ERR_CALLBACK_NOT_FN: 'ALC_ERR_PLUGIN_CALLBACK_NOT_FN',
  AVV_ERR_PLUGIN_NOT_VALID: 'ALC_ERR_PLUGIN_NOT_VALID',
  AVV_ERR_ROOT_PLG_BOOTED: 'ALC_ERR_ROOT_PLG_BOOTED',
  AVV_ERR_PARENT_PLG_LOADED: 'ALC_ERR_PARENT_PLUGIN_BOOTED',
  AVV_ERR_READY_TIMEOUT: 'ALC_ERR_PLUGIN_TIMEOUT',
  AVV_ERR_PLUGIN_EXEC_TIMEOUT: 'ALC_ERR_PLUGIN_TIMEOUT',
}

export interface BootState {
  started: boolean
  booting: boolean
  ready: boolean
  closing: boolean
  /** The port is closed: replies say that their connections close. */
  draining: boolean
  listening: boolean
}

export interface BootOptions {
  readonly instance: Server
  readonly context: Context
  readonly state: BootState
  /** ms */
  readonly pluginTimeout: number
  /** Gives the instance that a plugin runs with. */
  readonly enter: (parent: Server, plugin: any, options: any) => Server
  /** Everything is registered: compile. What it throws fails the boot. */
  readonly compile: () => void
}

export interface Boot {
  printPlugins(): string
  /** Runs the hooks of a name over all contexts, in order, as part of the boot queue. */
  runApplicationHooks(name: 'onReady' | 'preClose', done: (error?: unknown) => void): void
  /** For contexts made later: their `ready` belongs to the same queue. */
  readonly bindReady: (instance: Server) => void
}

/** Sets up `register`, `after`, `ready`, `onClose` and `close` on the root instance, and gives the rest. */
export function createBoot({ instance, context, state, pluginTimeout, enter, compile }: BootOptions): Boot {
  const loader: any = avvio(instance as any, { autostart: false, timeout: pluginTimeout, expose: { use: 'register' } })
  loader.override = enter
  loader.on('start', () => (state.started = true))
  loader.once('preReady', compile)
  const root = instance as any
  const queue: (callback: (error: unknown, done: (error?: unknown) => void) => void) => void = root.ready
  wrapRegister(root)

  let readyPromise: Promise<Server> | undefined
  let isListed = false

  root.ready = function ready(this: Server, callback?: (error: unknown, server?: Server) => void): Promise<Server> | Server {
    readyPromise ??= new Promise<Server>((resolve, reject) => {
      process.nextTick(() => {
        queue.call(root, (error, done) => {
          const settle = (failure?: unknown): void => {
            state.booting = false
            if (failure != null) return reject(translate(failure))
            state.ready = true
            // The loader says so only in a later tick; who awaited us may call something before.
            state.started = true
            resolve(instance)
          }
          if (error != null || state.started || isListed) settle(error)
          else {
            isListed = true
            state.booting = true
            runApplicationHooks('onReady', settle)
          }
          done()
        })
      })
    })
    if (callback === undefined) return readyPromise
    readyPromise.then(
      () => callback(null, instance),
      (error) => callback(error),
    )
    return this
  }

  function runApplicationHooks(name: 'onReady' | 'preClose', done: (error?: unknown) => void): void {
    const steps = collect(context, name)
    if (steps.length === 0) return done()
    for (const { hook, owner } of steps) queue.call(root, runStep(hook, owner))
    // The last in the queue sees what went wrong before it.
    queue.call(root, (error, next) => {
      if ((error as { code?: unknown } | null)?.code === 'AVV_ERR_READY_TIMEOUT') {
        const failure = new errorCodes.ALC_ERR_HOOK_TIMEOUT(name)
        failure.cause = error
        done(failure)
      } else done(error == null ? undefined : translate(error))
      next(error)
    })
  }

  return { printPlugins: () => loader.prettyPrint(), runApplicationHooks, bindReady: (child) => ((child as any).ready = queue.bind(child)) }
}

function collect(context: Context, name: 'onReady' | 'preClose'): { hook: (...args: any[]) => any; owner: Server }[] {
  return [
    ...context.hooks[name].map(({ run }) => ({ hook: run, owner: context.instance })),
    ...context.children.flatMap((child) => collect(child, name)),
  ]
}

function runStep(hook: (...args: any[]) => any, owner: Server) {
  return function step(error: unknown, done: (error?: unknown) => void): void {
    if (error != null) return done(error)
    try {
      if (hook.length === 1) return void hook.call(owner, done)
      const result = hook.call(owner)
      if (typeof result?.then !== 'function') return done()
      result.then(
        () => done(),
        (failure: unknown) => done(failure ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR()),
      )
    } catch (failure) {
      done(failure ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR())
    }
  }
}

/** The loader's own errors under our codes. */
function translate(error: unknown): unknown {
  const code = kAvvioCodes[(error as { code?: string })?.code ?? '']
  if (code === undefined) return error
  const translated = new errorCodes[code]((error as Error).message)
  translated.cause = error
  return translated
}

/** A plugin that fails with `null` or `undefined` fails the boot; the loader alone would take that for success. */
function wrapRegister(root: any): void {
  const register = root.register
  root.register = function (this: any, plugin: any, options: any) {
    try {
      register.call(this, guard(plugin), options)
    } catch (error) {
      throw translate(error)
    }
    return this
  }
}

function guard(plugin: any): any {
  if (typeof plugin?.then === 'function' && typeof plugin !== 'function') {
    const guarded = guardPromised(plugin)
    // The loader asks for it when its turn comes; until then nobody would catch it.
    guarded.catch(() => {})
    return guarded
  }
  return guardLoaded(plugin)
}

/** The loader would take a rejection with nothing for success, and fail on what is no module where nobody could catch it. */
async function guardPromised(promise: PromiseLike<unknown>): Promise<unknown> {
  let plugin: unknown
  try {
    plugin = guardLoaded(await promise)
  } catch (error) {
    throw error ?? new errorCodes.ALC_ERR_PLUGIN_REJECTED_EMPTY('promise', String(error))
  }
  if (typeof plugin === 'function') return plugin
  throw new errorCodes.ALC_ERR_PLUGIN_NOT_VALID(`A plugin must be a function or a promise of one. Received: '${typeof plugin}'`)
}

function guardLoaded(plugin: any): any {
  if (plugin !== null && typeof plugin === 'object' && typeof plugin.default === 'function') return guardLoaded(plugin.default)
  if (typeof plugin !== 'function') return plugin
  return new Proxy(plugin, {
    // The loader names an anonymous plugin by its source.
    get: (target, key) => (key === 'toString' ? () => target.toString() : Reflect.get(target, key)),
    apply(target, self, [instance, options, done]) {
      let hasFailed = false
      const finish = (error?: unknown): void => {
        hasFailed ||= error != null
        done(error)
      }
      // Always a rejection: what a plugin throws synchronously the loader would let through to the process.
      const fail = (value: unknown): Promise<never> =>
        Promise.reject(value ?? new errorCodes.ALC_ERR_PLUGIN_REJECTED_EMPTY(pluginName(target), String(value)))
      let result: any
      try {
        result = Reflect.apply(target, self, [instance, options, finish])
      } catch (error) {
        // The first failure is the one that is reported; a plugin that goes on after `done(error)` often runs into more.
        return hasFailed ? undefined : fail(error)
      }
      return typeof result?.then === 'function' && result !== instance ? result.then(undefined, fail) : result
    },
  })
}
