/** Prints what was measured, and writes it into a page if the command has `--write`: between `<!-- measured:name -->` and `<!-- /measured:name -->`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { conditionsOf, describeConditions } from '../../../bench/report/conditions.mjs'

const project = new URL('../../../', import.meta.url)

const versionOf = (file) => JSON.parse(readFileSync(new URL(file, project), 'utf8')).version

/** The packages that are measured, with their versions. */
function versions(names) {
  return Object.fromEntries(
    names.map((name) => [
      name,
      versionOf(`${name === 'workerd' ? 'samples/workers' : 'tests/runtimes'}/node_modules/${name}/package.json`),
    ]),
  )
}

const row = (cells) => `| ${cells.join(' | ')} |`

/** @param rows the first one has the titles of the columns */
export function record(page, name, packages, [titles, ...rows]) {
  const table = [titles, titles.map(() => '---'), ...rows].map(row).join('\n')
  const text = `${describeConditions(conditionsOf(false, versions(packages)))}\n\n${table}`
  console.log(text)
  if (!process.argv.includes('--write')) return
  const file = new URL(page, project)
  const before = readFileSync(file, 'utf8')
  const after = before.replace(
    new RegExp(`(<!-- measured:${name} -->\\n)[^]*(<!-- /measured:${name} -->)`),
    (_all, begin, end) => `${begin}${text}\n${end}`,
  )
  if (after === before) throw new Error(`${page} has no place for ${name}`)
  writeFileSync(file, after)
}
