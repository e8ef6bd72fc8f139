import { bootstrap, closeOnSignals } from 'alcove'
import { WorkerApp } from './queue.js'

const server = await bootstrap(WorkerApp, { logger: true })
closeOnSignals(server)
await server.startJobs() // no port
