/** An observer that writes spans and metrics by the API of OpenTelemetry, under the names of its semantic conventions. */
import {
  type Attributes,
  type Context,
  context,
  type Meter,
  type MeterProvider,
  metrics,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api'
import type { ObservedStep, Observer, Reply, Request, RequestOutcome, StepInProgress } from '../../lib/index.js'

/** Options of {@link openTelemetry}. */
export interface OpenTelemetryOptions {
  /** Makes the spans. Default: the provider that is registered for the process. */
  readonly tracerProvider?: TracerProvider
  /** Makes the metrics. Default: the provider that is registered for the process. */
  readonly meterProvider?: MeterProvider
  /** Whether the parts of a request (hooks, handler, validation, serialization, providers) have spans of their own. Default true. */
  readonly parts?: boolean
}

/** What is known of a request that is observed. */
interface Observed {
  readonly span: Span
  readonly context: Context
  /** The time at which the request began (ms, `performance.now()`). */
  readonly began: number
  /** The parts that have begun and not ended. */
  readonly open: Set<Span>
  /** The attributes that the request's metrics have besides its status. */
  readonly attributes: Attributes
}

/** The bounds of the histogram of durations, in seconds, as the semantic conventions advise. */
const durationBounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/**
 * Makes the value of the option `telemetry`: spans and metrics of all requests and of work that is no request.
 * ```ts
 * const server = await bootstrap(App, { telemetry: openTelemetry(), logger: { mixin: traceIds } })
 * ```
 * The names are those of the semantic conventions of HTTP (https://opentelemetry.io/docs/specs/semconv/http/).
 */
export function openTelemetry({ tracerProvider, meterProvider, parts = true }: OpenTelemetryOptions = {}): Observer {
  const tracer = (tracerProvider ?? trace).getTracer('alcove')
  return new OpenTelemetryObserver(tracer, (meterProvider ?? metrics).getMeter('alcove'), parts)
}

/**
 * Returns the ids of the current span, for the lines of the log: the option `mixin` of the logger. Outside of a trace there are none.
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
  readonly #work

  constructor(tracer: Tracer, meter: Meter, parts: boolean) {
    this.#tracer = tracer
    this.#parts = parts
    const advice = { explicitBucketBoundaries: durationBounds }
    this.#duration = meter.createHistogram('http.server.request.duration', { unit: 's', description: 'Duration of requests', advice })
    this.#active = meter.createUpDownCounter('http.server.active_requests', { unit: '{request}', description: 'Requests that are served' })
    this.#work = meter.createHistogram('alcove.work.duration', { unit: 's', description: 'Duration of work that is no request', advice })
  }

  enter(request: Request, proceed: () => void): void {
    const { method, protocol, routeOptions } = request
    const { url: route } = routeOptions
    const attributes: Attributes = {
      'http.request.method': method,
      'url.scheme': protocol,
      ...(route !== undefined && { 'http.route': route }),
    }
    const parent = propagation.extract(context.active(), request.headers)
    const [path, query] = split(request.originalUrl)
    const span = this.#tracer.startSpan(
      route === undefined ? method : `${method} ${route}`,
      {
        kind: SpanKind.SERVER,
        attributes: {
          ...attributes,
          'url.path': path,
          ...(query !== undefined && { 'url.query': query }),
          'network.protocol.version': request.raw.httpVersion,
          'client.address': request.ip,
          'server.address': request.hostname,
          ...(request.headers['user-agent'] !== undefined && { 'user_agent.original': request.headers['user-agent'] }),
        },
      },
      parent,
    )
    const own = trace.setSpan(parent, span)
    this.#active.add(1, { 'http.request.method': method, 'url.scheme': protocol })
    this.#requests.set(request, { span, context: own, began: performance.now(), open: new Set(), attributes })
    context.with(own, proceed)
  }

  begin(step: ObservedStep, request: Request): StepInProgress {
    const observed = this.#requests.get(request)
    if (observed === undefined || !this.#parts) return unobserved
    const { kind, name, hook, from } = step
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
      trace.getSpan(context.active()) === undefined ? observed.context : context.active(),
    )
    observed.open.add(span)
    const own = trace.setSpan(observed.context, span)
    return {
      inside: (call) => context.with(own, call),
      outside: (call) => context.with(observed.context, call),
      end(error) {
        if (!observed.open.delete(span)) return
        noteError(span, error)
        span.end()
      },
    }
  }

  leave(request: Request, _reply: Reply, { kind, status, error }: RequestOutcome): void {
    const observed = this.#requests.get(request)
    if (observed === undefined) return
    this.#requests.delete(request)
    const { span, open, began, attributes } = observed
    for (const each of open) each.end()
    open.clear()
    const hasFailed = kind === 'aborted' || (status !== undefined && status >= 500)
    const errorType = kind === 'aborted' ? 'aborted' : hasFailed ? (nameOfError(error) ?? String(status)) : undefined
    const outcome: Attributes = {
      ...(status !== undefined && { 'http.response.status_code': status }),
      ...(errorType !== undefined && { 'error.type': errorType }),
    }
    span.setAttributes(outcome)
    // A status of 4xx is no error of the server (semantic conventions of HTTP spans).
    if (hasFailed) noteError(span, error ?? new Error(kind === 'aborted' ? 'The client has left' : `Status ${status}`))
    span.end()
    this.#active.add(-1, { 'http.request.method': attributes['http.request.method'], 'url.scheme': attributes['url.scheme'] })
    this.#duration.record((performance.now() - began) / 1000, { ...attributes, ...outcome }, observed.context)
  }

  async work<T>(name: string, call: () => Promise<T>): Promise<T> {
    const began = performance.now()
    const span = this.#tracer.startSpan(name, { attributes: { 'alcove.work': name } })
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

/** A part that has no span: of a request that has ended, or without `parts`. */
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

/** The code of an error, or the name of its class: few values, as a label of a metric needs. */
function nameOfError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : error.name
}
