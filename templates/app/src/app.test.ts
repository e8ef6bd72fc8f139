import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { App, Greet, Greeter } from './app.js'

test('greets by name', async () => {
  await using app = await testServer(App)
  assert.deepEqual(await app.call(Greet, { params: { name: 'Ada' } }).expect(200), { greeting: 'Hello, Ada' })
})

test('asks the greeter what to say', async () => {
  await using app = await testServer(App, { override: [[Greeter, { greet: (name: string) => `Good evening, ${name}` }]] })
  const { greeting } = await app.call(Greet, { params: { name: 'Ada' } }).expect(200)
  assert.equal(greeting, 'Good evening, Ada')
})
