/** The recipe of docs/reference/ecosystem.md: typed plugins of the ecosystem, with fastify's types installed. */
import bearerAuth from '@fastify/bearer-auth'
import cookie from '@fastify/cookie'
import jwt from '@fastify/jwt'
import rateLimit from '@fastify/rate-limit'
import websocket, { type WebSocket } from '@fastify/websocket'
// 1. All that plugins add to requests, replies, servers, and the options and `config` of routes.
// #region types
import 'alcove/fastify-types' // once in the application
// #endregion
import { createServer, Hook, Plugin, type Reply, type Request, requestDecorator, Route, type RouteRequest, use, Without } from 'alcove'
import type { FastifyPluginAsync } from 'fastify'

// 2. The plugin's own way of typing what it carries works as its documentation says.
interface Claims {
  id: string
  admin: boolean
}
declare module '@fastify/jwt' {
  interface FastifyJWT {
    payload: Claims
    user: Claims
  }
}

// 3. A typed handle says which routes see a decorator; `decorates` says which plugin adds it, and `sets` which hook gives it its value.
const User = requestDecorator('user').as<Claims>()

class VerifyToken {
  static readonly sets = [User] as const
  async onRequest(request: Request) {
    await request.jwtVerify()
  }
}

const me = { response: { 200: { type: 'object', properties: { id: { type: 'string' } } } } } as const

@Route({ method: 'GET', path: '/me', config: { rateLimit: { max: 10 } } }, me)
@Hook('onRequest', VerifyToken)
export class Me {
  handle({ user, cookies }: RouteRequest<typeof me, [typeof User]>) {
    const seen: string | undefined = cookies['seen']
    return { id: user.id + (seen ?? '') }
  }
}

@Route({ method: 'POST', path: '/login' })
@Without(User)
export class Login {
  async handle(_request: Request, reply: Reply) {
    const token: string = await reply.setCookie('seen', 'yes', { httpOnly: true }).code(200).jwtSign({ id: '1', admin: false })
    return { token }
  }
}

@Route({ method: 'GET', path: '/echo', websocket: true })
@Without(User)
export class Echo {
  handle(socket: WebSocket, request: Request) {
    socket.on('message', (data) => socket.send(`${request.url}: ${String(data)}`))
  }
}

@Plugin({
  imports: [
    use(cookie),
    use(jwt, { secret: 'a secret', sign: { expiresIn: '10m' } }, { decorates: [User] }),
    use(rateLimit, { global: false }),
    use(websocket, { options: { maxPayload: 1000 } }),
    use(bearerAuth, { keys: new Set(['abc123']), addHook: false }),
  ],
  requires: [User],
  routes: [Me, Login, Echo],
})
export class Home {}

// Programmatically.
const server = createServer()
// #region types
server.register(jwt, { secret: 'a secret' })
server.get('/me', { config: { rateLimit: { max: 10 } } }, (request) => request.user)
// #endregion
server.get('/signed', (_request, reply) => reply.jwtSign({ id: '1', admin: true }))
server.get('/ws', { websocket: true }, () => undefined)
export const signed: string = server.jwt.sign({ id: '1', admin: true })

server.post<{ Body: { name: string } }>('/names', (request) => request.body.name.length)
const typedForFastify: FastifyPluginAsync<{ size: number }> = async (instance, { size }) => void instance.decorate('size', size)
server.register(typedForFastify, { size: 1 })

// What is wrong does not compile.
export const mistakes = [
  // @ts-expect-error the option's type
  use(bearerAuth, { keys: 1 }),
  // @ts-expect-error an unknown option
  use(jwt, { secrt: 'a secret' }),
  // @ts-expect-error a missing option
  use(jwt),
  // @ts-expect-error programmatically, too
  () => server.register(rateLimit, { max: 'many' }),
  // @ts-expect-error claims that are not those of the application
  () => server.jwt.sign({ id: 1 }),
  // @ts-expect-error the option is missing
  () => server.register(typedForFastify),
  // @ts-expect-error a route option that no plugin declares
  Route({ method: 'GET', path: '/', webSocket: true }),
  // @ts-expect-error a plugin's route config of the wrong type
  Route({ method: 'GET', path: '/', config: { rateLimit: { max: [] } } }),
]

// @ts-expect-error a decorator that no plugin of the context is said to add
@Plugin({ imports: [use(jwt, { secret: 'a secret' })], routes: [Me] })
export class WithoutUser {}
