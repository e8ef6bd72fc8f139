import { bootstrap, closeOnSignals } from 'alcove'
import { App, events, Readiness } from './app.js'

const server = await bootstrap(App, { logger: { level: 'warn' } })
closeOnSignals(server, { timeout: 20_000, beforeClose: () => server.resolve(Readiness).end() })
process.on('exit', () => console.log(events.join('\n')))
console.log(await server.listen({ port: Number(process.env['PORT'] ?? 3000) }))
