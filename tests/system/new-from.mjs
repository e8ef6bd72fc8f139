// `alcove new --from`: an application of the document of samples/conduit, whose packages are installed, keeps this contract, and its wiring is
// correct. Then every reply of the mock of this contract is held against its schema.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readContract } from '../../dist/decorators/contract/document/read.js'
import { createMock } from '../../dist/decorators/commands/mock.js'
import { Values } from '../../dist/decorators/commands/mock/values.js'
import { createApp, run } from './created-app.mjs'

const conduit = fileURLToPath(new URL('../../samples/conduit/', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'alcove-contract-'))
const contract = join(folder, 'openapi.json')
run(conduit, 'npx', ['tsc', '--noCheck'])
run(conduit, process.execPath, ['../../dist/esm/cli.js', 'openapi', 'dist/src/app.js', '--out', contract])
const { app, dispose } = createApp('--from', contract)
try {
  assert.deepEqual(JSON.parse(readFileSync(join(app, 'contract/differences.json'), 'utf8')), {})
  assert.match(run(app, 'npm', ['test']), /pass 2\b/)
  assert.match(run(app, 'npm', ['run', 'check']), /The wiring of App is correct/)
  console.log('alcove new --from: the application of the document of Conduit installs, passes its test, and differs in nothing')
  console.log(`alcove mock: ${await checkMock()} replies of Conduit's document are valid`)
} finally {
  dispose()
  rmSync(folder, { recursive: true, force: true })
}

/** Asks for every declared reply of every operation, with generated requests. Returns how many replies were compared with a schema. */
async function checkMock() {
  const { operations, schemas, servers } = readContract(JSON.parse(readFileSync(contract, 'utf8')))
  const values = await Values.create(schemas, 3)
  const server = await createMock(contract, { seed: 1 }, (warning) => assert.fail(warning))
  let compared = 0
  for (const { method, path, parameters, body, responses } of operations)
    for (const [key, { content }] of Object.entries(responses)) {
      const given = (kind) =>
        parameters.filter((each) => each.in === kind).map(({ name, schema }) => [name, String(values.generate(schema))])
      const ofPath = new Map(given('path'))
      const url = servers[0].url + path.replaceAll(/\{([^}]*)\}/g, (_, name) => encodeURIComponent(ofPath.get(name) || 'x'))
      const schema = body?.content['application/json']?.schema
      const status = key === 'default' ? 500 : Number(key.replace('XX', '00'))
      const headers = { ...Object.fromEntries(given('header')), prefer: `code=${status}` }
      const payload = schema === undefined ? undefined : values.generate(schema)
      const reply = await server.inject({ method: method.toUpperCase(), url, headers, payload })
      assert.equal(reply.statusCode, status, `${method} ${url}: ${reply.body}`)
      const type = String(reply.headers['content-type'] ?? '').split(';')[0]
      if (!type.endsWith('json')) continue
      assert.equal(values.problemOf(content[type].schema, reply.json()), undefined, `${method} ${url} ${status}: ${reply.body}`)
      compared++
    }
  await server.close()
  return compared
}
