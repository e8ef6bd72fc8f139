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
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { runInThisContext } from 'node:vm'
import { project } from './declarations.js'
import { cellsOf, type Cells } from './tables.js'

const table = /<!-- runs: (\w+) -->\n(\|.*\|\n)(\|[-| ]+\|\n)((?:\|.*\|\n)*)/g

/** A row of a table, before it has run. */
export interface Example {
  readonly table: string
  readonly cells: Cells
}

/** The rows of all tables of a page, in their order. */
export function readExamples(page: string): Example[] {
  return [...readFileSync(fileOf(page), 'utf8').matchAll(table)].flatMap(([, name, heading, , body]) =>
    rowsOf(heading!, body!).map((cells) => ({ table: name!, cells })),
  )
}

/** Fails unless the page has these results, one for each row of its tables. */
export function holdResults(page: string, results: readonly Cells[]): void {
  const text = readFileSync(fileOf(page), 'utf8')
  let at = 0
  const current = text.replaceAll(table, (_all, name: string, heading: string, line: string, body: string) => {
    const rows = rowsOf(heading, body).map((cells) => Object.values({ ...cells, ...results[at++] }))
    return `<!-- runs: ${name} -->\n${heading}${line}${rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('')}`
  })
  if (process.env['UPDATE_README'] === '1') writeFileSync(fileOf(page), current)
  else assert.equal(text, current, `docs/reference/${page}.md has other results: run \`npm run readme\``)
}

const fileOf = (page: string): string => `${project}docs/reference/${page}.md`

function rowsOf(heading: string, body: string): Cells[] {
  const columns = cellsOf(heading)
  return body
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => cellsOf(row))
    .map((cells) => Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ''])))
}

/** The text of a cell with code, without its marks. */
export const codeOf = (cell: string | undefined): string => (cell ?? '').replaceAll('\\|', '|').replaceAll(/^`+ ?| ?`+$/g, '')

/** The value of a cell with an expression of JavaScript. */
export const valueOf = (cell: string | undefined): any => runInThisContext(`(${codeOf(cell)})`)

/** A cell with code. */
export const asCode = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``
