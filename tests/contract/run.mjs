/**
 * OpenAPI documents under the tools of the ecosystem: all samples and an application of 1,000 routes.
 * - Two validators accept them, a linter finds no error, and `openapi-typescript` makes types of them that compile.
 * - Requests made of a document are accepted, requests that break it are refused with a status that it lists, and each reply is as listed.
 * - Bodies that are changed at random are taken or refused as the document says: 5,000, or as many as the variable MUTATIONS says.
 * - Every reply in the tests of the samples is listed in the document of their server.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { compileErrors, validate as validateByReadme } from '@readme/openapi-parser'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import openapiTS, { astToString } from 'openapi-typescript'
import { parse } from 'yaml'
import { openapi } from '../../dist/decorators/contract/index.js'
import { applications, largeApplication, withServer } from './applications.mjs'
import { exchange } from './exchange.mjs'
import { Hard } from './hard.mjs'
import { mutateBodies } from './mutate.mjs'
import { readStreams } from './streams.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'alcove-contract-'))
const info = { title: 'Sample', version: '1.0.0', license: { name: 'MIT', identifier: 'MIT' } }
const Large = largeApplication(1000)

const documents = []
for (const application of applications)
  documents.push([application.name, await withServer(application, (server) => openapi(server, { info }))])
documents.push(['large', openapi(Large, { info })])

test('two validators of OpenAPI 3.1 accept every document', async () => {
  for (const [name, document] of documents) {
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    assert.ok(valid, `${name}: ${JSON.stringify(errors)}`)
    const result = await validateByReadme(structuredClone(document))
    assert.ok(result.valid, `${name}: ${result.valid || compileErrors(result)}`)
  }
})

test('a linter finds no error in them', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const source = JSON.stringify({ ...documents[0][1], servers: undefined })
  assert.ok(
    (await lintFromString({ source, absoluteRef: 'broken.json', config })).some(({ severity }) => severity === 'error'),
    'it finds errors',
  )
  for (const [name, document] of documents) {
    const problems = await lintFromString({ source: JSON.stringify(document, null, 1), absoluteRef: `${name}.json`, config })
    const errors = problems
      .filter(({ severity }) => severity === 'error')
      .map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`)
    assert.deepEqual(errors, [], name)
  }
})

test('openapi-typescript reads them, and its types compile', async () => {
  const files = []
  for (const [index, [, document]] of documents.entries()) {
    const file = join(directory, `types${index}.ts`)
    writeFileSync(file, astToString(await openapiTS(structuredClone(document))))
    files.push(file)
  }
  const tsc = fileURLToPath(import.meta.resolve('typescript/bin/tsc'))
  const { status, stdout } = spawnSync(process.execPath, [tsc, '--noEmit', '--strict', '--target', 'es2022', ...files], {
    cwd: directory,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stdout)
})

test('the document of 1,000 routes takes about four times as long as that of 250, not sixteen times', () => {
  const Quarter = largeApplication(250)
  let document
  // CPU time in ms: other processes may run beside this one. The shortest of several in turns, as garbage is collected meanwhile.
  const timeOf = (App) => {
    const start = process.cpuUsage()
    document = openapi(App, { info })
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  }
  const turns = Array.from({ length: 5 }, () => [timeOf(Quarter), timeOf(Large)])
  const [quarter, whole] = [0, 1].map((index) => Math.min(...turns.map((turn) => turn[index])))
  assert.equal(Object.values(document.paths).flatMap((item) => Object.keys(item)).length, 1000)
  console.log(
    `1,000 routes: ${whole.toFixed(0)} ms, ${(JSON.stringify(document).length / 2 ** 20).toFixed(1)} MB of JSON; 250: ${quarter.toFixed(0)} ms`,
  )
  assert.ok(whole < 9 * quarter, `${whole} ms, and ${quarter} ms for a quarter of the routes`)
})

for (const application of applications.filter(({ isEndless }) => !isEndless)) {
  test(`${application.name}: requests of the document are accepted, others are refused, and replies are as listed`, () =>
    withServer(application, async (server) => {
      const { problems, sent } = await exchange(server, openapi(server, { info }), application)
      assert.deepEqual(problems, [], `${sent} requests`)
    }))
}

test('the hardest to say: bodies that are changed at random are taken or refused as the document says', () =>
  withServer({ App: Hard }, async (server) => {
    const count = Number(process.env.MUTATIONS ?? 5000)
    const { problems, sent } = await mutateBodies(server, openapi(server, { info }), { count })
    assert.deepEqual(problems, [], `${sent} requests`)
  }))

test('events: items of a stream are as its document lists them, in both formats, and what breaks the document is refused', () =>
  withServer(
    applications.find(({ name }) => name === 'events'),
    async (server) => {
      const { problems, items } = await readStreams(server, openapi(server, { info, version: '3.2' }))
      assert.deepEqual(problems, [])
      assert.ok(items >= 100, `${items} items`)
    },
  ))

test('every reply in the tests of the samples is listed in the document of their server', () => {
  const report = join(directory, 'replies.txt')
  writeFileSync(report, '')
  const files = [
    'dist/samples/first/app.test.js',
    ...['coming-from', 'contexts', 'questions'].map((name) => `dist/tests/samples/${name}.test.js`),
  ]
  const recorder = pathToFileURL(join(root, 'tests/contract/record.mjs')).href
  const { status, stdout } = spawnSync(process.execPath, ['--import', recorder, '--test', ...files], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ALCOVE_REPLIES: report, NODE_TEST_CONTEXT: undefined },
  })
  assert.equal(status, 0, stdout)
  const lines = readFileSync(report, 'utf8').trim().split('\n')
  // The guards of these declare nothing.
  const undeclared = /^(?:GET \/admin 403|GET \/order 409|POST \/users 401|GET \/one 401):/
  assert.deepEqual([...new Set(lines.filter((line) => !line.startsWith('listed') && !undeclared.test(line)))], [])
  assert.ok(lines.length > 30, `${lines.length} replies were recorded`)
})

test('the command writes YAML, and compares it', () => {
  const cli = join(root, 'dist/decorators/cli.js')
  const file = join(root, 'dist/samples/first/app.js')
  const out = join(directory, 'first.yaml')
  const options = { cwd: fileURLToPath(new URL('.', import.meta.url)), encoding: 'utf8' }
  execFileSync(process.execPath, [cli, 'openapi', file, '--out', out], { ...options, stdio: 'pipe' })
  const text = readFileSync(out, 'utf8')
  assert.match(text, /^openapi: 3\.1\.1\ninfo:\n {2}title: App\n/)
  assert.deepEqual(Object.keys(parse(text).paths), ['/greetings', '/greetings/{id}'])
  assert.equal(spawnSync(process.execPath, [cli, 'openapi', file, '--check', out], options).status, 0)
  writeFileSync(out, text.replace('title: App', 'title: Other'))
  const { status, stderr } = spawnSync(process.execPath, [cli, 'openapi', file, '--check', out], options)
  assert.equal(status, 1)
  assert.match(stderr, /- \/info\/title: "Other"\n {2}\+ \/info\/title: "App"/)
})
