/** A connection to the database that is lost fails its own request, and nothing else. */
import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { after, before, beforeEach, describe, test } from 'node:test'
import { PGlite } from '@electric-sql/pglite'
import type { TestServer } from 'alcove'
import { sql } from 'kysely'
import { Client } from 'pg'
import { Database } from '../src/database/database.js'
import { createDatabase, startConduit } from './conduit.js'

type Loss = 'disconnect' | 'reset' | 'terminate'
interface LossyServer {
  readonly url: string
  start(): Promise<void>
  stop(): Promise<void>
  lose(how: Loss): Promise<void>
  loseAt(pattern: RegExp, how: Loss): void
}
/** Shared by the tests of all samples, so it is not compiled here. */
const fixture = new URL('../../../../tests/fixtures/postgres-server.mjs', import.meta.url).href
const { servePostgres } = (await import(fixture)) as { servePostgres(pglite: PGlite): Promise<LossyServer> }

interface Conduit {
  readonly app: TestServer
  /** The lines of the log about lost connections. */
  readonly losses: string[]
  publish(): Promise<number>
  hasArticles(): Promise<boolean>
}

/** The application, with one connection: a lost one that came back to the pool would fail the next request. */
async function start(DATABASE_URL: string): Promise<Conduit> {
  const losses: string[] = []
  const note = (line: string) => void (line.includes('a connection to the database was lost') && losses.push(line))
  const stream = new Writable({ write: (line, _encoding, done) => (note(String(line)), done()) })
  const app = await startConduit({ DATABASE_URL, DATABASE_POOL_SIZE: '1' }, { logger: { level: 'info', stream } })
  const post = async (path: string, payload: object, authorization = '') =>
    await app.inject({ method: 'POST', url: `/api${path}`, payload, headers: { authorization } })
  const user = { username: 'ada', email: 'ada@example.com', password: 'a long password' }
  const { token } = (await post('/users', { user })).json().user
  const article = { title: 'Notes', description: 'On the engine', body: 'It weaves.', tagList: ['engines'] }
  return {
    app,
    losses,
    publish: async () => (await post('/articles', { article }, `Token ${token}`)).statusCode,
    hasArticles: async () => (await app.inject('/api/articles')).json().articlesCount > 0,
  }
}

/** A transaction in which something happens between two queries. */
function transact({ app }: Conduit, between: () => Promise<unknown>): Promise<unknown> {
  const transaction = app.resolve(Database).transaction()
  return transaction.execute(async (trx) => {
    await trx.deleteFrom('articles').execute()
    await between()
    await sql`select 1`.execute(trx)
  })
}

describe('a server that loses connections', () => {
  let pglite: PGlite
  let server: LossyServer
  let conduit: Conduit
  before(async () => {
    pglite = await PGlite.create('memory://')
    server = await servePostgres(pglite)
    conduit = await start(server.url)
  })
  after(async () => {
    await conduit.app.close()
    await server.stop()
    await pglite.close()
  })

  beforeEach(() => void (conduit.losses.length = 0))

  for (const how of ['terminate', 'disconnect', 'reset'] as const) {
    test(`a connection that is lost between two queries of a transaction fails the transaction: ${how}`, async () => {
      assert.equal(await conduit.publish(), 201)
      await assert.rejects(transact(conduit, () => server.lose(how)))
      assert.deepEqual([await conduit.hasArticles(), conduit.losses.length], [true, 1])
    })

    test(`a connection that is lost during a query of a transaction fails its request: ${how}`, async () => {
      server.loseAt(/insert into "article_tags"/, how)
      assert.deepEqual([await conduit.publish(), await conduit.publish(), conduit.losses.length], [500, 201, 1])
    })
  }

  test('while there is no server, requests fail; after it is there again, they are answered', async () => {
    await assert.rejects(transact(conduit, () => server.stop()))
    assert.equal(await conduit.publish(), 500)
    await server.start()
    assert.deepEqual([await conduit.publish(), conduit.losses.length], [201, 1])
  })
})

test('a backend of PostgreSQL that is terminated within a transaction fails the transaction', async (t) => {
  const database = await createDatabase()
  if (database === undefined) return t.skip('there is no PostgreSQL here')
  t.after(() => database.drop())
  const conduit = await start(database.url)
  t.after(() => conduit.app.close())
  const admin = new Client({ connectionString: process.env['TEST_DATABASE_URL'] })
  await admin.connect()
  t.after(() => admin.end())
  const name = new URL(database.url).pathname.slice(1)
  const terminate = () => admin.query('select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1', [name])
  assert.equal(await conduit.publish(), 201)
  await assert.rejects(transact(conduit, terminate))
  assert.deepEqual([await conduit.hasArticles(), conduit.losses.length], [true, 1])
})
