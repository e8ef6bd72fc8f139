/**
 * Uses the page of `explain(server).toHTML()` in a browser: search, keyboard, themes, comparison, hostile names, and 1,000 routes. CHROMIUM
 * names its binary; SCREENSHOTS a folder to keep pictures.
 */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Controller, Get, Plugin } from '../../dist/decorators/index.js'
import { App as Contracted } from '../../dist/samples/contract/app.js'
import { EarlierShop, Shop } from '../../dist/tests/fixtures/explained-shop.js'
import { launch, pictureFolder, watch } from './chromium.mjs'
import { contrastFaults } from './contrast.mjs'
import { explained, writePage } from './explained.mjs'
import { LargeApp } from './large-app.mjs'

const directory = await pictureFolder('alcove-page-')
const shop = await explained(Shop)
const earlier = await explained(EarlierShop)
const addresses = {
  shop: await writePage(directory, 'shop.html', shop.toHTML()),
  compared: await writePage(directory, 'compared.html', shop.toHTML(earlier.document)),
  contracted: await writePage(directory, 'contracted.html', (await explained(Contracted)).toHTML()),
}
const browser = await launch()

/** Opens a page, uses it, and checks that it asked for nothing and reported no error. */
async function using(address, options, use) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options })
  const { faults, requests } = watch(page)
  await page.goto(address)
  await use(page)
  assert.deepEqual(faults, [])
  assert.deepEqual(requests, [address.replace(/#.*/, '')], 'nothing is asked of a network')
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  assert.equal(overflow, 0, 'the page does not scroll sideways')
  await page.close()
}

const titles = (page) => page.$$eval('.row', (rows) => rows.map((row) => row.dataset.route))
const panel = (page) => page.locator('.panel').innerText()
const focused = (page) => page.evaluate(() => document.activeElement.dataset.route ?? document.activeElement.id)

async function showRoutes(page) {
  for (const route of shop.document.routes) {
    await page.locator(`[data-route="${route.methods.join(', ')} ${route.url}"]`).click()
    const text = await panel(page)
    const seen = [...route.visible.requestDecorators, ...route.visible.providers, ...route.hidden.providers]
    for (const name of [...seen.map((each) => each.name), ...Object.keys(route.responses)])
      assert.ok(text.includes(name), `${route.url} shows ${name}`)
    const marked = await page.$$eval('.tree .seen', (all) => all.map(({ title }) => title))
    assert.deepEqual(marked, [...new Set(['Shop', route.context])], 'the contexts that the route sees are marked')
  }
  // The hooks in the order in which they run, around what the framework does itself.
  await page.locator('[data-route="POST /orders"]').click()
  const stages = await page.$$eval('.order .stage', (all) => all.map((stage) => stage.textContent))
  assert.deepEqual(stages, ['onRequest', 'onRequest', 'parsing', 'validation', 'handler'])

  // A schema can be closed, and be read as JSON.
  const body = page.locator('.schema', { hasText: 'application/json' }).first()
  assert.match(await body.innerText(), /lines[^]*at most 20 items[^]*product[^]*count[^]*default 1/)
  await body.locator('summary').last().click()
  assert.match(await body.locator('pre').innerText(), /"maxItems": 20/)
  await body.locator('summary').first().click()
  assert.equal(await body.locator('.properties').first().isVisible(), false)

  // A context shows what it adds, and limits the list to its routes and those below it.
  await page.locator('.tree [title="Shop > CatalogPlugin"]').click()
  assert.deepEqual(await titles(page), ['GET /products', 'GET /products/:id'])
  assert.match(await panel(page), /Shared schemas that it adds[^]*Product[^]*In cents/)
}

async function search(page) {
  await page.keyboard.press('/')
  assert.equal(await focused(page), 'search')
  await page.keyboard.type('orders delete')
  assert.deepEqual(await titles(page), ['DELETE /orders/:id'])
  assert.equal(await page.getByRole('status').innerText(), '1 route found')
  await page.keyboard.press('Escape')
  assert.equal((await titles(page)).length, shop.document.routes.length)

  // Hooks, providers and classes are found by their names.
  await page.keyboard.type('requireuser')
  await page.getByRole('region', { name: 'Hooks' }).getByRole('button').click()
  assert.deepEqual(await titles(page), [
    'GET /orders/:id',
    'POST /orders',
    'DELETE /orders/:id',
    'GET /admin/reports/revenue',
    'GET /admin/reports/stock',
  ])
  await page.keyboard.press('/')
  await page.keyboard.type('ledger')
  await page.getByRole('region', { name: 'Providers' }).getByRole('button').click()
  const boxes = await page.$$eval('.box .label', (all) => all.map(({ textContent }) => textContent).sort())
  assert.deepEqual(boxes, ['Db', 'GET /admin/reports/revenue', 'GET /admin/reports/stock', 'Ledger', 'ReportsController'])
  await page.keyboard.press('/')
  await page.keyboard.type('productscontroller')
  assert.ok((await page.locator('.node .name').allTextContents()).includes('ProductsController'))
}

async function useKeyboard(page) {
  await page.keyboard.press('ArrowDown')
  assert.equal(await focused(page), 'GET /health')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  assert.equal(await focused(page), 'GET /products')
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle)
  assert.equal(outline, 'solid', 'the focus is visible')
  await page.keyboard.press('Enter')
  assert.match(await panel(page), /ProductsController\.list/)
  assert.equal(await focused(page), 'GET /products', 'the focus stays in the list')
  assert.ok(page.url().endsWith('#routes/GET%20%2Fproducts'), 'the address names the route')
  await page.keyboard.press('End')
  assert.equal(await focused(page), 'GET /admin/reports/stock')
  await page.keyboard.press('Escape')
  assert.match(await panel(page), /without a guard/)
  // The list is one stop of Tab.
  await page.locator('[data-route="GET /health"]').focus()
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate(() => document.activeElement.closest('.list')), null)
  await page.goBack()
  assert.match(await panel(page), /ProductsController\.list/, 'the browser goes back to the route')
}

