import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ambient,
  type Ambient,
  bootstrap,
  check,
  type Class,
  domainEvent,
  type Emitter,
  explain,
  factory,
  Injectable,
  Job,
  JobDriver,
  Model,
  type JobRun,
  Plugin,
  queue,
  ref,
  type Queue,
  type RequestOutcome,
  testServer,
  use,
  WiringError,
} from 'alcove'
import { z } from 'zod'

const mail = { type: 'object', required: ['to'], properties: { to: { type: 'string' } }, additionalProperties: false } as const

/** Waits until something holds. */
async function until(holds: () => boolean): Promise<void> {
  const end = Date.now() + 10_000
  while (!holds()) {
    assert.ok(Date.now() < end, 'it did not happen within 10 s')
    await sleep(2)
  }
}

/** Returns the faults of an application, by code and place. */
function faultsOf(App: Class): string[] {
  try {
    check(App)
    return []
  } catch (error) {
    assert.ok(error instanceof WiringError)
    return error.faults.map(({ code, place }) => `${code} ${place}`)
  }
}

describe('the delay of a job', () => {
  it('is refused if it is not a number of ms', async () => {
    const LATE = queue('late', { input: mail })
    @Job({ queue: LATE })
    class Send {
      run() {}
    }
    @Plugin({ providers: [LATE], jobs: [Send] })
    class App {}
    await using app = await testServer(App)
    const late = app.resolve(LATE)
    for (const delay of [Number.NaN, Number.POSITIVE_INFINITY, '1 s' as never])
      await assert.rejects(late.add({ to: 'ada' }, { delay }), {
        name: 'TypeError',
        message: /The delay of a job for the queue 'late' must be/,
      })
  })
})

describe('a job of a queue', () => {
  const sent: string[] = []
  class Mailer {
    send(to: string) {
      sent.push(to)
    }
  }
  const MAILS = queue('mails', { input: mail })

  @Job({ queue: MAILS })
  class SendMail {
    static readonly inject = [Mailer] as const
    constructor(private readonly mailer: Mailer) {}
    run({ input }: JobRun<typeof MAILS>) {
      this.mailer.send(input.to)
      return input.to.length
    }
  }
  class Users {
    static readonly inject = [MAILS] as const
    constructor(readonly mails: Queue<{ to: string }>) {}
  }
  @Plugin({ providers: [Mailer, MAILS, Users], jobs: [SendMail] })
  class App {}

  it('is done by its class once the server has started its jobs', async () => {
    const server = await bootstrap(App)
    const id = await server.resolve(Users).mails.add({ to: 'ada@example.com' })
    assert.match(id, /^[0-9a-f-]{36}$/)
    await sleep(10)
    assert.deepEqual(sent, [])
    await server.startJobs()
    await until(() => sent.length > 0)
    await server.close()
    assert.deepEqual(sent.splice(0), ['ada@example.com'])
  })

  it('is done while the server listens, unless the option jobs is false', async () => {
    for (const [jobs, expected] of [
      [true, ['grace@example.com']],
      [false, []],
    ] as const) {
      const server = await bootstrap(App, { jobs })
      await server.listen()
      await server.resolve(Users).mails.add({ to: 'grace@example.com' })
      await sleep(20)
      await server.close()
      assert.deepEqual(sent.splice(0), expected)
    }
  })

  it('is done at once by runJob, which returns its result', async () => {
    await using app = await testServer(App)
    assert.equal(await app.server.runJob(SendMail, { to: 'ada' }), 3)
    assert.deepEqual(sent.splice(0), ['ada'])
    // @ts-expect-error The input has another type.
    await assert.rejects(app.server.runJob(SendMail, { to: {} }), { code: 'ALC_ERR_JOB_INPUT_INVALID' })
  })

  it('is not added if its input does not fit the schema', async () => {
    await using app = await testServer(App)
    await assert.rejects(app.resolve(Users).mails.add({} as never), {
      code: 'ALC_ERR_JOB_INPUT_INVALID',
      message: "The schema of the queue 'mails' refuses the value: input must have required property 'to'",
    })
  })
})

