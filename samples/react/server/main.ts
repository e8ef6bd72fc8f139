import { bootstrap, closeOnSignals } from 'alcove'
import { WholeApp } from './one-origin.js'

const server = await bootstrap(WholeApp, { logger: true })
closeOnSignals(server)
await server.listen({ port: Number(process.env['PORT'] ?? 3000) })
