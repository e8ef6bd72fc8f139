/** Jobs are rows of the database, so one that is added in a transaction exists if the transaction commits. */
import { factory, JobDriver, LOGGER, Plugin } from 'alcove'
import { PgBossDriver } from 'alcove/jobs'
import PgBoss from 'pg-boss'
import { Database } from './database/database.js'

class Boss extends PgBoss {}

@Plugin({
  shared: true,
  providers: [
    factory(Boss, [Database, LOGGER], async (db, log) => {
      const boss = new Boss({ db: { executeSql: (text, values?: unknown[]) => db.outside(text, values) } })
      boss.on('error', (error) => log.error({ err: error }, 'the queue failed'))
      await boss.start()
      return boss
    }),
    factory(JobDriver, [Boss, LOGGER], (boss, log) => new PgBossDriver(boss, { log })),
  ],
  private: [Boss],
})
export class JobsPlugin {
  static readonly inject = [Boss] as const
  constructor(private readonly boss: Boss) {}

  /** alcove calls it when all jobs have ended, and before it closes the database. */
  async dispose(): Promise<void> {
    await this.boss.stop({ timeout: 5000 })
  }
}
