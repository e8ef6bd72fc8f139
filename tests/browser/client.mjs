/**
 * A page in a browser that calls a server by the file that `alcove client` writes, bundled from `client/page.ts`. Prints the size of the
 * bundle. CHROMIUM names the binary of the browser.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { bootstrap } from '../../dist/decorators/index.js'
import { App } from '../../dist/tests/fixtures/browsed.js'
import { launch } from './chromium.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const directory = await mkdtemp(join(tmpdir(), 'alcove-client-page-'))
const alcove = (...args) => execFileSync(process.execPath, [join(root, 'dist/decorators/cli.js'), ...args], { stdio: 'inherit' })

/** The page beside what the command writes of the server. */
async function prepare() {
  await cp(new URL('client', import.meta.url), directory, { recursive: true })
  alcove('client', join(root, 'dist/tests/fixtures/browsed.js'), '--out', join(directory, 'client.ts'))
  const compilerOptions = {
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  }
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', directory], { stdio: 'inherit' })
}

/** Bundles the page as a build for production does, and proves that nothing of the server is in it. */
async function bundle() {
  const { metafile, outputFiles } = await build({
    entryPoints: [join(directory, 'page.ts')],
    absWorkingDir: directory,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    metafile: true,
    write: false,
  })
  const { text } = outputFiles[0]
  assert.deepEqual(Object.keys(metafile.inputs).toSorted(), ['client.ts', 'page.ts'], 'these modules are in the bundle, and no other')
  for (const secret of ['node:', 'a text of the server', 'sha256', 'ALC_ERR', 'properties', 'tsyringe'])
    assert.ok(!text.includes(secret), `'${secret}' is not in the bundle`)
  const [own] = Object.values(metafile.outputs)
  const ofClient = text.length - own.inputs['page.ts'].bytesInOutput
  console.log(`${text.length} bytes, ${gzipSync(text).length} bytes with gzip; ${ofClient} bytes of them are the client and its table`)
  return text
}

/** Opens the page at the server's origin, and returns what it found. Only the page and its script do not come from the server. */
async function open(browser, origin, script) {
  const tab = await browser.newPage()
  const faults = []
  const requests = []
  tab.on('console', (message) => ['error', 'warning'].includes(message.type()) && faults.push(message.text()))
  tab.on('pageerror', (error) => faults.push(String(error)))
  tab.on('request', (request) => requests.push(request.url()))
  const html = `<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="/page.js"></script></body>`
  await tab.route(`${origin}/page.html`, (route) => route.fulfill({ contentType: 'text/html', body: html }))
  await tab.route(`${origin}/page.js`, (route) => route.fulfill({ contentType: 'text/javascript', body: script }))
  await tab.goto(`${origin}/page.html`)
  const output = await tab.locator('output').innerText()
  // The browser itself reports each reply with an error status.
  assert.deepEqual(
    faults.filter((text) => !/status of 404/.test(text)),
    [],
  )
  assert.ok(
    requests.every((url) => url.startsWith(origin)),
    'nothing is asked of another host',
  )
  await tab.close()
  return JSON.parse(output)
}

let server
let browser
try {
  await prepare()
  const script = await bundle()
  server = await bootstrap(App)
  const origin = await server.listen({ port: 0 })
  browser = await launch()
  assert.deepEqual(await open(browser, origin, script), {
    text: 'a text of the server',
    nearest: 1,
    size: 70_000,
    isSame: true,
    ticks: [1, 2, 3],
  })
} finally {
  await browser?.close()
  await server?.close()
  await rm(directory, { recursive: true })
}
console.log('The client was used in a browser')
