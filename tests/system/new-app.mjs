// `alcove new`: the app that it writes installs, passes its test and its check, and restarts when a file changes.
import assert from 'node:assert/strict'
import { createApp, msUntilRestart, run } from './created-app.mjs'

const { app, dispose } = createApp()
try {
  assert.match(run(app, 'npm', ['test']), /pass 2\b/)
  assert.match(run(app, 'npm', ['run', 'check']), /The wiring of App is correct/)
  console.log(`alcove new: the app installs and passes its test; a change is served after ${await msUntilRestart(app)} ms`)
} finally {
  dispose()
}
