import type { ServerOptions } from '../../lib/index.js'
import type { Class } from '../declare/metadata.js'
import type { BootstrappedServer } from '../declare/tokens.js'

/** Makes a server from a plugin class. What classes need is loaded only for them: a server made by `createServer` starts without it. */
export async function bootClass(App: Class, options: ServerOptions | undefined): Promise<BootstrappedServer> {
  const { bootstrap } = await import('../run/bootstrap.js')
  return bootstrap(App, options)
}
