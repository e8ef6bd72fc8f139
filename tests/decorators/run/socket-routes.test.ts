/** Routes with `websocket: true`, whose handlers a plugin calls with a socket and the request. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bootstrap, Controller, Get, Hook, Injectable, type Next, Plugin, type Request, type Server, shared, use } from 'alcove'
import { openapi } from 'alcove/contract'

interface Socket {
  readonly sent: string[]
}

const sockets: Socket[] = []

/** What @fastify/websocket does with the routes: it hides them, takes the response over, and calls the handler in its own way. */
async function webSockets(server: Server) {
  server.addHook('onRoute', (options) => {
    if (!(options as { websocket?: boolean }).websocket) return
    options.schema ??= {}
    Object.assign(options.schema, { hide: true })
    const handler = options.handler as unknown as (socket: Socket, request: Request) => unknown
    options.handler = (request, reply) => {
      reply.hijack()
      const socket = { sent: [] }
      sockets.push(socket)
      Promise.resolve(handler(socket, request)).then(
        () => reply.raw.end(socket.sent.join()),
        (error: Error) => reply.raw.end(error.message),
      )
    }
  })
}

@Injectable({ scope: 'request' })
class Visitor {
  readonly name = 'Ada'
}

class Announce {
  async around(request: Request, next: Next) {
    const result = await next()
    sockets.at(-1)!.sent.push(`after ${request.url}`)
    return result
  }
}

const room = { querystring: { type: 'object', properties: { size: { type: 'integer' } } } } as const

@Controller('/rooms')
class Rooms {
  static readonly inject = [Visitor] as const
  constructor(private readonly visitor: Visitor) {}

  @Get({ path: '/scoped', websocket: true } as object)
  enter(socket: unknown) {
    ;(socket as Socket).sent.push(`${this.visitor.name} is here`)
  }

  @Get({ path: '/announced', websocket: true, status: 201 } as object, room)
  @Hook('around', Announce)
  announce(socket: unknown) {
    ;(socket as Socket).sent.push(`${this.visitor.name} is announced`)
  }

  @Get('/size', room)
  size() {
    return 3
  }
}

@Plugin({ providers: [Visitor], imports: [shared(use(webSockets))], routes: [Rooms] })
class App {}

const pathsOf = (application: typeof App | Server) => Object.keys(openapi(application, { info: { title: 'Rooms', version: '1' } }).paths)

describe('a route with websocket: true', () => {
  test('may belong to a request-scoped controller, which lives as long as the request of the upgrade', async () => {
    await using server = await bootstrap(App)
    assert.equal((await server.inject('/rooms/scoped')).body, 'Ada is here')
  })

  test('runs its around hooks with the request; its status is not set, because there is no reply', async () => {
    await using server = await bootstrap(App)
    assert.equal((await server.inject('/rooms/announced')).body, 'Ada is announced,after /rooms/announced')
  })

  test('is in no document, before the plugin has run and after; another route with the same schema is', async () => {
    assert.deepEqual(pathsOf(App), ['/rooms/size'])
    await using server = await bootstrap(App)
    await server.ready()
    assert.deepEqual(pathsOf(server), ['/rooms/size'])
    assert.deepEqual(Object.keys(room), ['querystring'])
  })
})
