/**
 * Starts and ends instances: `onReady` after the boot, `onListen` when the server listens, and one of four closing methods at the end of
 * their scope.
 */
import { errorCodes, type Logger, type ObservedBoot, type RequestOutcome, type Server } from '../../../lib/index.js'
import { inspect, isClass, isContainer, isPromiseLike, noteCloseStep, noteIncomplete, settleWithin } from '../../../lib/internal.js'
import { getHookMethods } from '../../declare/hook.js'
import { ancestors } from '../../wiring/nodes.js'
import { endMethods, labelOfRecord, type ProviderRecord } from '../../wiring/provider-record.js'

/** The instances with the lifetime of the application, in the order of their construction. Each is started and ended once. */
export class Lifetimes {
  /** The instances that the application must end, each with a name for messages. */
  readonly #owned: (readonly [value: object, label: string])[] = []
  readonly #isOwned = new WeakSet<object>()
  /** All instances to start: the instances that the application must end, and provided values, each with the path of its provider. */
  readonly #started = new Map<object, string>()
  #isEnding = false
  /** Whether all instances have ended. An asynchronous factory may complete after that, if the boot has failed meanwhile. */
  hasEnded = false
  /** The observer of the boot, which is told of each provider that is constructed; `undefined` if there is no observer. */
  boot: ObservedBoot | undefined

  /** The provider whose construction is running (after its dependencies) or has failed. */
  constructing: ProviderRecord | undefined
  /** The ms that instances took to be made, without their dependencies. Instances that took less than 1 ms are left out. */
  readonly #times = new Map<ProviderRecord, number>()
  /** The path of the running `onReady` or `onListen`: `App > Users.onReady` */
  starting: string | undefined

