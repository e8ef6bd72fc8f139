import { bootstrap, closeOnSignals } from 'alcove'
import { App, options } from './app.js'

const server = await bootstrap(App, { ...options, logger: true })
closeOnSignals(server)
await server.listen({ port: Number(process.env['PORT'] ?? 3000), host: process.env['HOST'] ?? 'localhost' })
