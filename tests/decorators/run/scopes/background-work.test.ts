/** `server.run`: work that is no request has a scope of its own, which is told how the work ended; a closing server waits for it. */
import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import {
  type Ambient,
  ambient,
  bootstrap,
  type BootstrappedServer,
  type Class,
  Controller,
  Get,
  Hook,
  Injectable,
  LOGGER,
  type Logger,
  optional,
  Plugin,
  REQUEST,
  type Request,
  type RequestOutcome,
  SERVER,
  type ServerOptions,
  testServer,
  type WorkScope,
} from 'alcove'
import { plugin } from '../../../fixtures/applications.js'

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

let events: string[] = []
let failsToCommit = false

@Injectable({ scope: 'request' })
class Tx {
  static readonly endsBefore = 'reply'
  onRequestEnd({ kind, error }: RequestOutcome) {
    events.push(`tx ${kind}${error instanceof Error ? `: ${error.message}` : ''}`)
    if (failsToCommit) throw new Error('serialization failure')
  }
  async dispose() {
    await later(1)
    events.push('tx disposed')
  }
}
@Injectable({ scope: 'request' })
class Audit {
  static readonly inject = [Tx] as const
  constructor(readonly tx: Tx) {}
  onRequestEnd({ kind, error }: RequestOutcome) {
    events.push(`audit ${kind}${error instanceof Error ? `: ${error.message}` : ''}`)
  }
}
@Injectable()
class Orders {
  static readonly inject = [ambient(Tx), ambient(LOGGER)] as const
  constructor(
    readonly tx: Ambient<Tx>,
    readonly log: Ambient<Logger>,
  ) {}
}
@Injectable({ scope: 'request' })
class NeedsRequest {
  static readonly inject = [REQUEST] as const
  constructor(readonly request: Request) {}
}
@Injectable({ scope: 'request' })
class MayHaveRequest {
  static readonly inject = [optional(REQUEST)] as const
  constructor(readonly request: Request | undefined) {}
}
@Injectable({ scope: 'transient' })
class Each {}

@Controller('/orders')
class Routes {
  @Get()
  list() {
    return []
  }
}
@Plugin({ prefix: '/billing', providers: [Tx, Audit, Orders, NeedsRequest, MayHaveRequest, Each], routes: [Routes] })
class Billing {}
@Plugin({ imports: [Billing] })
class App {}

beforeEach(() => {
  events = []
  failsToCommit = false
})
const start = (Root: Class = App, options?: ServerOptions): Promise<BootstrappedServer> => bootstrap(Root, options)
const inBilling = { plugin: Billing } as const

