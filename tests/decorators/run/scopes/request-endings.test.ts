/** `onRequestEnd` of request-scoped providers: how a request ended, once, before the reply or when the request is over. */
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import {
  bootstrap,
  type BootstrappedServer,
  type Class,
  Controller,
  Get,
  Hook,
  HttpError,
  Injectable,
  Plugin,
  type Reply,
  type Request,
  type RequestOutcome,
  type ServerOptions,
} from 'alcove'
import { messagesOf, plugin } from '../../../fixtures/applications.js'

type Kind = RequestOutcome['kind']

/** The events of an application, in their order. */
let events: string[] = []
const note = (event: string): void => void events.push(event)
const line = (name: string, { kind, status, error }: RequestOutcome): string =>
  `${name} ${kind}${status === undefined ? '' : ` ${status}`}${error instanceof Error ? ` ${error.message}` : ''}`

let failsToCommit = false
@Injectable({ scope: 'request' })
class Transaction {
  static readonly endsBefore = 'reply'
  onRequestEnd(outcome: RequestOutcome) {
    note(line('transaction', outcome))
    if (failsToCommit) throw new Error('serialization failure')
  }
  dispose() {
    note('dispose transaction')
  }
}
@Injectable({ scope: 'request' })
class Audit {
  static readonly inject = [Transaction] as const
  constructor(readonly transaction: Transaction) {}
  async onRequestEnd(outcome: RequestOutcome) {
    await Promise.resolve()
    note(line('audit', outcome))
  }
  dispose() {
    note('dispose audit')
  }
}

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
let release: () => void = () => {}

function refuseAsBusy(): never {
  throw new HttpError(429)
}

@Injectable()
@Controller()
class Routes {
  static readonly inject = [Audit] as const
  constructor(readonly audit: Audit) {}

  @Get('/ok')
  ok() {
    return { ok: true }
  }
  @Get('/thrown')
  thrown() {
    throw new Error('boom')
  }
  @Get('/refused')
  refused(_request: Request, reply: Reply) {
    reply.code(409)
    return { refused: true }
  }
  @Get('/missing')
  missing() {
    throw new HttpError(404, 'missing')
  }
  @Get('/stream')
  stream() {
    return Readable.from(['a', 'b'], { objectMode: false })
  }
  @Get('/broken')
  broken() {
    return Readable.from(
      (async function* () {
        yield 'a'
        await later(5)
        throw new Error('broken')
      })(),
      { objectMode: false },
    )
  }
  @Get('/slow')
  async slow() {
    note('handler')
    await new Promise<void>((resolve) => (release = resolve))
    note('handler over')
    return 'slow'
  }
  @Get('/cancelled')
  async cancelled({ signal }: Request) {
    note('handler')
    await pause(10_000, undefined, { signal })
  }
  @Get({ path: '/late', handlerTimeout: 30 })
  async late() {
    await later(60)
    note('handler over')
    return 'late'
  }
  @Get({ path: '/late/busy', handlerTimeout: 30, errorHandler: refuseAsBusy })
  lateAndBusy() {
    return this.late()
  }
  @Get('/sent')
  sent(_request: Request, reply: Reply) {
    reply.send({ sent: true })
    throw new Error('too late')
  }
  @Get('/hijack')
  hijack(_request: Request, reply: Reply) {
    reply.hijack()
    reply.raw.end('own')
  }
}

class OnSend {
  onSend(_request: Request, _reply: Reply, payload: unknown) {
    note('onSend')
    return payload
  }
}
@Plugin({ hooks: { onSend: OnSend }, providers: [Transaction, Audit], routes: [Routes] })
class App {}

interface Answer {
  readonly status: number
  readonly body: string
}

/** Asks over one protocol. If `leave` is given, the client leaves as soon as it is resolved. */
type Ask = (port: number, path: string, leave?: Promise<unknown>) => Promise<Answer | undefined>

const overHttp1: Ask = (port, path, leave) =>
  new Promise((resolve) => {
    const client = httpRequest({ port, path, agent: false }, (response) => {
      let body = ''
      response.on('data', (chunk: Buffer) => (body += chunk.toString()))
      response.on('error', () => resolve({ status: response.statusCode!, body: `${body}…` }))
      response.on('end', () => resolve({ status: response.statusCode!, body }))
    })
    client.on('error', () => resolve(undefined))
    client.end()
    void leave?.then(() => client.destroy())
  })

