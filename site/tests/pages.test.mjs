/** What the pages of the repository become on the site. The files of these tests exist only here. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectPages } from '../pages/collect.mjs'
import { tableOfContents } from '../pages/contents.mjs'

/** The pages of a repository that has these files, by their paths. */
function pagesOf(files) {
  const { pages, pictures } = collectPages(Object.keys(files).sort(), (file) => files[file])
  return { ...Object.fromEntries(pages.map((page) => [page.path, page.markdown])), pictures }
}

test('a link between pages of docs/ leads to the page on the site, with its anchor', () => {
  const pages = pagesOf({ 'docs/how-to/a.md': 'See [b](../guide/b.md#place) and [here](#top).', 'docs/guide/b.md': '# B' })
  assert.equal(pages['how-to/a.md'], 'See [b](/guide/b.md#place) and [here](#top).')
})

test('a link to a document outside of docs/ leads to a page of the project', () => {
  const pages = pagesOf({ 'docs/guide/a.md': '[how](../../SECURITY.md)', 'SECURITY.md': '# Security' })
  assert.equal(pages['guide/a.md'], '[how](/project/security.md)')
  assert.equal(pages['project/security.md'], '# Security')
})

test('a source file that a page links becomes a page with its code, whatever the code contains', () => {
  const code = 'const fence = "```"\n'
  const pages = pagesOf({ 'docs/guide/a.md': '[code](../../templates/x.ts)', 'templates/x.ts': code, 'templates/other.ts': '' })
  assert.equal(pages['guide/a.md'], '[code](/source/templates/x.ts.md)')
  assert.equal(pages['source/templates/x.ts.md'], `# templates/x.ts\n\n\`\`\`\`ts\n${code}\`\`\`\`\n`)
  assert.equal(pages['source/templates/other.ts.md'], undefined, 'no page links this file')
})

test('a folder that a page links becomes a list of its files and folders, and these become pages', () => {
  const files = { 'bench/run.mjs': 'run()', 'bench/servers/a.ts': 'serve()', 'bench/package-lock.json': '{}' }
  const pages = pagesOf({ 'docs/guide/a.md': '[bench](../../bench)', ...files })
  assert.equal(pages['guide/a.md'], '[bench](/source/bench/index.md)')
  const list = ['- package-lock.json', '- [run.mjs](/source/bench/run.mjs.md)', '- [servers/](/source/bench/servers/index.md)']
  assert.equal(pages['source/bench/index.md'], `# bench/\n\n${list.join('\n')}\n`)
  assert.match(pages['source/bench/servers/a.ts.md'], /serve\(\)/)
})

test('links in Markdown files outside of docs/ are followed too', () => {
  const pages = pagesOf({ 'docs/guide/a.md': '[b](../../bench/README.md)', 'bench/README.md': '[a](../docs/guide/a.md)' })
  assert.equal(pages['source/bench/README.md'], '[a](/guide/a.md)')
})

test('a name that begins with a dot is shown under an address without it, which hosts of static files serve', () => {
  const pages = pagesOf({ 'docs/guide/a.md': '[ci](../../.github/ci.yml)', '.github/ci.yml': 'on: push' })
  assert.equal(pages['guide/a.md'], '[ci](/source/dot-github/ci.yml.md)')
})

test('the index of a folder of docs/ is its README, and a link to the folder leads there', () => {
  const pages = pagesOf({ 'docs/a.md': '[all](decisions)', 'docs/decisions/README.md': '# Decisions' })
  assert.equal(pages['a.md'], '[all](/decisions/index.md)')
})

test('the pictures of a piece of HTML are found, those for dark pages too', () => {
  const html = '<picture>\n  <source srcset="../pictures/dark.png">\n  <img src="../pictures/light.png" alt="">\n</picture>'
  const { pictures, ...pages } = pagesOf({ 'docs/guide/a.md': html, 'docs/pictures/dark.png': '', 'docs/pictures/light.png': '' })
  assert.equal(pages['guide/a.md'], html)
  assert.deepEqual(pictures, ['docs/pictures/dark.png', 'docs/pictures/light.png'])
  assert.throws(() => pagesOf({ 'docs/guide/a.md': html, 'docs/pictures/dark.png': '' }), /docs\/guide\/a\.md: \.\.\/pictures\/light\.png/)
})

test('a picture keeps its place beside the page that shows it', () => {
  const { pictures, ...pages } = pagesOf({ 'docs/guide/a.md': '![rooms](../pictures/a.svg)', 'docs/pictures/a.svg': '<svg/>' })
  assert.equal(pages['guide/a.md'], '![rooms](../pictures/a.svg)')
  assert.deepEqual(pictures, ['docs/pictures/a.svg'])
})

test('addresses of other hosts, and what looks like a link in code, stay as they are', () => {
  const text = '[npm](https://npmjs.com) `[x](y.md)`\n\n```md\n[x](y.md)\n```\n'
  assert.equal(pagesOf({ 'docs/guide/a.md': text })['guide/a.md'], text)
})

test('all links that lead to nothing are reported together, with their pages', () => {
  const files = { 'docs/guide/a.md': '[x](../x.md) [y](../../y.ts)', 'docs/guide/b.md': '![z](z.png)' }
  assert.throws(() => pagesOf(files), {
    message: /lead to nothing[^]*docs\/guide\/a\.md: \.\.\/x\.md\n +docs\/guide\/a\.md: \.\.\/\.\.\/y\.ts\n +docs\/guide\/b\.md: z\.png$/,
  })
})

const page = (path, links = []) => ({ path, file: `docs/${path}`, links })

test('a page stands in the section of its folder, without being listed anywhere', () => {
  const contents = tableOfContents([
    page('how-to/b.md'),
    page('how-to/a.md'),
    page('reference/c.md'),
    page('source/x.ts.md'),
    page('index.md'),
  ])
  assert.deepEqual(
    contents.map(({ title, pages }) => [title, pages.map(({ path }) => path)]),
    [
      ['How-to', ['how-to/a.md', 'how-to/b.md']],
      ['Reference', ['reference/c.md']],
    ],
  )
})

test('the index of a folder, and the home page after it, decide the order of the pages', () => {
  const home = page('index.md', ['guide/z.md', 'guide/b.md'])
  const index = page('guide/index.md', ['guide/c.md'])
  const [{ pages }] = tableOfContents([page('guide/a.md'), page('guide/b.md'), page('guide/c.md'), page('guide/z.md'), index, home])
  assert.deepEqual(
    pages.map(({ path }) => path),
    ['guide/index.md', 'guide/c.md', 'guide/z.md', 'guide/b.md', 'guide/a.md'],
  )
})

test('a page that no section has fails the build', () => {
  assert.throws(() => tableOfContents([page('guide/a.md'), page('notes/b.md'), page('c.md')]), {
    message: /No section of the site has docs\/notes\/b\.md, docs\/c\.md\. Move it into the folder of its kind/,
  })
})
