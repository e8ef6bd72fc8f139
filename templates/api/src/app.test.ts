import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { check, createServer, testServer, type TestServer } from 'alcove'
import { App, serverOptions } from './app.js'
import { Database } from './database/database.js'
import { migrate } from './database/migrations.js'
import { HealthController, HealthPlugin, Readiness } from './health.js'
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
  await using broken = await testServer(HealthPlugin, { provide, server: { logger: false } })
  const { status, body } = await broken.call(HealthController, 'ready')
  assert.deepEqual([status, body], [503, { statusCode: 503, error: 'Service Unavailable', message: 'The database does not answer' }])
  await broken.resolve(Readiness).end()
  assert.equal((await broken.call(HealthController, 'live')).status, 200)
  assert.match((await broken.inject('/health/ready')).body, /The process is ending/)
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
  assert.equal((await app.inject('/docs')).statusCode, 200)
  const { paths } = (await app.inject('/docs/openapi.json')).json()
  assert.deepEqual(paths['/api/orders'].post.security, [{ bearer: [] }])
  assert.deepEqual(Object.keys(paths['/api/orders'].post.responses), ['201', '400', '401', '409', '413', '415', '429', '503'])
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