const overHttp2: Ask = async (port, path, leave) => {
  const session = connect(`http://localhost:${port}`)
  try {
    return await new Promise((resolve) => {
      const stream = session.request({ ':path': path })
      let [status, body] = [0, '']
      stream.on('response', (headers) => (status = Number(headers[':status'])))
      stream.on('data', (chunk: Buffer) => (body += chunk.toString()))
      stream.on('error', () => resolve(status === 0 ? undefined : { status, body: `${body}…` }))
      stream.on('end', () => resolve(status === 0 ? undefined : { status, body: stream.rstCode === 0 ? body : `${body}…` }))
      stream.on('close', () => resolve(undefined))
      void leave?.then(() => stream.close(8))
    })
  } finally {
    session.close()
  }
}

async function serving(options: ServerOptions, ask: (server: BootstrappedServer, port: number) => Promise<void>, of: Class = App) {
  events = []
  failsToCommit = false
  const server = await bootstrap(of, options)
  try {
    await server.listen({ port: 0 })
    await ask(server, (server.server.address() as AddressInfo).port)
  } finally {
    await server.close()
  }
}

async function until(event: string): Promise<void> {
  for (let waited = 0; !events.includes(event); waited += 5) {
    assert.ok(waited < 3000, `${event} never came: ${events.join(', ')}`)
    await later(5)
  }
}

const ended = ['dispose audit', 'dispose transaction']

for (const [protocol, ask, options] of [
  ['HTTP/1', overHttp1, {}],
  ['HTTP/2', overHttp2, { http2: true }],
] as const) {
  describe(`the end of a request over ${protocol}`, () => {
    const cases: readonly (readonly [path: string, kind: Kind, status: number, error: string])[] = [
      ['/ok', 'completed', 200, ''],
      ['/thrown', 'failed', 500, ' boom'],
      ['/missing', 'failed', 404, ' missing'],
      ['/refused', 'failed', 409, ''],
    ]
    for (const [path, kind, status, error] of cases)
      test(`${path}: ${kind}, before the reply is sent, and once`, async () => {
        await serving(options, async (_server, port) => {
          const answer = await ask(port, path)
          assert.equal(answer?.status, status)
          await until('dispose transaction')
          assert.deepEqual(events, ['onSend', `transaction ${kind} ${status}${error}`, `audit ${kind} ${status}${error}`, ...ended])
        })
      })

    test('a handler that throws after it has sent its reply: completed, and the client gets the reply', async () => {
      await serving({ ...options, logger: false }, async (_server, port) => {
        assert.equal((await ask(port, '/sent'))?.status, 200)
        await until('dispose transaction')
        assert.deepEqual(events, ['onSend', 'transaction completed 200', 'audit completed 200', ...ended])
      })
    })

    test('an instance that cannot end turns a reply of success into the error, which it is not told again', async () => {
      await serving(options, async (_server, port) => {
        failsToCommit = true
        const answer = await ask(port, '/ok')
        assert.deepEqual([answer?.status, JSON.parse(answer!.body).message], [500, 'Internal Server Error'])
        await until('dispose transaction')
        const failure = 'serialization failure'
        assert.deepEqual(events, ['onSend', 'transaction completed 200', 'onSend', `audit failed 500 ${failure}`, ...ended])
      })
    })

    test('an instance that takes too long to end: those that end later are told that the time of the request was over', async () => {
      @Injectable({ scope: 'request' })
      class Slow {
        static readonly inject = [Transaction] as const
        static readonly endsBefore = 'reply'
        constructor(readonly transaction: Transaction) {}
        async onRequestEnd() {
          await later(200)
        }
      }
      @Injectable()
      @Controller()
      class Route {
        static readonly inject = [Slow] as const
        constructor(readonly slow: Slow) {}
        @Get('/')
        get() {
          return { ok: true }
        }
      }
      @Plugin({ providers: [Transaction, Slow], routes: [Route] })
      class SlowApp {}
      const run = async (_server: unknown, port: number): Promise<void> => {
        assert.equal((await ask(port, '/'))?.status, 503)
        await until('dispose transaction')
        assert.match(events[0]!, /^transaction timed-out 503 /)
      }
      await serving({ ...options, handlerTimeout: 50, logger: false }, run, SlowApp)
    })

    test('a stream: before its head; if the stream fails, the instances that end later are told so', async () => {
      await serving(options, async (_server, port) => {
        assert.equal((await ask(port, '/stream'))?.body, 'ab')
        await until('dispose transaction')
        assert.deepEqual(events, ['onSend', 'transaction completed 200', 'audit completed 200', ...ended])
      })
      await serving({ ...options, logger: false }, async (_server, port) => {
        await ask(port, '/broken')
        await until('dispose transaction')
        assert.deepEqual(events, ['onSend', 'transaction completed 200', 'audit failed 200 broken', ...ended])
      })
    })

    test('a client that leaves before the reply: aborted, when the handler is over', async () => {
      await serving(options, async (_server, port) => {
        const answer = await ask(
          port,
          '/slow',
          until('handler').then(() => later(10)),
        )
        assert.equal(answer, undefined)
        await later(30)
        assert.deepEqual(events, ['handler'])
        release()
        await until('dispose transaction')
        assert.deepEqual(
          events.filter((event) => event !== 'onSend'),
          ['handler', 'handler over', 'audit aborted', 'transaction aborted', ...ended],
        )
      })
    })

    test('a client that leaves, and a handler that stops because of it: aborted, and no error in the log', async () => {
      const errors: string[] = []
      const stream = { write: (text: string) => void errors.push(text) }
      await serving({ ...options, logger: { level: 'error', stream } }, async (_server, port) => {
        await ask(
          port,
          '/cancelled',
          until('handler').then(() => later(10)),
        )
        await until('dispose transaction')
        assert.deepEqual(
          events.filter((event) => event !== 'onSend'),
          ['handler', 'audit aborted', 'transaction aborted', ...ended],
        )
        assert.deepEqual(errors, [])
      })
    })

    for (const [path, status, besides] of [
      ['/late', 503, ''],
      ['/late/busy', 429, ', and an error handler that throws another error'],
    ] as const)
      test(`a handler whose time is over${besides}: timed out, when the handler is over`, async () => {
        await serving(options, async (_server, port) => {
          assert.equal((await ask(port, path))?.status, status)
          await until('dispose transaction')
          const [sent, over, audit, transaction, ...rest] = events
          assert.deepEqual([sent, over, rest], ['onSend', 'handler over', ended])
          assert.ok(audit!.startsWith(`audit timed-out ${status} `), audit)
          assert.ok(transaction!.startsWith(`transaction timed-out ${status} `), transaction)
        })
      })

    test('a reply that the application writes itself: when it is over', async () => {
      await serving(options, async (_server, port) => {
        assert.equal((await ask(port, '/hijack'))?.body, 'own')
        await until('dispose transaction')
        assert.deepEqual(events, ['audit completed 200', 'transaction completed 200', ...ended])
      })
    })

    test('a server that closes lets requests end', async () => {
      await serving(options, async (server, port) => {
        const answer = ask(port, '/slow')
        await until('handler')
        const closed = server.close()
        await later(10)
        release()
        assert.equal((await answer)?.body, 'slow')
        await closed
        assert.deepEqual(events, ['handler', 'handler over', 'onSend', 'transaction completed 200', 'audit completed 200', ...ended])
      })
    })
  })
}

