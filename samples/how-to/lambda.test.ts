import assert from 'node:assert/strict'
import { test } from 'node:test'
import { main } from './lambda.js'

test('a function of AWS Lambda answers its events', async () => {
  const { statusCode, body } = await main({
    version: '2.0',
    rawPath: '/greet/Ada',
    rawQueryString: '',
    headers: { host: 'api.example' },
    requestContext: { http: { method: 'GET' } },
  })
  assert.deepEqual([statusCode, JSON.parse(body)], [200, { greeting: 'Hello, Ada' }])
})
