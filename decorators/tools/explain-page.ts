/**
 * Writes the HTML page of `explain`: one file with its script, its style and its data. The folder `page` contains the sources of script and
 * style.
 */
import { escapeHtml, findOwn, readFileSync } from '../../lib/internal.js'
import type { ExplanationDocument } from './explanation.js'
import { pack } from './packed.js'

/**
 * Returns the complete HTML page of `explain`.
 * @param tree the contexts as text, for readers without scripts
 * @param old an earlier explanation of the application, with which the page compares this explanation
 */
export function writePage(explanation: ExplanationDocument, tree: string, old?: ExplanationDocument): string {
  const path = findOwn('dist/page/explain.html')
  if (path === undefined) throw new Error('toHTML needs the installed package of alcove, not a bundle of it.')
  const values: Readonly<Record<string, string>> = {
    name: escapeHtml(explanation.root.name),
    tree: escapeHtml(tree),
    now: asJson(explanation),
    old: old === undefined ? 'null' : asJson(old),
  }
  return readFileSync(path, 'utf8').replaceAll(/%%(\w+)%%/g, (_, name: string) => values[name]!)
}

/**
 * Returns an explanation as packed JSON that is safe inside a `script` element. Names and texts of the application could otherwise end the
 * element.
 */
function asJson(data: ExplanationDocument): string {
  // Packing needs plain data, as the JSON form has it.
  return JSON.stringify(pack(data)).replaceAll('<', '\\u003c')
}
