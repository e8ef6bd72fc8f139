/** The interface between jobs and the store that keeps them: a database, Redis or the memory of the process. */

/** How often and when a failed job is tried again. */
export interface RetryOptions {
  /** How often a failed job is tried again. Default 0. */
  readonly limit?: number
  /** The time from a failure to the next attempt, in ms. Default 1,000. Drivers that count in seconds round up. */
  readonly delay?: number
  /** The growth of the delay: with `exponential`, each delay is twice as long as the previous one (with pg-boss up to twice that, at random). Default `fixed`. */
  readonly backoff?: 'fixed' | 'exponential'
}

/** The name and the settings of a queue, with defaults filled in, as drivers get them. */
export interface QueueSettings {
  readonly name: string
  readonly retry: Required<RetryOptions>
  /** The time that one attempt may take, in ms. After this time the job counts as failed, because its process is taken for dead. */
  readonly timeout: number
  /** The name of the queue to which a job is moved after its last attempt has failed. */
  readonly deadLetter: string | undefined
}

/**
 * A database client with an open transaction, in which a job is added. Clients of `pg` and of PGlite have this method, and so has any class
 * that passes the query on.
 */
export interface SqlClient {
  query(sql: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }>
}

/** A job that is to be added to a queue. */
export interface NewJob {
  /** A UUID. A job is not added if the queue has a job with the same id. */
  readonly id: string
  /** The input of the job, a value that JSON can represent. */
  readonly input: unknown
  /** The time until the job may start, in ms. */
  readonly delay: number
  /** The client with the transaction in which the job is added: the job exists only if this transaction commits. */
  readonly within: SqlClient | undefined
}

/** A job that this process has taken from a queue. */
export interface TakenJob {
  readonly id: string
  readonly input: unknown
  /** The number of the attempt: 1 for the first. */
  readonly attempt: number
  /** Marks the job as done in its store. */
  complete(): Promise<void>
  /** Marks this attempt as failed in its store: the job is tried again after its delay, or moved to the queue for dead letters. */
  fail(error: unknown): Promise<void>
}

/** The numbers of a queue's jobs, of all processes together. */
export interface JobCounts {
  /** The number of jobs that wait to start, including delayed jobs and failed jobs that will be tried again. */
  readonly waiting: number
  /** The number of jobs that are running. */
  readonly active: number
}

/** A running subscription of this process to a queue. */
export interface JobTaker {
  /** Stops taking jobs. Jobs that were taken already are still ended by `complete` or `fail`. */
  stop(): Promise<void> | void
}

/**
 * Stores jobs and hands them to processes. Provide a driver to store jobs elsewhere than in memory:
 * ```ts
 * const driver = factory(JobDriver, [BOSS, LOGGER], (boss, log) => new PgBossDriver(boss, { log }))
 * @Plugin({ providers: [driver, MAILS], jobs: [SendMail] })
 * class Mails {}
 * ```
 * `alcove/jobs` has drivers for pg-boss (PostgreSQL) and BullMQ (Redis). Without a driver, jobs are stored in memory and are lost if the
 * process ends.
 */
export abstract class JobDriver {
  /** Prepares a queue at boot, before any job is added to the queue. By default there is nothing to prepare. */
  async declare(_queue: QueueSettings): Promise<void> {}
  /** Adds a job to a queue. Does nothing if the queue has a job with the same id. */
  abstract add(queue: QueueSettings, job: NewJob): Promise<void>
  /**
   * Takes jobs from a queue and calls `work` with each, at most `concurrency` at a time, until the result is stopped.
   * @param work runs one job, and calls `complete` or `fail` of this job; never rejects
   */
  abstract take(queue: QueueSettings, concurrency: number, work: (job: TakenJob) => Promise<void>): Promise<JobTaker>
  /** Whether any job of the queue waits or runs, in any process. */
  abstract isBusy(queue: QueueSettings): Promise<boolean>
  /** Counts the jobs of a queue, for metrics. Returns `undefined` if the store cannot count, which is the default. */
  async count(_queue: QueueSettings): Promise<JobCounts | undefined> {
    return undefined
  }
}

/** Returns the error for a job that is added after the server of its queue has closed. */
export function closedQueueError(name: string): Error {
  return new Error(`The queue '${name}' cannot be used any more: its server has closed.`)
}

/** Returns the time until the next attempt of a failed job, in ms. @param attempt the number of the failed attempt, from 1 */
export function delayAfter(attempt: number, { delay, backoff }: Required<RetryOptions>): number {
  return backoff === 'fixed' ? delay : delay * 2 ** (attempt - 1)
}

/** Returns a name that is safe to insert into a statement of SQL. @throws TypeError if the text is not a plain name */
export function identifier(name: string): string {
  if (!/^[A-Za-z_]\w{0,62}$/.test(name)) throw new TypeError(`'${name}' is no name in SQL: write letters, digits and underscores.`)
  return name
}
