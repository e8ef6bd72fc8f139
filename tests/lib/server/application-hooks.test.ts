/** onReady and onListen hooks. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer } from 'alcove/lib'

describe('an onReady hook', () => {
  for (const [title, failing] of Object.entries({
    'a callback': (done: (error: Error) => void) => done(new Error('not ready')),
    'a throw': () => {
      throw new Error('not ready')
    },
    'a rejection': () => Promise.reject(new Error('not ready')),
  })) {
    test(`that fails by ${title} fails the boot, and the hooks after it do not run`, async () => {
      const server: any = createServer()
      let hasRun = false
      server.addHook('onReady', failing)
      server.addHook('onReady', async () => void (hasRun = true))
      server.addHook('onReady', (done: () => void) => {
        hasRun = true
        done()
      })
      await assert.rejects(server.ready(), { message: 'not ready', context: /^onReady hook .*of 'root'$/ })
      assert.equal(hasRun, false)
      await server.close()
    })
  }

  test('that fails with undefined fails the boot too', async () => {
    for (const failing of [
      () => {
        throw undefined
      },
      () => Promise.reject(),
    ]) {
      const server: any = createServer()
      server.addHook('onReady', failing)
      await assert.rejects(server.ready(), { code: 'ALC_ERR_PLUGIN_REJECTED_EMPTY' })
      await server.close()
    }
  })

  test('may return nothing, or take a callback', async () => {
    const seen: string[] = []
    const server: any = createServer()
    server.addHook('onReady', function (this: unknown) {
      seen.push(this === server ? 'plain' : 'lost')
    })
    server.addHook('onReady', function (this: unknown, done: () => void) {
      seen.push(this === server ? 'callback' : 'lost')
      setImmediate(done)
    })
    await server.ready()
    assert.deepEqual(seen, ['plain', 'callback'])
    await server.close()
  })
})

test('onListen hooks run after the server listens; one that fails is logged and the others run', async () => {
  const lines: string[] = []
  const seen: string[] = []
  const server = createServer({ logger: { level: 'error', stream: { write: (line: string) => lines.push(line) } } })
  server.addHook('onListen', async () => {
    seen.push(server.server.listening ? 'listening' : 'not yet')
    throw new Error('no')
  })
  server.addHook('onListen', () => void seen.push('plain'))
  server.addHook('onListen', () => {
    throw new Error('no')
  })
  const last = new Promise<void>((resolve) =>
    server.addHook('onListen', (done) => {
      seen.push('second')
      done()
      resolve()
    }),
  )
  await server.listen({ port: 0, host: '127.0.0.1' })
  await last
  assert.deepEqual(seen, ['listening', 'plain', 'second'])
  assert.equal(lines.length, 2)
  await server.close()
})
