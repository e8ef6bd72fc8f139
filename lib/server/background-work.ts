/**
 * Work that is not a request: jobs, timers, consumers of a queue. A server that closes asks such work to end and waits for it before the
 * onClose hooks run, because these hooks end the services that the work uses.
 */
import { MAX_TIMEOUT_MS } from '../http/deadline.js'
import type { Logger } from '../types/logger.js'
import { settleWithin } from '../util/promises.js'

/**
 * ms that the instances which belong to abandoned work may take to end, before the services that they use are ended. After a signal, the rest
 * of the time for closing is for the onClose hooks.
 */
const ABANDON_LIMIT = 500

export interface BackgroundWork {
  /** The name of the work in messages: `the work 'nightly report' of App > Reports` */
  readonly label: string
  /** Whether the work counts as a part of a request, such as the end of its scope: `whenRequestsAreOver` waits for it too. */
  readonly isOfRequest?: boolean
  /** Tells the work that the server closes. The work may continue until the server stops waiting for it. */
  askToEnd(): void
  /** Ends the objects that belong to the work, because the server no longer waits for the work. */
  abandon(): Promise<void>
}

/** All work of a server that is not a request. */
export class BackgroundWorks {
  readonly #works = new Set<BackgroundWork>()
  #isClosing = false
  #isOver = false
  #onIdle: (() => void) | undefined

  get labels(): string[] {
    return [...this.#works].map(({ label }) => label)
  }

  /** The number of works that count as parts of requests. */
  get countOfRequests(): number {
    return [...this.#works].filter(({ isOfRequest }) => isOfRequest === true).length
  }

  /** Adds work that begins now. @returns `false` if the server has closed, so that nothing may begin */
  add(work: BackgroundWork): boolean {
    if (this.#isOver) return false
    this.#works.add(work)
    if (this.#isClosing) work.askToEnd()
    return true
  }

  /** Removes work that has ended. */
  remove(work: BackgroundWork): void {
    if (this.#works.delete(work) && this.#works.size === 0) this.#onIdle?.()
  }

  /** Asks all work to end, also work that is begun by requests while the server closes. */
  askToEnd(): void {
    this.#isClosing = true
    for (const work of this.#works) work.askToEnd()
  }

  /**
   * Waits until no work is left, and refuses new work from then on. Work that is left after the limit is logged and abandoned.
   * @param limit ms; `undefined`: no limit
   * @param done called with `true` if all work has ended by itself, otherwise with `false`
   */
  whenIdle(limit: number | undefined, logger: Logger, done: (areAllOver: boolean) => void): void {
    const finish = (): void => {
      this.#isOver = true
      this.#onIdle = undefined
      const left = [...this.#works]
      this.#works.clear()
      if (left.length === 0) return done(true)
      for (const { label } of left) logger.error(`${label} has not ended while the server closed`)
      const ends = settleWithin(ABANDON_LIMIT, Promise.all(left.map((work) => work.abandon())))
      const whenEnded = (): void => done(false)
      ends.then(whenEnded, whenEnded)
    }
    if (this.#works.size === 0) return finish()
    // The timer keeps the process alive if nothing else does, because the work still has this time.
    const timer = setTimeout(finish, Math.min(MAX_TIMEOUT_MS, Math.max(0, limit ?? MAX_TIMEOUT_MS)))
    this.#onIdle = () => {
      clearTimeout(timer)
      finish()
    }
  }
}
