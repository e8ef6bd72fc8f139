/** The application: options and hooks for every request, the API, its documentation, and the routes for operators. */
import { randomUUID } from 'node:crypto'
import rateLimit from '@fastify/rate-limit'
import { Hook, httpError, optionsFrom, Plugin, type Reply, type Request, rule, type ServerOptions, use } from 'alcove'
import { docsPage, type OpenApiOptions } from 'alcove/contract'
import { AuthPlugin } from './auth/auth.plugin.js'
import { databaseProvider } from './database/database.js'
import { HealthPlugin } from './health.js'
import { JobsPlugin } from './jobs.plugin.js'
import { OrdersPlugin } from './orders/orders.plugin.js'
import { ProductsController } from './products/products.controller.js'
import { ProductsPlugin } from './products/products.plugin.js'
import { Settings } from './settings.js'
import { UsersPlugin } from './users/users.plugin.js'

/** The options of the OpenAPI document, for the page at /docs and for `npm run openapi`, which finds them by the name of this export. */
export const document = {
  info: { title: '{{name}}', version: '1.0.0', description: 'Register, log in, and authorize with the token.' },
} satisfies OpenApiOptions

class TooManyRequests extends httpError(429, {}, { message: 'Too many requests' }) {}

/**
 * Limits how many requests a client may send. Each process counts alone; several replicas count together with the option `redis` of this
 * plugin. The plugin counts after the guards, so requests without a valid token are refused without being counted. Routes that take
 * passwords have stricter limits.
 */
const rateLimits = use(
  rateLimit,
  optionsFrom([Settings], ({ RATE_LIMIT }) => ({
    max: RATE_LIMIT,
    timeWindow: '1 minute',
    errorResponseBuilder: (_request: unknown, { after }: { after: string }) => new TooManyRequests({}, `Try again in ${after}`),
  })),
)

/** The plugin of the API. Only the API has rate limits: the routes for operators are outside of it. */
@Plugin({
  prefix: '/api',
  throws: [TooManyRequests],
  imports: [rateLimits, AuthPlugin, UsersPlugin, ProductsPlugin, OrdersPlugin],
  // A route that has no guard and is not in this list does not start.
  access: [rule.public({ exactly: ['POST /users', 'POST /users/login', ProductsController] })],
})
class ApiPlugin {}

@Plugin({
  errorFormat: 'problem',
  // Bodies are not coerced, because JSON has types: `null` is not the number 0.
  schemaController: { coerceBodies: false },
  providers: [Settings, databaseProvider],
  imports: [HealthPlugin, JobsPlugin, docsPage(document), ApiPlugin],
})
export class App {
  /** Sends the id of the request, by which an operator finds its lines in the log. */
  @Hook('onRequest')
  nameRequest(request: Request, reply: Reply): void {
    reply.header('x-request-id', request.id)
  }
}

/** The server options that do not depend on settings. `alcove build` and `alcove explain` find them by the name of this export. */
export const options = {
  // 0 ms is no limit: migrations may take long, and a replica waits while another replica runs them.
  pluginTimeout: 0,
} satisfies ServerOptions

/** Returns the options of the server. They depend on settings, and are needed before the application exists. */
export function serverOptions({ LOG_LEVEL, TRUST_PROXY }: Settings): ServerOptions {
  return {
    ...options,
    logger: { level: LOG_LEVEL, redact: ['req.headers.authorization', 'req.headers.cookie', 'password', '*.password'] },
    genReqId: () => randomUUID(),
    ...(TRUST_PROXY !== undefined && { trustProxy: TRUST_PROXY }),
  }
}
