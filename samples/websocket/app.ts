/** How is a WebSocket served? By the unmodified plugin of the ecosystem: `websocket: true` passes the socket to the route's method. */
// #region websocket
import websocket from '@fastify/websocket'
import { Controller, Get, Injectable, Plugin, type Request, use } from 'alcove'
import type { WebSocket } from 'ws'

declare module 'alcove' {
  interface PluginRouteOptions {
    websocket?: boolean
  }
}

class Room {
  readonly #sockets = new Set<WebSocket>()

  join(socket: WebSocket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
  }
  say(text: string): void {
    for (const socket of this.#sockets) socket.send(text)
  }
}

@Injectable()
@Controller('/room')
class RoomController {
  constructor(private readonly room: Room) {}

  @Get({ path: '/:name', websocket: true })
  enter(socket: WebSocket, request: Request) {
    const { name } = request.params
    this.room.join(socket)
    socket.on('message', (text) => this.room.say(`${name}: ${(text as Buffer).toString()}`))
    this.room.say(`${name} is here`)
  }
}

@Plugin({ providers: [Room], imports: [use(websocket, { options: { maxPayload: 4096 } })], routes: [RoomController] })
export class App {}
// #endregion
