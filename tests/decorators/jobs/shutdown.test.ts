/** A server that closes under load: whatever the order of imports, nothing is used after its end, and no work that has begun is cut. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  bootstrap,
  type Class,
  Controller,
  domainEvent,
  type Emitter,
  factory,
  Get,
  Job,
  JobDriver,
  type JobRun,
  Plugin,
  queue,
  type Queue,
  type Server,
} from 'alcove'
import { MemoryDriver } from '../../../decorators/jobs/memory-driver.js'
import { until } from '../../fixtures/elapse.js'

test('a server that closes takes no job and adds no scheduled job from then on, also while its preClose hooks run', async () => {
  const begun: string[] = []
  let isClosing = false
  const MAILS = queue('mails', { input: { type: 'object', properties: { n: { type: 'integer' } } } })
  class SendMail {
    async run({ signal }: JobRun) {
      begun.push(`a mail, aborted: ${signal.aborted}`)
      await sleep(60)
    }
  }
  Job({ queue: MAILS, concurrency: 1 })(SendMail as never)
  let polls = 0
  class Poll {
    run() {
      if (isClosing) polls++
    }
  }
  Job({ every: 20 })(Poll as never)
  class App {
    setup(server: Server) {
      server.addHook('preClose', () => sleep(300))
    }
  }
  Plugin({ providers: [MAILS], jobs: [SendMail, Poll] })(App)
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line).msg) }
  const server = await bootstrap(App, { logger: { level: 'warn', stream } })
  await server.listen({ port: 0, host: '127.0.0.1' })
  for (let n = 0; n < 4; n++) await server.resolve(MAILS).add({ n })
  await until(() => begun.length > 0)
  isClosing = true
  await server.close()
  assert.deepEqual([begun, polls], [['a mail, aborted: false'], 0])
  assert.deepEqual(lines, ['jobs that were kept in memory are lost: 3 of mails'])
})

function orders<T>(entries: readonly T[]): T[][] {
  if (entries.length < 2) return [[...entries]]
  return entries.flatMap((entry, index) => orders(entries.toSpliced(index, 1)).map((rest) => [entry, ...rest]))
}

/** Makes an application whose plugins are imported in an order, and what it notes. */
function createApp(order: (plugins: Class[]) => Class[]): { App: Class; notes: { late: string[]; begun: number; ended: number } } {
  const notes = { late: [] as string[], begun: 0, ended: 0 }
  class Resource {
    isOpen = true
    use(by: string) {
      if (!this.isOpen) notes.late.push(by)
    }
    async dispose() {
      await sleep(1)
      this.isOpen = false
    }
  }
  class Database extends Resource {}
  class Store extends Resource {}
  class Driver extends MemoryDriver {
    constructor(readonly store: Store) {
      super()
    }
    override async add(...args: Parameters<MemoryDriver['add']>): Promise<void> {
      this.store.use('a job is added')
      return super.add(...args)
    }
    override async take(...[settings, concurrency, work]: Parameters<MemoryDriver['take']>): ReturnType<MemoryDriver['take']> {
      return super.take(settings, concurrency, (job) =>
        work({
          ...job,
          complete: async () => {
            await sleep(1)
            this.store.use('a job is noted as done')
          },
        }),
      )
    }
  }
  const MAILS = queue('mails', { input: { type: 'object', properties: { n: { type: 'integer' } } } })
  const ORDERED = domainEvent('ordered', { payload: { type: 'object', properties: { n: { type: 'integer' } } } })

  async function work(database: Database, by: string): Promise<void> {
    notes.begun++
    // A job that has begun when the server closes goes on for longer than all else takes to close.
    for (let step = 0; step < (by === 'a request' ? 3 : 15); step++) {
      database.use(by)
      await sleep(2)
    }
    database.use(by)
    notes.ended++
  }
  class SendMail {
    static readonly inject = [Database] as const
    constructor(private readonly database: Database) {}
    run() {
      return work(this.database, 'a mail')
    }
  }
  Job({ queue: MAILS, concurrency: 3 })(SendMail as never)
  class Count extends SendMail {}
  Job({ on: ORDERED, when: 'later' })(Count as never)
  class Poll extends SendMail {}
  Job({ every: 5 })(Poll as never)
  class Orders {
    static readonly inject = [Database, MAILS, ORDERED] as const
    constructor(
      private readonly database: Database,
      private readonly mails: Queue<{ n?: number }>,
      private readonly ordered: Emitter<{ n?: number }>,
    ) {}
    async order() {
      await this.mails.add({ n: 1 })
      await this.ordered.emit({ n: 1 })
      await work(this.database, 'a request')
      return { ordered: true }
    }
  }
  Controller('/orders')(Orders as never)
  Get()(Orders.prototype, 'order' as never)

  class DatabasePlugin {}
  Plugin({ shared: true, providers: [Database] })(DatabasePlugin)
  class StorePlugin {}
  Plugin({ shared: true, providers: [Store, factory(JobDriver, [Store], (store) => new Driver(store)), MAILS, ORDERED] })(StorePlugin)
  class Mails {}
  Plugin({ jobs: [SendMail, Poll] })(Mails)
  class News {}
  Plugin({ jobs: [Count] })(News)
  class Shop {}
  Plugin({ routes: [Orders] })(Shop as never)
  class App {}
  Plugin({ imports: order([DatabasePlugin, StorePlugin, Mails, News, Shop]) })(App as never)
  return { App, notes }
}

const all = orders([0, 1, 2, 3, 4])

test(`in all ${all.length} orders of imports, a server that closes under load uses nothing after its end and cuts no work`, async () => {
  for (const positions of all) {
    const { App, notes } = createApp((plugins) => positions.map((position) => plugins[position]!))
    const server = await bootstrap(App, { logger: false })
    await server.startJobs()
    const replies = Array.from({ length: 4 }, async (_, n) => {
      await sleep(n)
      // Closing does not wait for requests of `inject`.
      return (await server.fetch(new Request('http://shop.example/orders'))).status
    })
    await sleep(4)
    await server.close()
    const statuses = await Promise.all(replies)
    assert.deepEqual(notes.late, [], positions.join(' '))
    assert.equal(notes.ended, notes.begun, positions.join(' '))
    assert.ok(statuses.includes(200), positions.join(' '))
    assert.ok(statuses.every((status) => status === 200 || status === 503))
  }
})