describe('the scope of a job', () => {
  const ends: string[] = []
  @Injectable({ scope: 'request' })
  class Transaction {
    static readonly endsBefore = 'reply'
    onRequestEnd({ kind }: RequestOutcome) {
      ends.push(kind)
    }
  }
  class Invoices {
    static readonly inject = [ambient(Transaction)] as const
    constructor(private readonly transaction: Ambient<Transaction>) {}
    use() {
      return this.transaction.current
    }
  }
  const CLOSINGS = queue('closings', { input: { type: 'object', properties: { fails: { type: 'boolean' } } } })
  @Job({ queue: CLOSINGS })
  class Close {
    static readonly inject = [Invoices] as const
    constructor(private readonly invoices: Invoices) {}
    run({ input }: JobRun<typeof CLOSINGS>) {
      this.invoices.use()
      if (input.fails) throw new Error('it failed')
    }
  }
  @Plugin({ providers: [Transaction, Invoices, CLOSINGS], jobs: [Close] })
  class App {}

  it('tells request-scoped providers how the job has ended', async () => {
    await using app = await testServer(App, { server: { logger: false } })
    await app.server.runJob(Close, {})
    await assert.rejects(app.server.runJob(Close, { fails: true }), /it failed/)
    assert.deepEqual(ends, ['completed', 'failed'])
  })
})

