/** The examples in doc comments compile, and the blocks of pages that must not compile do not. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Block, findPages, readBlocks } from '../pages.js'
import { findExamples, moduleOf, preambleNames } from './examples.js'
import { project, readText } from '../../fixtures/project.js'

const preamble = 'tests/docs/comments/preamble.ts'
// In dist, where imports of 'alcove' find the sources.
const folder = join(project, 'dist/doc-examples')
after(() => rmSync(folder, { recursive: true, force: true }))

const examples = findExamples()
const refused = findPages()
  .flatMap((page) => readBlocks(page, readText(page)))
  .filter(({ note }) => note?.startsWith('must not compile: '))
const errors = compile()

test('every example in a doc comment compiles', () => {
  assert.ok(examples.length > 90, `${examples.length} examples`)
  const faults = examples.flatMap(({ place }) => (errors.get(nameOf(place)) ?? []).map((error) => `${place}: ${error}`))
  assert.deepEqual(faults, [])
})

test('the preamble of the examples compiles', () => assert.deepEqual(errors.get('preamble'), undefined))

test('a block that must not compile is refused with the error that its note names', () => {
  assert.notEqual(refused.length, 0)
  for (const block of refused) {
    const [, code, message] = /^must not compile: (TS\d+): (.*)$/.exec(block.note!) ?? []
    assert.ok(code !== undefined, `${placeOf(block)}: the note is <!-- must not compile: TS2322: the message -->`)
    const found = errors.get(nameOf(placeOf(block))) ?? []
    assert.ok(
      found.length === 1 && found[0]!.startsWith(code) && found[0]!.includes(message!),
      `${placeOf(block)}: ${found.join('\n') || 'it compiles'}`,
    )
  }
})

function placeOf({ page, line }: Block): string {
  return `${page}:${line + 1}`
}

function nameOf(place: string): string {
  return place.replaceAll(/[/:.]/g, '-')
}

/** Compiles all of them at once, and returns the errors of each file. */
function compile(): Map<string, string[]> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const names = preambleNames(preamble)
  copyFileSync(join(project, preamble), join(folder, 'preamble.ts'))
  for (const example of examples) writeFileSync(join(folder, `${nameOf(example.place)}.ts`), moduleOf(example, names))
  for (const block of refused) writeFileSync(join(folder, `${nameOf(placeOf(block))}.ts`), block.code)
  // Shorter code than that of the project may be: types are imported as values, and not all that is declared is used.
  const compilerOptions = {
    rootDir: '../..',
    noEmit: true,
    verbatimModuleSyntax: false,
    isolatedModules: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.base.json', compilerOptions, include: ['*.ts'] }))
  const { stdout } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', folder, '--pretty', 'false'], {
    cwd: project,
    encoding: 'utf8',
  })
  const found = new Map<string, string[]>()
  // Further lines of a message are indented.
  for (const [, name, error] of stdout.matchAll(/^dist\/doc-examples\/([\w-]+)\.ts\(\d+,\d+\): error ((?:.*)(?:\n .*)*)/gm)) {
    found.set(name!, [...(found.get(name!) ?? []), error!])
  }
  return found
}
