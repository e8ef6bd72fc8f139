/** A client typed by the classes of its server, over HTTP. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bootstrap,
  type BootstrappedServer,
  type Class,
  Controller,
  event,
  Get,
  HttpError,
  Plugin,
  Post,
  Route,
  type RouteRequest,
  Schema,
  stream,
  testServer,
} from 'alcove'
import { client } from 'alcove/client'
import { routeTable } from 'alcove/contract'

const user = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'integer' }, at: { type: 'string', format: 'date-time' } },
} as const
const find = {
  params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  response: { 200: user, 404: { type: 'object', properties: { reason: { type: 'string' } } } },
} as const
const add = { body: user, response: { 201: user } } as const

@Controller('/users')
class UsersController {
  @Get('/:id')
  @Schema(find)
  find({ params }: RouteRequest<typeof find>, reply: any) {
    if (params.id === 0) return reply.code(404).send({ reason: 'gone' }) as never
    if (params.id < 0) throw new HttpError(409, 'No user has it')
    return { id: params.id, at: new Date(0) }
  }

  @Post({ status: 201 }, add)
  add({ body }: RouteRequest<typeof add>) {
    return body
  }

  @Get('/plain')
  plain() {
    return { at: new Date(0) }
  }

  helper(): void {}
}

@Route({ method: 'GET', path: '/two' })
class GetTwo {
  handle() {
    return { answer: 42 }
  }
}

@Plugin({ prefix: '/api', routes: [UsersController, GetTwo] })
class App {}

async function listen(PluginClass: Class): Promise<{ baseUrl: string; server: BootstrappedServer } & AsyncDisposable> {
  const server = await bootstrap(PluginClass)
  return { server, baseUrl: await server.listen({ port: 0 }), [Symbol.asyncDispose]: async () => server.close() }
}

test('the methods of a controller are called over HTTP, and their replies are told apart by status', async () => {
  await using at = await listen(App)
  const users = client<UsersController>(routeTable(App)['UsersController']!, at)
  const reply = await users.find({ params: { id: 7 } })
  assert.equal(reply.status, 200)
  if (reply.status === 200) assert.deepEqual([reply.body.id, reply.body.at], [7, '1970-01-01T00:00:00.000Z'])
  const missing = await users.find({ params: { id: 0 } })
  if (missing.status === 404) assert.equal(missing.body.reason, 'gone')
  else assert.fail(`it was ${missing.status}`)
  const failed = await users.find({ params: { id: -1 } })
  if (failed.status === 409) assert.equal(failed.body.message, 'No user has it')
  else assert.fail(`it was ${failed.status}`)
  assert.deepEqual(await users.add({ body: { id: 3 } }).expect(201), { id: 3 })
  assert.deepEqual((await users.plain().expect()).at, '1970-01-01T00:00:00.000Z')
})

test('a class with one route has the method handle', async () => {
  await using at = await listen(App)
  const two = client<GetTwo>(routeTable(at.server)['GetTwo']!, at)
  assert.equal((await two.handle().expect(200)).answer, 42)
})

test('a method that the table does not have is refused with the command that writes the table', async () => {
  const users = client<UsersController>(routeTable(App)['UsersController']!, { baseUrl: 'http://localhost' })
  assert.throws(
    () => users.helper(),
    /^TypeError: The table of routes has no 'helper'; it has find, add, plain\. .*alcove client <file> --routes <out>/,
  )
  // A promise may resolve to a client.
  assert.equal(await Promise.resolve(users), users)
})

const tick = {
  type: 'object',
  required: ['n', 'at'],
  properties: { n: { type: 'integer' }, at: { type: 'string', format: 'date-time' } },
} as const
const ticks = {
  headers: { type: 'object', properties: { 'last-event-id': { type: 'integer' } } },
  response: { 200: stream(tick) },
} as const

@Controller('/ticks')
class TicksController {
  static ended = 0
  @Get('', ticks)
  async *all({ headers }: RouteRequest<typeof ticks>) {
    try {
      for (let n = headers['last-event-id'] ?? 0; ;) yield event({ n: ++n, at: new Date(0) }, { id: String(n) })
    } finally {
      TicksController.ended++
    }
  }
  @Get('/three', ticks)
  async *three() {
    for (const n of [1, 2, 3]) yield { n, at: new Date(0) }
  }
}

@Plugin({ routes: [TicksController] })
class TicksApp {}

test('a stream is read item by item, ends when it is left, and is continued behind the last item', async () => {
  await using at = await listen(TicksApp)
  const calls = client<TicksController>(routeTable(TicksApp)['TicksController']!, at)
  const first = await calls.all().expect(200)
  const seen: number[] = []
  for await (const item of first) {
    assert.equal(item.at, '1970-01-01T00:00:00.000Z')
    seen.push(item.n)
    if (item.n === 3) break
  }
  assert.deepEqual([seen, first.lastEventId], [[1, 2, 3], '3'])
  while (TicksController.ended === 0) await new Promise(setImmediate)
  for await (const item of await calls.all({ headers: { 'last-event-id': first.lastEventId } }).expect(200)) {
    assert.equal(item.n, 4)
    break
  }
})

test('a call of a test server reads the items of a stream that ends', async () => {
  await using app = await testServer(TicksApp)
  const numbers: number[] = []
  for await (const { n } of await app.call(TicksController, 'three').expect(200)) numbers.push(n)
  assert.deepEqual(numbers, [1, 2, 3])
})
