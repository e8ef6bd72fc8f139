/** The tables of docs/reference/runtimes.md. */
import { behaviours } from './behaviours/index.js'
import { differences } from './differences.js'
import { entries } from './entries.js'

/** The entries, in the order of the columns, with the way that each is. */
const ways: Readonly<Record<string, string>> = {
  sockets: '`listen`, over sockets of Node',
  inject: '`server.inject`',
  fetch: '`server.fetch` on Node',
  lambda: '`handler` of `alcove/lambda`, by events of an HTTP API, replies not streamed',
  bun: '`serve` of `alcove/bun`, over sockets of Bun',
  workerd: '`server.fetch` in `workerd`, from a bundle with a build, with `compileSchemas: "boot"` and `handlerTimeout: 0`',
  deno: '`serve` of `alcove/deno`, over sockets of Deno',
}

/** The lines of Node on which the entries of Node have the same differences, which run.mjs tries. */
export const nodeLines: readonly number[] = [20, 22, 24, 26]

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`
}

/** Returns the tables: how many behaviours each entry has, and those that differ. */
export function tables(): string {
  const names = Object.keys(ways)
  const all = Object.values(behaviours).flat()
  const differs = (titles: readonly { title: string }[], name: string): number =>
    titles.filter(({ title }) => differences[title]?.[name] !== undefined).length
  const counts = [
    row(['', ...names]),
    row(['---', ...names.map(() => '---')]),
    ...Object.entries(behaviours).map(([subject, list]) =>
      row([subject, ...names.map((name) => `${list.length - differs(list, name)} of ${list.length}`)]),
    ),
    row(['all', ...names.map((name) => `${all.length - differs(all, name)} of ${all.length}`)]),
  ]
  const others = Object.entries(differences).flatMap(([title, by]) =>
    Object.entries(by).map(([name, text]) => row([title, name, typeof text === 'string' ? text : text.notRun])),
  )
  const list = [row(['behaviour', 'differs by', 'instead']), row(['---', '---', '---']), ...others]
  const legend = Object.entries(ways).map(([name, text]) => `- ${name}: ${text}`)
  const ofNode = entries.map(({ name }) => name).join(', ')
  const lines = `The results of ${ofNode} were the same on each line of Node: ${nodeLines.join(', ')}.`
  return [legend.join('\n'), lines, counts.join('\n'), list.join('\n')].join('\n\n')
}
