import { bootstrap, closeOnSignals } from 'alcove'
import { App } from './app.js'

const compileSchemas = process.argv.includes('--compile-at-boot') ? 'boot' : 'lazy'
const server = await bootstrap(App, { compileSchemas })
// An orderly end, so that --cpu-prof writes its file.
closeOnSignals(server)
console.log(await server.listen({ port: Number(process.env['PORT'] ?? 3000), host: '127.0.0.1' }))
