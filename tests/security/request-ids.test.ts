/** Request ids that clients send. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer } from 'alcove/lib'
import { exchange, get, recorder, wireTest } from './wire.js'

const echoId = (server: any): void => void server.get('/', (request: any) => request.id)

describe('request ids', () => {
  wireTest('of clients are not believed by default', echoId, async ({ port }) => {
    for (const name of ['request-id', 'x-request-id']) {
      const [answer] = await exchange(port, get('/', `${name}: theirs\r\n`))
      assert.match(answer!.body, /^req-/, name)
    }
  })

  wireTest(
    'are taken from the header that the application names, but only if they are plain text',
    echoId,
    async ({ port, server }) => {
      assert.equal((await exchange(port, get('/', 'request-id: a-1\r\n')))[0]!.body, 'a-1')
      for (const id of ['\x80', 'a\tb', 'é']) assert.match((await exchange(port, get('/', `request-id: ${id}\r\n`)))[0]!.body, /^req-/, id)
      for (const id of ['a\r\nb: c', 'a\nb', '\x1b[2J', '\u2028', ['a', 'b'] as any])
        assert.match((await server.inject({ url: '/', headers: { 'request-id': id } })).body, /^req-|^a,b$/)
    },
    { requestIdHeader: 'Request-Id' },
  )

  wireTest(
    'that have more than 128 characters are replaced by new ones',
    echoId,
    async ({ port }) => {
      const longest = 'x'.repeat(128)
      const answers = await exchange(port, get('/', `request-id: ${longest}\r\n`))
      assert.equal(answers[0]!.body, longest)
      for (const length of [129, 15_000]) {
        const [answer] = await exchange(port, get('/', `request-id: ${'x'.repeat(length)}\r\n`))
        assert.match(answer!.body, /^req-/, String(length))
      }
    },
    { requestIdHeader: 'request-id' },
  )

  test('of clients do not make the log grow', async () => {
    const { lines, logger } = recorder()
    logger.child = (bindings: any) => (lines.push(bindings), logger)
    const server = createServer({ logger, requestIdHeader: 'request-id' })
    await server.inject({ url: '/missing', headers: { 'request-id': 'x'.repeat(15_000) } })
    await server.close()
    assert.ok(JSON.stringify(lines, (key, value) => (key === 'given' ? undefined : value)).length < 1_000)
  })
})
