/** Spans and metrics of requests and other work, by the SDK of OpenTelemetry. */
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { after, beforeEach, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import {
  bootstrap,
  Controller,
  createServer,
  domainEvent,
  type Emitter,
  factory,
  Get,
  Hook,
  HttpError,
  Injectable,
  Job,
  type JobRun,
  type Next,
  Plugin,
  Post,
  queue,
  type Queue,
  type Reply,
  type Request,
  type RouteRequest,
} from 'alcove'
import { openTelemetry, traceIds } from 'alcove/telemetry'

const exporter = new InMemorySpanExporter()
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
propagation.setGlobalPropagator(new W3CTraceContextPropagator())
const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 3_600_000 })
const meterProvider = new MeterProvider({ readers: [reader] })
after(() => meterProvider.shutdown())
beforeEach(() => exporter.reset())

const telemetry = openTelemetry({ tracerProvider, meterProvider })
const tracer = tracerProvider.getTracer('application')

@Injectable({ scope: 'request' })
class Visit {}

class Guard {
  async onRequest() {
    await wait(1)
    tracer.startSpan('in guard').end()
  }
}
class Late {
  onSend(_request: Request, _reply: Reply, payload: unknown, done: (error: null, payload: unknown) => void) {
    setImmediate(() => done(null, payload))
  }
}
class Around {
  around(_request: RouteRequest, next: Next) {
    return next()
  }
}

const find = {
  params: { type: 'object', properties: { id: { type: 'integer' } } },
  response: { 200: { type: 'object', properties: { id: { type: 'integer' } } } },
} as const
let lines: string[] = []
let isSlowEntered = false
let isSlowOver = false

/** Waits until something holds. */
async function until(holds: () => boolean): Promise<void> {
  const end = Date.now() + 10_000
  while (!holds()) {
    assert.ok(Date.now() < end, 'it did not happen within 10 s')
    await wait(5)
  }
}

@Injectable()
@Controller('/notes')
class Notes {
  constructor(readonly visit: Visit) {}
  @Get('/:id', find)
  @Hook('onRequest', Guard)
  @Hook('around', Around)
  @Hook('onSend', Late)
  async find(request: RouteRequest<typeof find>) {
    await wait(1)
    tracer.startSpan('in handler').end()
    request.log.info('found')
    return { id: request.params.id }
  }
  @Post('/fails')
  fails() {
    throw Object.assign(new Error('broken'), { code: 'E_BROKEN' })
  }
  @Post('/refused')
  refused() {
    throw new HttpError(409)
  }
  @Get('/cut')
  cut() {
    return Readable.from(
      (async function* () {
        yield 'a'
        await wait(20)
        throw new RangeError('broken off')
      })(),
    )
  }
  @Get('/slow')
  async slow() {
    isSlowEntered = true
    await until(() => isSlowOver)
    return {}
  }
}
@Plugin({ providers: [Visit], routes: [Notes] })
class App {}

/** Starts the application. The spans of its boot are dropped. */
const start = async () => {
  lines = []
  const logger = { level: 'info', mixin: traceIds, stream: { write: (line: string) => void lines.push(line) } }
  const app = await bootstrap(App, { telemetry, logger })
  exporter.reset()
  return app
}
const spans = (): ReadableSpan[] => exporter.getFinishedSpans()
const named = (name: string): ReadableSpan => {
  const found = spans().find((span) => span.name === name)
  assert.ok(
    found,
    `${name} is not among ${spans()
      .map((span) => span.name)
      .join(', ')}`,
  )
  return found
}
const parentOf = (name: string): string | undefined => {
  const id = named(name).parentSpanContext?.spanId
  return spans().find((span) => span.spanContext().spanId === id)?.name
}

