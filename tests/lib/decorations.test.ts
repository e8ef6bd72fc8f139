import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, type Server } from 'alcove/lib'

const refused: [title: string, decorate: (server: Server) => unknown, code: string][] = [
  ['an object', (server) => server.decorateRequest('shared', {}), 'ALC_ERR_DEC_REFERENCE_TYPE'],
  ['an array on replies', (server) => server.decorateReply('shared', []), 'ALC_ERR_DEC_REFERENCE_TYPE'],
  ['a name twice', (server) => server.decorateRequest('a', 1).decorateRequest('a', 2), 'ALC_ERR_DEC_ALREADY_PRESENT'],
  ['a missing dependency', (server) => server.decorateRequest('a', 1, ['b']), 'ALC_ERR_DEC_MISSING_DEPENDENCY'],
  ['dependencies that are no array', (server) => server.decorate('a', 1, 'b' as never), 'ALC_ERR_DEC_DEPENDENCY_INVALID_TYPE'],
]
for (const [title, decorate, code] of refused) {
  test(`a decorator is refused: ${title}`, () => {
    assert.throws(() => decorate(createServer()), { code })
  })
}

describe('a request decorator', () => {
  test('added to a parent late reaches the contexts that exist', async () => {
    const server = createServer()
    server.register(async (child: Server) => void child.get('/', (request: any) => String(request.late)))
    server.after(() => void server.decorateRequest('late', 'seen'))
    assert.equal((await server.inject('/')).body, 'seen')
    await server.close()
  })

  test('set on one request is not seen by the next', async () => {
    const server = createServer()
    server.decorateRequest('count', 0)
    server.get('/', (request: any) => String(++request.count))
    assert.equal((await server.inject('/')).body, '1')
    assert.equal((await server.inject('/')).body, '1')
    await server.close()
  })

  test('may be a function, with the request as this, or an accessor', async () => {
    const server = createServer()
    server.decorateRequest('shout', function (this: { url: string }) {
      return this.url.toUpperCase()
    })
    server.decorateRequest('path', {
      getter: function (this: { url: string }) {
        return this.url
      },
    })
    server.get('/a', (request: any) => [request.shout(), request.path])
    assert.deepEqual((await server.inject('/a')).json(), ['/A', '/a'])
    await server.close()
  })

  test('may have a symbol as its name, and another one of its sibling does not show', async () => {
    const kUser = Symbol('user')
    const server = createServer()
    server.register(async (child: Server) => void child.decorateRequest(kUser, 1).get('/one', (request: any) => String(request[kUser])))
    server.register(async (child: Server) => void child.get('/two', (request: any) => String(request[kUser])))
    assert.equal((await server.inject('/one')).body, '1')
    assert.equal((await server.inject('/two')).body, 'undefined')
    await server.close()
  })
})
