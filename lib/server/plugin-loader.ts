/**
 * The order of booting and closing (avvio, the only file that knows it): plugins load one after the other, each after those
 * registered before it; then routes are compiled; then onReady hooks run.
 */
import { inspect } from 'node:util'
import avvio from 'avvio'
import type { Context } from '../context/context.js'
import type { Server } from '../types/contract.js'
import { errorCodes } from '../errors.js'
import { isError } from '../lifecycle/send-error.js'
import { pluginName } from './plugin-metadata.js'
import { kContext } from '../util/symbols.js'

const avvioCodes: Record<
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
  ready: boolean
  /** `close` was called; what comes before it in the queue may still be loading. */
  closeAsked: boolean
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
  /** Takes what an onRoute or onRegister hook gave: nobody waits for a promise, but what it is rejected with fails the boot. */
  watch(result: unknown): void
  /** For contexts made later: their `ready` belongs to the same queue. */
  readonly bindReady: (instance: Server) => void
}

/** Sets up `register`, `after`, `ready`, `onClose` and `close` on the root instance, and gives the rest. */
export function createBoot({ instance, context, state, pluginTimeout, enter, compile }: BootOptions): Boot {
  const loader: any = avvio(instance as any, { autostart: false, timeout: pluginTimeout, expose: { use: 'register' } })
  loader.override = (parent: Server, plugin: any, options: any): Server => {
    try {
      return enter(parent, plugin, options)
    } catch (failure) {
      throw asError(failure, `The plugin '${pluginName(plugin)}'`)
    }
  }
  loader.on('start', () => (state.started = true))
  loader.once('preReady', compile)
  const root = instance as any
  const queue: (callback: (error: unknown, done: (error?: unknown) => void) => void) => void = root.ready
  wrapRegister(root, pluginTimeout)
  wrapCallbacks(root)

  const close = root.close
  root.close = function (this: any, callback?: unknown) {
    assertCallback('close', callback)
    state.closeAsked = true
    return close.call(this, callback)
  }

  let readyPromise: Promise<Server> | undefined
  let isListed = false
  let failure: unknown

  function watch(result: any): void {
    if (typeof result?.then !== 'function') return
    result.then(undefined, (error: unknown) => {
      if (state.ready) instance.log.error({ err: error }, 'an onRoute or onRegister hook failed after the server was ready')
      else failure ??= error ?? new errorCodes.ALC_ERR_SEND_UNDEFINED_ERR()
    })
  }

  root.ready = function ready(this: Server, callback?: (error: unknown, server?: Server) => void): Promise<Server> | Server {
    readyPromise ??= new Promise<Server>((resolve, reject) => {
      process.nextTick(() => {
        queue.call(root, (error, done) => {
          const settle = (cause?: unknown): void => {
            const reason = cause ?? failure
            if (reason != null) return reject(translate(reason))
            state.ready = true
            // The loader says so only in a later tick; who awaited us may call something before.
            state.started = true
            resolve(instance)
          }
          if (error != null || state.started || isListed) settle(error)
          else {
            isListed = true
            runApplicationHooks('onReady', settle)
          }
          done()
        })
      })
    })
    assertCallback('ready', callback)
    if (callback == null) return readyPromise
    readyPromise.then(
      () => callback(null, instance),
      (error) => callback(error),
    )
    return this
  }

  function runApplicationHooks(name: 'onReady' | 'preClose', done: (error?: unknown) => void): void {
    const steps = collect(context, name)
    if (steps.length === 0) return done()
    let running = ''
    for (const { hook, owner, path } of steps) {
      const label = `${name} hook${hook.name === '' ? '' : ` '${hook.name}'`} of '${path}'`
      queue.call(
        root,
        runStep(hook, owner, `The ${label}`, () => (running = label)),
      )
    }
    // The last in the queue sees what went wrong before it.
    queue.call(root, (error, next) => {
      const isLate = (error as { code?: unknown } | null)?.code === 'AVV_ERR_READY_TIMEOUT'
      const failure = isLate
        ? Object.assign(new errorCodes.ALC_ERR_HOOK_TIMEOUT(name), { cause: error, context: running })
        : translate(error)
      done(failure)
      next(failure)
    })
  }

  return {
    printPlugins: () => loader.prettyPrint(),
    runApplicationHooks,
    watch,
    bindReady: (child) => {
      ;(child as any).ready = (callback?: any) => {
        assertCallback('ready', callback)
        return queue.call(child, callback)
      }
    },
  }
}

interface Step {
  readonly hook: (...args: any[]) => any
  readonly owner: Server
  /** `App > PublicPlugin` */
  readonly path: string
}

function collect(context: Context, name: 'onReady' | 'preClose'): Step[] {
  return [
    ...context.hooks[name].map(({ run }) => ({ hook: run, owner: context.instance, path: context.path })),
    ...context.children.flatMap((child) => collect(child, name)),
  ]
}

function runStep(hook: Step['hook'], owner: Server, who: string, onStart: () => void) {
  return function step(error: unknown, done: (error?: unknown) => void): void {
    if (error != null) return done(error)
    onStart()
    const fail = (failure: unknown): void => done(asError(failure, who))
    try {
      if (hook.length === 1) return void hook.call(owner, (failure: unknown) => (failure == null ? done() : fail(failure)))
      const result = hook.call(owner)
      if (typeof result?.then !== 'function') return done()
      result.then(() => done(), fail)
    } catch (failure) {
      fail(failure)
    }
  }
}

