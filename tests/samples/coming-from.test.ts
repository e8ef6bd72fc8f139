/** Runs the examples of docs/how-to/coming-from-nest.md and docs/how-to/coming-from-fastify.md. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { App, createApp, GradualApp, TenantApp } from '../../samples/coming-from/fastify.js'
import { App as NestApp, testAdmin, testCats } from '../../samples/coming-from/nest.js'

test('the examples for users of NestJS: modules, pipes, guards, interceptors, filters and testing', async () => {
  await using app = await testServer(NestApp)
  const get = async (url: string, headers: Record<string, string> = {}): Promise<[number, unknown]> => {
    const response = await app.inject({ url, headers })
    return [response.statusCode, response.json()]
  }
  assert.deepEqual(await get('/cats/3'), [200, { id: 3, name: 'Tom' }])
  assert.deepEqual(await get('/dogs/3'), [200, { id: 4, fields: 'all' }])
  assert.equal((await get('/dogs/0'))[0], 400)
  assert.equal((await get('/admin'))[0], 403)
  assert.deepEqual(await get('/admin', { 'x-role': 'admin' }), [200, { ok: true }])
  assert.deepEqual(await get('/wrapped'), [200, { data: { ok: true } }])
  assert.deepEqual(await get('/order'), [409, { message: 'Out of stock' }])
  assert.deepEqual(await testCats(), { status: 200, body: { id: 7, name: 'Fake' } })
  assert.deepEqual(await testAdmin(), { status: 200, body: { ok: true }, wrapped: 404 })
})

test('the examples for users of Fastify: the same app in both faces', async () => {
  const programmatic = createApp()
  await using decorated = await testServer(App)
  const call = { method: 'POST', url: '/users', payload: { name: 'Ada' }, headers: { authorization: 'Bearer abc123' } } as const
  for (const server of [programmatic, decorated]) {
    const response = await server.inject(call)
    assert.deepEqual([response.statusCode, response.body], [201, '{"name":"Ada"}'])
    assert.equal((await server.inject({ ...call, headers: {} })).statusCode, 401)
  }
  await programmatic.close()
})

test('a shared decorator', async () => {
  await using tenants = await testServer(TenantApp)
  assert.equal((await tenants.inject({ method: 'POST', url: '/tenant', headers: { 'x-tenant': 'a' } })).body, '{"tenant":"a"}')
})

test('classes stand beside an application of functions, and see what it declares', async () => {
  await using app = await testServer(GradualApp)
  assert.equal((await app.inject('/old')).body, '{"from":"a function"}')
  assert.equal((await app.inject('/new')).body, '{"from":"a class","isLate":false}')
})
