/** The public exports of alcove/jobs: drivers that store jobs in a database or in Redis. */
export { BullMqDriver, type BullMqClasses, type BullMqDriverOptions } from './bullmq.js'
export { OutboxDriver, type OutboxOptions } from './outbox.js'
export { PgBossDriver, type PgBossClient, type PgBossDriverOptions } from './pg-boss.js'