describe('work that is no request', () => {
  test('gets instances of its own, once for each work, and ends them in reverse order', async () => {
    const server = await start()
    const work = async (scope: WorkScope): Promise<Tx> => {
      const audit = await scope.get(Audit)
      assert.equal(await scope.get(Tx), audit.tx)
      assert.notEqual(await scope.get(Each), await scope.get(Each))
      assert.equal(await scope.get(Orders), await scope.get(Orders))
      events.push('worked')
      return audit.tx
    }
    const first = await server.run(work, inBilling)
    assert.deepEqual(events, ['worked', 'tx completed', 'audit completed', 'tx disposed'])
    assert.notEqual(await server.run(work, inBilling), first)
    await server.close()
  })

  test('is found by handles of classes that live longer', async () => {
    const lines: { work?: string; msg: string }[] = []
    const server = await start(App, { logger: { stream: { write: (line: string) => lines.push(JSON.parse(line) as never) } } })
    await server.run(
      async (scope) => {
        const orders = await scope.get(Orders)
        await later(1)
        assert.equal(orders.tx.current, await scope.get(Tx))
        orders.log.current.info('from the class')
        scope.log.info('from the work')
      },
      { plugin: Billing, name: 'send invoices' },
    )
    assert.deepEqual(
      lines.filter(({ msg }) => msg.startsWith('from')).map(({ work }) => work),
      ['send invoices', 'send invoices'],
    )
    await server.close()
  })

  test('that throws is told to its instances, and rejects', async () => {
    const server = await start()
    const work = async (scope: WorkScope): Promise<void> => {
      await scope.get(Audit)
      throw new Error('boom')
    }
    await assert.rejects(server.run(work, inBilling), { message: 'boom' })
    assert.deepEqual(events, ['tx failed: boom', 'audit failed: boom', 'tx disposed'])
    await assert.rejects(
      server.run(() => {
        throw new Error('at once')
      }),
      { message: 'at once' },
    )
    await server.close()
  })

  test('fails if what ends before its result cannot end, and the other instances are told', async () => {
    const server = await start()
    failsToCommit = true
    await assert.rejects(
      server.run(async (scope) => void (await scope.get(Audit)), inBilling),
      { message: 'serialization failure' },
    )
    assert.deepEqual(events, ['tx completed', 'audit failed: serialization failure', 'tx disposed'])
    await server.close()
  })

  test('in a handler has a scope of its own', async () => {
    @Injectable()
    @Controller('/run')
    class Runs {
      static readonly inject = [SERVER, Tx, Orders] as const
      constructor(
        readonly server: BootstrappedServer,
        readonly tx: Tx,
        readonly orders: Orders,
      ) {}
      @Get()
      async get() {
        const inside = await this.server.run(async () => this.orders.tx.current)
        return { isOwn: inside !== this.tx, isBack: this.orders.tx.current === this.tx }
      }
    }
    await using server = await testServer(plugin('Runner', { providers: [Tx, Orders], routes: [Runs] }))
    assert.deepEqual((await server.inject('/run')).json(), { isOwn: true, isBack: true })
  })

  test('has no request: a provider that needs one says so', async () => {
    const server = await start()
    await assert.rejects(
      server.run((scope) => scope.get(NeedsRequest), inBilling),
      {
        code: 'ALC_ERR_RESOLUTION',
        message:
          'NeedsRequest (in App > Billing) needs the request, but the work is no request. Inject optional(REQUEST) if it can do without.',
      },
    )
    assert.equal((await server.run((scope) => scope.get(MayHaveRequest), inBilling)).request, undefined)
    await server.close()
  })

  test('sees what its plugin sees, and nothing else', async () => {
    const server = await start()
    await assert.rejects(
      server.run((scope) => scope.get(Orders)),
      { message: 'Orders is not visible in App. It is provided in App > Billing.' },
    )
    class Elsewhere {}
    await assert.rejects(
      server.run(() => {}, { plugin: Elsewhere }),
      { message: 'Elsewhere is no plugin in App or below it.' },
    )
    await server.close()
    const Shared = plugin('Shared', { shared: true, providers: [Each] })
    const part = (name: string): Class => plugin(name, { imports: [Shared], routes: [Routes], prefix: `/${name}` })
    const twice = await start(plugin('Twice', { imports: [part('A'), part('B')] }))
    await assert.rejects(
      twice.run(() => {}, { plugin: Shared }),
      {
        message:
          'Shared is imported as Twice > A > Shared and as Twice > B > Shared. Inject SERVER in the plugin that is meant, and call its run.',
      },
    )
    await twice.close()
  })

  test('ends its instances where handles find their scope, also if a request has begun the work', async () => {
    const flushed: boolean[] = []
    @Injectable({ scope: 'request' })
    class Outbox {
      static readonly endsBefore = 'reply'
      static readonly inject = [Tx, Orders] as const
      constructor(
        readonly tx: Tx,
        readonly orders: Orders,
      ) {}
      onRequestEnd() {
        flushed.push(this.orders.tx.current === this.tx)
      }
      dispose() {
        flushed.push(this.orders.tx.current === this.tx)
      }
    }
    @Injectable()
    @Controller('/run')
    class Runs {
      static readonly inject = [SERVER, Tx] as const
      constructor(
        readonly server: BootstrappedServer,
        readonly tx: Tx,
      ) {}
      @Get()
      async get() {
        await this.server.run(async (scope) => void (await scope.get(Outbox)))
        return {}
      }
    }
    await using server = await testServer(plugin('Runner', { providers: [Tx, Orders, Outbox], routes: [Runs] }))
    assert.equal((await server.inject('/run')).statusCode, 200)
    await server.server.run(async (scope) => void (await scope.get(Outbox)))
    assert.deepEqual(flushed, [true, true, true, true])
  })

  test('fails if an instance that was made while another one ended cannot end', async () => {
    let outer!: WorkScope
    @Injectable({ scope: 'request' })
    class Flush {
      static readonly endsBefore = 'reply'
      async onRequestEnd() {
        await outer.get(Tx)
      }
    }
    const server = await start(plugin('Root', { providers: [Tx, Flush], routes: [Routes] }))
    failsToCommit = true
    await assert.rejects(
      server.run(async (scope) => {
        outer = scope
        await scope.get(Flush)
      }),
      { message: 'serialization failure' },
    )
    await server.close()
  })

  test('that is over has no scope any more', async () => {
    const server = await start()
    let kept!: WorkScope
    let orders!: Orders
    await server.run(
      async (scope) => {
        kept = scope
        orders = await scope.get(Orders)
        setTimeout(() => {
          try {
            events.push(String(orders.tx.current === undefined))
          } catch (error) {
            events.push((error as Error).message)
          }
        }, 5)
      },
      { plugin: Billing, name: 'short' },
    )
    await assert.rejects(kept.get(Tx), { message: "Tx was asked for after the work 'short' of App > Billing had ended." })
    await later(20)
    assert.deepEqual(events, ["ambient(Tx) of Orders (in App > Billing) was asked for after the work 'short' of App > Billing had ended."])
    await server.close()
  })
})

