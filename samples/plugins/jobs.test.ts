import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bootstrap, testServer } from 'alcove'
import { Beats, BeatsApp, Reports, ReportsApp } from './jobs/cron.js'

test('a job runs at the times that its decorator says, while the server listens', async () => {
  const server = await bootstrap(BeatsApp, { closeIdleDelay: 0 })
  await server.ready()
  const beats = server.resolve(Beats)
  assert.equal(beats.count, 0)
  await server.listen({ port: 0, host: '127.0.0.1' })
  for (let waited = 0; beats.count === 0; waited += 20) {
    assert.ok(waited < 10_000, 'it did not run within 10 s')
    await sleep(20)
  }
  await server.close()
})

test('a test calls a job itself', async () => {
  await using app = await testServer(ReportsApp)
  await app.resolve(Reports).sendAll()
  assert.equal(app.resolve(Reports).sent, 1)
})

test('a worker without its variable does not start, and says which one is missing', async () => {
  const { DATABASE_URL: _, ...env } = process.env
  const worker = spawn(process.execPath, [fileURLToPath(new URL('./jobs/worker.js', import.meta.url))], { env })
  let said = ''
  for await (const text of worker.stderr.setEncoding('utf8')) said += text
  if (worker.exitCode === null) await once(worker, 'exit')
  assert.equal(worker.exitCode, 1)
  assert.match(said, /DATABASE_URL/)
})
