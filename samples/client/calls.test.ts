import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bootstrap } from 'alcove'
import { routeTable } from 'alcove/contract'
import { App as Events, Ticker } from '../events/app.js'
import { App } from '../first/app.js'
import { greet, nameOf } from './calls.js'
import { routes as eventRoutes } from './event-routes.js'
import { greet as greetByFile } from './file.js'
import { routes } from './routes.js'
import { firstTicks } from './streams.js'
import { project } from '../../tests/fixtures/project.js'

test('the tables are those of the applications', () => {
  assert.deepEqual(routes, routeTable(App))
  assert.deepEqual(eventRoutes, routeTable(Events))
})

test('a client typed by the controller calls its routes', async () => {
  const server = await bootstrap(App)
  const baseUrl = await server.listen({ port: 0 })
  assert.deepEqual(await greet(baseUrl), ['404: No such greeting', 'Ada is number 1'])
  assert.equal(await nameOf(1, { baseUrl }), 'Ada')
  assert.equal(await nameOf(2, { baseUrl }), 'GET /greetings/:id was answered 404: No such greeting')
  await server.close()
})

test('the file is that of the application, and calls its routes', async () => {
  const [cli, app] = ['../../decorators/cli.js', '../first/app.js'].map((path) => fileURLToPath(new URL(path, import.meta.url)))
  const file = join(project, 'samples/client/client.ts')
  await promisify(execFile)(process.execPath, [cli!, 'client', app!, '--out', file, '--check'])
  await using server = await bootstrap(App)
  assert.equal(await greetByFile(await server.listen({ port: 0 })), 'Ada is number 1')
})

test('leaving the loop over a stream ends the generator of the server', { timeout: 10_000 }, async () => {
  await using server = await bootstrap(Events)
  assert.deepEqual(await firstTicks(await server.listen({ port: 0 }), 3), [1, 2, 3])
  const ticker = server.resolve(Ticker)
  while (ticker.listeners > 0) await wait(5)
})
