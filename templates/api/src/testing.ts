/** Starts the application for tests, on the database of DATABASE_URL and without a port. */
import { randomBytes, randomUUID } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { testServer, type TestServer } from 'alcove'
import { App, serverOptions } from './app.js'
import { Passwords } from './auth/passwords.js'
import { Settings } from './settings.js'

// Optimizing the WebAssembly of PGlite takes longer than a test.
setFlagsFromString('--liftoff-only')

/** Makes cheap hashes of passwords in tests: strong hashes would take most of the time of the tests. */
class CheapPasswords extends Passwords {
  static override readonly cost = 2 ** 8
}

export function startApp(): Promise<TestServer> {
  // Without a logger, `testServer` prints errors.
  const { logger: _logger, ...server } = serverOptions(new Settings())
  return testServer(App, { override: [[Passwords, CheapPasswords]], server })
}

/**
 * Registers a user and logs in. Each user has another email address and IP address, so that tests can share a database, and rate limits do
 * not count users together.
 */
export async function newUser(app: TestServer): Promise<{ id: number; email: string; headers: { authorization: string } }> {
  const payload = { email: `${randomUUID()}@example.com`, password: 'a long password' }
  const remoteAddress = `10.${[...randomBytes(3)].join('.')}`
  const post = async (url: string) => (await app.inject({ method: 'POST', url, payload, remoteAddress })).json()
  const { id, email } = await post('/api/users')
  const { token } = await post('/api/users/login')
  return { id, email, headers: { authorization: `Bearer ${token}` } }
}
