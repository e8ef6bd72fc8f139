/**
 * The browser of the tests in this folder. CHROMIUM names its binary, SCREENSHOTS a folder to keep pictures. Without a browser, importing this
 * file ends the process: with an error in CI, else as skipped.
 */
import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const executablePath = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => path && existsSync(path))
if (executablePath === undefined) {
  console.error('\n!!! SKIPPED: there is no Chromium here; install it (Debian: chromium) or name it in CHROMIUM.\n')
  process.exit(process.env['CI'] ? 1 : 0)
}

export function launch() {
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}

/** The folder for pictures. */
export async function pictureFolder(prefix) {
  return process.env['SCREENSHOTS'] ?? mkdtemp(join(tmpdir(), prefix))
}

/** Notes the errors and warnings of a page and the addresses that it asks for. */
export function watch(page) {
  const faults = []
  const requests = []
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && faults.push(message.text()))
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('request', (request) => requests.push(request.url()))
  return { faults, requests }
}
