/** The code of docs/guide/plugins.md, and of docs/reference/ecosystem.md. */
import { createServer } from 'alcove'

// #region use
// #region bearer
import bearerAuth from '@fastify/bearer-auth'
import { Plugin, use } from 'alcove'
// #endregion
import { environment, optionsFrom, requestDecorator, type RouteRequest, type Server, shared } from 'alcove'

class Settings extends environment({ type: 'object', properties: { TOKEN: { type: 'string', default: 'abc123' } } }) {}

/** A function in the style of Fastify: it adds `request.session`. */
async function sessions(server: Server, { secret }: { secret: string }) {
  server.decorateRequest('session', null)
  server.addHook('onRequest', async (request) => void Object.assign(request, { session: `signed with ${secret}` }))
}
const Session = requestDecorator('session').as<string>()

/** Without `shared`, what it adds would stay in a context of its own. */
async function serverTime(server: Server) {
  server.addHook('onSend', async (_request, reply) => void reply.header('x-server', 'alcove'))
}

@Plugin({ shared: true })
class MetricsPlugin {
  setup(server: Server) {
    server.get('/metrics', () => 'requests 0')
  }
}

@Plugin({ prefix: '/tenants' })
class TenantPlugin {
  setup(server: Server, { name }: { name: string }) {
    server.get('/', () => ({ tenant: name }))
  }
}

@Plugin({
  imports: [
    use(bearerAuth, { keys: new Set(['abc123']), addHook: false }),
    shared(use(sessions, { secret: 'a secret' }, { sets: [Session] })),
    MetricsPlugin,
    shared(use(serverTime)),
    use(TenantPlugin, { prefix: '/t', name: 'a' }),
  ],
})
class Api {}

@Plugin({
  providers: [Settings],
  imports: [
    shared(
      use(
        sessions,
        optionsFrom([Settings], ({ TOKEN }) => ({ secret: TOKEN })),
        { sets: [Session] },
      ),
    ),
  ],
})
class Configured {}
// #endregion

// #region setup
@Plugin()
class Special {
  setup(instance: Server, options: { path: string }) {
    instance.get(options.path, () => 'by hand')
  }
}

@Plugin({ prefix: '/api', imports: [use(Special, { path: '/special' })] })
class SpecialApi {}
// #endregion
export type WithSession = RouteRequest<unknown, [typeof Session]>

export function createProgrammatic(): Server {
  const server = createServer()
  // #region bearer
  server.register(bearerAuth, { keys: new Set(['abc123']) }) // programmatically
  // #endregion
  server.get('/', () => 'for holders of a token')
  return server
}

// #region bearer
@Plugin({ imports: [use(bearerAuth, { keys: new Set(['abc123']) })] }) // imported by a plugin class
export class Guarded {}
// #endregion

@Plugin({ imports: [Api, Configured, SpecialApi] })
export class App {}
