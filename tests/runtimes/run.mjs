/**
 * The behaviours of the suite on Bun, on Deno and in workerd: each runtime serves the application in a process of its own, from the package as it is
 * published. Also those of the entries of Node, on each line of Node. `npm run test:runtimes`; `npm run test:runtimes -- bun node24` runs two of them.
 * Fails if a behaviour differs that is not listed in differences.ts.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { nodeLines } from '../../dist/tests/runtimes/page.js'
import { holdResults, runSuite } from '../../dist/tests/runtimes/run-suite.js'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../..')
const bin = (name) => join(here, 'node_modules/.bin', name)

/** The line of the Node that runs this. */
const ownLine = Number(process.versions.node.split('.')[0])

/** Returns the path of a Node. */
function nodeOf(line) {
  if (line === ownLine) return process.execPath
  return execFileSync('npx', ['-y', '-p', `node@${line}`, 'node', '-p', 'process.execPath'], { encoding: 'utf8' }).trim()
}

/** The command of each runtime that starts a program. */
const commands = {
  bun: (file) => [bin('bun'), [file]],
  // Miniflare needs Node 22 or later.
  workerd: (_file, folder) => [nodeOf(Math.max(22, ownLine)), [join(here, 'workerd/serve.mjs'), folder]],
  deno: (file) => [bin('deno'), ['run', '--allow-all', '--node-modules-dir=manual', '--unstable-no-legacy-abort', file]],
}

/** The sample of the page of each runtime. */
const samples = { bun: 'samples/how-to/bun.js', deno: 'samples/how-to/deno.js' }

/** Copies the compiled application beside links to the packages that it imports, as in a project of a user. */
function makeProject() {
  const folder = mkdtempSync(join(tmpdir(), 'alcove-runtimes-'))
  cpSync(join(root, 'dist/tests/runtimes'), folder, { recursive: true })
  for (const [name, file] of Object.entries(samples)) cpSync(join(root, 'dist', file), join(folder, `${name}.js`))
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ type: 'module', dependencies: { alcove: '*', '@fastify/cookie': '*', zod: '*' } }),
  )
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/alcove'))
  for (const name of ['@fastify', 'zod']) symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  return folder
}

function entryOf(name, folder) {
  return {
    name,
    async start() {
      const [command, args] = commands[name](join(folder, `programs/${name}.js`), folder)
      const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
      const exited = once(child, 'exit')
      const origin = await Promise.race([
        once(createInterface({ input: child.stdout }), 'line').then(([line]) => line),
        exited.then(([code]) => Promise.reject(new Error(`${name} ended with code ${code} before it listened`))),
      ])
      return {
        origin,
        send: (request) => fetch(request),
        async close() {
          child.kill('SIGTERM')
          const [code] = await exited
          // Miniflare ends as it likes.
          if (name !== 'workerd') assert.equal(code, 0, `${name} ends with code 0 when it is asked to`)
        },
      }
    },
  }
}

/** Starts the sample of the page of a runtime, and asks it something. */
async function trySample(name, folder) {
  const probe = createServer().listen(0)
  await once(probe, 'listening')
  const { port } = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  const [command, args] = commands[name](join(folder, `${name}.js`))
  const child = spawn(command, args, { cwd: folder, stdio: 'inherit', env: { ...process.env, PORT: String(port) } })
  try {
    for (let attempt = 0; ; attempt++) {
      const reply = await fetch(`http://127.0.0.1:${port}/greet/Ada`).catch(() => undefined)
      if (reply !== undefined) return assert.deepEqual(await reply.json(), { greeting: 'Hello, Ada' })
      assert.ok(attempt < 100, `the sample of ${name} does not listen`)
      await wait(50)
    }
  } finally {
    child.kill('SIGTERM')
  }
}

/** Runs the entries of Node on another line of it. */
function runNode(name) {
  const file = join(root, 'dist/tests/runtimes/runtimes.test.js')
  const { status, stdout } = spawnSync(nodeOf(Number(name.slice('node'.length))), ['--test', '--test-reporter=spec', file], {
    encoding: 'utf8',
  })
  if (status !== 0) process.exitCode = 1
  return status === 0 ? 'the differences that are listed' : `other differences:\n${stdout}`
}

const chosen = process.argv.slice(2)
const isChosen = (name) => chosen.length === 0 || chosen.includes(name)
for (const name of nodeLines.map((line) => `node${line}`).filter(isChosen)) {
  const start = performance.now()
  console.log(`${name}: ${runNode(name)}, ${Math.round((performance.now() - start) / 1000)} s`)
}
const names = Object.keys(commands).filter(isChosen)
const folder = makeProject()
try {
  for (const name of names) {
    const start = performance.now()
    const results = await runSuite(entryOf(name, folder))
    try {
      holdResults(name, results)
      if (name in samples) await trySample(name, folder)
    } catch (error) {
      process.exitCode = 1
      console.error(error.message)
    }
    const passed = results.filter(({ failure }) => failure === undefined).length
    console.log(`${name}: ${passed} of ${results.length} behaviours, ${Math.round((performance.now() - start) / 1000)} s`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
