/** The application of the suite as a worker. The bundle finds the compiled application and its build in the folder of this file. */
import * as prebuilt from './alcove.build/index.mjs'
import { createApp } from './app.js'

let booting

export default {
  async fetch(request) {
    booting ??= createApp({ prebuilt, compileSchemas: 'boot', handlerTimeout: 0 })
    const server = await booting
    return server.fetch(request)
  },
}
