/**
 * The order of booting and closing (avvio, which only this file imports): plugins load one after the other, each after the plugins that
 * were registered before it. Then the routes are compiled, and the onReady hooks run.
 */
import avvio from 'avvio'
import type { Context } from '../../context/context.js'
import type { Conventions } from '../../context/conventions.js'
import { labelOfFunction } from '../../context/hooks.js'
import { errorCodes } from '../../errors/codes.js'
import type { Server } from '../../types/server.js'
import { kContext } from '../../util/symbols.js'
import { collectHooks, runApplicationHook } from '../application-hooks.js'
import type { ServerState } from '../server-state.js'
import { addContextPath, asError, assertCallback, isReadyTimeout, translateLoaderError } from './plugin-errors.js'
import { guardCallback, guardPlugin } from './plugin-guards.js'
import { pluginName } from './plugin-metadata.js'

export interface PluginLoaderDependencies {
  readonly root: Server
  readonly context: Context
  readonly state: ServerState
  /** ms that a plugin may take to load, and that the onReady and preClose hooks may take; 0: no limit */
  readonly pluginTimeout: number
  readonly conventions: Conventions
  /**
   * Returns the instance that a plugin runs with: a child of the parent instance, or the parent instance itself if the plugin shares its
   * context.
   */
  readonly enter: (parent: Server, plugin: any, options: any) => Server
  /** Runs the preClose hooks, closes the port and waits for the requests. Does nothing if this was done before. */
  readonly endRequests: (done: () => void) => void
  /** Compiles the routes. Called when all plugins are loaded; an error fails the boot. */
  readonly compile: () => void
  /** Is called when the onReady hooks have run. */
  readonly onReadyHooksRun: () => void
}

/** Adds a step to avvio's queue; `this` is the server instance that the step belongs to. */
type Enqueue = (this: unknown, step: (error: unknown, done: (error?: unknown) => void) => void) => void

export class PluginLoader {
  readonly #dependencies: PluginLoaderDependencies
  // avvio's types describe neither `override` nor the methods that it adds to the instance.
  readonly #avvio: any
  readonly #enqueue: Enqueue
  #readyPromise: Promise<Server> | undefined
  /** Whether the onReady hooks were added to avvio's queue. */
  #hasQueuedHooks = false
  /** The first rejection of a hook whose promise nothing waits for. */
  #failure: unknown

