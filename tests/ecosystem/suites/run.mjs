// Runs the test suites that packages ship, once on Fastify and once with alcove in its place, and compares them test by test.
// `npm run test:suites` prints the table of docs/reference/ecosystem.md; `npm run test:suites -- mercurius` runs one suite.
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readTap } from './tap.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../../..')
const installed = join(here, 'node_modules')
const readJson = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'))

/** The packages that ship their tests. Those of fastify-raw-body use tap; the others use node:test. */
const suites = [
  { name: 'mercurius' },
  { name: '@fastify/circuit-breaker' },
  { name: '@fastify/express' },
  { name: '@fastify/middie' },
  { name: '@fastify/multipart' },
  { name: '@fastify/reply-from' },
  // Forty tests use 205 as an arbitrary status with a body, which alcove never sends. Here they run with another status.
  { name: '@fastify/reply-from', label: '@fastify/reply-from, 201 for 205', folder: 'test-201', replace: [/\b205\b/g, '201'] },
  { name: '@fastify/sse' },
  { name: '@fastify/swagger' },
  { name: '@fastify/websocket' },
  { name: 'fastify-raw-body', usesTap: true },
]

/** Groups of tests that differ on purpose, by suite: `reason`, `tests`, and `hangs` if one of them would keep its file from ending. */
const intended = readJson(here, 'intended.json')

/** Writes the tests of a suite that `replace` changes into a folder of their own. */
function writeChangedTests({ name, folder, replace }) {
  const from = join(installed, name, 'test')
  const to = join(installed, name, folder)
  cpSync(from, to, { recursive: true })
  for (const file of readdirSync(from).filter((entry) => entry.endsWith('.js'))) {
    const text = readFileSync(join(from, file), 'utf8')
    if (text.search(replace[0]) === -1) rmSync(join(to, file))
    else writeFileSync(join(to, file), text.replaceAll(...replace))
  }
}

/** A copy of the installed tree, in which the package `fastify` is packages/fastify, and `alcove` is this project. */
function treeWithAlcove() {
  const home = join(here, 'dist')
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home)
  const left = ['fastify', 'typescript', '.bin', '.cache'].map((name) => join(installed, name))
  cpSync(installed, join(home, 'node_modules'), { recursive: true, verbatimSymlinks: true, filter: (path) => !left.includes(path) })
  cpSync(join(root, 'packages/fastify'), join(home, 'node_modules/fastify'), { recursive: true })
  symlinkSync(root, join(home, 'node_modules/alcove'))
  return join(home, 'node_modules')
}

function output(cwd, args) {
  // Below another `node --test`, this variable would change what the runner of the suite prints.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  return new Promise((resolve) => {
    const options = { cwd, env: { ...env, NODE_ENV: 'test' }, maxBuffer: 2 ** 28, timeout: 600_000 }
    execFile(process.execPath, args, options, (_error, stdout) => resolve(stdout))
  })
}

/** The results of a suite: whether each test passed, by its file and titles. Tests with equal titles are numbered. */
async function resultsOf(tree, { name, folder = 'test', usesTap }, left = []) {
  const cwd = join(tree, name)
  const files = readdirSync(join(cwd, folder), { recursive: true })
    .filter((file) => /\.test\.m?js$/.test(file))
    .map((file) => join(folder, file))
    .sort()
  const results = new Map()
  const add = ({ file, name: title, passed, reason }) => {
    let key = `${file} | ${title}`
    for (let count = 2; results.has(key); count++) key = `${file} | ${title} (${count})`
    results.set(key, { passed, reason })
  }
  if (usesTap) {
    for (const file of files) readTap(await output(cwd, [file]), file).forEach(add)
  } else {
    // For a file as a whole too. Closing waits up to 31 s for a handler that never replies, which one file of reply-from has twice.
    const options = ['--test-timeout=90000', '--test-concurrency=2', `--test-reporter=${join(here, 'reporter.mjs')}`]
    if (left.length > 0) options.push(`--test-name-pattern=${allBut(left.map((key) => key.split(' | ')[1]))}`)
    const text = await output(cwd, ['--test', ...options, ...files])
    for (const line of text.split('\n')) if (line.startsWith('{"file"')) add(JSON.parse(line))
  }
  return results
}

/** A pattern for every title but these. It does not match the names of the root either, because a test runs if its parent matches. */
function allBut(titles) {
  const escaped = titles.map((title) => title.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
  return `/^(?!(?:${escaped.join('|')}|<root>|)$)/`
}

const passedOf = (results) => [...results.values()].filter(({ passed }) => passed).length

/** The tests that pass on one of the two and do not pass on the other. */
function differencesOf(fastify, alcove) {
  const keys = new Set([...fastify.keys(), ...alcove.keys()])
  return [...keys].filter((key) => (fastify.get(key)?.passed ?? false) !== (alcove.get(key)?.passed ?? false))
}

const only = process.argv.slice(2)
const chosen = suites.filter(({ name }) => only.length === 0 || only.includes(name))
for (const suite of chosen) if (suite.replace) writeChangedTests(suite)
const tree = treeWithAlcove()
let faults = 0
console.log('| suite | version | tests | passed on Fastify | passed on alcove | differ |\n| --- | --- | ---: | ---: | ---: | ---: |')
for (const suite of chosen) {
  const label = suite.label ?? suite.name
  const groups = intended[label] ?? []
  const listed = groups.flatMap(({ tests }) => tests)
  const left = groups.filter(({ hangs }) => hangs).flatMap(({ tests }) => tests)
  const fastify = await resultsOf(installed, suite)
  const alcove = await resultsOf(tree, suite, left)
  const differences = differencesOf(fastify, alcove)
  const { version } = readJson(installed, suite.name, 'package.json')
  const numbers = [fastify.size, passedOf(fastify), passedOf(alcove), differences.length]
  console.log(`| ${label} | ${version} | ${numbers.join(' | ')} |`)
  if (passedOf(fastify) === 0) fault('no test passes on Fastify: the suite did not run')
  for (const key of differences) {
    if (listed.includes(key)) continue
    const state = alcove.has(key) ? (alcove.get(key).reason ?? 'passes on alcove alone') : 'was not reached'
    fault(`not listed: ${key}\n    ${state.replaceAll('\n', '\n    ')}`)
  }
  for (const key of listed) if (!differences.includes(key)) fault(`listed, but equal on both: ${key}`)
}
if (faults > 0) process.exitCode = 1

function fault(text) {
  faults++
  console.error(`  ${text}`)
}
