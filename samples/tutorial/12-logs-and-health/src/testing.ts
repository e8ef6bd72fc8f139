/** Shared by the tests: the application on the database of DATABASE_URL, without a port. */
import { randomUUID } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { testServer, type TestServer } from 'alcove'
import { App, options } from './app.js'
import { Passwords } from './auth/passwords.js'
import { UsersController } from './users/users.controller.js'

// Optimizing the WebAssembly of PGlite takes longer than a test.
setFlagsFromString('--liftoff-only')

/** Like those of the application, but cheap: strong hashes would take most of the time of the tests. */
class CheapPasswords extends Passwords {
  static override readonly cost = 2 ** 8
}

export function startApp(): Promise<TestServer> {
  return testServer(App, { override: [[Passwords, CheapPasswords]], server: options })
}

/** Registers a user, and logs in. Each has an address of its own, so that tests can share a database. */
export async function newUser(app: TestServer): Promise<{ email: string; headers: { authorization: string } }> {
  const body = { email: `${randomUUID()}@example.com`, password: 'a long password' }
  await app.call(UsersController, 'register', { body }).expect(201)
  const { token } = await app.call(UsersController, 'login', { body }).expect(200)
  return { email: body.email, headers: { authorization: `Bearer ${token}` } }
}
