/** The files of the repository, and the page of the site that shows each. */
import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Markdown files of the root that are pages of the project. */
const projectPages = {
  'README.md': 'project/readme.md',
  'CHANGELOG.md': 'project/changelog.md',
  'CODE_OF_CONDUCT.md': 'project/code-of-conduct.md',
  'CONTRIBUTING.md': 'project/contributing.md',
  'SECURITY.md': 'project/security.md',
}

/** All files that Git knows or would add, as paths from the root. */
export function repositoryFiles() {
  const names = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'], {
    cwd: root,
    encoding: 'utf8',
  })
  return names
    .split('\0')
    .filter((name) => name !== '' && statSync(join(root, name), { throwIfNoEntry: false })?.isFile())
    .sort()
}

/**
 * The path of the page, from the root of the site, that shows a file (`docs/x.md`) or a folder (`samples/first/`):
 * `docs/guide/x.md` → `guide/x.md`, `SECURITY.md` → `project/security.md`, `samples/first/app.ts` → `source/samples/first/app.ts.md`.
 */
export function pageOf(path) {
  if (path in projectPages) return projectPages[path]
  if (/^docs\/(.*\/)?[^/]+\.md$/.test(path)) return path.slice('docs/'.length).replace(/(^|\/)README\.md$/, '$1index.md')
  // Hosts of static files leave out what begins with a dot.
  const visible = path.replaceAll(/(^|\/)\./g, '$1dot-')
  return `source/${visible}${path.endsWith('/') ? 'index.md' : path.endsWith('.md') ? '' : '.md'}`
}

/** The files that are pages even if no page links them. */
export function isOwnPage(path) {
  return path in projectPages || (path.startsWith('docs/') && path.endsWith('.md'))
}
