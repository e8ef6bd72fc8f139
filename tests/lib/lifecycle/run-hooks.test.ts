import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer } from 'alcove/lib'

describe('what fails behind the callback of a hook', () => {
  test('does not come back to the hook, is logged, and the request is answered in its time', async () => {
    const lines: { msg: string; err?: { message: string } }[] = []
    const server = createServer({
      handlerTimeout: 50,
      logger: { level: 'error', stream: { write: (line: string) => lines.push(JSON.parse(line)) } },
    })
    let hasReturned = false
    server.addHook('preParsing', (_request, _reply, _payload, done) => {
      done()
      hasReturned = true
    })
    // Who reads the body is asked next.
    const pattern = /^a/
    pattern.test = () => {
      throw new Error('no match')
    }
    server.addContentTypeParser(pattern, (_request, _payload, done) => done(null, ''))
    server.post('/', () => 'never')
    await server.listen({ port: 0, host: '127.0.0.1' })
    const answer = await fetch(server.listeningOrigin, { method: 'POST', body: 'x', headers: { 'content-type': 'a/b' } })
    assert.equal(answer.status, 503)
    assert.ok(hasReturned)
    assert.deepEqual([lines[0]!.msg, lines[0]!.err?.message], ['a hook failed after it had completed', 'no match'])
    await server.close()
  })

  test('is answered where there is no hook', async () => {
    const server = createServer()
    const pattern = /^a/
    pattern.test = () => {
      throw new Error('no match')
    }
    server.addContentTypeParser(pattern, (_request, _payload, done) => done(null, ''))
    server.post('/', () => 'never')
    const answer = await server.inject({ method: 'POST', url: '/', payload: 'x', headers: { 'content-type': 'a/b' } })
    assert.equal(answer.statusCode, 500)
    await server.close()
  })
})

describe('an onReady hook', () => {
  for (const [title, failing] of Object.entries({
    'a callback': (done: (error: Error) => void) => done(new Error('not ready')),
    'a throw': () => {
      throw new Error('not ready')
    },
    'a rejection': () => Promise.reject(new Error('not ready')),
  })) {
    test(`that fails by ${title} fails the boot, and those after it do not run`, async () => {
      const server: any = createServer()
      let hasRun = false
      server.addHook('onReady', failing)
      server.addHook('onReady', async () => void (hasRun = true))
      server.addHook('onReady', (done: () => void) => {
        hasRun = true
        done()
      })
      await assert.rejects(server.ready(), { message: 'not ready' })
      assert.equal(hasRun, false)
      await server.close()
    })
  }

  test('that fails with nothing fails the boot all the same', async () => {
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

  test('may be plain, or take a callback', async () => {
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
