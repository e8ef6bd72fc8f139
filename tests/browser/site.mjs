/**
 * Opens the built site (`npm run site`) in a browser: pages of each kind at four widths, in light and dark, tabs, search, hovers, the page for
 * addresses that do not exist, and pages without scripts. site-checks.mjs looks at all pages.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { launch, pictureFolder, watch } from './chromium.mjs'
import { serveSite } from './site-server.mjs'

const { origin, close } = await serveSite()

const pages = {
  home: '/',
  guide: '/guide/contexts.html',
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
async function open(path, width, options) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, ...options })
  watched.push({ path, ...watch(page) })
  const reply = await page.goto(`${origin}${path}`, { waitUntil: 'networkidle' })
  assert.equal(reply.status(), 200, `${path} exists`)
  return page
}

try {
  for (const width of [360, 768, 1440]) {
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
  const narrow = await open(pages.start, 360)
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

  // The system decides on the colours, until the reader does.
  for (const [colorScheme, dark] of [
    ['light', false],
    ['dark', true],
  ]) {
    const page = await open(pages.home, 1440, { colorScheme })
    assert.equal(await page.evaluate(() => document.documentElement.classList.contains('dark')), dark)
    await page.close()
  }

  // Tabs are chosen by the keyboard, and without scripts; the menu of a page is there without scripts too.
  for (const javaScriptEnabled of [true, false]) {
    const page = await open(pages.home, 1440, { javaScriptEnabled })
    const shown = () => page.locator('.vp-code-group .blocks > div:visible')
    assert.match(await shown().innerText(), /required[^]*GreetingsController/)
    await page.getByRole('radio', { name: 'Classes', exact: true }).focus()
    await page.keyboard.press('ArrowRight')
    assert.match(await shown().innerText(), /'typebox'/)
    await page.locator('.vp-code-group label', { hasText: 'Without classes' }).click()
    assert.match(await shown().innerText(), /createServer/)
    assert.equal(await shown().count(), 1)
    await page.close()
  }
  for (const width of [360, 1440]) {
    const page = await open(pages.guide, width, { javaScriptEnabled: false })
    assert.ok(
      (await page.evaluate(() => document.documentElement.scrollWidth)) <= width,
      `no page scrolls sideways at ${width} without scripts`,
    )
    for (const button of ['Search', 'mobile navigation', 'Menu'])
      assert.equal(await page.getByRole('button', { name: button }).filter({ visible: true }).count(), 0, `${button} needs scripts`)
    if (width === 1440) await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'One rule' }).click()
    await page.locator('.VPSidebar').getByRole('link', { name: 'Routes', exact: true }).click()
    await page.locator('h1', { hasText: /^Routes/ }).waitFor()
    await page.close()
  }

  const page = await open(pages.home, 1440, { colorScheme: 'light' })
  await page.locator('.VPNavBarSearch button').first().click()
  await page.locator('.VPLocalSearchBox input').fill('closeOnSignals')
  await page.locator('.VPLocalSearchBox .result').first().click()
  await page.waitForURL((url) => url.pathname !== '/')
  // The address changes before the page does: search leads to a page that has the term.
  await page.locator('main', { hasText: 'closeOnSignals' }).waitFor()

  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const light = await background()
  await page.locator('.VPNavBarAppearance button').click()
  await page.waitForFunction((before) => getComputedStyle(document.body).backgroundColor !== before, light)
  await page.goto(`${origin}${pages.home}`, { waitUntil: 'networkidle' })
  assert.notEqual(await background(), light, 'the next page is dark too')
  await page.screenshot({ path: join(directory, 'home-dark.png') })

  const handler = page.locator('.blocks > div:visible .line', { hasText: 'find({ params }' })
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
  const plain = await browser.newPage({ javaScriptEnabled: false })
  await plain.goto(`${origin}/no-such-page.html`)
  assert.match(await plain.locator('body').innerText(), /This page does not exist\. Home/)
  await missing.screenshot({ path: join(directory, '404.png') })
  assert.deepEqual(
    watched.flatMap(({ requests }) => requests).filter((url) => !url.startsWith(origin) && !url.startsWith('data:')),
    [],
    'nothing is asked of another host',
  )
} finally {
  await browser.close()
  close()
}
console.log(`The site was used at three widths; pictures are in ${directory}`)
