/**
 * Tables in pages whose rows are examples that run. A comment above a table names what runs them; the cells of the columns that a run
 * returns are its results:
 * ```md
 * <!-- runs: texts -->
 * | Schema of `x` | Sent | The handler gets |
 * | --- | --- | --- |
 * | `{ type: 'integer' }` | `x=7` | `7` |
 * ```
 * `UPDATE_README=1` writes the results into the page.
 */
import { runInThisContext } from 'node:vm'
import { type Cells, referencePage, withRows } from './tables.js'
import { holdText, readText } from '../fixtures/project.js'

/** A row of a table, before it has run. */
export interface Example {
  readonly table: string
  readonly cells: Cells
}

/** The rows of all tables of a page, in their order. */
export function readExamples(page: string): Example[] {
  const found: Example[] = []
  withRows(readText(referencePage(page)), 'runs', (table, columns, rows) => {
    found.push(...rows.map((cells) => ({ table, cells: byColumn(columns, cells) })))
    return rows
  })
  return found
}

/** Fails unless the page has these results, one for each row of its tables. */
export function holdResults(page: string, results: readonly Cells[]): void {
  let at = 0
  const current = withRows(readText(referencePage(page)), 'runs', (_table, columns, rows) =>
    rows.map((cells) => Object.values({ ...byColumn(columns, cells), ...results[at++] })),
  )
  holdText(referencePage(page), current)
}

function byColumn(columns: readonly string[], cells: readonly string[]): Cells {
  return Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? '']))
}

/** The text of a cell with code, without its marks. */
export const codeOf = (cell: string | undefined): string => (cell ?? '').replaceAll('\\|', '|').replaceAll(/^`+ ?| ?`+$/g, '')

/** The value of a cell with an expression of JavaScript. */
export const valueOf = (cell: string | undefined): any => runInThisContext(`(${codeOf(cell)})`)

/** A cell with code. */
export const asCode = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``
