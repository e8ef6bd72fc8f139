import { bootstrap, closeOnSignals } from 'alcove'
import { App } from './app.ts'

const server = await bootstrap(App, { logger: true })
closeOnSignals(server)
await server.listen({ port: Number(process.env['PORT'] ?? 3000), host: process.env['HOST'] ?? 'localhost' })
