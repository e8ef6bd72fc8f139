/** Mistakes that do not compile: the rows of tests/types/mistakes, with what the compiler says of each. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { project } from '../fixtures/project.js'

const folder = 'tests/types/mistakes'

export interface TypeMistake {
  readonly says: string
  /** What the compiler must say; empty if it hides the reason. */
  readonly cure: string
  /** The lines of the mistake, the first one included. */
  readonly from: number
  readonly to: number
}

/** The mistakes of the file. One ends where the next begins. */
export function readTypeMistakes(): TypeMistake[] {
  const lines = readFileSync(join(project, folder, 'mistakes.ts'), 'utf8').split('\n')
  const heads = lines.flatMap((line, index) => {
    const [, says, arrow, cure] = /^\/\/ (.*?) ([-=]>) ?(.*)$/.exec(line) ?? []
    return says === undefined ? [] : [{ says, cure: arrow === '=>' ? '' : cure!, from: index + 1 }]
  })
  return heads.map((head, index) => ({ ...head, to: heads[index + 1]?.from ?? lines.length }))
}

/** A message of the compiler, with the line that it is about. */
export interface Diagnostic {
  readonly line: number
  readonly text: string
}

/** Compiles the file. It exits with an error, as it should. */
export async function compileTypeMistakes(): Promise<Diagnostic[]> {
  const compiler = join(project, 'node_modules/typescript/bin/tsc')
  const printed = await new Promise<string>((resolve) => {
    execFile(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], { cwd: project }, (_error, stdout) => resolve(stdout))
  })
  return printed.split(/^(?=\S)/m).flatMap((text) => {
    const line = /^[^(]*\((\d+),\d+\): error /.exec(text)?.[1]
    return line === undefined ? [] : [{ line: Number(line), text }]
  })
}