async function changeTheme(page) {
  const theme = () => page.evaluate(() => [document.documentElement.dataset.theme, getComputedStyle(document.body).backgroundColor])
  assert.deepEqual(await theme(), ['dark', 'rgb(18, 22, 28)'])
  await page.getByRole('button', { name: 'Change to the light theme' }).click()
  assert.deepEqual(await theme(), ['light', 'rgb(247, 248, 250)'])
}

const marks = (page) =>
  page.$$eval('.change-row', (rows) => rows.map((row) => `${row.querySelector('.mark').title} ${row.querySelector('.name').textContent}`))
const expected = [
  'lost POST /orders/:id/cancel',
  'changed POST /orders',
  'gained DELETE /orders/:id',
  'changed GET /admin/reports/revenue',
  'changed GET /admin/reports/stock',
  'lost Shop > AdminPlugin > RequireAdmin',
]

async function showChanges(page) {
  assert.deepEqual(await marks(page), expected)
  await page.getByRole('button', { name: 'GET /admin/reports/stock' }).click()
  assert.match(await panel(page), /may let in more requests[^]*guard RequireAdmin \(preHandler\) of Shop > AdminPlugin/)
  assert.deepEqual(await page.locator('.step.lost .guard').allInnerTexts(), ['RequireAdmin'])
  await page.getByRole('button', { name: 'POST /orders request' }).click()
  assert.deepEqual(await page.locator('.properties .gained .property').allInnerTexts(), ['deliver?'])
  assert.deepEqual(await page.locator('.properties .lost .property').allInnerTexts(), ['coupon?'])
  assert.match(await page.locator('.properties .changed').first().innerText(), /before: at least 1 items, at most 10 items/)
  // The list of routes is marked as well, with the routes that are gone.
  await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Routes' }).click()
  assert.ok((await titles(page)).includes('POST /orders/:id/cancel'))
  assert.deepEqual(await page.$$eval('.row .mark:not(.none)', (all) => all.map(({ title }) => title)), [
    'changed',
    'gained',
    'lost',
    'changed',
    'changed',
  ])
}

async function loadEarlier(page) {
  const broken = join(directory, 'broken.json')
  await writeFile(broken, '{ "version": 1, "routes": [{}], "root": { "children": [] } }')
  await page.getByLabel('Compare with an earlier explanation').setInputFiles(broken)
  await page.getByText('The file is not an explanation that this page can read.').waitFor()
  const file = join(directory, 'earlier.json')
  await writeFile(file, JSON.stringify(earlier.document))
  await page.getByLabel('Compare with an earlier explanation').setInputFiles(file)
  await page.getByText('6 changes since earlier.json').waitFor()
  assert.deepEqual(await marks(page), expected)
}

/** An application each of whose names is markup that would report itself. */
function hostileApp() {
  const evil = `</script><img src=x onerror="window.hit=1"><script>window.hit=1</script>%%old%%`
  class Evil {
    find() {}
  }
  const schema = {
    type: 'object',
    title: evil,
    description: evil,
    properties: { [evil]: { type: 'string', pattern: evil, default: evil } },
  }
  const options = { response: { 200: schema }, summary: evil, querystring: schema }
  Get('/', options)(Evil.prototype, 'find', Object.getOwnPropertyDescriptor(Evil.prototype, 'find'))
  const url = '/%3Cimg%20src=x%20onerror=window.hit=1%3E'
  Controller(url)(Evil)
  const hook = Object.defineProperty(() => Promise.resolve(), 'name', { value: evil })
  const Provider = class {}
  Object.defineProperty(Provider, 'name', { value: evil })
  class App {}
  Plugin({ name: evil, routes: [Evil], providers: [Provider], schemas: [{ ...schema, $id: 'Evil' }], hooks: { onRequest: hook } })(App)
  return App
}

