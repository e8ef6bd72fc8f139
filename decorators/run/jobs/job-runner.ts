/** Runs the jobs of an application: takes them from their queues, adds scheduled jobs at their times, and runs each in a separate scope. */
import { errorCodes, type Logger, type Server } from '../../../lib/index.js'
import { beginBackgroundWork, type InputCheck, randomUUID } from '../../../lib/internal.js'
import type { JobTaker, TakenJob } from '../../jobs/driver.js'
import type { JobRun } from '../../jobs/job.js'
import { DEFAULT_TIMEOUT, DrivenQueue } from '../../jobs/queue.js'
import type { JobNode } from '../../wiring/nodes.js'
import { describeValue } from '../../wiring/value-names.js'
import type { BackgroundScope, Settle } from '../scopes/background-work.js'
import { Schedule } from './schedule.js'

/** The operations with which jobs run in an application. */
export interface JobHost {
  readonly log: Logger
  readonly jobs: readonly JobNode[]
  /** Returns the queue that feeds a job, or a test's substitute for the queue. */
  queueOf(job: JobNode): Promise<unknown>
  /** Compiles the check of a job's input, for a job whose queue is a test's substitute. */
  checkOf(job: JobNode): InputCheck
  /**
   * Runs work in a separate scope, in which the job class is constructed.
   * @param facts values for the lines of the log
   */
  runIn<T>(job: JobNode, facts: object, work: (scope: BackgroundScope, instance: unknown) => Promise<T>, settle?: Settle): Promise<T>
}

/** A job that is to run, taken from a queue or started by `runJob`. */
type GivenJob = Pick<TakenJob, 'id' | 'input' | 'attempt'>

interface JobClass {
  run(job: JobRun): unknown
}

export class JobRunner {
  readonly #host: JobHost
  readonly #takers: JobTaker[] = []
  readonly #schedules: Schedule[] = []
  #starting: Promise<void> | undefined
  #stopping: Promise<void> | undefined
  #isStopped = false

  constructor(host: JobHost) {
    this.#host = host
  }

  /** Starts taking jobs from queues and adding scheduled jobs. Further calls have no effect. */
  start(): Promise<void> {
    return (this.#starting ??= this.#start())
  }

  async #start(): Promise<void> {
    const inMemory: string[] = []
    for (const job of this.#host.jobs) {
      if (job.queue === undefined) continue
      const queue = await this.#host.queueOf(job)
      if (this.#isStopped) return
      if (!(queue instanceof DrivenQueue)) continue
      const taker = await queue.driver.take(queue.settings, job.concurrency, (taken) => this.#do(job, queue, taken))
      this.#takers.push(taker)
      if (queue.isInMemory) inMemory.push(queue.name)
      if (this.#isStopped) return void (await taker.stop())
      if (job.schedule !== undefined) this.#schedules.push(new Schedule(job.schedule, (at) => void this.#addAt(job, queue, at)))
    }
    if (inMemory.length > 0)
      this.#host.log.info(
        `jobs of ${inMemory.join(', ')} are kept in memory: they are lost if the process ends. To keep them, provide a JobDriver.`,
      )
  }

  /** Stops taking jobs as soon as a server closes. A preClose hook of the server waits until the queues have stopped. */
  stopWith(server: Server): void {
    // Told as the first of all work, so that no job begins with a signal that is aborted already.
    const noteTold: (() => void) | undefined = beginBackgroundWork(server, {
      label: 'taking jobs from queues',
      askToEnd: () => {
        void this.stop()
        noteTold?.()
      },
      abandon: async () => {},
    })
    server.addHook('preClose', () => this.stop())
  }

  /** Stops taking jobs. The server waits for the running jobs. Further calls wait for the first. */
  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop())
  }