test('a request of a test ends in the same way', async () => {
  await serving({}, async (server) => {
    assert.equal((await server.inject('/ok')).statusCode, 200)
    await until('dispose transaction')
    assert.deepEqual(events, ['onSend', 'transaction completed 200', 'audit completed 200', ...ended])
  })
})

test('several instances that end before the reply: in reverse order, and after a failure the others are told that the request failed', async () => {
  class First {
    static readonly endsBefore = 'reply'
    onRequestEnd(outcome: RequestOutcome) {
      note(line('first', outcome))
    }
  }
  class Second {
    static readonly inject = [First] as const
    static readonly endsBefore = 'reply'
    constructor(readonly first: First) {}
    async onRequestEnd(outcome: RequestOutcome) {
      await later(1)
      note(line('second', outcome))
      throw new Error('not saved')
    }
  }
  @Controller()
  class Home {
    static readonly inject = [Second] as const
    constructor(readonly second: Second) {}
    @Get('/')
    home() {
      return 'home'
    }
  }
  const providers = [First, Second].map((useClass) => ({ provide: useClass, useClass, scope: 'request' as const }))
  const Nested = plugin('Nested', { providers, routes: [Home] })
  await serving(
    {},
    async (server) => {
      assert.equal((await server.inject('/')).statusCode, 500)
      assert.deepEqual(events, ['second completed 200', 'first failed not saved'])
    },
    Nested,
  )
})

