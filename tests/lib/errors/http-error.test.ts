/** HttpError: which of it a client sees. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, HttpError } from 'alcove'

describe('HttpError', () => {
  async function answerTo(error: unknown, options = {}): Promise<[number, Record<string, unknown>, Record<string, unknown>]> {
    const server = createServer(options)
    server.get('/', async () => {
      throw error
    })
    const answer = await server.inject('/')
    await server.close()
    return [answer.statusCode, answer.json(), answer.headers]
  }

  test('below 500 shows its message, its code and its headers', async () => {
    const [status, body, headers] = await answerTo(new HttpError(429, 'Slow down', { code: 'BUSY', headers: { 'retry-after': '5' } }))
    assert.equal(status, 429)
    assert.deepEqual(body, { statusCode: 429, code: 'BUSY', error: 'Too Many Requests', message: 'Slow down' })
    assert.equal(headers['retry-after'], '5')
  })

  test('from 500 on hides its message and its code', async () => {
    const [status, body] = await answerTo(new HttpError(503, 'db-7 is down', { code: 'DB_7' }))
    assert.equal(status, 503)
    assert.deepEqual(body, { statusCode: 503, error: 'Service Unavailable', message: 'Service Unavailable' })
  })

  test('shows them with expose, or with the option exposeErrorMessages', async () => {
    assert.equal((await answerTo(new HttpError(503, 'Back at noon', { expose: true })))[1]['message'], 'Back at noon')
    assert.equal((await answerTo(new HttpError(503, 'Back at noon'), { exposeErrorMessages: true }))[1]['message'], 'Back at noon')
  })

  test('below 500 hides them with expose: false, as errors of other libraries do', async () => {
    const hidden = { statusCode: 404, error: 'Not Found', message: 'Not Found' }
    assert.deepEqual((await answerTo(new HttpError(404, 'No invoice 7', { expose: false, code: 'INVOICE' })))[1], hidden)
    assert.deepEqual((await answerTo(Object.assign(new Error('No invoice 7'), { statusCode: 404, expose: false })))[1], hidden)
  })

  test('has the status text if no message is given, and keeps its cause', () => {
    const cause = new Error('why')
    const error = new HttpError(404, undefined, { cause })
    assert.deepEqual([error.message, error.cause, error.expose, error.name], ['Not Found', cause, true, 'HttpError'])
    assert.equal('cause' in new HttpError(404), false)
  })

  test('refuses extension members with the names of other members of the payload', () => {
    for (const name of ['status', 'statusCode', 'detail', 'message', 'code', 'type'])
      assert.throws(() => new HttpError(404, 'No', { extensions: { [name]: 1 } }), { code: 'ALC_ERR_HTTP_ERROR_EXTENSION' })
    // @ts-expect-error the compiler knows these names
    assert.throws(() => new HttpError(404, 'No', { extensions: { detail: 'a' } }))
  })

  for (const status of [200, 399, 600, 404.5, Number.NaN]) {
    test(`refuses the status ${status}`, () => {
      assert.throws(() => new HttpError(status), { code: 'ALC_ERR_BAD_STATUS_CODE' })
    })
  }
})
