/** The tabs of the pages: with the schemas of TypeBox or Zod, a step passes its own tests. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { copyStep, root } from './steps.mjs'

const files = { '01-a-route': 'book.schemas.ts', '04-models': 'book.models.ts' }

for (const [step, file] of Object.entries(files))
  for (const library of ['typebox', 'zod'])
    test(`${step} passes its tests with ${file} of ${library}`, () => {
      const { folder, remove } = copyStep(step)
      try {
        cpSync(join(root, 'samples/tutorial-schemas', library, file), join(folder, 'src/books', file))
        const { status, stdout } = spawnSync('npm', ['test'], { cwd: folder, encoding: 'utf8' })
        assert.equal(status, 0, stdout)
      } finally {
        remove()
      }
    })
