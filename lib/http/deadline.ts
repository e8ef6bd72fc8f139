/**
 * Deadlines of requests. All that wait for the same span stand in a queue in which the next one due is always the first, so
 * one timer serves them all, and a request that is answered in time costs two pointer changes.
 */

import { AsyncResource } from 'node:async_hooks'

/** ms; timers that are set to more fire at once */
export const MAX_TIMEOUT = 2 ** 31 - 1

/** Timers are started by whichever request comes first: what it had entered is not for the others. */
const nobody = new AsyncResource('alcove.deadlines')

/** Something that must be over in time. */
export class Deadline<Subject = any> {
  // Of its queue.
  due = 0
  before: Deadline | undefined = undefined
  after: Deadline | undefined = undefined
  queue: Deadlines | undefined = undefined
  readonly subject: Subject
  /** Takes the subject, so that those of many share one function. */
  readonly onDue: (subject: Subject) => void

  constructor(subject: Subject, onDue: (subject: Subject) => void) {
    this.subject = subject
    this.onDue = onDue
  }

  /** It was over in time, or somebody else sees to it. */
  end(): void {
    this.queue?.remove(this)
  }
}

/** A queue of things that are due after the same span. */
export class Deadlines {
  /** ms */
  readonly span: number
  #first: Deadline | undefined
  #last: Deadline | undefined
  #isTimed = false

  /** @param span ms */
  constructor(span: number) {
    this.span = span
  }

  /** @param now ms, of `performance.now()` */
  add(entry: Deadline, now = performance.now()): void {
    entry.due = now + this.span
    entry.queue = this
    entry.before = this.#last
    entry.after = undefined
    if (this.#last === undefined) this.#first = entry
    else this.#last.after = entry
    this.#last = entry
    // Left running when the queue empties: the next request would only start it again.
    if (!this.#isTimed) this.#checkIn(this.span)
  }

  remove(entry: Deadline): void {
    if (entry.queue !== this) return
    entry.queue = undefined
    if (entry.before === undefined) this.#first = entry.after
    else entry.before.after = entry.after
    if (entry.after === undefined) this.#last = entry.before
    else entry.after.before = entry.before
    entry.before = entry.after = undefined
  }

  /** @param wait ms */
  #checkIn(wait: number): void {
    this.#isTimed = true
    nobody.runInAsyncScope(() => void setTimeout(() => this.#check(), wait).unref())
  }

  #check(): void {
    this.#isTimed = false
    const now = performance.now()
    while (this.#first !== undefined && this.#first.due <= now) {
      const entry = this.#first
      this.remove(entry)
      entry.onDue(entry.subject)
    }
    if (this.#first !== undefined && !this.#isTimed) this.#checkIn(Math.max(1, this.#first.due - now))
  }
}
