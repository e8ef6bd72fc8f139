/** The interface between jobs and what keeps them: a database, Redis or the memory of the process. */

/** How often a job is done again after it has failed, and when. */
export interface RetryOptions {
  /** How often a job that has failed is done again. Default 0. */
  readonly limit?: number
  /** ms from a failure to the next attempt. Default 1,000. Drivers that count in seconds round up. */
  readonly delay?: number
  /** `exponential`: each delay is twice as long as the one before. Default `fixed`. */
  readonly backoff?: 'fixed' | 'exponential'
}

/** A queue as drivers see it, with all its defaults. */
export interface QueueSettings {
  readonly name: string
  readonly retry: Required<RetryOptions>
  /** ms that one attempt may take. A process that has not ended the job by then is thought to be dead, and the job counts as failed. */
  readonly timeout: number
  /** The name of the queue that gets the jobs which have failed for the last time. */
  readonly deadLetter: string | undefined
}

/**
 * A database client whose transaction a job is added in. Clients of `pg` and of PGlite have this method, and so has any class that passes
 * the query on.
 */
export interface SqlClient {
  query(sql: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }>
}

/** A job that is added to a queue. */
export interface NewJob {
  /** A UUID. A job with an id that the queue has is not added again. */
  readonly id: string
  /** A value that JSON can hold. */
  readonly input: unknown
  /** ms until the job may be done. */
  readonly delay: number
  /** The transaction that the job belongs to: it exists only if the transaction commits. */
  readonly within: SqlClient | undefined
}

/** A job that this process has taken from a queue. */
export interface TakenJob {
  readonly id: string
  readonly input: unknown
  /** 1 for the first attempt. */
  readonly attempt: number
  /** Notes that the job is done. */
  complete(): Promise<void>
  /** Notes that this attempt has failed: the job is done again after its delay, or goes to the dead letters. */
  fail(error: unknown): Promise<void>
}

/** How many jobs a queue has, in all processes. */
export interface JobCounts {
  /** Those that wait, also for their time or for another attempt. */
  readonly waiting: number
  /** Those that are being done. */
  readonly active: number
}

/** The jobs that are taken from a queue in this process. */
export interface JobTaker {
  /** Takes no further jobs. Those that were taken are ended by `complete` and `fail`. */
  stop(): Promise<void> | void
}

/**
 * Keeps jobs and gives them out. Provide one to keep jobs elsewhere than in memory:
 * ```ts
 * const driver = factory(JobDriver, [BOSS, LOGGER], (boss, log) => new PgBossDriver(boss, { log }))
 * @Plugin({ providers: [driver, MAILS], jobs: [SendMail] })
 * class Mails {}
 * ```
 * `alcove/jobs` has drivers for pg-boss (PostgreSQL) and BullMQ (Redis). Without a driver, jobs are kept in memory and are lost if the
 * process ends.
 */
export abstract class JobDriver {
  /** Prepares a queue at boot, before any job is added to it. By default there is nothing to prepare. */
  async declare(_queue: QueueSettings): Promise<void> {}
  /** Adds a job. A job whose id the queue has is not added again. */
  abstract add(queue: QueueSettings, job: NewJob): Promise<void>
  /**
   * Takes jobs from a queue until it is stopped, at most `concurrency` at a time.
   * @param work does one job, and calls its `complete` or `fail`. It never rejects.
   */
  abstract take(queue: QueueSettings, concurrency: number, work: (job: TakenJob) => Promise<void>): Promise<JobTaker>
  /** Whether a job of the queue waits or is being done, in any process. */
  abstract isBusy(queue: QueueSettings): Promise<boolean>
  /** Counts the jobs of a queue, for metrics. `undefined` if the store cannot count, as by default. */
  async count(_queue: QueueSettings): Promise<JobCounts | undefined> {
    return undefined
  }
}

/** Returns ms until the next attempt of a job that has failed. @param attempt the attempt that has failed, from 1 */
export function delayAfter(attempt: number, { delay, backoff }: Required<RetryOptions>): number {
  return backoff === 'fixed' ? delay : delay * 2 ** (attempt - 1)
}

/** Returns a name of SQL, which becomes part of a statement. @throws TypeError for any text that is not a plain name */
export function identifier(name: string): string {
  if (!/^[A-Za-z_]\w{0,62}$/.test(name)) throw new TypeError(`'${name}' is no name in SQL: write letters, digits and underscores.`)
  return name
}