describe('the wiring of jobs', () => {
  const MAILS = queue('mails', { input: mail })
  @Job({ queue: MAILS })
  class SendMail {
    run() {}
  }
  /** Makes a plugin of a class for each case. */
  const app = (options: Parameters<typeof Plugin>[0]): Class => {
    class App {}
    Plugin(options as never)(App as never)
    return App
  }
  const job = (
    options: unknown,
    Class: Class = class Work {
      run() {}
    },
  ): Class => {
    Job(options as never)(Class as never)
    return Class
  }

  it('has no fault for a job whose queue the plugin sees', () => {
    assert.deepEqual(faultsOf(app({ providers: [MAILS], jobs: [SendMail] })), [])
  })

  it('has a fault for a job whose queue no visible plugin provides', () => {
    assert.deepEqual(faultsOf(app({ jobs: [SendMail] })), ['PROVIDER_UNKNOWN App > SendMail'])
    const Hidden = app({ providers: [MAILS], jobs: [SendMail] })
    class News {}
    Plugin({ jobs: [job({ queue: MAILS })] })(News)
    assert.deepEqual(faultsOf(app({ imports: [Hidden, News] })), [
      'JOB_REPEATED App > News > Work',
      'PROVIDER_NOT_VISIBLE App > News > Work',
    ])
  })

  it('has a fault for what is no job, and for a job without run', () => {
    class Plain {}
    class Idle {}
    assert.deepEqual(faultsOf(app({ jobs: [Plain, undefined as never, job({ every: 1_000 }, Idle)] })), [
      'NOT_A_JOB App',
      'NOT_A_JOB App',
      'JOB_WITHOUT_RUN App > Idle',
    ])
  })

  it('has a fault for a job without a time, or with two', () => {
    assert.deepEqual(faultsOf(app({ jobs: [job({}), job({ every: 1, cron: '* * * * *' })] })), [
      'JOB_TRIGGER_INVALID App > Work',
      'JOB_TRIGGER_INVALID App > Work',
    ])
  })

  it('has a fault for options that do not exist, or have a value of another kind', () => {
    const wrong: [unknown, string][] = [
      [{ every: 0 }, 'OPTION_INVALID'],
      [{ every: '10s' }, 'OPTION_INVALID'],
      [{ every: 1_000, timezone: 'Europe/Berlin' }, 'UNKNOWN_OPTION'],
      [{ every: 1_000, overlap: 'queue' }, 'OPTION_INVALID'],
      [{ every: 1_000, retry: { limits: 3 } }, 'OPTION_INVALID'],
      [{ every: 1_000, retry: { backoff: 'linear' } }, 'OPTION_INVALID'],
      [{ every: 1_000, timeout: -1 }, 'OPTION_INVALID'],
      [{ every: 1_000, name: 'a b' }, 'OPTION_INVALID'],
      [{ cron: '0 25 * * *' }, 'CRON_INVALID'],
      [{ cron: '0 0 31 2 *' }, 'CRON_INVALID'],
      [{ cron: '0 3 * * *', timezone: 'Europe/Nowhere' }, 'CRON_INVALID'],
      [{ queue: {} }, 'OPTION_INVALID'],
      [{ queue: MAILS, retry: { limit: 3 } }, 'UNKNOWN_OPTION'],
      [{ queue: MAILS, concurrency: 0 }, 'OPTION_INVALID'],
    ]
    for (const [options, code] of wrong)
      assert.deepEqual(faultsOf(app({ jobs: [job(options)] })), [`${code} App > Work`], JSON.stringify(options))
  })

  it('has a fault for a queue that is wrong', () => {
    const wrong: [unknown, ...string[]][] = [
      [queue('', { input: mail }), 'OPTION_INVALID App'],
      [queue('a b', { input: mail }), 'OPTION_INVALID App'],
      [queue('mails', undefined as never), 'OPTION_INVALID App'],
      [queue('mails', {} as never), 'OPTION_INVALID App'],
      [queue('mails', { input: mail, retries: 3 } as never), 'UNKNOWN_OPTION App'],
      [queue('mails', { input: mail, timeout: Infinity }), 'OPTION_INVALID App'],
    ]
    for (const [MAIN, ...faults] of wrong)
      assert.deepEqual(faultsOf(app({ providers: [MAIN as typeof MAILS], jobs: [job({ queue: MAIN })] })), faults)
  })

  it('has a fault for one job in two plugins, or in a plugin that is imported twice, whose cure is not another name', () => {
    const Ticks = app({ jobs: [job({ every: 1_000 })] })
    class Twice {}
    Plugin({ imports: [use(Ticks, { prefix: '/a' }), use(Ticks, { prefix: '/b' })] })(Twice)
    assert.throws(() => check(Twice), /have the same schedule 'schedule\.Work'\. List the class in one plugin that is imported once\./)
    class Both {}
    Plugin({ providers: [MAILS], jobs: [SendMail], imports: [app({ jobs: [SendMail] })] })(Both)
    assert.throws(() => check(Both), /both do the jobs of 'mails': .* List the class in one plugin that is imported once\./)
  })

  it('has a fault for two queues of one name, and for two schedules of one name', () => {
    const OTHER = queue('mails', { input: mail })
    assert.deepEqual(faultsOf(app({ providers: [MAILS, OTHER], jobs: [SendMail] })), ['QUEUE_AMBIGUOUS App', 'QUEUE_UNTAKEN App'])
    assert.deepEqual(faultsOf(app({ jobs: [job({ every: 1_000 }), job({ every: 2_000 })] })), ['JOB_REPEATED App > Work'])
    assert.deepEqual(faultsOf(app({ jobs: [job({ every: 1_000 }), job({ every: 2_000, name: 'other' })] })), [])
  })

  it('has a fault for a queue in memory whose jobs nothing does, but not for one with a driver', () => {
    assert.deepEqual(faultsOf(app({ providers: [MAILS] })), ['QUEUE_UNTAKEN App'])
    const driver = factory(JobDriver, [], () => ({}) as JobDriver)
    assert.deepEqual(faultsOf(app({ providers: [MAILS, driver] })), [])
    // The job that does them has a fault: that its queue has no job would be false.
    assert.deepEqual(faultsOf(app({ providers: [MAILS], jobs: [job({ queue: MAILS, concurency: 2 })] })), ['UNKNOWN_OPTION App > Work'])
  })

  it('has a fault for a queue of dead letters that the queue does not see', () => {
    const LETTERS = queue('letters', { input: mail })
    const MAIN = queue('main', { input: mail, deadLetter: LETTERS })
    assert.deepEqual(faultsOf(app({ providers: [MAIN], jobs: [job({ queue: MAIN })] })), ['PROVIDER_UNKNOWN App > main'])
  })

  it('refuses at compile time a run that takes another input', () => {
    class Other {
      run(_: { input: { subject: string } }) {}
    }
    // @ts-expect-error The queue has another input.
    Job({ queue: MAILS })(Other)
  })
})

