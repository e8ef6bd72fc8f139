/** The folder src/database: a lost connection fails its own request, and nothing else. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import { Controller, Get, Hook, Plugin, Post, testServer } from 'alcove'
import pg from 'pg'
import { losses, servePostgres } from '../../../tests/fixtures/postgres-server.mjs'
import { copyStep, folderOf, readFiles, steps, withoutRegions } from './steps.mjs'

/** Of a PostgreSQL server; the tests that need one run with `npm run test:postgres`. */
const postgres = process.env['TEST_DATABASE_URL']

const databaseOf = (step) =>
  JSON.stringify(
    [...readFiles(folderOf(step))].filter(([path]) => path.startsWith('src/database/')).map(([path, text]) => [path, withoutRegions(text)]),
  )

/** Those whose files are not the same in the step before. */
const changing = steps.filter((step, index) => index > 0 && databaseOf(step) !== databaseOf(steps[index - 1]))

for (const step of changing)
  describe(step, () => {
    let copy
    let pglite
    let server
    before(async () => {
      copy = copyStep(step)
      const { status, stdout } = spawnSync('npm', ['run', 'build'], { cwd: copy.folder, encoding: 'utf8' })
      assert.equal(status, 0, stdout)
      pglite = await PGlite.create('memory://')
      server = await servePostgres(pglite)
    })
    after(async () => {
      await server.stop()
      await pglite.close()
      copy.remove()
    })

    for (const how of losses) {
      test(`a connection that is lost between two queries of a transaction fails its request: ${how}`, async (t) => {
        const app = await start(t, copy.folder, server.url)
        app.between = () => server.lose(how)
        assert.deepEqual([await app.post('first', 'second'), await app.list()], [500, []])
        assert.equal(app.losses.length, 1, 'the log says it once')
        assert.deepEqual([await app.post('first', 'second'), await app.list()], [201, ['first', 'second']])
      })

      test(`a connection that is lost during a query of a transaction fails its request: ${how}`, async (t) => {
        const app = await start(t, copy.folder, server.url)
        server.loseAt(/second/, how)
        assert.deepEqual([await app.post('first', 'second'), await app.list()], [500, []])
        assert.equal(app.losses.length, 1, 'the log says it once')
        assert.deepEqual([await app.post('first', 'second'), await app.list()], [201, ['first', 'second']])
      })

      test(`a connection that is lost while it is idle is replaced: ${how}`, async (t) => {
        const app = await start(t, copy.folder, server.url)
        assert.equal(await app.post('first', 'second'), 201)
        await server.lose(how)
        while (app.losses.length === 0) await new Promise(setImmediate)
        assert.deepEqual([await app.list(), app.losses.length], [['first', 'second'], 1])
      })
    }

    test('while there is no server, requests fail; after it is there again, they are answered', async (t) => {
      const app = await start(t, copy.folder, server.url)
      app.between = () => server.stop()
      assert.equal(await app.post('first', 'second'), 500)
      assert.equal(await app.post('first', 'second'), 500)
      await server.start()
      assert.deepEqual([await app.post('first', 'second'), await app.list(), app.losses.length], [201, ['first', 'second'], 1])
    })

    test('on PGlite, a transaction that fails leaves nothing behind, and the next one is not part of it', async (t) => {
      const app = await start(t, copy.folder, 'pglite:')
      app.between = () => Promise.reject(new Error('between two queries'))
      assert.deepEqual([await app.post('first', 'second'), await app.list()], [500, []])
      assert.deepEqual([await app.post('first', 'second'), await app.list()], [201, ['first', 'second']])
    })

    test('a folder for PGlite is made, with those that it is in', async (t) => {
      const url = `pglite:${join(copy.folder, '.data/nested/db')}`
      const first = await start(t, copy.folder, url)
      assert.equal(await first.post('first', 'second'), 201)
      await first.close()
      const { list } = await start(t, copy.folder, url, { isEmpty: false })
      assert.deepEqual(await list(), ['first', 'second'])
    })

    describe('on a PostgreSQL server', { skip: postgres === undefined }, () => {
      const database = `step_${step.slice(0, 2)}`
      const admin = new pg.Client({ connectionString: postgres })
      before(async () => {
        await admin.connect()
        await admin.query(`create database ${database}`)
      })
      after(async () => {
        await admin.query(`drop database ${database} with (force)`)
        await admin.end()
      })

      test('a backend that is terminated within a transaction fails its request', async (t) => {
        const url = new URL(postgres)
        url.pathname = database
        const app = await start(t, copy.folder, url.href)
        app.between = () => admin.query('select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1', [database])
        assert.deepEqual([await app.post('first', 'second'), await app.list()], [500, []])
        app.during = 'select pg_terminate_backend(pg_backend_pid())'
        assert.deepEqual([await app.post('first', 'second'), await app.list()], [500, []])
        assert.deepEqual([await app.post('first', 'second'), await app.list(), app.losses.length], [201, ['first', 'second'], 2])
      })
    })
  })

/** A server on the database of a step, with one connection: a lost one that came back to the pool would fail the next request. */
async function start(t, folder, url, { isEmpty = true } = {}) {
  const load = (path) => import(pathToFileURL(join(folder, 'dist', path)).href)
  const { Database, databaseProvider, InTransaction } = await load('database/database.js')
  const { Settings } = await load('settings.js')
  /** What happens in the next transaction: a function between its queries, and SQL among them. */
  const next = { between: undefined, during: undefined }
  const take = (name) => {
    const value = next[name]
    next[name] = undefined
    return value
  }

  class Notes {
    static inject = [Database]
    constructor(db) {
      this.db = db
    }

    async create({ body: [first, second] }) {
      await this.db.query('insert into notes values ($1)', [first])
      await take('between')?.()
      await this.db.query(take('during') ?? 'select 1')
      await this.db.query('insert into notes values ($1)', [second])
    }

    async list() {
      return (await this.db.query('select text from notes order by text')).map(({ text }) => text)
    }
  }
  decorate(Notes, 'create', Post({ path: '/', status: 201 }), Hook('around', InTransaction))
  decorate(Notes, 'list', Get('/'))
  Controller('/notes')(Notes)
  class App {}
  Plugin({ providers: [Settings, databaseProvider], routes: [Notes] })(App)

  const lost = []
  const stream = { write: (line) => void (line.includes('a connection to the database was lost') && lost.push(line)) }
  const settings = new Settings({ DATABASE_URL: url, DATABASE_POOL_SIZE: '1', JWT_SECRET: 'x'.repeat(32) })
  // PGlite takes seconds of CPU to make a database, which a machine with other work may not have within 10 s.
  const server = { logger: { stream }, pluginTimeout: 180_000 }
  const app = await testServer(App, { override: [[Settings, settings]], server })
  t.after(() => app.close())
  await app.resolve(Database).run(`create table if not exists notes (text text not null); ${isEmpty ? 'truncate notes' : ''}`)
  return Object.assign(next, {
    losses: lost,
    post: async (...payload) => (await app.inject({ method: 'POST', url: '/notes', payload })).statusCode,
    close: () => app.close(),
    list: async () => (await app.inject('/notes')).json(),
  })
}

function decorate(type, name, ...decorators) {
  for (const decorator of decorators) decorator(type.prototype, name, Object.getOwnPropertyDescriptor(type.prototype, name))
}
