import { bootstrap, closeOnSignals } from 'alcove'
import { WorkerApp } from './queue.js'

const server = await bootstrap(WorkerApp, { logger: true })
closeOnSignals(server)
await server.ready() // no port: the work starts in onReady
