/** The home page of the site: what it takes from which file of the repository. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import MarkdownIt from 'markdown-it'
import { createMarkdownRenderer } from 'vitepress'
import { nameHeads } from '../.vitepress/tables.mjs'
import { landingPage } from '../pages/landing.mjs'
import { readProofs } from '../pages/proved.mjs'
import { root } from '../pages/repository.mjs'

const read = (file) => readFileSync(join(root, file), 'utf8')
const index = read('docs/index.md')
const page = landingPage(index, read)

test('the home page begins with the sentences of the README and the picture, and goes on in this order', () => {
  const [, paragraph] = /^# alcove\n\n([^]+?)\n\n/.exec(read('README.md'))
  const words = (text) => text.replaceAll(/\s+/g, ' ')
  assert.ok(words(page).includes(words(paragraph).split('. ')[0]))
  for (const sentence of words(paragraph).split(/(?<=\.) /)) assert.ok(words(page).includes(sentence), sentence)
  assert.match(page, /!\[Nested rooms[^]+## A first app[^]+## What is different[^]+## What is proved[^]+## Where to go/)
  assert.equal(page.match(/!\[/g).length, 1, 'one picture')
})

test('the tabs have the whole text of their samples', () => {
  const tabs = [...page.matchAll(/<!-- hover -->\n<!-- (\S+) -->\n```ts \[([^\]]+)\]\n([^]*?)```/g)]
  assert.deepEqual(
    tabs.map(([, , title]) => title),
    ['Classes', 'TypeBox', 'Zod', 'Without classes'],
  )
  for (const [, file, , code] of tabs) assert.equal(code, read(file))
})

test('a figure is the one that its page records', () => {
  const changed = (file) => read(file).replace(/^\| all \| \d+ \| \d+ \| \d+ \| \d+ \|$/m, '| all | 1 | 1000 | 3 | 1004 |')
  const [, mistakes] = readProofs(changed)
  assert.equal(mistakes.figure, '1,004 mistakes')
  assert.match(mistakes.text, /1 do not compile, 1000 fail the boot, 3 answer/)
})

test('a page that does not record its figure, or an index without a part of the home page, fails the build', () => {
  assert.throws(
    () => readProofs((file) => (file.endsWith('ecosystem.md') ? '' : read(file))),
    /docs\/reference\/ecosystem\.md, which has no text/,
  )
  assert.throws(() => landingPage(index.replace('## What is different', '## Other'), read), /no heading "What is different"/)
})

test('call-outs of hosts of repositories are call-outs of the site', async () => {
  const markdown = await createMarkdownRenderer(root)
  for (const [kind, title] of [
    ['WARNING', 'WARNING'],
    ['NOTE', 'NOTE'],
    ['TIP', 'TIP'],
  ]) {
    const html = markdown.render(`> [!${kind}]\n> Mind the gap.\n`)
    assert.match(html, new RegExp(`class="${kind.toLowerCase()} custom-block github-alert"[^]*${title}[^]*Mind the gap`))
  }
})

test('the empty head of a column is an ordinary cell', () => {
  const markdown = new MarkdownIt()
  nameHeads(markdown)
  assert.match(markdown.render('| | a |\n| --- | --- |\n| b | c |\n'), /<tr>\s*<td><\/td>\s*<th>a<\/th>/)
})