test('a request has a span with the names of the semantic conventions, and its parts are below it', async () => {
  await using app = await start()
  assert.equal((await app.inject('/notes/7?a=1')).statusCode, 200)
  const request = named('GET /notes/:id')
  assert.equal(request.kind, SpanKind.SERVER)
  const { attributes } = request
  assert.deepEqual(
    [
      'http.request.method',
      'http.route',
      'http.response.status_code',
      'url.path',
      'url.query',
      'url.scheme',
      'network.protocol.version',
    ].map((name) => attributes[name]),
    ['GET', '/notes/:id', 200, '/notes/7', 'a=1', 'http', '1.1'],
  )
  assert.deepEqual(
    spans()
      .map(({ name }) => name)
      .toSorted(),
    [
      'GET /notes/:id',
      'handler App > Notes.find',
      'hook Guard.onRequest',
      'hook Late.onSend',
      'in guard',
      'in handler',
      'provider Notes (in App)',
      'provider Visit (in App)',
      'serialization',
      'validation',
    ].toSorted(),
  )
  for (const part of ['handler App > Notes.find', 'hook Guard.onRequest', 'hook Late.onSend', 'serialization', 'validation'])
    assert.equal(parentOf(part), 'GET /notes/:id', part)
  assert.equal(parentOf('in handler'), 'handler App > Notes.find')
  assert.equal(parentOf('in guard'), 'hook Guard.onRequest')
  assert.equal(parentOf('provider Visit (in App)'), 'handler App > Notes.find')
  assert.deepEqual(
    [named('hook Guard.onRequest').attributes['alcove.hook'], named('hook Guard.onRequest').attributes['alcove.context']],
    ['onRequest', 'route'],
  )
})

test('a method that a client has invented makes no name of a span and no label of a metric', async () => {
  await using app = await start()
  assert.equal((await app.fetch(new globalThis.Request('http://shop.example/notes/7', { method: 'INVENTED' }))).status, 404)
  await until(() => spans().some(({ name }) => name === 'HTTP'))
  const { attributes } = named('HTTP')
  assert.deepEqual([attributes['http.request.method'], attributes['http.request.method_original']], ['_OTHER', 'INVENTED'])
  const { methods } = await collect()
  assert.deepEqual([methods.includes('_OTHER'), methods.includes('INVENTED')], [true, false])
})

test('the address of the server has no port, which is an attribute of its own', async () => {
  await using app = await start()
  await app.inject({ url: '/notes/7', headers: { host: '[::1]:3000' } })
  await app.inject({ url: '/notes/8', headers: { host: 'shop.example' } })
  assert.deepEqual(
    spans()
      .filter(({ name }) => name === 'GET /notes/:id')
      .map(({ attributes }) => [attributes['server.address'], attributes['server.port']]),
    [
      ['[::1]', 3000],
      ['shop.example', undefined],
    ],
  )
})

