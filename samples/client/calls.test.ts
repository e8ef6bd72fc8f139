import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from 'alcove'
import { routeTable } from 'alcove/contract'
import { App } from '../first/app.js'
import { greet, nameOf } from './calls.js'
import { routes } from './routes.js'

test('the table is that of the application', () => assert.deepEqual(routes, routeTable(App)))

test('a client typed by the controller calls its routes', async () => {
  const server = await bootstrap(App)
  const baseUrl = await server.listen({ port: 0 })
  assert.deepEqual(await greet(baseUrl), ['404: No such greeting', 'Ada is number 1'])
  assert.equal(await nameOf(1, { baseUrl }), 'Ada')
  assert.equal(await nameOf(2, { baseUrl }), 'GET /greetings/:id was answered 404: No such greeting')
  await server.close()
})
