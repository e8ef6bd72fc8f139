/**
 * Looks at the built site (`npm run site`) for what keeps readers out: axe-core at a page of each kind, at two widths, in light and dark; and
 * at all pages, whether they scroll sideways on a narrow phone, and what a page weighs. (site/check-pages.mjs checks headings, alt texts and
 * ids, site/check-links.mjs links and their anchors, at each build.) `SCREENSHOTS=site/screenshots` draws the pictures there again.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, sep } from 'node:path'
import { gzipSync } from 'node:zlib'
import { launch } from './chromium.mjs'
import { folder, serveSite } from './site-server.mjs'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const paths = readdirSync(folder, { recursive: true })
  .filter((name) => name.endsWith('.html') && name !== '404.html')
  .map((name) => `/${name.replaceAll(sep, '/')}`)
const textOf = (path) => readFileSync(join(folder, path), 'utf8')

/** A page of each kind. The page with call-outs is any page that has one. */
const kinds = {
  home: '/index.html',
  guide: '/guide/models.html',
  'call-out': paths.find((path) => !path.startsWith('/source/') && textOf(path).includes('custom-block')),
  table: '/reference/ecosystem.html',
  readme: '/project/readme.html',
  decision: '/decisions/0016-site.html',
  api: '/api/alcove/interfaces/Server.html',
  'api contents': '/api/alcove/index.html',
  source: '/source/samples/contexts/app.ts.html',
  folder: paths.find((path) => path.startsWith('/source/') && path.endsWith('/index.html')),
  missing: '/no-such-page.html',
}
for (const [kind, path] of Object.entries(kinds))
  assert.ok(kind === 'missing' || paths.includes(path), `there is a page of the kind ${kind}`)

const { origin, close } = await serveSite()
const browser = await launch()
const kept = process.env['SCREENSHOTS']
const faults = []
try {
  for (const [kind, path] of Object.entries(kinds)) {
    for (const [width, colorScheme] of [
      [1440, 'light'],
      [1440, 'dark'],
      [360, 'light'],
    ]) {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme, deviceScaleFactor: kept ? 0.5 : 1 })
      await page.goto(`${origin}${path}`, { waitUntil: 'networkidle' })
      if (kept && ['home', 'guide'].includes(kind)) await page.screenshot({ path: join(kept, `${kind}-${colorScheme}-${width}.png`) })
      await page.evaluate(axe)
      const violations = await page.evaluate(async () => (await globalThis.axe.run()).violations)
      for (const { id, nodes } of violations)
        for (const { html, failureSummary } of nodes.slice(0, 3))
          faults.push(`${path} (${width}, ${colorScheme}): ${id}: ${html}: ${failureSummary}`)
      await page.close()
    }
  }
  const looked = Object.keys(kinds).length

  // Their layout is there before their scripts are, which are kept away. The pages of the API and of the sources are many and alike: one of
  // ten is looked at, unless ALL_PAGES is set.
  const isAlike = (path) => /^\/(?:api|source)\//.test(path)
  const looksAt = paths.filter((path, index) => Boolean(process.env.ALL_PAGES) || !isAlike(path) || index % 10 === 0)
  const widths = [...looksAt]
  await Promise.all(
    [1, 2].map(async () => {
      const page = await browser.newPage({ viewport: { width: 360, height: 800 } })
      await page.route('**/*.js', (route) => route.abort())
      for (let path = widths.pop(); path !== undefined; path = widths.pop()) {
        await page.goto(`${origin}${path}`)
        const wide = await page.evaluate(() => document.documentElement.scrollWidth)
        if (wide > 360) faults.push(`${path} is ${wide} pixels wide in a window of 360`)
      }
    }),
  )

  // A first visit of the home page: everything that the browser loads, as a host sends it.
  const page = await browser.newPage()
  const loaded = []
  page.on('response', (response) => loaded.push(new URL(response.url()).pathname))
  await page.goto(`${origin}/`, { waitUntil: 'networkidle' })
  const weights = loaded.map((path) => gzipSync(readFileSync(join(folder, path.endsWith('/') ? `${path}index.html` : path))).length)
  const weight = Math.round(weights.reduce((sum, size) => sum + size, 0) / 1000)
  if (weight > 300) faults.push(`a first visit of the home page loads ${weight} kB`)
  const search = readdirSync(join(folder, 'assets/chunks')).find((name) => name.startsWith('@localSearchIndex'))
  const index = join(folder, 'assets/chunks', search)
  assert.ok(!loaded.some((path) => path.includes('localSearchIndex')), 'the index of the search is loaded when the search is opened')

  assert.deepEqual(faults, [])
  console.log(
    `axe finds nothing on ${looked} kinds of pages at two widths, in light and dark; none of ${looksAt.length} of ${paths.length} pages scrolls sideways.`,
  )
  console.log(
    `A first visit of the home page loads ${weight} kB in ${loaded.length} files; the search ${Math.round(gzipSync(readFileSync(index)).length / 1000)} kB more (${Math.round(statSync(index).size / 1000)} kB unpacked)`,
  )
} finally {
  await browser.close()
  close()
}
