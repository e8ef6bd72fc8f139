import { bootstrap, closeOnSignals } from 'alcove'
import { App, serverOptions } from './app.js'
import { Settings } from './settings.js'

const settings = new Settings()
const server = await bootstrap(App, serverOptions(settings))
closeOnSignals(server)
await server.listen({ port: settings.PORT, host: settings.HOST })
