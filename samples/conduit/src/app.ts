/** The whole application: what every request passes, then the API, its documentation, and what operating it needs. */
import { randomUUID } from 'node:crypto'
import { Hook, Plugin, type Reply, type Request, type ServerOptions } from 'alcove'
import { Api } from './api.js'
import { type Config, configProviders } from './config.js'
import { databaseProvider } from './database/database.js'
import { Documentation, swaggerPlugin } from './documentation/documentation.js'
import { answerError, answerNotFound } from './errors.js'
import { Health, Readiness } from './operations/health.js'
import { MetricsPlugin } from './operations/metrics.js'
import { corsPlugin, helmetPlugin, sharedCountersProvider } from './operations/protection.js'
import { TracingPlugin } from './operations/tracing.js'
import './types.js'

@Plugin({
  providers: [...configProviders, databaseProvider, sharedCountersProvider, Readiness],
  errorHandler: answerError,
  notFoundHandler: answerNotFound,
  imports: [TracingPlugin, MetricsPlugin, corsPlugin, helmetPlugin, swaggerPlugin, Health, Documentation, Api],
})
export class App {
  /** So that a user's complaint finds its lines in the log. */
  @Hook('onRequest')
  nameRequest(request: Request, reply: Reply): void {
    reply.header('x-request-id', request.id)
  }
}

/** What the server is told before there is an application. */
export function serverOptions({ LOG_LEVEL, TRUST_PROXY }: Pick<Config, 'LOG_LEVEL' | 'TRUST_PROXY'>): ServerOptions {
  return {
    logger: LOG_LEVEL !== 'silent' && { level: LOG_LEVEL, redact: ['req.headers.authorization'] },
    requestIdHeader: 'x-request-id',
    genReqId: () => randomUUID(),
    // Slugs and names are longer when they are percent-encoded.
    maxParamLength: 1000,
    ...(TRUST_PROXY !== undefined && { trustProxy: TRUST_PROXY }),
  }
}
