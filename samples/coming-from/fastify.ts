/** The code blocks of docs/how-to/coming-from-fastify.md, for readers who know Fastify. */
// #region programmatic
import bearerAuth from '@fastify/bearer-auth'
import { createServer, type Server } from 'alcove'

const create = {
  body: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  response: { 201: { type: 'object', properties: { name: { type: 'string' } } } },
} as const

export function createApp(): Server {
  const server = createServer()
  server.register(bearerAuth, { keys: new Set(['abc123']) })
  server.register(
    async (users: Server) => {
      users.post('/', { schema: create }, (request, reply) => reply.code(201).send({ name: request.body.name }))
    },
    { prefix: '/users' },
  )
  return server
}
// #endregion

// #region classes
import { bootstrap, Controller, Plugin, Post, type RouteRequest, use } from 'alcove'

@Controller()
class UsersController {
  @Post({ path: '/', status: 201 }, create)
  create({ body }: RouteRequest<typeof create>) {
    return { name: body.name }
  }
}

@Plugin({ prefix: '/users', routes: [UsersController] })
class UsersPlugin {}

@Plugin({ imports: [use(bearerAuth, { keys: new Set(['abc123']) }), UsersPlugin] })
export class App {
  static readonly responses = { 401: { type: 'object', properties: { error: { type: 'string' } } } } // what bearerAuth answers
}

export const startApp = () => bootstrap(App, { logger: true })
// #endregion

// #region decorators
import { Hook, requestDecorator, shared } from 'alcove'

const Tenant = requestDecorator('tenant', null).as<string | null>()

@Plugin({ decorateRequest: [Tenant] }) // fastify.decorateRequest('tenant', null)
class TenantPlugin {
  @Hook('onRequest') // fastify.addHook('onRequest', …)
  async readTenant(request: RouteRequest<unknown, [typeof Tenant]>) {
    request.tenant = String(request.headers['x-tenant'] ?? 'none')
  }
}

@Controller('/tenant')
class TenantController {
  @Post()
  show({ tenant }: RouteRequest<unknown, [typeof Tenant]>) {
    return { tenant }
  }
}

@Plugin({ imports: [shared(TenantPlugin)], requires: [Tenant], routes: [TenantController] }) // shared: fastify-plugin
export class TenantApp {}
// #endregion

// #region gradually
import { Get } from 'alcove'

/** The application as it was, as a plugin function: with its decorators, hooks and routes. */
export async function existing(server: Server) {
  server.decorateRequest('startedAt', 0)
  server.addHook('onRequest', async (request) => {
    request.startedAt = Date.now()
  })
  server.get('/old', () => ({ from: 'a function' }))
}

const StartedAt = requestDecorator('startedAt', 0)

@Controller('/new')
class NewController {
  @Get()
  show({ startedAt }: RouteRequest<unknown, [typeof StartedAt]>) {
    return { from: 'a class', isLate: Date.now() - startedAt > 60_000 }
  }
}

@Plugin({ requires: [StartedAt], routes: [NewController] })
class NewPlugin {}

/** `shared`: what the function declares belongs to this plugin, so new classes see it too. */
@Plugin({ imports: [shared(use(existing, {}, { decorates: [StartedAt] })), NewPlugin] })
export class GradualApp {}
// #endregion
