/** The steps of the tutorial, their files and their pages. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
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

/** The files of the application that `alcove new bookshelf` writes, with `--api` those of the template `api`, by their paths. */
export function templateFiles(name) {
  const files = [...readFiles(join(root, 'templates', name))].map(([path, text]) => [
    path === 'gitignore' ? '.gitignore' : path,
    text.replaceAll('{{name}}', 'bookshelf').replaceAll('{{alcove}}', templateVersion()),
  ])
  return new Map(files)
}

export function templateVersion() {
  return `^${manifestOf(root).version}`
}

export function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

/** A copy of a step, in which commands may write. It uses the packages that are installed for all steps. */
export function copyStep(step) {
  return makeFolder(step, (folder) =>
    cpSync(folderOf(step), folder, { recursive: true, filter: (path) => !isMade(relative(folderOf(step), path)) }),
  )
}

/** The application that step 1 creates, with the packages that are installed for all steps. */
export function copyCreated() {
  return makeFolder('created', (folder) => {
    for (const [path, text] of templateFiles('app')) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
  })
}

function makeFolder(name, write) {
  const folder = mkdtempSync(join(tmpdir(), `tutorial-${name}-`))
  write(folder)
  symlinkSync(join(tutorial, 'node_modules'), join(folder, 'node_modules'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The text of a file without the lines that mark regions. */
export function withoutRegions(text) {
  return text?.replaceAll(/^ *(?:\/\/|--|#) #(?:end)?region.*\n/gm, '')
}

/** The blocks of a page, each with the text of the comment above it. */
export function readBlocks(page) {
  return [...page.matchAll(/(?:^<!-- (.*) -->\n)?^```(\S*)\n([^]*?)^```$/gm)].map(([, note = '', language, code]) => ({
    note,
    language,
    code,
  }))
}
