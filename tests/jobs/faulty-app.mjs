// The application of faults.mjs: the API with a transaction for each request, or the worker that does its jobs.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import pg from 'pg'
import PgBoss from 'pg-boss'
import { bootstrap, Controller, factory, HttpError, Injectable, Job, JobDriver, Plugin, Post, queue, token } from '../../dist/esm/index.js'
import { PgBossDriver } from '../../dist/esm/jobs.js'
import { log } from './stores.mjs'

const role = process.argv[2]
const POOL = token('POOL')
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
pool.on('error', () => {})
pool.on('connect', (client) => client.on('error', () => {}))
const boss = new PgBoss({ connectionString: process.env.DATABASE_URL, maintenanceIntervalSeconds: 1 })
boss.on('error', () => {})

const MAILS = queue('mails', {
  input: { type: 'object', required: ['key'], properties: { key: { type: 'string' } } },
  // Each kill of a worker counts as a failure of its jobs.
  retry: { limit: 50, delay: 0 },
  timeout: 2_000,
})

class Transaction {
  static inject = [POOL]
  static endsBefore = 'reply'
  #client
  constructor(from) {
    this.pool = from
  }
  async begin() {
    this.#client ??= await this.pool.connect()
    await this.#client.query('BEGIN')
    return this.#client
  }
  query(sql, values) {
    return this.#client.query(sql, values)
  }
  async onRequestEnd({ kind }) {
    await this.#client?.query(kind === 'completed' ? 'COMMIT' : 'ROLLBACK')
  }
  dispose() {
    // A connection that failed is not used again.
    this.#client?.release(this.broken)
  }
}
Injectable({ scope: 'request' })(Transaction)

class Users {
  static inject = [Transaction, MAILS, POOL]
  constructor(transaction, mails, from) {
    Object.assign(this, { transaction, mails, pool: from })
  }
  async register({ params: { key } }) {
    const fault = key.split('-')[1]
    const { transaction } = this
    await transaction.begin()
    if (fault === 'before') throw new Error('before the write')
    await transaction.query('INSERT INTO users VALUES ($1)', [key])
    await this.mails.add({ key }, { within: transaction })
    if (fault === 'after') throw new Error('after the write')
    if (fault === 'status') throw new HttpError(409, 'refused')
    if (fault === 'commit') {
      const { rows } = await transaction.query('SELECT pg_backend_pid() AS pid')
      transaction.broken = true
      await this.pool.query('SELECT pg_terminate_backend($1)', [rows[0].pid])
    }
    return { key }
  }
}
Post({ path: '/:key', status: 201 })(Users.prototype, 'register', Object.getOwnPropertyDescriptor(Users.prototype, 'register'))
Controller('/users')(Users)

const failed = new Set()
class SendMail {
  static inject = [POOL]
  constructor(from) {
    this.pool = from
  }
  async run({ input: { key }, id }) {
    const fails = key.endsWith('-job') && !failed.has(id)
    failed.add(id)
    // The mail itself: the table knows the id of the job, so that a mail that was sent is not sent again.
    await this.pool.query('INSERT INTO mails VALUES ($1, $2, 1) ON CONFLICT (job) DO UPDATE SET times = mails.times + 1', [id, key])
    if (fails) throw new Error('the job fails after its work')
  }
}
Job({ queue: MAILS, concurrency: 8 })(SendMail)

class App {}
Plugin({
  providers: [
    { provide: POOL, useValue: pool },
    factory(JobDriver, [], async () => {
      await boss.start()
      return new PgBossDriver(boss, { log: { error: (details) => process.env.VERBOSE && log.error(details, role) }, pollInterval: 50 })
    }),
    Transaction,
    MAILS,
  ],
  routes: [Users],
  jobs: role === 'worker' ? [SendMail] : [],
})(App)

const server = await bootstrap(App, { logger: false })
setFlagsFromString('--expose-gc')
process.on('message', () => {
  runInNewContext('gc')()
  process.send(process.memoryUsage().heapUsed / 2 ** 20)
})
process.on('SIGTERM', async () => {
  await server.close()
  await boss.stop({ graceful: false })
  await pool.end()
  process.exit(0)
})
if (role === 'worker') await server.startJobs()
else await server.listen({ port: 0, host: '127.0.0.1' })
process.send(role === 'worker' ? 0 : server.server.address().port)
