import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { bootstrap, createServer, type Prebuilt } from 'alcove'
import { App, options } from './app.js'
import { startCompiled, writeBuild } from './builds.js'

const run = promisify(execFile)
const read = async (folder: string): Promise<Prebuilt> => import(pathToFileURL(join(folder, 'index.mjs')).href)

test('alcove build finds the class and its options, and a server takes what it has written', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-build-'))
  const [cli, app] = ['../../decorators/cli.js', './app.js'].map((path) => fileURLToPath(new URL(path, import.meta.url)))
  await run(process.execPath, [cli!, 'build', app!, '--out', folder])
  const prebuilt = await read(folder)
  assert.notEqual(Object.keys(prebuilt.validators).length, 0)
  await using server = await bootstrap(App, { ...options, prebuilt })
  assert.equal((await server.inject('/ITEMS/7')).body, '{"id":7}')
})

test('main reads the build that lies beside it', async () => {
  const [cli, app, main] = ['../../decorators/cli.js', './app.js', './main.js'].map((path) => fileURLToPath(new URL(path, import.meta.url)))
  await run(process.execPath, [cli!, 'build', app!])
  // Without code generation, the server could not compile the schema of its route.
  const child = execFile(process.execPath, ['--disallow-code-generation-from-strings', main!], { env: { ...process.env, PORT: '0' } })
  try {
    let printed = ''
    for await (const chunk of child.stdout!) if (/^http\S+$/m.test((printed += String(chunk)))) break
    const response = await fetch(`${/^http\S+$/m.exec(printed)![0]}/items/7`)
    assert.equal(await response.text(), '{"id":7}')
  } finally {
    child.kill()
  }
})

test('a server that compiles at boot answers', async () => {
  await using server = await startCompiled()
  assert.equal((await server.inject('/items/7')).body, '{"id":7}')
})

test('a server without classes records its own build', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-build-'))
  await writeBuild(folder)
  const prebuilt = await read(folder)
  assert.notEqual(Object.keys(prebuilt.validators).length, 0)
  await using server = createServer({ prebuilt })
  server.get('/', () => 'well')
  assert.equal((await server.inject('/')).body, 'well')
})
