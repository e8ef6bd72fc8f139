/** `@Idempotent`: what is kept and replayed, what is refused at boot, and what documents say. */
import assert from 'node:assert/strict'
import { describe as group, test } from 'node:test'
import {
  bootstrap,
  check,
  type Class,
  Controller,
  type Fault,
  Get,
  Hook,
  HttpError,
  Injectable,
  type Next,
  Plugin,
  Post,
  type Reply,
  type RequestOutcome,
  type RouteRequest,
  stream,
  testServer,
  use,
} from 'alcove'
import { describe, openapi } from 'alcove/contract'
import {
  Idempotent,
  IdempotencyPlugin,
  type IdempotencyOptions,
  type IdempotencyStore,
  type KeptReply,
  type KeyClaim,
  MemoryStore,
} from 'alcove/idempotency'

const send = (app: { inject: any }, url: string, key?: string, payload: unknown = {}) =>
  app.inject({ method: 'POST', url, payload, headers: key === undefined ? {} : { 'idempotency-key': key } })

/** An application with one controller. The hook of its plugin changes each payload, as one that compresses does. */
const appOf = (routes: Class, options: Partial<IdempotencyOptions> = {}, providers: Class[] = [], hooks: object = {}): Class => {
  @Plugin({
    providers,
    hooks,
    imports: [use(IdempotencyPlugin, { store: new MemoryStore(), caller: 'anyone', ...options })],
    routes: [routes] as never,
  })
  class App {}
  return App
}

let runs = 0
@Injectable()
@Controller('/things')
class Things {
  @Post({ path: '/json', status: 201 })
  @Idempotent()
  json(_request: RouteRequest, reply: Reply) {
    reply.header('location', '/things/1').header('set-cookie', 'secret=1').header('link', ['<a>', '<b>'])
    return { run: ++runs }
  }

  @Post('/text')
  @Idempotent()
  text() {
    return `run ${++runs}`
  }

  @Post('/sent')
  @Idempotent()
  sent(_request: RouteRequest, reply: Reply) {
    setTimeout(() => void reply.code(202).send({ run: ++runs }), 5)
  }

  @Post('/plain')
  plain() {
    return { run: ++runs }
  }

  @Post('/web')
  @Idempotent()
  web() {
    return new Response('streamed')
  }
}

