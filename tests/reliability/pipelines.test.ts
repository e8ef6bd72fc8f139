/** A short run of random pipelines; `npm run reliability -- pipelines` is the long one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runPipelines } from './pipelines.js'

test('requests of all sizes that are pipelined in random pieces are all answered, in order', { timeout: 120_000 }, async () => {
  assert.ok((await runPipelines(5_000)) >= 5_000)
})
