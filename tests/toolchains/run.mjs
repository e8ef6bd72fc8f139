/**
 * One app under every toolchain that people build or run TypeScript with. Prints a table and fails where a row is not as
 * expected; `UPDATE_DOCS=1` writes the table into docs/reference/toolchains.md. Run it with `npm run test:toolchains`.
 */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify, stripVTControlCharacters } from 'node:util'

const execute = promisify(execFile)
const run = (file, args, options = {}) => execute(file, args, { timeout: 180_000, ...options })
const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../..')
const bin = (name) => join(here, 'node_modules/.bin', name)
// Two packages have a command `tsc`.
const compilerOf = (name) => join(here, 'node_modules', name, 'bin/tsc')
const versionOf = (name) =>
  name.startsWith('node@')
    ? execFileSync(nodeOf(name), ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim()
    : JSON.parse(readFileSync(join(here, 'node_modules', name, 'package.json'), 'utf8')).version

const metadata = { constructorTypes: 'runs' }
const noMetadata = { constructorTypes: 'explained' }

const standardCompiler = { experimentalDecorators: false, emitDecoratorMetadata: false }
const toolchains = [
  { name: 'tsc', package: 'typescript', decorators: 'legacy', expect: metadata, run: tsc },
  { name: 'tsc', package: 'typescript', decorators: 'standard', expect: noMetadata, run: tsc },
  { name: '@oxc-node/core', package: '@oxc-node/core', decorators: 'legacy', expect: metadata, run: node('@oxc-node/core/register') },
  { name: 'tsx', package: 'tsx', decorators: 'legacy', expect: noMetadata, run: node('tsx') },
  { name: 'tsx', package: 'tsx', decorators: 'standard', expect: noMetadata, run: node('tsx') },
  { name: 'esbuild, each file', package: 'esbuild', decorators: 'legacy', expect: noMetadata, run: esbuildFiles },
  { name: 'esbuild, each file', package: 'esbuild', decorators: 'standard', expect: noMetadata, run: esbuildFiles },
  { name: 'esbuild, one bundle', package: 'esbuild', decorators: 'legacy', expect: noMetadata, run: esbuildBundle },
  { name: 'esbuild, one bundle', package: 'esbuild', decorators: 'standard', expect: noMetadata, run: esbuildBundle },
  { name: 'esbuild, one CommonJS bundle', package: 'esbuild', decorators: 'legacy', expect: noMetadata, run: esbuildCommonJs },
  { name: 'tsdown, one bundle', package: 'tsdown', decorators: 'legacy', expect: metadata, run: tsdown },
  { name: 'rolldown, one bundle', package: 'rolldown', decorators: 'legacy', expect: metadata, run: rolldown },
  { name: 'webpack with swc-loader', package: 'webpack', decorators: 'legacy', expect: metadata, run: webpack },
  { name: 'webpack with swc-loader', package: 'webpack', decorators: 'standard', expect: noMetadata, run: webpack },
  { name: 'vitest, no configuration', package: 'vitest', decorators: 'legacy', expect: metadata, run: vitest },
  { name: 'jest with @swc/jest', package: 'jest', decorators: 'legacy', expect: metadata, run: jest },
  { name: 'bun', package: 'bun', decorators: 'legacy', expect: metadata, run: bun, isOptional: true },
  { name: 'bun', package: 'bun', decorators: 'standard', expect: noMetadata, run: bun, isOptional: true },
  { name: 'deno', package: 'deno', decorators: 'legacy', expect: metadata, run: deno, isOptional: true },
  { name: 'deno', package: 'deno', decorators: 'standard', expect: noMetadata, run: deno, isOptional: true },
  { name: 'node, without tools', package: 'node@22.18.0', decorators: 'called', expect: noMetadata, run: plainNode },
  { name: 'node, without tools', package: 'node@24', decorators: 'called', expect: noMetadata, run: plainNode },
  { name: 'rolldown, one bundle', package: 'rolldown', decorators: 'called', expect: noMetadata, run: rolldown },
  { name: 'tsc', package: 'typescript', decorators: 'called', expect: noMetadata, run: tsc },
]

async function tsc(directory) {
  await run(process.execPath, [compilerOf('typescript'), '-p', directory])
  return run(process.execPath, ['out/probe.js'], { cwd: directory })
}

function node(loader) {
  return (directory) => run(process.execPath, ['--import', loader, 'src/probe.ts'], { cwd: directory })
}

async function esbuildFiles(directory) {
  const files = ['app', 'constructor-types', 'checks', 'probe'].map((name) => `src/${name}.ts`)
  await run(bin('esbuild'), [...files, '--outdir=esbuild', '--format=esm', '--target=node20'], { cwd: directory })
  return run(process.execPath, ['esbuild/probe.js'], { cwd: directory })
}

// Everything in one file, alcove and its libraries included; minified names must not matter. Libraries that are CommonJS ask
// for `require`.
async function esbuildBundle(directory) {
  const banner = "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url)"
  const options = ['--bundle', '--minify', '--platform=node', '--format=esm', '--target=node20', `--banner:js=${banner}`]
  await run(bin('esbuild'), ['src/probe.ts', '--outfile=bundle.mjs', ...options], { cwd: directory })
  return run(process.execPath, ['bundle.mjs'], { cwd: directory })
}

// For platforms that start a CommonJS file. It has no top-level await, which the probe uses.
async function esbuildCommonJs(directory) {
  const entry = "import { probe } from './src/checks.js'; probe().then((seen) => console.log(JSON.stringify(seen)))"
  writeFileSync(join(directory, 'entry.ts'), entry)
  const options = ['--bundle', '--platform=node', '--format=cjs', '--target=node20', '--log-override:empty-import-meta=silent']
  await run(bin('esbuild'), ['entry.ts', '--outfile=bundle.cjs', ...options], { cwd: directory })
  return run(process.execPath, ['bundle.cjs'], { cwd: directory })
}

// tsdown needs a newer Node than the one that runs its bundle. It reads the decorator options of tsconfig.json. alcove and its libraries stay in node_modules, as it does by default.
async function tsdown(directory) {
  await run(nodeOf('node@24'), [bin('tsdown'), 'src/probe.ts', '--out-dir', 'tsdown', '--format', 'esm', '--no-dts', '--no-config'], {
    cwd: directory,
  })
  return run(process.execPath, ['tsdown/probe.mjs'], { cwd: directory })
}

// Everything in one file. Libraries that are CommonJS get a `require` of rolldown.
async function rolldown(directory) {
  const options = ['--platform', 'node', '--format', 'esm', '--dir', 'rolldown', '--minify', '--log-level', 'silent']
  await run(bin('rolldown'), ['src/probe.ts', ...options, '--tsconfig', 'tsconfig.json'], { cwd: directory })
  return run(process.execPath, ['rolldown/probe.js'], { cwd: directory })
}

// alcove and its libraries stay in node_modules, as is usual for servers.
async function webpack(directory, { decorators }) {
  const transform = decorators === 'legacy' ? { legacyDecorator: true, decoratorMetadata: true } : { decoratorVersion: '2022-03' }
  const options = { jsc: { parser: { syntax: 'typescript', decorators: true }, transform, target: 'es2022' }, swcrc: false }
  writeFileSync(
    join(directory, 'webpack.config.mjs'),
    `export default {
      mode: 'production', target: 'node20', entry: './src/probe.ts', experiments: { outputModule: true },
      externalsType: 'module', externals: [/^alcove/],
      output: { path: ${JSON.stringify(join(directory, 'webpack'))}, filename: 'probe.mjs', module: true, library: { type: 'module' } },
      resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
      module: { rules: [{ test: /\\.ts$/, loader: 'swc-loader', options: ${JSON.stringify(options)} }] },
    }`,
  )
  await run(bin('webpack'), ['--config', 'webpack.config.mjs'], { cwd: directory })
  return run(process.execPath, ['webpack/probe.mjs'], { cwd: directory })
}

// Node only removes the types: there is neither a loader nor a build, and imports name the files themselves.
function plainNode(directory, toolchain) {
  return run(nodeOf(toolchain.package), ['src/probe.ts'], { cwd: directory })
}

function nodeOf(name) {
  return execFileSync('npx', ['-y', '-p', name, 'node', '-p', 'process.execPath'], { encoding: 'utf8' }).trim()
}

function vitest(directory) {
  return run(bin('vitest'), ['run', '--reporter=default'], { cwd: directory })
}

// As in most projects: CommonJS, and no flags of Node.
async function jest(directory) {
  const transform = { legacyDecorator: true, decoratorMetadata: true }
  const jsc = { parser: { syntax: 'typescript', decorators: true }, transform, target: 'es2022', keepClassNames: true }
  const config = {
    testMatch: ['**/src/app.jest.ts'],
    transform: { '\\.ts$': ['@swc/jest', { jsc, module: { type: 'commonjs' }, swcrc: false }] },
    moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
    modulePathIgnorePatterns: ['/out/'],
  }
  writeFileSync(join(directory, 'jest.config.json'), JSON.stringify(config))
  const { stdout } = await run(bin('jest'), ['--config', 'jest.config.json'], { cwd: directory })
  // It indents what tests print.
  return { stdout: stdout.replace(/^ +/gm, '') }
}

function bun(directory) {
  return run(bin('bun'), ['src/probe.ts'], { cwd: directory })
}

function deno(directory) {
  return run(bin('deno'), ['run', '--allow-all', '--sloppy-imports', 'src/probe.ts'], { cwd: directory })
}

/** The package as it is published, with its libraries: npm puts them there if a toolchain has other versions of them. */
function installPackage() {
  const packed = join(here, 'dist')
  mkdirSync(packed, { recursive: true })
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', packed], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )
  const target = join(here, 'node_modules/alcove')
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target)
  execFileSync('tar', ['-xzf', join(packed, filename), '-C', target, '--strip-components=1'])
  for (const name of Object.keys(JSON.parse(readFileSync(join(target, 'package.json'), 'utf8')).dependencies)) {
    const link = join(target, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), link, 'junction')
  }
}

