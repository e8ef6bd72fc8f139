import { testServer } from 'alcove'
import { expect, test } from 'vitest'
import { App, GetPrice, Prices } from './app.js'

test('an article has its price', async () => {
  await using app = await testServer(App)
  expect(await app.call(GetPrice, { params: { article: 'tea' } }).expect(200)).toEqual({ price: 3 })
})

test('an unknown article is not found', async () => {
  await using app = await testServer(App)
  expect((await app.call(GetPrice, { params: { article: 'gold' } })).status).toBe(404)
})

test('a fake stands in for the prices', async () => {
  await using app = await testServer(App, { override: [[Prices, { of: () => 7 }]] })
  expect(await app.call(GetPrice, { params: { article: 'gold' } }).expect(200)).toEqual({ price: 7 })
})
