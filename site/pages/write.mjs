/** Writes the pages into a folder, which VitePress reads. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { collectPages, placeOfPicture } from './collect.mjs'
import { tableOfContents } from './contents.mjs'
import { root } from './repository.mjs'

/**
 * Writes all pages and pictures below `folder`, and `contents.json` with the sections of the sidebar. Files that have not changed are left
 * alone, so that a running VitePress renders only pages that did.
 * @param repositoryUrl pages link their source below this address, if there is one
 */
export function writePages(folder, repositoryUrl) {
  const { pages, pictures } = collectPages()
  for (const page of pages) writeChanged(join(folder, page.path), `${frontmatter(page, repositoryUrl)}${page.markdown}`)
  for (const picture of pictures) {
    const target = join(folder, placeOfPicture(picture))
    mkdirSync(dirname(target), { recursive: true })
    cpSync(join(root, picture), target)
  }
  cpSync(join(root, 'site/public'), join(folder, 'public'), { recursive: true })
  const contents = tableOfContents(pages).map(({ title, pages: own }) => ({
    title,
    pages: own.map((page) => ({ text: page.title, link: `/${page.path}` })),
  }))
  writeChanged(join(folder, 'contents.json'), JSON.stringify(contents))
  return pages.length
}

function frontmatter({ path, file }, repositoryUrl) {
  const values = []
  if (path === 'index.md')
    values.push(
      'pageClass: home',
      'titleTemplate: TypeScript framework for HTTP servers',
      'outline: false',
      'aside: false',
      'sidebar: false',
      'prev: false',
      'next: false',
    )
  if (path.startsWith('source/')) values.push('outline: false', 'aside: false', 'prev: false', 'next: false', 'pageClass: source')
  if (repositoryUrl !== undefined) values.push(`source: ${repositoryUrl}/${file.endsWith('/') ? 'tree' : 'blob'}/main/${file}`)
  return values.length === 0 ? '' : `---\n${values.join('\n')}\n---\n\n`
}

function writeChanged(path, text) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
