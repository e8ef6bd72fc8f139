/** What docs/how-to/background-work.md says of work that is no request. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { testServer } from 'alcove'
import { App, closeMonth, follow } from './background-work.js'
import { Recorded } from './recorded-pool.js'
import { Pool } from './unit-of-work.js'

test('work commits its transaction, and a failure rolls it back and rejects', async () => {
  const pool = new Recorded()
  await using app = await testServer(App, { provide: [[Pool, pool]] })
  await closeMonth(app.server, '2026-10')
  assert.deepEqual(pool.queries.splice(0), ['BEGIN', 'UPDATE', 'INSERT', 'COMMIT', 'release'])
  pool.failing = 'INSERT INTO closings VALUES ($1)'
  await assert.rejects(closeMonth(app.server, '2026-11'), { message: 'INSERT INTO closings VALUES ($1) failed' })
  assert.deepEqual(pool.queries, ['BEGIN', 'UPDATE', 'INSERT', 'ROLLBACK', 'release'])
})

test('a loop ends when the server closes, after the month that it is closing', async () => {
  const pool = new Recorded()
  const app = await testServer(App, { provide: [[Pool, pool]] })
  const months = ['2026-10', '2026-11']
  const following = follow(app.server, async () => months.shift() ?? wait(5, undefined))
  await wait(20)
  await app.close()
  await following
  assert.equal(pool.queries.filter((query) => query === 'COMMIT').length, 2)
})
