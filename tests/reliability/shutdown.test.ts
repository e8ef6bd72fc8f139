/** A signal under load, a few times; `npm run reliability -- shutdown` does it a hundred times. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProgram } from '../fixtures/children.js'

test('a signal under load drops no request, and the process ends soon after its last reply', { timeout: 60_000 }, async () => {
  const run = startProgram('tests/reliability/run.js', ['shutdown', '2'])
  const code = await run.exited
  assert.equal(code, 0, run.output.stdout + run.output.stderr)
})
