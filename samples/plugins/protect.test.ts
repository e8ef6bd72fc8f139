/** The code of docs/how-to/protect.md, over a real connection. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { App as GuardedApp } from './protect/before-guards.js'
import { App as CorsApp } from './protect/cors.js'
import { App as HelmetApp } from './protect/helmet.js'
import { App as LimitedApp } from './protect/limit.js'
import { App as ReplicatedApp } from './protect/redis.js'
import { type Ask, listen, noRedis, withRedis } from './testing.js'

/** The statuses of so many requests, one after the other: how often each came in a row. */
async function statusesOf(count: number, send: () => Promise<Response>): Promise<[status: number, times: number][]> {
  const runs: [status: number, times: number][] = []
  for (let sent = 0; sent < count; sent += 1) {
    const { status } = await send()
    if (runs.at(-1)?.[0] === status) runs.at(-1)![1] += 1
    else runs.push([status, 1])
  }
  return runs
}

const logIn = (ask: Ask) => () =>
  ask('/api/login', { method: 'POST', body: '{"password":"guess"}', headers: { 'content-type': 'application/json' } })
const listOrders = (ask: Ask) => () => ask('/api/orders', { headers: { authorization: 'Bearer a-token' } })
const listWithoutToken = (ask: Ask) => () => ask('/api/orders')

test('pages of the listed origin may send every method of the list, those of others may not, and errors have the headers too', () =>
  listen(CorsApp, async (ask) => {
    const preflight = async (origin: string) => {
      const { status, headers } = await ask('/orders', {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'DELETE' },
      })
      return [status, headers.get('access-control-allow-origin'), headers.get('access-control-allow-methods')]
    }
    const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE'
    assert.deepEqual(await preflight('https://shop.example'), [204, 'https://shop.example', methods])
    assert.equal((await preflight('https://other.example'))[1], null)
    for (const path of ['/orders', '/nowhere']) {
      const { status, headers } = await ask(path, { headers: { origin: 'https://shop.example' } })
      assert.deepEqual([status, headers.get('access-control-allow-origin')], [path === '/orders' ? 401 : 404, 'https://shop.example'])
    }
  }))

test('every reply has the security headers, that to an unknown path too', () =>
  listen(HelmetApp, async (ask) => {
    for (const path of ['/orders', '/nowhere']) {
      const { headers } = await ask(path)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.match(headers.get('content-security-policy')!, /default-src 'self'/)
      assert.match(headers.get('strict-transport-security')!, /max-age=/)
    }
  }))

test('the plain limit answers the 101st request 429, and the eleventh login', () =>
  listen(LimitedApp, async (ask) => {
    assert.deepEqual(await statusesOf(12, logIn(ask)), [
      [401, 10],
      [429, 2],
    ])
    assert.deepEqual(await statusesOf(102, listOrders(ask)), [
      [200, 100],
      [429, 2],
    ])
  }))

test('the plain limit does not count requests that a guard refuses', () =>
  listen(LimitedApp, async (ask) => assert.deepEqual(await statusesOf(102, listWithoutToken(ask)), [[401, 102]])))

test('a limit before the guards counts requests that they refuse', () =>
  listen(GuardedApp, async (ask) => {
    assert.deepEqual(await statusesOf(102, listWithoutToken(ask)), [
      [401, 100],
      [429, 2],
    ])
    const { headers } = await ask('/api/orders')
    assert.ok(Number(headers.get('retry-after')) > 0)
    assert.equal((await ask('/nowhere')).status, 404)
  }))

test('a limit before the guards leaves the stricter limit of the login in force', () =>
  listen(GuardedApp, async (ask) =>
    assert.deepEqual(await statusesOf(12, logIn(ask)), [
      [401, 10],
      [429, 2],
    ]),
  ))

test('without its Redis the application serves requests uncounted', async () => {
  process.env['REDIS_URL'] = 'redis://127.0.0.1:1'
  await listen(ReplicatedApp, async (ask) => assert.deepEqual(await statusesOf(12, logIn(ask)), [[401, 12]]))
})

test('two processes count together in Redis', { skip: noRedis }, () =>
  withRedis(() =>
    listen(ReplicatedApp, (one) =>
      listen(ReplicatedApp, async (other) => {
        const replicas = [logIn(one), logIn(other)]
        let sent = 0
        // Before its connection is made, a replica does not count.
        for (const replica of replicas) while ((await replica()).headers.get('x-ratelimit-remaining') === '10');
        const counted = await statusesOf(12, () => replicas[sent++ % 2]!())
        assert.equal(counted.at(-1)![0], 429)
        assert.ok(counted[0]![1] < 10)
      }),
    ),
  ),
)
