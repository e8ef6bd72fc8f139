/** Determines the times at which a scheduled job is added to its queue. */
import { MAX_TIMEOUT_MS } from '../../../lib/internal.js'
import { timesOfCron } from '../../jobs/cron.js'
import type { ScheduledJobOptions } from '../../jobs/job.js'

/**
 * Returns a function that computes the first time of a schedule after a given time. The function returns `undefined` if there is no such
 * time.
 */
function timesOf({ every, cron, timezone }: ScheduledJobOptions): (after: Date) => Date | undefined {
  if (cron !== undefined) return timesOfCron(cron, timezone)
  return (after) => new Date((Math.floor(after.getTime() / every!) + 1) * every!)
}

/** Calls a function at each time of a schedule, until it is stopped. Times at which the process could not run are skipped. */
export class Schedule {
  readonly #next: (after: Date) => Date | undefined
  readonly #call: (at: Date) => void
  #timer: NodeJS.Timeout | undefined

  /** @param call the function to call; must not throw */
  constructor(options: ScheduledJobOptions, call: (at: Date) => void) {
    this.#next = timesOf(options)
    this.#call = call
    this.#wait(this.#next(new Date()))
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  // The timer keeps the process alive: a process that only works has no port.
  #wait(at: Date | undefined): void {
    if (at === undefined) return
    const left = at.getTime() - Date.now()
    this.#timer = setTimeout(() => (left > MAX_TIMEOUT_MS ? this.#wait(at) : this.#fire(at)), Math.min(left, MAX_TIMEOUT_MS))
  }

  #fire(at: Date): void {
    // A timer may be early by a millisecond.
    this.#wait(this.#next(new Date(Math.max(at.getTime(), Date.now()))))
    this.#call(at)
  }
}
