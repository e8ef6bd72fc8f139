import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bootstrap } from 'alcove'
import { App as Events, Ticker } from '../events/app.js'
import { App } from '../first/app.js'
import { greet, linkTo, nameOf } from './calls.js'
import { firstTicks } from './streams.js'
import { project } from '../../tests/fixtures/project.js'

for (const [name, application] of [
  ['client', 'first'],
  ['events', 'events'],
] as const)
  test(`${name}.ts is the client of the sample ${application}`, async () => {
    const [cli, app] = ['../../decorators/cli.js', `../${application}/app.js`].map((path) => fileURLToPath(new URL(path, import.meta.url)))
    const file = join(project, `samples/client/${name}.ts`)
    await promisify(execFile)(process.execPath, [cli!, 'client', app!, '--out', file, '--check'])
  })

test('the file calls the routes of its application', async () => {
  const server = await bootstrap(App)
  const baseUrl = await server.listen({ port: 0 })
  assert.deepEqual(await greet(baseUrl), ['404: No such greeting', 'Ada is number 1'])
  assert.equal(await nameOf(1, { baseUrl }), 'Ada')
  assert.deepEqual(await (await fetch(linkTo(1, baseUrl))).json(), { id: 1, name: 'Ada' })
  assert.equal(await nameOf(2, { baseUrl }), 'GET /greetings/:id was answered 404: No such greeting')
  await server.close()
})

test('leaving the loop over a stream ends the generator of the server', { timeout: 10_000 }, async () => {
  await using server = await bootstrap(Events)
  assert.deepEqual(await firstTicks(await server.listen({ port: 0 }), 3), [1, 2, 3])
  const ticker = server.resolve(Ticker)
  while (ticker.listeners > 0) await wait(5)
})
