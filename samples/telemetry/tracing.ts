/** Loaded before everything else: node --import ./dist/tracing.js dist/main.js */
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

/** Without OTEL_EXPORTER_OTLP_ENDPOINT (`http://localhost:4318`) nothing is traced. */
export const tracerProvider = process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] === undefined ? undefined : startTracing()

function startTracing(): NodeTracerProvider {
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': process.env['OTEL_SERVICE_NAME'] ?? 'shop' }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  })
  // For the whole process, so that spans of libraries join the spans of requests, and `traceparent` headers are read and sent.
  provider.register()
  registerInstrumentations({ tracerProvider: provider, instrumentations: [new UndiciInstrumentation()] })
  return provider
}
