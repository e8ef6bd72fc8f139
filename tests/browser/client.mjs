/**
 * Pages in a browser that call a server by the file that `alcove client` writes: the page of docs/how-to/client.md, then a page with streams, forms
 * and downloads, bundled from `client/page.ts`. Prints the size of the bundle, and of those of programs that use some of 300 routes. CHROMIUM
 * names the binary of the browser.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { rolldown } from 'rolldown'
import { clientFile } from '../../dist/decorators/contract/index.js'
import { bootstrap, createServer } from '../../dist/decorators/index.js'
import { App as GreetingsApp } from '../../dist/samples/first/app.js'
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

/** Of 300 routes, a program has those that it calls, whichever bundler it uses. */
async function measure() {
  const server = createServer()
  for (let index = 0; index < 300; index++) server.get(`/numbers/${index}/:id`, { docs: { operationId: `number${index}` } }, () => '')
  await server.ready()
  await writeFile(join(directory, 'client.ts'), clientFile(server))
  await server.close()
  const bundlers = {
    esbuild: async (entry) => {
      const options = { bundle: true, minify: true, format: 'esm', target: 'es2022', write: false }
      return (await build({ entryPoints: [entry], ...options })).outputFiles[0].text
    },
    rolldown: async (entry) => {
      const bundle = await rolldown({ input: entry, resolve: { extensionAlias: { '.js': ['.ts'] } } })
      const { output } = await bundle.generate({ format: 'es', minify: true })
      await bundle.close()
      return output[0].code
    },
  }
  const programs = {
    'all routes': [`createClient({})`, 300, 22_000],
    'two routes': [`bindRoutes({ number7Route, number123Route }, {})`, 2, 3700],
    'no route': [`bindRoutes({}, {})`, 0, 3584],
  }
  for (const [name, [text, routes, most]] of Object.entries(programs)) {
    const entry = join(directory, 'program.ts')
    await writeFile(entry, `import { ${text.match(/[a-z]\w+/g).join(', ')} } from './client.js'\nconsole.log(${text})`)
    for (const [bundler, run] of Object.entries(bundlers)) {
      const code = await run(entry)
      assert.equal(code.match(/\/numbers\/\d+\//g)?.length ?? 0, routes, `${name}, ${bundler}`)
      assert.ok(code.length <= most, `${name}, ${bundler}: ${code.length} bytes`)
      console.log(`${name}, ${bundler}: ${code.length} bytes, ${gzipSync(code).length} bytes with gzip`)
    }
  }
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

/** Fills in the form of the page that docs/how-to/client.md shows: a valid name, then none. */
async function greet(browser) {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'samples/client/browser/page.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  })
  assert.ok(outputFiles[0].text.length < 4100, `${outputFiles[0].text.length} bytes`)
  const greetings = await bootstrap(GreetingsApp)
  const origin = await greetings.listen({ port: 0 })
  const tab = await browser.newPage()
  const html = await readFile(join(root, 'samples/client/browser/index.html'), 'utf8')
  await tab.route(`${origin}/page.html`, (route) => route.fulfill({ contentType: 'text/html', body: html }))
  await tab.route(`${origin}/page.js`, (route) => route.fulfill({ contentType: 'text/javascript', body: outputFiles[0].text }))
  await tab.goto(`${origin}/page.html`)
  const shown = []
  for (const name of ['Ada', '']) {
    await tab.locator('output').evaluate((output) => (output.value = ''))
    await tab.getByLabel('Your name').fill(name)
    await tab.getByRole('button').click()
    await tab.locator('output:not(:empty)').waitFor()
    shown.push(await tab.locator('output').innerText())
  }
  await tab.close()
  await greetings.close()
  return shown
}

let server
let browser
try {
  await prepare()
  const script = await bundle()
  await measure()
  server = await bootstrap(App)
  const origin = await server.listen({ port: 0 })
  browser = await launch()
  assert.deepEqual(await greet(browser), ['Hello Ada, you are number 1', 'body/name should NOT have fewer than 1 characters'])
  assert.deepEqual(await open(browser, origin, script), {
    text: 'a text of the server',
    nearest: 1,
    size: 70_000,
    isSame: true,
    ticks: [1, 2, 3],
    // The server ends the stream after the third, and the page asks again.
    again: ['message 1', 'message 2', 'message 3', 'message 1', 'message 2'],
  })
} finally {
  await browser?.close()
  await server?.close()
  await rm(directory, { recursive: true })
}
console.log('The client was used in a browser')
