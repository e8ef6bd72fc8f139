import { serve } from 'alcove/bun'
import { App, appOptions } from '../app.js'

const server = await serve(App, { hostname: '127.0.0.1', server: appOptions })
console.log(server.listeningOrigin)
