/** What docs/how-to/unit-of-work.md says of a transaction. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { Recorded } from './recorded-pool.js'
import { Pool, TransfersController, TransfersPlugin } from './unit-of-work.js'

const body = { from: 'ada', to: 'bob', amount: 5 }

test('a transfer is committed before the reply, and its client released after it', async () => {
  const pool = new Recorded()
  await using app = await testServer(TransfersPlugin, { provide: [[Pool, pool]] })
  await app.call(TransfersController, 'transfer', { body }).expect(201)
  assert.deepEqual(pool.queries, ['BEGIN', 'UPDATE', 'UPDATE', 'COMMIT', 'release'])
})

test('if the database refuses to commit, the client gets the error', async () => {
  const pool = new Recorded()
  pool.failing = 'COMMIT'
  await using app = await testServer(TransfersPlugin, { provide: [[Pool, pool]] })
  assert.equal((await app.inject({ method: 'POST', url: '/transfers', payload: body })).statusCode, 500)
})

test('the client of a transaction that could not begin is released', async () => {
  const pool = new Recorded()
  pool.failing = 'BEGIN'
  await using app = await testServer(TransfersPlugin, { provide: [[Pool, pool]] })
  assert.equal((await app.inject({ method: 'POST', url: '/transfers', payload: body })).statusCode, 500)
  assert.deepEqual(pool.queries, ['BEGIN', 'release'])
})

test('a request that is refused, or begins no transaction, commits nothing', async () => {
  const pool = new Recorded()
  await using app = await testServer(TransfersPlugin, { provide: [[Pool, pool]] })
  await app.inject({ method: 'POST', url: '/transfers', payload: { ...body, to: 'ada' } })
  await app.inject({ method: 'POST', url: '/transfers', payload: {} })
  assert.deepEqual(pool.queries, [])
})
