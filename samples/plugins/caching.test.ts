/** The code of docs/how-to/cache.md. */
// #region test
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { App, Statistics } from './caching/memory.js'
// #endregion
import { setTimeout as wait } from 'node:timers/promises'
import { Plugin, type Request } from 'alcove'
import { Cache, CacheResults, MemoryCache } from './caching/cache.js'
import { App as ConditionApp, Report } from './caching/condition.js'
import { App as HeaderApp } from './caching/headers.js'
import { VisitsController } from './caching/memory.js'
import { redisCache } from './caching/redis.js'
import { listen, noRedis, withRedis } from './testing.js'

test('each reply says who may keep it, the hook of a route replaces the header of the plugin, and no cache keeps errors', () =>
  listen(HeaderApp, async (ask) => {
    const cacheControl = async (path: string) => (await ask(path)).headers.get('cache-control')
    assert.deepEqual(
      [await cacheControl('/products'), await cacheControl('/account'), await cacheControl('/nowhere')],
      ['public, max-age=60', 'private, no-cache', 'no-store'],
    )
  }))

test('a client that has the reply already gets 304 without a body', () =>
  listen(HeaderApp, async (ask) => {
    const first = await ask('/products')
    const etag = first.headers.get('etag')!
    assert.match(etag, /^".+"$/)
    const again = await ask('/products', { headers: { 'if-none-match': etag } })
    assert.deepEqual([again.status, await again.text(), again.headers.get('etag')], [304, '', etag])
    assert.equal((await ask('/account', { headers: { 'if-none-match': etag } })).status, 200)
  }))

test('a version that is known before the work saves the work', async () => {
  await using app = await testServer(ConditionApp)
  const report = app.resolve(Report)
  const get = (etag: string) => app.inject({ url: '/report', headers: { 'if-none-match': etag } })
  for (const etag of ['"7"', 'W/"6", W/"7"', '*']) {
    const { statusCode, body, headers } = await get(etag)
    assert.deepEqual([statusCode, body, headers['etag'], headers['cache-control']], [304, '', '"7"', 'no-cache'])
  }
  assert.equal(report.timesMade, 0)
  assert.equal((await get('"6"')).statusCode, 200)
  assert.equal(report.timesMade, 1)
})

// #region test
test('a result is kept, and requests that arrive together share one', async () => {
  await using app = await testServer(App)
  const statistics = app.resolve(Statistics)
  const bodies = await Promise.all(Array.from({ length: 20 }, async () => (await app.inject('/visits/2025')).body))
  assert.deepEqual([new Set(bodies), statistics.calls], [new Set(['{"visits":6075}']), 1])
  await app.inject('/visits/2025')
  assert.equal(statistics.calls, 1)
  await app.inject('/visits/2026')
  assert.equal(statistics.calls, 2)
})
// #endregion

test('parameters that the schema does not list make no other key', async () => {
  await using app = await testServer(App)
  await app.inject('/visits/2025')
  await app.inject('/visits/2025?made=up')
  assert.equal(app.resolve(Statistics).calls, 1)
})

test('an error is not kept', async () => {
  await using app = await testServer(App)
  const statistics = app.resolve(Statistics)
  const visitsOf = statistics.visitsOf.bind(statistics)
  statistics.visitsOf = () => Promise.reject(new Error('The database is away'))
  assert.equal((await app.inject('/visits/2025')).statusCode, 500)
  statistics.visitsOf = visitsOf
  assert.equal((await app.inject('/visits/2025')).statusCode, 200)
})

test('nothing is kept of a handler that returns nothing, such as one that calls reply.send', async () => {
  const kept: unknown[] = []
  class Recording extends MemoryCache {
    override async set(_key: string, value: unknown) {
      kept.push(value)
    }
  }
  const hook = new CacheResults(new Recording())
  const request = { routeOptions: { url: '/', config: { cacheFor: 60 } }, params: {}, query: {} } as unknown as Request
  assert.equal(await hook.around(request, async () => undefined), undefined)
  assert.equal(await hook.around(request, async () => null), null)
  assert.deepEqual(kept, [null])
})

test('a request that waits for a handler that calls reply.send runs the handler itself', async () => {
  const hook = new CacheResults(new MemoryCache())
  const request = { routeOptions: { url: '/', config: { cacheFor: 60 } }, params: {}, query: {} } as unknown as Request
  let calls = 0
  const next = async () => {
    calls += 1
    await wait(5)
    return undefined
  }
  await Promise.all([hook.around(request, next), hook.around(request, next)])
  assert.equal(calls, 2)
})

test('the memory keeps 1000 results, of which it leaves out those that were not used for the longest time', async () => {
  const cache = new MemoryCache()
  for (let key = 0; key < 1000; key += 1) await cache.set(String(key), key, 60)
  assert.equal(await cache.get('0'), 0)
  await cache.set('one more', 1000, 60)
  assert.deepEqual([await cache.get('0'), await cache.get('1'), await cache.get('one more')], [0, undefined, 1000])
  await cache.set('short', 1, 0.01)
  await wait(20)
  assert.equal(await cache.get('short'), undefined)
})

@Plugin({ providers: [Statistics, redisCache], hooks: { around: CacheResults }, routes: [VisitsController] })
class RedisApp {}

test('results are kept in Redis for all processes', { skip: noRedis }, () =>
  withRedis(async () => {
    await using one = await testServer(RedisApp)
    await using other = await testServer(RedisApp)
    const [first, second] = [one.resolve(Cache), other.resolve(Cache)]
    // Before its connection is made, nothing is kept.
    while ((await second.get('a')) === undefined) {
      await first.set('a', { n: 1 }, 60)
      await wait(5)
    }
    assert.deepEqual(await second.get('a'), { n: 1 })
    await first.set('b', 2, 1)
    await wait(1100)
    assert.equal(await second.get('b'), undefined)
    for (const app of [one, other, other]) assert.equal((await app.inject('/visits/2025')).body, '{"visits":6075}')
    assert.deepEqual([one.resolve(Statistics).calls, other.resolve(Statistics).calls], [1, 0])
  }),
)

test('without its Redis the application answers, by the handler each time', async () => {
  process.env['REDIS_URL'] = 'redis://127.0.0.1:1'
  await using app = await testServer(RedisApp)
  for (const times of [1, 2]) {
    assert.equal((await app.inject('/visits/2025')).statusCode, 200)
    assert.equal(app.resolve(Statistics).calls, times)
  }
})

test('a test keeps results in memory instead of in Redis', async () => {
  await using app = await testServer(RedisApp, { override: [[Cache, MemoryCache]] })
  for (const _ of [1, 2]) await app.inject('/visits/2025')
  assert.equal(app.resolve(Statistics).calls, 1)
})
