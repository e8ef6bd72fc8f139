/** Bundles one small application, written for each framework, for each runtime on which the framework runs. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { builtApplication, bundleWorker } from '../../../samples/workers/bundle-worker.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../../..')
const packages = join(here, '../node_modules')

const prebuilt = `import * as prebuilt from './build-of-alcove/index.mjs'`
const served = (runtime) => `
import { serve } from 'alcove/${runtime}'
import { App } from './alcove.mjs'
${prebuilt}
const server = await serve(App, { hostname: '127.0.0.1', server: { prebuilt } })
console.log(server.listeningOrigin)`
const byNode = `
import { app } from './fastify.mjs'
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))`
const byBun = (name) => `
import { app } from './${name}.mjs'
console.log(Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: app.fetch }).url.origin)`
const byDeno = (name) => `
import { app } from './${name}.mjs'
const server = Deno.serve({ hostname: '127.0.0.1', port: 0, onListen() {} }, app.fetch)
console.log('http://127.0.0.1:' + server.addr.port)`

/** The entry of each bundle, by runtime and framework. */
const entries = {
  node: {
    alcove: `
import { bootstrap } from 'alcove'
import { App } from './alcove.mjs'
${prebuilt}
const server = await bootstrap(App, { prebuilt })
console.log(await server.listen({ host: '127.0.0.1', port: 0 }))`,
    Hono: `
import { serve } from '@hono/node-server'
import { app } from './hono.mjs'
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => console.log('http://127.0.0.1:' + port))`,
    Fastify: byNode,
  },
  lambda: {
    alcove: `
import { handler } from 'alcove/lambda'
import { App } from './alcove.mjs'
${prebuilt}
export const handle = handler(App, { server: { prebuilt } })`,
    'alcove by @fastify/aws-lambda': `
import adapt from '@fastify/aws-lambda'
import { bootstrap } from 'alcove'
import { App } from './alcove.mjs'
${prebuilt}
export const handle = adapt(await bootstrap(App, { prebuilt }), { decorateRequest: false })`,
    Hono: `
import { handle as adapt } from 'hono/aws-lambda'
import { app } from './hono.mjs'
export const handle = adapt(app)`,
    'Fastify by @fastify/aws-lambda': `
import adapt from '@fastify/aws-lambda'
import { app } from './fastify.mjs'
await app.ready()
export const handle = adapt(app, { decorateRequest: false })`,
  },
  workerd: {
    alcove: `
import { bootstrap } from 'alcove'
import { App } from './alcove.mjs'
${prebuilt}
let booting
export default {
  async fetch(request) {
    booting ??= bootstrap(App, { prebuilt, compileSchemas: 'boot', handlerTimeout: 0 })
    return (await booting).fetch(request)
  },
}`,
    Hono: `export { app as default } from './hono.mjs'`,
  },
  bun: { alcove: served('bun'), Hono: byBun('hono'), Elysia: byBun('elysia'), Fastify: byNode },
  deno: { alcove: served('deno'), Hono: byDeno('hono'), Elysia: byDeno('elysia'), Fastify: byNode },
}

/** Makes the folder a project that has the applications, all packages, and the build of alcove. */
async function prepare(folder) {
  mkdirSync(join(folder, 'node_modules/@hono'), { recursive: true })
  mkdirSync(join(folder, 'node_modules/@fastify'))
  symlinkSync(root, join(folder, 'node_modules/alcove'))
  // alcove loads it only if a request is injected, as @fastify/aws-lambda does.
  symlinkSync(join(root, 'node_modules/light-my-request'), join(folder, 'node_modules/light-my-request'))
  for (const name of ['elysia', 'fastify', 'hono', 'zod', '@fastify/aws-lambda', '@hono/node-server', '@hono/zod-validator'])
    symlinkSync(join(packages, name), join(folder, 'node_modules', name))
  for (const name of ['alcove', 'elysia', 'fastify', 'hono', 'users'])
    writeFileSync(join(folder, `${name}.mjs`), readFileSync(join(here, `${name}.mjs`)))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(
    join(folder, 'record.mjs'),
    `import { bootstrap, BuildRecording } from 'alcove'
import { App } from './alcove.mjs'
const prebuilt = new BuildRecording()
const server = await bootstrap(App, { prebuilt, compileSchemas: 'boot' })
await prebuilt.write(new URL('build-of-alcove', import.meta.url).pathname)
await server.close()`,
  )
  await import(pathToFileURL(join(folder, 'record.mjs')).href)
}

/**
 * Makes the bundles. @param isWanted called with the name of the runtime, and of the framework
 * @returns runtime, framework, file and sizes of each
 */
export async function makeBundles(folder, isWanted) {
  await prepare(folder)
  const bundles = []
  for (const [runtime, byFramework] of Object.entries(entries)) {
    for (const [framework, text] of Object.entries(byFramework)) {
      if (!isWanted(runtime, framework)) continue
      const name = `${runtime}-${framework.replaceAll(/\W+/g, '-')}`.toLowerCase()
      const [entry, file] = [join(folder, `${name}.mjs`), join(folder, `out/${name}.mjs`)]
      writeFileSync(entry, text)
      if (runtime === 'workerd') await bundleWorker(entry, file)
      else await bundle(entry, file, runtime)
      const bytes = readFileSync(file)
      bundles.push({ runtime, framework, file, bytes: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length })
    }
  }
  return bundles
}

async function bundle(entryPoint, outfile, runtime) {
  await build({
    entryPoints: [entryPoint],
    outfile,
    bundle: true,
    minify: true,
    keepNames: true,
    format: 'esm',
    platform: 'node',
    conditions: ['bun', 'deno'].includes(runtime) ? [runtime] : [],
    banner: { js: `import { createRequire as makeRequire } from 'node:module'\nconst require = makeRequire(import.meta.url)` },
    plugins: [builtApplication(join(here, 'node-module.mjs'))],
    logLevel: 'warning',
  })
}
