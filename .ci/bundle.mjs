/**
 * Writes what package.json points to: one JavaScript file for each entry, and chunks that they share, as ES modules (dist/esm) and as
 * CommonJS (dist/cjs, with the declarations once more), and the page of `explain` (dist/page).
 * Loading hundreds of small files took longer than anything else at the start of an application. Node loads the ES modules for `require` as
 * well, by the condition `module-sync`, and Bun by `bun`, so that a process has one copy. CommonJS is for tools with a module system of their
 * own (Jest).
 */
import { createHash } from 'node:crypto'
import { appendFileSync, chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const project = fileURLToPath(new URL('..', import.meta.url))
const dist = join(project, 'dist')
const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))

/** Entry of package.json → its file in the bundles, and its module. */
const entries = {
  '.': ['index', 'decorators/index'],
  './contract': ['contract', 'decorators/contract/index'],
  './jobs': ['jobs', 'decorators/jobs/drivers/index'],
  './telemetry': ['telemetry', 'decorators/telemetry/index'],
  './conditional': ['conditional', 'decorators/conditional/index'],
  './idempotency': ['idempotency', 'decorators/idempotency/index'],
  './lib': ['lib', 'lib/index'],
  './fastify': ['fastify', 'lib/fastify/index'],
  './bun': ['bun', 'decorators/runtimes/bun'],
  './deno': ['deno', 'decorators/runtimes/deno'],
  './lambda': ['lambda', 'decorators/runtimes/lambda/index'],
}
/** The command is a program of its own. It shares the chunks of the ES modules, so that it knows the classes of an application. */
const program = ['cli', 'decorators/cli']

/**
 * Chunks whose names package.json lists under `sideEffects`. All others are named by a module in them; those that only tests load are in none
 * of these.
 */
const groups = [
  { name: 'server', test: /[\\/]dist[\\/]lib[\\/](?!fastify[\\/])(?!.*document-validator\.js$)/ },
  {
    name: 'classes',
    test: /[\\/]decorators[\\/](?:declare|jobs|client|wiring|run|tools)[\\/](?!drivers[\\/]|reply-check|probe[\\/]|values[\\/])/,
  },
  { name: 'documents', test: /[\\/]decorators[\\/]contract[\\/]/ },
]

/** Without warnings about the time that plugins take: on a busy machine they would fail the build. */
const checks = { bundlerTimings: false }

async function bundle(format, files) {
  const directory = join(dist, format)
  const built = await rolldown({
    input: Object.fromEntries(files.map(([name, module]) => [name, join(dist, `${module}.js`)])),
    platform: format === 'esm' ? 'neutral' : 'node',
    // Packages and modules of Node.
    external: /^(?![./]|[a-z]:)/i,
    plugins: [{ name: 'sources', load: loadCompiled }],
    checks,
    onLog: (level, log) => {
      // A warning is a mistake in this file, or in what is bundled.
      if (level === 'warn') throw new Error(log.message)
    },
  })
  const { output } = await built.write({
    dir: directory,
    format,
    exports: 'named',
    // The maps of the ES modules have the sources. A second copy of them would be a sixth of the package, and maps without them a twelfth.
    sourcemap: format === 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    codeSplitting: { groups },
    // Faults name classes, and logs name functions: one that is renamed, because another module has the same name, keeps its `name`.
    keepNames: true,
    minifyInternalExports: false,
    // The comments are in the declarations and in the source maps. Without them the engine reads a third less.
    comments: { legal: false, annotation: true, jsdoc: false },
  })
  await built.close()
  for (const { type, fileName } of output) if (type === 'chunk') leaveHelpers(join(directory, fileName))
  if (format === 'esm') removeMap(join(directory, `${program[0]}.js`))
}

