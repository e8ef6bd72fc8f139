/** Builds the worker: compiles the schemas ahead of time, because a worker generates no code, then makes one file of everything. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { alcove, bundleWorker } from './bundle-worker.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const [appEntry, workerEntry] = process.argv.slice(2).map((path) => join(here, path))
const app = join(here, 'dist/app.mjs')

await build({ entryPoints: [appEntry], outfile: app, bundle: true, format: 'esm', platform: 'node', external: ['alcove'] })
const command = [join(alcove, 'dist/esm/cli.js'), 'build', app, '--out', join(here, 'dist/alcove.build')]
execFileSync(process.execPath, command, { stdio: 'inherit' })

const metafile = await bundleWorker(workerEntry, join(here, 'dist/worker.mjs'))
writeFileSync(join(here, 'dist/metafile.json'), JSON.stringify(metafile))
