/** How does a browser log in? By a session in a cookie; forms and scripts of other origins are refused by a token. */
// #region session
import cookie from '@fastify/cookie'
import csrf from '@fastify/csrf-protection'
import session from '@fastify/session'
import { Controller, Delete, Get, Hook, HttpError, httpError, Plugin, Post, type Reply, type Request, type RouteRequest, use } from 'alcove'
import 'alcove/fastify-types' // request.session, reply.generateCsrf …

declare module 'fastify' {
  interface Session {
    user?: string
  }
}

class Unauthorized extends httpError(401, {}, { message: 'Log in first' }) {}

class RequireSession {
  static readonly throws = [Unauthorized] as const
  static readonly security = { session: { type: 'apiKey', in: 'cookie', name: 'sessionId' } } as const

  onRequest({ session }: Request) {
    if (session.user === undefined) throw new Unauthorized()
  }
}

/** For requests that change something: their header `x-csrf-token` has the token that GET /session has told. */
class RequireToken {
  onRequest(request: Request, reply: Reply, done: (error?: Error) => void) {
    request.server.csrfProtection(request, reply, done)
  }
}

const login = {
  body: { type: 'object', required: ['name', 'password'], properties: { name: { type: 'string' }, password: { type: 'string' } } },
} as const

@Controller('/session')
class SessionController {
  @Post({ status: 204 }, login)
  async login(request: RouteRequest<typeof login>) {
    const { name, password } = request.body
    if (password !== 'open sesame') throw new HttpError(401, 'The name or the password is wrong')
    await request.session.regenerate() // a new session, whose id nobody else can know
    request.session.user = name
  }

  @Get()
  @Hook('onRequest', RequireSession)
  show({ session }: Request, reply: Reply) {
    return reply.send({ user: session.user, token: reply.generateCsrf() })
  }

  @Delete({ status: 204 })
  @Hook('onRequest', RequireSession)
  @Hook('onRequest', RequireToken)
  async logout({ session }: Request) {
    await session.destroy()
  }
}

@Plugin({
  imports: [
    use(cookie),
    // `secure: true`, the default, sends the cookie by HTTPS only. `store`: Redis or a database, if there are several processes.
    use(session, { secret: 'a secret of at least 32 characters', cookie: { secure: false, httpOnly: true, sameSite: 'lax' } }),
    use(csrf, { sessionPlugin: '@fastify/session' }),
  ],
  routes: [SessionController],
})
export class App {}
// #endregion
