// #region test
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { check, testServer } from 'alcove'
import { App, Tasks, TasksController } from './app.js'

test('the wiring is right', () => check(App)) // throws with the faults

test('a user adds a task, which is then found', async () => {
  await using app = await testServer(App)
  const added = await app.call(TasksController, 'add', { body: { title: 'Write' }, headers: { 'x-user': 'ada' } }).expect(201)
  assert.deepEqual(await app.call(TasksController, 'find', { params: { id: added.id } }).expect(200), { id: 1, title: 'Write' })
})

test('a task of nobody is refused, and a missing one is not found', async () => {
  await using app = await testServer(App, { override: [[Tasks, new Tasks()]] })
  const { statusCode } = await app.inject({ method: 'POST', url: '/tasks', payload: { title: 'Write' } })
  assert.equal(statusCode, 401)
  assert.equal((await app.call(TasksController, 'find', { params: { id: 7 } })).status, 404)
})
// #endregion
