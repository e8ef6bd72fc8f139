// #region test
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { App, ArticlesController } from './app.js'
// #endregion
import { openapi } from 'alcove/contract'

// #region test
test('of two changes of one version the second is refused, and succeeds with the version that it has read again', async () => {
  await using app = await testServer(App)
  const params = { id: 1 }
  const change = (text: string, etag: string) =>
    app.call(ArticlesController, 'change', { params, body: { text }, headers: { 'if-match': etag } })
  const found = await app.call(ArticlesController, 'find', { params })
  const etag = String(found.headers['etag'])

  assert.equal((await change('from Ada', etag)).status, 200)
  const refused = await change('from Bob', etag)
  assert.equal(refused.status, 412)
  assert.equal((await app.call(ArticlesController, 'find', { params }).expect(200)).text, 'from Ada')
  assert.equal((await change('from Bob, who has read it again', '"2"')).headers['etag'], '"3"')
})
// #endregion

test('a change that names no version is refused, and so is one with *', async () => {
  await using app = await testServer(App)
  const change = (headers: Record<string, string>) =>
    app.call(ArticlesController, 'change', { params: { id: 1 }, body: { text: 'x' }, headers })
  for (const headers of [{}, { 'if-match': '*' }]) assert.equal((await change(headers as Record<string, string>)).status, 428)
  assert.equal((await change({ 'if-match': '1' })).status, 400)
  assert.equal((await change({ 'if-match': 'W/"1"' })).status, 412)
})

test('a client that has the current article gets a 304', async () => {
  await using app = await testServer(App)
  const find = (tag: string) => app.call(ArticlesController, 'find', { params: { id: 1 }, headers: { 'if-none-match': tag } })
  assert.deepEqual([(await find('"1"')).status as number, (await find('"2"')).status], [304, 200])
})

test('of changes that arrive together exactly one succeeds', async () => {
  await using app = await testServer(App)
  const changes = Array.from({ length: 20 }, (_, n) =>
    app.call(ArticlesController, 'change', { params: { id: 1 }, body: { text: `change ${n}` }, headers: { 'if-match': '"1"' } }),
  )
  const statuses = (await Promise.all(changes)).map(({ status }) => Number(status))
  assert.deepEqual([statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 412).length], [1, 19])
})

test('the document has the ETag, the 412 and the 428', () => {
  const { paths } = openapi(App, { info: { title: 'Articles', version: '1.0.0' } }) as any
  const { responses } = paths['/articles/{id}'].put
  assert.deepEqual(Object.keys(responses[200].headers), ['etag'])
  assert.deepEqual(
    Object.keys(responses).filter((status) => ['404', '412', '428'].includes(status)),
    ['404', '412', '428'],
  )
})
