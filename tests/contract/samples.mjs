/**
 * The documents of the samples that have packages of their own: requests that the document allows are accepted, others are refused, and
 * replies are as listed. The samples must be built, which `npm ci && npm test` in their folders does. The sample of WebSockets has only a
 * route that its plugin hides in the document.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { openapi } from '../../dist/esm/contract.js'
import { testServer } from '../../dist/esm/index.js'
import { exchange } from './exchange.mjs'

const samples = [
  { folder: 'conduit', file: 'dist/tests/conduit.js', start: startConduit },
  { folder: 'vitest', file: 'app.ts', start: startApp },
]

for (const { folder, file, start } of samples) {
  const url = new URL(`../../samples/${folder}/`, import.meta.url)
  const isMissing = ['node_modules', file].some((path) => !existsSync(new URL(path, url)))
  const skip = isMissing && `run \`npm ci && npm test\` in samples/${folder}`
  if (skip) console.error(`\n!!! SKIPPED: ${skip}.\n`)
  test(`${folder}: requests of the document are accepted, others are refused, and replies are as listed`, { skip }, async () => {
    // As a command run in the folder does, so that optional packages are found there.
    process.chdir(fileURLToPath(url))
    const { app, App, info, ...given } = await start(await import(compiled(new URL(file, url))))
    try {
      const document = openapi(app.server, info)
      assert.deepEqual(openapi(App, info), document, 'the classes say the same as the running server')
      const { problems, sent } = await exchange(app.server, document, given)
      assert.deepEqual(problems, [])
      assert.ok(sent > 0, 'requests were sent')
    } finally {
      await app.close()
    }
  })
}

/** vitest compiles the files of its sample in memory. */
function compiled(file) {
  if (!file.pathname.endsWith('.ts')) return file
  const { ES2022: target } = ts.ScriptTarget
  const compilerOptions = { experimentalDecorators: true, emitDecoratorMetadata: true, target, module: ts.ModuleKind.ESNext }
  const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), { compilerOptions })
  const folder = new URL('node_modules/.cache/', file)
  mkdirSync(folder, { recursive: true })
  const out = new URL('app.mjs', folder)
  writeFileSync(out, outputText)
  return out
}

async function startApp({ App }) {
  return { App, app: await testServer(App), info: { info: { title: 'Sample', version: '1.0.0' } } }
}

async function startConduit({ startConduit: startEmpty }) {
  const { App, document: info } = await import('../../samples/conduit/dist/src/app.js')
  const app = await startEmpty()
  const user = { username: 'ada', email: 'ada@example.com', password: 'secret' }
  const registered = await app.inject({ method: 'POST', url: '/api/users', payload: { user } })
  const Token = { authorization: `Token ${registered.json().user.token}` }
  return { App, app, info, tokens: { Token }, basePath: info.basePath }
}
