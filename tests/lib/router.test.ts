import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, type Server } from 'alcove/lib'

test('the not-found handler of the longest prefix of a path answers, whole segments only', async () => {
  const server = createServer()
  const level = (prefix: string): void => {
    server.register(async (child: Server) => void child.setNotFoundHandler((_request, reply) => void reply.code(404).send(prefix)), {
      prefix,
    })
  }
  server.setNotFoundHandler((_request, reply) => void reply.code(404).send('root'))
  for (const prefix of ['/api', '/api/v1', '/users/:id']) level(prefix)
  const cases: Record<string, string> = {
    '/': 'root',
    '/nowhere': 'root',
    '/api/x': '/api',
    '/api/v1/x/y': '/api/v1',
    '/api/v2': '/api',
    '/users/7/x': '/users/:id',
    '/users': 'root',
    '/apis': 'root',
    '/api/x?y=/api/v1/': '/api',
  }
  for (const [url, answer] of Object.entries(cases)) assert.equal((await server.inject(url)).body, answer, url)
  await server.close()
})

for (const url of ['/%', '/a%zz', '/%E0%A4%A']) {
  test(`a path that cannot be decoded is refused where its method has routes, and answered where it has none: ${url}`, async () => {
    const server = createServer()
    server.get('/:any', () => 'never')
    server.setNotFoundHandler(() => assert.fail('the not-found handler must not run for GET'))
    const answer = await server.inject(url)
    assert.deepEqual([answer.statusCode, answer.json().code], [400, 'ALC_ERR_BAD_URL'])
    await server.close()

    const other = createServer()
    other.get('/:any', () => 'never')
    for (const method of ['OPTIONS', 'POST'] as const) assert.equal((await other.inject({ method, url })).statusCode, 404)
    await other.close()
  })
}
