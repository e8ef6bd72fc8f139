/** The command `alcove new`: writes an application from a template. */
import { cp, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findOwn } from '../../lib/internal.js'
import { UsageError } from './modules.js'

/** Returns the version of this package. */
export async function ownVersion(): Promise<string> {
  return (JSON.parse(await readFile(findOwn('package.json')!, 'utf8')) as { version: string }).version
}

/** The folders of `templates`. */
type Template = 'api' | 'app' | 'plain'

/** Creates an application from a folder of `templates`, and prints the next steps. */
export async function createApp(target: string, template: Template): Promise<void> {
  await copyTemplate(target, template)
  console.log(`${target} is ready:\n${nextSteps(target, template === 'plain' ? '/greet/Ada' : '/docs')}`)
  if (template !== 'plain') warnOfPath(target)
  else if (!runsTypeScript())
    console.log(
      `\nIt needs Node 24 or newer, or 22 from 22.18 on: Node ${process.versions.node}, which runs this command, does not run TypeScript files.`,
    )
}

/** Warns of a path that the loader of `npm run dev` cannot handle: one that has escaped characters as a URL. */
export function warnOfPath(target: string): void {
  if (pathToFileURL(resolve(target)).href.includes('%'))
    console.log(
      '\nnpm run dev does not run in this folder: its loader, @oxc-node/core, fails if the path has spaces, accents or other special characters. Use a folder with another path.',
    )
}

/** Whether this version of Node runs TypeScript files by removing their types. */
function runsTypeScript(): boolean {
  return Boolean((process.features as { readonly typescript?: string | false }).typescript)
}

/**
 * Copies a folder of `templates` to a new or empty directory, and writes the name of the application and the version of alcove into the
 * files. Returns the path of the directory.
 * @throws UsageError if the directory is not empty
 */
export async function copyTemplate(target: string, template: Template): Promise<string> {
  const directory = resolve(target)
  const present = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new UsageError(`${target} cannot be used: ${error.message}`)
  })
  if (present.length > 0) throw new UsageError(`${target} is not empty.`)
  await cp(findOwn(`templates/${template}`)!, directory, { recursive: true })
  // npm leaves .gitignore files out of packages.
  await rename(join(directory, 'gitignore'), join(directory, '.gitignore'))
  // Accents are left out: Été is ete. npm refuses names that begin with some characters.
  const name =
    basename(directory)
      .normalize('NFD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '') || 'app'
  const version = await ownVersion()
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const text = await readFile(path, 'utf8')
    const filled = text.replaceAll('{{name}}', name).replaceAll('{{alcove}}', `^${version}`)
    if (filled !== text) await writeFile(path, filled)
  }
  return directory
}

/**
 * Returns the first commands to run in a created application, and the URL to open.
 * @param page the path of the documentation page, if there is one
 */
export function nextSteps(target: string, page: string | undefined): string {
  const thenOpen = page === undefined ? '' : `\n\nThen open http://localhost:3000${page}`
  return `\n  cd ${/^[\w./\\:@-]+$/.test(target) ? target : `"${target}"`}\n  npm install\n  npm test\n  npm run dev${thenOpen}`
}
