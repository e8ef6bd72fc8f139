import { bootstrap, closeOnSignals } from 'alcove'
import { App, options } from './app.js'
import { Readiness } from './health.js'

const server = await bootstrap(App, options)
closeOnSignals(server, { timeout: 20_000, beforeClose: () => server.resolve(Readiness).end() })
await server.listen({ port: Number(process.env['PORT'] ?? 3000), host: process.env['HOST'] ?? 'localhost' })