/** Removes the source map of a file. No application runs the code of the command. */
function removeMap(file) {
  rmSync(`${file}.map`)
  writeFileSync(file, readFileSync(file, 'utf8').replace(/\n\/\/# sourceMappingURL=.*$/, ''))
}

/** Every chunk loads the helpers of the bundler, also without using one. An empty line stays, for the source maps. */
function leaveHelpers(file) {
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace(/^(?:import |require\()"\.\/rolldown-runtime\.js"\)?;$/m, ''))
}

/** Loads a module that the compiler wrote with its source map, so that the map of the bundle leads to the TypeScript sources. */
function loadCompiled(id) {
  if (!id.startsWith(dist)) return undefined
  return { code: readFileSync(id, 'utf8'), map: readFileSync(`${id}.map`, 'utf8') }
}

/** The files of the style of the page of `explain`, in the order in which their rules hold. */
const pageStyles = ['base', 'list', 'details', 'schemas', 'wiring', 'narrow']

/**
 * Writes the page of `explain` with its script and its style as one file, in which `explain` puts the data. The content security policy of
 * the page names both by their digests, so that no other script runs.
 */
async function writePage() {
  const page = join(project, 'page')
  const built = await rolldown({
    input: join(page, 'main.ts'),
    platform: 'browser',
    resolve: { extensionAlias: { '.js': ['.ts'] } },
    checks,
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message)
    },
  })
  const { output } = await built.generate({ format: 'iife', minify: true, sourcemap: false })
  await built.close()
  const script = output[0].code.trim()
  const styles = pageStyles.map((name) => readFileSync(join(page, `styles/${name}.css`), 'utf8'))
  const style = styles.join('\n').replaceAll(/\/\*.*?\*\/|\n\s*/g, '')
  if (/<\/|<!--/.test(script + style)) throw new Error('The script or the style of the page would end its element.')
  const hashOf = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`
  const values = {
    '<style></style>': `<style>${style}</style>`,
    '<script></script>': `<script>${script}</script>`,
    '{{styleHash}}': hashOf(style),
    '{{scriptHash}}': hashOf(script),
  }
  const template = readFileSync(join(page, 'explain.html'), 'utf8')
  mkdirSync(join(dist, 'page'), { recursive: true })
  writeFileSync(
    join(dist, 'page/explain.html'),
    template.replaceAll(/<(\w+)><\/\1>|\{\{\w+\}\}/g, (found) => values[found]),
  )
}

/** Node takes an export of this name for what `require` returns; in CommonJS it has to be assigned. */
function assignModuleExports(file) {
  appendFileSync(file, '\nmodule.exports = exports["module.exports"]\n')
}

/** The declarations once more, beside the CommonJS modules: a compiler reads the format of a module from the folder of its declarations. */
function copyDeclarations(target) {
  for (const folder of ['lib', 'decorators']) {
    for (const file of readdirSync(join(dist, folder), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.d.ts')) continue
      const to = join(target, folder, file)
      mkdirSync(dirname(to), { recursive: true })
      cpSync(join(dist, folder, file), to)
    }
  }
  const types = readFileSync(join(project, 'fastify-types/index.d.ts'), 'utf8')
  mkdirSync(join(target, 'fastify-types'))
  writeFileSync(join(target, 'fastify-types/index.d.ts'), types.replaceAll("'../dist/lib/", "'../lib/"))
  writeFileSync(join(target, 'fastify-types/index.js'), '')
}

/**
 * Tests and samples of this repository import alcove by its name, and its modules by their paths. Both must lead to one copy, that of the
 * compiler, so its folder is a package of the same name. It is not published.
 */
function writeOwnPackage() {
  const exports = Object.fromEntries(Object.entries(entries).map(([entry, [, module]]) => [entry, `./${module}.js`]))
  const { name, version } = manifest
  const own = { name, version, private: true, type: 'module', exports: { ...exports, './package.json': './package.json' } }
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(own, null, 2)}\n`)
}

for (const format of ['esm', 'cjs']) rmSync(join(dist, format), { recursive: true, force: true })
writeOwnPackage()
await bundle('esm', [...Object.values(entries), program])
await bundle('cjs', Object.values(entries))
await writePage()
writeFileSync(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n')
assignModuleExports(join(dist, 'cjs/fastify.js'))
copyDeclarations(join(dist, 'cjs'))
// npm makes it executable only when it links the package, as samples with packages of their own do, and not after a later build.
for (const command of ['esm/cli.js', 'decorators/cli.js']) chmodSync(join(dist, command), 0o755)
