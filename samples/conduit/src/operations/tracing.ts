/** OpenTelemetry traces, sent to OTEL_EXPORTER_OTLP_ENDPOINT; if that is not set, there are none. */
import { FastifyOtelInstrumentation } from '@fastify/otel'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider, type SpanProcessor } from '@opentelemetry/sdk-trace-node'
import { factory, Plugin, type Server } from 'alcove'
import { CONFIG, type Config } from '../config.js'

// #region tracing
/** The exporter of spans. It ends after the last request and sends the remaining spans. */
export class Tracing {
  readonly provider: NodeTracerProvider | undefined

  constructor(serviceName: string, processor: SpanProcessor | undefined) {
    if (processor === undefined) return
    const resource = resourceFromAttributes({ 'service.name': serviceName })
    this.provider = new NodeTracerProvider({ resource, spanProcessors: [processor] })
  }

  async onClose(): Promise<void> {
    await this.provider?.shutdown()
  }
}

function createTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME }: Config): Tracing {
  if (endpoint === undefined) return new Tracing(OTEL_SERVICE_NAME, undefined)
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`
  const tracing = new Tracing(OTEL_SERVICE_NAME, new BatchSpanProcessor(new OTLPTraceExporter({ url })))
  // Registered for the whole process, so that spans of other libraries join ours and `traceparent` headers are read.
  tracing.provider!.register()
  return tracing
}

/** Shared: it traces the requests of the whole application. */
@Plugin({ shared: true, providers: [factory(Tracing, [CONFIG], createTracing)] })
export class TracingPlugin {
  static readonly inject = [Tracing] as const
  constructor(private readonly tracing: Tracing) {}

  async setup(instance: Server): Promise<void> {
    const { provider } = this.tracing
    if (provider === undefined) return
    const instrumentation = new FastifyOtelInstrumentation({ registerOnInitialization: false })
    instrumentation.setTracerProvider(provider)
    await instance.register(instrumentation.plugin())
  }
}
// #endregion
