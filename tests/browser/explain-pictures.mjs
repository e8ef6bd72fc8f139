/**
 * Makes the pictures of the page of `explain` that the documents show. `node tests/browser/explain-pictures.mjs --write` writes them to
 * docs/pictures; without `--write` they are only made, and each must show what its name says.
 */
import { fileURLToPath } from 'node:url'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { EarlierShop, Shop } from '../../dist/tests/fixtures/explained-shop.js'
import { launch, pictureFolder, watch } from './chromium.mjs'
import { explained, writePage } from './explained.mjs'

const directory = await pictureFolder('alcove-explain-')
const pictures = process.argv.includes('--write') ? fileURLToPath(new URL('../../docs/pictures', import.meta.url)) : directory
const old = await explained(EarlierShop)
const now = await explained(Shop)
const address = await writePage(directory, 'shop.html', now.toHTML(old.document))

const shots = [
  ['explain-route', 'routes/POST%20%2Forders', 'the body is read'],
  ['explain-wiring', 'wiring', 'transient: one for each class'],
  ['explain-changes', 'changes/GET%20%2Fadmin%2Freports%2Frevenue', 'may let in more'],
]
const browser = await launch()
try {
  for (const colorScheme of ['light', 'dark'])
    for (const [name, hash, shown] of shots) {
      const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 800 } })
      const { faults } = watch(page)
      await page.goto(`${address}#${hash}`)
      await page.getByText(shown).first().waitFor()
      const file = join(pictures, `${name}-${colorScheme}.png`)
      const picture = await page.screenshot({ path: file })
      assert.ok(picture.length > 20_000, `${file} shows something`)
      assert.deepEqual(faults, [])
      await page.close()
    }
} finally {
  await browser.close()
}
console.log(`The pictures of the page of explain are in ${pictures}`)
