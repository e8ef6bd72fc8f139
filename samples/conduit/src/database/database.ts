/** The database: PGlite inside this process, or a PostgreSQL server with a pool; the same SQL for both. */
import { mkdirSync } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import { factory, type Logger, LOGGER } from 'alcove'
import { type Dialect, Kysely, type LogEvent, PostgresDialect, sql } from 'kysely'
import { PGliteDialect } from 'kysely-pglite-dialect'
import { Pool } from 'pg'
import { CONFIG, type Config } from '../config.js'
import { migrate } from './migrations.js'
import { seed } from './seed.js'
import type { Tables } from './tables.js'

/** The parts that differ between PGlite and a PostgreSQL server. */
interface Store {
  readonly dialect: Dialect
  run(db: Database, text: string, values: unknown[] | undefined): Promise<Result | Result[]>
}
interface Result {
  readonly rows: unknown[]
}

/** The query builder for our tables. The application closes it after the last request. */
export class Database extends Kysely<Tables> {
  readonly #store: Store

  constructor(store: Store, log: (event: LogEvent) => void) {
    super({ dialect: store.dialect, log })
    this.#store = store
  }

  /** Whether the database answers. */
  async ping(): Promise<void> {
    await sql`select 1`.execute(this)
  }

  /** Runs SQL as text, for the queue: outside of transactions, and not logged. Without `values`, it may be several statements. */
  async run(text: string, values?: unknown[]): Promise<Result> {
    const results = [await this.#store.run(this, text, values)].flat()
    return { rows: results.flatMap(({ rows }) => rows) }
  }
}

export const databaseProvider = factory(Database, [CONFIG, LOGGER], openDatabase)

async function openDatabase(config: Config, log: Logger): Promise<Database> {
  const db = new Database(openStore(config, log), (event) => logQuery(event, log))
  try {
    const ran = await migrate(db)
    log.info({ migrations: ran }, ran.length > 0 ? `migrations run: ${ran.join(', ')}` : 'the tables are up to date')
    if (config.SEED) {
      const added = await seed(db)
      if (added !== undefined) log.info(added, 'seed data added, since there were no users; SEED=false leaves the database empty')
    }
    return db
  } catch (error) {
    await db.destroy()
    throw error
  }
}

/** Logs no parameters, because they contain user input. */
function logQuery({ level, query, queryDurationMillis }: LogEvent, log: Logger): void {
  log.debug({ sql: query.sql, ms: queryDurationMillis, failed: level === 'error' }, 'query')
}

function openStore({ DATABASE_URL, DATABASE_POOL_SIZE, PGLITE_DIRECTORY }: Config, log: Logger): Store {
  if (DATABASE_URL === undefined) {
    log.info(
      PGLITE_DIRECTORY === undefined
        ? 'database: PGlite in memory, gone when the process ends; PGLITE_DIRECTORY or DATABASE_URL keep it'
        : `database: PGlite in ${PGLITE_DIRECTORY}`,
    )
    // PGlite itself makes the last folder of the path only.
    if (PGLITE_DIRECTORY !== undefined) mkdirSync(PGLITE_DIRECTORY, { recursive: true })
    const pglite = new PGlite(PGLITE_DIRECTORY)
    // PGlite has one connection, so this waits until no transaction has it.
    const run: Store['run'] = (db, text, values) =>
      db.connection().execute<Result | Result[]>(() => (values === undefined ? pglite.exec(text) : pglite.query(text, values)))
    return { dialect: new PGliteDialect(pglite), run }
  }
  log.info({ host: new URL(DATABASE_URL).host }, 'database: PostgreSQL')
  // #region pool
  const pool = new Pool({ connectionString: DATABASE_URL, max: DATABASE_POOL_SIZE, connectionTimeoutMillis: 5000 })
  // The pool replaces lost connections. It does not listen to one that `connect` has handed out: without a listener, its error would end the process.
  const logLoss = (error: Error) => log.error({ err: error }, 'a connection to the database was lost')
  pool.on('connect', (client) => client.once('error', logLoss).on('error', () => {}))
  // The errors of idle connections once more.
  pool.on('error', () => {})
  // #endregion
  return { dialect: new PostgresDialect({ pool }), run: (_db, text, values) => pool.query(text, values) }
}

/** The name of the constraint that a write violated, if this is why it failed. */
export function violatedConstraint(error: unknown): string | undefined {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return code === '23505' ? constraint : undefined
}
