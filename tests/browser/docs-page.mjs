/**
 * Opens the page of `docsPage` in a browser: that of the quick start, then another one under a guard, without other hosts, under its content
 * security policy, and with a request that carries a token. CHROMIUM names its binary; SCREENSHOTS a folder to keep pictures.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { bootstrap } from '../../dist/decorators/index.js'
import { App as GreetingsApp } from '../../dist/samples/first/app.js'
import { App } from '../../dist/tests/fixtures/documented.js'
import { launch, pictureFolder, watch } from './chromium.mjs'

const directory = await pictureFolder('alcove-docs-')
const server = await bootstrap(App)
const origin = await server.listen({ port: 0 })

const browser = await launch()

/** Adds a greeting by the form of the page, as the quick start does. */
async function useQuickStart() {
  const greetings = await bootstrap(GreetingsApp)
  const page = await browser.newPage({ viewport: { width: 1200, height: 470 } })
  const { faults } = watch(page)
  await page.goto(`${await greetings.listen({ port: 0 })}/docs`)
  await page.locator('.opblock').nth(1).waitFor()
  await page.screenshot({ path: join(directory, 'quick-start.png') })
  await page.locator('.opblock-post .opblock-summary').click()
  await page.getByRole('button', { name: 'Try it out' }).click()
  await page.locator('.body-param textarea').fill('{ "name": "Ada" }')
  await page.getByRole('button', { name: 'Execute' }).click()
  const live = page.locator('.live-responses-table .response')
  await live.waitFor()
  assert.match(await live.locator('.response-col_status').innerText(), /^201/)
  assert.match(await live.innerText(), /"id": 1/)
  assert.deepEqual(faults, [])
  await page.close()
  await greetings.close()
}

try {
  await useQuickStart()
  const refused = await fetch(`${origin}/internal/docs`)
  assert.equal(refused.status, 401, 'the guard of the importing context holds for the page')
  assert.equal((await fetch(`${origin}/internal/docs/openapi.json`)).status, 401, 'and for the document')

  const page = await browser.newPage({
    viewport: { width: 1200, height: 1100 },
    httpCredentials: { username: 'reader', password: 'secret' },
  })
  const { faults, requests } = watch(page)
  const reply = await page.goto(`${origin}/internal/docs`)
  const policy = reply.headers()['content-security-policy']
  assert.match(policy, /script-src 'self';/)
  assert.doesNotMatch(policy, /unsafe/)

  // The operations of the whole application, and nothing of the page itself.
  await page.locator('.opblock').first().waitFor()
  const paths = await page.$$eval('.opblock-summary-path', (all) => all.map((path) => path.textContent.replaceAll(/\u200B/g, '')))
  assert.deepEqual(paths, ['/items', '/items/{id}'])

  // The token that is entered goes with the request.
  await page.getByRole('button', { name: 'Authorize' }).first().click()
  await page.locator('.auth-container input').fill('good-token')
  await page.locator('.auth-btn-wrapper button.authorize').click()
  await page.locator('.auth-btn-wrapper button.btn-done').click()
  await page.locator('.opblock-summary').first().click()
  await page.getByRole('button', { name: 'Try it out' }).click()
  await page.screenshot({ path: join(directory, 'docs-page.png') })
  await page.getByRole('button', { name: 'Execute' }).click()
  const live = page.locator('.live-responses-table .response')
  await live.waitFor()
  assert.match(await live.locator('.response-col_status').innerText(), /^200/)
  assert.match(await live.innerText(), /"a lamp"/)

  assert.deepEqual(faults, [], 'the content security policy blocks nothing that the page needs')
  assert.deepEqual(
    requests.filter((url) => !url.startsWith(origin) && !url.startsWith('data:')),
    [],
    'nothing is asked of another host',
  )
} finally {
  await browser.close()
  await server.close()
}
console.log(`The page of the documentation was used; a picture is in ${directory}`)
