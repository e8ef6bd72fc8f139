/** A job driver that stores jobs in Redis, with BullMQ. */
import type { Logger } from '../../../lib/index.js'
import { assertKnownOptions } from '../../../lib/internal.js'
import { closedQueueError, type JobCounts, JobDriver, type JobTaker, type NewJob, type QueueSettings, type TakenJob } from '../driver.js'

/** The classes of BullMQ that {@link BullMqDriver} constructs. */
export interface BullMqClasses {
  readonly Queue: new (name: string, options: any) => BullMqQueue
  readonly Worker: new (name: string, processor: (job: BullMqJob, token?: string) => Promise<void>, options: any) => BullMqWorker
}

interface BullMqQueue {
  add(name: string, data: unknown, options: object): Promise<unknown>
  getJobCounts(...states: string[]): Promise<Record<string, number>>
  on(event: 'error', listener: (error: Error) => void): unknown
  close(): Promise<void>
}
interface BullMqWorker {
  on(event: string, listener: (...args: any[]) => void): unknown
  waitUntilReady(): Promise<unknown>
  pause(doNotWaitActive: boolean): Promise<void>
  close(): Promise<void>
}
interface BullMqJob {
  readonly id?: string | undefined
  readonly data: unknown
  readonly attemptsMade: number
  moveToWait(token?: string): Promise<unknown>
}

/** The options of {@link BullMqDriver}. */
export interface BullMqDriverOptions {
  /** The connection to Redis, as BullMQ takes it: `{ url: 'redis://localhost' }`. */
  readonly connection: object
  /** The logger for errors of the connection. */
  readonly log: Pick<Logger, 'error'>
  /** The prefix of the keys in Redis. Default: the default prefix of BullMQ. */
  readonly prefix?: string
  /** The time after which a job is given to another process if its process has died, in ms. Default 30,000. */
  readonly lockDuration?: number
}

/**
 * The options for finished jobs: how long they are stored (`age`, in s) and how many for each queue. As long as a job is stored, no job
 * with the same key is added.
 */
const KEPT = { removeOnComplete: { age: 86_400, count: 10_000 }, removeOnFail: { age: 604_800, count: 10_000 } }

/**
 * A driver that stores jobs in Redis, with the module `bullmq`.
 * ```ts
 * const driver = factory(JobDriver, [LOGGER], (log) =>
 *   new BullMqDriver(bullmq, { connection: { url: 'redis://localhost' }, log }))
 * ```
 * A job in Redis cannot belong to a database transaction: for the option `within`, wrap this driver in an {@link OutboxDriver}.
 */
export class BullMqDriver extends JobDriver {
  readonly #classes: BullMqClasses
  readonly #options: BullMqDriverOptions
  readonly #queues = new Map<string, BullMqQueue>()
  readonly #workers: BullMqWorker[] = []
  #isClosed = false

  constructor(classes: BullMqClasses, options: BullMqDriverOptions) {
    super()
    assertKnownOptions('new BullMqDriver(…)', options, ['connection', 'log', 'prefix', 'lockDuration'])
    this.#classes = classes
    this.#options = options
  }

