/** A short run of random faults against request scopes; `npm run reliability -- scopes` is the long one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runScopes } from './scopes.js'

test('nothing of a request uses its scope after the scope has ended, and each scope ends', { timeout: 60_000 }, async () => {
  const { made, ended, uses, usesAfterEnd } = await runScopes(1_500)
  assert.deepEqual([usesAfterEnd, made - ended, uses > made], [0, 0, true])
})
