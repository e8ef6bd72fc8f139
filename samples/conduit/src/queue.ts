/** Jobs are rows of the database: one that is added within a transaction exists if the transaction commits. Replicas share them. */
import { factory, JobDriver, LOGGER, type Logger } from 'alcove'
import { PgBossDriver } from 'alcove/jobs'
import PgBoss from 'pg-boss'
import { Database } from './database/database.js'

class Jobs extends PgBossDriver {
  readonly #boss: PgBoss

  constructor(boss: PgBoss, log: Logger) {
    super(boss, { log })
    this.#boss = boss
  }

  /** alcove calls it when all jobs have ended, and before it closes the database. */
  async dispose(): Promise<void> {
    await this.#boss.stop({ timeout: 5000 }) // ms
  }
}

export const jobsProvider = factory(JobDriver, [Database, LOGGER], async (db, log) => {
  const boss = new PgBoss({ db: { executeSql: (text, values?: unknown[]) => db.run(text, values) } })
  boss.on('error', (error) => log.error({ err: error }, 'the queue failed'))
  await boss.start()
  return new Jobs(boss, log)
})
