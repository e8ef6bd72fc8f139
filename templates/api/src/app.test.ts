import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { check, createServer, testServer, type TestServer } from 'alcove'
import { App, serverOptions } from './app.js'
import { Database } from './database/database.js'
import { migrate } from './database/migrations.js'
import { HealthController, HealthPlugin, Readiness } from './health.js'
import { ProductsController, SellerController } from './products/products.controller.js'
import { Settings } from './settings.js'
import { newUser, startApp } from './testing.js'

let app: TestServer
before(async () => {
  app = await startApp()
})
after(() => app.close())

test('the wiring is right', () => check(App))

test('migrations run once, also if replicas start together', async () => {
  const db = app.resolve(Database)
  assert.deepEqual(await Promise.all([migrate(db), migrate(db)]), [[], []])
})

test('is ready while the database answers, until the process ends', async () => {
  assert.equal((await app.call(HealthController, 'ready')).status, 200)
  const away = {
    query: () => Promise.reject(new Error('away')),
    run: async () => {},
    transaction: () => assert.fail(),
    onClose: async () => {},
  }
  const provide = [
    [Settings, new Settings()],
    [Database, away],
  ] as const
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  await using broken = await testServer(HealthPlugin, { provide, server: { logger: { stream } } })
  const { status, body } = await broken.call(HealthController, 'ready')
  assert.deepEqual([status, body], [503, { statusCode: 503, error: 'Service Unavailable', message: 'The database does not answer' }])
  assert.match(lines.join(''), /away/)
  lines.length = 0
  await broken.resolve(Readiness).end()
  assert.equal((await broken.call(HealthController, 'live')).status, 200)
  const { statusCode, json } = await broken.inject('/health/ready')
  assert.deepEqual([statusCode, json(), lines], [503, { status: 'ending' }, []], 'the log has no line for a probe')
})

test('the log shows no secrets', () => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const settings = new Settings()
  const { logger, ...options } = serverOptions(settings)
  const { log } = createServer({ ...options, logger: { ...(logger as object), level: 'info', stream } })
  log.info({ settings, user: { password: 'a long password' } }, 'started')
  assert.match(lines.join(''), /started/)
  assert.ok(![settings.JWT_SECRET, 'a long password'].some((secret) => lines.join('').includes(secret)))
})

test('has a page with its documentation', async () => {
  for (const url of ['/docs', '/docs/']) assert.equal((await app.inject(url)).statusCode, 200)
  const { paths } = (await app.inject('/docs/openapi.json')).json()
  assert.deepEqual(paths['/api/orders'].post.security, [{ bearer: [] }])
  assert.deepEqual(Object.keys(paths['/api/orders'].post.responses), ['201', '400', '401', '409', '413', '415', '429', '503'])
})

test('takes bodies as they were sent: null and texts are no numbers', async () => {
  const { id: sellerId, headers } = await newUser(app)
  const send = async (method: 'PATCH' | 'POST', url: string, payload: object) =>
    (await app.inject({ method, url: `/api${url}`, headers, payload })).statusCode
  const lamp = { name: 'Lamp', price: 2500, stock: 3 }
  const { id } = await app.call(SellerController, 'create', { headers, body: lamp }).expect(201)
  for (const wrong of [{ price: null }, { price: '2000' }, { stock: null }, { name: null }]) {
    assert.equal(await send('PATCH', `/products/${id}`, wrong), 400)
    assert.equal(await send('POST', '/products', { ...lamp, ...wrong }), 400)
  }
  for (const line of [{ productId: id, quantity: true }, { productId: String(id), quantity: 1 }, null])
    assert.equal(await send('POST', '/orders', { lines: [line] }), 400)
  assert.equal(await send('POST', '/orders', { lines: { productId: id, quantity: 1 } }), 400)
  for (const wrong of [{ email: null }, { password: null }, { password: 1_234_567_890 }])
    assert.equal(await send('POST', '/users', { email: 'ada@example.com', password: 'a long password', ...wrong }), 400)
  assert.deepEqual(await app.call(ProductsController, 'find', { params: { id } }).expect(200), { ...lamp, id, sellerId })
})

test('answers errors as problem details, with the id of the request', async () => {
  const { statusCode, headers, json } = await app.inject('/api/nothing')
  assert.deepEqual([statusCode, headers['content-type']], [404, 'application/problem+json; charset=utf-8'])
  assert.equal(json().instance, '/api/nothing')
  assert.match(String(headers['x-request-id']), /^[\da-f-]{36}$/)
})

test('refuses requests of a client that sends too many', async () => {
  const remoteAddress = '203.0.113.7'
  const send = () =>
    app.inject({ method: 'POST', url: '/api/users/login', remoteAddress, payload: { email: 'a@b.example', password: 'x'.repeat(10) } })
  const statuses: number[] = []
  for (let count = 0; count < 11; count += 1) statuses.push((await send()).statusCode)
  assert.deepEqual(statuses, [...Array<number>(10).fill(401), 429])
})

test('a token of another application is not valid', async () => {
  const { headers } = await newUser(app)
  const forged = headers.authorization.replace(/\.[^.]+$/, `.${'A'.repeat(43)}`)
  const { statusCode, headers: sent } = await app.inject({ url: '/api/users/me', headers: { authorization: forged } })
  assert.deepEqual([statusCode, sent['www-authenticate']], [401, 'Bearer'])
})
