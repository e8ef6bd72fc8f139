/** Rewrites the links of a Markdown text from paths of the repository to pages of the site. */
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'

/**
 * Returns the text with other addresses: `rewrite(url, isImage)` is called for each link, image and definition, and returns the address that
 * takes the place of `url`. Code is left alone.
 */
export function rewriteLinks(markdown, rewrite) {
  const edits = []
  for (const node of linksOf(fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }))) {
    const from = node.position.start.offset
    const text = markdown.slice(from, node.position.end.offset)
    const at = text.lastIndexOf(node.url)
    const to = rewrite(node.url, node.type === 'image')
    // An autolink (`<https://…>`) has no address of its own; nor has one with escapes, which no path of ours needs.
    if (to === node.url) continue
    if (at === -1) throw new Error(`The address ${node.url} is not written as such in ${text}`)
    edits.push({ from: from + at, to: from + at + node.url.length, text: to })
  }
  let result = markdown
  for (const edit of edits.sort((one, other) => other.from - one.from))
    result = result.slice(0, edit.from) + edit.text + result.slice(edit.to)
  return result
}

/** The text of the first heading, without marks; `undefined` if there is none. */
export function titleOf(markdown) {
  const [, heading] = /^# (.+)$/m.exec(markdown) ?? []
  return heading?.replaceAll(/[`*]|\]\([^)]*\)|\[/g, '').trim()
}

function* linksOf(node) {
  if (['link', 'image', 'definition'].includes(node.type)) yield node
  if (node.type === 'html') yield* picturesIn(node)
  for (const child of node.children ?? []) yield* linksOf(child)
}

/** The pictures of a piece of HTML: `<source srcset="../a.png">` and `<img src="../b.png">`. */
function* picturesIn({ value, position }) {
  for (const { 0: attribute, 1: url, index } of value.matchAll(/\b(?:src|srcset)="(\.[^"\s]+)"/g)) {
    const offset = position.start.offset + index
    yield { type: 'image', url, position: { start: { offset }, end: { offset: offset + attribute.length } } }
  }
}
