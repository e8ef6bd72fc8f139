#!/usr/bin/env node
// Runs the foreign test suites of ../shared/conformance against dist/lib and holds them against intended.json: the tests that
// fail because we differ on purpose (docs/reference/fastify-differences.md), each with the reason. A reason that begins with `not owed` says that the
// specification excludes what the test asks for, or that the test reads internals; one with `safer default`, that we keep a stricter one.
//   node tests/conformance/run.mjs [--face name] [--floor floor.json] [--out results.json] [options of the harness, such as --topic hooks]
// Faces: `createServer` (default: Fastify 4.26.2's suite), `createServer-5` and `alcove/fastify` (5.12.8's).
// With --floor it fails when a class of tests passes fewer than the floor says, or more failures than it says are unexplained.
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const project = fileURLToPath(new URL('../..', import.meta.url))
const harness = resolve(project, '../shared/conformance')
const own = { impl: './dist/lib/index.js', adapter: 'alcove.cjs', dialect: 'jsv', 'err-prefix': 'ALC_ERR_' }
const faces = {
  createServer: { suite: 'fastify4', ...own },
  'createServer-5': { suite: 'fastify5', ...own },
  'alcove/fastify': { suite: 'fastify5', impl: './dist/lib/fastify/index.js', adapter: 'alcove-fastify.cjs' },
}

const args = process.argv.slice(2)
const floorFile = takeOption('--floor')
const keepAs = takeOption('--out')
const face = takeOption('--face') ?? 'createServer'
if (faces[face] === undefined) {
  console.error(`There is no face ${face}. They are: ${Object.keys(faces).join(', ')}`)
  process.exit(2)
}
const { suite, adapter, ...options } = faces[face]
const floor = floorFile && readJson(resolve(floorFile))[face]

if (!existsSync(join(harness, 'run.mjs'))) {
  console.warn('\n*** CONFORMANCE NOT RUN: there is no harness in ../shared/conformance beside this repository. ***\n')
  process.exit(0)
}

const home = process.env.CONF_HOME ?? join(tmpdir(), 'conformance')
const env = { ...process.env, CONF_HOME: home }
if (!existsSync(join(home, 'roots', suite, 'node_modules/fastify'))) {
  execFileSync(process.execPath, [join(harness, 'setup.mjs'), suite], { env, stdio: 'inherit' })
}

const folder = mkdtempSync(join(tmpdir(), 'alcove-conformance-'))
try {
  const { reasons, [suite]: listed } = readJson(join(project, 'tests/conformance/intended.json'))
  const tests = listed.filter(({ only }) => only === undefined || face.startsWith(only))
  // `since5`: createServer has the interface of 4.26. Fastify 4.26.2 itself fails the test, which passes through alcove/fastify.
  const notOwed = ({ reason, since5 }) => since5 === true || reasons[reason].startsWith('not owed')
  const intended = new Map(tests.map((entry) => [`${entry.file} ${entry.test}`, notOwed(entry) ? 'notOwed' : 'intended']))
  const results = runHarness(args, join(folder, 'results.json'))
  if (keepAs) copyFileSync(join(folder, 'results.json'), resolve(keepAs))
  const summary = summarize(secondChance(results.filter(isCounted), intended), intended)
  report(summary)
  if (floor) compareWithFloor(summary)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function takeOption(name) {
  const at = args.indexOf(name)
  if (at === -1) return undefined
  const [, value] = args.splice(at, 2)
  if (value === undefined) {
    console.error(`${name} needs a file`)
    process.exit(2)
  }
  return value
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Runs the harness; gives its results, a file each: `{ file, klass, topic, counted, lost }`. */
function runHarness(more, out) {
  const all = { suite, adapter: join(harness, 'adapters', adapter), ...options, out }
  const fixed = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value])
  const { status } = spawnSync(process.execPath, [join(harness, 'run.mjs'), ...fixed, ...more], { cwd: project, env, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
  return readJson(out).results
}

function isCounted(result) {
  return result.counted > 0
}

/** Files with failures that nothing explains run once more: some of the suite's tests measure time. */
function secondChance(results, intended) {
  return results.map((result) => {
    if (result.lost.every((test) => intended.has(`${result.file} ${test}`))) return result
    console.log(`\nonce more: ${result.file}`)
    const [again] = runHarness(['--filter', result.file, '--quiet'], join(folder, 'again.json'))
    const lost = result.lost.filter((test) => again.lost.includes(test))
    return { ...result, lost, passed: result.counted - lost.length }
  })
}

/** @param intended how each listed test counts: as `notOwed` or as `intended` */
function summarize(results, intended) {
  const rows = new Map()
  const unexplained = []
  const passing = []
  for (const { file, klass, topic, counted, passed, lost, tests } of results) {
    const found = { counted, passed, notOwed: 0, intended: 0, unexplained: 0 }
    for (const test of lost) {
      const kind = intended.get(`${file} ${test}`) ?? 'unexplained'
      if (kind === 'unexplained') unexplained.push(`${file}  ${test}`)
      found[kind]++
    }
    for (const { id, ok } of tests) if (ok && intended.has(`${file} ${id}`)) passing.push(`${file}  ${id}`)
    for (const name of klass === 'core' || klass === 'mixed' ? [klass, 'core and mixed', `  ${topic}`] : [klass]) {
      const row = rows.get(name) ?? rows.set(name, { counted: 0, passed: 0, notOwed: 0, intended: 0, unexplained: 0 }).get(name)
      for (const key of Object.keys(row)) row[key] += found[key]
    }
  }
  return { rows, unexplained, passing }
}

function report({ rows, unexplained, passing }) {
  const columns = ['counted', 'passed', 'not owed', 'intended', 'unexplained', 'of all', 'of the owed']
  console.log(`\n${''.padEnd(34)}${columns.map((column) => column.padStart(12)).join('')}`)
  const isTopic = (name) => name.startsWith(' ')
  const sorted = [...rows].toSorted(([a], [b]) => isTopic(a) - isTopic(b) || a.localeCompare(b))
  for (const [name, { counted, passed, notOwed, intended, unexplained }] of sorted) {
    const cells = [counted, passed, notOwed, intended, unexplained, percentage(passed, counted), percentage(passed, counted - notOwed)]
    console.log(`${name.padEnd(34)}${cells.map((cell) => String(cell).padStart(12)).join('')}`)
  }
  if (unexplained.length > 0) console.log(`\nfailed and unexplained:\n${unexplained.map((line) => `  ${line}`).join('\n')}`)
  if (passing.length > 0) console.log(`\nlisted as intended, but passing:\n${passing.map((line) => `  ${line}`).join('\n')}`)
}

function percentage(part, whole) {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`
}

function compareWithFloor({ rows, unexplained }) {
  const { unexplained: allowed = 0, ...classes } = floor
  console.log()
  for (const [name, least] of Object.entries(classes)) {
    const { passed = 0, counted = 0 } = rows.get(name) ?? {}
    verdict(passed >= least, `${name} passes ${passed} of ${counted}, the floor is ${least}`)
  }
  verdict(unexplained.length <= allowed, `${unexplained.length} failures are unexplained, ${allowed} may be`)
}

function verdict(isGood, text) {
  console.log(`${isGood ? 'ok' : 'BELOW THE FLOOR'}: ${text}`)
  if (!isGood) process.exitCode = 1
}
