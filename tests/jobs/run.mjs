// The suite of jobs (tests/fixtures/job-suite.ts) with the stores that need a library: pg-boss on PGlite and on PostgreSQL, BullMQ on Redis,
// and BullMQ behind an outbox in PostgreSQL. `npm run test:jobs` runs it.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { OutboxDriver } from '../../dist/esm/jobs.js'
import { jobSuite } from '../../dist/tests/fixtures/job-suite.js'
import { hasRedis, startRedis } from '../fixtures/redis-server.mjs'
import { log, openBoss, openBullMq, openPgBoss } from './stores.mjs'

const nodeMajor = Number(process.versions.node.split('.')[0])
const databaseUrl = process.env.TEST_DATABASE_URL

/** Runs a worker in a process of its own, which takes a job and is then killed. */
function killer(store) {
  return async (queue) => {
    const child = fork(fileURLToPath(new URL('victim.mjs', import.meta.url)), [JSON.stringify(store), queue])
    const [message] = await once(child, 'message')
    if (message !== 'working') throw new Error(message)
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
}

/** Opens a transaction on a connection of its own. */
async function beginOn(pool) {
  const client = await pool.connect()
  await client.query('BEGIN')
  const end = async (sql) => {
    await client.query(sql)
    client.release()
  }
  return { query: (sql, values) => client.query(sql, values), commit: () => end('COMMIT'), rollback: () => end('ROLLBACK') }
}

/** Says loudly that a store is left out. In CI nothing may be left out for this reason. */
function leaveOut(name, why) {
  test(`jobs in ${name}`, (t) => {
    console.error(`\n!!! SKIPPED: jobs in ${name}: ${why}\n`)
    if (process.env.CI) throw new Error(why)
    t.skip(why)
  })
}

jobSuite('pg-boss 10 on PGlite', async () => {
  const client = await PGlite.create()
  const executeSql = async (text, values) =>
    values === undefined ? { rows: (await client.exec(text)).flatMap(({ rows }) => rows) } : client.query(text, values)
  const boss = await openBoss('pg-boss', { db: { executeSql } })
  return {
    open: async () => openPgBoss(boss),
    unit: 1_000,
    async close() {
      await boss.stop({ graceful: false })
      await client.close()
    },
  }
})

function pgBossOnPostgres(name, library) {
  jobSuite(name, async () => {
    const store = { kind: 'pg-boss', library, options: { connectionString: databaseUrl, schema: library.replaceAll(/\W/g, '') } }
    const boss = await openBoss(library, store.options)
    const pool = new pg.Pool({ connectionString: databaseUrl })
    return {
      open: async () => openPgBoss(boss, store.options),
      unit: 1_000,
      begin: () => beginOn(pool),
      killWorker: killer(store),
      async close() {
        await boss.stop({ graceful: false })
        await pool.end()
      },
    }
  })
}

if (databaseUrl === undefined) leaveOut('pg-boss on PostgreSQL', 'there is no PostgreSQL: install it (Debian: postgresql)')
else {
  pgBossOnPostgres('pg-boss 10 on PostgreSQL', 'pg-boss')
  if (nodeMajor >= 22) pgBossOnPostgres('pg-boss 12 on PostgreSQL', 'pg-boss-12')
  else
    test('jobs in pg-boss 12 on PostgreSQL', (t) => {
      console.error(`\n!!! SKIPPED: pg-boss 12 needs Node 22.12, and this is ${process.version}\n`)
      t.skip('pg-boss 12 needs Node 22.12')
    })
}

if (!hasRedis()) leaveOut('BullMQ on Redis', 'there is no Redis: install it (Debian: redis-server)')
else {
  const redis = await startRedis()
  after(() => redis.stop())
  const connection = { host: '127.0.0.1', port: redis.port }
  jobSuite('BullMQ on Redis', async () => ({
    open: async () => openBullMq(connection),
    unit: 50,
    refusesTransactions: true,
    killWorker: killer({ kind: 'bullmq', connection }),
    close: async () => {},
  }))
  if (databaseUrl !== undefined)
    jobSuite('BullMQ on Redis behind an outbox in PostgreSQL', async () => {
      const pool = new pg.Pool({ connectionString: databaseUrl })
      await pool.query(OutboxDriver.table())
      return {
        open: async () => new OutboxDriver(openBullMq(connection), pool, { log, interval: 50 }),
        unit: 50,
        begin: () => beginOn(pool),
        killWorker: killer({ kind: 'bullmq', connection }),
        close: () => pool.end(),
      }
    })
}
