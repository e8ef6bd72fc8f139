// The stores of jobs that need a library, for the suite and for the process that is killed.
import { Queue, Worker } from 'bullmq'
import { BullMqDriver, PgBossDriver } from '../../dist/esm/jobs.js'

export const log = { error: (details, message) => console.error(message, details.err ?? '') }

/** Starts a client of pg-boss, which looks after dead workers every second. @param library `pg-boss` or `pg-boss-12` */
export async function openBoss(library, options) {
  const module = await import(library)
  const PgBoss = module.PgBoss ?? module.default
  const boss = new PgBoss({ ...options, maintenanceIntervalSeconds: 1, superviseIntervalSeconds: 1, monitorIntervalSeconds: 1 })
  boss.on('error', (err) => log.error({ err }, 'pg-boss'))
  await boss.start()
  return boss
}

export const openPgBoss = (boss, { schema = 'pgboss' } = {}) => new PgBossDriver(boss, { log, pollInterval: 100, schema })

export const openBullMq = (connection) => new BullMqDriver({ Queue, Worker }, { connection, log, lockDuration: 1_000 })