test('a Response that a handler returns ends its request by its own status', async () => {
  @Injectable()
  @Controller()
  class Home {
    static readonly inject = [Transaction] as const
    constructor(readonly transaction: Transaction) {}
    @Get('/conflict')
    conflict() {
      return new Response('taken', { status: 409 })
    }
    @Get('/made')
    made() {
      return new Response('made', { status: 201 })
    }
    @Get('/read')
    async read() {
      const response = new Response('read')
      await response.text()
      return response
    }
  }
  const Responding = plugin('Responding', { providers: [Transaction], routes: [Home] })
  await serving(
    {},
    async (_server, port) => {
      for (const [path, status, body, line] of [
        ['/conflict', 409, /^taken$/, 'transaction failed 409'],
        ['/made', 201, /^made$/, 'transaction completed 201'],
        ['/read', 500, /BODY_CONSUMED/, 'transaction failed 500 Response.body is already consumed.'],
      ] as const) {
        events = []
        const answer = await overHttp1(port, path)
        assert.equal(answer?.status, status)
        assert.match(answer.body, body)
        await until('dispose transaction')
        assert.deepEqual(events, [line, 'dispose transaction'])
      }
      failsToCommit = true
      assert.equal((await overHttp1(port, '/made'))?.status, 500)
    },
    Responding,
  )
})

test('a hook of an unknown path, and an error handler that answers, end their request too', async () => {
  class Uses {
    static readonly inject = [Transaction] as const
    constructor(readonly transaction: Transaction) {}
    onRequest() {}
  }
  class Forgives {
    errorHandler() {
      return 'forgiven'
    }
  }
  @Controller()
  class Home {
    @Get('/forgiven')
    @Hook('onRequest', Uses)
    home() {
      throw new Error('boom')
    }
  }
  const Handling = plugin('Handling', {
    providers: [Transaction],
    hooks: { onRequest: Uses },
    errorHandler: Forgives,
    routes: [Home],
    notFoundHandler: (_request, reply) => reply.code(404).send('nothing here'),
  })
  await serving(
    {},
    async (server) => {
      assert.equal((await server.inject('/unknown')).statusCode, 404)
      await until('dispose transaction')
      assert.deepEqual(events, ['transaction failed 404', 'dispose transaction'])
      events = []
      await server.inject('/forgiven')
      await until('dispose transaction')
      assert.match(events[0]!, /^transaction failed \d+ boom$/)
    },
    Handling,
  )
})

test('an error of an instance that ends after the reply is logged, and the others end', async () => {
  const lines: string[] = []
  class Failing {
    onRequestEnd() {
      throw new Error('no audit')
    }
    dispose() {
      note('dispose failing')
    }
  }
  @Controller()
  class Home {
    static readonly inject = [Failing] as const
    constructor(readonly failing: Failing) {}
    @Get('/')
    home() {
      return 'home'
    }
  }
  const Logging = plugin('Logging', { providers: [{ provide: Failing, useClass: Failing, scope: 'request' }], routes: [Home] })
  const logger = { level: 'error', stream: { write: (written: string) => void lines.push(written) } }
  await serving(
    { logger },
    async (server) => {
      assert.equal((await server.inject('/')).statusCode, 200)
      await until('dispose failing')
      assert.match(lines.join(), /Failing\.onRequestEnd failed/)
    },
    Logging,
  )
})

test('onRequestEnd of what belongs to no request, and endsBefore without effect, are faults', () => {
  class Cache {
    onRequestEnd() {}
  }
  @Injectable({ scope: 'request' })
  class Misspelt {
    static readonly endsBefore = 'response'
    onRequestEnd() {}
  }
  @Injectable({ scope: 'request' })
  class Without {
    static readonly endsBefore = 'reply'
  }
  assert.deepEqual(messagesOf(plugin('App', { providers: [Cache, Misspelt, Without] })), [
    "Cache (in App) has onRequestEnd(), which would never be called: it belongs to no request. Make it request-scoped: { scope: 'request' }.",
    "Misspelt (in App) has static endsBefore = 'response', which has no effect. Write static readonly endsBefore = 'reply', and a method onRequestEnd(outcome).",
    "Without (in App) has static endsBefore = 'reply', which has no effect. Write static readonly endsBefore = 'reply', and a method onRequestEnd(outcome).",
  ])
})

test('an error whose members throw when they are read ends its request like any other', async () => {
  const hostile = Object.defineProperty(new Error('hostile'), 'code', {
    get() {
      throw new Error('secret')
    },
  })
  const told: string[] = []
  @Injectable({ scope: 'request' })
  class Told {
    onRequestEnd({ kind, error }: RequestOutcome) {
      told.push(`${kind} ${error === hostile}`)
    }
  }
  @Injectable()
  @Controller()
  class Fails {
    static readonly inject = [Told] as const
    constructor(readonly told: Told) {}
    @Get('/')
    get() {
      throw hostile
    }
  }
  const server = await bootstrap(plugin('Hostile', { providers: [Told], routes: [Fails] }))
  assert.equal((await server.inject('/')).statusCode, 500)
  await server.close()
  assert.deepEqual(told, ['failed true'])
})
