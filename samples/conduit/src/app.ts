/** The whole application: the hooks and headers of every request, the API, its documentation, and the routes and plugins for operators. */
import { randomUUID } from 'node:crypto'
import { Hook, Plugin, type Reply, type Request, type ServerOptions } from 'alcove'
import { Api } from './api.js'
import { type Config, configProviders } from './config.js'
import { databaseProvider } from './database/database.js'
import { Documentation } from './documentation/documentation.js'
import { answerError, answerNotFound } from './errors.js'
import { Health, Readiness } from './operations/health.js'
import { MetricsPlugin } from './operations/metrics.js'
import { corsPlugin, helmetPlugin, sharedCountersProvider } from './operations/protection.js'
import { TracingPlugin } from './operations/tracing.js'
import { jobsProvider } from './queue.js'
import './types.js'

export { document } from './documentation/documentation.js'

@Plugin({
  providers: [...configProviders, databaseProvider, jobsProvider, sharedCountersProvider, Readiness],
  errorHandler: answerError,
  notFoundHandler: answerNotFound,
  imports: [TracingPlugin, MetricsPlugin, corsPlugin, helmetPlugin, Health, Documentation, Api],
})
export class App {
  /** With this id an operator finds the log lines of a user's complaint. */
  @Hook('onRequest')
  nameRequest(request: Request, reply: Reply): void {
    reply.header('x-request-id', request.id)
  }
}

type ServerConfig = Pick<Config, 'LOG_LEVEL' | 'TRUST_PROXY' | 'CLOSE_IDLE_DELAY'>

/** The server options, which are needed before the application exists. */
export function serverOptions({ LOG_LEVEL, TRUST_PROXY, CLOSE_IDLE_DELAY }: ServerConfig): ServerOptions {
  return {
    logger: LOG_LEVEL !== 'silent' && { level: LOG_LEVEL, redact: ['req.headers.authorization'] },
    requestIdHeader: 'x-request-id',
    genReqId: () => randomUUID(),
    closeIdleDelay: CLOSE_IDLE_DELAY,
    // Migrations may take any time, here or in another replica that this one waits for.
    pluginTimeout: 0,
    // Percent-encoding makes slugs and names longer.
    maxParamLength: 1000,
    ...(TRUST_PROXY !== undefined && { trustProxy: TRUST_PROXY }),
  }
}