test('the trace of a caller is continued, and the lines of the log have its ids', async () => {
  await using app = await start()
  await app.inject({ url: '/notes/7', headers: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' } })
  for (const span of spans()) assert.equal(span.spanContext().traceId, '0af7651916cd43dd8448eb211c80319c', span.name)
  assert.equal(named('GET /notes/:id').parentSpanContext?.spanId, 'b7ad6b7169203331')
  const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'found' || msg === 'request completed')
  assert.deepEqual(
    logged.map(({ msg, trace_id, trace_flags }) => [msg, trace_id, trace_flags]),
    [
      ['found', '0af7651916cd43dd8448eb211c80319c', '01'],
      ['request completed', '0af7651916cd43dd8448eb211c80319c', '01'],
    ],
  )
})

test('requests that run together keep their traces apart', async () => {
  await using app = await start()
  await Promise.all(Array.from({ length: 20 }, (_, id) => app.inject(`/notes/${id}`)))
  const roots = spans().filter(({ name }) => name === 'GET /notes/:id')
  assert.equal(new Set(roots.map((span) => span.spanContext().traceId)).size, 20)
  for (const root of roots) {
    const own = spans().filter((span) => span.spanContext().traceId === root.spanContext().traceId)
    assert.equal(own.length, 10)
  }
})

test('an error of the server is in its span and in that of the handler; a status of 4xx is no error of the request', async () => {
  await using app = await start()
  await app.inject({ method: 'POST', url: '/notes/fails' })
  const failed = named('POST /notes/fails')
  assert.deepEqual(
    [failed.status.code, failed.attributes['error.type'], failed.attributes['http.response.status_code']],
    [SpanStatusCode.ERROR, 'E_BROKEN', 500],
  )
  assert.equal(named('handler App > Notes.fails').status.message, 'broken')
  assert.equal(failed.events[0]?.name, 'exception')
  await app.inject({ method: 'POST', url: '/notes/refused' })
  assert.deepEqual(
    [named('POST /notes/refused').status.code, named('POST /notes/refused').attributes['error.type']],
    [SpanStatusCode.UNSET, undefined],
  )
})

test('a reply that breaks off is an error of its request, although its status is 200', async () => {
  await using app = await start()
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  await assert.rejects(fetch(`${url}/notes/cut`).then((response) => response.text()))
  await until(() => spans().some(({ name }) => name === 'GET /notes/cut'))
  const { attributes, status } = named('GET /notes/cut')
  assert.deepEqual(
    [attributes['http.response.status_code'], attributes['error.type'], status.code, status.message],
    [200, 'RangeError', SpanStatusCode.ERROR, 'broken off'],
  )
})

test('an invalid request, an unknown path and a client that has left each end their spans', async () => {
  await using app = await start()
  await app.inject('/notes/x')
  assert.equal(named('GET /notes/:id').attributes['http.response.status_code'], 400)
  assert.ok(named('validation'))
  await app.inject('/nowhere')
  assert.deepEqual([named('GET').attributes['http.route'], named('GET').attributes['http.response.status_code']], [undefined, 404])
  await app.listen({ port: 0, host: '127.0.0.1' })
  const leaving = httpRequest({ port: (app.server.address() as AddressInfo).port, path: '/notes/slow' }).on('error', () => {})
  leaving.end()
  await until(() => isSlowEntered)
  leaving.destroy()
  await until(() => spans().some(({ name }) => name === 'GET /notes/slow'))
  assert.deepEqual(
    [named('GET /notes/slow').attributes['error.type'], named('GET /notes/slow').status.code],
    ['aborted', SpanStatusCode.ERROR],
  )
  isSlowOver = true
})

test('a client that leaves in the middle of its body has left, and got no status', async () => {
  await using app = await start()
  await app.listen({ port: 0, host: '127.0.0.1' })
  const headers = { 'content-type': 'application/json', 'content-length': '9' }
  const { port } = app.server.address() as AddressInfo
  const leaving = httpRequest({ port, method: 'POST', path: '/notes/fails', headers }).on('error', () => {})
  leaving.write('{"a"')
  await wait(100)
  leaving.destroy()
  await until(() => spans().some(({ name }) => name === 'POST /notes/fails'))
  const { attributes, status } = named('POST /notes/fails')
  assert.deepEqual(
    [attributes['error.type'], attributes['http.response.status_code'], status.message],
    ['aborted', undefined, 'The client has left'],
  )
})

test('work that is no request has a span, which spans inside of it are below', async () => {
  await using app = await start()
  await app.run(async () => tracer.startSpan('in work').end(), { name: 'clean up' })
  assert.equal(parentOf('in work'), "the work 'clean up' of App")
  await assert.rejects(app.run(() => Promise.reject(new Error('no disk')), { name: 'fails' }))
  assert.equal(named("the work 'fails' of App").status.message, 'no disk')
})

test('durations are measured by declared route and status, and active requests go back to none', async () => {
  await using app = await start()
  const before = await collect()
  await app.inject('/notes/1')
  await app.inject('/notes/2')
  await app.inject({ method: 'POST', url: '/notes/fails' })
  const values = await collect()
  const counted = (route: string, status: number) =>
    values.counts.get(`${route} ${status}`)! - (before.counts.get(`${route} ${status}`) ?? 0)
  assert.deepEqual([counted('/notes/:id', 200), counted('/notes/fails', 500)], [2, 1])
  assert.equal(values.active, 0)
})

async function collect() {
  measured.reset()
  await reader.forceFlush()
  const found = measured.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
  const of = (name: string): any[] => found.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? []
  const counts = new Map(
    of('http.server.request.duration').map(({ attributes, value }) => [
      `${attributes['http.route']} ${attributes['http.response.status_code']}`,
      Number(value.count),
    ]),
  )
  const methods = found.flatMap(({ dataPoints }) => dataPoints.map(({ attributes }) => attributes['http.request.method']))
  return { counts, methods, active: of('http.server.active_requests').reduce((sum, { value }) => sum + Number(value), 0) }
}

test('without parts, a request has one span, and so has a boot', async () => {
  await using app = await bootstrap(App, { logger: false, telemetry: openTelemetry({ tracerProvider, meterProvider, parts: false }) })
  await app.inject('/notes/1')
  assert.deepEqual(
    spans()
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('in ')),
    ['boot App', 'GET /notes/:id'],
  )
})

