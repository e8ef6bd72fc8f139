/** Starts the server: `npm run sample:conduit`. */
import { bootstrap, closeOnSignals } from 'alcove'
import { App, serverOptions } from './app.js'
import { type Config, ConfigError, readConfig } from './config.js'
import { SEED_PASSWORD } from './database/seed.js'
import { Readiness } from './operations/health.js'

async function main(): Promise<void> {
  const config = readConfig(process.env)
  // #region stop
  const server = await bootstrap(App, serverOptions(config))
  closeOnSignals(server, { timeout: 20_000, beforeClose: () => server.resolve(Readiness).end() })
  // #endregion
  try {
    announce(await server.listen({ port: config.PORT, host: config.HOST }), config)
  } catch (error) {
    // An open database would keep the process alive although it does not listen.
    await server.close()
    throw error
  }
}

function announce(address: string, { isProduction, SEED }: Config): void {
  if (isProduction) return
  console.log(`
Conduit listens at ${address}/api, its documentation is at ${address}/docs
${SEED ? `\n  curl ${address}/api/users/login --json '{"user":{"email":"ada@example.com","password":"${SEED_PASSWORD}"}}'` : ''}
  curl '${address}/api/articles?limit=5'
  curl ${address}/api/tags
`)
}

main().catch((error: unknown) => {
  // The message of a ConfigError is enough; its stack would not help.
  console.error(error instanceof ConfigError ? error.message : error)
  // Explicit, because resources that a failed boot leaves open would keep the process alive.
  process.exit(1)
})
