/** Follows every link of the built site, anchors included, by its files alone: without a server or a network. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { Parser } from 'htmlparser2'

/** What a browser loads without being asked to. */
const loads = { img: 'src', script: 'src', link: 'href', source: 'src', iframe: 'src', video: 'src' }

/** Stands for the host of the site, for addresses without one. */
const origin = 'http://site.invalid'

/**
 * Returns how many links there are.
 * @param leftOut the addresses of pages that were left out of this build, to which links may lead
 * @throws with the links that lead to no page or no element of it, and with all that a page would load from another host
 */
export function checkLinks(folder, base = '/', leftOut = new Set()) {
  const pages = new Map()
  for (const name of readdirSync(folder, { recursive: true }))
    if (name.endsWith('.html')) pages.set(`/${relative(folder, join(folder, name)).replaceAll(sep, '/')}`, readPage(join(folder, name)))

  const faults = []
  let count = 0
  for (const [path, { links }] of pages) {
    for (const { tag, url } of links) {
      const fault = faultOf(new URL(url, `${origin}${base.slice(0, -1)}${path}`), tag, { folder, base, pages, leftOut })
      if (fault !== undefined) faults.push(`${path}: ${url} ${fault}`)
      count++
    }
  }
  if (faults.length > 0) throw new Error(`The site has dead links:\n  ${faults.join('\n  ')}`)
  return count
}

function faultOf(target, tag, { folder, base, pages, leftOut }) {
  if (target.origin !== origin) return tag in loads && target.protocol !== 'data:' ? 'is loaded from another host' : undefined
  if (!target.pathname.startsWith(base)) return `is not below ${base}`
  const path = decodeURI(target.pathname.slice(base.length - 1)).replace(/\/$/, '/index.html')
  const page = pages.get(path)
  if (page === undefined) {
    if (leftOut.has(path)) return undefined
    const file = join(folder, path)
    return existsSync(file) && statSync(file).isFile() ? undefined : 'leads to no page'
  }
  const anchor = decodeURIComponent(target.hash.slice(1))
  return anchor === '' || page.ids.has(anchor) ? undefined : 'leads to a page that has no such place'
}

/** The links of a page, and the ids that links can lead to. */
function readPage(file) {
  const links = []
  const ids = new Set()
  const parser = new Parser({
    onopentag(tag, attributes) {
      const url = attributes[tag === 'a' ? 'href' : (loads[tag] ?? '')]
      if (url !== undefined) links.push({ tag, url })
      for (const name of [attributes.id, tag === 'a' ? attributes.name : undefined]) if (name !== undefined) ids.add(name)
    },
  })
  parser.end(readFileSync(file, 'utf8'))
  return { links, ids }
}
