/** How are jobs kept in Redis, and added within a transaction of PostgreSQL? */
// #region driver
import { environment, factory, JobDriver, LOGGER } from 'alcove'
import { BullMqDriver } from 'alcove/jobs'
import { Queue, Worker } from 'bullmq'

export class Settings extends environment({
  type: 'object',
  required: ['REDIS_URL'],
  properties: { REDIS_URL: { type: 'string', format: 'uri', writeOnly: true } },
}) {}

export const driver = factory(
  JobDriver,
  [Settings, LOGGER],
  ({ REDIS_URL }, log) => new BullMqDriver({ Queue, Worker }, { connection: { url: REDIS_URL }, log }),
)
// #endregion

// #region outbox
import { type SqlClient, token } from 'alcove'
import { OutboxDriver } from 'alcove/jobs'

/** A pool of `pg`, or any client with a method `query`. */
export const POOL = token<SqlClient>('POOL')

export const outbox = factory(JobDriver, [Settings, POOL, LOGGER], ({ REDIS_URL }, pool, log) => {
  const redis = new BullMqDriver({ Queue, Worker }, { connection: { url: REDIS_URL }, log })
  return new OutboxDriver(redis, pool, { log })
})
// #endregion
