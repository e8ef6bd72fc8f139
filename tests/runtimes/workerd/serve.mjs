/**
 * Serves the application of the suite in workerd: records a build, bundles the worker as samples/workers does, and prints the address.
 * Node 22 or later: `node serve.mjs <folder of the compiled application>`.
 */
import { cpSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const sample = join(here, '../../../samples/workers')
const folder = process.argv[2]
const load = (path) => import(pathToFileURL(path).href)

const { BuildRecording } = await load(join(folder, 'node_modules/alcove/dist/esm/index.js'))
const { createApp } = await load(join(folder, 'app.js'))
const recording = new BuildRecording()
const server = await createApp({ prebuilt: recording, compileSchemas: 'boot' })
await recording.write(join(folder, 'alcove.build'))
await server.close()

cpSync(join(here, 'worker.mjs'), join(folder, 'worker.mjs'))
const { bundleWorker } = await load(join(sample, 'bundle-worker.mjs'))
const outfile = join(folder, 'workerd/worker.mjs')
// The modules that @fastify/multipart requires.
await bundleWorker(join(folder, 'worker.mjs'), outfile, ['fs', 'fs/promises', 'os', 'stream', 'stream/promises', 'crypto'])

const { Miniflare } = await load(join(sample, 'node_modules/miniflare/dist/src/index.js'))
const miniflare = new Miniflare({
  modules: [{ type: 'ESModule', path: 'worker.mjs', contents: readFileSync(outfile, 'utf8') }],
  compatibilityDate: '2026-07-01',
  compatibilityFlags: ['nodejs_compat'],
  // Without the worker of Miniflare in front, which compresses replies and reads them ahead.
  unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
})
await miniflare.ready
console.log((await miniflare.unsafeGetDirectURL()).origin)
