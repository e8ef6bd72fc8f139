#!/usr/bin/env node
/**
 * Runs the test suite and prints its coverage of lib and decorators, by V8's own counters and the source maps: the share of lines and
 * branches in each of the two, and each line and branch that no test reached. Processes and workers that the tests start count too.
 *   npm run coverage
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const tests = ['dist/tests', 'dist/samples'].flatMap((folder) =>
  readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.test.js'))
    .map((file) => `${folder}/${file}`),
)
const c8 = fileURLToPath(new URL('node_modules/c8/bin/c8.js', import.meta.url))
const { status } = spawnSync(
  process.execPath,
  [
    c8,
    '--all',
    '--src=lib',
    '--src=decorators',
    '--include=lib/**',
    '--include=decorators/**',
    '--include=dist/lib/**',
    '--include=dist/decorators/**',
    // Only types
    ...['decorators/tools/explanation.ts', 'lib/context/declared-route.ts', 'lib/http/node-internals.ts', 'lib/types/**'].map(
      (file) => `--exclude=${file}`,
    ),
    '--exclude-after-remap',
    '--reporter=json',
    process.execPath,
    '--test',
    '--test-reporter=dot',
    ...tests,
  ],
  { stdio: 'inherit' },
)

const files = Object.values(JSON.parse(readFileSync('coverage/coverage-final.json', 'utf8')))
const totals = {}
for (const { path, s: lines, statementMap, b: branches, branchMap } of files.sort((a, b) => (a.path < b.path ? -1 : 1))) {
  const file = relative('.', path)
  const total = (totals[file.split('/')[0]] ??= { lines: [0, 0], branches: [0, 0] })
  const text = readFileSync(path, 'utf8').split('\n')
  for (const [key, count] of Object.entries(lines)) {
    total.lines[0] += count > 0 ? 1 : 0
    total.lines[1]++
    const { line } = statementMap[key].start
    if (count === 0) console.log(`${file}:${line}  line    ${text[line - 1].trim()}`)
  }
  for (const [key, [count]] of Object.entries(branches)) {
    total.branches[0] += count > 0 ? 1 : 0
    total.branches[1]++
    const { start, end } = branchMap[key].loc
    if (count > 0) continue
    const part = text[start.line - 1].slice(Math.max(start.column, 0), end.line === start.line ? end.column : undefined)
    console.log(`${file}:${start.line}  branch  ${part.trim()}`)
  }
}
const percentage = ([reached, all]) => `${((100 * reached) / all).toFixed(2)} % (${reached} of ${all})`
console.table(
  Object.fromEntries(
    Object.entries(totals).map(([folder, { lines, branches }]) => [folder, { lines: percentage(lines), branches: percentage(branches) }]),
  ),
)
process.exit(status ?? 1)