/**
 * What a plugin or a hook failed with, as an error. The loader takes what is falsy for success, and what is no error tells nobody
 * where it came from.
 */
function asError(failure: unknown, who: string): Error {
  try {
    if (isError(failure)) return failure
  } catch {
    // A revoked proxy.
  }
  const error = new errorCodes.ALC_ERR_PLUGIN_REJECTED_EMPTY(who, show(failure))
  error.cause = failure
  return error
}

function show(value: unknown): string {
  try {
    return inspect(value, { depth: 1, customInspect: false })
  } catch {
    return `a value of type ${typeof value}`
  }
}

/** Where the plugins were registered that have been called. */
const contextPaths = new WeakMap<object, string>()

/** Says in which context something failed, where the error can be told. */
function locate(error: Error, path: string | undefined): Error {
  if (path !== undefined && Object.isExtensible(error) && !('context' in error)) Object.assign(error, { context: path })
  return error
}

/** The loader's own errors under our codes. */
function translate(error: unknown): unknown {
  const code = avvioCodes[(error as { code?: string })?.code ?? '']
  if (code === undefined) return error
  const translated = new errorCodes[code]((error as Error).message)
  translated.cause = error
  locate(translated, contextPaths.get((error as { fn?: object }).fn!))
  return translated
}

/** What a plugin fails with fails the boot, whatever it is; the loader alone would take some of it for success. */
function wrapRegister(root: any, timeout: number): void {
  const register = root.register
  root.register = function (this: any, plugin: any, options: any) {
    try {
      register.call(this, guard(plugin, timeout), options)
    } catch (error) {
      throw translate(error)
    }
    return this
  }
}

function assertCallback(method: string, callback: unknown): void {
  if (callback == null || typeof callback === 'function') return
  throw new errorCodes.ALC_ERR_PLUGIN_CALLBACK_NOT_FN(`${method} expects a function, got '${typeof callback}'`)
}

/** What these throw synchronously the loader would let through to the process, and then never go on. */
function wrapCallbacks(root: any): void {
  for (const name of ['onClose', 'after']) {
    const add = root[name]
    root[name] = function (this: any, callback?: any) {
      assertCallback(name, callback)
      if (callback == null) return add.call(this)
      add.call(this, guardCallback(callback, `The ${name} ${name === 'after' ? 'callback' : 'hook'}`))
      return this
    }
  }
}

function guardCallback(callback: (...args: any[]) => any, who: string): (...args: any[]) => any {
  const label = callback.name === '' ? who : `${who} '${callback.name}'`
  return new Proxy(callback, {
    apply(target, self, args) {
      // The loader calls back only whom it gave a callback: the last of two parameters, or of three.
      const done = target.length >= 2 ? args.at(-1) : undefined
      const fail = (failure: unknown): unknown => {
        const error = asError(failure, label)
        return done === undefined ? Promise.reject(error) : done(error)
      }
      try {
        const result = Reflect.apply(target, self, args)
        return typeof result?.then === 'function' && done === undefined ? result.then(undefined, fail) : result
      } catch (error) {
        return fail(error)
      }
    },
  })
}

function guard(plugin: any, timeout: number): any {
  if (typeof plugin?.then === 'function' && typeof plugin !== 'function') return guardPromise(plugin, timeout)
  return guardLoaded(plugin)
}

/** The loader's own timeout begins when there is a plugin to be called. */
function guardPromise(promise: PromiseLike<any>, timeout: number): Promise<any> {
  const who = 'A plugin that was registered as a promise'
  const loaded = new Promise((resolve, reject) => {
    const late = (): void => reject(new errorCodes.ALC_ERR_PLUGIN_TIMEOUT(`${who} did not load in time`))
    const timer = timeout > 0 ? setTimeout(late, timeout) : undefined
    Promise.resolve(promise)
      .then(guardModule, (failure: unknown) => Promise.reject(asError(failure, who)))
      .finally(() => clearTimeout(timer))
      .then(resolve, reject)
  })
  // The loader listens when its turn has come.
  loaded.catch(() => {})
  return loaded
}

/** The loader would fail on what is no module where nobody could catch it. */
function guardModule(loaded: unknown): unknown {
  const plugin: unknown = guardLoaded(loaded)
  if (typeof plugin === 'function') return plugin
  throw new errorCodes.ALC_ERR_PLUGIN_NOT_VALID(`A plugin must be a function or a promise of one. Received: '${typeof plugin}'`)
}

function guardLoaded(plugin: any): any {
  if (plugin !== null && typeof plugin === 'object' && typeof plugin.default === 'function') return guardLoaded(plugin.default)
  if (typeof plugin !== 'function') return plugin
  const guarded = new Proxy(plugin, {
    // The loader names an anonymous plugin by its source.
    get: (target, key) => (key === 'toString' ? () => target.toString() : Reflect.get(target, key)),
    apply(target, self, [instance, options, done]) {
      const who = `The plugin '${pluginName(target)}'`
      const { path } = instance[kContext] as Context
      contextPaths.set(guarded, path)
      let hasFailed = false
      const finish = (failure?: unknown): void => {
        if (failure == null) return done()
        hasFailed = true
        done(locate(asError(failure, who), path))
      }
      // Always a rejection: what a plugin throws synchronously the loader would let through to the process.
      const fail = (failure: unknown): Promise<never> => Promise.reject(locate(asError(failure, who), path))
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
  return guarded
}
