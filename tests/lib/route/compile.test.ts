/** Warnings that are logged when a route is compiled. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer } from 'alcove'

test('a request part whose schema is undefined is logged as a warning, with method, path and part', async () => {
  const lines: { level: number; msg: string }[] = []
  const server = createServer({ logger: { level: 'warn', stream: { write: (line: string) => lines.push(JSON.parse(line)) } } })
  server.post('/a', { schema: { body: undefined } }, () => ({}))
  server.get('/b', { exposeHeadRoute: false, schema: { querystring: undefined, params: {} } }, () => ({}))
  server.get('/c', { schema: { params: {} } }, () => ({}))
  await server.ready()
  assert.deepEqual(
    lines.map(({ msg }) => msg),
    ['POST /a: schema.body is undefined, so it is not validated', 'GET /b: schema.querystring is undefined, so it is not validated'],
  )
})
