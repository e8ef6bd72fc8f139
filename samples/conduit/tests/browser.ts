/**
 * Opens the documentation page in Chromium, logs in there, authorizes, and publishes an article from it.
 * CHROMIUM names the browser; SCREENSHOTS a folder to keep pictures.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Locator } from 'playwright-core'
import { startConduit } from './conduit.js'

const executablePath = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => path && existsSync(path))
if (executablePath === undefined) {
  console.error('\n!!! SKIPPED: there is no Chromium here; install it (Debian: chromium) or name it in CHROMIUM.\n')
  process.exit(process.env['CI'] ? 1 : 0)
}

interface Answer {
  user: { token: string }
  article: { slug: string; author: { username: string } }
}

const directory = process.env['SCREENSHOTS'] ?? (await mkdtemp(join(tmpdir(), 'conduit-page-')))
const app = await startConduit()
const address = await app.server.listen({ port: 0, host: '127.0.0.1' })
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 1000 } })
  const faults: string[] = []
  const foreign: string[] = []
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('request', (request) => !/^(data|blob):/.test(request.url()) && !request.url().startsWith(address) && foreign.push(request.url()))
  await page.goto(`${address}/docs`)
  await page.locator('.opblock').first().waitFor()

  const operations = await page.locator('.opblock-summary-path').allInnerTexts()
  assert.equal(operations.length, 19)
  const box = await page.locator('.opblock').first().boundingBox()
  assert.ok(box !== null && box.width > 800 && box.height > 30, 'operations are laid out')
  await page.screenshot({ path: join(directory, 'documentation.png'), fullPage: true })

  /** Sends a request from the page, and reads the answer that the page shows. */
  const run = async (operationId: string, body: object): Promise<{ status: string; body: Answer; block: Locator }> => {
    const block = page.locator(`.opblock[id$="-${operationId}"]`)
    await block.locator('.opblock-summary-control').click()
    await block.getByRole('button', { name: 'Try it out' }).click()
    await block.locator('textarea').fill(JSON.stringify(body))
    await block.getByRole('button', { name: 'Execute' }).click()
    const answer = block.locator('.live-responses-table .response').first()
    await answer.waitFor()
    return {
      status: (await answer.locator('.response-col_status').innerText()).trim(),
      body: JSON.parse(await answer.locator('.response-col_description code').first().innerText()) as Answer,
      block,
    }
  }

  const user = { username: 'ada', email: 'ada@example.com', password: 'secret' }
  const registered = await run('CreateUser', { user })
  assert.match(registered.status, /^201/)
  const login = await run('Login', { user })
  assert.match(login.status, /^200/)

  await page.getByRole('button', { name: 'Authorize' }).first().click()
  await page.locator('.auth-container input').fill(`Token ${login.body.user.token}`)
  await page.locator('.auth-btn-wrapper').getByRole('button', { name: 'Apply credentials' }).click()
  await page.locator('.auth-btn-wrapper').getByRole('button', { name: 'Close' }).click()

  const article = { title: 'From the page', description: 'Sent by a browser', body: 'Text', tagList: ['browser'] }
  const published = await run('CreateArticle', { article })
  assert.match(published.status, /^201/)
  assert.deepEqual([published.body.article.slug, published.body.article.author.username], ['from-the-page', 'ada'])
  await published.block.scrollIntoViewIfNeeded()
  await page.screenshot({ path: join(directory, 'published.png') })

  assert.deepEqual(faults, [])
  assert.deepEqual(foreign, [], 'nothing is asked of other servers')
  console.log(`The documentation page works; pictures are in ${directory}`)
} finally {
  await browser.close()
  await app.close()
}
