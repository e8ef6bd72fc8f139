import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import { Job, type JobRun, Plugin, type Provider, testServer } from 'alcove'
import { OutboxDriver } from 'alcove/jobs'
import { WELCOMES } from './queue.js'
import { driver, outbox, POOL, Settings } from './redis.js'

const isInstalled = (() => {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()
const skip = !isInstalled && 'there is no Redis here; install it (Debian: redis-server)'
if (skip) console.error(`\n!!! SKIPPED: ${skip}\n`)

async function startRedis() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  const directory = mkdtempSync(join(tmpdir(), 'alcove-redis-'))
  const redis = spawn('redis-server', ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', directory], { stdio: 'ignore' })
  const answers = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(Boolean(socket.destroy())))
      socket.on('error', () => resolve(false))
    })
  while (!(await answers())) await sleep(20)
  return {
    url: `redis://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const ended = once(redis, 'exit')
      redis.kill()
      await ended
      rmSync(directory, { recursive: true })
    },
  }
}

const welcomed: string[] = []
@Job({ queue: WELCOMES })
class SendWelcome {
  run({ input }: JobRun<typeof WELCOMES>) {
    welcomed.push(input.email)
  }
}

async function until(count: number) {
  for (let waited = 0; welcomed.length < count; waited += 20) {
    assert.ok(waited < 20_000, 'it did not happen within 20 s')
    await sleep(20)
  }
}

function open(provider: Provider, url: string, pool: unknown = {}) {
  class App {}
  Plugin({ providers: [Settings, { provide: POOL, useValue: pool as PGlite }, provider, WELCOMES], jobs: [SendWelcome] })(App)
  return testServer(App, { override: [[Settings, new Settings({ REDIS_URL: url })]] })
}

test('jobs in Redis are done', { skip }, async () => {
  await using redis = await startRedis()
  await using app = await open(driver, redis.url)
  await app.server.startJobs()
  await app.resolve(WELCOMES).add({ email: 'ada@example.com' })
  await until(1)
  assert.deepEqual(welcomed.splice(0), ['ada@example.com'])
})

test('jobs that are added within a transaction get to Redis if it commits', { skip }, async () => {
  await using redis = await startRedis()
  await using client = await PGlite.create()
  await client.exec(OutboxDriver.table())
  await using app = await open(outbox, redis.url, client)
  await app.server.startJobs()
  const welcomes = app.resolve(WELCOMES)
  await client.transaction(async (transaction) => {
    await welcomes.add({ email: 'lost@example.com' }, { within: transaction })
    await transaction.rollback()
  })
  await client.transaction(async (transaction) => {
    await welcomes.add({ email: 'grace@example.com' }, { within: transaction })
  })
  await until(1)
  assert.deepEqual(welcomed.splice(0), ['grace@example.com'])
})
