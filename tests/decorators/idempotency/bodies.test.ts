/** `@Idempotent`: requests that cannot be told apart by method, path and JSON, and the payloads of replays. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { bootstrap, type Class, Controller, Hook, Plugin, Post, type Reply, type RouteRequest, use } from 'alcove'
import { Idempotent, IdempotencyPlugin, type IdempotencyStore, type KeptReply, type KeyClaim, MemoryStore } from 'alcove/idempotency'
import { fromText, toText } from '../../../decorators/idempotency/kept-text.js'

let runs = 0

@Controller('/things')
class Things {
  @Post()
  @Idempotent()
  add() {
    return { run: ++runs }
  }

  @Post('/gzip')
  @Idempotent()
  gzip(_request: RouteRequest, reply: Reply) {
    reply.header('content-encoding', 'gzip').type('application/json')
    return gzipSync(JSON.stringify({ run: ++runs }))
  }
}

/** A part of a form as `@fastify/multipart` makes it with `attachFieldsToBody: true`: it refers to the form that it is a part of. */
function partOfForm(): object {
  const part: { fields: object } = { fields: {} }
  part.fields = { file: part }
  return { file: part }
}

@Plugin({
  imports: [use(IdempotencyPlugin, { store: new MemoryStore(), caller: 'anyone' as const })],
  contentTypeParsers: [
    // As `@fastify/multipart` does: the handler reads the stream.
    { type: 'application/x-unread', parse: (_request, _stream, done) => done(null) },
    { type: 'application/x-parts', parseAs: 'buffer', parse: async () => partOfForm() },
    { type: 'application/x-nothing', parseAs: 'buffer', parse: async () => undefined },
  ],
  routes: [Things as Class] as never,
})
class App {}

async function start() {
  const lines: string[] = []
  const app = await bootstrap(App, { logger: { level: 'error', stream: { write: (line: string) => void lines.push(line) } } })
  const post = (type: string, payload: string, key?: string) =>
    app.inject({
      method: 'POST',
      url: '/things',
      payload,
      headers: { 'content-type': type, ...(key !== undefined && { 'idempotency-key': key }) },
    })
  return { app, lines, post }
}

test('a payload that the handler has encoded is replayed with its encoding', async () => {
  const { app } = await start()
  await using _app = app
  const send = () => app.inject({ method: 'POST', url: '/things/gzip', headers: { 'idempotency-key': 'gzip' } })
  const [first, second] = [await send(), await send()]
  assert.deepEqual([second.headers['idempotency-replayed'], second.headers['content-encoding']], ['true', 'gzip'])
  assert.equal(gunzipSync(second.rawPayload).toString(), gunzipSync(first.rawPayload).toString())
})

/** Notes the kind of a payload, and changes a text. */
const note = async (_request: RouteRequest, reply: Reply, payload: unknown) => {
  reply.header('x-payload', typeof payload === 'string' ? 'text' : Buffer.isBuffer(payload) ? 'bytes' : String(payload))
  return typeof payload === 'string' ? payload.replace('n', 'number') : payload
}

@Controller('/kinds')
class Kinds {
  @Post('/object')
  @Idempotent()
  @Hook('onSend', note)
  object() {
    return { n: 1 }
  }

  @Post('/html')
  @Idempotent()
  @Hook('onSend', note)
  html(_request: RouteRequest, reply: Reply) {
    reply.type('text/html')
    return '<p>né</p>'
  }

  @Post('/bytes')
  @Idempotent()
  @Hook('onSend', note)
  bytes() {
    return Buffer.from([0xff, 0xfe, 0x6e])
  }

  @Post('/serializer')
  @Idempotent()
  @Hook('preHandler', (_request, reply, done) => (reply.serializer(({ n }: { n: number }) => `<n>${n}</n>`), done()))
  @Hook('onSend', note)
  serializer(_request: RouteRequest, reply: Reply) {
    reply.type('application/json')
    return { n: 1 }
  }

  @Post({ path: '/nothing', status: 204 })
  @Idempotent()
  @Hook('onSend', note)
  nothing() {}
}

async function startKinds(store: IdempotencyStore) {
  @Plugin({ imports: [use(IdempotencyPlugin, { store, caller: 'anyone' as const })], routes: [Kinds as Class] as never })
  class KindsApp {}
  const app = await bootstrap(KindsApp, { logger: false })
  const send = async (path: string) => {
    const { statusCode, headers, rawPayload } = await app.inject({ method: 'POST', url: path, headers: { 'idempotency-key': path } })
    return { statusCode, type: headers['content-type'], kind: headers['x-payload'], replayed: headers['idempotency-replayed'], rawPayload }
  }
  return { app, send }
}

