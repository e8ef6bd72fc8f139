/** Metrics that are read when they are collected, by the SDK of OpenTelemetry. */
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import perfHooks from 'node:perf_hooks'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import {
  bootstrap,
  Controller,
  factory,
  Get,
  Injectable,
  Job,
  JobDriver,
  type JobTaker,
  type NewJob,
  Plugin,
  Post,
  queue,
  type Queue,
  type QueueSettings,
} from 'alcove'
import { openTelemetry, type OpenTelemetryOptions } from 'alcove/telemetry'

/** An observer, and what the SDK collects of it. */
function metered(options: OpenTelemetryOptions = {}) {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const meterProvider = new MeterProvider({ readers: [reader] })
  after(() => meterProvider.shutdown())
  async function collectAll(): Promise<Map<string, { unit: string; values: Record<string, number> }>> {
    exporter.reset()
    await reader.forceFlush()
    const found = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
    const valuesOf = (points: readonly { attributes: object; value: unknown }[]) =>
      Object.fromEntries(points.map(({ attributes, value }) => [Object.values(attributes).join(' '), Number(value)]))
    return new Map(found.map(({ descriptor, dataPoints }) => [descriptor.name, { unit: descriptor.unit, values: valuesOf(dataPoints) }]))
  }
  /** Collects the metrics. Returns the values of one, by its attributes. */
  const collect = async (name: string): Promise<Record<string, number>> => (await collectAll()).get(name)?.values ?? {}
  const scopes = async (): Promise<number | undefined> => (await collect('alcove.scopes.open'))['']
  return { telemetry: openTelemetry({ meterProvider, ...options }), collectAll, collect, scopes }
}

function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open!: () => void
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { open, opened }
}
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 10_000
  while (!(await holds())) {
    assert.ok(Date.now() < end, 'it did not happen within 10 s')
    await wait(5)
  }
}

let held = gate()
@Injectable({ scope: 'request' })
class Visit {
  async dispose() {
    await wait(20)
  }
}
@Injectable()
@Controller()
class Visits {
  constructor(readonly visit: Visit) {}
  @Get('/visit')
  async visitFor() {
    await held.opened
    return {}
  }
  @Post('/body')
  body() {
    return {}
  }
}
/** Nothing has to be called at its end. */
@Injectable({ scope: 'request' })
class Passing {}
@Injectable()
@Controller()
class Passers {
  constructor(readonly passing: Passing) {}
  @Get('/pass')
  pass() {
    return {}
  }
}
const input = { type: 'object', properties: { n: { type: 'integer' } } } as const
const WORK = queue('work', { input })
@Job({ queue: WORK })
class Work {
  async run() {
    await held.opened
  }
}
class Adder {
  static readonly inject = [WORK] as const
  constructor(readonly queue: Queue<{ n?: number }>) {}
}
@Plugin({ providers: [Visit, Passing, WORK, Adder], routes: [Visits, Passers], jobs: [Work] })
class App {}

test('open scopes of requests and of other work are counted until their instances have ended', async () => {
  held = gate()
  const { telemetry, scopes } = metered()
  await using app = await bootstrap(App, { logger: false, telemetry })
  assert.equal(await scopes(), 0)
  const replies = [1, 2].map(() => app.inject('/visit'))
  const working = app.run(() => held.opened)
  await wait(5)
  assert.equal(await scopes(), 3)
  held.open()
  await Promise.all([...replies, working])
  assert.equal(await scopes(), 2, 'the instances of the requests are ending')
  await until(async () => (await scopes()) === 0)
  await app.inject('/pass')
  assert.equal(await scopes(), 0)
  await assert.rejects(app.run(() => Promise.reject(new Error('no disk'))))
  assert.equal(await scopes(), 0)
})

test('bodies that have not come are counted, also if their clients leave', async () => {
  const { telemetry, collect } = metered({ parts: false })
  await using app = await bootstrap(App, { logger: false, telemetry })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const bodies = async (): Promise<number | undefined> => (await collect('alcove.bodies.waiting'))['']
  const send = () => {
    const { port } = app.server.address() as AddressInfo
    const request = httpRequest({ port, path: '/body', method: 'POST', headers: { 'content-type': 'application/json' } })
    request.on('error', () => {}).write('{"a":')
    return request
  }
  const [whole, half] = [send(), send()]
  await until(async () => (await bodies()) === 2)
  whole.end('1}')
  await until(async () => (await bodies()) === 1)
  half.destroy()
  await until(async () => (await bodies()) === 0)
  await app.inject('/visit')
  await app.inject({ method: 'POST', url: '/body', payload: { a: 1 } })
  assert.equal(await bodies(), 0)
})

