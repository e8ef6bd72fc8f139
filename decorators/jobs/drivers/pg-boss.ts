/** A job driver that stores jobs in PostgreSQL, with pg-boss. */
import type { Logger } from '../../../lib/index.js'
import { assertKnownOptions } from '../../../lib/internal.js'
import {
  identifier,
  type JobCounts,
  JobDriver,
  type JobTaker,
  type NewJob,
  type QueueSettings,
  type SqlClient,
  type TakenJob,
} from '../driver.js'

/** The methods of a client of pg-boss (10 to 12) that {@link PgBossDriver} uses. */
export interface PgBossClient {
  // The versions disagree about the type of the options.
  createQueue(name: string, options: any): Promise<void>
  updateQueue(name: string, options: any): Promise<void>
  getQueue(name: string): Promise<object | null>
  send(name: string, data: object, options: object): Promise<string | null>
  fetch(name: string, options: { batchSize: number; includeMetadata: true }): Promise<PgBossJob[]>
  complete(name: string, id: string): Promise<unknown>
  fail(name: string, id: string, data: object): Promise<unknown>
  getDb(): { executeSql(text: string, values: any[]): Promise<{ rows: unknown[] }> }
}

/** The options of a queue, as pg-boss takes them. */
interface PgBossSettings {
  retryLimit: number
  retryDelay: number
  retryBackoff: boolean
  expireInSeconds: number
  deadLetter?: string
}

interface PgBossJob {
  readonly id: string
  readonly data: unknown
  readonly retryCount: number
}

/** The options of {@link PgBossDriver}. */
export interface PgBossDriverOptions {
  /** The logger for errors of the database while jobs are taken. */
  readonly log: Pick<Logger, 'error'>
  /** The time after which an empty queue is read again, in ms. Default 1,000. Jobs that this process adds are found at once. */
  readonly pollInterval?: number
  /** The database schema of pg-boss: the same value as the option `schema` of the client. Default `pgboss`. */
  readonly schema?: string
}

/** The time, in s, that a process has after a job's timeout to report the failure. After this time pg-boss takes the process for dead. */
const GRACE = 5

/** How often creating a queue is tried if other processes create queues at the same time. */
const MAX_TRIES = 10
/**
 * The error codes of PostgreSQL if several processes create queues at the same time: a deadlock, and a table or row that exists already.
 */
const CONFLICTS: ReadonlySet<unknown> = new Set(['40P01', '42P07', '23505'])

/**
 * A driver that stores jobs in PostgreSQL, by a started client of pg-boss. pg-boss 10 runs on Node 20; later versions of pg-boss need a
 * later Node.
 * ```ts
 * const driver = factory(JobDriver, [BOSS, LOGGER], (boss, log) => new PgBossDriver(boss, { log }))
 * ```
 * A job that is added `within` a transaction exists only if this transaction commits. A job whose process died is done again, also if its
 * queue has no retries.
 */
export class PgBossDriver extends JobDriver {
  readonly #boss: PgBossClient
  readonly #log: PgBossDriverOptions['log']
  readonly #pollInterval: number
  /** The SQL statement that looks for a waiting or running job. The counts that pg-boss itself offers are up to a minute old. */
  readonly #busySql: string
  readonly #countSql: string
  /** The SQL statement after which a failure of an attempt is the last one. */
  readonly #lastSql: string
  readonly #declared = new Map<string, Promise<void>>()
  readonly #pollers = new Map<string, Poller>()