test('without the option nothing is traced, and a server without classes is traced with it', async () => {
  await using plain = await bootstrap(App, { logger: false })
  await plain.inject('/notes/1')
  assert.deepEqual(
    spans().filter(({ name }) => !name.startsWith('in ')),
    [],
  )
  assert.deepEqual(traceIds(), {})
  exporter.reset()
  await using server = createServer({ logger: false, telemetry })
  server.get('/plain', { preHandler: (_request, _reply, done) => setImmediate(done) }, (_request, reply) => {
    assert.equal(trace.getActiveSpan() !== undefined, true)
    setImmediate(() => void reply.send('later'))
  })
  await server.inject('/plain')
  assert.equal(spans().length, 3)
  assert.equal(parentOf('hook preHandler'), 'GET /plain')
  const handler = spans().find(({ name }) => name.startsWith('handler'))!
  assert.equal(parentOf(handler.name), 'GET /plain', 'the handler is no part of the hook before it')
})

test('a route without hooks keeps its trace in later events: when its body has come, and at its end', async () => {
  lines = []
  const logger = { level: 'info', mixin: traceIds, stream: { write: (line: string) => void lines.push(line) } }
  await using server = createServer({ logger, telemetry, disableRequestLogging: false })
  server.post('/body', () => ({}))
  await server.listen({ port: 0, host: '127.0.0.1' })
  const headers = { 'content-type': 'application/json', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }
  const request = httpRequest({ port: (server.server.address() as AddressInfo).port, path: '/body', method: 'POST', headers })
  const ended = new Promise((resolve) => request.on('response', (response) => response.resume().on('end', resolve)))
  request.write('{"a":')
  await wait(30)
  request.end('1}')
  await ended
  await wait(20)
  const completed = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'request completed')
  assert.equal(completed.trace_id, '0af7651916cd43dd8448eb211c80319c')
})

test('the providers that live as long as their context are made below the boot, and the failure of one is in both spans', async () => {
  class Settings {}
  class Store {}
  const made = factory(Store, [Settings], async () => {
    tracer.startSpan('in factory').end()
    await wait(1)
    return new Store()
  })
  @Injectable()
  class Users {
    constructor(readonly store: Store) {}
  }
  @Plugin({ providers: [Users] })
  class UsersPlugin {}
  @Plugin({ providers: [Settings, made], imports: [UsersPlugin] })
  class Shop {}
  await using _shop = await bootstrap(Shop, { logger: false, telemetry })
  const providers = [
    'Settings (in Shop)',
    'Store (in Shop)',
    'Users (in Shop > UsersPlugin)',
    'Shop (in Shop)',
    'UsersPlugin (in Shop > UsersPlugin)',
  ]
  const names = spans().map(({ name }) => name)
  assert.deepEqual(names.toSorted(), ['boot Shop', 'in factory', ...providers.map((name) => `provider ${name}`)].toSorted())
  for (const name of providers) assert.equal(parentOf(`provider ${name}`), 'boot Shop', name)
  assert.equal(named('boot Shop').parentSpanContext, undefined)
  assert.equal(parentOf('in factory'), undefined, 'what is begun at boot does not stay in its trace')
  exporter.reset()
  const broken = factory(Store, [], () => Promise.reject(new Error('no connection')))
  @Plugin({ providers: [broken] })
  class Broken {}
  await assert.rejects(bootstrap(Broken, { logger: false, telemetry }))
  assert.deepEqual(
    [named('provider Store (in Broken)').status.message, named('boot Broken').status.message],
    ['no connection', 'no connection'],
  )
})

