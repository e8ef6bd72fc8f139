/** The pages of the project and the blocks of code on them. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { project, readText } from '../fixtures/project.js'

export interface Block {
  page: string
  /** The index of its first fence among the lines of the page. */
  line: number
  /** The index of its last fence. */
  end: number
  language: string
  /** The text of an HTML comment on the line before the block. */
  note: string | undefined
  /** In a list, the spaces before each of its lines. */
  indent: string
  /** Without the indent; ends with a line break. */
  code: string
}

/** All pages for readers, by their paths from the project. Records of decisions and the changelog show no code. */
export function findPages(): string[] {
  const documents = filesOf('docs').filter((path) => path.endsWith('.md') && !path.startsWith('docs/decisions/'))
  const readmes = ['bench', 'packages', 'samples', 'templates'].flatMap(filesOf).filter((path) => path.endsWith('/README.md'))
  return ['AGENTS.md', 'README.md', 'SECURITY.md', 'CONTRIBUTING.md', ...documents, ...readmes].sort()
}

/** The files of a folder of the project and those below it, without what is installed or built. */
export function filesOf(folder: string): string[] {
  return readdirSync(join(project, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.isFile()) return [`${folder}/${entry.name}`]
    return entry.isDirectory() && !['node_modules', 'dist'].includes(entry.name) ? filesOf(`${folder}/${entry.name}`) : []
  })
}

export function readBlocks(page: string, text: string): Block[] {
  const lines = text.split('\n')
  const blocks: Block[] = []
  for (let line = 0; line < lines.length; line += 1) {
    const [, indent, fence, language] = /^( *)(`{3,})(.*)$/.exec(lines[line]!) ?? []
    if (indent === undefined) continue
    const end = lines.findIndex((other, index) => index > line && other === indent + fence!)
    if (end === -1) throw new Error(`${page}:${line + 1} has no end.`)
    const code = lines.slice(line + 1, end).map((row) => `${row.startsWith(indent) ? row.slice(indent.length) : row}\n`)
    const [, note] = /^ *<!-- (.*) -->$/.exec(lines[line - 1] ?? '') ?? []
    blocks.push({ page, line, end, language: language!.trim(), note, indent, code: code.join('') })
    line = end
  }
  return blocks
}

/** The text of a page without its blocks. */
export function proseOf(text: string): string {
  const lines = text.split('\n')
  for (const { line, end } of readBlocks('', text)) lines.fill('', line, end + 1)
  return lines.join('\n')
}

/** What a link can lead to in a page: its headings, as GitHub and VitePress name them, and elements with an id. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...proseOf(text).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
  return new Set([...headings, ...[...text.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id!)])
}

/**
 * The text that a note names: `samples/first/app.ts` is a file, `samples/models/app.ts#model` its region. A region that stands in several places
 * of the file is shown as one. `undefined`: the note does not name a file.
 */
export function textOf(note: string): string | undefined {
  const [, path, region] = /^([\w./-]+\.\w+|[\w./-]+file)(?:#([\w-]+))?$/i.exec(note) ?? []
  if (path === undefined) return undefined
  if (!existsSync(join(project, path))) throw new Error(`There is no file ${path}.`)
  const lines = readText(path).split('\n')
  if (region === undefined) return lines.filter((line) => !isMark(line)).join('\n')
  const parts = lines.flatMap((line, index) => (startOf(line) === region ? [lines.slice(index + 1, endOf(lines, index))] : []))
  if (parts.length === 0) throw new Error(`There is no region ${region} in ${path}.`)
  return parts.map((part) => `${dedent(part.filter((line) => !isMark(line))).join('\n')}\n`).join('\n')
}

/** The name of the region that a line begins, in a comment of any language: `// #region name`. */
function startOf(line: string): string | undefined {
  return /^\s*(?:\/\/|#|--|<!--) ?#region ([\w-]+)/.exec(line)?.[1]
}

function isMark(line: string): boolean {
  return /^\s*(?:\/\/|#|--|<!--) ?#(?:region|endregion)\b/.test(line)
}

/** The index of the line that ends the region which begins at the index `start`. Regions may contain others. */
function endOf(lines: readonly string[], start: number): number {
  let depth = 0
  for (let index = start; index < lines.length; index += 1) {
    if (!isMark(lines[index]!)) continue
    depth += startOf(lines[index]!) === undefined ? -1 : 1
    if (depth === 0) return index
  }
  throw new Error(`The region ${startOf(lines[start]!)} has no end.`)
}

function dedent(lines: readonly string[]): readonly string[] {
  const width = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)))
  return lines.map((line) => line.slice(width))
}
