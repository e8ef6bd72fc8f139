/** The page of `explain` as a file: its data, and that names of the application stay data. tests/browser/run.mjs opens it. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { bootstrap, explain, Get, Controller, Plugin } from 'alcove'
import { type Packed, unpack } from '../../../decorators/tools/packed.js'
import { App as Contracted } from '../../../samples/contract/app.js'
import { EarlierShop, Shop } from '../../fixtures/explained-shop.js'

function dataOf(page: string, id: 'now' | 'old'): unknown {
  const [, text] = new RegExp(`<script type="application/json" id="${id}">([^<]*)</script>`).exec(page)!
  const packed = JSON.parse(text!) as Packed | null
  return packed === null ? null : unpack(packed)
}

test('the page has the whole explanation, and the earlier one that it is compared with', async () => {
  for (const App of [Contracted, Shop]) {
    await using server = await bootstrap(App)
    await using earlier = await bootstrap(EarlierShop)
    const explanation = explain(server)
    const old = explain(earlier).toJSON()
    const page = explanation.toHTML(old)
    assert.deepEqual(dataOf(page, 'now'), JSON.parse(JSON.stringify(explanation)))
    assert.deepEqual(dataOf(page, 'old'), JSON.parse(JSON.stringify(old)))
    assert.equal(dataOf(explanation.toHTML(), 'old'), null)
  }
})

test('the policy of the page allows its script and its style by their digests, and nothing from outside', async () => {
  await using server = await bootstrap(Shop)
  const page = explain(server).toHTML()
  const [, policy] = /http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(page)!
  const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`
  const [, script] = /<script>([^]*?)<\/script>/.exec(page)!
  const [, style] = /<style>([^]*?)<\/style>/.exec(page)!
  assert.equal(
    policy,
    `default-src 'none'; script-src '${hashOf(script!)}'; style-src '${hashOf(style!)}'; img-src data:; base-uri 'none'; form-action 'none'`,
  )
  const markup = page.replace(script!, '').replace(style!, '')
  assert.deepEqual(
    [...markup.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address),
    ['data:,'],
  )
  assert.doesNotMatch(style!, /@import|url\(/)
})

test('names and schemas of the application cannot become markup', async () => {
  const evil = `</script><script>alert(1)</script><!--<script>%%old%%$&"'`
  @Controller('/')
  class Evil {
    @Get('/', { response: { 200: { type: 'object', description: evil, properties: { [evil]: { type: 'string' } } } }, summary: evil })
    evil() {
      return {}
    }
  }
  @Plugin({ name: evil, routes: [Evil] })
  class App {}
  await using server = await bootstrap(App)
  const explanation = explain(server)
  const page = explanation.toHTML(explanation.toJSON())
  assert.equal(page.match(/<script/g)!.length, 3, 'two elements with data, one with the script')
  assert.equal(page.match(/<!--/g), null)
  assert.match(page, /<title>&lt;\/script&gt;/)
  assert.deepEqual(dataOf(page, 'now'), JSON.parse(JSON.stringify(explanation)))
  assert.deepEqual(dataOf(page, 'old'), JSON.parse(JSON.stringify(explanation)))
})
