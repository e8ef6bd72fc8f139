/** An observer that writes spans and metrics with the API of OpenTelemetry, named by its semantic conventions. */
import {
  type Attributes,
  type Context,
  context,
  type Meter,
  type MeterProvider,
  metrics,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api'
import type {
  ObservedBoot,
  ObservedFigures,
  ObservedStep,
  Observer,
  Reply,
  Request,
  RequestOutcome,
  StepInProgress,
} from '../../lib/index.js'
import { assertKnownOptions, isOverWhole } from '../../lib/internal.js'
import { Gauges } from './gauges.js'

/** Options of {@link openTelemetry}. */
export interface OpenTelemetryOptions {
  /** The provider of the tracer, which makes spans. Default: the provider that is registered for the process. */
  readonly tracerProvider?: TracerProvider
  /** The provider of the meter, which makes metrics. Default: the provider that is registered for the process. */
  readonly meterProvider?: MeterProvider
  /** Whether the steps of a request (hooks, handler, body, validation, serialization, providers) have separate spans. Default true. */
  readonly parts?: boolean
  /** Whether the event loop is measured. Default true. Write `false` if `@opentelemetry/instrumentation-runtime-node` measures it. */
  readonly eventLoop?: boolean
}

/** The state of an observed request. */
interface Observed {
  readonly span: Span
  readonly context: Context
  /** The time at which the request began, in ms (`performance.now()`). */
  readonly began: number
  /** The spans of the request's steps that have begun and have not ended. */
  readonly open: Set<Span>
  /** The attributes of the request's metrics, without the status. */
  readonly attributes: Attributes
  /** Whether the server waits for the body of the request. */
  awaitsBody: boolean
}

/** The bucket boundaries of the duration histogram, in seconds, as the semantic conventions recommend. */
const durationBounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** The methods that telemetry names although no route has them: clients can invent any number of others, which `server.fetch` accepts. */
const knownMethods: ReadonlySet<string> = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE'])

/**
 * Makes the value of the option `telemetry`: spans and metrics of all requests, and of other work such as jobs.
 * ```ts
 * const server = await bootstrap(App, { telemetry: openTelemetry(), logger: { mixin: traceIds } })
 * ```
 * The names follow the semantic conventions of HTTP (https://opentelemetry.io/docs/specs/semconv/http/).
 * @throws TypeError for an option that does not exist
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Observer {
  assertKnownOptions('openTelemetry(…)', options, ['tracerProvider', 'meterProvider', 'parts', 'eventLoop'])
  const { tracerProvider, meterProvider, parts = true, eventLoop = true } = options
  const tracer = (tracerProvider ?? trace).getTracer('alcove')
  const meter = (meterProvider ?? metrics).getMeter('alcove')
  return new OpenTelemetryObserver(tracer, meter, parts, new Gauges(meter, eventLoop))
}

/**
 * Returns the ids of the current span, for log lines: pass this function as the option `mixin` of the logger. Returns an empty object
 * outside of a trace.
 * ```ts
 * createServer({ logger: { mixin: traceIds } }) // "trace_id":"5b8aa5a2d2c872e8321cf37308d69df2","span_id":"051581bf3cb55c13","trace_flags":"01"
 * ```
 */
export function traceIds(): { trace_id?: string; span_id?: string; trace_flags?: string } {
  const span = trace.getActiveSpan()?.spanContext()
  if (span === undefined) return {}
  return { trace_id: span.traceId, span_id: span.spanId, trace_flags: span.traceFlags.toString(16).padStart(2, '0') }
}

class OpenTelemetryObserver implements Observer {
  readonly #tracer: Tracer
  readonly #parts: boolean
  readonly #requests = new WeakMap<Request, Observed>()
  readonly #duration
  readonly #active
  readonly #bodies
  readonly #work
  readonly #gauges: Gauges

  constructor(tracer: Tracer, meter: Meter, parts: boolean, gauges: Gauges) {
    this.#tracer = tracer
    this.#parts = parts
    this.#gauges = gauges
    const advice = { explicitBucketBoundaries: durationBounds }
    this.#duration = meter.createHistogram('http.server.request.duration', { unit: 's', description: 'Duration of requests', advice })
    this.#active = meter.createUpDownCounter('http.server.active_requests', { unit: '{request}', description: 'Requests that are served' })
    this.#bodies = meter.createUpDownCounter('alcove.bodies.waiting', {
      unit: '{body}',
      description: 'Bodies of requests that have not come',
    })
    this.#work = meter.createHistogram('alcove.work.duration', { unit: 's', description: 'Duration of work that is no request', advice })
  }

  enter(request: Request, proceed: () => void): void {
    const { method: original, protocol, routeOptions, port } = request
    const { url: route } = routeOptions
    const isKnown = route !== undefined || knownMethods.has(original)
    const method = isKnown ? original : '_OTHER'
    const attributes: Attributes = {
      'http.request.method': method,
      'url.scheme': protocol,
      ...(route !== undefined && { 'http.route': route }),
    }
    const parent = propagation.extract(context.active(), request.headers)
    const [path, query] = split(request.originalUrl)
    const span = this.#tracer.startSpan(
      route === undefined ? (isKnown ? method : 'HTTP') : `${method} ${route}`,
      {
        kind: SpanKind.SERVER,
        attributes: {
          ...attributes,
          ...(!isKnown && { 'http.request.method_original': original }),
          'url.path': path,
          ...(query !== undefined && { 'url.query': query }),
          'network.protocol.version': request.raw.httpVersion,
          'client.address': request.ip,
          'server.address': request.host.replace(/:\d+$/, ''),
          ...(port !== null && { 'server.port': port }),
          ...(request.raw.headers['user-agent'] !== undefined && { 'user_agent.original': request.raw.headers['user-agent'] }),
        },
      },
      parent,
    )
    const own = trace.setSpan(parent, span)
    this.#active.add(1, { 'http.request.method': method, 'url.scheme': protocol })
    this.#requests.set(request, { span, context: own, began: performance.now(), open: new Set(), attributes, awaitsBody: false })
    context.with(own, proceed)
  }

  begin(step: ObservedStep, request: Request | undefined): StepInProgress {
    if (request === undefined) return this.#parts ? this.#beginIn(context.active(), step, new Set()) : unobserved
    const observed = this.#requests.get(request)
    if (observed === undefined) return unobserved
    if (step.kind === 'body') return this.#beginBody(step, observed)
    return this.#parts ? this.#beginIn(observed.context, step, observed.open) : unobserved
  }

  /**
   * Begins the span of a step of a request, or of other work. @param whole the context of the request or work @param open contains the span
   * until it has ended
   */
  #beginIn(whole: Context, { kind, name, hook, from }: ObservedStep, open: Set<Span>): StepInProgress {
    const span = this.#tracer.startSpan(
      [kind, name].filter(Boolean).join(' '),
      {
        attributes: {
          'alcove.step': kind,
          ...(name !== undefined && { 'code.function.name': name }),
          ...(hook !== undefined && { 'alcove.hook': hook }),
          ...(from !== undefined && { 'alcove.context': from }),
        },
      },
      // A part of a part, such as a provider that a handler needs, is below it.
      trace.getSpan(context.active()) === undefined ? whole : context.active(),
    )
    open.add(span)
    const own = trace.setSpan(whole, span)
    return {
      inside: (call) => context.with(own, call),
      outside: (call) => context.with(whole, call),
      end(error) {
        if (!open.delete(span)) return
        noteError(span, error)
        span.end()
      },
    }
  }

  #beginBody(step: ObservedStep, observed: Observed): StepInProgress {
    observed.awaitsBody = true
    this.#bodies.add(1)
    const part = this.#parts ? this.#beginIn(observed.context, step, observed.open) : unobserved
    const end = (error?: unknown): void => {
      this.#endBody(observed)
      part.end(error)
    }
    return { ...part, end }
  }

  #endBody(observed: Observed): void {
    if (!observed.awaitsBody) return
    observed.awaitsBody = false
    this.#bodies.add(-1)
  }

  leave(request: Request, reply: Reply, { kind, status, error }: RequestOutcome): void {
    const observed = this.#requests.get(request)
    if (observed === undefined) return
    this.#requests.delete(request)
    const { span, open, began, attributes } = observed
    const isCut = kind === 'failed' && isOverWhole(reply.raw) === false
    const hasLeft = kind === 'aborted' || (isCut && observed.awaitsBody)
    this.#endBody(observed)
    for (const each of open) each.end()
    open.clear()
    const hasFailed = hasLeft || isCut || (status !== undefined && status >= 500)
    const errorType = hasLeft ? 'aborted' : hasFailed ? (nameOfError(error) ?? String(status)) : undefined
    // A reply that breaks off keeps the status of its head. No client has got a status if there was no head.
    const hasStatus = status !== undefined && !hasLeft && (!isCut || reply.raw.headersSent)
    const outcome: Attributes = {
      ...(hasStatus && { 'http.response.status_code': status }),
      ...(errorType !== undefined && { 'error.type': errorType }),
    }
    span.setAttributes(outcome)
    // A status of 4xx is no error of the server (semantic conventions of HTTP spans).
    if (hasLeft) noteError(span, new Error('The client has left'))
    else if (hasFailed) noteError(span, error ?? new Error(`Status ${status}`))
    span.end()
    this.#active.add(-1, { 'http.request.method': attributes['http.request.method'], 'url.scheme': attributes['url.scheme'] })
    this.#duration.record((performance.now() - began) / 1000, { ...attributes, ...outcome }, observed.context)
  }

  boot(name: string): ObservedBoot {
    return new TracedBoot(this.#tracer, this.#parts, name)
  }

  watch(figures: ObservedFigures): () => void {
    return this.#gauges.watch(figures)
  }

  carry(): Record<string, string> | undefined {
    const carrier: Record<string, string> = {}
    propagation.inject(context.active(), carrier)
    return Object.keys(carrier).length === 0 ? undefined : carrier
  }

  resume<T>(carrier: Readonly<Record<string, string>>, call: () => T): T {
    return context.with(propagation.extract(ROOT_CONTEXT, carrier), call)
  }

  async work<T>(name: string, call: () => Promise<T>): Promise<T> {
    const began = performance.now()
    const isResumed = trace.getSpanContext(context.active())?.isRemote === true
    const kind = isResumed ? SpanKind.CONSUMER : SpanKind.INTERNAL
    const span = this.#tracer.startSpan(name, { kind, attributes: { 'alcove.work': name } })
    let errorType: string | undefined
    try {
      return await context.with(trace.setSpan(context.active(), span), call)
    } catch (error) {
      errorType = nameOfError(error) ?? 'error'
      noteError(span, error)
      throw error
    } finally {
      span.end()
      const seconds = (performance.now() - began) / 1000
      this.#work.record(seconds, { 'alcove.work': name, ...(errorType !== undefined && { 'error.type': errorType }) })
    }
  }
}

