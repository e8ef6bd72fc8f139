/** The table of HTTP methods. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer } from 'alcove/lib'
import { bodyReading, bodySchemaMethods, httpMethods } from '../../../lib/route/methods.js'

test('bodies are read for POST, PUT, PATCH, SEARCH and TRACE, for DELETE and OPTIONS with a media type, and never for the others', () => {
  const methodsThatRead = (when: string): string[] => httpMethods.filter((method) => bodyReading[method] === when).sort()
  assert.deepEqual(methodsThatRead('always'), ['PATCH', 'POST', 'PUT', 'SEARCH', 'TRACE'])
  assert.deepEqual(methodsThatRead('typed'), ['DELETE', 'OPTIONS'])
  assert.equal(methodsThatRead('never').length, httpMethods.length - 7)
  assert.equal(bodyReading['BREW'], undefined)
})

test('a body schema can be declared for POST, PUT and PATCH', () => {
  assert.deepEqual(bodySchemaMethods.toSorted(), ['PATCH', 'POST', 'PUT'])
})

test('routes can have every method of the table', async () => {
  const server = createServer()
  server.route({ method: [...httpMethods], url: '/', exposeHeadRoute: false, handler: (_request, reply) => void reply.send('x') })
  for (const method of httpMethods) assert.ok(server.hasRoute({ method, url: '/' }), method)
  await server.close()
})
