/** Which blocks of code get types under the pointer, and what the compiler gets of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import MarkdownIt from 'markdown-it'
import { readTypes, showHovers } from '../.vitepress/hover.mjs'

function blocksOf(markdown) {
  const md = new MarkdownIt({ html: true })
  showHovers(md)
  return md.parse(markdown, {}).filter(({ type }) => type === 'fence')
}

test('a block below the mark and the name of its sample is compiled as a part of the whole sample', () => {
  const [{ info, content }] = blocksOf('<!-- hover -->\n<!-- samples/contexts/app.ts#tree -->\n```ts\nclass X {}\n```\n')
  assert.equal(info, 'ts twoslash')
  const hidden = /\/\/ ---cut-start---\n[^]*?\/\/ ---cut-end---\n?/g
  assert.match(content, /@filename: samples\/contexts\/app\.shown\.ts\n/, 'its imports are those of its place')
  assert.match(content, /^import bearerAuth/m, 'what stands before the region is there')
  assert.match(content.replaceAll(hidden, ''), /^@Plugin\([^]+\nexport class App \{\}\n$/, 'only the region is shown')
})

test('a block without the mark stays as it is', () => {
  const [first, second] = blocksOf('<!-- samples/contexts/app.ts#tree -->\n```ts\nclass X {}\n```\n\n```sh\nnpm test\n```\n')
  assert.deepEqual([first.info, first.content, second.info], ['ts', 'class X {}\n', 'sh'])
})

test('a block with an error that its comment does not name fails the build', () => {
  assert.throws(() => readTypes('const x: string = 1\n', 'ts'), /2322/)
  assert.deepEqual(
    readTypes('// @errors: 2322\nconst x: string = 1\n', 'ts').errors.map(({ code }) => code),
    [2322],
  )
})

test('a mark without a block, and a region that does not exist, fail the build', () => {
  assert.throws(() => blocksOf('<!-- hover -->\n<!-- samples/contexts/app.ts#tree -->\n\nText\n'), /There is no block of code below/)
  assert.throws(
    () => blocksOf('<!-- hover -->\n<!-- samples/contexts/app.ts#none -->\n```ts\n```\n'),
    /samples\/contexts\/app\.ts has no region none/,
  )
})
