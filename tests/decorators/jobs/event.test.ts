/** Events inside an application: who handles them, when, and in which scope. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import {
  bootstrap,
  check,
  type Class,
  Controller,
  domainEvent,
  type Emitter,
  explain,
  HttpError,
  Injectable,
  Job,
  type JobRun,
  Plugin,
  Post,
  type RequestOutcome,
  testServer,
  WiringError,
} from 'alcove'
import { z } from 'zod'

const REGISTERED = domainEvent('user.registered', {
  payload: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
})

let events: string[] = []
let failing: string | undefined
beforeEach(() => {
  events = []
  failing = undefined
})

@Injectable({ scope: 'request' })
class Transaction {
  static count = 0
  static readonly endsBefore = 'reply'
  readonly number = ++Transaction.count
  onRequestEnd({ kind }: RequestOutcome) {
    events.push(`transaction ${kind}`)
  }
}

@Controller('/users')
class UsersController {
  static readonly inject = [REGISTERED, Transaction] as const
  constructor(
    private readonly registered: Emitter<{ id: number }>,
    private readonly transaction: Transaction,
  ) {}
  @Post({ status: 201 })
  async register() {
    events.push(`register in ${this.transaction.number - Transaction.count}`)
    await this.registered.emit({ id: 7 })
    if (failing === 'handler') throw new HttpError(409, 'no')
    return { id: 7 }
  }
}

@Job({ on: REGISTERED, when: 'now' })
class Count {
  static readonly inject = [Transaction] as const
  constructor(private readonly transaction: Transaction) {}
  run({ input }: JobRun<typeof REGISTERED>) {
    events.push(`count ${input.id} in ${this.transaction.number - Transaction.count}`)
    if (failing === 'now') throw new HttpError(422, 'not countable')
  }
}
@Job({ on: REGISTERED, when: 'later' })
class Greet {
  async run({ input, signal }: JobRun<typeof REGISTERED>) {
    events.push(`greet ${input.id}${signal.aborted ? ' although it closes' : ''}`)
    if (failing === 'later') throw new Error('no mail')
  }
}
@Job({ on: REGISTERED, when: 'queue', retry: { limit: 1, delay: 0 } })
class Index {
  run({ input, attempt }: JobRun<typeof REGISTERED>) {
    events.push(`index ${input.id} ${attempt}`)
    if (failing === 'queue' && attempt === 1) throw new Error('no index')
  }
}

@Plugin({ jobs: [Count, Greet] })
class Welcome {}
@Plugin({ providers: [REGISTERED, Transaction], routes: [UsersController], jobs: [Index], imports: [Welcome] })
class App {}

const register = async (server: { inject: (options: object) => Promise<{ statusCode: number }> }): Promise<number> =>
  (await server.inject({ method: 'POST', url: '/users' })).statusCode

describe('an event', () => {
  it('is handled in the request, after it, and by a queue, as each handler says', async () => {
    await using app = await testServer(App)
    await app.server.startJobs()
    assert.equal(await register(app.server), 201)
    await app.close()
    assert.deepEqual(events, ['register in 0', 'count 7 in 0', 'index 7 1', 'transaction completed', 'greet 7'])
  })

  it('fails the request if a handler within it fails, and is then not handled later', async () => {
    failing = 'now'
    await using app = await testServer(App)
    assert.equal(await register(app.server), 422)
    await app.close()
    assert.deepEqual(events, ['register in 0', 'count 7 in 0', 'transaction failed'])
  })

  it('is not handled after a request that fails', async () => {
    failing = 'handler'
    await using app = await testServer(App)
    assert.equal(await register(app.server), 409)
    await app.close()
    assert.deepEqual(events, ['register in 0', 'count 7 in 0', 'transaction failed'])
  })

  it('is handled later in the order of the tree and of the events, after every provider of the request has ended', async () => {
    const HAPPENED = domainEvent('happened', { payload: { type: 'object', properties: { id: { type: 'integer' } } } })
    const order: string[] = []
    const handler = (name: string): Class => {
      class Handler {
        run({ input }: JobRun<typeof HAPPENED>) {
          order.push(`${name} ${input.id}`)
        }
      }
      Job({ on: HAPPENED, when: 'later' })(Handler)
      return Object.defineProperty(Handler, 'name', { value: name })
    }
    @Injectable({ scope: 'request' })
    class Commits {
      async onRequestEnd() {
        await new Promise((resolve) => setImmediate(resolve))
        order.push('committed')
      }
    }
    @Controller('/')
    class Emits {
      static readonly inject = [Commits, HAPPENED] as const
      constructor(
        readonly commits: Commits,
        private readonly happened: Emitter<{ id?: number }>,
      ) {}
      @Post()
      async emit() {
        await this.happened.emit({ id: 1 })
        await this.happened.emit({ id: 2 })
      }
    }
    @Plugin({ providers: [HAPPENED, Commits], routes: [Emits], jobs: [handler('First'), handler('Second')] })
    class Events {}
    await using app = await testServer(Events)
    await app.inject({ method: 'POST', url: '/' })
    await app.close()
    assert.deepEqual(order, ['committed', 'First 1', 'Second 1', 'First 2', 'Second 2'])
  })

  it('reaches a handler in a queue again if it has failed', async () => {
    failing = 'queue'
    await using app = await testServer(App, { server: { logger: false } })
    await app.server.startJobs()
    await register(app.server)
    while (!events.includes('index 7 2')) await new Promise((resolve) => setTimeout(resolve, 2))
  })

  it('logs the error of a handler after the request, whose reply was sent', async () => {
    failing = 'later'
    const lines: string[] = []
    const server = await bootstrap(App, { logger: { stream: { write: (line: string) => void lines.push(line) } } })
    assert.equal(await register(server), 201)
    await server.close()
    assert.match(lines.join(''), /"message":"no mail".*App > Welcome > Greet failed/)
  })

  it('is handled within server.run as in a request, and in a scope of its own elsewhere', async () => {
    await using app = await testServer(App)
    await app.server.run(async (scope) => {
      const emitter = await scope.get(REGISTERED)
      await emitter.emit({ id: 8 })
      events.push('the work ends')
    })
    assert.deepEqual(events.splice(0), ['count 8 in 0', 'the work ends', 'transaction completed', 'greet 8'])
    await app.resolve(REGISTERED).emit({ id: 9 })
    await app.close()
    assert.deepEqual(events, ['count 9 in 0', 'transaction completed', 'greet 9'])
  })

  it('is handled after a request also if the server closes meanwhile', async () => {
    class Slow {
      async onSend() {
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
    @Plugin({ hooks: { onSend: Slow }, imports: [App] })
    class Outer {}
    await using app = await testServer(Outer)
    const reply = register(app.server)
    while (!events.includes('index 7 1') && events.length < 2) await new Promise((resolve) => setTimeout(resolve, 1))
    await app.close()
    assert.equal(await reply, 201)
    assert.ok(events.some((line) => line.startsWith('greet 7')))
  })

  it('refuses a payload that does not fit its schema', async () => {
    await using app = await testServer(App)
    await assert.rejects(app.resolve(REGISTERED).emit({ id: 'x' } as never), {
      code: 'ALC_ERR_JOB_INPUT_INVALID',
      message: "The schema of the event 'user.registered' refuses the value: input/id must be integer",
    })
    assert.deepEqual(events, [])
  })

  it('cannot be emitted before the application is ready', async () => {
    class Early {
      static readonly inject = [REGISTERED] as const
      constructor(readonly registered: Emitter<{ id: number }>) {}
    }
    @Plugin({ providers: [REGISTERED, Early], jobs: [Greet] })
    class Eager {
      static readonly inject = [Early] as const
      constructor(readonly early: Early) {}
      async setup() {
        await this.early.registered.emit({ id: 1 })
      }
    }
    await assert.rejects(bootstrap(Eager), /'user.registered' was emitted before the application was ready/)
  })

  it('gives each handler a payload of its own', async () => {
    const CHANGED = domainEvent('changed', { payload: { type: 'object', properties: { n: { type: 'integer' } } } })
    const seen: unknown[] = []
    const handler = (name: string): Class => {
      const Made = { [name]: class {} }[name]! as Class
      Made.prototype.run = ({ input }: { input: { n: number } }) => void seen.push(input.n++)
      Job({ on: CHANGED, when: 'now' })(Made as never)
      return Made
    }
    class Emits {
      static readonly inject = [CHANGED] as const
      constructor(readonly changed: Emitter<{ n?: number }>) {}
    }
    class Both {}
    Plugin({ providers: [CHANGED, Emits], jobs: [handler('One'), handler('Two')] })(Both as never)
    await using app = await testServer(Both)
    await app.resolve(CHANGED).emit({ n: 1 })
    assert.deepEqual(seen, [1, 1])
  })

  it('gives each handler what a schema of a library makes of the payload, once', async () => {
    const PAID = domainEvent('paid', { payload: z.object({ amount: z.string().transform(Number) }) })
    const seen: unknown[] = []
    const handler = (when: 'now' | 'later' | 'queue'): Class => {
      const Made = { [when]: class {} }[when]! as Class
      Made.prototype.run = ({ input }: { input: unknown }) => void seen.push(input)
      Job({ on: PAID, when })(Made as never)
      return Made
    }
    class Emits {
      static readonly inject = [PAID] as const
      constructor(readonly paid: Emitter<{ amount: number }>) {}
    }
    class All {}
    Plugin({ providers: [PAID, Emits], jobs: [handler('now'), handler('later'), handler('queue')] })(All as never)
    await using app = await testServer(All)
    await app.server.startJobs()
    await app.resolve(PAID).emit({ amount: '7' } as never)
    await app.server.run(() => app.resolve(PAID).emit({ amount: '7' } as never))
    await app.close()
    assert.deepEqual(
      seen,
      Array.from({ length: 6 }, () => ({ amount: 7 })),
    )
  })

  it('is shown by explain at each job', async () => {
    await using app = await testServer(App)
    assert.equal(
      String(explain(app.server)),
      [
        'App',
        '├── POST /users',
        '├── job Index  (event user.registered queue)',
        '└── Welcome',
        '    ├── job Count  (event user.registered now)',
        '    └── job Greet  (event user.registered later)',
      ].join('\n'),
    )
  })
})

describe('the wiring of events', () => {
  const faultsOf = (options: object): string[] => {
    class Faulty {}
    Plugin(options as never)(Faulty as never)
    try {
      check(Faulty)
      return []
    } catch (error) {
      assert.ok(error instanceof WiringError)
      return error.faults.map(({ code, place }) => `${code} ${place}`)
    }
  }
  class Emits {
    static readonly inject = [REGISTERED] as const
    constructor(readonly registered: Emitter<{ id: number }>) {}
  }
  const job = (options: unknown): Class => {
    class Work {
      run() {}
    }
    Job(options as never)(Work as never)
    return Work
  }

  it('has a fault for an event that nothing handles, and for one that nothing emits', () => {
    assert.deepEqual(faultsOf({ providers: [REGISTERED, Emits] }), ['EVENT_UNHANDLED Faulty'])
    assert.deepEqual(faultsOf({ providers: [REGISTERED], jobs: [Greet] }), ['EVENT_UNEMITTED Faulty'])
    assert.deepEqual(faultsOf({ providers: [REGISTERED, Emits], jobs: [Greet] }), [])
  })

  it('has a fault for a handler that does not see the event', () => {
    class Other {}
    Plugin({ jobs: [Greet] })(Other as never)
    class Owner {}
    Plugin({ providers: [REGISTERED, Emits], jobs: [Count] })(Owner as never)
    assert.ok(faultsOf({ providers: [Transaction], imports: [Owner, Other] }).includes('PROVIDER_NOT_VISIBLE Faulty > Other > Greet'))
  })

  it('has a fault for what is no event, for a missing when, and for options without effect', () => {
    const wrong: [unknown, string][] = [
      [{ on: {}, when: 'now' }, 'OPTION_INVALID'],
      [{ on: REGISTERED }, 'OPTION_INVALID'],
      [{ on: REGISTERED, when: 'soon' }, 'OPTION_INVALID'],
      [{ on: REGISTERED, when: 'now', retry: { limit: 1 } }, 'UNKNOWN_OPTION'],
      [{ on: REGISTERED, when: 'later', concurrency: 2 }, 'UNKNOWN_OPTION'],
      [{ on: REGISTERED, when: 'now', cron: '0 3 * * *' }, 'JOB_TRIGGER_INVALID'],
    ]
    for (const [options, code] of wrong)
      assert.deepEqual(
        faultsOf({ providers: [REGISTERED, Emits], jobs: [Greet, job(options)] }),
        [`${code} Faulty > Work`],
        JSON.stringify(options),
      )
  })

  it('has a fault for an event that is wrong', () => {
    for (const made of [domainEvent('', { payload: {} }), domainEvent('x', undefined as never), domainEvent('x', {} as never)])
      assert.deepEqual(
        faultsOf({ providers: [made], jobs: [] }).filter((line) => !line.startsWith('EVENT')),
        ['OPTION_INVALID Faulty'],
      )
  })
})
