import { createServer, type Server } from 'alcove'

declare module 'alcove' {
  interface RequestDecorations {
    caller?: string
  }
}

const server = createServer()

server.register(
  async (users: Server) => {
    users.decorateRequest('caller', 'nobody')
    users.addHook('onRequest', async (request) => {
      request.caller = request.headers['x-caller']
    })
    users.get('/me', (request) => ({ caller: request.caller }))
  },
  { prefix: '/users' },
)
server.get('/', (request) => ({ caller: request.caller ?? 'not visible here' }))

const me = await server.inject({ url: '/users/me', headers: { 'x-caller': 'ada' } })
const root = await server.inject({ url: '/', headers: { 'x-caller': 'ada' } })
console.log(me.body, root.body) // {"caller":"ada"} {"caller":"not visible here"}