test('the jobs of a queue are counted by their state', async () => {
  held = gate()
  const { telemetry, collect } = metered()
  await using app = await bootstrap(App, { logger: false, telemetry, jobs: false })
  const jobs = () => collect('alcove.queue.jobs')
  assert.deepEqual(await jobs(), { 'work waiting': 0, 'work active': 0 })
  for (const n of [1, 2, 3]) await app.resolve(Adder).queue.add({ n })
  await app.resolve(Adder).queue.add({ n: 4 }, { delay: 40 })
  assert.deepEqual(await jobs(), { 'work waiting': 4, 'work active': 0 })
  await app.startJobs()
  await until(async () => (await jobs())['work active'] === 1)
  assert.deepEqual(await jobs(), { 'work waiting': 3, 'work active': 1 })
  held.open()
  await until(async () => (await jobs())['work waiting'] === 0)
})

/** A driver that keeps nothing, and cannot count. */
class Uncounted extends JobDriver {
  override async add(_queue: QueueSettings, _job: NewJob): Promise<void> {}
  override async take(): Promise<JobTaker> {
    return { stop() {} }
  }
  override async isBusy(): Promise<boolean> {
    return false
  }
}

test('a driver that cannot count, fails or does not answer is left out, and the others are counted', async () => {
  class Failing extends Uncounted {
    override count({ name }: { name: string }): Promise<never> {
      return name === 'silent' ? new Promise(() => {}) : Promise.reject(new Error('the store is away'))
    }
  }
  const [NEVER, BROKEN, SILENT] = [queue('never', { input }), queue('broken', { input }), queue('silent', { input })]
  @Job({ queue: NEVER })
  class DoNever {
    run() {}
  }
  @Job({ queue: BROKEN })
  class DoBroken {
    run() {}
  }
  @Plugin({ providers: [factory(JobDriver, [], () => new Uncounted()), NEVER], jobs: [DoNever] })
  class Never {}
  @Plugin({ providers: [factory(JobDriver, [], () => new Failing()), BROKEN, SILENT], jobs: [DoBroken] })
  class Broken {}
  @Plugin({ imports: [Never, Broken, App] })
  class All {}
  const { telemetry, collect } = metered()
  await using _app = await bootstrap(All, { logger: false, telemetry, jobs: false })
  assert.deepEqual(await collect('alcove.queue.jobs'), { 'work waiting': 0, 'work active': 0 })
})

test('the delay and the utilization of the event loop are measured from one collection to the next', async () => {
  const { telemetry, collectAll, collect } = metered()
  await using _app = await bootstrap(App, { logger: false, telemetry })
  assert.deepEqual(await collect('nodejs.eventloop.delay.max'), {}, 'measuring begins with the first collection')
  await wait(30)
  const end = Date.now() + 150
  while (Date.now() < end);
  await wait(30)
  const found = await collectAll()
  for (const name of ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'])
    assert.equal(found.get(`nodejs.eventloop.delay.${name}`)?.unit, 's', name)
  const max = found.get('nodejs.eventloop.delay.max')!.values['']!
  assert.ok(max > 0.1 && max < 10, `${max} s`)
  const { unit, values } = found.get('nodejs.eventloop.utilization')!
  assert.equal(unit, '1')
  assert.ok(values['']! > 0.3 && values['']! <= 1, `${values['']}`)
})

test('an application that has closed is asked no longer, and the event loop is measured only if it is wanted', async () => {
  let asked = 0
  class Counting extends Uncounted {
    override async count() {
      asked++
      return { waiting: 0, active: 0 }
    }
  }
  @Plugin({ providers: [factory(JobDriver, [], () => new Counting())], imports: [App] })
  class Counted {}
  const { telemetry, scopes, collectAll } = metered({ eventLoop: false })
  const options = { logger: false, telemetry, jobs: false } as const
  const first = await bootstrap(Counted, options)
  const second = await bootstrap(Counted, options)
  const working = gate()
  const work = [first.run(() => working.opened), second.run(() => working.opened)]
  assert.deepEqual([await scopes(), asked], [2, 2])
  working.open()
  await Promise.all(work)
  await first.close()
  assert.deepEqual([await scopes(), asked], [0, 3])
  await second.close()
  await collectAll()
  assert.equal(asked, 3)
  assert.ok(![...(await collectAll()).keys()].some((name) => name.startsWith('nodejs.')))
})

test('without a reader of metrics, and without the option, the event loop is not watched', async (t) => {
  const monitor = t.mock.method(perfHooks, 'monitorEventLoopDelay')
  syncBuiltinESMExports()
  t.after(() => {
    monitor.mock.restore()
    syncBuiltinESMExports()
  })
  await using unread = await bootstrap(App, { logger: false, telemetry: openTelemetry({ meterProvider: new MeterProvider() }) })
  await unread.inject({ method: 'POST', url: '/body', payload: {} })
  await using plain = await bootstrap(App, { logger: false })
  await plain.inject({ method: 'POST', url: '/body', payload: {} })
  assert.equal(monitor.mock.callCount(), 0)
  const { telemetry, collect } = metered()
  await using _read = await bootstrap(App, { logger: false, telemetry })
  await collect('any')
  assert.equal(monitor.mock.callCount(), 1)
})
