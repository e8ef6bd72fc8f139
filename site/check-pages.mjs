/** Looks at each page of the built site for what a reader with a screen reader or without pictures needs, by its files alone. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { Parser } from 'htmlparser2'

/** Returns how many pages there are. @throws with all faults of all pages */
export function checkPages(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.html') && name !== '404.html')
  const faults = names.flatMap((name) =>
    faultsOfPage(readFileSync(join(folder, name), 'utf8')).map(
      (fault) => `/${relative(folder, join(folder, name)).replaceAll(sep, '/')}: ${fault}`,
    ),
  )
  if (faults.length > 0) throw new Error(`The site has pages that not everyone can read:\n  ${faults.join('\n  ')}`)
  return names.length
}

/** The faults of a page: its language, title and main part, the order of its headings, the texts of pictures and links, ids. */
export function faultsOfPage(html) {
  const faults = []
  const ids = new Set()
  const count = { h1: 0, main: 0 }
  const open = []
  let language
  let title = ''
  let level = 0
  let inMain = 0
  const parser = new Parser({
    onopentag(tag, attributes) {
      if (tag === 'html') language = attributes.lang
      if (tag in count) count[tag]++
      if (tag === 'main') inMain++
      const heading = Number(/^h([1-6])$/.exec(tag)?.[1])
      if (inMain > 0 && heading > 0) {
        if (heading > level + 1) faults.push(`<${tag} id="${attributes.id ?? ''}"> follows <h${level}>: a level is missing`)
        level = heading
      }
      if (attributes.id !== undefined) {
        if (ids.has(attributes.id)) faults.push(`two elements have the id ${attributes.id}`)
        ids.add(attributes.id)
      }
      if (tag === 'img' && attributes.alt === undefined) faults.push(`the picture ${attributes.src} has no alt text`)
      if (tag === 'img') for (const element of open) element.text += attributes.alt ?? ''
      if (/^(a|title|h[1-6])$/.test(tag)) open.push({ tag, attributes, text: attributes['aria-label'] ?? attributes.title ?? '' })
    },
    ontext(text) {
      for (const element of open) element.text += text
    },
    onclosetag(tag) {
      if (tag === 'main') inMain--
      if (open.at(-1)?.tag !== tag) return
      const { attributes, text } = open.pop()
      if (tag === 'title') title += text
      else if (text.replaceAll('\u200B', '').trim() === '' && (tag !== 'a' || attributes.href !== undefined))
        faults.push(`<${tag}${attributes.href === undefined ? '' : ` href="${attributes.href}"`}> has no text`)
    },
  })
  parser.end(html)
  if (!language) faults.push('the page does not name its language')
  if (title.trim() === '') faults.push('the page has no title')
  for (const [tag, found] of Object.entries(count)) if (found !== 1) faults.push(`the page has ${found} <${tag}>`)
  return faults
}
