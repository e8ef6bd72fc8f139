import { bootstrap, closeOnSignals } from 'alcove'
import { App } from './app.js'

const server = await bootstrap(App)
closeOnSignals(server)
console.log(await server.listen({ port: Number(process.env['PORT'] ?? 3000) }))