async function openEverything(page) {
  for (const view of ['Routes', 'Wiring', 'Changes']) {
    await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: view }).click()
    // A click may draw the list again, so that each entry is looked up when it is its turn.
    await page.evaluate(() => {
      for (let index = 0; index < document.querySelectorAll('.item, .filter').length; index++) {
        document.querySelectorAll('.item, .filter')[index].click()
        for (const summary of document.querySelectorAll('summary')) summary.click()
      }
    })
  }
  await page.keyboard.press('/')
  await page.keyboard.type('<img')
  await page.waitForTimeout(200)
  assert.equal(await page.evaluate(() => window.hit), undefined)
  assert.equal(await page.locator('img').count(), 0)
  assert.equal(await page.locator('script').count(), 3)
}

async function openLarge() {
  const large = await explained(LargeApp)
  const address = await writePage(directory, 'large.html', large.toHTML())
  await using(address, {}, async (page) => {
    const opened = await page.evaluate(() => performance.timing.loadEventEnd - performance.timing.navigationStart)
    assert.equal((await titles(page)).length, 1000)
    const timeOf = async (use) => {
      const start = performance.now()
      await use()
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
      return Math.round(performance.now() - start)
    }
    const searched = await timeOf(() => page.getByRole('searchbox').fill('area-77'))
    assert.equal((await titles(page)).length, 10)
    const chosen = await timeOf(() => page.locator('.row').first().click())
    const drawn = await timeOf(() => page.getByRole('button', { name: 'Wiring', exact: true }).click())
    console.log(`1,000 routes: opened in ${opened} ms, searched in ${searched} ms, a route in ${chosen} ms, the wiring in ${drawn} ms`)
    for (const time of [opened, searched, chosen, drawn]) assert.ok(time < 2000, `${time} ms is less than 2 s`)
    await page.screenshot({ path: join(directory, 'explain-large.png') })
  })
}

async function checkLook(page, name) {
  assert.deepEqual(await contrastFaults(page), [], name)
  for (const [role, label] of [['banner'], ['main', 'List'], ['navigation', 'Views'], ['region', 'Details']])
    assert.equal(await page.getByRole(role, label === undefined ? {} : { name: label, exact: true }).count(), 1, `${name}: ${role}`)
  const unnamed = await page.$$eval(
    'button, input, summary, a',
    (all) => all.filter((each) => !each.textContent.trim() && !each.ariaLabel && !each.labels?.length).length,
  )
  assert.equal(unnamed, 0, 'each control has a name')
  await page.screenshot({ path: join(directory, `${name}.png`) })
}

try {
  await using(addresses.shop, {}, showRoutes)
  await using(addresses.shop, {}, search)
  await using(addresses.shop, {}, useKeyboard)
  await using(addresses.shop, { colorScheme: 'dark' }, changeTheme)
  await using(addresses.compared, {}, showChanges)
  await using(addresses.shop, {}, loadEarlier)
  const hostile = await explained(hostileApp())
  await using(await writePage(directory, 'hostile.html', hostile.toHTML(earlier.document)), {}, openEverything)
  for (const colorScheme of ['light', 'dark'])
    for (const [name, address] of [
      ['route', `${addresses.compared}#routes/POST%20%2Forders`],
      ['changes', `${addresses.compared}#changes/GET%20%2Fadmin%2Freports%2Fstock`],
      ['wiring', `${addresses.compared}#wiring/Shop%20%3E%20OrdersPlugin%20%3E%20Orders`],
      ['contract', `${addresses.contracted}#routes/GET%20%2Fnotes%2F%3Aid`],
      ['overview', addresses.contracted],
    ])
      await using(address, { colorScheme }, (page) => checkLook(page, `${name}-${colorScheme}`))
  await using(`${addresses.shop}#routes/POST%20%2Forders`, { viewport: { width: 420, height: 800 } }, async (page) => {
    await page.screenshot({ path: join(directory, 'route-small.png') })
    await page.getByRole('button', { name: '← Routes' }).click()
    assert.equal(await page.locator('.list').isVisible(), true)
    await page.screenshot({ path: join(directory, 'list-small.png') })
  })
  await openLarge()
} finally {
  await browser.close()
}
console.log(`The page was used; pictures are in ${directory}`)
