/** Collects the pages of the site: those of docs/ and of the root, and a page for each source file or folder that one of them links. */
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { landingPage } from './landing.mjs'
import { rewriteLinks, titleOf } from './links.mjs'
import { isOwnPage, pageOf, repositoryFiles, root } from './repository.mjs'
import { folderPage, isReadable, sourcePage } from './source-page.mjs'
import { withTabs } from './tabs.mjs'

const readRepository = (file) => readFileSync(join(root, file), 'utf8')

/**
 * Returns the pages, whose links lead to pages of the site, and the pictures that they show. Of a page: its `path` from the root of the site,
 * its `file` in the repository, its `title`, its `markdown`, and the paths of the pages that it links (`links`).
 * @throws with all links that lead to nothing
 */
export function collectPages(files = repositoryFiles(), read = readRepository) {
  const repository = { files, known: new Set(files), folders: new Set(files.flatMap(foldersAbove)), read }
  const waiting = files.filter(isOwnPage)
  const pages = new Map()
  const pictures = new Set()
  const faults = []
  while (waiting.length > 0) {
    const file = waiting.shift()
    if (pages.has(file)) continue
    const page = file.endsWith('/') ? pageOfFolder(file, repository) : pageOfFile(file, repository)
    pages.set(file, page)
    waiting.push(...page.needs)
    for (const picture of page.pictures) pictures.add(picture)
    faults.push(...page.faults)
  }
  if (faults.length > 0) throw new Error(`These links lead to nothing that the site can show:\n  ${faults.join('\n  ')}`)
  return { pages: [...pages.values()], pictures: [...pictures] }
}

function pageOfFolder(folder, { files }) {
  const names = new Set(files.filter((file) => file.startsWith(folder)).map((file) => file.slice(folder.length).replace(/\/.*$/s, '/')))
  const needs = []
  const entries = [...names].map((name) => {
    const path = `${folder}${name}`
    if (!name.endsWith('/') && !isReadable(path)) return { name }
    needs.push(path)
    return { name, url: `/${pageOf(path)}` }
  })
  return { ...newPage(folder), title: folder, markdown: folderPage(folder, entries), needs }
}

function pageOfFile(file, repository) {
  const own = repository.read(file)
  const text = file === 'docs/index.md' ? landingPage(own, repository.read) : own
  if (!file.endsWith('.md')) return { ...newPage(file), title: file, markdown: sourcePage(file, text) }
  const page = { ...newPage(file), title: file === 'README.md' ? 'README' : (titleOf(text) ?? file) }
  page.markdown = rewriteLinks(withTabs(text), (url, isPicture) => {
    if (/^([a-z][a-z+.-]*:|#|\/\/)/i.test(url)) return url
    const [, path, anchor = ''] = /^([^#]*)(#.*)?$/.exec(url)
    const target = existing(posix.join(posix.dirname(file), decodeURI(path)).replace(/\/$/, ''), repository)
    if (target === undefined || (!isPicture && !target.endsWith('/') && !isReadable(target))) {
      page.faults.push(`${file}: ${url}`)
      return url
    }
    if (isPicture) {
      page.pictures.push(target)
      return posix.relative(posix.dirname(page.path), placeOfPicture(target)).replace(/^(?!\.)/, './')
    }
    const linked = pageOf(target)
    page.links.push(linked)
    page.needs.push(target)
    return `/${linked}${anchor}`
  })
  return page
}

/** Where a picture of the repository stands below the root of the site. */
export const placeOfPicture = (file) => (file.startsWith('docs/') ? file.slice('docs/'.length) : `source/${file}`)

const newPage = (file) => ({ path: pageOf(file), file, links: [], needs: [], pictures: [], faults: [] })

/** The file, or the index of the folder, or the folder with a `/` at its end. */
function existing(path, { known, folders }) {
  if (known.has(path)) return path
  for (const index of [`${path}/README.md`, `${path}/index.md`]) if (path.startsWith('docs') && known.has(index)) return index
  return folders.has(`${path}/`) ? `${path}/` : undefined
}

function foldersAbove(file) {
  const parts = file.split('/').slice(0, -1)
  return parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}/`)
}
