/**
 * The pages whose figures come from results.json. A page has them between `<!-- bench:name -->` and `<!-- /bench:name -->`; a run writes
 * them, and tests/package/bench-pages.test.ts checks that they agree.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { describeConditions } from './conditions.mjs'
import { editorTables } from './editor.mjs'
import { buildTable, losses, ratiosTable, stagesTable } from './summaries.mjs'
import { startupTable } from './startup.mjs'
import {
  applicationTable,
  bootTable,
  fetchTable,
  historyTable,
  linesTable,
  loadTables,
  overloadTable,
  partsTable,
  requestsTable,
  sizesTable,
  socketsTable,
  wiringTable,
} from './tables.mjs'

const pages = [
  'bench/README.md',
  'docs/explanation/performance.md',
  'docs/explanation/types-in-an-editor.md',
  'docs/decisions/0007-lazy-compilation.md',
]
const project = new URL('../../', import.meta.url)
const recorded = new URL('../results.json', import.meta.url)

/** By part of the results: its table. */
export const tables = {
  requests: requestsTable,
  sockets: socketsTable,
  lines: linesTable,
  parts: partsTable,
  history: historyTable,
  boot: bootTable,
  sizes: sizesTable,
  load: loadTables,
  overload: overloadTable,
  application: applicationTable,
  wiring: wiringTable,
  fetch: fetchTable,
  startup: startupTable,
  editor: editorTables,
}

/** Texts of several parts. */
const summaries = {
  ratios: [ratiosTable, ['requests', 'boot', 'application']],
  losses: [losses, ['requests', 'sockets', 'boot', 'sizes', 'load', 'overload', 'application']],
  stages: [stagesTable, ['profile', 'requests', 'sockets']],
  build: [buildTable, ['boot']],
}

/** `undefined` if a part that the text needs has not been recorded yet. */
function textOf(name, results) {
  const [write, parts] = summaries[name] ?? [() => tables[name](results[name]), [name]]
  if (!(name in tables) && !(name in summaries)) throw new Error(`There is no text bench:${name}.`)
  if (parts.some((part) => results[part] === undefined)) return undefined
  // Usually one line: parts that were recorded together have the same conditions.
  const lines = new Set(parts.map((part) => describeConditions(results[part].conditions)))
  return `${[...lines].join('\n')}\n\n${write(results)}`
}

/** A page with the texts of these results. */
export function fill(page, results) {
  return page.replace(/(<!-- bench:([a-z]+) -->\n)([\s\S]*?)(<!-- \/bench:\2 -->)/g, (_found, start, name, before, end) => {
    const text = textOf(name, results)
    return start + (text === undefined ? before : `${text}\n`) + end
  })
}

export function readResults() {
  return existsSync(recorded) ? JSON.parse(readFileSync(recorded, 'utf8')) : {}
}

/** The pages as they are and as these results make them. */
export function compare(results) {
  return pages.map((name) => {
    const text = readFileSync(new URL(name, project), 'utf8')
    return { name, text, filled: fill(text, results) }
  })
}

/** Replaces parts of the recorded results, and the texts of the pages. */
export function record(parts) {
  const results = { ...readResults(), ...parts }
  // Four digits are more than any figure is worth.
  const text = JSON.stringify(results, (_key, value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value), 1)
  writeFileSync(recorded, `${text}\n`)
  for (const { name, filled } of compare(readResults())) writeFileSync(new URL(name, project), filled)
}
