/** What an editor shows: the compiler writes the same texts into its messages. `tests/types/calls.ts` has what the types accept. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, parse } from 'node:path'
import { before, describe, test } from 'node:test'
import { project } from '../../fixtures/project.js'

/** The types of the exports of `tests/fixtures/test-calls.ts`, as a compiler names them that refuses them. */
function readTypes(names: readonly string[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'alcove-calls-'))
  try {
    const compilerOptions = {
      rootDir: parse(project).root,
      noEmit: true,
      incremental: false,
      noErrorTruncation: true,
      allowImportingTsExtensions: true,
      typeRoots: [join(project, 'node_modules/@types')],
    }
    const imports = `import { ${names.join(', ')} } from '${join(project, 'tests/fixtures/test-calls.ts')}'\n`
    writeFileSync(join(directory, 'use.mts'), imports + names.map((name) => `export const ${name}Type: never = ${name}\n`).join(''))
    const config = { extends: join(project, 'tsconfig.json'), compilerOptions, include: ['use.mts'] }
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config))
    const compiler = join(project, 'node_modules/typescript/bin/tsc')
    return spawnSync(process.execPath, [compiler, '-p', directory, '--pretty', 'false'], { encoding: 'utf8' }).stdout
  } finally {
    rmSync(directory, { recursive: true })
  }
}

describe('the types of calls, as an editor shows them', () => {
  const names = ['call', 'reply', 'body']
  let types: Record<string, string>

  before(() => {
    const output = readTypes(names)
    const found = [...output.matchAll(/error TS2322: Type '(.+)' is not assignable to type 'never'\.$/gm)].map(([, text]) => text!)
    types = Object.fromEntries(names.map((name, index) => [name, found[index] ?? output]))
  })

  test('the parts of a request are one object, with the types of the schemas', () => {
    assert.match(types['call']!, /readonly params: \{ tenant: string; \};/)
    assert.match(types['call']!, /readonly body: \{ name: string; \};/)
    assert.match(types['call']!, /\} & TestCallOptions\) => Call</)
  })

  test('a reply is a union of its statuses, each with its body', () => {
    const branches = types['reply']!.split(' | ').toSorted()
    assert.deepEqual(branches, [
      '"unknown"; }, InjectResponse>',
      '404>',
      'ErrorReply<200',
      'HttpReply<200, { id: number; }, InjectResponse>',
      'HttpReply<404, { reason: "gone"',
    ])
  })

  test('an expected body is the type of the schema', () => {
    assert.equal(types['body'], '{ id: number; }')
  })

  test('no text of a schema stands in any of them', () => {
    for (const text of Object.values(types)) assert.doesNotMatch(text, /type: "object"|properties:/)
  })
})

test('what the types accept is the same with exactOptionalPropertyTypes, for programs that have the package', () => {
  const directory = mkdtempSync(join(tmpdir(), 'alcove-calls-'))
  try {
    symlinkSync(join(project, 'node_modules'), join(directory, 'node_modules'))
    copyFileSync(join(project, 'tests/types/calls.ts'), join(directory, 'calls.mts'))
    const compilerOptions = {
      paths: { alcove: [join(project, 'dist/decorators/index.d.ts')] },
      rootDir: parse(project).root,
      noEmit: true,
      incremental: false,
      skipLibCheck: true,
      exactOptionalPropertyTypes: true,
    }
    const config = { extends: join(project, 'tsconfig.base.json'), compilerOptions, files: ['calls.mts'] }
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config))
    const compiler = join(project, 'node_modules/typescript/bin/tsc')
    assert.equal(spawnSync(process.execPath, [compiler, '-p', directory, '--pretty', 'false'], { encoding: 'utf8' }).stdout, '')
  } finally {
    rmSync(directory, { recursive: true })
  }
})