describe('explain', () => {
  it('shows the jobs of each plugin, with their queue or their times', async () => {
    const MAILS = queue('mails', { input: mail })
    @Job({ queue: MAILS })
    class SendMail {
      run() {}
    }
    @Job({ cron: '0 3 * * *', timezone: 'Europe/Berlin' })
    class CleanUp {
      run() {}
    }
    @Plugin({ jobs: [CleanUp] })
    class News {}
    @Plugin({ providers: [MAILS], jobs: [SendMail], imports: [News] })
    class App {}
    await using app = await testServer(App)
    assert.equal(
      String(explain(app.server)),
      ['App', '├── job SendMail  (queue mails)', '└── News', '    └── job CleanUp  (cron 0 3 * * * Europe/Berlin)'].join('\n'),
    )
  })
})

describe('the log of jobs', () => {
  it('has the name, the id and the attempt of the job in each line', async () => {
    const lines: any[] = []
    const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
    const MAILS = queue('mails', { input: mail, retry: { limit: 1, delay: 0 } })
    @Job({ queue: MAILS })
    class SendMail {
      run({ log, attempt }: JobRun<typeof MAILS>) {
        log.info('sending')
        if (attempt === 1) throw new Error('no route to host')
      }
    }
    @Plugin({ providers: [MAILS], jobs: [SendMail] })
    class App {}
    const server = await bootstrap(App, { logger: { stream } })
    const id = await server.resolve(MAILS).add({ to: 'ada' })
    await server.startJobs()
    await until(() => lines.some(({ msg }) => msg === 'job completed'))
    await server.close()
    assert.ok(lines.some(({ msg }) => String(msg).startsWith('jobs of mails are kept in memory: they are lost if the process ends')))
    assert.deepEqual(
      lines.filter(({ jobId }) => jobId === id).map(({ job, attempt, msg, err }) => [job, attempt, msg, err?.message]),
      [
        ['SendMail', 1, 'sending', undefined],
        ['SendMail', 1, 'job failed in attempt 1 of 2', 'no route to host'],
        ['SendMail', 2, 'sending', undefined],
        ['SendMail', 2, 'job completed', undefined],
      ],
    )
  })
})

describe('a queue in memory whose server closes', () => {
  it('warns of the jobs that have not begun, and refuses further jobs', async () => {
    const lines: any[] = []
    const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
    const [MAILS, IDLE] = [queue('mails', { input: mail }), queue('idle', { input: mail })]
    @Job({ queue: MAILS })
    class SendMail {
      run() {}
    }
    @Job({ queue: IDLE })
    class Idle {
      run() {}
    }
    @Plugin({ providers: [MAILS, IDLE], jobs: [SendMail, Idle] })
    class App {}
    const server = await bootstrap(App, { logger: { stream } })
    const mails = server.resolve(MAILS)
    await mails.add({ to: 'ada' })
    await mails.add({ to: 'bob' }, { delay: 60_000 })
    await server.close()
    assert.deepEqual(
      lines.flatMap(({ level, msg }) => (level === 40 ? [msg] : [])),
      ['jobs that were kept in memory are lost: 2 of mails'],
    )
    await assert.rejects(mails.add({ to: 'eve' }), { message: "The queue 'mails' cannot be used any more: its server has closed." })
  })
})