function prepare(decorators) {
  const directory = join(here, 'dist', decorators)
  mkdirSync(directory, { recursive: true })
  cpSync(join(here, 'src'), join(directory, 'src'), { recursive: true })
  if (decorators === 'called') prepareCalled(directory)
  const { compilerOptions } = JSON.parse(readFileSync(join(here, 'tsconfig.json'), 'utf8'))
  Object.assign(compilerOptions, { rootDir: 'src', outDir: 'out', noEmit: false }, decorators !== 'legacy' && standardCompiler)
  if (decorators === 'called') Object.assign(compilerOptions, { rewriteRelativeImportExtensions: true, erasableSyntaxOnly: true })
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }, null, 2))
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }\n')
  // Deno reads its own file, and only these of the options.
  const { experimentalDecorators, emitDecoratorMetadata } = compilerOptions
  const denoOptions = decorators === 'legacy' ? { compilerOptions: { experimentalDecorators, emitDecoratorMetadata } } : {}
  writeFileSync(join(directory, 'deno.json'), JSON.stringify({ nodeModulesDir: 'manual', ...denoOptions }, null, 2))
  return directory
}

/** Puts the classes whose decorators are called in the place of the decorated ones, with imports as Node reads them. */
function prepareCalled(directory) {
  cpSync(join(here, 'plain'), join(directory, 'src'), { recursive: true })
  for (const name of ['app.jest.ts', 'app.test.ts', 'types.ts']) rmSync(join(directory, 'src', name))
  for (const name of ['app', 'checks', 'probe', 'constructor-types']) {
    const file = join(directory, 'src', `${name}.ts`)
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/'(\.\/[\w-]+)\.js'/g, "'$1.ts'"))
  }
}

