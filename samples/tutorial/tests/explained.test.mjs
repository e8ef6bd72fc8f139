/**
 * The pictures of docs/tutorial show what `alcove explain` says of their steps. It is recorded in explained.json, as the pictures are drawn without
 * the packages of the steps. `RECORD=write node --test tests/explained.test.mjs` records it; then `npm run pictures` in the root draws them.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { drawnSteps, explain } from './explained.mjs'
import { copyStep } from './steps.mjs'

const file = new URL('explained.json', import.meta.url)

test('explained.json has what `alcove explain` says of the steps', () => {
  const explained = {}
  for (const [step, drawn] of Object.entries(drawnSteps)) {
    const { folder, remove } = copyStep(step)
    try {
      const { status, stdout } = spawnSync('npm', ['run', 'build'], { cwd: folder, encoding: 'utf8' })
      assert.equal(status, 0, stdout)
      explained[step] = explain(folder, drawn, existsSync(join(folder, '.env.test')))
    } finally {
      remove()
    }
  }
  if (process.env['RECORD'] === 'write') writeFileSync(file, `${JSON.stringify(explained, undefined, 2)}\n`)
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), explained)
})
