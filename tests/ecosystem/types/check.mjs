/**
 * Compiles each file of `uses` on its own, with the types of this server, and prints a table of those that compile. Fails if one does not.
 *
 * `node check.mjs --fastify` compiles them with Fastify's own types beside it, `--only jwt` one file, `--compiler typescript5` with another
 * compiler, `--library-check` the declarations of packages as well.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    fastify: { type: 'boolean', default: false },
    compiler: { type: 'string', default: 'typescript' },
    'library-check': { type: 'boolean', default: false },
  },
})

/** Puts this package where an application has it, so that its `exports` and its import of fastify are resolved as there. */
function installPackage() {
  const folder = at('node_modules/alcove/')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const part of ['package.json', 'fastify-types', 'dist/lib', 'dist/decorators'])
    cpSync(at(`../../../${part}`), `${folder}${part}`, { recursive: true })
}

function compile(use, server) {
  const folder = at(`node_modules/.uses/${server}/`)
  mkdirSync(folder, { recursive: true })
  const project = `${folder}${use}.json`
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: !options['library-check'],
    module: 'NodeNext',
    target: 'ES2023',
    lib: ['ES2023', 'ESNext.Disposable', 'DOM'],
    types: ['node'],
    typeRoots: [at('node_modules/@types')],
    paths: { 'under-test': [at(`under-test/${server}.ts`)] },
  }
  writeFileSync(project, JSON.stringify({ compilerOptions, files: [at(`uses/${use}.ts`)] }))
  return new Promise((resolve) => {
    const tsc = at(`node_modules/${options.compiler}/bin/tsc`)
    const child = spawn(process.execPath, [tsc, '-p', project, '--pretty', 'false'], { cwd: at('.') })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.on('close', (code) => resolve({ use, server, isCompiled: code === 0, output }))
  })
}

installPackage()
const uses = readdirSync(at('uses'))
  .map((file) => file.replace(/\.ts$/, ''))
  .filter((use) => options.only === undefined || use === options.only)
const servers = options.fastify ? ['alcove', 'fastify'] : ['alcove']
const waiting = uses.flatMap((use) => servers.map((server) => ({ use, server })))
const results = []
async function work() {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) results.push(await compile(next.use, next.server))
}
await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, work))

const isCompiled = (use, server) => results.some((result) => result.use === use && result.server === server && result.isCompiled)
const row = (...cells) => console.log(`| ${cells.join(' | ')} |`)
row('use', ...servers)
row('---', ...servers.map(() => '---'))
for (const use of uses) row(use, ...servers.map((server) => (isCompiled(use, server) ? 'yes' : '**no**')))
row(uses.length, ...servers.map((server) => uses.filter((use) => isCompiled(use, server)).length))
for (const result of results) if (!result.isCompiled) console.log(`\n${result.use} with ${result.server}\n${result.output}`)
process.exitCode = uses.every((use) => isCompiled(use, 'alcove')) ? 0 : 1