/** The version that answers; a package whose binary could not be downloaded has none. */
async function isAvailable({ name, isOptional }) {
  if (!isOptional) return true
  return run(bin(name), ['--version']).then(
    () => true,
    () => false,
  )
}

async function tryOut(toolchain) {
  const directory = join(here, 'dist', toolchain.decorators)
  try {
    const { stdout } = await toolchain.run(directory, toolchain)
    const line = stripVTControlCharacters(stdout)
      .split('\n')
      .find((candidate) => candidate.startsWith('{"app"'))
    return line === undefined ? { app: `prints ${stdout}` } : JSON.parse(line)
  } catch (error) {
    return { app: 'fails', output: `${error.stdout ?? ''}${error.stderr ?? error}` }
  }
}

const words = {
  runs: 'runs',
  explained: '`static inject` needed, and the boot says so',
}
const rows = []
let faults = 0

rmSync(join(here, 'dist'), { recursive: true, force: true })
installPackage()
prepare('legacy')
prepare('standard')
prepare('called')
const only = process.argv[2]
for (const toolchain of toolchains) {
  const label = `${toolchain.name} (${toolchain.decorators} decorators)`
  if (only !== undefined && !label.startsWith(only)) continue
  if (!(await isAvailable(toolchain))) {
    console.error(`\n!!! SKIPPED: ${label}: its binary is not in the npm package that was installed.\n`)
    continue
  }
  const result = await tryOut(toolchain)
  const isExpected = result.app === 'runs' && result.constructorTypes === toolchain.expect.constructorTypes
  if (!isExpected) {
    faults += 1
    console.error(`\n${label}: expected ${JSON.stringify({ app: 'runs', ...toolchain.expect })}, got:`, result.output ?? result, '\n')
  }
  rows.push([
    toolchain.name,
    versionOf(toolchain.package),
    toolchain.decorators,
    words[result.app] ?? result.app,
    words[result.constructorTypes] ?? '-',
  ])
}

const head = ['toolchain', 'version', 'decorators', 'app with `static inject`', 'classes with constructor types']
const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
console.log(table)
if (process.env['UPDATE_DOCS'] === '1' && only === undefined && faults === 0) {
  const page = join(root, 'docs/reference/toolchains.md')
  const text = readFileSync(page, 'utf8')
  writeFileSync(
    page,
    text.replace(/(<!-- matrix -->\n)[\s\S]*?(<!-- \/matrix -->)/, (_found, start, end) => `${start}${table}\n${end}`),
  )
}

// The mistakes that @Schema refuses are explained by older compilers in the same words. They need more time than the native one.
try {
  const check = [join(root, 'tests/types/messages/check.mjs'), compilerOf('typescript-5.9')]
  const { stdout } = await run(process.execPath, check, { timeout: 240_000 })
  console.log(`\nTypeScript ${versionOf('typescript-5.9')}, ${stdout.trim()}`)
} catch (error) {
  faults += 1
  console.error(`\n${error.killed ? 'The compiler did not end in time.' : error.stderr}`)
}
if (faults > 0) process.exitCode = 1
