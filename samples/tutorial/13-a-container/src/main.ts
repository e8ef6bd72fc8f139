import { bootstrap, closeOnSignals } from 'alcove'
import { App, serverOptions } from './app.js'
import { Readiness } from './health.js'
import { Settings } from './settings.js'

const settings = new Settings()
const server = await bootstrap(App, serverOptions(settings))
closeOnSignals(server, { timeout: 20_000, beforeClose: () => server.resolve(Readiness).end() })
await server.listen({ port: settings.PORT, host: settings.HOST })
