import metrics from 'fastify-metrics'
import { createServer } from 'under-test'

const server = createServer()
server.register(metrics.default, { endpoint: '/metrics', routeMetrics: { enabled: true } })
export const text = () => server.metrics.client.register.metrics()
