/** The drivers of alcove/jobs, as far as they need no database. `npm run test:jobs` runs the suite of jobs against real ones. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BullMqDriver, type BullMqClasses, OutboxDriver, PgBossDriver, type PgBossClient } from 'alcove/jobs'
import { bootstrap, factory, JobDriver, type JobTaker, type NewJob, Plugin, queue, type QueueSettings } from 'alcove'

const mails: QueueSettings = {
  name: 'mails',
  retry: { limit: 2, delay: 1_500, backoff: 'exponential' },
  timeout: 60_000,
  deadLetter: 'letters',
}
const job = (id: string, more: Partial<NewJob> = {}): NewJob => ({ id, input: { to: 'ada' }, delay: 0, within: undefined, ...more })
const logged: unknown[] = []
const log = { error: (...args: unknown[]) => void logged.push(args) }

/** A client of pg-boss that notes its calls. */
class FakeBoss implements PgBossClient {
  readonly calls: unknown[][] = []
  readonly failures: unknown[] = []
  readonly queues = new Set<string>()
  async createQueue(...args: unknown[]): Promise<void> {
    const failure = this.failures.shift()
    if (failure !== undefined) throw failure
    this.calls.push(['createQueue', ...args])
    this.queues.add(args[0] as string)
  }
  async updateQueue(...args: unknown[]): Promise<void> {
    this.calls.push(['updateQueue', ...args])
  }
  async getQueue(name: string): Promise<object | null> {
    return this.queues.has(name) ? {} : null
  }
  async send(...args: unknown[]): Promise<string | null> {
    this.calls.push(['send', ...args])
    return null
  }
  async fetch(): Promise<never[]> {
    return []
  }
  async complete(): Promise<void> {}
  async fail(): Promise<void> {}
  getDb(): ReturnType<PgBossClient['getDb']> {
    return { executeSql: async () => ({ rows: [] }) }
  }
}

describe('the driver for pg-boss', () => {
  test('creates the queue of dead letters first, and settles what a job may take', async () => {
    const boss = new FakeBoss()
    await new PgBossDriver(boss, { log }).add(mails, job('1'))
    const settings = { retryLimit: 3, retryDelay: 2, retryBackoff: true, expireInSeconds: 65, deadLetter: 'letters' }
    assert.deepEqual(boss.calls, [
      ['createQueue', 'letters', { name: 'letters' }],
      ['createQueue', 'mails', { name: 'mails', ...settings }],
      ['updateQueue', 'mails', settings],
      ['send', 'mails', { to: 'ada' }, { id: '1' }],
    ])
  })

  test('creates the queues at boot: within a transaction that a job belongs to, it could wait for itself', async () => {
    const boss = new FakeBoss()
    const MAILS = queue('mails', { input: { type: 'object' } })
    class App {}
    Plugin({ providers: [factory(JobDriver, [], () => new PgBossDriver(boss, { log })), MAILS] })(App as never)
    const server = await bootstrap(App)
    assert.deepEqual([...boss.queues], ['mails'])
    await server.close()
  })

  test('tries again if another process creates its queues at the same time', async () => {
    const boss = new FakeBoss()
    boss.failures.push({ code: '40P01' }, { code: '42P07' })
    await new PgBossDriver(boss, { log }).add(mails, job('1'))
    assert.equal(boss.queues.size, 2)
  })

  test('passes on any other error, and creates the queue at the next use', async () => {
    const boss = new FakeBoss()
    boss.failures.push(new Error('no connection'))
    const driver = new PgBossDriver(boss, { log })
    await assert.rejects(driver.add(mails, job('1')), /no connection/)
    await driver.add(mails, job('1'))
    assert.equal(boss.queues.size, 2)
  })

  test('refuses a schema that is no plain name', () => {
    assert.throws(() => new PgBossDriver(new FakeBoss(), { log, schema: 'a; drop table users' }), TypeError)
  })

  test('logs that a queue cannot be read, and goes on', async () => {
    const boss = new FakeBoss()
    const tries: string[] = []
    boss.fetch = async () => {
      if (tries.push('fetch') < 3) throw new Error('no connection')
      return []
    }
    const taker = await new PgBossDriver(boss, { log, pollInterval: 5 }).take(mails, 1, async () => {})
    while (tries.length < 3) await new Promise((resolve) => setTimeout(resolve, 5))
    await taker.stop()
    assert.equal(logged.splice(0).length, 2)
  })
})

