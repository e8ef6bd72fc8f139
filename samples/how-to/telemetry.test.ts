/** The options of the page serve requests also if no provider of OpenTelemetry is registered. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer } from 'alcove'
import { options } from './telemetry.js'

test('an application is served if nothing collects its spans', async () => {
  await using server = createServer({ ...options, logger: { ...options.logger, level: 'silent' } })
  server.get('/', () => ({ ok: true }))
  assert.deepEqual((await server.inject('/')).json(), { ok: true })
})