test('a job, and a handler of an event after the request, have spans of their own with their providers below', async () => {
  const MAILS = queue('mails', { input: { type: 'object', properties: { n: { type: 'integer' } } } })
  const SEEN = domainEvent('seen', { payload: { type: 'object', properties: { n: { type: 'integer' } } } })
  @Injectable()
  @Job({ queue: MAILS })
  class Send {
    constructor(readonly visit: Visit) {}
    run() {
      tracer.startSpan('in job').end()
    }
  }
  @Injectable()
  @Job({ on: SEEN, when: 'later' })
  class Count {
    constructor(readonly visit: Visit) {}
    async run() {
      await wait(1)
      tracer.startSpan('in handler of the event').end()
    }
  }
  @Controller()
  class See {
    static readonly inject = [MAILS, SEEN] as const
    constructor(
      readonly mails: Queue<{ n?: number }>,
      readonly seen: Emitter<{ n?: number }>,
    ) {}
    @Post('/see')
    async see() {
      await this.mails.add({ n: 1 })
      await this.seen.emit({ n: 1 })
      return {}
    }
  }
  @Plugin({ providers: [Visit, MAILS, SEEN], routes: [See], jobs: [Send, Count] })
  class Mails {}
  await using app = await bootstrap(Mails, { logger: false, telemetry })
  await app.startJobs()
  assert.equal((await app.inject({ method: 'POST', url: '/see' })).statusCode, 200)
  await until(() => ['the job Mails > Send', 'the job Mails > Count'].every((name) => spans().some((span) => span.name === name)))
  assert.equal(parentOf('in job'), 'the job Mails > Send')
  assert.equal(parentOf('in handler of the event'), 'the job Mails > Count')
  assert.equal(parentOf('provider Send (in Mails)'), 'the job Mails > Send')
  assert.equal(parentOf('provider Count (in Mails)'), 'the job Mails > Count')
  const visits = spans().filter(({ name }) => name === 'provider Visit (in Mails)')
  assert.equal(visits.length, 2)
  // Both belong to the trace of the request.
  assert.equal(parentOf('the job Mails > Count'), 'POST /see')
  assert.equal(parentOf('the job Mails > Send'), 'handler Mails > See.see')
  assert.equal(named('the job Mails > Send').kind, SpanKind.CONSUMER)
})

test('a job that waits for another one is in the trace of the request that added it, in each of its attempts and as a dead letter', async () => {
  const LOST = queue('lost', {
    input: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } }, additionalProperties: false },
  })
  const SLOW = queue('slow', {
    input: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } }, additionalProperties: false },
    retry: { limit: 1, delay: 1 },
    deadLetter: LOST,
  })
  const inputs: unknown[] = []
  @Job({ queue: SLOW })
  class Slow {
    async run({ input }: JobRun) {
      inputs.push(input)
      await wait(5)
      throw new Error('no disk')
    }
  }
  @Job({ queue: LOST })
  class Bury {
    run({ input }: JobRun) {
      inputs.push(input)
    }
  }
  @Controller()
  class Add {
    static readonly inject = [SLOW] as const
    constructor(readonly slow: Queue<{ n: number }>) {}
    @Post('/add/:n')
    async add({ params }: RouteRequest) {
      await this.slow.add({ n: Number(params.n) })
      return {}
    }
  }
  @Plugin({ providers: [LOST, SLOW], routes: [Add], jobs: [Slow, Bury] })
  class Queues {}
  await using app = await bootstrap(Queues, { logger: false, telemetry })
  await app.startJobs()
  for (const n of [1, 2]) assert.equal((await app.inject({ method: 'POST', url: `/add/${n}` })).statusCode, 200)
  const ofJob = (name: string): ReadableSpan[] => spans().filter((span) => span.name === `the job Queues > ${name}`)
  await until(() => ofJob('Slow').length === 4 && ofJob('Bury').length === 2)
  const requests = spans().filter(({ name }) => name === 'POST /add/:n')
  for (const request of requests) {
    const { traceId } = request.spanContext()
    assert.equal(ofJob('Slow').filter((span) => span.spanContext().traceId === traceId).length, 2)
    assert.equal(ofJob('Bury').filter((span) => span.spanContext().traceId === traceId).length, 1)
  }
  assert.equal(requests.length, 2)
  assert.deepEqual(
    inputs.filter((input) => Object.keys(input as object).join() !== 'n'),
    [],
  )
})

test('a body that comes later than its head has a span', async () => {
  await using server = createServer({ logger: false, telemetry })
  server.post('/body', () => ({}))
  await server.inject({ method: 'POST', url: '/body', payload: { a: 1 } })
  assert.equal(parentOf('body'), 'POST /body')
  exporter.reset()
  await server.inject({ method: 'POST', url: '/body' })
  assert.deepEqual(
    spans().filter(({ name }) => name === 'body'),
    [],
  )
})