group('a kept reply', () => {
  test('has the listed headers, in the form that the route gave them, and no others', async () => {
    await using app = await bootstrap(appOf(Things), { logger: false })
    const [first, second] = [await send(app, '/things/json', 'a'), await send(app, '/things/json', 'a')]
    assert.equal(second.body, first.body)
    for (const name of ['content-type', 'location', 'link']) assert.deepEqual(second.headers[name], first.headers[name], name)
    assert.deepEqual([first.headers['set-cookie'], second.headers['set-cookie']], ['secret=1', undefined])
    await using other = await bootstrap(appOf(Things, { headers: ['Set-Cookie'] }), { logger: false })
    await send(other, '/things/json', 'a')
    const replayed = await send(other, '/things/json', 'a')
    assert.deepEqual([replayed.headers['set-cookie'], replayed.headers['location']], ['secret=1', undefined])
    assert.equal(replayed.headers['content-type'], first.headers['content-type'], 'without it, the payload cannot be read')
  })

  test('is kept of text, and of a handler that sends it itself later', async () => {
    await using app = await bootstrap(appOf(Things), { logger: false })
    for (const [path, status] of [
      ['/things/text', 200],
      ['/things/sent', 202],
    ] as const) {
      const [first, second] = [await send(app, path, 'a' + status), await send(app, path, 'a' + status)]
      assert.deepEqual([second.statusCode, second.body, second.headers['idempotency-replayed']], [status, first.body, 'true'], path)
    }
  })

  test('passes through the hooks onSend of its contexts once for each reply, and their work is not kept', async () => {
    class Wrap {
      onSend(_request: unknown, reply: Reply, payload: unknown) {
        reply.removeHeader('content-length')
        return `[${String(payload)}]`
      }
    }
    await using app = await bootstrap(appOf(Things, {}, [], { onSend: [Wrap] }), { logger: false })
    const [first, second] = [await send(app, '/things/text', 'a'), await send(app, '/things/text', 'a')]
    assert.match(first.body, /^\[run \d+\]$/)
    assert.equal(second.body, first.body)
  })

  test('is not given to a request that a guard refuses, and not changed by around hooks of the context', async () => {
    let isOpen = true
    class Guard {
      preHandler() {
        if (!isOpen) throw new HttpError(403)
      }
    }
    class Envelope {
      async around(_request: RouteRequest, next: Next) {
        return { data: await next() }
      }
    }
    await using app = await bootstrap(appOf(Things, {}, [], { preHandler: [Guard], around: [Envelope] }), { logger: false })
    const [first, second] = [await send(app, '/things/json', 'a'), await send(app, '/things/json', 'a')]
    assert.match(first.body, /^\{"data":\{"run":/)
    assert.equal(second.body, first.body)
    isOpen = false
    assert.equal((await send(app, '/things/json', 'a')).statusCode, 403)
  })

  test('that is a Response or has too many bytes is refused with a 500, and its key is given back', async () => {
    const lines: string[] = []
    const logger = { level: 'error', stream: { write: (line: string) => void lines.push(line) } }
    await using app = await bootstrap(appOf(Things, { maxReplyBytes: 4 }), { logger })
    assert.equal((await send(app, '/things/web', 'a')).statusCode, 500)
    assert.equal((await send(app, '/things/json', 'b')).statusCode, 500)
    assert.equal((await send(app, '/things/json', 'b')).statusCode, 500)
    assert.match(lines[0]!, /App > Things\.web cannot keep its reply: it is a stream or a Response/)
    assert.match(lines[1]!, /App > Things\.json cannot keep its reply: it has \d+ bytes, maxReplyBytes is 4/)
  })
})

group('the header', () => {
  test('may be a bare word or a text of Structured Fields, which are one key', async () => {
    await using app = await bootstrap(appOf(Things), { logger: false })
    await send(app, '/things/json', 'abc-1')
    assert.equal((await send(app, '/things/json', '"abc-1"')).headers['idempotency-replayed'], 'true')
  })

  test('is refused if it is empty, too long, a list, or has other characters', async () => {
    await using app = await bootstrap(appOf(Things), { logger: false })
    for (const key of ['', '""', 'a b', 'a, b', '"a", "b"', '"a";p=1', 'é', `"a\\b"`, 'x'.repeat(256), '"a'])
      assert.equal((await send(app, '/things/json', key)).statusCode, 400, key)
    assert.equal((await send(app, '/things/json', 'x'.repeat(255))).statusCode, 201)
  })

  test('tells bodies apart that JSON would write alike, and takes equal ones for equal', async () => {
    await using app = await bootstrap(appOf(Things), { logger: false })
    await send(app, '/things/json', 'n', { a: { x: 1, y: [null, '1'] } })
    assert.equal((await send(app, '/things/json', 'n', { a: { y: [null, '1'], x: 1 } })).statusCode, 201)
    for (const other of [{ a: { x: '1', y: [null, '1'] } }, { a: { x: 1, y: [null, 1] } }, { a: { x: 1, y: [[null, '1']] } }, { 'a:{': 1 }])
      assert.equal((await send(app, '/things/json', 'n', other)).statusCode, 422, JSON.stringify(other))
  })

  test('is refused with a body that is nested too deeply to be compared', async () => {
    await using app = await bootstrap(appOf(Things), { logger: false })
    const payload = `${'['.repeat(2000)}${']'.repeat(2000)}`
    const headers = { 'idempotency-key': 'deep', 'content-type': 'application/json' }
    assert.equal((await app.inject({ method: 'POST', url: '/things/json', payload, headers })).statusCode, 400)
  })
})

group('a transaction of the request', () => {
  const events: string[] = []
  let failsToCommit = false
  @Injectable({ scope: 'request' })
  class Transaction {
    static readonly endsBefore = 'reply'
    onRequestEnd({ kind }: RequestOutcome) {
      events.push(kind === 'completed' ? 'commit' : 'rollback')
      if (failsToCommit) throw new Error('serialization failure')
    }
  }
  @Injectable()
  @Controller('/pay')
  class Pay {
    constructor(readonly transaction: Transaction) {}
    @Post()
    @Idempotent()
    pay() {
      events.push('work')
      return {}
    }
  }
  class Recording extends MemoryStore implements IdempotencyStore {
    constructor(readonly isTransactional: boolean) {
      super()
    }
    override async complete(claim: KeyClaim, reply: KeptReply, ttl: number) {
      events.push('keep')
      return super.complete(claim, reply, ttl)
    }
    override async release(claim: KeyClaim) {
      events.push('release')
      return super.release(claim)
    }
  }
  const eventsOf = async (app: { inject: any }): Promise<string[]> => {
    events.length = 0
    const { statusCode } = await send(app, '/pay', crypto.randomUUID())
    return [...events, String(statusCode)]
  }

  @Injectable()
  class UsesItEarly {
    constructor(readonly transaction: Transaction) {}
    preHandler() {}
  }

  for (const [order, hooks] of [
    ['after', {}],
    ['before', { preHandler: [UsesItEarly] }],
  ] as const)
    test(`that begins ${order} the claim is committed before the reply is kept, and a key is given back after the rollback`, async () => {
      await using app = await bootstrap(appOf(Pay, { store: new Recording(false) }, [Transaction], hooks), { logger: false })
      assert.deepEqual(await eventsOf(app), ['work', 'commit', 'keep', '200'])
      failsToCommit = true
      assert.deepEqual(await eventsOf(app), ['work', 'commit', 'release', '500'])
      failsToCommit = false
    })

  test('is committed after the reply was kept in it by a store that writes in it', async () => {
    await using app = await bootstrap(appOf(Pay, { store: new Recording(true) }, [Transaction]), { logger: false })
    assert.deepEqual(await eventsOf(app), ['work', 'keep', 'commit', '200'])
  })

  test('is answered with the reply of its work if only the store fails, and the log says so', async () => {
    const lines: string[] = []
    const logger = { level: 'error', stream: { write: (line: string) => void lines.push(line) } }
    class Failing extends MemoryStore {
      override async complete(): Promise<boolean> {
        throw new Error('no connection')
      }
    }
    await using app = await bootstrap(appOf(Pay, { store: new Failing() }, [Transaction]), { logger })
    assert.equal((await send(app, '/pay', 'a')).statusCode, 200)
    assert.match(lines.join(''), /a reply was not kept: the store of idempotency keys failed/)
    assert.equal((await send(app, '/pay', 'a')).statusCode, 409)
  })

  test('is rolled back if its lease was over before a store that writes in it could keep the reply', async () => {
    class Late extends Recording {
      override async complete(): Promise<boolean> {
        return false
      }
    }
    await using app = await bootstrap(appOf(Pay, { store: new Late(true) }, [Transaction]), { logger: false })
    assert.deepEqual(await eventsOf(app), ['work', 'rollback', 'release', '503'])
  })
})

group('at boot', () => {
  const faultsOf = (App: Class): readonly Fault[] => {
    try {
      check(App)
    } catch (error) {
      return (error as { faults: readonly Fault[] }).faults
    }
    return []
  }

  test('a route with a streamed reply is a fault', () => {
    const feed = { response: { 200: stream({ type: 'object' }) } } as const
    @Injectable()
    @Controller('/feed')
    class Feed {
      @Post('/', feed)
      @Idempotent()
      async *feed(_request: RouteRequest<typeof feed>) {
        yield {}
      }
    }
    const [found, ...others] = faultsOf(appOf(Feed))
    assert.deepEqual(others, [])
    assert.deepEqual([found?.code, found?.place], ['HOOK_UNFIT', 'App > Feed.feed'])
    assert.equal(
      found?.message,
      'App > Feed.feed has a streamed reply, which @Idempotent cannot keep. Leave @Idempotent out, or answer with one payload.',
    )
  })

  test('a route without the plugin is a fault', () => {
    @Plugin({ routes: [Things] })
    class Alone {}
    const missing = faultsOf(Alone).find(({ code }) => code === 'PROVIDER_UNKNOWN')
    assert.match(
      missing?.message ?? '',
      /IdempotentRequest, which no plugin provides\. Import use\(IdempotencyPlugin, \{ store, caller \}\) there/,
    )
  })

  test('options that are missing or wrong fail the boot together', async () => {
    const wrong = { store: {}, caller: undefined, ttl: 0, lease: 1.5, headers: 'etag', maxReplyBytes: -1, tll: 5 } as never
    await assert.rejects(bootstrap(appOf(Things, wrong), { logger: false }), (error: Error & { code: string }) => {
      assert.equal(error.code, 'ALC_ERR_IDEMPOTENCY')
      for (const part of [
        'store must have claim',
        'caller must be a function',
        'ttl must',
        'lease must',
        'headers must',
        'maxReplyBytes must',
        "no option 'tll'",
      ])
        assert.ok(error.message.includes(part), part)
      return true
    })
  })
})

test('a caller that is not known is a 500, and no request runs without one', async () => {
  const before = runs
  await using app = await bootstrap(appOf(Things, { caller: () => '' }), { logger: false })
  assert.equal((await send(app, '/things/json', 'a')).statusCode, 500)
  assert.equal(runs, before)
})

test('documents have the header, the statuses 400, 409 and 422, and the header of a replay; other routes have none of them', async () => {
  @Injectable()
  @Controller('/notes')
  class Notes {
    @Post({ path: '/required', status: 201 }, { response: { 201: { type: 'object' } } })
    @Idempotent({ required: true })
    add() {
      return {}
    }
    @Get()
    list() {
      return {}
    }
  }
  await using app = await bootstrap(appOf(Notes), { logger: false })
  const document = openapi(app, { info: { title: 'Notes', version: '1' } })
  const operation: any = document.paths['/notes/required']!['post']
  assert.deepEqual(
    operation.parameters.map(({ name, in: where, required }: any) => [name, where, required]),
    [['idempotency-key', 'header', true]],
  )
  assert.deepEqual(
    Object.keys(operation.responses).filter((status) => /^(?:400|409|422)$/.test(status)),
    ['400', '409', '422'],
  )
  assert.ok(operation.responses['201'].headers['idempotency-replayed'])
  const { hooks, responses } = describe(app).routes.find(({ url, methods }) => url === '/notes' && methods.includes('GET'))!
  assert.deepEqual([hooks, responses['409']], [[], undefined])
})

test('a typed call sends the header', async () => {
  await using app = await testServer(appOf(Things))
  const headers = { 'idempotency-key': 'a' }
  const first = await app.call(Things, 'json', { headers }).expect(201)
  assert.deepEqual(await app.call(Things, 'json', { headers }).expect(201), first)
})

class Last {
  onSend() {}
}
test('hooks are described in the order in which they run', () => {
  @Injectable()
  @Controller('/a')
  class Ordered {
    @Post()
    @Hook('onSend', Last)
    @Idempotent()
    a() {
      return {}
    }
  }
  class OfContext {
    onSend() {}
    around(_request: RouteRequest, next: Next) {
      return next()
    }
  }
  const { routes } = describe(appOf(Ordered, {}, [], { onSend: [OfContext], around: [OfContext] }))
  const names = routes.find(({ url }) => url === '/a')!.hooks.map(({ hook, name }) => `${hook} ${name}`)
  assert.deepEqual(names, [
    'around OptionalKey.around',
    'around OfContext.around',
    'onSend OptionalKey.onSend',
    'onSend OfContext.onSend',
    'onSend Last.onSend',
  ])
})

test('the plugin is not one that may add routes', () => {
  assert.deepEqual(describe(appOf(Things)).mayAddRoutes, [])
})
