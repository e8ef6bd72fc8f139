/** The page of docs/how-to/react.md in Chromium, which CHROMIUM names: on the origin of the API, on another one, and while it is developed. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { bootstrap, type Class, testServer } from 'alcove'
import { type Browser, chromium } from 'playwright-core'
import { App } from './app.js'
import { WholeApp } from './one-origin.js'
import { CrossOriginApp } from './other-origin.js'

const executablePath = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => path && existsSync(path))
if (executablePath === undefined && process.env['CI']) throw new Error('There is no Chromium here: install it, or name it in CHROMIUM')
const skip = executablePath === undefined && 'there is no Chromium here'
const root = fileURLToPath(new URL('..', import.meta.url))
const config = fileURLToPath(new URL('../vite.config.ts', import.meta.url))
const vite = fileURLToPath(new URL('../node_modules/vite/bin/vite.js', import.meta.url))

/** Looks at the page as a user does: the note that is there, one that is refused, the login, one that is added, one that is too long. */
async function use(url: string): Promise<void> {
  const browser: Browser = await chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(String(error)))
    await page.goto(url)
    await page.getByText('Buy tea').waitFor()
    const add = async (text: string) => {
      await page.getByLabel('New note').fill(text)
      await page.getByRole('button', { name: 'Add' }).click()
    }
    await add('from nobody')
    await page.getByText('Please log in first').waitFor()
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('Hello, bob').waitFor()
    await add('Drink it')
    await page.locator('li', { hasText: 'Drink it' }).getByText('by bob').waitFor()
    await add('x'.repeat(101))
    await page.getByText('should NOT have more than 100 characters').waitFor()
    assert.equal(await page.evaluate('document.cookie'), '')
    assert.deepEqual(faults, [])
  } finally {
    await browser.close()
  }
}

async function listen(Root: Class, use: (origin: string) => Promise<void>): Promise<void> {
  const server = await bootstrap(Root, { closeIdleDelay: 0 })
  try {
    await use(await server.listen({ port: 0, host: 'localhost' }))
  } finally {
    await server.close()
  }
}

test('the page loads main.tsx', () => {
  const entry = new URL('../web/main.tsx', import.meta.url)
  const html = readFileSync(new URL('index.html', entry), 'utf8')
  assert.ok(html.includes(`src="/${basename(entry.pathname)}"`) && existsSync(entry))
})

test('the page and the API on one origin', { skip }, () => listen(WholeApp, (origin) => use(origin.replace('127.0.0.1', 'localhost'))))

test('paths of the router of the page get its index.html, unknown paths of the API a 404', async () => {
  await using app = await testServer(WholeApp)
  const ask = async (url: string, accept: string) => {
    const { statusCode, body } = await app.inject({ url, headers: { accept } })
    return [statusCode, body.includes('<div id="root">')]
  }
  assert.deepEqual(await ask('/notes/7', 'text/html,*/*;q=0.8'), [200, true])
  assert.deepEqual(await ask('/api/nothing', 'text/html'), [404, false])
  assert.deepEqual(await ask('/assets/nothing.js', '*/*'), [404, false])
})

test('the page on another origin than the API', { skip }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-page-'))
  const files = createHttpServer((request, response) => {
    const path = join(folder, request.url === '/' ? 'index.html' : request.url!)
    response.setHeader('content-type', path.endsWith('.js') ? 'text/javascript' : 'text/html')
    response.end(readFileSync(path))
  }).listen(0, 'localhost')
  try {
    await new Promise((resolve) => files.once('listening', resolve))
    process.env['PAGE_ORIGIN'] = `http://localhost:${(files.address() as AddressInfo).port}`
    const { CrossOriginApp: Other } = (await import(`./other-origin.js?${process.env['PAGE_ORIGIN']}`)) as { CrossOriginApp: Class }
    await listen(Other, async (origin) => {
      const env = { ...process.env, VITE_API_URL: origin.replace('127.0.0.1', 'localhost') }
      execFileSync(process.execPath, [vite, 'build', '--config', config, '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn'], {
        cwd: root,
        env,
      })
      await use(process.env['PAGE_ORIGIN']!)
    })
  } finally {
    files.close()
  }
})

test('the page while it is developed: Vite passes the API on', { skip }, () =>
  listen(App, async (origin) => {
    const child = spawn(process.execPath, [vite, '--config', config, '--port', '0', '--host', 'localhost'], {
      cwd: root,
      env: { ...process.env, API_URL: origin, NO_COLOR: '1' },
    })
    try {
      let printed = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
      let url: string | undefined
      while ((url = /http:\/\/localhost:\d+\//.exec(printed)?.[0]) === undefined) await once(child.stdout, 'data')
      await use(url)
    } finally {
      child.kill()
      await once(child, 'exit')
    }
  }),
)

test('the API lets only the page of the list send cookies', async () => {
  await using app = await testServer(CrossOriginApp)
  const preflight = async (origin: string) => {
    const headers = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' }
    const { headers: given } = await app.inject({ method: 'OPTIONS', url: '/api/notes', headers })
    return [given['access-control-allow-origin'], given['access-control-allow-credentials']]
  }
  assert.equal((await preflight('https://other.example'))[0], undefined)
  assert.deepEqual(await preflight('https://shop.example'), ['https://shop.example', 'true'])
})
