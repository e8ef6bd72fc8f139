/** docs/reference/cli.md: every command and flag of `alcove` has a row, and every example names only what exists. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Cells, holdTables } from './tables.js'
import { project } from '../fixtures/project.js'

const cli = fileURLToPath(new URL('../../decorators/cli.js', import.meta.url))
/** A line of the usage that describes a flag: the command above it, the flag with its argument, its text. */
interface FlagLine {
  readonly command: string
  readonly flag: string
  readonly shown: string
  readonly text: string
}

describe('the page of the command', () => {
  const takenBy = readTakenFlags()

  test('has a section for each command, with a row for each flag that it takes', () => {
    const lines = readUsage()
    holdTables(
      'cli',
      Object.fromEntries(
        Object.entries(takenBy).map(([command, flags]) => [
          command,
          new Map(flags.map((flag) => [`--${flag}`, cellsOf(command, flag, lines)])),
        ]),
      ),
    )
    const usage = new Set([...printUsage().matchAll(/^alcove (\w+)/gm)].map(([, command]) => command!))
    assert.deepEqual(Object.keys(takenBy).toSorted(), [...usage].toSorted(), 'the commands of the usage are those that are taken')
  })

  test('has an example for each command, of flags that it takes', () => {
    const page = readFileSync(`${project}docs/reference/cli.md`, 'utf8')
    const examples = [...page.matchAll(/^npx alcove (\w+) (.*)$/gm)].map(([, command, rest]) => ({ command: command!, rest: rest! }))
    assert.deepEqual([...new Set(examples.map(({ command }) => command))].toSorted(), Object.keys(takenBy).toSorted())
    for (const { command, rest } of examples) {
      for (const [, flag] of rest.matchAll(/--(\w+)/g)) assert.ok(takenBy[command]?.includes(flag!), `alcove ${command} takes no --${flag}`)
    }
  })
})

/** The flags that each command takes: the table of the command itself, whose module runs when it is imported. */
function readTakenFlags(): Record<string, string[]> {
  const source = readFileSync(`${project}decorators/cli.ts`, 'utf8')
  const [, table] = /const optionsOf[^{]*\{\n([^]*?)\n\}/.exec(source) ?? []
  assert.ok(table !== undefined, 'decorators/cli.ts has a table optionsOf')
  return Object.fromEntries(
    [...table.matchAll(/^ {2}(\w+): \[(.*)\],$/gm)].map(([, command, flags]) => [command!, [...flags!.matchAll(/\w+/g)].map(String)]),
  )
}

function printUsage(): string {
  return execFileSync(process.execPath, [...process.execArgv, cli, '--help'], { encoding: 'utf8' })
}

function readUsage(): FlagLine[] {
  let command = ''
  return printUsage()
    .split('\n')
    .flatMap((line) => {
      command = /^alcove (\w+)/.exec(line)?.[1] ?? command
      const [, shown, flag, text] = /^ {4}(--(\w+).*?) {2,}(.*)$/.exec(line) ?? []
      return shown === undefined ? [] : [{ command, flag: flag!, shown, text: text! }]
    })
}

/** The line of the flag in the command's part of the usage, or the one that says that it is for this command too. */
function cellsOf(command: string, flag: string, lines: readonly FlagLine[]): Cells {
  const all = lines.filter((line) => line.flag === flag)
  const isFor = ({ text }: FlagLine): boolean => new RegExp(`^for [^:]*\\b${command}\\b`).test(text)
  const found = all.find(isFor) ?? all.find((line) => line.command === command) ?? all.find(({ text }) => !text.startsWith('for '))
  assert.ok(found !== undefined, `the usage does not describe --${flag} of ${command}`)
  const text = found.text.replace(/^for [^:]*: /, '').replaceAll('|', '\\|')
  return { Flag: `\`${found.shown}\``, 'What it does': text.replaceAll(/<[\w .]+>/g, '`$&`') }
}
