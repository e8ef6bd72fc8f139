/** The code of docs/how-to/deprecation.md, and what the page says of it. */
// #region headers
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { App } from './deprecation.js'

test('clients of the old orders are told that they end', async () => {
  await using app = await testServer(App)
  const { headers } = await app.inject('/orders')
  assert.equal(headers['deprecation'], '@1782777600')
  assert.equal(headers['sunset'], 'Thu, 31 Dec 2099 00:00:00 GMT')
  assert.equal(
    headers['link'],
    '<https://shop.example/changes#orders>; rel="deprecation", <https://shop.example/changes#orders>; rel="sunset"',
  )
})
// #endregion

import { clientFile, openapi, type OpenApiOperation } from 'alcove/contract'
import { startLegacy } from './deprecation.js'

test('a route ends the deprecation of its plugin', async () => {
  await using app = await testServer(App)
  const ask = async (url: string): Promise<unknown> => (await app.inject(url)).headers['deprecation']
  assert.deepEqual([await ask('/v1/price'), await ask('/v1/price/history')], ['@1782777600', undefined])
})

test('routes of a programmatic server have the headers that the server and the plugin function declare', async () => {
  await using server = startLegacy()
  const headersOf = async (url: string): Promise<unknown[]> => {
    const { headers } = await server.inject(url)
    return [headers['deprecation'], headers['sunset']]
  }
  assert.deepEqual(await headersOf('/health'), ['@1782777600', undefined])
  assert.deepEqual(await headersOf('/status'), ['@1782777600', 'Thu, 31 Dec 2099 00:00:00 GMT'])
})

test('document and client say what the page says', () => {
  const operation = openapi(App, { info: { title: 'Shop', version: '1.0.0' } }).paths['/orders']?.get as OpenApiOperation
  const { deprecated, 'x-deprecated-since': since, 'x-sunset': sunset, 'x-deprecated-link': link } = operation
  assert.deepEqual([deprecated, since, sunset, link], [true, '2026-06-30', '2099-12-31', 'https://shop.example/changes#orders'])
  const tag = ' * @deprecated since 2026-06-30, may be gone from 2099-12-31 on, see https://shop.example/changes#orders'
  assert.ok(clientFile(App).includes(`${tag}\n`))
})
