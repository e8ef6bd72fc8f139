/**
 * Tables in pages whose rows come from the sources. A comment above a table names the source of its rows; several tables may share one:
 * ```md
 * <!-- rows: ServerOptions -->
 * | Option | Default | What it does |
 * | --- | --- | --- |
 * | `name` | `root` | The name of the root context |
 * ```
 * The first cell names the row. `UPDATE_README=1` writes the cells that the source knows; cells of other columns are the page's own.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { project } from './declarations.js'

/** The cells that a source knows, by the heading of their column. */
export type Cells = Readonly<Record<string, string>>

/** The rows of a source, by name. */
export type Rows = ReadonlyMap<string, Cells>

const table = /<!-- rows: (\w+) -->\n(\|.*\|\n)(\|[-| ]+\|\n)((?:\|.*\|\n)*)/g

/** Fails unless the tables of a page have the rows of their sources, each once, and the cells that these know. Returns all cells. */
export function holdTables(page: string, sources: Readonly<Record<string, Rows>>): Map<string, Map<string, Cells>> {
  const file = `${project}docs/reference/${page}.md`
  const text = readFileSync(file, 'utf8')
  const found = new Map<string, Map<string, Cells>>(Object.keys(sources).map((name) => [name, new Map()]))
  const current = text.replaceAll(table, (_all, source: string, heading: string, line: string, body: string) => {
    const known = sources[source]
    assert.ok(known !== undefined, `${page}.md has a table of ${source}, which has no test`)
    const columns = cellsOf(heading)
    const rows = body.split('\n').flatMap((row) => (row === '' ? [] : [complete(row, columns, known, `${page}.md, ${source}`)]))
    for (const { name, cells } of rows) {
      assert.ok(!found.get(source)!.has(name), `${page}.md has two rows ${name} of ${source}`)
      found.get(source)!.set(name, Object.fromEntries(columns.map((column, index) => [column, cells[index]!])))
    }
    return `<!-- rows: ${source} -->\n${heading}${line}${rows.map(({ cells }) => `| ${cells.join(' | ')} |\n`).join('')}`
  })
  for (const [source, known] of Object.entries(sources)) {
    assert.deepEqual([...found.get(source)!.keys()].toSorted(), [...known.keys()].toSorted(), `the rows of ${source} in ${page}.md`)
  }
  if (process.env['UPDATE_README'] === '1') writeFileSync(file, current)
  else assert.equal(text, current, `the tables of docs/reference/${page}.md differ from the sources: run \`npm run readme\``)
  assert.deepEqual(cellsWithoutText(found), [], `cells in ${page}.md that the sources do not know`)
  return found
}

function cellsWithoutText(tables: Map<string, Map<string, Cells>>): string[] {
  return [...tables.values()].flatMap((rows) =>
    [...rows].flatMap(([name, cells]) => Object.keys(cells).flatMap((column) => (cells[column] === '' ? [`${column} of ${name}`] : []))),
  )
}

function complete(row: string, columns: readonly string[], known: Rows, place: string): { name: string; cells: string[] } {
  const given = cellsOf(row)
  const name = /^`([^`(: ]+)/.exec(given[0] ?? '')?.[1] ?? ''
  const own = known.get(name)
  assert.ok(own !== undefined, `${place}: there is no ${name}`)
  const cells = columns.map((column, index) => own[column]?.replaceAll('|', '\\|') ?? given[index] ?? '')
  return { name, cells }
}

export function cellsOf(row: string): string[] {
  return row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
}
