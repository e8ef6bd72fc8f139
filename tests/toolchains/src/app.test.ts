import { testServer } from 'alcove'
import { expect, test } from 'vitest'
import { App, GREETING, Hello } from './app.js'

test('a provider is replaced where it is declared', async () => {
  await using app = await testServer(App, { override: [[GREETING, 'Bonjour']] })
  const { text } = await app.call(Hello).expect(200)
  expect(text).toEqual('Bonjour')
})

test('the app answers over a socket, and constructor types are emitted or explained', async () => {
  await import('./probe.js')
})
