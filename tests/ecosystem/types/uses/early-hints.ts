import earlyHints from '@fastify/early-hints'
import { createServer } from 'under-test'

const server = createServer()
server.register(earlyHints, { warn: true })
server.get('/', async (_request, reply) => {
  await reply.writeEarlyHintsLinks(['</style.css>; rel=preload'])
  return 'x'
})
