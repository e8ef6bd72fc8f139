// Requests and jobs with faults at every point, against PostgreSQL: `npm run test:jobs` sends 1,000 requests, `REQUESTS=100000` more. A request writes a row and adds a job in one
// transaction. Handlers throw, commits fail because their connection is ended, clients leave, jobs fail, and the processes of the API and of
// the worker are killed. In the end each acknowledged write is there with its job done, and nothing is there of a request that failed.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request as send } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

const databaseUrl = process.env.TEST_DATABASE_URL
const total = Number(process.argv[2] ?? 5_000)
/** ms between two kills of a process. */
const KILL_EVERY = Number(process.env.KILL_EVERY ?? 1_500)
const CONCURRENT = 16

const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 })
await pool.query(
  'CREATE TABLE users (key text PRIMARY KEY); CREATE TABLE mails (job uuid PRIMARY KEY, key text NOT NULL, times int NOT NULL)',
)

/** A process that is started again whenever it ends. */
class Process {
  kills = 0
  constructor(role) {
    this.role = role
    this.start()
  }
  start() {
    const child = fork(fileURLToPath(new URL('faulty-app.mjs', import.meta.url)), [this.role], {
      env: { ...process.env, DATABASE_URL: databaseUrl },
    })
    this.child = child
    this.isReady = false
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('it ended')))
    this.ready = Promise.race([once(child, 'message').then(([port]) => port), ended])
    this.ready.then(
      () => (this.isReady = true),
      () => {},
    )
    ended.catch(() => this.isOver || this.start())
  }
  /** Kills the process, unless it is still starting. */
  kill() {
    if (!this.isReady) return
    this.kills++
    this.isReady = false
    this.child.kill('SIGKILL')
  }
  /** Ends the process as a deployment does, and returns its memory before and after its work. */
  async end() {
    this.isOver = true
    const port = await this.ready
    const said = once(this.child, 'message')
    this.child.send('heap')
    const [heap] = await said
    const ended = once(this.child, 'exit')
    this.child.kill('SIGTERM')
    const [code] = await ended
    assert.equal(code, 0, `the ${this.role} on ${port} ended with ${code}`)
    return heap
  }
}

const api = new Process('api')
const worker = new Process('worker')
await Promise.all([api.ready, worker.ready])

const outcomes = { acknowledged: new Set(), refused: new Set(), unknown: new Set() }
const faults = ['none', 'none', 'none', 'before', 'after', 'commit', 'status', 'leave', 'job']
const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENT })

async function register(n) {
  const fault = faults[n % faults.length]
  const key = `${n}-${fault}`
  let port
  while (port === undefined) port = await api.ready.catch(() => sleep(20))
  const status = await new Promise((resolve) => {
    const request = send(
      { port, host: '127.0.0.1', method: 'POST', path: `/users/${key}`, agent, headers: { 'content-length': 0 } },
      (response) => {
        response
          .resume()
          .once('end', () => resolve(response.statusCode))
          .once('error', () => resolve(undefined))
      },
    )
    request.on('error', () => resolve(undefined))
    request.end()
    if (fault === 'leave') setTimeout(() => request.destroy(), Math.random() * 10)
  })
  if (status === undefined) outcomes.unknown.add(key)
  else if (status === 201) outcomes.acknowledged.add(key)
  else outcomes.refused.add(key)
  // The process may have been killed: the next request finds the next one.
  if (status === undefined && fault !== 'leave') await sleep(20)
}

const killing = setInterval(() => (Math.random() < 0.5 ? api : worker).kill(), KILL_EVERY)
const began = performance.now()
let next = 0
await Promise.all(
  Array.from({ length: CONCURRENT }, async () => {
    while (next < total) await register(next++)
  }),
)
clearInterval(killing)

// What waits is done: also jobs of processes that were killed, when their time is over.
const left = async () =>
  Number(
    (await pool.query("SELECT count(*) FROM pgboss.job WHERE name = 'mails' AND state IN ('created', 'retry', 'active')")).rows[0].count,
  )
while ((await left()) > 0) await sleep(250)

const users = new Set((await pool.query('SELECT key FROM users')).rows.map(({ key }) => key))
const mails = (await pool.query('SELECT key, times FROM mails')).rows
const mailed = new Set(mails.map(({ key }) => key))
for (const key of outcomes.acknowledged) assert.ok(users.has(key), `the acknowledged write ${key} is lost`)
for (const key of outcomes.refused) assert.ok(!users.has(key), `the request ${key} failed, and its write is there`)
for (const key of users) assert.ok(mailed.has(key), `the job of ${key} was not done`)
for (const key of mailed) assert.ok(users.has(key), `the job of ${key} was done, but its transaction did not commit`)
assert.equal(mailed.size, mails.length, 'a job is recorded twice')

const open = (await pool.query("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'")).rows[0].count
assert.equal(Number(open), 0, 'a transaction was left open')
const heaps = { api: await api.end(), worker: await worker.end() }
agent.destroy()
await pool.end()
const seconds = Math.round((performance.now() - began) / 1_000)
console.log(
  `${total} requests in ${seconds} s: ${outcomes.acknowledged.size} acknowledged, ${outcomes.refused.size} refused, ${outcomes.unknown.size} without an answer; ` +
    `${mails.length} jobs done, ${mails.filter(({ times }) => times > 1).length} of them more than once; ` +
    `${api.kills} kills of the API, ${worker.kills} of the worker; no write lost, none kept of a failed request, each job recorded once. ` +
    `Heap at the end: ${heaps.api.toFixed(1)} MiB (API), ${heaps.worker.toFixed(1)} MiB (worker).`,
)
