import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { PGlite } from '@electric-sql/pglite'
import { bootstrap, type Class, testServer } from 'alcove'
import { fastify } from 'fastify'
import { Accounts, AccountsController, App as DrizzleApp, Database, Settings } from './drizzle.js'
import { ClassApp, programmatic, requestTime } from './functions.js'
import { SqlArticles } from './locking.js'
import { App as MultipartApp } from './multipart.js'
import { App as TenantApp } from './request-context.js'
import { App as SessionApp } from './session.js'

// Optimizing the WebAssembly of PGlite takes longer than a test.
setFlagsFromString('--liftoff-only')

async function listen(App: Class, use: (origin: string) => Promise<void>): Promise<void> {
  const server = await bootstrap(App, { closeIdleDelay: 0 })
  try {
    await use(await server.listen({ port: 0, host: '127.0.0.1' }))
  } finally {
    await server.close()
  }
}

test('a browser logs in by a session, and changes something only with its token', () =>
  listen(SessionApp, async (origin) => {
    const send = (method: string, headers: Record<string, string>, body?: object) =>
      fetch(`${origin}/session`, {
        method,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      })
    assert.equal((await send('GET', {})).status, 401)
    assert.equal((await send('POST', {}, { name: 'ada', password: 'please' })).status, 401)
    const { status, headers } = await send('POST', {}, { name: 'ada', password: 'open sesame' })
    assert.equal(status, 204)
    const cookie = headers.getSetCookie()[0]!.split(';')[0]!
    const shown = (await (await send('GET', { cookie })).json()) as { user: string; token: string }
    assert.equal(shown.user, 'ada')
    assert.equal((await send('DELETE', { cookie })).status, 403)
    assert.equal((await send('DELETE', { cookie, 'x-csrf-token': shown.token })).status, 204)
    assert.equal((await send('GET', { cookie })).status, 401)
  }))

test('a form with a file is read as a stream, and one that is too large is refused', () =>
  listen(MultipartApp, async (origin) => {
    const send = async (size: number) => {
      const form = new FormData()
      form.set('photo', new Blob(['x'.repeat(size)], { type: 'image/png' }), 'cat.png')
      const response = await fetch(`${origin}/photos`, { method: 'POST', body: form })
      return [response.status, (await response.json()) as { sha256?: string; message?: string }] as const
    }
    const sha256 = createHash('sha256').update('xxx').digest('hex')
    assert.deepEqual(await send(3), [201, { name: 'cat.png', type: 'image/png', sha256 }])
    assert.equal((await send(1_000_001))[0], 413)
  }))

// The first database of a process is compiled, which can take more than pluginTimeout on a busy machine.
before(async () => (await PGlite.create()).close())

test('a plugin function serves a server without classes, a plugin class, and Fastify', async () => {
  const original = fastify()
  original.register(requestTime, { header: 'x-ms' })
  original.get('/pot', (_request, reply) => reply.code(418).send({ short: true, stout: true }))
  for (const server of [programmatic, await bootstrap(ClassApp), original]) {
    const origin = await server.listen({ port: 0, host: '127.0.0.1' })
    const response = await fetch(`${origin}/pot`)
    assert.deepEqual([response.status, await response.json()], [418, { short: true, stout: true }])
    assert.match(response.headers.get('x-ms')!, /^\d+$/)
    await server.close()
  }
})

// #region test
test('a transfer that fails leaves nothing behind', async () => {
  await using app = await testServer(DrizzleApp, { override: [[Settings, new Settings({})]] })
  const { db } = app.resolve(Database)
  await db.execute(`insert into accounts values ('ada', 10)`)
  const transfer = (amount: number) => app.call(AccountsController, 'transfer', { body: { from: 'ada', to: 'bob', amount } })
  assert.equal((await transfer(11)).status, 409)
  assert.equal((await app.call(AccountsController, 'find', { params: { name: 'bob' } })).status, 404)
  assert.equal((await transfer(4)).status, 204)
  assert.deepEqual(await app.call(AccountsController, 'find', { params: { name: 'bob' } }).expect(200), { balance: 4 })
})
// #endregion

// #region fake
test('a route is tested without a database', async () => {
  await using app = await testServer(DrizzleApp, {
    override: [
      [Database, {} as Database],
      [Accounts, { balanceOf: async () => 7, add: async () => {}, take: async () => true }],
    ],
  })
  assert.deepEqual(await app.call(AccountsController, 'find', { params: { name: 'ada' } }).expect(200), { balance: 7 })
})
// #endregion

test('of statements that change one version only the first changes it', async () => {
  await using db = await PGlite.create()
  await db.exec("create table articles (id int, text text, version int); insert into articles values (1, 'Hello', 1)")
  const articles = new SqlArticles(db)
  const changes = await Promise.all(['from Ada', 'from Bob'].map((text) => articles.change(1, text, [1])))
  assert.deepEqual(changes, [{ id: 1, text: 'from Ada', version: 2 }, undefined])
  assert.equal(await articles.change(2, 'nothing', [1]), undefined)
})

test('a plain function finds the request that is at work', async () => {
  await using app = await testServer(TenantApp)
  const tenants = ['anna', 'bert']
  const replies = await Promise.all(tenants.map((tenant) => app.inject({ url: '/tenant', headers: { 'x-tenant': tenant } })))
  assert.deepEqual(
    replies.map(({ body }) => body),
    tenants.map((tenant) => `{"tenant":"tenant ${tenant}"}`),
  )
})
