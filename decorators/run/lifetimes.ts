/** When instances start and end: `onReady` after the boot, and one of four closing methods at the end of their scope. */
import type { Logger } from '../../lib/index.js'
import { settleWithin } from '../../lib/internal.js'
import { isPromise } from './promises.js'

/** The instances that live as long as the application, in the order in which they were constructed. Each is started and ended once. */
export class Lifetimes {
  /** The instances that the application owns, each with a name for messages. */
  readonly #owned: (readonly [value: object, label: string])[] = []
  readonly #isOwned = new WeakSet<object>()
  /** These and the values that it was given, each with the path of its provider. */
  readonly #started = new Map<object, string>()

  /** The `onReady` that has been called and is not over: `App > Users.onReady` */
  starting: string | undefined

  /** Adds an instance that was constructed here. `path` says where: `App > Users` */
  add(value: unknown, label: string, path: string): void {
    if (value === null || typeof value !== 'object' || this.#isOwned.has(value)) return
    this.#isOwned.add(value)
    this.#owned.push([value, label])
    if (!this.#started.has(value)) this.#started.set(value, path)
  }

  /** Adds a value that is only started: its maker ends it. */
  addForeign(value: unknown, path: string): void {
    if (value !== null && typeof value === 'object' && !this.#started.has(value)) this.#started.set(value, path)
  }

  /** Calls `onReady()` of each instance that has it, in the order in which they were constructed. */
  async ready(): Promise<void> {
    for (const [value, path] of this.#started) {
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
   * Ends all instances in reverse order.
   * @param limit ms that each may take; then the next one is ended. 0: no limit
   */
  async end(log: Logger, limit: number): Promise<void> {
    while (this.#owned.length > 0) {
      const [value, label] = this.#owned.pop()!
      await endInstance(value, log, limit === 0 ? undefined : limit, label)
    }
  }
}

/** The methods that end an instance; the first that it has is called. */
const endMethods = [Symbol.asyncDispose, Symbol.dispose, 'onClose', 'dispose'] as const

/**
 * Ends an instance by its own method. A failure is logged and not thrown, because the other instances have to be ended too.
 * @param limit ms after which an asynchronous end counts as failed. Default: no limit
 * @param label for the message. Default: the name of the class
 */
export async function endInstance(value: any, log: Logger, limit?: number, label?: string): Promise<void> {
  if (value === null || typeof value !== 'object') return
  try {
    const endMethod = endMethods.find((name) => typeof value[name] === 'function')
    if (endMethod === undefined) return
    const ended: unknown = value[endMethod]()
    if (isPromise(ended)) await (limit === undefined ? ended : settleWithin(limit, ended))
  } catch (error) {
    log.error({ err: error }, `${label ?? classNameOf(value)} could not be closed`)
  }
}

function classNameOf(value: any): string {
  try {
    return value.constructor.name
  } catch {
    return 'a provider'
  }
}
