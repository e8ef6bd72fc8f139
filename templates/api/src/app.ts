/** The application: what holds for every request, the API, its documentation, and the routes for operators. */
import { randomUUID } from 'node:crypto'
import rateLimit from '@fastify/rate-limit'
import { Hook, httpError, optionsFrom, Plugin, type Reply, type Request, type ServerOptions, use } from 'alcove'
import { docsPage, type OpenApiOptions } from 'alcove/contract'
import { AuthPlugin } from './auth/auth.plugin.js'
import { databaseProvider } from './database/database.js'
import { HealthPlugin } from './health.js'
import { OrdersPlugin } from './orders/orders.plugin.js'
import { ProductsPlugin } from './products/products.plugin.js'
import { Settings } from './settings.js'
import { UsersPlugin } from './users/users.plugin.js'

/** For the page at /docs, and for `npm run openapi`, which finds it by its name. */
export const document = {
  info: { title: '{{name}}', version: '1.0.0', description: 'Register, log in, and authorize with the token.' },
} satisfies OpenApiOptions

class TooManyRequests extends httpError(429, {}, { message: 'Too many requests' }) {}

/**
 * Each process counts on its own. Several replicas count together with the option `redis` of this plugin. It counts after the guards, so
 * requests without a valid token are refused without being counted; passwords are limited by the routes that take them.
 */
const rateLimits = use(
  rateLimit,
  optionsFrom([Settings], ({ RATE_LIMIT }) => ({
    max: RATE_LIMIT,
    timeWindow: '1 minute',
    errorResponseBuilder: (_request: unknown, { after }: { after: string }) => new TooManyRequests({}, `Try again in ${after}`),
  })),
)

/** Only the API is limited: the routes for operators stay outside. */
@Plugin({ prefix: '/api', throws: [TooManyRequests], imports: [rateLimits, AuthPlugin, UsersPlugin, ProductsPlugin, OrdersPlugin] })
class ApiPlugin {}

@Plugin({
  errorFormat: 'problem',
  // JSON has types: `null` is not the number 0.
  schemaController: { coerceBodies: false },
  providers: [Settings, databaseProvider],
  imports: [HealthPlugin, docsPage(document), ApiPlugin],
})
export class App {
  /** With this id, an operator finds the lines of a request in the log. */
  @Hook('onRequest')
  nameRequest(request: Request, reply: Reply): void {
    reply.header('x-request-id', request.id)
  }
}

/** What does not depend on the settings; `alcove build` and `alcove explain` find it by its name. */
export const options = {
  // ms; none, as migrations may take long, and a replica waits while another one runs them.
  pluginTimeout: 0,
} satisfies ServerOptions

/** The options of the server, which are needed before the application exists. */
export function serverOptions({ LOG_LEVEL, TRUST_PROXY }: Settings): ServerOptions {
  return {
    ...options,
    logger: { level: LOG_LEVEL, redact: ['req.headers.authorization', 'req.headers.cookie', 'password', '*.password'] },
    genReqId: () => randomUUID(),
    ...(TRUST_PROXY !== undefined && { trustProxy: TRUST_PROXY }),
  }
}
