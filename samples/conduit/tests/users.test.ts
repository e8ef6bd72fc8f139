/** Tests routes without a database: dependencies are provided or overridden. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { check, testServer, type TestServer } from 'alcove'
import { Api } from '../src/api.js'
import { App } from '../src/app.js'
import { Tokens } from '../src/auth/tokens.js'
import { CurrentUserController } from '../src/users/current-user.controller.js'
import { UsersController } from '../src/users/users.controller.js'
import { type Account, Users } from '../src/users/users.js'
import { WriteArticlesController } from '../src/articles/article.controllers.js'
import { Articles } from '../src/articles/articles.js'
import { CONFIG } from '../src/config.js'
import { Database } from '../src/database/database.js'
import { taken } from '../src/errors.js'
import { SharedCounters } from '../src/operations/protection.js'
import { testConfig } from './conduit.js'

const ada: Account = { id: 1, username: 'ada', email: 'ada@example.com', bio: null, image: null }

class FakeUsers implements Pick<Users, keyof Users> {
  create(): Promise<Account> {
    return Promise.reject(taken('username'))
  }
  findById(id: number): Promise<Account | undefined> {
    return Promise.resolve(id === ada.id ? ada : undefined)
  }
  findByCredentials({ password }: { password: string }): Promise<Account | undefined> {
    return Promise.resolve(password === 'secret' ? ada : undefined)
  }
  update(account: Account, changes: object): Promise<Account> {
    return Promise.resolve({ ...account, ...changes })
  }
}

const published: unknown[] = []
const articles = { create: (article: unknown, author: number) => Promise.resolve(published.push([article, author])) }

function startApi(): Promise<TestServer> {
  return testServer(Api, {
    provide: [
      [CONFIG, testConfig()],
      [Database, {} as Database],
      [SharedCounters, {} as SharedCounters],
    ],
    override: [
      [Users, FakeUsers],
      [Articles, articles as unknown as Articles],
    ],
  })
}

test('the wiring of the whole application is proved without starting it', () => check(App))

describe('the API on a fake of the users', () => {
  test('logs in, and knows the user by the token', async () => {
    await using app = await startApi()
    const credentials = { user: { email: 'ada@example.com', password: 'secret' } }
    const { user } = await app.call(UsersController, 'login', { body: credentials }).expect(200)
    const headers = { authorization: `Token ${user.token}` }
    const me = await app.call(CurrentUserController, 'getCurrentUser', { headers }).expect(200)
    assert.equal(me.user.username, 'ada')
    const changed = await app.call(CurrentUserController, 'updateCurrentUser', { headers, body: { user: { bio: 'Writes' } } }).expect(200)
    assert.equal(changed.user.bio, 'Writes')
  })

  test('refuses whom it does not know', async () => {
    await using app = await startApi()
    const { status } = await app.call(UsersController, 'login', { body: { user: { email: 'ada@example.com', password: 'wrong' } } })
    assert.equal(status, 401)
    assert.equal((await app.call(CurrentUserController, 'getCurrentUser')).status, 401)
  })

  test('a token of a user who is gone is not valid', async () => {
    await using app = await startApi()
    const token = signFor(app, 2)
    const { status } = await app.call(CurrentUserController, 'getCurrentUser', { headers: { authorization: `Token ${token}` } })
    assert.equal(status, 401)
  })

  test('simultaneous requests do not see each other', async () => {
    await using app = await startApi()
    const known = { authorization: `Token ${signFor(app, 1)}` }
    const statuses = await Promise.all(
      Array.from(
        { length: 20 },
        async (_, index) => (await app.call(CurrentUserController, 'getCurrentUser', index % 2 ? { headers: known } : {})).status,
      ),
    )
    assert.deepEqual(
      statuses,
      Array.from({ length: 20 }, (_, index) => (index % 2 ? 200 : 401)),
    )
  })

  test('an article is written by who sends it', async () => {
    await using app = await startApi()
    await app.call(WriteArticlesController, 'createArticle', {
      headers: { authorization: `Token ${signFor(app, 1)}` },
      body: { article: { title: 'Title', description: 'About', body: 'Text' } },
    })
    assert.deepEqual(published.at(-1), [{ title: 'Title', description: 'About', body: 'Text' }, 1])
  })
})

function signFor(app: TestServer, id: number): string {
  return app.resolve(Tokens).sign({ ...ada, id })
}
