/** The check of the built site, on small sites. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { checkLinks } from '../check-links.mjs'

/** Checks a site that has these files. */
function check(files, base, leftOut) {
  const folder = mkdtempSync(join(tmpdir(), 'alcove-site-'))
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    return checkLinks(folder, base, leftOut)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('links to pages, to places of pages, to files and to other hosts are alive', () => {
  const links = ['b/', 'b/index.html#place', '#here', './style.css', 'https://example.com/x', 'b/index.html#%C3%BC']
  const html = `<h1 id="here"></h1>${links.map((url) => `<a href="${url}"></a>`).join('')}`
  assert.equal(check({ 'index.html': html, 'b/index.html': '<i id="place"></i><i id="ü"></i>', 'style.css': '' }), links.length)
})

test('a link to a page or a place that does not exist is reported with its page', () => {
  assert.throws(() => check({ 'a/index.html': '<a href="../none.html"></a><a href="../b.html#none"></a>', 'b.html': '' }), {
    message:
      /\/a\/index\.html: \.\.\/none\.html leads to no page\n +\/a\/index\.html: \.\.\/b\.html#none leads to a page that has no such place$/,
  })
})

test('a link may lead to a page that this build has left out, and to no other', () => {
  const html = '<a href="api/one.html#place"></a>'
  assert.equal(check({ 'index.html': html }, '/', new Set(['/api/one.html'])), 1)
  assert.throws(() => check({ 'index.html': html }, '/', new Set(['/api/two.html'])), /leads to no page/)
})

test('a picture, script or style of another host is reported, also in a site whose links are alive', () => {
  for (const html of [
    '<img src="https://x.example/a.png">',
    '<script src="//x.example/a.js"></script>',
    '<link href="https://x.example/f.css">',
  ])
    assert.throws(() => check({ 'index.html': html }), /is loaded from another host/)
  assert.equal(check({ 'index.html': '<img src="data:image/png;base64,AA">' }), 1)
})

test('in a site below a path, links outside of that path are reported', () => {
  assert.equal(check({ 'index.html': '<a href="/docs/b.html"></a>', 'b.html': '' }, '/docs/'), 1)
  assert.throws(() => check({ 'index.html': '<a href="/b.html"></a>', 'b.html': '' }, '/docs/'), /\/b\.html is not below \/docs\//)
})
