// #region test
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { openapi } from 'alcove/contract'
import { App } from './app.js'

test('every route that is deprecated in the document says so in its replies, and no other', async () => {
  await using app = await testServer(App, { server: { logger: { level: 'silent' } } })
  const { paths } = openapi(App, { info: { title: 'Shop', version: '1.0.0' } })
  for (const [path, { get }] of Object.entries(paths)) {
    const { headers } = await app.inject(path)
    const isDeprecated = get?.deprecated === true
    assert.equal(headers['deprecation'], isDeprecated ? '@1767225600' : undefined, path)
    assert.equal(headers['sunset'], isDeprecated ? 'Wed, 01 Jul 2026 00:00:00 GMT' : undefined, path)
  }
})
// #endregion

test('errors of a deprecated route have the headers too, and the log says who asks', async () => {
  const lines: { msg: string; url?: string; client?: string }[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  await using app = await testServer(App, { server: { logger: { level: 'warn', stream } } })
  const { headers } = await app.inject({ url: '/v1/price', headers: { 'user-agent': 'old-app/1.0' } })
  assert.equal(headers['link'], '<https://shop.example/docs/version-2>; rel="deprecation"; type="text/html"')
  assert.deepEqual(
    lines.map(({ msg, url, client }) => [msg, url, client]),
    [['a deprecated route was used', '/v1/price', 'old-app/1.0']],
  )
})
