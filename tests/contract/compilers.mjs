/**
 * Client files under compilers of several years, without strict checks and with every one that a compiler has, with the types of browsers that
 * it ships: those of the applications with the most kinds of schemas, or of all with APPLICATIONS=all.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { clientFile } from '../../dist/decorators/contract/index.js'
import { applications, withServer } from './applications.mjs'

const compilers = {
  '5.0': new URL('node_modules/typescript-5.0/bin/tsc', import.meta.url),
  5.4: new URL('node_modules/typescript-5.4/bin/tsc', import.meta.url),
  5.9: new URL('node_modules/typescript/bin/tsc', import.meta.url),
  7: new URL('../../node_modules/typescript/bin/tsc', import.meta.url),
}
const common = {
  target: 'ES2022',
  lib: ['ES2022', 'DOM', 'DOM.Iterable'],
  types: [],
  module: 'ESNext',
  moduleResolution: 'Bundler',
  noEmit: true,
}
const strictest = {
  ...common,
  strict: true,
  skipLibCheck: false,
  declaration: true,
  exactOptionalPropertyTypes: true,
  isolatedModules: true,
  noFallthroughCasesInSwitch: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noPropertyAccessFromIndexSignature: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
}
/** Flags that came later. */
const later = { 5.9: { erasableSyntaxOnly: true, isolatedDeclarations: true }, 7: { erasableSyntaxOnly: true, isolatedDeclarations: true } }

const directory = mkdtempSync(join(tmpdir(), 'alcove-compilers-'))
after(() => rmSync(directory, { recursive: true }))

const files = []
const most = ['contract', 'events', 'all kinds of schemas', 'the hardest to say']
const chosen = process.env.APPLICATIONS === 'all' ? applications : applications.filter(({ name }) => most.includes(name))
assert.ok(chosen.length >= most.length)
for (const [index, application] of chosen.entries()) {
  const texts = await withServer(application, async (server) => [
    clientFile(server),
    clientFile(server, { dates: true, tanstack: true, msw: true }),
  ])
  for (const [at, text] of texts.entries()) {
    files.push(`client${index}-${at}.ts`)
    writeFileSync(join(directory, files.at(-1)), text)
  }
}

function compile(compiler, compilerOptions) {
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const tsc = fileURLToPath(compilers[compiler])
  const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', directory, '--pretty', 'false'], { encoding: 'utf8' })
  assert.equal(status, 0, stdout)
}

for (const compiler of Object.keys(compilers))
  test(`TypeScript ${compiler} compiles every client file under all of its strict checks`, () => {
    compile(compiler, { ...strictest, ...later[compiler] })
  })

for (const compiler of ['5.0', '7'])
  test(`TypeScript ${compiler} compiles every client file without strict checks`, () => {
    compile(compiler, { ...common, strict: false })
  })
