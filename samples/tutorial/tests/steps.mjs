/** The steps of the tutorial, their files and their pages. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../../', import.meta.url))
const tutorial = join(root, 'samples/tutorial')

/** `01-a-route` … */
export const steps = readdirSync(tutorial).filter((name) => /^\d\d-/.test(name))

export const folderOf = (step) => join(tutorial, step)

export function readPage(step) {
  return readFileSync(join(root, `docs/tutorial/${step}.md`), 'utf8')
}

/** The files of a folder by their paths in it, without what is installed, built or stored. */
export function readFiles(folder) {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !isMade(path))
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}

function isMade(path) {
  return /^(?:node_modules|dist|\.data)(?:\/|$)/.test(path)
}

/** A copy of a step, in which commands may write. It uses the packages that are installed for all steps. */
export function copyStep(step) {
  const folder = mkdtempSync(join(tmpdir(), `tutorial-${step}-`))
  cpSync(folderOf(step), folder, { recursive: true, filter: (path) => !isMade(relative(folderOf(step), path)) })
  symlinkSync(join(tutorial, 'node_modules'), join(folder, 'node_modules'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The blocks of a page, each with the text of the comment above it. */
export function readBlocks(page) {
  return [...page.matchAll(/(?:^<!-- (.*) -->\n)?^```(\S*)\n([^]*?)^```$/gm)].map(([, note = '', language, code]) => ({
    note,
    language,
    code,
  }))
}