  get #settings(): object {
    const { connection, prefix } = this.#options
    return { connection, ...(prefix !== undefined && { prefix }) }
  }

  #noteErrors(of: string, emitter: { on(event: 'error', listener: (error: Error) => void): unknown }): void {
    emitter.on('error', (error) => this.#options.log.error({ err: error }, `the connection of the queue '${of}' failed`))
  }

  #queue(name: string): BullMqQueue {
    let queue = this.#queues.get(name)
    if (queue === undefined) {
      // Its connection would never be closed, and would keep the process alive.
      if (this.#isClosed) throw closedQueueError(name)
      queue = new this.#classes.Queue(name, this.#settings)
      this.#noteErrors(name, queue)
      this.#queues.set(name, queue)
    }
    return queue
  }

  override async add(queue: QueueSettings, { id, input, delay, within }: NewJob): Promise<void> {
    if (within !== undefined)
      throw new TypeError(
        `A job for '${queue.name}' was added within a transaction, but its queue is in Redis. Provide new OutboxDriver(…) as the JobDriver, or leave out within.`,
      )
    const { limit, delay: retryDelay, backoff } = queue.retry
    await this.#queue(queue.name).add(queue.name, input, {
      jobId: id,
      delay,
      attempts: limit + 1,
      backoff: { type: backoff, delay: retryDelay },
      ...KEPT,
    })
  }

  override async take(queue: QueueSettings, concurrency: number, work: (job: TakenJob) => Promise<void>): Promise<JobTaker> {
    const ends = new Map<string, () => void>()
    const options = {
      ...this.#settings,
      concurrency,
      lockDuration: this.#options.lockDuration ?? 30_000,
      stalledInterval: this.#options.lockDuration ?? 30_000,
      // A job whose process died is done again as often as one that failed, but at least once.
      maxStalledCount: queue.retry.limit + 1,
    }
    let isStopped = false
    const process = async (job: BullMqJob, token: string | undefined): Promise<void> => {
      if (isStopped) await putBack(job, token)
      return this.#process(queue, job, work, ends)
    }
    const worker = new this.#classes.Worker(queue.name, process, options)
    this.#workers.push(worker)
    this.#noteErrors(queue.name, worker)
    worker.on('completed', (job: BullMqJob) => ends.get(job.id!)?.())
    worker.on('failed', (job: BullMqJob | undefined, error: Error) => {
      if (job === undefined) return
      const isOurs = ends.has(job.id!)
      ends.get(job.id!)?.()
      // The processes that had the job died one after the other.
      if (!isOurs)
        void this.#bury(queue, job).catch((failure: unknown) =>
          this.#options.log.error({ err: failure, cause: error.message }, `a dead letter of '${queue.name}' is lost`),
        )
    })
    await worker.waitUntilReady()
    const stop = (): Promise<void> => {
      isStopped = true
      return worker.pause(true)
    }
    return { stop }
  }

  /**
   * Runs a job that BullMQ hands over. The returned promise tells BullMQ whether the job is done or failed; `complete` and `fail` wait
   * until BullMQ has stored this.
   */
  async #process(
    queue: QueueSettings,
    job: BullMqJob,
    work: (job: TakenJob) => Promise<void>,
    ends: Map<string, () => void>,
  ): Promise<void> {
    const id = job.id!
    const noted = withResolvers<void>()
    const { promise, resolve, reject } = withResolvers<void>()
    ends.set(id, () => {
      ends.delete(id)
      noted.resolve()
    })
    const attempt = job.attemptsMade + 1
    const taken: TakenJob = {
      id,
      input: job.data,
      attempt,
      complete: () => {
        resolve()
        return noted.promise
      },
      fail: async (error) => {
        if (attempt > queue.retry.limit) await this.#bury(queue, job)
        reject(error instanceof Error ? error : new Error(String(error)))
        await noted.promise
      },
    }
    // If it ends without saying how, nothing may be acknowledged.
    void work(taken).then(() => reject(new Error('the job was neither completed nor failed')))
    return promise
  }

  async #bury({ deadLetter }: QueueSettings, { id, data }: BullMqJob): Promise<void> {
    if (deadLetter !== undefined) await this.#queue(deadLetter).add(deadLetter, data, { jobId: id, ...KEPT })
  }

  override async isBusy(queue: QueueSettings): Promise<boolean> {
    const { waiting, active } = await this.count(queue)
    return waiting + active > 0
  }

  override async count({ name }: QueueSettings): Promise<JobCounts> {
    const { active = 0, ...waiting } = await this.#queue(name).getJobCounts('waiting', 'active', 'delayed', 'prioritized', 'paused')
    return { waiting: Object.values(waiting).reduce((sum, count) => sum + count, 0), active }
  }

  /** Closes the connections to Redis. alcove calls this method when the server closes. */
  async dispose(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()))
    this.#isClosed = true
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()))
  }
}

/**
 * Puts back a job that a paused worker was about to read, so that another process does the job. Such a job would fail, because its server
 * closes.
 * @throws an error by whose name BullMQ knows that the job waits again
 */
async function putBack(job: BullMqJob, token: string | undefined): Promise<never> {
  await job.moveToWait(token)
  throw Object.assign(new Error('The job waits for another worker'), { name: 'WaitingError' })
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let resolve!: (value: T) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}
