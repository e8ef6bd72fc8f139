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
import { holdText, readText } from '../fixtures/project.js'

/** The cells that a source knows, by the heading of their column. */
export type Cells = Readonly<Record<string, string>>

/** The rows of a source, by name. */
export type Rows = ReadonlyMap<string, Cells>

const table = /<!-- (\w+): (\w+) -->\n(\|.*\|\n)(\|[-| ]+\|\n)((?:\|.*\|\n)*)/g

/** The path of a page of the reference. */
export const referencePage = (page: string): string => `docs/reference/${page}.md`

/**
 * The text with other rows in its tables: `write` gets the name of a table whose comment begins with `kind` (`<!-- rows: ServerOptions -->`), its
 * columns and the cells of its rows, and returns the cells that take their place.
 */
export function withRows(
  text: string,
  kind: 'rows' | 'runs',
  write: (name: string, columns: readonly string[], rows: readonly string[][]) => readonly string[][],
): string {
  return text.replaceAll(table, (all, found: string, name: string, heading: string, line: string, body: string) => {
    if (found !== kind) return all
    const rows = body.split('\n').slice(0, -1).map(cellsOf)
    const written = write(name, cellsOf(heading), rows).map((cells) => `| ${cells.join(' | ')} |\n`)
    return `<!-- ${kind}: ${name} -->\n${heading}${line}${written.join('')}`
  })
}

/** Fails unless the tables of a page have the rows of their sources, each once, and the cells that these know. Returns all cells. */
export function holdTables(page: string, sources: Readonly<Record<string, Rows>>): Map<string, Map<string, Cells>> {
  const found = new Map<string, Map<string, Cells>>(Object.keys(sources).map((name) => [name, new Map()]))
  const path = referencePage(page)
  const current = withRows(readText(path), 'rows', (source, columns, given) => {
    const known = sources[source]
    assert.ok(known !== undefined, `${page}.md has a table of ${source}, which has no test`)
    const rows = given.map((cells) => complete(cells, columns, known, `${page}.md, ${source}`))
    for (const { name, cells } of rows) {
      assert.ok(!found.get(source)!.has(name), `${page}.md has two rows ${name} of ${source}`)
      found.get(source)!.set(name, Object.fromEntries(columns.map((column, index) => [column, cells[index]!])))
    }
    return rows.map(({ cells }) => cells)
  })
  for (const [source, known] of Object.entries(sources)) {
    assert.deepEqual([...found.get(source)!.keys()].toSorted(), [...known.keys()].toSorted(), `the rows of ${source} in ${page}.md`)
  }
  holdText(path, current)
  assert.deepEqual(cellsWithoutText(found), [], `cells in ${page}.md that the sources do not know`)
  return found
}

function cellsWithoutText(tables: Map<string, Map<string, Cells>>): string[] {
  return [...tables.values()].flatMap((rows) =>
    [...rows].flatMap(([name, cells]) => Object.keys(cells).flatMap((column) => (cells[column] === '' ? [`${column} of ${name}`] : []))),
  )
}

function complete(
  given: readonly string[],
  columns: readonly string[],
  known: Rows,
  place: string,
): { readonly name: string; readonly cells: string[] } {
  const name = /^`([^`(: ]+)/.exec(given[0] ?? '')?.[1] ?? ''
  const own = known.get(name)
  assert.ok(own !== undefined, `${place}: there is no ${name}`)
  const cells = columns.map((column, index) => own[column]?.replaceAll('|', '\\|') ?? given[index] ?? '')
  return { name, cells }
}

function cellsOf(row: string): string[] {
  return row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
}