  async #stop(): Promise<void> {
    this.#isStopped = true
    for (const schedule of this.#schedules) schedule.stop()
    for (const result of await Promise.allSettled(this.#takers.map(async (taker) => taker.stop())))
      if (result.status === 'rejected') this.#host.log.error({ err: result.reason as unknown }, 'a queue could not be stopped')
  }

  async #addAt({ path, schedule }: JobNode, queue: DrivenQueue, at: Date): Promise<void> {
    try {
      const isLeftOut = schedule!.overlap !== 'allow' && (await queue.driver.isBusy(queue.settings))
      if (isLeftOut)
        this.#host.log.debug(`${path} is left out at ${at.toISOString()}: the run before is not over, or another process has it`)
      // All processes add the same time with the same key, so it is added once.
      else await queue.add({ at: at.toISOString() }, { key: at.toISOString() })
    } catch (error) {
      this.#host.log.error({ err: error }, `${path} could not be added at ${at.toISOString()}`)
    }
  }

  /** Runs a job that was taken from a queue, and reports its end to the queue. Never rejects. */
  async #do(job: JobNode, queue: DrivenQueue, taken: TakenJob): Promise<void> {
    const began = performance.now()
    const settle: Settle = async (failure, log) => {
      const attempts = queue.settings.retry.limit + 1
      if (failure === undefined) log.info({ duration: performance.now() - began }, 'job completed')
      else log.error({ err: failure.error }, `job failed in attempt ${taken.attempt} of ${attempts}`)
      try {
        await (failure === undefined ? taken.complete() : taken.fail(failure.error))
      } catch (error) {
        log.error({ err: error }, 'the queue could not note how the job has ended, so it may be done again')
      }
    }
    // The failure is in the log, and the queue knows of it.
    await queue
      .resume(taken.input, (input) => {
        const given = { id: taken.id, attempt: taken.attempt, input }
        return this.#perform(job, given, queue.check, queue.settings.timeout, settle)
      })
      .catch(() => {})
  }

  /**
   * Runs a job at once, in a test or a script.
   * @returns the result of the job's `run`
   * @throws ALC_ERR_JOB_INPUT_INVALID; the error of the job
   */
  async run(job: JobNode, input: unknown): Promise<unknown> {
    const queue = job.queue === undefined ? undefined : await this.#host.queueOf(job)
    const isDriven = queue instanceof DrivenQueue
    const check = isDriven ? queue.check : this.#host.checkOf(job)
    const given = job.schedule === undefined ? input : { at: new Date().toISOString() }
    if (job.schedule !== undefined && input !== undefined)
      throw new TypeError(`${job.path} runs at times and takes no input, and got ${describeValue(input)}.`)
    // A handler within the request that emits has the time of the request.
    const timeout = isDriven ? queue.settings.timeout : job.event?.when === 'later' ? (job.event.timeout ?? DEFAULT_TIMEOUT) : undefined
    return this.#perform(job, { id: randomUUID(), input: given, attempt: 1 }, check, timeout)
  }

  #perform(
    job: JobNode,
    { id, input, attempt }: GivenJob,
    check: InputCheck,
    timeout: number | undefined,
    settle?: Settle,
  ): Promise<unknown> {
    return this.#host.runIn(
      job,
      { jobId: id, attempt },
      async (scope, instance) => {
        const checked = await check(input)
        const isScheduled = job.schedule !== undefined
        const limit = new TimeLimit(job, timeout)
        const given: JobRun = {
          id,
          attempt,
          log: scope.log,
          input: isScheduled ? undefined : checked,
          scheduledAt: isScheduled ? new Date((checked as { at: string }).at) : undefined,
          signal: AbortSignal.any([scope.signal, limit.signal]),
        }
        return limit.hold(async () => (instance as JobClass).run(given))
      },
      settle,
    )
  }
}

/** The time limit of one attempt of a job. */
class TimeLimit {
  readonly #job: JobNode
  readonly #limit: number | undefined
  readonly #controller = new AbortController()

  /** @param limit the time limit in ms; `undefined`: no limit */
  constructor(job: JobNode, limit: number | undefined) {
    this.#job = job
    this.#limit = limit
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Runs work within the time limit. @throws ALC_ERR_JOB_TIMEOUT if the work takes longer; the error of the work */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    if (this.#limit === undefined) return work()
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const { path, event, schedule } = this.#job
        const owner = (event ?? schedule) === undefined ? 'its queue' : 'its @Job'
        const error = new errorCodes.ALC_ERR_JOB_TIMEOUT(path, this.#limit!, owner)
        this.#controller.abort(error)
        reject(error)
      }, this.#limit)
    })
    try {
      return await Promise.race([work(), timeout])
    } finally {
      clearTimeout(timer)
    }
  }
}
