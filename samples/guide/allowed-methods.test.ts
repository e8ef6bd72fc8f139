import assert from 'node:assert/strict'
import { test } from 'node:test'
import { server } from './allowed-methods.js'

test('the methods of a path are in Allow', async () => {
  for (const [method, status] of [
    ['DELETE', 405],
    ['OPTIONS', 204],
  ] as const) {
    const { statusCode, headers } = await server.inject({ method, url: '/users' })
    assert.deepEqual([statusCode, headers['allow']], [status, 'GET, HEAD, OPTIONS'])
  }
})
