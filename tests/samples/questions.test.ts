/** The samples that answer one question each, over real sockets. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { bootstrap, type Class, Plugin, testServer, use } from 'alcove'
import { App as ConfiguredApp, Settings } from '../../samples/configuration/app.js'
import { App as EventsApp, Ticker } from '../../samples/events/app.js'
import { App as RolesApp, CurrentUser, ReportsPlugin } from '../../samples/roles/app.js'
import { App as SchedulerApp, Every, SchedulerPlugin, Sessions } from '../../samples/scheduler/app.js'
import { UploadPlugin } from '../../samples/upload/app.js'

const deadline = { timeout: 10_000 }

async function withServer(App: Class, use: (origin: string, resolve: (token: any) => any) => Promise<void>): Promise<void> {
  const server = await bootstrap(App)
  try {
    await use(await server.listen({ port: 0, host: '127.0.0.1' }), (token) => server.resolve(token))
  } finally {
    await server.close()
  }
}

describe('upload', () => {
  const directoryOf = () => mkdtemp(join(tmpdir(), 'alcove-upload-'))
  function appWith(directory: string): Class {
    @Plugin({ imports: [use(UploadPlugin, { directory, limit: 100_000 })] })
    class App {}
    return App
  }
  const post = (origin: string, body: Buffer): Promise<Response> =>
    fetch(`${origin}/files`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/octet-stream' },
      duplex: 'half',
    })

  test('a file is streamed to disk, byte for byte', deadline, async () => {
    const directory = await directoryOf()
    await withServer(appWith(directory), async (origin) => {
      const bytes = Buffer.alloc(90_000, 'abc')
      const response = await post(origin, bytes)
      const { id, size } = (await response.json()) as { id: string; size: number }
      assert.deepEqual([response.status, size], [201, bytes.length])
      assert.ok((await readFile(join(directory, id))).equals(bytes))
    })
  })

  test('a file that is too large is refused, also without a content-length, and is deleted', deadline, async () => {
    const directory = await directoryOf()
    await withServer(appWith(directory), async (origin) => {
      const status = await new Promise((resolve, reject) => {
        const request = httpRequest(`${origin}/files`, {
          method: 'POST',
          headers: { 'content-type': 'application/octet-stream', 'transfer-encoding': 'chunked' },
        })
        request.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
        request.end(Buffer.alloc(150_000))
      })
      assert.equal(status, 413)
      assert.deepEqual(await readdir(directory), [])
    })
  })

  test('another media type is refused', deadline, async () => {
    await withServer(appWith(await directoryOf()), async (origin) => {
      const response = await fetch(`${origin}/files`, { method: 'POST', body: '<a/>', headers: { 'content-type': 'text/xml' } })
      assert.equal(response.status, 415)
    })
  })
})

test('events come as they happen, and their source ends when the client goes away', deadline, async () => {
  await withServer(EventsApp, async (origin, resolve) => {
    const ticker = resolve(Ticker) as Ticker
    const text = await new Promise<string>((done, reject) => {
      let heard = ''
      const headers = { accept: 'text/event-stream', 'last-event-id': '4' }
      const request = httpRequest(`${origin}/ticks`, { agent: false, headers }, (response) => {
        assert.equal(response.headers['content-type'], 'text/event-stream')
        response.setEncoding('utf8').on('error', () => {})
        response.on('data', (chunk: string) => {
          heard += chunk
          if (!heard.includes('data: {"n":7}\n\n')) return
          assert.equal(ticker.listeners, 1)
          request.destroy()
          done(heard)
        })
      })
      request.on('error', reject).end()
    })
    assert.ok(text.startsWith('id: 5\nevent: tick\ndata: {"n":5}\n\nid: 6\nevent: tick\ndata: {"n":6}\n\n'))
    while (ticker.listeners > 0) await wait(10)
    assert.equal(ticker.listeners, 0)
  })
})

describe('roles', () => {
  test('a guard accepts the roles that the route names', deadline, async () => {
    await withServer(RolesApp, async (origin) => {
      const ask = async (path: string, key?: string): Promise<number> =>
        (await fetch(origin + path, { headers: key ? { 'x-key': key } : {} })).status
      assert.deepEqual([await ask('/reports'), await ask('/reports', 'bob-key'), await ask('/reports', 'ada-key')], [401, 200, 200])
      assert.deepEqual([await ask('/reports/salaries', 'bob-key'), await ask('/reports/salaries', 'ada-key')], [403, 200])
    })
  })

  test('a test provides the user instead of an ancestor', deadline, async () => {
    await using app = await testServer(ReportsPlugin, { provide: [[CurrentUser, { name: 'Eve', role: 'reader' }]] })
    assert.equal((await app.inject('/reports/salaries')).statusCode, 403)
    assert.equal((await app.inject('/reports')).body, '{"for":"Eve"}')
  })
})

describe('configuration', () => {
  const env = { DATABASE_URL: 'postgres://db/app', GREETING: 'Hello', PORT: '8080' }

  test('classes that ask for the configuration get the variables with their types', deadline, async () => {
    await using app = await testServer(ConfiguredApp, { override: [[Settings, new Settings(env)]] })
    assert.equal((await app.inject('/')).body, '{"greeting":"Hello"}')
    assert.equal(app.resolve(Settings).PORT, 8080)
  })

  test('all faults are reported together, before the server listens', deadline, async () => {
    const error = await bootstrap(ConfiguredApp).catch(({ message }: Error) => message)
    assert.equal(
      error,
      [
        'The environment has 2 faults:',
        '  - DATABASE_URL (App > Settings) is missing. It must be a text of the format uri.',
        '  - GREETING (App > Settings) is missing. It must be a text of at most 40 characters (for everyone who asks).',
        'Set the variables in the environment of the process, or in a file for node --env-file=<file>.',
      ].join('\n'),
    )
  })
})

describe('scheduler', () => {
  test('calls the decorated methods while the server listens, and not in a test without a port', deadline, async () => {
    await using app = await testServer(SchedulerApp)
    const sessions = app.resolve(Sessions)
    await app.inject('/')
    await wait(50)
    assert.equal(sessions.cleanUps, 0)
    await app.server.listen({ port: 0, host: '127.0.0.1' })
    while (sessions.cleanUps < 2) await wait(5)
    await app.close()
    const ended = sessions.cleanUps
    await wait(50)
    assert.equal(sessions.cleanUps, ended)
  })

  for (const order of ['before', 'after'])
    test(`a job that runs is waited for before its database is closed, which is imported ${order} the scheduler`, deadline, async () => {
      const events: string[] = []
      class Database {
        onClose(): void {
          events.push('database closed')
        }
      }
      class Jobs {
        static inject = [Database] as const
        constructor(readonly database: Database) {}

        @Every({ ms: 5 })
        async run(): Promise<void> {
          if (events.push('job began') > 1) return void events.pop()
          await wait(100)
          events.push('job ended')
        }
      }
      @Plugin({ shared: true, providers: [Database] })
      class DatabasePlugin {}
      @Plugin({ imports: order === 'before' ? [DatabasePlugin, SchedulerPlugin] : [SchedulerPlugin, DatabasePlugin], providers: [Jobs] })
      class App {}
      const app = await testServer(App)
      await app.server.listen({ port: 0, host: '127.0.0.1' })
      while (events.length === 0) await wait(1)
      await app.close()
      assert.deepEqual(events, ['job began', 'job ended', 'database closed'])
    })

  test('a job that fails is named in the log', deadline, async () => {
    const lines: string[] = []
    class Broken {
      @Every({ ms: 5 })
      async send() {
        return Promise.reject(new Error('no mail'))
      }
    }
    @Plugin({ imports: [SchedulerPlugin], providers: [Broken] })
    class App {}
    const stream = { write: (line: string) => void lines.push(JSON.parse(line).msg) }
    await using app = await testServer(App, { server: { logger: { level: 'error', stream } } })
    await app.server.listen({ port: 0, host: '127.0.0.1' })
    while (lines.length === 0) await wait(5)
    assert.equal(lines[0], 'App > Broken.send failed')
  })
})
