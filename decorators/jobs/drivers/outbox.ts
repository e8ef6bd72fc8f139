/** An outbox: jobs that are added in a transaction wait in a database table until they are passed on to another store. */
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

/** The options of {@link OutboxDriver}. */
export interface OutboxOptions {
  /** The logger for errors of the database or of the driver while jobs are passed on. */
  readonly log: Pick<Logger, 'error'>
  /** The name of the outbox table. Default `alcove_outbox`. */
  readonly table?: string
  /** The time between two reads of the outbox table, in ms. Default 1,000. */
  readonly interval?: number
}

/** The number of jobs that are passed on after one read of the table. */
const BATCH = 100

/** A row of the outbox table. */
interface Row {
  readonly id: string
  readonly queue: QueueSettings
  readonly input: { readonly value: unknown }
  readonly delay: number
}

/**
 * A driver that writes a job which is added `within` a transaction to a table of PostgreSQL, in the same transaction, and later passes the
 * job on to another driver. If the transaction rolls back, the job never existed. A job is passed on at least once, and the other driver
 * ignores an id that it knows.
 * ```ts
 * const driver = factory(JobDriver, [POOL, LOGGER], (pool, log) =>
 *   new OutboxDriver(new BullMqDriver(bullmq, { connection: { url: 'redis://localhost' }, log }), pool, { log }))
 * ```
 * Create the table in a migration: {@link OutboxDriver.table} returns the statement.
 */
export class OutboxDriver extends JobDriver {
  readonly #driver: JobDriver
  readonly #client: SqlClient
  readonly #log: OutboxOptions['log']
  readonly #table: string
  readonly #interval: number
  #timer: NodeJS.Timeout | undefined
  #passing: Promise<void> | undefined
  #isEnded = false

  /** @param client a pool, or a client that nothing else uses */
  constructor(driver: JobDriver, client: SqlClient, options: OutboxOptions) {
    super()
    assertKnownOptions('new OutboxDriver(…)', options, ['log', 'table', 'interval'])
    const { log, table = 'alcove_outbox', interval = 1_000 } = options
    this.#driver = driver
    this.#client = client
    this.#log = log
    this.#table = identifier(table)
    this.#interval = interval
  }

  /**
   * Returns the SQL statement that creates the outbox table. @throws TypeError for a name with other characters than letters, digits and
   * underscores
   */
  static table(name = 'alcove_outbox'): string {
    return `CREATE TABLE IF NOT EXISTS ${identifier(name)} (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL UNIQUE,
  queue jsonb NOT NULL,
  input jsonb NOT NULL,
  delay double precision NOT NULL,
  added timestamptz NOT NULL DEFAULT now()
)`
  }

  override declare(queue: QueueSettings): Promise<void> {
    return this.#driver.declare(queue)
  }

  override async add(queue: QueueSettings, job: NewJob): Promise<void> {
    const { id, input, delay, within } = job
    if (within === undefined) return this.#driver.add(queue, job)
    const sql = `INSERT INTO ${this.#table} (id, queue, input, delay) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING`
    await within.query(sql, [id, JSON.stringify(queue), JSON.stringify({ value: input }), delay])
  }

  override take(queue: QueueSettings, concurrency: number, work: (job: TakenJob) => Promise<void>): Promise<JobTaker> {
    return this.#driver.take(queue, concurrency, work)
  }

  override isBusy(queue: QueueSettings): Promise<boolean> {
    return this.#driver.isBusy(queue)
  }

  /** Counts the jobs of a queue, including the jobs that are still in the outbox table. */
  override async count(queue: QueueSettings): Promise<JobCounts | undefined> {
    const counts = await this.#driver.count(queue)
    if (counts === undefined) return undefined
    const { rows } = await this.#client.query(`SELECT count(*)::int AS count FROM ${this.#table} WHERE queue->>'name' = $1`, [queue.name])
    return { ...counts, waiting: counts.waiting + (rows as { count: number }[])[0]!.count }
  }

  /** Starts passing jobs on. alcove calls this method when the application is ready. */
  onReady(): void {
    this.#wait()
  }

  #wait(): void {
    if (this.#isEnded) return
    this.#timer = setTimeout(() => {
      this.#passing = this.passOn()
        .catch((error: unknown) => this.#log.error({ err: error }, 'the outbox could not pass jobs on'))
        .then(() => this.#wait())
    }, this.#interval)
    // Another process can pass the jobs on, so this timer does not keep the process alive.
    this.#timer.unref()
  }

  /** Passes the jobs in the outbox table on to the other driver, in the order in which they were added. */
  async passOn(): Promise<void> {
    let isFull = true
    while (isFull && !this.#isEnded) {
      const { rows } = await this.#client.query(`SELECT id, queue, input, delay FROM ${this.#table} ORDER BY position LIMIT ${BATCH}`)
      for (const { id, queue, input, delay } of rows as Row[])
        await this.#driver.add(queue, { id, input: input.value, delay, within: undefined })
      if (rows.length > 0) await this.#client.query(`DELETE FROM ${this.#table} WHERE id = ANY($1)`, [(rows as Row[]).map(({ id }) => id)])
      isFull = rows.length === BATCH
    }
  }

  /** Stops passing jobs on, and disposes of the other driver. alcove calls this method when the server closes. */
  async dispose(): Promise<void> {
    this.#isEnded = true
    clearTimeout(this.#timer)
    await this.#passing
    await (this.#driver as { dispose?: () => unknown }).dispose?.()
  }
}
