/** Looks at the page of `explain(server).toHTML()` in a browser. CHROMIUM names its binary; SCREENSHOTS a folder to keep pictures. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bootstrap, explain } from '../../dist/decorators/index.js'
import { App } from '../../dist/samples/contexts/app.js'
import { launch, pictureFolder, watch } from './chromium.mjs'

const directory = await pictureFolder('alcove-page-')
const server = await bootstrap(App)
const explanation = explain(server)
const file = join(directory, 'explain.html')
await writeFile(file, explanation.toHTML())
await server.close()

const browser = await launch()
try {
  for (const [colorScheme, width] of [
    ['light', 1200],
    ['dark', 1200],
    ['light', 420],
  ]) {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } })
    const { faults, requests } = watch(page)
    await page.goto(pathToFileURL(file).href)

    // Rooms within rooms, as the contexts are.
    const rooms = await page.$$eval('.room', (all) => all.map((room) => room.dataset.path))
    const paths = (context) => [context.path, ...context.children.flatMap(paths)]
    assert.deepEqual(rooms, paths(explanation.root))
    const nested = await page.$$eval('.room', (all) =>
      all.every(
        (room) =>
          !room.dataset.path.includes(' > ') ||
          room.parentElement.closest('.room').dataset.path === room.dataset.path.split(' > ').slice(0, -1).join(' > '),
      ),
    )
    assert.ok(nested, 'a room stands in its parent')

    // A route shows what it sees, and its rooms are marked.
    for (const route of explanation.routes) {
      await page.getByRole('button', { name: `${route.methods.join(', ')} ${route.url}`, exact: true }).click()
      const text = await page.locator('#route').innerText()
      for (const { name } of [...route.visible.requestDecorators, ...route.hidden.requestDecorators, ...route.hooks])
        assert.ok(text.includes(name), `${route.url} shows ${name}`)
      const seen = await page.$$eval('.room.sees', (all) => all.map((room) => room.dataset.path))
      assert.deepEqual(
        seen,
        rooms.filter((path) => route.context === path || route.context.startsWith(`${path} > `)),
      )
    }
    // By keyboard too.
    await page.getByRole('button', { name: 'GET /two', exact: true }).focus()
    await page.keyboard.press('Enter')
    assert.equal(
      await page
        .locator('button[aria-pressed=true]')
        .innerText()
        .then((text) => text.replaceAll(/\s+/g, ' ').trim()),
      'GET /two',
    )
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    assert.equal(overflow, 0, 'the page does not scroll sideways')

    await page.screenshot({ path: join(directory, `explain-${colorScheme}-${width}.png`), fullPage: true })
    assert.deepEqual(faults, [])
    assert.deepEqual(requests, [pathToFileURL(file).href], 'nothing is asked of a network')
    await page.close()
  }
} finally {
  await browser.close()
}
console.log(`The page was looked at; pictures are in ${directory}`)
