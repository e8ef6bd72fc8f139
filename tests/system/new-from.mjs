// `alcove new --from`: an application of the document of samples/conduit, whose packages are installed, keeps this contract, and its wiring is
// correct.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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
} finally {
  dispose()
  rmSync(folder, { recursive: true, force: true })
}
