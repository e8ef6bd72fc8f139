/**
 * The rule for blocks of code: a block is the text of a file that is compiled and that a test runs, or says in a note why it is not.
 *
 * | note above the block | the block |
 * | --- | --- |
 * | `<!-- samples/first/app.ts#region -->` | is this region, word for word; `npm run readme` writes it |
 * | `<!-- must not compile: TS2322: the message -->` | is refused by the compiler with this error, and no other (examples.test.ts) |
 * | `<!-- drawing -->` | `text` that no program reads or writes |
 * | `<!-- in templates/api -->` | commands for this package, instead of the one that the page is in |
 * | `<!-- output -->`, `<!-- change src/app.ts -->` | on pages of the tutorial, whose own tests hold it |
 * | none | `sh`: commands that exist; `json`: it parses |
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { faultOfCommand, type Place, readCommands } from './commands.js'
import { type Block, filesOf, textOf } from './pages.js'
import { project, readText } from '../fixtures/project.js'

/** For the reader of a failure. */
export const advice =
  'Name the file that it is from in a note above it, such as <!-- samples/first/app.ts#region -->, and run `npm run readme`. Commands need ' +
  'the language sh, a drawing the language text and the note <!-- drawing -->, and code that must not compile its error: <!-- must not compile: TS2322: … -->.'

/** The page with each block as its file has it now. */
export function withFiles(text: string, blocks: readonly Block[]): string {
  const lines = text.split('\n')
  for (const { note, line, end, indent, code } of blocks.toReversed()) {
    const current = (note === undefined ? undefined : textOf(note)) ?? code
    const rows = current === '' ? [] : current.replace(/\n*$/, '').split('\n')
    lines.splice(line + 1, end - line - 1, ...rows.map((row) => (row === '' ? '' : indent + row)))
  }
  return lines.join('\n')
}

/** What is wrong with a block, if anything is. */
export async function faultOf(block: Block, place: Place): Promise<string | undefined> {
  const { page, note, language, code } = block
  if (language === '') return 'names no language.'
  const text = note === undefined ? undefined : textOf(note)
  if (text !== undefined)
    return code === text.replace(/\n*$/, '\n') ? faultOfFile(note!.replace(/[# ].*/, '')) : 'differs from its file. Run `npm run readme`.'
  if (language === 'ts' && note?.startsWith('must not compile: ')) return undefined
  if (language === 'text' && note === 'drawing') return undefined
  // What a command prints, and a change before it: samples/tutorial/tests runs them.
  if (page.startsWith('docs/tutorial/') && (note === 'output' || note?.startsWith('change ') === true)) return undefined
  if (language === 'json') return faultOfJson(code)
  if (language !== 'sh') return 'is not held by anything.'
  const isElsewhere = note?.startsWith('in ') === true
  const reader = isElsewhere ? { package: note.slice('in '.length), created: place.created } : place
  const faults: (string | undefined)[] = []
  // One after the other: `cd` holds for the commands after it.
  for (const words of readCommands(block)) faults.push(await faultOfCommand(words, reader))
  return faults.find((fault) => fault !== undefined)
}

function faultOfJson(code: string): string | undefined {
  try {
    JSON.parse(code)
    return undefined
  } catch (error) {
    return `is not JSON: ${(error as Error).message}`
  }
}

function faultOfFile(path: string): string | undefined {
  if (!/\.[cm]?tsx?$/.test(path)) return undefined
  if (!isCompiled(path)) return `is from ${path}, which no tsconfig.json compiles.`
  return testedFiles().has(path) ? undefined : `is from ${path}, which no test imports or runs.`
}

function isCompiled(path: string): boolean {
  let folder = dirname(path)
  while (folder !== '.' && !existsSync(join(project, folder, 'tsconfig.json'))) folder = dirname(folder)
  if (folder !== '.') return true
  const { include, exclude } = JSON.parse(readText('tsconfig.json').replaceAll(/^ *\/\/.*$/gm, '')) as Record<
    'include' | 'exclude',
    string[]
  >
  const isIn = (folders: readonly string[]): boolean => folders.some((name) => path.startsWith(`${name}/`))
  return isIn(include) && !isIn(exclude)
}

let tested: ReadonlySet<string> | undefined

/** The tests, the files that they and scripts of packages name, and the files that these import. */
function testedFiles(): ReadonlySet<string> {
  if (tested !== undefined) return tested
  const files = ['samples', 'templates', 'tests'].flatMap(filesOf).filter((path) => /\.m?tsx?$|\.mjs$/.test(path))
  const known = new Set(files)
  const found = new Set(files.filter((path) => path.startsWith('tests/') || /\.test\.m?ts$/.test(path)))
  // A package of its own names its main module in its scripts, which its tests run.
  for (const path of ['samples', 'templates'].flatMap(filesOf).filter((name) => name.endsWith('/package.json'))) {
    for (const [name] of readText(path).matchAll(/\bsrc\/\w+\.ts\b/g)) found.add(join(dirname(path), name))
  }
  for (const path of found) {
    for (const [, name] of readText(path).matchAll(/'((?:\.{1,2}|samples|templates)\/[\w./-]+)\.[jt]sx?'/g)) {
      const named = (name!.startsWith('.') ? join(dirname(path), name!) : name!).replace(/^dist\//, '')
      for (const file of [`${named}.ts`, `${named}.tsx`]) if (known.has(file)) found.add(file)
    }
  }
  tested = found
  return found
}
