import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

test('a worker without its variable does not start, and says which one is missing', async () => {
  const { DATABASE_URL: _, ...env } = process.env
  const worker = spawn(process.execPath, [fileURLToPath(new URL('./jobs/worker.js', import.meta.url))], { env })
  let said = ''
  for await (const text of worker.stderr.setEncoding('utf8')) said += text
  if (worker.exitCode === null) await once(worker, 'exit')
  assert.equal(worker.exitCode, 1)
  assert.match(said, /DATABASE_URL/)
})