  /** Adds an instance that the application has constructed and must therefore end. `path` is the path of its provider: `App > Users` */
  add(value: unknown, label: string, path: string): void {
    if (!isInstance(value) || this.#isOwned.has(value)) return
    this.#isOwned.add(value)
    this.#owned.push([value, label])
    this.#started.set(value, path)
  }

  /** Adds a value that the application starts but does not end, because other code has made the value. */
  addForeign(value: unknown, path: string): void {
    if (isInstance(value) && !this.#started.has(value)) this.#started.set(value, path)
  }

  /** Notes the ms that an instance took to be made. */
  noteTime(record: ProviderRecord, time: number): void {
    if (time >= 1) this.#times.set(record, time)
  }

  /**
   * Says which factory was not over when the time of a plugin was, and which instances took part of that time. A plugin has what the
   * plugins above it have left of theirs.
   * @param limit ms that a plugin may take to load
   */
  describeLateFactory(record: ProviderRecord, limit: number): string {
    const late = `The factory of ${labelOfRecord(record)} has not settled its promise`
    const owners = new Set(ancestors(record.plugin.contextOwner))
    const before = [...this.#times]
      .filter(([other, time]) => time >= limit / 100 && owners.has(other.plugin.contextOwner))
      .sort(([, one], [, other]) => other - one)
      .map(([other, time]) => `${labelOfRecord(other)} took ${Math.round(time)} ms`)
    if (before.length === 0) return `${late} within ${limit} ms.`
    return `${late}. The instances of a plugin and of the plugins above it have ${limit} ms together, of which ${before.join(', ')}.`
  }

  /** Calls `onReady()` of each instance that has this method, in the order of construction. */
  async ready(): Promise<void> {
    for (const [value, path] of this.#started) {
      if (!mayHave(value, 'onReady') || isHook(value, 'onReady')) continue
      this.starting = `${path}.onReady`
      try {
        await (value as { onReady?: () => unknown }).onReady?.()
      } catch (error) {
        if (error instanceof Error && Object.isExtensible(error)) Object.assign(error, { context: this.starting })
        throw error
      }
    }
    this.starting = undefined
  }

  /**
   * Calls `onListen()` of each instance that has this method, one after the other. If the server begins to close during a call, the
   * remaining instances are not called.
   * @throws the first error, with its place
   */
  async listening(): Promise<void> {
    for (const [value, path] of this.#started) {
      if (this.#isEnding) return
      if (!mayHave(value, 'onListen') || isHook(value, 'onListen')) continue
      this.starting = `${path}.onListen`
      try {
        await (value as { onListen?: () => unknown }).onListen?.()
      } catch (error) {
        throw placed(error, this.starting)
      }
    }
    this.starting = undefined
  }

  /**
   * Ends all instances in reverse order.
   * @param limit the time for each instance, in ms; afterwards the next instance is ended. 0: no limit
   */
  async end(server: Server, limit: number): Promise<void> {
    this.#isEnding = true
    const onFailure = (): void => noteIncomplete(server)
    while (this.#owned.length > 0) {
      const [value, label] = this.#owned.pop()!
      const endMethod = endMethodOf(value)
      if (endMethod !== undefined && isHook(value, endMethod)) continue
      noteCloseStep(server, label)
      await endInstance(value, server.log, { limit: limit === 0 ? undefined : limit, label, onFailure })
    }
    this.hasEnded = true
  }
}

/** Whether a value may have methods that are called: an object, or a function such as the client that `postgres` makes. */
function isInstance(value: unknown): value is Record<PropertyKey, any> {
  return isContainer(value) || typeof value === 'function'
}

/**
 * Whether an instance may have a method of its own. The static methods of a class are not methods of an instance. A client may be a Proxy of
 * a function that has a function for every name that is read: only names that it says to have count.
 */
function mayHave(value: object, method: string | symbol): boolean {
  return typeof value !== 'function' || (method in value && !isClass(value))
}

/**
 * Whether a method is a hook of its plugin class, such as `@Hook('onClose') onClose() {}`. The hook calls it, so that it must not be called
 * once more.
 */
function isHook(value: object, method: string | symbol): boolean {
  if (typeof (value as Record<string | symbol, unknown>)[method] !== 'function') return false
  const Class: unknown = value.constructor
  return typeof Class === 'function' && getHookMethods(Class).some(({ member }) => member === method)
}

/**
 * Returns an error with the place `context`. A thrown value that is not an error, or that cannot be changed, becomes the cause of a new
 * error.
 */
function placed(error: unknown, context: string): Error {
  if (error instanceof Error && Object.isExtensible(error)) return Object.assign(error, { context })
  const failure = new errorCodes.ALC_ERR_PLUGIN_REJECTED_EMPTY(context, inspect(error))
  return Object.assign(failure, { context, cause: error })
}

/** An instance with `onRequestEnd`, which is called when its request ends, before the instance itself is ended. */
export interface EndsWithRequest {
  onRequestEnd(outcome: RequestOutcome): unknown
}

/** Whether an instance has the method `onRequestEnd`. */
export function endsWithRequest(value: unknown): value is EndsWithRequest {
  return isInstance(value) && mayHave(value, 'onRequestEnd') && typeof (value as Partial<EndsWithRequest>).onRequestEnd === 'function'
}

/** Whether `onRequestEnd` of an instance is called before the reply is sent, because its class has `static endsBefore = 'reply'`. */
export function endsBeforeReply(value: EndsWithRequest): boolean {
  return (value.constructor as { endsBefore?: unknown } | undefined)?.endsBefore === 'reply'
}

/**
 * The key of a static member of a class: if true, `onRequestEnd` of its instances is called after `onRequestEnd` of all other instances.
 * Those that end before the reply then all get the outcome that was expected when the first one was called.
 */
export const kEndsLast = Symbol('alcove.ends-last')

/** Whether `onRequestEnd` of an instance is called after `onRequestEnd` of all other instances, whatever the order of construction. */
export function endsLast(value: EndsWithRequest): boolean {
  return (value.constructor as { [kEndsLast]?: unknown } | undefined)?.[kEndsLast] === true
}

function endMethodOf(value: any): (typeof endMethods)[number] | undefined {
  return endMethods.find((name) => mayHave(value, name) && typeof value[name] === 'function')
}

/** Whether an instance has a method that must be called at its end. */
export function needsEnd(value: any): boolean {
  return isInstance(value) && (endsWithRequest(value) || endMethodOf(value) !== undefined)
}

interface EndOptions {
  /** The time after which an asynchronous end counts as failed, in ms. Default: no limit */
  readonly limit?: number | undefined
  /** The name of the instance in messages. Default: the name of its class */
  readonly label?: string
  /** Whether the process is kept alive until the instance has ended, within the limit. Default: true */
  readonly keepsAlive?: boolean
  /** A function that is called if the instance could not be ended, or has not ended within the limit. */
  readonly onFailure?: () => void
}

/**
 * Ends an instance by its first closing method, if it has one. A failure is logged and not thrown, because the other instances must be
 * ended too.
 * @returns a promise if the closing method is asynchronous
 */
export function endInstance(value: any, log: Logger, { limit, label, keepsAlive, onFailure }: EndOptions = {}): Promise<void> | undefined {
  if (!isInstance(value)) return undefined
  const logFailure = (error: unknown): void => {
    log.error({ err: error }, `${label ?? classNameOf(value)} could not be closed`)
    onFailure?.()
  }
  try {
    const endMethod = endMethodOf(value)
    const ended: unknown = endMethod && value[endMethod]()
    if (!isPromiseLike(ended)) return undefined
    return (limit === undefined ? Promise.resolve(ended) : settleWithin(limit, ended, keepsAlive)).then(() => {}, logFailure)
  } catch (error) {
    logFailure(error)
    return undefined
  }
}

/** Returns the name of an instance's class, for messages. */
export function classNameOf(value: any): string {
  try {
    return value.constructor.name
  } catch {
    return 'a provider'
  }
}
