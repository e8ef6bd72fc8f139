/**
 * Compiles the type tests that plugins ship in their packages, with `fastify()` replaced by `createServer()`. Prints, for each package, how
 * many of its files compile so, of those that compile with Fastify itself when read in the same way, and fails if one does not without a
 * reason that is known. `--verbose` prints the errors of files that do not compile with Fastify either.
 *
 * tsd and tstyche are replaced by functions that take anything: what is checked is that the uses compile, and that those fail which
 * stand under `@ts-expect-error`. Errors inside `expectError(…)` are expected.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const packages = Object.keys(JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')).devDependencies)
const stubs = `type Matcher = <T = any, U = any>(...values: any[]) => void
interface Matchers { [name: string]: Matcher }
declare const expect: { <T = any>(value?: any): { type: Matchers & { not: Matchers } } ; [more: string]: any }
declare const test: any; declare const describe: any
declare function expectType<T>(value: unknown): void; declare function expectNotType<T>(value: unknown): void
declare function expectAssignable<T>(value: T): void; declare function expectNotAssignable<T>(value: unknown): void
declare function expectError<T = any>(value: T): void; declare function expectDeprecated(value: unknown): void
`
const kTools = /^import .* from ['"](?:tsd|tstyche)['"];?$/gm
const kFastify = /^import (?:type )?(?:(\w+)(?:, )?)?(?:\{([^}]*)\})? ?from ['"]fastify['"];?$/gm

/** The source with the function `fastify` taken from `under-test`, and the types still from fastify. Undefined if it does not use it. */
function rewrite(source) {
  let isUsed = false
  const text = source.replaceAll(kTools, '').replaceAll(kFastify, (_all, whole, names = '') => {
    const parts = names
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean)
    const own = parts.filter((name) => /^fastify\b/.test(name)).map((name) => name.replace(/^fastify( as )?/, '') || 'fastify')
    if (whole !== undefined) own.push(whole)
    if (own.length > 0) isUsed = true
    const types = parts.filter((name) => !/^fastify\b/.test(name)).map((name) => name.replace(/^type /, ''))
    return [
      `import type { ${types.join(', ')} } from 'fastify'`,
      ...own.map((name) => `import { createServer as ${name} } from 'under-test'`),
    ].join('; ')
  })
  return isUsed ? text + '\n' + stubs : undefined
}

function errorsOf(files, server) {
  const project = join(here, `node_modules/.shipped-${server}.json`)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    esModuleInterop: true,
    module: 'NodeNext',
    target: 'ES2023',
    lib: ['ES2023', 'ESNext.Disposable', 'DOM'],
    types: ['node'],
    typeRoots: [join(here, 'node_modules/@types')],
    paths: { 'under-test': [join(here, `under-test/${server}.ts`)] },
  }
  writeFileSync(project, JSON.stringify({ compilerOptions, files }))
  const { stdout } = spawnSync(process.execPath, [join(here, 'node_modules/typescript/bin/tsc'), '-p', project, '--pretty', 'false'], {
    encoding: 'utf8',
    cwd: here,
  })
  return stdout.split('\n').filter((line) => {
    const at = /^(\S+?)\((\d+),\d+\): error/.exec(line)
    if (at === null) return false
    const around = readFileSync(join(here, at[1]), 'utf8')
      .split('\n')
      .slice(Math.max(0, Number(at[2]) - 12), Number(at[2]))
      .join('\n')
    const last = around.lastIndexOf('expectError(')
    return last === -1 || /^\S/m.test(around.slice(last).split('\n').slice(1, -1).join('\n'))
  })
}

/** Files that do not compile, for a reason: package → how many. */
const known = {
  // The option `ajv` of `createServer` is called `jsv`.
  '@fastify/multipart': 1,
  // The types of a server do not say that it speaks HTTP/2.
  '@fastify/rate-limit': 1,
}

const rows = []
for (const name of packages) {
  const folder = join(here, 'node_modules', name)
  const files = readdirSync(folder, { recursive: true }).filter(
    (file) => /\.(?:test-d|tst)\.ts$/.test(file) && !file.includes('node_modules'),
  )
  const written = []
  for (const file of files) {
    const text = rewrite(readFileSync(join(folder, file), 'utf8'))
    if (text === undefined) continue
    const copy = join(folder, dirname(file), `of-alcove-${written.length}.ts`)
    writeFileSync(copy, text)
    written.push(copy)
  }
  const counts = { fastify: 0, alcove: 0 }
  for (const file of written) {
    const reference = errorsOf([file], 'fastify')
    if (reference.length > 0) {
      if (process.argv.includes('--verbose')) console.error(reference.join('\n').slice(0, 1500))
      continue
    }
    counts.fastify++
    const errors = errorsOf([file], 'alcove')
    if (errors.length === 0) counts.alcove++
    else console.error(errors.join('\n').slice(0, 1500))
  }
  for (const file of written) rmSync(file)
  if (counts.fastify > 0) rows.push([name, counts.fastify, counts.alcove])
}
console.log('| package | files | compile |\n| --- | ---: | ---: |')
for (const row of rows) console.log(`| ${row.join(' | ')} |`)
const sum = (index) => rows.reduce((total, row) => total + row[index], 0)
console.log(`| ${rows.length} packages | ${sum(1)} | ${sum(2)} |`)
if (rows.some(([name, files, compiled]) => files - compiled > (known[name] ?? 0))) process.exitCode = 1