describe('runJob', () => {
  @Job({ every: 1_000 })
  class Poll {
    run({ input, scheduledAt, attempt }: JobRun<undefined>) {
      return [input, scheduledAt instanceof Date, attempt]
    }
  }
  @Plugin({ jobs: [Poll] })
  class App {}

  it('does a job that runs at times, without an input', async () => {
    await using app = await testServer(App)
    assert.deepEqual(await app.server.runJob(Poll), [undefined, true, 1])
    await assert.rejects(app.server.runJob(Poll as Class<{ run(): unknown }>, {}), TypeError)
  })

  it('names the jobs that there are for a class that is none', async () => {
    await using app = await testServer(App)
    class Other {
      run() {}
    }
    await assert.rejects(app.server.runJob(Other), { message: 'Other is no job in App or below it. Its jobs are: App > Poll.' })
  })

  it('names the declaration that has the timeout of a job that takes too long', async () => {
    const MAILS = queue('mails', { input: mail, timeout: 20 })
    const MOVED = domainEvent('moved', { payload: mail })
    class Slow {
      run(): Promise<void> {
        return sleep(1_000, undefined, { ref: false })
      }
    }
    @Job({ queue: MAILS })
    class OfQueue extends Slow {}
    @Job({ every: 60_000, timeout: 20 })
    class AtTimes extends Slow {}
    @Job({ on: MOVED, when: 'later', timeout: 20 })
    class OfEvent extends Slow {}
    @Plugin({ providers: [MAILS, MOVED], jobs: [OfQueue, AtTimes, OfEvent] })
    class Slowly {
      static readonly inject = [MOVED]
      constructor(readonly moved: Emitter<{ to: string }>) {}
    }
    await using app = await testServer(Slowly)
    const rows = [
      [OfQueue, { to: 'ada' }, 'its queue'],
      [AtTimes, undefined, 'its @Job'],
      [OfEvent, { to: 'ada' }, 'its @Job'],
    ] as const
    for (const [SlowJob, input, owner] of rows)
      await assert.rejects(app.server.runJob(SlowJob, input), {
        code: 'ALC_ERR_JOB_TIMEOUT',
        message: `Slowly > ${SlowJob.name} has not ended within 20 ms. Raise the timeout of ${owner}, or end sooner by the signal of the job.`,
      })
  })

  it('uses the substitutes of a test, also for the queue', async () => {
    const MAILS = queue('mails', { input: mail })
    @Job({ queue: MAILS })
    class SendMail {
      run({ input }: JobRun<typeof MAILS>) {
        return input.to
      }
    }
    @Plugin({ providers: [MAILS], jobs: [SendMail] })
    class Mails {}
    const added: unknown[] = []
    const fake: Queue<{ to: string }> = { name: 'mails', add: async (input) => `${added.push(input)}` }
    await using app = await testServer(Mails, { override: [[MAILS, fake]] })
    await app.server.startJobs()
    await app.resolve(MAILS).add({ to: 'ada' })
    assert.deepEqual(added, [{ to: 'ada' }])
    assert.equal(await app.server.runJob(SendMail, { to: 'grace' }), 'grace')
    await assert.rejects(app.server.runJob(SendMail, {} as never), { code: 'ALC_ERR_JOB_INPUT_INVALID' })
  })
})

describe('the schema of a queue', () => {
  /** Runs a job whose queue has this schema, and returns what it got. */
  async function inputOf(schema: object, input: unknown): Promise<unknown> {
    const MAIN = queue('main', { input: schema })
    class Work {
      run(given: JobRun<any>) {
        return given.input
      }
    }
    Job({ queue: MAIN })(Work as never)
    class App {}
    Plugin({ providers: [MAIN], jobs: [Work] })(App as never)
    await using app = await testServer(App)
    await app.resolve(MAIN).add(input)
    return app.server.runJob(Work, input)
  }
  class Address extends Model({ $id: 'Address', type: 'object', required: ['city'], properties: { city: { type: 'string' } } }) {}

  it('is JSON Schema, with references to models', async () => {
    const schema = { type: 'object', required: ['to'], properties: { to: ref(Address) } }
    assert.deepEqual(await inputOf(schema, { to: { city: 'Bern' } }), { to: { city: 'Bern' } })
    await assert.rejects(inputOf(schema, { to: {} }), /input\/to must have required property 'city'/)
  })

  it('is a model', async () => {
    assert.deepEqual(await inputOf(ref(Address), { city: 'Bern' }), { city: 'Bern' })
    await assert.rejects(inputOf(ref(Address), {}), { code: 'ALC_ERR_JOB_INPUT_INVALID' })
  })

  it('is a schema of a library, whose conversions are done once', async () => {
    const schema = z.object({ at: z.iso.datetime().transform((text) => new Date(text)) })
    assert.deepEqual(await inputOf(schema, { at: '2026-01-01T00:00:00Z' }), { at: new Date('2026-01-01T00:00:00Z') })
    await assert.rejects(inputOf(schema, { at: 'never' }), { code: 'ALC_ERR_JOB_INPUT_INVALID' })
  })

  it('refuses an input that is no object', async () => {
    await assert.rejects(inputOf({ type: 'string' }, 'text'), /the queue 'main' refuses the value: input must be an object/)
  })

  it('refuses an input that JSON cannot hold', async () => {
    await assert.rejects(inputOf({ type: 'object' }, { n: 1n }), /input cannot be written as JSON/)
  })
})
