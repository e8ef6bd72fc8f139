/** Call-outs in the Markdown that the site offers beside its pages. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { keepCallOuts, unescapeCallOuts } from '../call-outs.mjs'

test('the bracket of a call-out is not escaped, and every other one is kept', () => {
  const text = 'A\n\n> \\[!WARNING]\n> \\[!x] and \\[!NOTE] in a text\n\n\\[!NOTE]\n'
  assert.equal(unescapeCallOuts(text), 'A\n\n> [!WARNING]\n> \\[!x] and \\[!NOTE] in a text\n\n\\[!NOTE]\n')
})

test('the files of a folder and those below it are written, pages are not', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'alcove-call-outs-'))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'guide'))
  const files = ['guide/a.md', 'llms-full.txt', 'index.html'].map((name) => join(folder, name))
  for (const file of files) writeFileSync(file, '> \\[!NOTE]\n> A\n')
  keepCallOuts(folder)
  assert.deepEqual(
    files.map((file) => readFileSync(file, 'utf8')),
    ['> [!NOTE]\n> A\n', '> [!NOTE]\n> A\n', '> \\[!NOTE]\n> A\n'],
  )
})
