/** The worker: the same application, whose store is a binding. */
import { env } from 'cloudflare:workers'
import { bootstrap, Plugin } from 'alcove'
import * as prebuilt from '../dist/alcove.build/index.mjs'
import { NotesPlugin, STORE } from './app.js'

@Plugin({ providers: [{ provide: STORE, useFactory: () => env.NOTES }], imports: [NotesPlugin] })
class App {}

// Outside of a request, a worker has no timers, and a boot needs them: it begins with the first request.
let booting: ReturnType<typeof bootstrap> | undefined

// A timer ends with the request that started it, so nothing may be left for later, and requests have no time of alcove's.
const options = { prebuilt, compileSchemas: 'boot', handlerTimeout: 0 } as const

export default {
  async fetch(request: Request): Promise<Response> {
    booting ??= bootstrap(App, options)
    const server = await booting
    return server.fetch(request, { remoteAddress: request.headers.get('cf-connecting-ip') ?? undefined })
  },
}