  constructor(boss: PgBossClient, options: PgBossDriverOptions) {
    super()
    assertKnownOptions('new PgBossDriver(…)', options, ['log', 'pollInterval', 'schema'])
    const { log, pollInterval = 1_000, schema = 'pgboss' } = options
    this.#boss = boss
    this.#log = log
    this.#pollInterval = pollInterval
    const open = `FROM ${identifier(schema)}.job WHERE name = $1 AND state IN ('created', 'retry', 'active')`
    this.#busySql = `SELECT 1 ${open} LIMIT 1`
    this.#lastSql = `UPDATE ${identifier(schema)}.job SET retry_limit = retry_count
      WHERE name = $1 AND id = $2 AND state = 'active' AND retry_count = $3`
    this.#countSql = `SELECT count(*)::int AS all, (count(*) FILTER (WHERE state = 'active'))::int AS active ${open}`
  }

  override declare(queue: QueueSettings): Promise<void> {
    const { name } = queue
    let declared = this.#declared.get(name)
    if (declared === undefined) {
      declared = this.#create(queue)
      this.#declared.set(name, declared)
      // The next use tries again.
      declared.catch(() => this.#declared.delete(name))
    }
    return declared
  }

  async #create({ name, retry, timeout, deadLetter }: QueueSettings): Promise<void> {
    const settings: PgBossSettings = {
      // pg-boss counts the death of a process as a failure. `#fail` ends the attempts of jobs that fail.
      retryLimit: retry.limit + 1,
      retryDelay: Math.ceil(retry.delay / 1_000),
      retryBackoff: retry.backoff === 'exponential',
      expireInSeconds: Math.ceil(timeout / 1_000) + GRACE,
      ...(deadLetter !== undefined && { deadLetter }),
    }
    // pg-boss wants to know the queue of dead letters first.
    if (deadLetter !== undefined) await this.#createIfMissing(deadLetter, {})
    await this.#createIfMissing(name, settings)
    // The queue may be from an earlier version of the application.
    await this.#boss.updateQueue(name, settings)
  }

  // Each queue is a table. Processes that create tables at the same time can block each other, and PostgreSQL then ends one of them.
  async #createIfMissing(name: string, settings: Partial<PgBossSettings>): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        if ((await this.#boss.getQueue(name)) === null) await this.#boss.createQueue(name, { name, ...settings })
        return
      } catch (error) {
        if (tries === MAX_TRIES || !CONFLICTS.has((error as { code?: unknown }).code)) throw error
        await new Promise((resolve) => setTimeout(resolve, 50 * tries * (1 + Math.random())))
      }
    }
  }

  override async add(queue: QueueSettings, { id, input, delay, within }: NewJob): Promise<void> {
    await this.declare(queue)
    const options = {
      id,
      ...(delay > 0 && { startAfter: new Date(Date.now() + delay) }),
      ...(within !== undefined && { db: databaseOf(within) }),
    }
    await this.#boss.send(queue.name, input as object, options)
    if (within === undefined && delay === 0) this.#pollers.get(queue.name)?.wake()
  }

  override async take(queue: QueueSettings, concurrency: number, work: (job: TakenJob) => Promise<void>): Promise<JobTaker> {
    await this.declare(queue)
    const poller = new Poller(concurrency, this.#pollInterval, (free) => this.#fetch(queue, free), work)
    this.#pollers.set(queue.name, poller)
    return poller
  }

  async #fetch(queue: QueueSettings, free: number): Promise<TakenJob[]> {
    const { name } = queue
    try {
      const jobs = await this.#boss.fetch(name, { batchSize: free, includeMetadata: true })
      return (jobs ?? []).map(({ id, data, retryCount }) => ({
        id,
        input: data,
        attempt: retryCount + 1,
        complete: async () => void (await this.#boss.complete(name, id)),
        fail: async (error) => this.#fail(queue, id, retryCount, error),
      }))
    } catch (error) {
      this.#log.error({ err: error }, `the queue '${name}' could not be read`)
      return []
    }
  }

  async #fail({ name, retry }: QueueSettings, id: string, retryCount: number, error: unknown): Promise<void> {
    if (retryCount >= retry.limit) await this.#boss.getDb().executeSql(this.#lastSql, [name, id, retryCount])
    await this.#boss.fail(name, id, { message: (error as { message?: unknown } | null | undefined)?.message ?? String(error) })
    this.#pollers.get(name)?.wake()
  }

  override async isBusy(queue: QueueSettings): Promise<boolean> {
    await this.declare(queue)
    const { rows } = await this.#boss.getDb().executeSql(this.#busySql, [queue.name])
    return rows.length > 0
  }

  override async count(queue: QueueSettings): Promise<JobCounts> {
    await this.declare(queue)
    const { rows } = await this.#boss.getDb().executeSql(this.#countSql, [queue.name])
    const { all, active } = rows[0] as { all: number; active: number }
    return { waiting: all - active, active }
  }
}

function databaseOf(client: SqlClient): { executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> } {
  return { executeSql: (text, values) => client.query(text, values) }
}

/** Reads jobs from a queue as long as fewer than `concurrency` jobs are running. */
class Poller implements JobTaker {
  readonly #concurrency: number
  readonly #interval: number
  readonly #fetch: (free: number) => Promise<TakenJob[]>
  readonly #work: (job: TakenJob) => Promise<void>
  readonly #active = new Set<Promise<void>>()
  readonly #polling: Promise<void>
  #isStopped = false
  #isWoken = false
  #wake: (() => void) | undefined

  /** @param fetch reads at most `free` jobs from the queue; must not reject */
  constructor(concurrency: number, interval: number, fetch: (free: number) => Promise<TakenJob[]>, work: (job: TakenJob) => Promise<void>) {
    this.#concurrency = concurrency
    this.#interval = interval
    this.#fetch = fetch
    this.#work = work
    this.#polling = this.#poll()
  }

  async #poll(): Promise<void> {
    while (!this.#isStopped) {
      const free = this.#concurrency - this.#active.size
      if (free === 0) {
        await Promise.race([...this.#active, this.#pause(undefined)])
        continue
      }
      this.#isWoken = false
      const jobs = await this.#fetch(free)
      for (const job of jobs) this.#begin(job)
      if (jobs.length < free && !this.#isWoken) await this.#pause(this.#interval)
    }
  }

  #begin(job: TakenJob): void {
    const done = this.#work(job).finally(() => this.#active.delete(done))
    this.#active.add(done)
  }

  /** Waits until `wake` is called. @param limit the longest time to wait, in ms */
  #pause(limit: number | undefined): Promise<void> {
    if (this.#isStopped) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = limit === undefined ? undefined : setTimeout(() => this.wake(), limit)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Ends the current pause, so that the queue is read at once. */
  wake(): void {
    this.#isWoken = true
    this.#wake?.()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.wake()
    // A job that is being fetched is done, as others do not get it.
    await this.#polling
  }
}
