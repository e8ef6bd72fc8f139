/** Brings the tables up to date. */
import { type Kysely, type Migration, Migrator } from 'kysely'
import * as tables from './migrations/0001-tables.js'
import * as queue from './migrations/0002-queue.js'
import type { Tables } from './tables.js'

const migrations: Record<string, Migration> = { '0001-tables': tables, '0002-queue': queue }

/**
 * Runs the migrations that are new to the database. Replicas that start together wait for each other.
 * @returns the names of the migrations that ran
 */
export async function migrate(db: Kysely<Tables>): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } })
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error !== undefined) throw new Error('The database could not be migrated', { cause: error })
  return results.map(({ migrationName }) => migrationName)
}
