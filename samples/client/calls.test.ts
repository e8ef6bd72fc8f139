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
import { finderOf, greet, linkTo, nameOf, whyNot } from './calls.js'
import { greetingHandlers } from './mocks.js'
import { greetingsOf } from './queries.js'
import { firstTicks, followTicks } from './streams.js'
import { project } from '../../tests/fixtures/project.js'

for (const [name, application, flags] of [
  ['client', 'first', ['--tanstack', '--msw']],
  ['events', 'events', []],
] as const)
  test(`${name}.ts is the client of the sample ${application}`, async () => {
    const [cli, app] = ['../../decorators/cli.js', `../${application}/app.js`].map((path) => fileURLToPath(new URL(path, import.meta.url)))
    const file = join(project, `samples/client/${name}.ts`)
    await promisify(execFile)(process.execPath, [cli!, 'client', app!, ...flags, '--out', file, '--check'])
  })

test('the file calls the routes of its application', async () => {
  const server = await bootstrap(App)
  const baseUrl = await server.listen({ port: 0 })
  assert.deepEqual(await greet(baseUrl), ['404: No such greeting', 'Ada is number 1'])
  assert.equal(await nameOf(1, { baseUrl }), 'Ada')
  assert.equal(await whyNot(2, { baseUrl }), '404  No such greeting')
  assert.equal(await whyNot(2, { baseUrl, fetch: async () => new Response('<h1>', { status: 502 }) }), '502, not from the server')
  assert.deepEqual(
    await finderOf({ baseUrl })
      .greetings.find({ params: { id: 1 } })
      .expect(200),
    { id: 1, name: 'Ada' },
  )
  assert.deepEqual(await (await fetch(linkTo(1, baseUrl))).json(), { id: 1, name: 'Ada' })
  assert.equal(await nameOf(2, { baseUrl }), 'GET /greetings/:id was answered 404: No such greeting')
  await server.close()
})

test('queries and mutations have keys, and call the routes of the application', async () => {
  const server = await bootstrap(App)
  const { greeting, addGreeting, allGreetings } = greetingsOf({ baseUrl: await server.listen({ port: 0 }) })
  const { mutationKey, mutationFn } = addGreeting()
  assert.deepEqual([mutationKey, await mutationFn({ body: { name: 'Ada' } })], [['greetings', 'add'], { id: 1, name: 'Ada' }])
  const { queryKey, queryFn } = greeting(1)
  assert.deepEqual(queryKey, ['greetings', 'find', { params: { id: 1 } }])
  assert.deepEqual(queryKey.slice(0, 1), allGreetings)
  assert.deepEqual(await queryFn({ signal: new AbortController().signal }), { id: 1, name: 'Ada' })
  await assert.rejects(greeting(2).queryFn({ signal: new AbortController().signal }), { name: 'ReplyError', status: 404 })
  await assert.rejects(greeting(1).queryFn({ signal: AbortSignal.abort(new Error('the page was left')) }), /the page was left/)
  await server.close()
})

test('the handlers of MSW answer what a client sends', async () => {
  const make = (path: string, resolve: (info: object) => Promise<Response>) => ({ path, resolve })
  const http = { all: make, get: make, post: make }
  const [find, add] = greetingHandlers(http)
  assert.equal(find!.path, 'https://api.example.com/greetings/:id')
  const found = await find!.resolve({ request: new Request(find!.path), params: { id: '7' } })
  assert.deepEqual(await found.json(), { id: 7, name: 'Ada' })
  const post = (name: string) =>
    new Request(add!.path, { method: 'POST', body: JSON.stringify({ name }), headers: { 'content-type': 'application/json' } })
  assert.equal((await add!.resolve({ request: post('Eve'), params: {} })).status, 201)
  assert.equal((await add!.resolve({ request: post(''), params: {} })).status, 422)
})

test('leaving the loop over a stream ends the generator of the server', { timeout: 10_000 }, async () => {
  await using server = await bootstrap(Events)
  assert.deepEqual(await firstTicks(await server.listen({ port: 0 }), 3), [1, 2, 3])
  const ticker = server.resolve(Ticker)
  while (ticker.listeners > 0) await wait(5)
})

test('a stream that reconnects goes on behind its last item when the server is there again', { timeout: 20_000 }, async () => {
  const first = await bootstrap(Events)
  const baseUrl = await first.listen({ port: 0 })
  const controller = new AbortController()
  const lines: string[] = []
  let restarted: Promise<Awaited<ReturnType<typeof restart>>> | undefined
  async function restart() {
    await first.close()
    const second = await bootstrap(Events)
    await second.listen({ port: Number(new URL(baseUrl).port) })
    return second
  }
  const log = (line: string): void => {
    lines.push(line)
    if (lines.length === 2) restarted = restart()
    if (restarted !== undefined && lines.length > 6) controller.abort(new Error('enough'))
  }
  await assert.rejects(followTicks(baseUrl, controller.signal, log), /enough/)
  await (await restarted)!.close()
  assert.deepEqual(
    lines,
    lines.map((_line, index) => `tick ${index + 1}: ${index + 1}`),
  )
})
