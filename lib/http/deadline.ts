/**
 * Deadlines of requests. All deadlines with the same span of time are in one queue, in the order in which they fall due. So one timer
 * serves them all, and a request that is answered in time costs two changes of pointers.
 */
import { AsyncResource } from 'node:async_hooks'
import { kNext, kPrevious, LinkedList, type ListEntry } from '../util/linked-list.js'

/** The longest time, in ms, that a timer of Node can wait. If a longer time is set, the timer fires at once. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1

const timerResource = new AsyncResource('alcove.timers')

/**
 * Starts a timer that requests share. The function runs outside of the AsyncLocalStorage of the request that starts the timer, because that
 * storage must not leak into other requests.
 * @param wait ms
 */
export function startSharedTimer(call: () => void, wait: number): NodeJS.Timeout {
  return timerResource.runInAsyncScope(() => setTimeout(call, wait))
}

/** A time at which `onDue` is called, unless the deadline is cancelled earlier. */
export class Deadline<Subject = any> {
  // Set by its queue.
  /** The time at which the deadline falls due, in ms of `performance.now()`. */
  dueAt = 0
  queue: Deadlines | undefined = undefined;
  [kPrevious]: ListEntry | undefined = undefined;
  [kNext]: ListEntry | undefined = undefined
  readonly subject: Subject
  /**
   * The function that is called when the deadline falls due, with the subject as its argument. Deadlines for the same purpose share one
   * function.
   */
  readonly onDue: (subject: Subject) => void

  constructor(subject: Subject, onDue: (subject: Subject) => void) {
    this.subject = subject
    this.onDue = onDue
  }

  /** Cancels the deadline. This method may be called more than once, and for a deadline that was never added to a queue. */
  cancel(): void {
    this.queue?.remove(this)
  }
}

/** A queue of deadlines. Each deadline falls due the same span of time after it was added. */
export class Deadlines {
  /** The time, in ms, from the adding of a deadline until it falls due. */
  readonly span: number
  readonly #entries = new LinkedList<Deadline>()
  #timer: NodeJS.Timeout | undefined
  /** The number of injected requests that wait for their reply. */
  #holds = 0

  /** Makes an empty queue. @param span ms from the adding of a deadline until it falls due */
  constructor(span: number) {
    this.span = span
  }

  /** Adds a deadline to the queue. The deadline falls due when the span of the queue is over. @param now ms, of `performance.now()` */
  add(entry: Deadline, now = performance.now()): void {
    entry.dueAt = now + this.span
    entry.queue = this
    this.#entries.add(entry)
    // A timer that runs is not stopped when the queue becomes empty: the next request would only start it again.
    if (this.#timer === undefined) this.#startTimer(this.span)
  }

  remove(entry: Deadline): void {
    if (entry.queue !== this) return
    entry.queue = undefined
    this.#entries.remove(entry)
  }

  /** Starts the timer of the queue. @param wait ms */
  #startTimer(wait: number): void {
    this.#timer = startSharedTimer(() => this.#check(), wait)
    if (this.#holds === 0) this.#timer.unref()
  }

  /**
   * Lets the timer of this queue keep the process alive until `release` is called. Injected requests need this. Requests from the network
   * do not, because their sockets keep the process alive.
   */
  hold(): void {
    this.#holds++
    this.#timer?.ref()
  }

  /** Takes back one call of `hold`, which let the timer keep the process alive. */
  release(): void {
    if (--this.#holds === 0) this.#timer?.unref()
  }

  #check(): void {
    const now = performance.now()
    try {
      // The timer stays set until the loop is over: for a deadline that is added meanwhile, `add` would start one of the whole span, and the
      // deadlines that fall due before it would wait for it.
      for (let first = this.#entries.first; first !== undefined && first.dueAt <= now; first = this.#entries.first) {
        this.remove(first)
        first.onDue(first.subject)
      }
    } finally {
      const { first } = this.#entries
      this.#timer = undefined
      if (first !== undefined) this.#startTimer(Math.max(1, first.dueAt - now))
    }
  }
}