describe('a server that closes', () => {
  /** An application whose plugins, in each order of their imports, use a database until they have ended. */
  function applicationOf(order: 'first' | 'last'): Class {
    @Injectable()
    class Db {
      isOpen = true
      use(): void {
        events.push(this.isOpen ? 'used' : 'USED AFTER ITS END')
      }
      onClose() {
        this.isOpen = false
        events.push('db closed')
      }
    }
    @Injectable()
    @Plugin({ shared: true, providers: [Db] })
    class DbPlugin {
      static readonly inject = [Db] as const
      constructor(readonly db: Db) {}
      @Hook('onClose')
      closing() {
        events.push('onClose hook')
      }
    }
    @Injectable()
    @Plugin({ routes: [Routes] })
    class Jobs {
      static readonly inject = [SERVER, Db] as const
      constructor(
        readonly server: BootstrappedServer,
        readonly db: Db,
      ) {}
      onListen() {
        void this.server.run(async ({ signal }) => {
          for (let count = 0; count < 5; count++) {
            await later(10)
            this.db.use()
          }
          events.push(`job over, ${signal.aborted ? 'was asked to end' : 'was not asked'}`)
        })
      }
    }
    const shared = plugin('Base', { shared: true, imports: [DbPlugin] })
    return plugin('Root', { imports: order === 'first' ? [Jobs, shared] : [shared, Jobs] })
  }

  for (const order of ['first', 'last'] as const) {
    test(`waits for work before anything is ended, if the plugin with the work is imported ${order}`, async () => {
      const server = await start(applicationOf(order))
      await server.listen({ port: 0 })
      await later(15)
      await server.close()
      assert.deepEqual(events, ['used', 'used', 'used', 'used', 'used', 'job over, was asked to end', 'onClose hook', 'db closed'])
    })
  }

  test('waits for work also if it does not listen', async () => {
    const server = await start()
    const work = server.run(async () => {
      await later(30)
      events.push('work over')
    })
    await server.close()
    events.push('closed')
    await work
    assert.deepEqual(events, ['work over', 'closed'])
  })

  test('does not wait longer than its closeTimeout: the work is logged, and its instances are ended', async () => {
    const lines: string[] = []
    const server = await start(App, { closeTimeout: 20, logger: { level: 'error', stream: { write: (line: string) => lines.push(line) } } })
    const endless = server.run(
      async (scope) => {
        await scope.get(Audit)
        await new Promise(() => {})
      },
      { plugin: Billing, name: 'endless' },
    )
    void endless
    const late = server.run(() => later(1_200), { name: 'late' })
    await later(5)
    await server.close()
    events.push('closed')
    await assert.rejects(late, {
      message:
        "the work 'late' of App has ended too late: the server no longer waited for it, and its instances were told that it was aborted.",
    })
    assert.match(lines.join(''), /the work 'endless' of App > Billing has not ended while the server closed/)
    assert.deepEqual(events, ['audit aborted', 'tx aborted', 'tx disposed', 'closed'])
  })

  test('asks work to end before its preClose hooks run, so that a hook can wait for it', async () => {
    const follow = async ({ signal }: WorkScope): Promise<void> => {
      while (!signal.aborted) await later(5)
    }
    class Root {
      following: Promise<void> | undefined
      static readonly inject = [SERVER] as const
      constructor(readonly server: BootstrappedServer) {}
      onReady() {
        this.following = this.server.run(follow)
      }
      @Hook('preClose')
      async stop() {
        await this.following
        events.push('stopped')
      }
    }
    Plugin({ routes: [Routes] })(Root)
    const server = await start(Root)
    await later(10)
    await server.close()
    assert.deepEqual(events, ['stopped'])
  })

  test('refuses work that begins later', async () => {
    const server = await start()
    await server.close()
    await assert.rejects(
      server.run(() => {}, { name: 'late' }),
      { code: 'ALC_ERR_RESOLUTION', message: "the work 'late' of App cannot begin: the server has closed." },
    )
  })
})