  /** Adds `register`, `after`, `ready`, `onClose` and `close` to the root instance. */
  constructor(dependencies: PluginLoaderDependencies) {
    this.#dependencies = dependencies
    const { state, pluginTimeout, enter, compile, endRequests } = dependencies
    const { presentError } = dependencies.conventions
    // The methods that avvio adds are replaced below by methods that check and guard their arguments.
    const root: any = dependencies.root
    this.#avvio = avvio(root, { autostart: false, timeout: pluginTimeout, expose: { use: 'register' } })
    this.#avvio.override = (parent: Server, plugin: any, options: any): Server => {
      try {
        return enter(parent, plugin, options)
      } catch (failure) {
        throw presentError(asError(failure, `The plugin '${pluginName(plugin)}'`))
      }
    }
    this.#avvio.on('start', () => (state.started = true))
    // Added last, so that it runs first on close: no request may reach what onClose hooks take away.
    const endRequestsFirst = (): void => void root.onClose((_instance: Server, done: () => void) => endRequests(done))
    this.#avvio.once('preReady', () => {
      endRequestsFirst()
      compile()
    })
    this.#enqueue = root.ready
    wrapRegister(root, pluginTimeout)
    wrapCallbacks(root, state)
    wrapClose(root, state, endRequestsFirst)
    const getReady = (): Promise<Server> => (this.#readyPromise ??= this.#boot())
    root.ready = function ready(this: Server, callback?: (error: unknown, server?: Server) => void): Promise<Server> | Server {
      const promise = getReady()
      assertCallback('ready', callback)
      if (callback == null) return promise
      promise.then(
        () => callback(null, dependencies.root),
        (error) => callback(error),
      )
      return this
    }
  }

  #boot(): Promise<Server> {
    const { root, state, onReadyHooksRun, conventions } = this.#dependencies
    const { presentError } = conventions
    return new Promise<Server>((resolve, reject) => {
      const finish = (cause?: unknown): void => {
        const reason = cause ?? this.#failure
        if (reason != null) return reject(presentError(translateLoaderError(reason)))
        onReadyHooksRun()
        state.ready = true
        // avvio emits `start` only in a later tick. The code that awaits this promise may run before.
        state.started = true
        resolve(root)
      }
      process.nextTick(() => {
        this.#enqueue.call(root, (error, done) => {
          if (error != null || state.started || this.#hasQueuedHooks) finish(error)
          else {
            this.#hasQueuedHooks = true
            this.runApplicationHooks('onReady', finish)
          }
          done()
        })
      })
    })
  }

  /** Returns the plugins as a tree for people to read, with the ms that each took to load. */
  print(): string {
    return this.#avvio.prettyPrint()
  }

  /** Adds the method `ready` to the instance of a child context. It waits for the same boot as the root's `ready`. */
  addReady(child: Server): void {
    const enqueue: any = this.#enqueue
    ;(child as { ready: unknown }).ready = (callback?: unknown) => {
      assertCallback('ready', callback)
      return enqueue.call(child, callback)
    }
  }

  /**
   * Watches the result of an onRoute or onRegister hook. If the result is a promise, nothing waits for it, but its rejection fails the
   * boot.
   */
  watch(result: any): void {
    if (typeof result?.then !== 'function') return
    const { root, state } = this.#dependencies
    result.then(undefined, (error: unknown) => {
      if (state.ready) root.log.error({ err: error }, 'an onRoute or onRegister hook failed after the server was ready')
      else this.#failure ??= asError(error, 'An onRoute or onRegister hook')
    })
  }

  /** Runs the onReady or preClose hooks of all contexts, one after the other, as steps of avvio's queue. */
  runApplicationHooks(name: 'onReady' | 'preClose', done: (error?: unknown) => void): void {
    const { root, context, state, conventions } = this.#dependencies
    const hooks = collectHooks(context, name)
    // The steps of contexts that wait for `ready` are in the queue already, before the step of the root.
    if (hooks.length === 0 && (name === 'preClose' || context.children.length === 0)) return done()
    const isBoot = name === 'onReady'
    let running = ''
    let failure: unknown
    const note = (error: unknown): void => {
      if (error == null) return
      const noted = conventions.presentError(
        isReadyTimeout(error)
          ? Object.assign(new errorCodes.ALC_ERR_HOOK_TIMEOUT(name), { cause: error, context: running })
          : translateLoaderError(error),
      )
      failure ??= noted
      // `close` rejects with one error only.
      if (!isBoot) root.log.error({ err: noted }, `the ${running} failed`)
    }
    for (const { hookFunction, owner, label } of hooks) {
      this.#enqueue.call(root, (error, next) => {
        note(error)
        // A boot ends at its first error. A server that closes ends as much as it can.
        if (isBoot && failure !== undefined) return next(failure)
        running = label
        state.describeWait = () => `the ${label}`
        runApplicationHook(hookFunction, owner, next, (thrown) => next(addContextPath(asError(thrown, `The ${label}`), label)))
      })
    }
    // A step of the queue gets the error of the step before it.
    this.#enqueue.call(root, (error, next) => {
      note(error)
      done(failure)
      next(failure)
    })
  }
}

function wrapRegister(root: any, timeout: number): void {
  const register = root.register
  root.register = function (this: any, plugin: any, options: any) {
    try {
      register.call(this, guardPlugin(plugin, timeout), options)
    } catch (error) {
      throw translateLoaderError(error)
    }
    return this
  }
}

function wrapCallbacks(root: any, state: ServerState): void {
  for (const name of ['onClose', 'after']) {
    const add = root[name]
    root[name] = function (this: any, callback?: any) {
      assertCallback(name, callback)
      if (callback == null) return add.call(this)
      const label = labelOfFunction(`${name} ${name === 'onClose' ? 'hook' : 'callback'}`, callback)
      if (name === 'after') add.call(this, guardCallback(callback, `The ${label}`))
      else {
        const step = `the ${label} of '${this[kContext].path}'`
        // `close` rejects with one error only.
        const onFailure = (error: unknown): void => root.log.error({ err: error }, `${step} failed`)
        add.call(this, guardCallback(callback, `The ${label}`, { owner: this, onCall: () => (state.describeWait = () => step), onFailure }))
      }
      return this
    }
  }
}

function wrapClose(root: any, state: ServerState, endRequestsFirst: () => void): void {
  const close = root.close
  root.close = function (this: any, callback?: unknown) {
    assertCallback('close', callback)
    // `onClose` may have been called since the boot.
    if (!state.closeAsked && state.started) endRequestsFirst()
    state.closeAsked = true
    return close.call(this, callback)
  }
}
