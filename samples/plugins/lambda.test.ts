import assert from 'node:assert/strict'
import { test } from 'node:test'
import { handler } from './lambda.js'

test('a function of AWS Lambda answers its events', async () => {
  const event = { httpMethod: 'GET', path: '/greet/Ada', headers: {}, requestContext: {} }
  const { statusCode, body } = await handler(event, {})
  assert.deepEqual([statusCode, JSON.parse(body)], [200, { greeting: 'Hello, Ada' }])
})
