/** Modules that the commands load: CommonJS, TypeScript, errors at any path, and modules that keep the process alive. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const cli = fileURLToPath(new URL('../../../decorators/cli.js', import.meta.url))
const alcove = new URL('../../../decorators/index.js', import.meta.url)
const directory = realpathSync(mkdtempSync(join(tmpdir(), 'alcove-modules-')))
after(() => rmSync(directory, { recursive: true }))

/** Whether this version of Node runs TypeScript files. */
const runsTypeScript = Boolean((process.features as { readonly typescript?: unknown }).typescript)

interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function run(...args: string[]): Promise<Result> {
  return new Promise((resolve) => {
    execFile(process.execPath, [cli, ...args], { timeout: 30_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

/** Writes a module in which `'alcove'` is the package. */
function moduleOf(name: string, source: string): string {
  const file = join(directory, name)
  writeFileSync(file, source.replace("'alcove'", JSON.stringify(name.endsWith('.cjs') ? fileURLToPath(alcove) : alcove.href)))
  return file
}

const app = `import { Plugin } from 'alcove'\nexport class App { static { Plugin({})(this) } }\n`

test('a command ends although the module has a server or a timer that keeps the process alive', async () => {
  for (const [name, source] of [
    ['server.mjs', `${app}import { createServer } from 'node:http'\ncreateServer().listen(0)`],
    ['timer.mjs', `${app}setInterval(() => {}, 1000)`],
  ] as const)
    for (const [code, ...args] of [
      [0, 'check'],
      [0, 'explain'],
      [0, 'openapi'],
      [1, 'check', '--export', 'Other'],
    ] as const) {
      const [command, ...flags] = args
      assert.equal((await run(command, moduleOf(name, source), ...flags)).code, code, `${command} ${name}`)
    }
})

test('a module that is not there is named without a stack', async () => {
  for (const file of ['missing.mjs', 'importing.mjs', '.']) {
    const path = file === 'importing.mjs' ? moduleOf(file, `import './missing.mjs'`) : join(directory, file)
    const { code, stderr } = await run('check', path)
    assert.deepEqual([code, stderr.split('\n').length], [1, 2], stderr)
    assert.ok(stderr.includes(file === '.' ? directory : join(directory, 'missing.mjs')))
  }
})

test('a module that throws null is an error like others', async () => {
  const { code, stderr } = await run('check', moduleOf('null.mjs', 'throw null'))
  assert.deepEqual([code, stderr], [1, 'null\n'])
})

test('a module that waits for ever at its top level is told', async () => {
  const { code, stderr } = await run('check', moduleOf('waits.mjs', `${app}await new Promise(() => {})`))
  assert.equal(code, 1)
  assert.match(stderr, /or waits at its top level for a promise that never settles\. Export the plugin class/)
})

test('the default export of a module compiled to CommonJS is found, and its other exports', async () => {
  const file = moduleOf(
    'compiled.cjs',
    `Object.defineProperty(exports, '__esModule', { value: true })
     const { Plugin } = require('alcove')
     class Shop { static { Plugin({})(this) } }
     exports.default = Shop
     exports.document = { info: { title: 'The shop', version: '7' } }`,
  )
  assert.equal((await run('check', file)).stdout, 'The wiring of Shop is correct.\n')
  assert.deepEqual(JSON.parse((await run('openapi', file)).stdout).info, { title: 'The shop', version: '7' })
})

test('an error while a module is loaded has its place, in CommonJS and at a path with spaces and parentheses', async () => {
  mkdirSync(join(directory, 'a copy (2) é'))
  for (const name of ['throws.cjs', 'throws.mjs', 'a copy (2) é/throws.cjs', 'a copy (2) é/throws.mjs']) {
    const file = moduleOf(name, `const one = 1\nthrow new Error('one is wrong')`)
    const { faults } = JSON.parse((await run('check', file, '--json')).stdout)
    assert.deepEqual(faults, [{ source: 'module', code: 'Error', message: 'one is wrong', file, line: 2, column: 7 }])
  }
})

test('a class that is declared further down is told, in CommonJS and at a path with parentheses', async () => {
  for (const name of ['early.cjs', 'a copy (2) é/early.mjs']) {
    const { stderr } = await run('check', moduleOf(name, `class Other { static inject = [Later] }\nclass Later {}`))
    assert.match(stderr, /early\.[cm]js:1 reads Later before it is declared: its declaration stands further down\./)
  }
})

test('a circle of CommonJS modules that export by getters keeps the error of the engine', async () => {
  const circle = (own: string, other: string): string => `
    Object.defineProperty(exports, '${own}', { enumerable: true, get: function () { return ${own} } })
    const other = require('./${other}.cjs')
    class ${own} { static inject = [other.${other}] }`
  moduleOf('Two.cjs', circle('Two', 'One'))
  const { stderr } = await run('check', moduleOf('One.cjs', circle('One', 'Two')))
  assert.match(stderr, /^ReferenceError: Cannot access 'One' before initialization\n/)
})

test('exported options that are a function are refused, because they would have no effect', async () => {
  for (const [name, value, ...commands] of [
    ['options', '() => ({})', 'explain', 'lock', 'openapi'],
    ['document', '() => ({})', 'openapi'],
    ['probe', 'async () => ({})', 'probe'],
  ] as const)
    for (const command of commands) {
      const { code, stderr } = await run(command, moduleOf('options.mjs', `${app}export const ${name} = ${value}`))
      assert.equal(code, 1)
      assert.match(stderr, new RegExp(`options\\.mjs exports ${name}, which is not an object of options\\. .* by --${name}\\.\n$`))
    }
})

test('a file with decorators is refused with the cure: TypeScript, or compiled for ESNext', async () => {
  for (const name of ['decorated.mjs', ...(runsTypeScript ? ['decorated.ts'] : [])]) {
    const file = moduleOf(name, `import { Plugin } from 'alcove'\n@Plugin({})\nexport class App {}\n`)
    const { code, stderr } = await run('check', file)
    assert.equal(code, 1)
    assert.match(stderr, /^Node cannot run .*decorated\.m?[jt]s:2: Invalid or unexpected token\./)
    assert.match(stderr, / Node does not know @decorators: compile the application/)
  }
})

test('a syntax error in an imported module is named with its file and line', async () => {
  const broken = moduleOf('broken.mjs', 'export class Broken {\n  handle( { return 1 }\n}\n')
  const file = moduleOf('imports-broken.mjs', `${app}import './broken.mjs'\n`)
  const { code, stderr } = await run('check', file)
  assert.equal(code, 1)
  assert.match(stderr, /^Node cannot run .*broken\.mjs:2: Unexpected .+\.\n$/)
  const { faults } = JSON.parse((await run('check', file, '--json')).stdout)
  assert.deepEqual(
    faults.map((fault: { source: string; code: string; file: string; line: number }) => [fault.source, fault.code, fault.file, fault.line]),
    [['module', 'SyntaxError', broken, 2]],
  )
})
