/**
 * The suite of stores of idempotency keys on real servers: Redis by two clients, PostgreSQL, and PGlite. Then an application whose keys are in
 * the transaction of the request, whose process is killed. `TEST_DATABASE_URL` names a PostgreSQL server (with-postgres.sh starts one);
 * redis-server is started here.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import { PostgresStore, RedisStore } from '../../dist/decorators/idempotency/index.js'
import { Redis } from 'ioredis'
import pg from 'pg'
import { createClient } from 'redis'
import { startRedis } from '../fixtures/redis-server.mjs'
import { testStore } from '../../dist/tests/fixtures/idempotency-suite.js'

const { TEST_DATABASE_URL: url } = process.env
const ends = []
after(async () => {
  for (const end of ends.toReversed()) await end()
})

const redis = await startRedis()
ends.push(() => redis.stop())
const { port } = redis
const ioredis = new Redis({ port, host: '127.0.0.1' })
ends.push(() => ioredis.quit())
await ioredis.ping()
testStore('Redis, by ioredis', () => new RedisStore((command, ...args) => ioredis.call(command, ...args)))

const nodeRedis = createClient({ url: `redis://127.0.0.1:${port}` })
await nodeRedis.connect()
ends.push(() => nodeRedis.close())
testStore('Redis, by node-redis', () => new RedisStore((...command) => nodeRedis.sendCommand(command), { prefix: 'other:' }))

const pglite = await PGlite.create()
ends.push(() => pglite.close())
await pglite.query(PostgresStore.createTable())
testStore('PGlite', () => new PostgresStore(pglite))

assert.ok(
  url !== undefined,
  'TEST_DATABASE_URL names no PostgreSQL server. Run: bash samples/conduit/tests/with-postgres.sh node --test tests/idempotency/run.mjs',
)
const pool = new pg.Pool({ connectionString: url, max: 50 })
ends.push(() => pool.end())
await pool.query('CREATE SCHEMA IF NOT EXISTS kept')
await pool.query(PostgresStore.createTable('kept.keys'))
testStore('PostgreSQL', () => new PostgresStore(pool, { table: 'kept.keys' }))

test('a store in PostgreSQL deletes rows whose time is over', async () => {
  const claim = { key: 'expired', fingerprint: 'f', owner: 'o', lease: 1 }
  await new PostgresStore(pool, { table: 'kept.keys' }).claim(claim)
  await wait(50)
  await new PostgresStore(pool, { table: 'kept.keys' }).claim({ ...claim, key: 'later', lease: 60_000 })
  const { rows } = await pool.query("SELECT key FROM kept.keys WHERE key IN ('expired', 'later')")
  assert.deepEqual(rows, [{ key: 'later' }])
})

describe('an application whose keys are in the transaction of the request', async () => {
  await pool.query(PostgresStore.createTable())
  await pool.query('CREATE TABLE IF NOT EXISTS orders (id serial PRIMARY KEY, mark text NOT NULL)')
  const ordersOf = async (name) => Number((await pool.query('SELECT count(*) FROM orders WHERE mark = $1', [name])).rows[0].count)
  const start = async (env = {}) => {
    const child = spawn(process.execPath, [fileURLToPath(new URL('app.mjs', import.meta.url))], {
      env: { ...process.env, DATABASE_URL: url, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(child.stdout, 'data')
    const exited = once(child, 'exit')
    return { base: String(line).trim(), exited, stop: async () => (child.kill(), exited) }
  }
  const send = async ({ base }, key, body) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key }
    const response = await fetch(`${base}/orders`, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: response.status, replayed: response.headers.get('idempotency-replayed'), text: await response.text() }
  }

  test('keeps the reply with the commit, and neither order nor key of a request that is refused', async () => {
    const app = await start()
    assert.deepEqual(await send(app, 'k1', { name: 'one' }), { status: 201, replayed: null, text: '{"name":"one"}' })
    assert.deepEqual(await send(app, 'k1', { name: 'one' }), { status: 201, replayed: 'true', text: '{"name":"one"}' })
    assert.equal(await ordersOf('one'), 1)
    assert.equal((await send(app, 'k2', { name: 'two', status: 409 })).status, 409)
    assert.equal(await ordersOf('two'), 0)
    assert.equal((await send(app, 'k2', { name: 'two' })).status, 201)
    assert.equal(await ordersOf('two'), 1)
    await app.stop()
  })

  test('runs one of many equal requests', async () => {
    const app = await start()
    const replies = await Promise.all(Array.from({ length: 30 }, () => send(app, 'k3', { name: 'many' })))
    assert.equal(await ordersOf('many'), 1)
    assert.deepEqual(
      [...new Set(replies.map(({ status }) => status))].filter((status) => status !== 201 && status !== 409),
      [],
    )
    await app.stop()
  })

  for (const point of ['in the handler', 'before the commit', 'after the commit'])
    test(`has done the work of a key once after its process was killed ${point}, when the client has its reply`, async () => {
      const name = `killed ${point}`
      const body = { name, mark: 'killed' }
      const first = await start({ KILL_AT: point })
      await assert.rejects(send(first, `"${name}"`, body))
      await first.exited
      assert.equal(await ordersOf(name), point === 'after the commit' ? 1 : 0)
      const next = await start()
      let reply
      const statuses = []
      for (let turn = 0; turn < 40 && reply?.status !== 201; turn++) {
        reply = await send(next, `"${name}"`, body)
        statuses.push(reply.status)
        if (reply.status !== 201) await wait(100)
      }
      assert.equal(reply.status, 201)
      assert.deepEqual(
        [...new Set(statuses)].filter((status) => status !== 409 && status !== 201),
        [],
      )
      assert.equal(reply.replayed, point === 'after the commit' ? 'true' : null)
      assert.equal(await ordersOf(name), 1)
      await next.stop()
    })
})
