import { existsSync } from 'node:fs'
import { bootstrap, closeOnSignals, type Prebuilt } from 'alcove'
import { App, serverOptions } from './app.js'
import { Readiness } from './health.js'
import { Settings } from './settings.js'

// `npm run build` compiles this module ahead of time. With `npm run dev` it does not exist.
const build = new URL('alcove.build/index.mjs', import.meta.url)
const prebuilt = existsSync(build) ? ((await import(build.href)) as Prebuilt) : undefined

const settings = new Settings()
const server = await bootstrap(App, { ...serverOptions(settings), ...(prebuilt && { prebuilt }) })
closeOnSignals(server, { timeout: 20_000, beforeClose: () => server.resolve(Readiness).end() })
await server.listen({ port: settings.PORT, host: settings.HOST })