describe('the driver for BullMQ', () => {
  test('refuses a job within a transaction, and says what to provide', async () => {
    const driver = new BullMqDriver({} as BullMqClasses, { connection: {}, log })
    await assert.rejects(driver.add(mails, job('1', { within: { query: async () => ({ rows: [] }) } })), /OutboxDriver/)
  })

  test('opens no connection for a job that is added after its server has closed: nobody would close it', async () => {
    const driver = new BullMqDriver({} as BullMqClasses, { connection: {}, log })
    await driver.dispose()
    await assert.rejects(driver.add(mails, job('1')), { message: "The queue 'mails' cannot be used any more: its server has closed." })
  })
})

test('the driver for BullMQ puts back a job that a stopped worker reads nevertheless', async () => {
  const deeds: string[] = []
  let processJob!: (job: any, token?: string) => Promise<void>
  class Worker {
    constructor(_name: string, process: typeof processJob) {
      processJob = process
    }
    on() {}
    async waitUntilReady() {}
    async pause() {}
    async close() {}
  }
  const driver = new BullMqDriver({ Worker } as unknown as BullMqClasses, { connection: {}, log })
  const taker = await driver.take(mails, 1, async () => void deeds.push('work'))
  await taker.stop()
  const late = { id: '1', data: {}, attemptsMade: 0, moveToWait: async (token: string) => void deeds.push(`back by ${token}`) }
  await assert.rejects(processJob(late, 'token'), { name: 'WaitingError' })
  assert.deepEqual(deeds, ['back by token'])
})

/** A driver that notes what is added. */
class Kept extends JobDriver {
  readonly added: [QueueSettings, NewJob][] = []
  fails = false
  override async add(...args: [QueueSettings, NewJob]): Promise<void> {
    if (this.fails) throw new Error('no connection')
    this.added.push(args)
  }
  override async take(): Promise<JobTaker> {
    return { stop: () => {} }
  }
  override async isBusy(): Promise<boolean> {
    return false
  }
}

/** A table in memory, for the three statements of an outbox. */
class FakeTable {
  rows: { id: string; queue: QueueSettings; input: unknown; delay: number }[] = []
  async query(sql: string, values: unknown[] = []): Promise<{ rows: unknown[] }> {
    if (sql.startsWith('INSERT')) {
      const [id, queue, input, delay] = values as [string, string, string, number]
      this.rows.push({ id, queue: JSON.parse(queue) as QueueSettings, input: JSON.parse(input), delay })
    } else if (sql.startsWith('SELECT')) return { rows: this.rows.slice(0, 100) }
    else this.rows = this.rows.filter(({ id }) => !(values[0] as string[]).includes(id))
    return { rows: [] }
  }
}

describe('the outbox', () => {
  test('passes a job on at once if it is in no transaction', async () => {
    const kept = new Kept()
    await new OutboxDriver(kept, new FakeTable(), { log }).add(mails, job('1'))
    assert.deepEqual(kept.added, [[mails, job('1')]])
  })

  test('passes on what was written into the table, in batches, with the settings of the queue', async () => {
    const [kept, table] = [new Kept(), new FakeTable()]
    const outbox = new OutboxDriver(kept, table, { log })
    for (let n = 0; n < 250; n++) await outbox.add(mails, job(`${n}`, { within: table, delay: 7 }))
    assert.equal(kept.added.length, 0)
    await outbox.passOn()
    assert.equal(table.rows.length, 0)
    assert.deepEqual(
      kept.added.map(([queue, { id, delay, within }]) => [queue.name, id, delay, within]),
      Array.from({ length: 250 }, (_, n) => ['mails', `${n}`, 7, undefined]),
    )
  })

  test('keeps what it could not pass on, logs the error, and tries again', async () => {
    const [kept, table] = [new Kept(), new FakeTable()]
    const outbox = new OutboxDriver(kept, table, { log, interval: 5 })
    kept.fails = true
    await outbox.add(mails, job('1', { within: table }))
    outbox.onReady()
    while (logged.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal(table.rows.length, 1)
    kept.fails = false
    while (table.rows.length > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await outbox.dispose()
    assert.equal(kept.added.length, 1)
    logged.length = 0
  })

  test('refuses a table that is no plain name', () => {
    assert.throws(() => OutboxDriver.table('a b'), TypeError)
    assert.match(OutboxDriver.table(), /^CREATE TABLE IF NOT EXISTS alcove_outbox /)
  })
})
