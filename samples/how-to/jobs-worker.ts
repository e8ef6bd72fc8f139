import { bootstrap, closeOnSignals } from 'alcove'
import { App } from './jobs.js'

const server = await bootstrap(App, { logger: true })
closeOnSignals(server)
await server.startJobs()
