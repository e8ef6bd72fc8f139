import { Hook, Injectable, Plugin, type Reply, type Request, Route } from 'alcove'
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client'

export class Metrics {
  readonly registry = new Registry()
  readonly requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.registry],
  })
  readonly aborted = new Counter({
    name: 'http_requests_aborted_total',
    help: 'Requests whose responses were not sent to the end, mostly because the client left',
    labelNames: ['method', 'route'],
    registers: [this.registry],
  })

  constructor() {
    collectDefaultMetrics({ register: this.registry })
  }
}

@Injectable()
@Route({ method: 'GET', path: '/metrics', logLevel: 'warn', docs: { hide: true } })
class GetMetrics {
  constructor(private readonly metrics: Metrics) {}

  async handle(_request: Request, reply: Reply) {
    const { registry } = this.metrics
    return reply.type(registry.contentType).send(await registry.metrics())
  }
}

/** Shared: it measures the requests of the plugin that imports it, and of those below. */
@Injectable()
@Plugin({ shared: true, providers: [Metrics], routes: [GetMetrics] })
export class MetricsPlugin {
  constructor(private readonly metrics: Metrics) {}

  @Hook('onResponse')
  measure(request: Request, reply: Reply): void {
    const labels = { method: request.method, route: routeOf(request), status: reply.statusCode }
    this.metrics.requests.observe(labels, reply.elapsedTime / 1000)
  }

  @Hook('onRequestAbort')
  count(request: Request): void {
    this.metrics.aborted.inc({ method: request.method, route: routeOf(request) })
  }
}

/** The declared route, `/orders/:id`: clients can invent any number of URLs. */
function routeOf({ routeOptions }: Request): string {
  return routeOptions.url ?? 'unknown'
}
