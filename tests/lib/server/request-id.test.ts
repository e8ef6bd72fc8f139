/** The ids of requests. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer } from 'alcove/lib'

test('an id comes from the header if one is read and its value is printable, and else from genReqId', async () => {
  const answers = async (options: object): Promise<string[]> => {
    const server = createServer({ genReqId: () => 'own', ...options })
    server.get('/', ({ id }) => id)
    const given = [{ 'request-id': 'theirs' }, { 'request-id': 'th\u00e9irs' }, { 'x-id': 'other' }, {}]
    const replies = await Promise.all(given.map((headers) => server.inject({ url: '/', headers })))
    await server.close()
    return replies.map(({ body }) => body)
  }
  assert.deepEqual(await answers({}), ['theirs', 'own', 'own', 'own'])
  assert.deepEqual(await answers({ requestIdHeader: false }), ['own', 'own', 'own', 'own'])
  assert.deepEqual(await answers({ requestIdHeader: 'X-Id' }), ['own', 'own', 'other', 'own'])
})
