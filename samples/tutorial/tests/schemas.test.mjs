/** The tabs of the pages: with the schemas of TypeBox or Zod, a step passes its own tests. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { copyStep, root } from './steps.mjs'

const files = { '01-a-route': 'src/books/book.schemas.ts', '04-models': 'src/books/book.models.ts', '06-configuration': 'src/settings.ts' }

for (const [step, file] of Object.entries(files))
  for (const library of ['typebox', 'zod'])
    test(`${step} passes its tests with ${basename(file)} of ${library}`, () => {
      const { folder, remove } = copyStep(step)
      try {
        cpSync(join(root, 'samples/tutorial-schemas', library, basename(file)), join(folder, file))
        const { status, stdout } = spawnSync('npm', ['test'], { cwd: folder, encoding: 'utf8' })
        assert.equal(status, 0, stdout)
      } finally {
        remove()
      }
    })
