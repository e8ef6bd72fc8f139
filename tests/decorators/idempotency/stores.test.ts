/** The suite of stores on the store in memory, and what only this store does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryStore, PostgresStore, RedisStore } from 'alcove/idempotency'
import { testStore } from '../../fixtures/idempotency-suite.js'

const store = new MemoryStore()
testStore('memory', () => store)

const claimOf = (key: string) => ({ key, fingerprint: 'f', owner: key, lease: 60_000 })
const reply = { status: 200, headers: {}, body: undefined }

test('a store in memory is bounded: the oldest kept reply makes room, and a running request never does', async () => {
  const small = new MemoryStore({ maxKeys: 2 })
  await small.claim(claimOf('a'))
  await small.claim(claimOf('b'))
  await assert.rejects(small.claim(claimOf('c')), { statusCode: 503 })
  await small.complete(claimOf('b'), reply, 60_000)
  assert.equal((await small.claim(claimOf('c'))).state, 'claimed')
  assert.equal((await small.claim(claimOf('a'))).state, 'running')
})

test('a store in memory is bounded in bytes: the oldest stored replies make room, and a reply that is longer is refused', async () => {
  const small = new MemoryStore({ maxBytes: 100 })
  const body = Buffer.alloc(40)
  for (const key of ['a', 'b', 'c']) {
    await small.claim(claimOf(key))
    await small.complete(claimOf(key), { ...reply, body }, 60_000)
  }
  const states = await Promise.all(['b', 'c', 'a'].map(async (key) => (await small.claim(claimOf(key))).state))
  assert.deepEqual(states, ['kept', 'kept', 'claimed'])
  await assert.rejects(small.complete(claimOf('a'), { ...reply, body: Buffer.alloc(99) }, 60_000), {
    message: 'The reply has 101 bytes, and maxBytes of the MemoryStore is 100.',
  })
  assert.equal((await small.claim(claimOf('a'))).state, 'claimed', 'the key is free again')
})

test('limits of a store in memory that are no whole numbers from 1 on are refused', () => {
  for (const maxBytes of [0, -1, 1.5, Number.NaN])
    assert.throws(() => new MemoryStore({ maxBytes }), { message: 'new MemoryStore(…): maxBytes must be a whole number from 1 on.' })
})

test('the name of the table of keys cannot bring other SQL along', () => {
  assert.throws(() => new PostgresStore({ query: async () => {} }, { table: 'keys; DROP TABLE users' }), /is no name for the table/)
  assert.match(PostgresStore.createTable('app.keys'), /^CREATE TABLE IF NOT EXISTS app\.keys \(/)
})

test('a store in Redis sends each step as one script, with its prefix and whole ms, and reads text and bytes', async () => {
  const sent: string[][] = []
  let answer: unknown = ''
  const redis = new RedisStore(
    async (...command) => {
      sent.push(command.toSpliced(1, 1))
      return answer
    },
    { prefix: 'app:' },
  )
  const claim = { ...claimOf('k'), lease: 10.5 }
  assert.deepEqual(await redis.claim(claim), { state: 'claimed' })
  answer = 1
  assert.equal(await redis.complete(claim, { ...reply, body: Buffer.from('ä') }, 20), true)
  assert.deepEqual(sent, [
    ['EVAL', '1', 'app:k', 'f k ', '11'],
    ['EVAL', '1', 'app:k', 'f k ', '{"status":200,"headers":{},"body":"w6Q="}', '20'],
  ])
  answer = Buffer.from(`f k ${sent[1]![4]}`)
  assert.deepEqual(await redis.claim(claim), { state: 'kept', fingerprint: 'f', reply: { ...reply, body: Buffer.from('ä') } })
})
