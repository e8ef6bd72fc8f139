/** The code of docs/how-to/forms.md. */
// #region test
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { App, ApplicationsController, SubscriptionsController } from './forms.js'
// #endregion
import { openapi } from 'alcove/contract'
import { listen } from './testing.js'

// #region test
test('forms are sent as objects, and validated by their schemas', async () => {
  await using app = await testServer(App)
  const subscribed = await app.call(SubscriptionsController, 'create', { body: { email: 'ada@example.com', topics: ['news'], age: 30 } })
  assert.deepEqual([subscribed.status, subscribed.body], [201, { topics: 1, age: 30, weekly: false }])

  const letter = new Blob(['Dear all'])
  const applied = await app.call(ApplicationsController, 'create', { body: { name: 'Ada', letter } }).expect(201)
  assert.deepEqual(applied, { name: 'Ada', bytes: 8 })
})
// #endregion

test('as browsers send them, fields are texts: they are coerced, and wrong ones are refused', () =>
  listen(App, async (ask) => {
    const send = async (fields: string) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const response = await ask('/subscriptions', { method: 'POST', headers, body: fields })
      const { message, ...body } = (await response.json()) as { message?: string }
      return [response.status, message ?? body]
    }
    assert.deepEqual(await send('email=ada%40example.com&topics=news&topics=offers&age=30'), [201, { topics: 2, age: 30, weekly: false }])
    assert.deepEqual(await send('email=ada%40example.com&topics=news&weekly=true'), [201, { topics: 1, weekly: true }])
    assert.equal((await send('email=ada%40example.com&topics=news&weekly=on'))[0], 400)
    assert.deepEqual(await send('email=ada&topics=news'), [400, 'body/email should match format "email"'])
    assert.deepEqual(await send('email=ada%40example.com&topics=news&age=12'), [400, 'body/age should be >= 16'])
    assert.equal((await send(`email=${'a'.repeat(10_001)}`))[0], 413)
  }))

test('a form with a file is validated whole, and one that is too large is refused', () =>
  listen(App, async (ask) => {
    const send = async (fields: Record<string, string | Blob>) => {
      const body = new FormData()
      for (const [name, value] of Object.entries(fields)) body.append(name, value)
      const response = await ask('/applications', { method: 'POST', body })
      return [response.status, await response.json()] as const
    }
    const letter = new Blob(['Dear all'])
    assert.deepEqual(await send({ name: 'Ada', years: '3', letter }), [201, { name: 'Ada', bytes: 8 }])
    assert.equal((await send({ name: 'Ada', years: 'x', letter }))[0], 400)
    assert.equal((await send({ name: 'Ada' }))[0], 400)
    assert.equal((await send({ name: 'Ada', letter: new Blob(['x'.repeat(1_000_001)]) }))[0], 413)
    assert.equal((await send({ name: 'x'.repeat(101), letter }))[0], 400)
  }))

test('a media type that the schema does not list is 415, JSON and another form too', () =>
  listen(App, async (ask) => {
    const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    assert.equal((await ask('/subscriptions', json)).status, 415)
    const body = new FormData()
    body.append('email', 'ada@example.com')
    assert.equal((await ask('/subscriptions', { method: 'POST', body })).status, 415)
    assert.equal((await ask('/applications', { method: 'POST', body: new URLSearchParams({ name: 'Ada' }) })).status, 415)
  }))

test('the document has the forms with their media types', () => {
  const { paths } = openapi(App, { info: { title: 'Forms', version: '1.0.0' } }) as unknown as {
    paths: Record<string, { post: { requestBody: { content: Record<string, unknown> } } }>
  }
  const typesOf = (path: string) => Object.keys(paths[path]!.post.requestBody.content)
  assert.deepEqual([typesOf('/subscriptions'), typesOf('/applications')], [['application/x-www-form-urlencoded'], ['multipart/form-data']])
})
