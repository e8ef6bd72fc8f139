/** Makes one file of a worker and everything that it imports. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))
export const alcove = dirname(createRequire(import.meta.url).resolve('alcove/package.json'))
const { dependencies } = JSON.parse(readFileSync(join(alcove, 'package.json'), 'utf8'))
const libraries = join(here, 'libraries.mjs')

/** The compilers of schemas. Everything that they would make is in the build, so that a quarter of the bundle can be left out. */
const compilers = /^(?:ajv(?:\/dist\/standalone\/index\.js)?|ajv-formats|fast-json-stringify|fast-uri)$/

/** Bundles a built application. @param table the module that stands for `node:module` */
export const builtApplication = (table) => ({
  name: 'alcove',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^node:module$/ }, ({ importer }) => (importer === table ? { external: true } : { path: table }))
    onResolve({ filter: compilers }, ({ importer }) =>
      importer.startsWith(join(alcove, 'dist')) ? { path: join(here, 'no-compiler.mjs') } : undefined,
    )
    // The libraries in the table are those of alcove.
    onResolve({ filter: new RegExp(`^(?:${Object.keys(dependencies).join('|')})(?:/|$)`) }, ({ path, importer, kind, pluginData }) =>
      importer === libraries && pluginData !== 'own' ? resolve(path, { kind, resolveDir: alcove, pluginData: 'own' }) : undefined,
    )
    onLoad({ namespace: 'file', filter: /[\\/]index\.mjs$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (!text.startsWith('// Written by alcove build')) return undefined
      // Without a `require` of its own, the bundler finds the other files of the build.
      return { contents: text.replace(/^import \{ createRequire.*\n.*createRequire.*\n/m, '') }
    })
  },
})

// Libraries in the CommonJS format ask for modules of Node. Workers print the debug lines of all libraries unless `debuglog` does nothing.
const asked = ['assert', 'events', 'http', 'path', 'util']
const bannerOf = (names) => `${names.map((name, index) => `import ofNode${index} from 'node:${name}'`).join('\n')}
const nodeModules = { ${names.map((name, index) => `'node:${name}': ofNode${index}`).join(', ')} }
nodeModules['node:util'] = { ...nodeModules['node:util'], debuglog: () => () => {} }
const require = (name) => nodeModules[name]`

/**
 * Bundles the worker in the file `entry` into the file `outfile`. @param required modules of Node that its own libraries require: `['fs']`
 * @returns the metafile of esbuild
 */
export async function bundleWorker(entry, outfile, required = []) {
  const { metafile } = await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    keepNames: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'import'],
    external: ['node:*', 'cloudflare:*'],
    // A worker is no file.
    define: { 'import.meta.url': '"file:///worker/index.mjs"' },
    banner: { js: bannerOf([...asked, ...required]) },
    plugins: [builtApplication(join(here, 'node-module.mjs'))],
    metafile: true,
  })
  return metafile
}
