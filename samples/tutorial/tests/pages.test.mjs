/**
 * The commands of a page of docs/tutorial run in a copy of its step, and print what the page shows.
 *
 * | above the block | the block |
 * | --- | --- |
 * | `<!-- in samples/tutorial/01-a-route -->` | `sh`: runs, line by line; if no output follows, each command must succeed |
 * | `<!-- in templates/app -->` | the same, in the application that `alcove new` writes |
 * | `<!-- output -->` | what the block of commands before it prints; `…` stands for any text, on a line of its own for any lines |
 * | `<!-- change src/app.ts -->` | `diff`: changes this file of the copy for the next block of commands |
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { copyCreated, copyStep, readBlocks, readPage, steps } from './steps.mjs'
import { Terminal } from './terminal.mjs'

describe('pages', { concurrency: 2 }, () => {
  for (const step of steps)
    test(`the commands of docs/tutorial/${step}.md print what it shows`, async () => {
      const copies = [copyStep(step), copyCreated()]
      const [ofStep, ofCreated] = await Promise.all(copies.map(({ folder }) => Terminal.open(folder)))
      try {
        await follow(step, copies[0].folder, { [`in samples/tutorial/${step}`]: ofStep, 'in templates/app': ofCreated })
      } finally {
        await Promise.all([ofStep.close(), ofCreated.close()])
        for (const { remove } of copies) remove()
      }
    })
})

/** @param terminals the terminals by the notes of the blocks that run in them */
async function follow(step, folder, terminals) {
  const changed = new Map()
  let printed
  const blocks = readBlocks(readPage(step))
  for (const [index, { note, language, code }] of blocks.entries()) {
    const [, file] = /^change (\S+)$/.exec(note) ?? []
    if (file !== undefined) change(changed, join(folder, file), code)
    else if (note === 'output') assertPrinted(printed, code)
    else if (language === 'sh' && Object.hasOwn(terminals, note)) {
      printed = []
      for (const command of code.trim().split('\n')) {
        const { status, output } = await terminals[note].run(command)
        assert.ok(status === 0 || blocks[index + 1]?.note === 'output', `${command} failed:\n${output}`)
        printed.push(output)
      }
      for (const [path, text] of changed) writeFileSync(path, text)
      changed.clear()
    }
  }
  assert.ok(printed !== undefined, 'no command runs')
}

/** Applies the lines of a diff. Those without a sign, and those that go, are in the file one after the other. */
function change(changed, path, diff) {
  const text = readFileSync(path, 'utf8')
  if (!changed.has(path)) changed.set(path, text)
  const lines = diff.replace(/\n$/, '').split('\n')
  const side = (sign) => lines.filter((line) => !line.startsWith(sign)).map((line) => `${line.slice(1)}\n`)
  const before = side('+').join('')
  assert.equal(text.split(before).length, 2, `${path} has these lines once:\n${before}`)
  writeFileSync(
    path,
    text.replace(before, () => side('-').join('')),
  )
}

function assertPrinted(printed, shown) {
  const lines = shown.replace(/\n$/, '').split('\n')
  const pattern = lines.map((line) => (line === '…' ? '(?:.*\n)*?' : `${line.split('…').map(escape).join('.*')}\n`)).join('')
  const output = `${printed.filter((text) => text !== '').join('\n')}\n`
  assert.match(output, new RegExp(`^${pattern}$`), `the page shows\n${shown}`)
}

function escape(text) {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}
