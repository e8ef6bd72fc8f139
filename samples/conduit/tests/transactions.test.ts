/** A request that writes is one transaction, and a mail belongs to it. Conflicts are those of a real PostgreSQL server. */
import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type Next, testServer, type TestServer } from 'alcove'
import { sql } from 'kysely'
import { Client } from 'pg'
import { App, serverOptions } from '../src/app.js'
import { CONFIG } from '../src/config.js'
import { Database } from '../src/database/database.js'
import { RetryConflicts } from '../src/database/unit-of-work.js'
import type { Mail } from '../src/mailer.js'
import { startConduit, testConfig } from './conduit.js'

/** The codes of the conflicts after which a handler was called again, and the queries. */
const retries: string[] = []
const queries: string[] = []
const mails: Mail[] = []
let aborted = 0
const JWT_SECRET = 'x'.repeat(32)
let app: TestServer
let db: Database
before(async () => {
  const note = ({ msg, err, sql: text }: { msg: string; err?: { code: string }; sql?: string }): void => {
    if (msg.startsWith('a conflict')) retries.push(err!.code)
    if (msg === 'request aborted') aborted++
    if (text !== undefined) queries.push(text)
  }
  const stream = new Writable({ write: (line, _encoding, done) => (note(JSON.parse(String(line))), done()) })
  app = await startConduit({ JWT_SECRET }, { logger: { level: 'debug', stream } }, mails)
  db = app.resolve(Database)
})
after(() => app.close())
beforeEach(() => {
  retries.length = 0
  mails.length = 0
})

let count = 0
async function register(): Promise<string> {
  const username = `user${++count}`
  const user = { username, email: `${username}@example.com`, password: 'secret' }
  const { statusCode, ...response } = await app.inject({ method: 'POST', url: '/api/users', payload: { user } })
  assert.equal(statusCode, 201)
  return response.json().user.token
}
const send = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, token: string, payload?: object) =>
  await app.inject({ method, url: `/api${path}`, headers: { authorization: `Token ${token}` }, ...(payload && { payload }) })
const publish = (token: string, title: string) =>
  send('POST', '/articles', token, { article: { title, description: 'About', body: 'Text', tagList: ['a'] } })
