/**
 * Opens the built site (`npm run site`) in a browser: pages of each kind at three widths, search, dark mode, hovers and the page for addresses
 * that do not exist. CHROMIUM names its binary; SCREENSHOTS a folder to keep pictures.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { launch, pictureFolder, watch } from './chromium.mjs'

const folder = fileURLToPath(new URL('../../site/.vitepress/dist/', import.meta.url))
assert.ok(existsSync(join(folder, 'index.html')), 'there is no built site: run `npm run site` first')
const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost')
  const path = join(folder, normalize(decodeURI(pathname)), pathname.endsWith('/') ? 'index.html' : '')
  const found = await readFile(path).catch(() => undefined)
  response.writeHead(found === undefined ? 404 : 200, { 'content-type': (found && types[extname(path)]) ?? types['.html'] })
  response.end(found ?? (await readFile(join(folder, '404.html'))))
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${server.address().port}`

const pages = {
  home: '/',
  start: '/start/quick-start.html',
  'how-to': '/how-to/start-an-api.html',
  table: '/reference/errors.html',
  api: '/api/alcove/interfaces/Server.html',
  source: '/source/samples/contexts/app.ts.html',
}

const directory = await pictureFolder('alcove-site-')
const browser = await launch()
const watched = []

/** A page that notes what goes wrong in it. `path` is opened when the application of the site runs. */
async function open(path, width) {
  const page = await browser.newPage({ viewport: { width, height: 900 } })
  watched.push({ path, ...watch(page) })
  const reply = await page.goto(`${origin}${path}`, { waitUntil: 'networkidle' })
  assert.equal(reply.status(), 200, `${path} exists`)
  return page
}

try {
  for (const width of [375, 768, 1440]) {
    for (const [name, path] of Object.entries(pages)) {
      const page = await open(path, width)
      const seen = await page.evaluate(() => ({
        wide: document.documentElement.scrollWidth,
        heading: document.querySelector('h1')?.textContent,
      }))
      assert.ok(seen.wide <= width, `${path} is ${seen.wide} pixels wide in a window of ${width}`)
      assert.ok(seen.heading, `${path} has a heading`)
      await page.screenshot({ path: join(directory, `${name}-${width}.png`) })
      await page.close()
    }
  }

  // A narrow screen has its table of contents behind a button.
  const narrow = await open(pages.start, 375)
  await narrow.locator('.VPLocalNav .menu').click()
  await narrow.locator('.VPSidebar.open').getByRole('link', { name: 'Start an API' }).click()
  await narrow.waitForURL('**/how-to/start-an-api.html')
  await narrow.close()

  // A call-out has its title and its text, and the mark of its kind is not shown.
  const calledOut = await open(pages.start, 768)
  const note = calledOut.locator('.custom-block.note').first()
  assert.equal(await note.locator('.custom-block-title').innerText(), 'NOTE')
  assert.ok((await note.innerText()).length > 'NOTE'.length)
  assert.doesNotMatch(await calledOut.locator('main').innerText(), /\[!/)
  await calledOut.close()

  const page = await open(pages.home, 1440)
  await page.locator('.VPNavBarSearch button').first().click()
  await page.locator('.VPLocalSearchBox input').fill('closeOnSignals')
  await page.locator('.VPLocalSearchBox .result').first().click()
  await page.waitForURL((url) => url.pathname !== '/')
  assert.match(await page.locator('main').innerText(), /closeOnSignals/, 'search leads to a page that has the term')

  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const light = await background()
  await page.locator('.VPNavBarAppearance button').click()
  assert.notEqual(await background(), light)
  await page.goto(`${origin}${pages.home}`, { waitUntil: 'networkidle' })
  assert.notEqual(await background(), light, 'the next page is dark too')
  await page.screenshot({ path: join(directory, 'home-dark.png') })

  const handler = page.locator('.line', { hasText: 'find({ params }' })
  await handler.locator('.twoslash-hover', { hasText: /^params$/ }).hover()
  // The type comes from the schema.
  await page.locator('.twoslash-popup-code:visible', { hasText: /^params: \{\s*id: number/ }).waitFor()
  await page.screenshot({ path: join(directory, 'hover.png') })
  await page.close()

  assert.deepEqual(
    watched.flatMap(({ path, faults }) => faults.map((fault) => `${path}: ${fault}`)),
    [],
    'no page has an error in its console',
  )
  const missing = await browser.newPage()
  assert.equal((await missing.goto(`${origin}/no-such-page.html`, { waitUntil: 'networkidle' })).status(), 404)
  assert.match(await missing.locator('body').innerText(), /404/)
  await missing.screenshot({ path: join(directory, '404.png') })
  assert.deepEqual(
    watched.flatMap(({ requests }) => requests).filter((url) => !url.startsWith(origin) && !url.startsWith('data:')),
    [],
    'nothing is asked of another host',
  )
} finally {
  await browser.close()
  server.close()
}
console.log(`The site was used at three widths; pictures are in ${directory}`)
