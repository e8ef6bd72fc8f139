import { existsSync } from 'node:fs'
import { bootstrap, closeOnSignals, type Prebuilt } from 'alcove'
import { App, options } from './app.js'

// #region prebuilt
const build = new URL('alcove.build/index.mjs', import.meta.url)
const prebuilt: Prebuilt | undefined = existsSync(build) ? await import(build.href) : undefined

const server = await bootstrap(App, { ...options, prebuilt })
// #endregion
closeOnSignals(server)
console.log(await server.listen({ port: Number(process.env['PORT'] ?? 3000) }))
