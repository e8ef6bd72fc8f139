import { testServer } from 'alcove'
import { expect, test } from 'vitest'
import { App, GREETING, Hello } from './app.js'

test('a provider is replaced where it is declared', async () => {
  await using app = await testServer(App, { override: [[GREETING, 'Bonjour']] })
  const { status, body } = await app.call(Hello)
  expect([status, body.text]).toEqual([200, 'Bonjour'])
})

test('the app answers over a socket, and constructor types are emitted or explained', async () => {
  await import('./probe.js')
})
