import { FastifyOtelInstrumentation } from '@fastify/otel'
import { createServer } from 'under-test'

const instrumentation = new FastifyOtelInstrumentation({ registerOnInitialization: false })
const server = createServer()
server.register(instrumentation.plugin())
server.get('/', { config: { otel: false } }, (request) => request.opentelemetry().span?.spanContext().traceId)
