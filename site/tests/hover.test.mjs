/** Which blocks of code get types under the pointer, and what the compiler gets of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import MarkdownIt from 'markdown-it'
import { showHovers } from '../.vitepress/hover.mjs'

function blocksOf(markdown) {
  const md = new MarkdownIt({ html: true })
  showHovers(md)
  return md.parse(markdown, {}).filter(({ type }) => type === 'fence')
}

test('a block below the mark and the name of its sample is compiled as a part of the whole sample', () => {
  const [{ info, content }] = blocksOf('<!-- hover -->\n<!-- samples/models/app.ts#model -->\n```ts\nclass X {}\n```\n')
  assert.equal(info, 'ts twoslash')
  const hidden = /\/\/ ---cut-start---\n[^]*?\/\/ ---cut-end---\n?/g
  assert.match(content, /@filename: samples\/models\/app\.ts\n/, 'its imports are those of its place')
  assert.match(content, /import \{[^]+from 'alcove'/, 'what stands before the region is there')
  assert.match(content.replaceAll(hidden, ''), /^class Article extends Model\([^]+\n\}\n$/, 'only the region is shown')
})

test('a block without the mark stays as it is', () => {
  const [first, second] = blocksOf('<!-- samples/models/app.ts#model -->\n```ts\nclass X {}\n```\n\n```sh\nnpm test\n```\n')
  assert.deepEqual([first.info, first.content, second.info], ['ts', 'class X {}\n', 'sh'])
})

test('a mark without a block, and a region that does not exist, fail the build', () => {
  assert.throws(() => blocksOf('<!-- hover -->\n<!-- samples/models/app.ts#model -->\n\nText\n'), /There is no block of code below/)
  assert.throws(
    () => blocksOf('<!-- hover -->\n<!-- samples/models/app.ts#none -->\n```ts\n```\n'),
    /samples\/models\/app\.ts has no region none/,
  )
})
