/** The ids of requests. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer } from 'alcove/lib'
import { createIdGenerator } from '../../../lib/server/request-id.js'

test('an id comes from the header if one is read and its value is printable, and else from genReqId', async () => {
  const answers = async (options: object): Promise<string[]> => {
    const server = createServer({ genReqId: () => 'own', ...options })
    server.get('/', ({ id }) => id)
    const given = [{ 'request-id': 'theirs' }, { 'request-id': 'th\u00e9irs' }, { 'x-id': 'other' }, {}]
    const replies = await Promise.all(given.map((headers) => server.inject({ url: '/', headers })))
    await server.close()
    return replies.map(({ body }) => body)
  }
  assert.deepEqual(await answers({}), ['own', 'own', 'own', 'own'])
  assert.deepEqual(await answers({ requestIdHeader: false }), ['own', 'own', 'own', 'own'])
  assert.deepEqual(await answers({ requestIdHeader: '' }), ['own', 'own', 'own', 'own'])
  assert.deepEqual(await answers({ requestIdHeader: true }), ['theirs', 'own', 'own', 'own'])
  assert.deepEqual(await answers({ requestIdHeader: 'request-id' }), ['theirs', 'own', 'own', 'own'])
  assert.deepEqual(await answers({ requestIdHeader: 'X-Id' }), ['own', 'own', 'other', 'own'])
})

test('initialConfig names the header that ids are taken from, in lower case, or false', () => {
  const shown = (requestIdHeader?: string | boolean): unknown => createServer({ requestIdHeader }).initialConfig.requestIdHeader
  assert.deepEqual([shown(), shown(false), shown(''), shown(true), shown('X-Id')], [false, false, false, 'request-id', 'x-id'])
})

test('new ids are counted in base 36 for each server', async () => {
  const next = createIdGenerator(false, undefined)
  const ids = Array.from({ length: 36 }, () => next({ headers: {} } as never))
  assert.deepEqual([ids[0], ids[9], ids[35]], ['req-1', 'req-a', 'req-10'])
  assert.equal(createIdGenerator(false, undefined)({ headers: {} } as never), 'req-1')
})

test('a promise as a new id is refused', () => {
  const next = createIdGenerator('request-id', (async () => 'late') as never)
  assert.throws(() => next({ headers: {} } as never), /genReqId/)
  assert.equal(next({ headers: { 'request-id': 'theirs' } } as never), 'theirs')
})
