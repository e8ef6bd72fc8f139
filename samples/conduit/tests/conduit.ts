/** Shared by the tests: each gets its own application on its own empty database. */
import { randomBytes } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { hash } from '@node-rs/argon2'
import { type ServerOptions, testServer, type TestServer } from 'alcove'
import { Client } from 'pg'
import { App, serverOptions } from '../src/app.js'
import { Passwords } from '../src/auth/passwords.js'
import { CONFIG, type Config, type Environment, readConfig } from '../src/config.js'
import { type Mail, Mailer } from '../src/mailer.js'

export function testConfig(environment: Environment = {}): Config {
  return readConfig({ NODE_ENV: 'test', LOG_LEVEL: 'silent', SEED: 'false', ...environment })
}

/** Optimizing the WebAssembly of PGlite takes longer than a test. */
export const v8Flag = '--liftoff-only'
setFlagsFromString(v8Flag)

/** Like the passwords of the application, but cheap: strong hashes would take most of the time of the tests. */
class CheapPasswords extends Passwords {
  override hash(password: string): Promise<string> {
    return hash(password, { memoryCost: 64, timeCost: 1 })
  }
}

/** Runs on a new database of the server in TEST_DATABASE_URL; if that is not set, on PGlite in memory. @param mails gets what is sent */
export async function startConduit(environment: Environment = {}, server: ServerOptions = {}, mails: Mail[] = []): Promise<TestServer> {
  const database = await createDatabase()
  const config = testConfig({ ...(database && { DATABASE_URL: database.url }), ...environment })
  const override = [
    [CONFIG, config],
    [Passwords, CheapPasswords],
    [Mailer, { send: async (mail: Mail) => void mails.push(mail) }],
  ] as const
  const app = await testServer(App, { override, server: { ...serverOptions(config), ...server } })
  if (database === undefined) return app
  const close = async (): Promise<void> => {
    await app.close()
    await database.drop()
  }
  return { ...app, close, [Symbol.asyncDispose]: close }
}

/** A new database of the PostgreSQL server under test; `undefined` with PGlite. */
export async function createDatabase(): Promise<{ url: string; drop(): Promise<void> } | undefined> {
  const url = process.env['TEST_DATABASE_URL']
  if (url === undefined) return undefined
  const name = `conduit_${randomBytes(6).toString('hex')}`
  const run = async (statement: string): Promise<void> => {
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  await run(`create database ${name}`)
  const own = new URL(url)
  own.pathname = name
  return { url: own.href, drop: () => run(`drop database ${name} with (force)`) }
}