async function publishNew(token: string): Promise<string> {
  const { statusCode, ...response } = await publish(token, `Title ${++count}`)
  assert.equal(statusCode, 201)
  return response.json().article.slug
}
const comment = (token: string, slug: string, body: string) => send('POST', `/articles/${slug}/comments`, token, { comment: { body } })
const countOf = async (table: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${sql.raw(table)}`.execute(db)
  return rows[0]!.count
}
async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 15_000
  while (!(await isSo())) {
    assert.ok(Date.now() < end, `waited for too long: ${what}`)
    await wait(10)
  }
}

/** Refuses rows whose text begins with a word when their transaction commits, as a constraint that is checked at its end does. */
async function refuseAtCommit(word: string, code: string, times = 1_000): Promise<void> {
  const name = `refuse_${word.toLowerCase()}`
  await sql`create sequence ${sql.ref(name)}`.execute(db)
  await sql`create function ${sql.ref(name)}() returns trigger language plpgsql as ${sql.lit(`begin
    if new.body like '${word}%' and nextval('${name}') <= ${times} then raise exception using errcode = '${code}', message = 'refused'; end if;
    return null; end`)}`.execute(db)
  await sql`create constraint trigger ${sql.ref(name)} after insert on comments deferrable initially deferred
    for each row execute function ${sql.ref(name)}()`.execute(db)
}

describe('a mail about a comment', () => {
  let author: string
  let slug: string
  before(async () => {
    await app.server.startJobs()
    author = await register()
    slug = await publishNew(author)
    await refuseAtCommit('Refused', '23514')
    await refuseAtCommit('Twice', '40001', 2)
  })

  test('is sent if the transaction of the request commits, and to nobody who comments on an own article', async () => {
    assert.equal((await comment(author, slug, 'My own')).statusCode, 200)
    const { statusCode } = await comment(await register(), slug, 'Well said')
    assert.equal(statusCode, 200)
    await until('the mail', () => mails.length > 0)
    const subject = `user${count} has commented on "Title ${count - 1}"`
    assert.deepEqual(mails, [{ to: `user${count - 2}@example.com`, subject, text: 'Well said' }])
  })

  test('does not exist if the transaction cannot commit, and the client gets the error', async () => {
    const before = [await countOf('comments'), await countOf('pgboss.job')]
    const { statusCode, ...response } = await comment(await register(), slug, 'Refused by the database')
    assert.deepEqual([statusCode, response.json()], [500, { errors: { body: ['Internal server error'] } }])
    assert.deepEqual([await countOf('comments'), await countOf('pgboss.job')], before)
    assert.deepEqual([mails, retries], [[], []])
  })

  test('is sent once although the request needed three transactions', async () => {
    const before = [await countOf('comments'), await countOf('pgboss.job')]
    assert.equal((await comment(await register(), slug, 'Twice in vain')).statusCode, 200)
    assert.deepEqual(retries, ['40001', '40001'])
    assert.deepEqual(
      [await countOf('comments'), await countOf('pgboss.job')],
      before.map((each) => each + 1),
    )
    await until('the mail', () => mails.length > 0)
    assert.equal(mails.length, 1)
  })
})

describe('a request', () => {
  test('that only reads has no transaction', async () => {
    const token = await register()
    const slug = await publishNew(token)
    queries.length = 0
    assert.equal((await send('GET', `/articles/${slug}`, token)).statusCode, 200)
    assert.equal((await send('GET', `/articles/${slug}/comments`, token)).statusCode, 200)
    // The user and the article; the user, the article and its comments.
    assert.deepEqual(
      queries.map((query) => query.slice(0, 6)),
      Array.from({ length: 5 }, () => 'select'),
    )
  })
})

const change = (at: TestServer, token: string, slug: string, article: object) => async () =>
  await at.inject({ method: 'PUT', url: `/api/articles/${slug}`, headers: { authorization: `Token ${token}` }, payload: { article } })

const skip = process.env['TEST_DATABASE_URL'] === undefined && 'PGlite has one connection, so there are no conflicts'
describe('two requests at once on a PostgreSQL server', { skip }, () => {
  /** A client of the tests, which holds locks until requests have met. */
  let other: Client
  const url = new URL(process.env['TEST_DATABASE_URL'] ?? 'postgres://skipped')
  before(async () => {
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
    url.pathname = rows[0]!.name
    other = new Client({ connectionString: url.href })
    await other.connect()
  })
  after(() => other.end())

  /** Sends requests that all wait for a lock, and lets them go on together. */
  async function meet<T>(lock: string, requests: (() => Promise<T>)[]): Promise<T[]> {
    await other.query('begin')
    await other.query(lock)
    const replies = Promise.all(requests.map((request) => request()))
    await untilWaiting(requests.length)
    await other.query('commit')
    return replies
  }
  const untilWaiting = (wanted: number) =>
    until(`${wanted} wait for a lock`, async () => {
      const { rows } = await other.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`,
      )
      return rows.length === wanted
    })

  test('for one slug both succeed: the handler of one of them is called again', async () => {
    const token = await register()
    const title = `The same ${++count}`
    const replies = await meet('lock table article_tags in share mode', [() => publish(token, title), () => publish(token, title)])
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode),
      [201, 201],
    )
    assert.equal(new Set(replies.map((reply) => reply.json().article.slug)).size, 2)
    assert.deepEqual([...new Set(retries)], ['40001'])
  })

  test('that change one article both succeed, one after the other', async () => {
    const token = await register()
    const slug = await publishNew(token)
    const lock = `select from articles where slug = '${slug}' for update`
    const replies = await meet(lock, [change(app, token, slug, { body: 'One' }), change(app, token, slug, { description: 'Two' })])
    assert.deepEqual([replies.map(({ statusCode }) => statusCode), retries], [[200, 200], ['40001']])
    const { body, description } = (await send('GET', `/articles/${slug}`, token)).json().article
    assert.deepEqual([body, description], ['One', 'Two'])
  })

  test('of many that comment on one article all succeed, and each one is written once', async () => {
    const slug = await publishNew(await register())
    const readers = await Promise.all(Array.from({ length: 8 }, register))
    const all = readers.map((token) => () => comment(token, slug, 'At once'))
    const statuses = (await meet('lock table comments in share mode', all)).map(({ statusCode }) => statusCode)
    assert.deepEqual(new Set(statuses), new Set([200]))
    const { comments } = (await app.inject(`/api/articles/${slug}/comments`)).json()
    assert.equal(comments.length, 8)
    await until('the mails', () => mails.length === 8)
  })

  test('a client that leaves while its request waits has written nothing', async () => {
    const slug = await publishNew(await register())
    const address = await app.server.listen({ port: 0 })
    const leaving = new AbortController()
    const request = {
      method: 'POST',
      headers: { authorization: `Token ${await register()}`, 'content-type': 'application/json' },
      body: '{"comment":{"body":"Left"}}',
    }
    await other.query('begin')
    await other.query('lock table comments in share mode')
    const commented = fetch(`${address}/api/articles/${slug}/comments`, { ...request, signal: leaving.signal })
    await untilWaiting(1)
    leaving.abort()
    await assert.rejects(commented)
    await until('the server has noticed', () => aborted > 0)
    await other.query('commit')
    await until('no transaction', async () => {
      const { rows } = await other.query(
        'select from pg_stat_activity where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()',
      )
      return rows.length === 0
    })
    assert.deepEqual((await app.inject(`/api/articles/${slug}/comments`)).json(), { comments: [] })
    assert.equal((await fetch(`${address}/api/articles/${slug}/comments`, request)).status, 200)
  })

  test('a deadlock ends one of two transactions, and its handler is called again', async () => {
    const slug = await publishNew(await register())
    const reader = await register()
    // The request looks for deadlocks first, so it is the one that is ended.
    await other.query("set deadlock_timeout = '20s'")
    await other.query('begin')
    await other.query(`select from users where username = 'user${count}' for update`)
    const commented = comment(reader, slug, 'Locked')
    await untilWaiting(1)
    await other.query(`select from articles where slug = '${slug}' for update`)
    await until('the conflict', () => retries.length > 0)
    await other.query('commit')
    assert.deepEqual([(await commented).statusCode, retries], [200, ['40P01']])
  })

  test('at a route that does not say that it may be repeated: one succeeds, the other one gets 409 and has written nothing', async () => {
    const token = await register()
    const slug = await publishNew(token)
    class OnlyOnce {
      around(_request: unknown, next: Next) {
        return next()
      }
    }
    const config = testConfig({ JWT_SECRET, DATABASE_URL: url.href })
    await using once = await testServer(App, {
      override: [
        [CONFIG, config],
        [RetryConflicts, OnlyOnce],
      ],
      server: serverOptions(config),
    })
    const lock = `select from articles where slug = '${slug}' for update`
    const replies = await meet(
      lock,
      ['One', 'Two'].map((body) => change(once, token, slug, { body })),
    )
    const refused = replies.find(({ statusCode }) => statusCode !== 200)!
    const message = 'Another request has changed the same data at the same time, try again'
    assert.deepEqual([refused.statusCode, refused.json()], [409, { errors: { body: [message] } }])
    const kept = replies.find((reply) => reply !== refused)!
    assert.deepEqual((await send('GET', `/articles/${slug}`, token)).json(), kept.json())
  })
})
