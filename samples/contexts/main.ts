/** Serves the reference scenario: `npm start`. PORT and HOST set the address. */
import { bootstrap, closeOnSignals, explain } from 'alcove'
import { App } from './app.js'

const server = await bootstrap(App)
closeOnSignals(server)
const address = await server.listen({ port: Number(process.env['PORT'] ?? 8000), host: process.env['HOST'] ?? '127.0.0.1' })

console.log(`${address}

${String(explain(server))}

Try:
  curl ${address}/two
  curl ${address}/one -H 'authorization: Bearer abc123'
  curl ${address}/greetings --json '{"name":"Ada"}'
`)
