import assert from 'node:assert/strict'
import { test } from 'node:test'
import { check, testServer } from 'alcove'
import { App } from './app.ts'
import { Greet, Greeter } from './greet.ts'
import { NotesController } from './notes.ts'

test('the wiring is right', () => check(App))

test('greets by name', async () => {
  const app = await testServer(App)
  assert.deepEqual(await app.call(Greet, { params: { name: 'Ada' } }).expect(200), { greeting: 'Hello, Ada' })
  await app.close()
})

test('asks the greeter what to say', async () => {
  const app = await testServer(App, { override: [[Greeter, { greet: (name: string) => `Good evening, ${name}` }]] })
  const { greeting } = await app.call(Greet, { params: { name: 'Ada' } }).expect(200)
  assert.equal(greeting, 'Good evening, Ada')
  await app.close()
})

test('takes notes only of a user', async () => {
  const app = await testServer(App)
  assert.equal((await app.call(NotesController, 'add', { body: { text: 'Write' } })).status, 401)
  await app.call(NotesController, 'add', { body: { text: 'Write' }, headers: { 'x-user': 'ada' } }).expect(201)
  assert.deepEqual(await app.call(NotesController, 'list').expect(200), [{ id: 1, text: 'Write' }])
  await app.close()
})
