import { trace } from '@opentelemetry/api'
import { Controller, Get, Plugin, type RouteRequest, type ServerOptions } from 'alcove'
import { Dependency, HealthPlugin } from './health.js'
import { MetricsPlugin } from './metrics.js'
import { TracingPlugin } from './tracing.plugin.js'

class Database extends Dependency {
  async ping(): Promise<void> {
    // await pool.query('select 1')
  }
}

@Controller('/orders')
class OrdersController {
  @Get('/:id')
  async find({ signal }: RouteRequest) {
    const price = await fetch(process.env['PRICES_URL'] ?? 'http://localhost:4000/price', { signal })
    return { price: await price.json() }
  }
}

@Plugin({
  providers: [{ provide: Dependency, useClass: Database }],
  imports: [TracingPlugin, MetricsPlugin, HealthPlugin],
  routes: [OrdersController],
})
export class App {}

export const options = {
  logger: {
    // Each line of a request has the id of its trace, except `incoming request`, which is written before the trace begins.
    mixin: () => ({ traceId: trace.getActiveSpan()?.spanContext().traceId }),
  },
} satisfies ServerOptions
