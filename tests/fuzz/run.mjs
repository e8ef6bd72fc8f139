#!/usr/bin/env node
/**
 * Fuzzes alcove. Exits with 1 on any finding, which comes with its seed and request.
 *   npm run fuzz -- [--seed 1] [--seeds 1] [--requests 10000] [--compared 5000] [--frames 20000]
 *     [--only requests|decorated|http2|frames|units|differential|advisories]
 *
 * `--requests`, `--compared` and `--frames` are per seed; `--seeds` goes on from `--seed`. The parts are tried with a third of the requests, the decorated
 * face with half, HTTP/2 with a fifth.
 */
import { proveAdvisories } from './advisories.mjs'
import { compareWithFastify } from './differential.mjs'
import { differences } from './differences.mjs'
import { fuzzFrames } from './frames.mjs'
import { fuzzUnits } from './units.mjs'
import { fuzzWhole } from './whole.mjs'

const argument = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? fallback : process.argv[at + 1]
}
const first = Number(argument('seed', 1))
const seeds = Number(argument('seeds', 1))
const requests = Number(argument('requests', 10_000))
const compared = Number(argument('compared', 5_000))
const frames = Number(argument('frames', 20_000))
const only = argument('only')
const findings = []

// What the engine says of generated schemas is no finding.
console.warn = () => {}

/** Runs a part, and counts what it notes. */
async function part(name, run) {
  if (only !== undefined && only !== name) return
  const counts = new Map()
  const start = performance.now()
  try {
    await run((kind, by = 1) => counts.set(kind, (counts.get(kind) ?? 0) + by))
  } catch (error) {
    findings.push(`${name}: ${error.isFinding === true ? error.message : error.stack}`)
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  console.log(`${name}: ${total} in ${((performance.now() - start) / 1000).toFixed(1)} s`)
  for (const [kind, count] of [...counts].sort(([, a], [, b]) => b - a)) {
    const reason = name === 'differential' ? differences.find(({ id }) => id === kind)?.reason : undefined
    console.log(`  ${String(count).padStart(8)}  ${kind}${reason === undefined ? '' : `  (${reason})`}`)
  }
}

await part('advisories', async (note) => {
  findings.push(...(await proveAdvisories(note)))
})
await part('units', (note) => fuzzUnits({ seed: first, count: Math.ceil(requests / 3), note }))
for (const [name, count, run] of [
  ['requests', requests, fuzzWhole],
  ['decorated', Math.ceil(requests / 2), fuzzWhole],
  ['http2', Math.ceil(requests / 5), fuzzWhole],
  ['frames', frames, fuzzFrames],
  ['differential', compared, compareWithFastify],
]) {
  await part(name, async (note) => {
    for (let seed = first; seed < first + seeds; seed++) await run({ face: name, seed, count, note })
  })
}

for (const finding of findings) console.error(`\nFINDING ${finding}`)
process.exit(findings.length === 0 ? 0 : 1)
