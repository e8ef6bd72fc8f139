/** A driver that stores jobs in the memory of the process: the default of queues without another driver. */
import { AsyncResource } from 'node:async_hooks'
import type { Server } from '../../lib/index.js'
import { MAX_TIMEOUT_MS } from '../../lib/internal.js'
import {
  closedQueueError,
  delayAfter,
  type JobCounts,
  JobDriver,
  type JobTaker,
  type NewJob,
  type QueueSettings,
  type TakenJob,
} from './driver.js'

/** The number of job ids that a queue remembers. A job whose id it has forgotten counts as a new job. */
const KNOWN_IDS = 10_000

interface KeptJob {
  readonly id: string
  readonly input: string
  attempt: number
}

interface Taker {
  readonly concurrency: number
  readonly work: (job: TakenJob) => Promise<void>
  active: number
}

/** The jobs of one queue in memory. */
class MemoryQueue {
  readonly #settings: QueueSettings
  readonly #bury: (queue: string, job: NewJob) => void
  readonly #known = new Set<string>()
  readonly #ready: KeptJob[] = []
  readonly #takers = new Set<Taker>()
  /** The number of delayed jobs, and (`#active`) of running jobs. */
  #later = 0
  #active = 0

  constructor(settings: QueueSettings, bury: (queue: string, job: NewJob) => void) {
    this.#settings = settings
    this.#bury = bury
  }

  get counts(): JobCounts {
    return { waiting: this.#ready.length + this.#later, active: this.#active }
  }

  add({ id, input, delay }: NewJob): void {
    if (this.#known.has(id)) return
    this.#known.add(id)
    if (this.#known.size > KNOWN_IDS) this.#known.delete(this.#known.values().next().value!)
    this.#keep({ id, input: JSON.stringify(input), attempt: 1 }, delay)
  }

  #keep(job: KeptJob, delay: number): void {
    if (delay <= 0) {
      this.#ready.push(job)
      return this.#giveOut()
    }
    this.#later++
    const wait = Math.min(delay, MAX_TIMEOUT_MS)
    setTimeout(() => {
      this.#later--
      this.#keep(job, delay - wait)
    }, wait).unref()
  }

  take(concurrency: number, work: Taker['work']): JobTaker {
    // A job that is given out by `add`, or after another one, would see the stores of AsyncLocalStorage of that request or job.
    const taker: Taker = { concurrency, work: AsyncResource.bind(work), active: 0 }
    this.#takers.add(taker)
    this.#giveOut()
    return { stop: () => void this.#takers.delete(taker) }
  }

  #giveOut(): void {
    for (const taker of this.#takers)
      while (taker.active < taker.concurrency) {
        const job = this.#ready.shift()
        if (job === undefined) return
        taker.active++
        this.#active++
        void taker.work(this.#taken(job)).finally(() => {
          taker.active--
          this.#active--
          this.#giveOut()
        })
      }
  }

  #taken(job: KeptJob): TakenJob {
    const { id, attempt } = job
    const input: unknown = JSON.parse(job.input)
    return {
      id,
      input,
      attempt,
      complete: async () => {},
      fail: async () => {
        const { retry, deadLetter } = this.#settings
        if (attempt <= retry.limit) this.#keep({ ...job, attempt: attempt + 1 }, delayAfter(attempt, retry))
        else if (deadLetter !== undefined) this.#bury(deadLetter, { id, input, delay: 0, within: undefined })
      },
    }
  }
}

/**
 * A driver that stores jobs in memory. The jobs are lost if the process ends, and no other process sees them. The option `within` is
 * refused, because a transaction that rolls back could not remove its job.
 */
export class MemoryDriver extends JobDriver {
  readonly #queues = new Map<string, MemoryQueue>()
  #isClosed = false

  /** Refuses further jobs. @returns how many jobs of which queues have not begun, and are lost: `2 of mails` */
  close(): string[] {
    this.#isClosed = true
    return [...this.#queues].flatMap(([name, { counts }]) => (counts.waiting === 0 ? [] : [`${counts.waiting} of ${name}`]))
  }

  /** Returns the queue for these settings. The queue is made when it is first declared or used. */
  #queue(settings: QueueSettings): MemoryQueue {
    let queue = this.#queues.get(settings.name)
    if (queue === undefined) {
      // The queue of dead letters is a dependency of the queue, so it was declared before, unless a test has replaced it.
      queue = new MemoryQueue(settings, (deadLetter, job) => this.#queues.get(deadLetter)?.add(job))
      this.#queues.set(settings.name, queue)
    }
    return queue
  }

  override async declare(settings: QueueSettings): Promise<void> {
    this.#queue(settings)
  }

  override async add(settings: QueueSettings, job: NewJob): Promise<void> {
    if (job.within !== undefined)
      throw new TypeError(
        `A job for '${settings.name}' was added within a transaction, but its queue is in memory. Provide a JobDriver that keeps jobs in the database, or leave out within.`,
      )
    if (this.#isClosed) throw closedQueueError(settings.name)
    this.#queue(settings).add(job)
  }

  override async take(settings: QueueSettings, concurrency: number, work: (job: TakenJob) => Promise<void>): Promise<JobTaker> {
    return this.#queue(settings).take(concurrency, work)
  }

  override async isBusy(settings: QueueSettings): Promise<boolean> {
    const { waiting, active } = this.#queue(settings).counts
    return waiting + active > 0
  }

  override async count(settings: QueueSettings): Promise<JobCounts> {
    return this.#queue(settings).counts
  }
}

const drivers = new WeakMap<object, MemoryDriver>()

/** Returns the memory driver that all queues of an application share if no other driver is provided. */
export function memoryDriverOf({ server }: Server): MemoryDriver {
  let driver = drivers.get(server)
  if (driver === undefined) drivers.set(server, (driver = new MemoryDriver()))
  return driver
}

/** Closes the memory driver of an application that has ended, and warns of jobs that are lost. */
export function closeMemoryDriver(server: Server): void {
  const lost = drivers.get(server.server)?.close() ?? []
  if (lost.length > 0) server.log.warn(`jobs that were kept in memory are lost: ${lost.join(', ')}`)
}
