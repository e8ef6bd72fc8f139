import { setTimeout as sleep } from 'node:timers/promises'
// #region test
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { App, CleanUp, Mailer, RegistrationsController, SendWelcome, Sessions, WELCOMES } from './jobs.js'

test('a registration adds a job, and the job sends a mail', async () => {
  const sent: string[] = []
  const mailer = { send: async (to: string) => void sent.push(to) }
  await using app = await testServer(App, { override: [[Mailer, mailer]] })

  const { status } = await app.call(RegistrationsController, 'register', { body: { email: 'ada@example.com' } })
  assert.equal(status, 202)

  await app.server.runJob(SendWelcome, { email: 'ada@example.com' })
  assert.deepEqual(sent, ['ada@example.com'])

  await app.server.runJob(CleanUp)
  assert.equal(app.resolve(Sessions).cleanUps, 1)
})
// #endregion

test('the jobs of the sample run once they are started', async () => {
  const sent: string[] = []
  await using app = await testServer(App, { override: [[Mailer, { send: async (to: string) => void sent.push(to) }]] })
  await app.resolve(WELCOMES).add({ email: 'grace@example.com' })
  await app.server.startJobs()
  for (let waited = 0; sent.length === 0 && waited < 5_000; waited += 5) await sleep(5)
  assert.deepEqual(sent, ['grace@example.com'])
})
