/** The payload of error replies. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorPayload, statusText } from '../../../lib/http/error-payload.js'

test('the keys always have the same order, and code is missing if there is none', () => {
  assert.equal(
    JSON.stringify(errorPayload(404, 'No user 7', 'USER')),
    '{"statusCode":404,"code":"USER","error":"Not Found","message":"No user 7"}',
  )
  assert.equal(JSON.stringify(errorPayload(404, 'No user 7')), '{"statusCode":404,"error":"Not Found","message":"No user 7"}')
})

test('the text of an unknown status is Error', () => {
  assert.deepEqual([statusText(503), statusText(499)], ['Service Unavailable', 'Error'])
})
