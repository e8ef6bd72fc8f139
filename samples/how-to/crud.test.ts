/** The code of docs/how-to/test.md, and what docs/how-to/crud.md says of the routes. */
// #region unit
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NoSuchNote, Notes } from './crud.js'

test('a note that was deleted is not found', async () => {
  const notes = new Notes()
  const { id } = await notes.create({ title: 'Milk', isDone: false })
  await notes.delete(id)
  await assert.rejects(notes.find(id), NoSuchNote)
})
// #endregion

// #region routes
import { testServer } from 'alcove'
import { App, NotesController } from './crud.js'

test('a note is created, changed and deleted', async () => {
  await using app = await testServer(App)
  const note = await app.call(NotesController, 'create', { body: { title: 'Milk', isDone: false } }).expect(201)
  const params = { id: note.id }
  await app.call(NotesController, 'change', { params, body: { isDone: true } }).expect(200)
  assert.deepEqual(await app.call(NotesController, 'find', { params }).expect(200), { ...note, isDone: true })
  await app.call(NotesController, 'remove', { params }).expect(204)
  assert.equal((await app.call(NotesController, 'find', { params })).status, 404)
})
// #endregion

// #region fake
import { NotesPlugin } from './crud.js'

class EndlessNotes extends Notes {
  override async list(after: number, limit: number) {
    return Array.from({ length: limit }, (_, index) => ({ id: after + index + 1, title: 'Fake', isDone: false }))
  }
}

test('a page says where the next one begins', async () => {
  await using app = await testServer(NotesPlugin, { override: [[Notes, EndlessNotes]] })
  const { notes, next } = await app.call(NotesController, 'list', { query: { limit: 2 } }).expect(200)
  assert.deepEqual([notes.map(({ id }) => id), next], [[1, 2], 2])
})
// #endregion

// #region http
test('a body with an unknown property loses it, and one without a title is refused', async () => {
  await using app = await testServer(App)
  const post = (payload: object) => app.inject({ method: 'POST', url: '/notes', payload })
  const created = await post({ title: 'Milk', isDone: false, isAdmin: true })
  assert.deepEqual([created.statusCode, created.json()], [201, { id: 1, title: 'Milk', isDone: false }])
  const refused = await post({ isDone: false })
  assert.deepEqual([refused.statusCode, refused.json().message], [400, "body should have required property 'title'"])
  assert.equal((await post({ title: 'Milk' })).json().message, "body should have required property 'isDone'")
})
// #endregion

// #region socket
test('the server answers over the network', async () => {
  await using app = await testServer(App)
  const address = await app.server.listen({ port: 0, host: '127.0.0.1' })
  const response = await fetch(`${address}/notes`)
  assert.deepEqual([response.status, await response.json()], [200, { notes: [] }])
})
// #endregion

test('PUT needs every field, PATCH does not', async () => {
  await using app = await testServer(App)
  const { id } = await app.call(NotesController, 'create', { body: { title: 'Milk', isDone: false } }).expect(201)
  const send = async (method: 'PATCH' | 'PUT') => (await app.inject({ method, url: `/notes/${id}`, payload: { isDone: true } })).statusCode
  assert.deepEqual([await send('PUT'), await send('PATCH')], [400, 200])
})
