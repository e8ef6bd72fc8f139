import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

test('a process without a port works until a signal ends it', async () => {
  const worker = spawn(process.execPath, [fileURLToPath(new URL('./jobs-worker.js', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(worker, 'exit')
  // It has begun to listen for signals when its modules are loaded, and works for as long as it is let.
  await sleep(2_000)
  assert.equal(worker.exitCode, null)
  worker.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})