/** A store in memory that keeps replies as a store of texts does. */
class TextStore extends MemoryStore {
  override complete(claim: KeyClaim, reply: KeptReply, ttl: number) {
    return super.complete(claim, fromText(toText(reply)), ttl)
  }
}

/** A store with the replies of a version of alcove that did not note whether a payload was a text. */
class EarlierStore extends MemoryStore {
  override complete(claim: KeyClaim, { status, headers: { 'idempotency-replayed': _mark, ...headers }, body }: KeptReply, ttl: number) {
    return super.complete(claim, { status, headers, body }, ttl)
  }
}

for (const [kept, store] of [
  ['objects', new MemoryStore()],
  ['texts', new TextStore()],
] as const)
  test(`a replay from a store of ${kept} reaches the hooks onSend as the first reply did: a text as a text, bytes as bytes, of each content type`, async () => {
    const { app, send } = await startKinds(store)
    await using _app = app
    for (const [path, kind] of [
      ['/kinds/object', 'text'],
      ['/kinds/html', 'text'],
      ['/kinds/bytes', 'bytes'],
      ['/kinds/serializer', 'text'],
      ['/kinds/nothing', 'undefined'],
    ] as const) {
      const [first, second] = [await send(path), await send(path)]
      assert.equal(first.kind, kind, path)
      assert.deepEqual(second, { ...first, replayed: 'true' }, path)
    }
  })

test('a reply that was kept without a note whether it was a text is replayed as bytes', async () => {
  const { app, send } = await startKinds(new EarlierStore())
  await using _app = app
  const [first, second] = [await send('/kinds/html'), await send('/kinds/html')]
  assert.deepEqual([first.kind, second.kind, second.replayed, second.type], ['text', 'bytes', 'true', first.type])
  assert.equal(String(second.rawPayload), '<p>né</p>')
})

test('a body that a parser leaves to the handler is refused with a 500 that names the route, for two of them cannot be told apart', async () => {
  const { app, lines, post } = await start()
  await using _app = app
  assert.equal((await post('application/x-unread', 'one', 'a')).statusCode, 500)
  assert.match(lines[0]!, /App > Things\.add cannot compare the requests: the handler reads the body/)
  assert.equal((await post('application/x-unread', 'one')).statusCode, 200, 'without a key')
  assert.equal((await post('application/x-nothing', 'one', 'b')).statusCode, 200, 'a parser that has read the body')
})

test('a body that contains itself is refused with a 500, and its client is not said to have nested it too deeply', async () => {
  const { app, lines, post } = await start()
  await using _app = app
  assert.equal((await post('application/x-parts', 'one', 'c')).statusCode, 500)
  assert.match(lines[0]!, /App > Things\.add cannot compare the requests: an object of the body contains itself/)
})

test('a body that has the same object twice is compared', async () => {
  const { app, post } = await start()
  await using _app = app
  const twice = JSON.stringify({ one: { a: [1] }, other: { a: [1] } })
  const replies = [await post('application/json', twice, 'd'), await post('application/json', twice, 'd')]
  assert.deepEqual(
    replies.map(({ headers }) => headers['idempotency-replayed']),
    [undefined, 'true'],
  )
})

test('routes of one path with other constraints are other routes: a key of one is refused by the other', async () => {
  const plan = (host: string | RegExp, name: string): Class => {
    @Controller('/plan', { constraints: { host } })
    class Plan {
      @Post()
      @Idempotent()
      change() {
        return name
      }
    }
    return Plan
  }
  @Plugin({
    imports: [use(IdempotencyPlugin, { store: new MemoryStore(), caller: 'anyone' as const })],
    routes: [plan('a.example', 'of a'), plan(/^b\.example$/, 'of b'), plan(/^c\.example$/, 'of c')] as never,
  })
  class Tenants {}
  await using app = await bootstrap(Tenants, { logger: false })
  const send = (host: string, key: string) => app.inject({ method: 'POST', url: '/plan', headers: { host, 'idempotency-key': key } })
  assert.deepEqual([(await send('a.example', '1')).body, (await send('a.example', '1')).body], ['of a', 'of a'])
  assert.equal((await send('b.example', '1')).statusCode, 422)
  assert.equal((await send('b.example', '2')).body, 'of b')
  assert.equal((await send('c.example', '2')).statusCode, 422)
})
