import { readdir, readFile } from 'node:fs/promises'
import type { Database } from './database.js'

const folder = new URL('../../migrations/', import.meta.url)

/** Any number that nothing else locks in this database. */
const LOCK = 4_711

/**
 * Runs the files of `migrations` that this database has not seen, in the order of their names, each in a transaction. The lock lets
 * replicas that start together wait for each other.
 * @returns the names of those that ran
 */
export async function migrate(db: Database): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const ran: string[] = []
  for (const name of files) {
    await db.transaction(async () => {
      await db.query('select pg_advisory_xact_lock($1)', [LOCK])
      await db.run('create table if not exists migrations (name text primary key, ran_at timestamptz not null default now())')
      const found = await db.query('select 1 from migrations where name = $1', [name])
      if (found.length > 0) return
      await db.run(await readFile(new URL(name, folder), 'utf8'))
      await db.query('insert into migrations (name) values ($1)', [name])
      ran.push(name)
    })
  }
  return ran
}
