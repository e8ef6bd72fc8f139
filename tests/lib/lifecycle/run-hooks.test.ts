/** Hooks of a request. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer } from 'alcove/lib'

describe('an error in a stage that runs inside the callback of a hook', () => {
  test('is not thrown into the hook, is logged, and the request is answered after handlerTimeout', async () => {
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
    // The next stage looks for the parser of the body.
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

  test('is answered 500 if there is no hook', async () => {
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

test('an error that a hook passes to done after it has completed is logged: it refuses nothing', async () => {
  const lines: { msg: string; err?: { message: string } }[] = []
  const server = createServer({ logger: { level: 'error', stream: { write: (line: string) => lines.push(JSON.parse(line)) } } })
  server.addHook('preHandler', (_request, _reply, done) => {
    done()
    done(new Error('refused'))
  })
  server.get('/', () => 'ok')
  assert.equal((await server.inject('/')).body, 'ok')
  assert.deepEqual([lines[0]?.msg, lines[0]?.err?.message], ['a hook failed after it had completed', 'refused'])
  await server.close()
})
