/** The command `alcove client`: writes a client of an application, or compares it with a file. Nothing is started. */
import { readFile, writeFile } from 'node:fs/promises'
import type { ApplicationDescription } from '../../lib/index.js'
import { writeClientFile } from '../contract/client-file/client-file.js'
import { writeRouteTable } from '../contract/client-file/route-table.js'
import { literal, propertyName } from '../contract/client-file/schema-types.js'
import type { Class } from '../declare/metadata.js'
import { describeForCommand } from './application.js'

export interface ClientArguments {
  /** The file to write the client to. */
  readonly out?: string | undefined
  /** The file to write the table of routes to. */
  readonly routes?: string | undefined
  /** Whether the files are compared, and not written. */
  readonly check?: boolean | undefined
  readonly dates?: boolean | undefined
  /** The name of the exported options of the server. */
  readonly options?: string | undefined
}

/** @returns whether the files are those of the application, if they were to be compared */
export async function writeClient(
  file: string,
  App: Class,
  { out, routes, check = false, dates = false, options }: ClientArguments,
): Promise<boolean> {
  const description = await describeForCommand(
    file,
    App,
    options,
    'The client of a server that is ready contains them: clientFile(server).',
  )
  if (out === undefined && routes === undefined) {
    console.log(writeClientFile(description, { dates }))
    return true
  }
  const files = [
    ...(out === undefined ? [] : [{ path: out, text: writeClientFile(description, { dates }), flag: '--out' }]),
    ...(routes === undefined ? [] : [{ path: routes, text: tableFile(description, routes), flag: '--routes' }]),
  ]
  if (!check) {
    await Promise.all(files.map(({ path, text }) => writeFile(path, text)))
    return true
  }
  const results = await Promise.all(files.map(async ({ path, text, flag }) => ({ path, flag, isSame: await hasText(path, text) })))
  const stale = results.filter(({ isSame }) => !isSame)
  for (const { path, flag } of stale)
    console.error(`${path} is not what the application has now. Write it again: alcove client ${file} ${flag} ${path}`)
  return stale.length === 0
}

function tableFile(description: ApplicationDescription, path: string): string {
  const table = writeRouteTable(description)
  if (path.endsWith('.json')) return `${JSON.stringify(table, null, 2)}\n`
  const classes = Object.entries(table).map(([name, routes]) => {
    const methods = Object.entries(routes).map(([method, entry]) => `    ${propertyName(method)}: ${literal(entry)},\n`)
    return `  ${propertyName(name)}: {\n${methods.join('')}  },\n`
  })
  const isTyped = /\.[cm]?ts$/.test(path)
  // Under a type of its own, an editor need not compute the type of all routes when it looks at one class.
  const members = Object.keys(table).map((name) => `  readonly ${propertyName(name)}: ClassRoutes\n`)
  const types = isTyped ? `import type { ClassRoutes } from 'alcove/client'\n\ninterface Routes {\n${members.join('')}}\n\n` : ''
  const head = `// The routes of ${description.name}, written by \`alcove client\`. Do not change them: write them again.\n`
  return `${head}${types}export const routes${isTyped ? ': Routes' : ''} = {\n${classes.join('')}}\n`
}

/** Whether a file has this text. What formatters of code change does not count: spaces, quotes, and a `|` before the first of a union. */
async function hasText(path: string, text: string): Promise<boolean> {
  const withoutForm = (given: string): string => given.replaceAll(/(?<=[<(=:,?[]\s*|readonly\s+)\|\s/g, '').replaceAll(/[\s'"`;,()]+/g, '')
  return withoutForm(await readFile(path, 'utf8').catch(() => '')) === withoutForm(text)
}