/**
 * The spans of a boot. A step of the boot does not become the current context, because timers and connections that it creates would keep
 * this context for ever.
 */
class TracedBoot implements ObservedBoot {
  readonly #tracer: Tracer
  readonly #parts: boolean
  readonly #span: Span
  readonly #context: Context

  constructor(tracer: Tracer, parts: boolean, name: string) {
    this.#tracer = tracer
    this.#parts = parts
    this.#span = tracer.startSpan(`boot ${name}`, { attributes: { 'alcove.boot': name } })
    this.#context = trace.setSpan(context.active(), this.#span)
  }

  construct(name: string): (error?: unknown) => void {
    if (!this.#parts) return () => {}
    const attributes = { 'alcove.step': 'provider', 'code.function.name': name }
    const span = this.#tracer.startSpan(`provider ${name}`, { attributes }, this.#context)
    return (error) => {
      noteError(span, error)
      span.end()
    }
  }

  end(error?: unknown): void {
    noteError(this.#span, error)
    this.#span.end()
  }
}

/** A step without a span: after the end of the request, or with `parts: false`. */
const unobserved: StepInProgress = {
  inside: (call) => call(),
  outside: (call) => call(),
  end() {},
}

function split(url: string): [path: string, query: string | undefined] {
  const at = url.indexOf('?')
  return at === -1 ? [url, undefined] : [url.slice(0, at), url.slice(at + 1)]
}

function noteError(span: Span, error: unknown): void {
  if (error === undefined || error === null) return
  if (error instanceof Error) span.recordException(error)
  span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : `A ${typeof error} was thrown` })
}

/** Returns the code of an error, or the name of its class. There are few such names, as the label of a metric needs. */
function nameOfError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : error.name
}
