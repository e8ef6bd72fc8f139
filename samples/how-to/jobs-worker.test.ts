import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

test('a process without a port works until a signal ends it', async () => {
  const worker = spawn(process.execPath, [fileURLToPath(new URL('./jobs-worker.js', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(worker, 'exit')
  let said = ''
  for await (const text of worker.stdout.setEncoding('utf8')) {
    said += text
    // It says so when it takes jobs.
    if (said.includes('jobs of welcomes')) break
  }
  assert.equal(worker.exitCode, null)
  worker.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})
