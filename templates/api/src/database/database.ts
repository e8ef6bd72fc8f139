import { AsyncLocalStorage } from 'node:async_hooks'
import { factory, LOGGER, type Next, type SqlClient } from 'alcove'
import { Settings } from '../settings.js'
import { type Connection, type Driver, openDriver } from './driver.js'
import { migrate } from './migrations.js'

/** The database. Within `transaction`, all queries go to its connection, also those of other classes. */
export class Database {
  readonly #current = new AsyncLocalStorage<Connection>()
  constructor(private readonly driver: Driver) {}

  /** @param values of `$1`, `$2` … in the text; never write input into the text itself */
  async query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    const { rows } = await this.#connection.query(text, values)
    return rows as Row[]
  }

  /** Runs several statements, such as a migration. */
  async run(script: string): Promise<void> {
    await this.#connection.run(script)
  }

  /** The connection of the current transaction, for jobs that are added within it. */
  get client(): SqlClient {
    const connection = this.#connection
    return { query: (text, values = []) => connection.query(text, values) }
  }

  /** Makes a query outside of the current transaction; without `values`, several statements. */
  outside(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
    return this.#current.exit(() => (values === undefined ? this.driver.run(text) : this.driver.query(text, values)))
  }

  /** Commits when the promise of `work` resolves, and rolls back when it rejects. Within another transaction, it is part of that one. */
  transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.#current.getStore() !== undefined) return work()
    return this.driver.transaction((connection) => this.#current.run(connection, work))
  }

  /** alcove calls it when the server has closed. */
  onClose(): Promise<void> {
    return this.driver.close()
  }

  get #connection(): Connection {
    return this.#current.getStore() ?? this.driver
  }
}

export const databaseProvider = factory(Database, [Settings, LOGGER], async (settings, log) => {
  const driver = await openDriver(settings.DATABASE_URL, settings.DATABASE_POOL_SIZE, (error) =>
    log.error({ err: error }, 'a connection to the database was lost'),
  )
  const db = new Database(driver)
  try {
    const names = await migrate(db)
    log.info({ migrations: names }, 'the database is up to date')
    return db
  } catch (error) {
    await driver.close()
    throw error
  }
})

/** `@Hook('around', InTransaction)`: a handler whose queries are all made, or none of them. */
export class InTransaction {
  static readonly inject = [Database] as const
  constructor(private readonly db: Database) {}

  around(_request: unknown, next: Next): Promise<unknown> {
    return this.db.transaction(next)
  }
}
