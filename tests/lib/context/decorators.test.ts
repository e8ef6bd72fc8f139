/** Decorators of instances, requests and replies. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, type Server } from 'alcove/lib'

const refused: [title: string, decorate: (server: Server) => unknown, code: string][] = [
  ['an object', (server) => server.decorateRequest('shared', {}), 'ALC_ERR_DEC_REFERENCE_TYPE'],
  ['an array on replies', (server) => server.decorateReply('shared', []), 'ALC_ERR_DEC_REFERENCE_TYPE'],
  ['a name twice', (server) => server.decorateRequest('a', 1).decorateRequest('a', 2), 'ALC_ERR_DEC_ALREADY_PRESENT'],
  ['a missing dependency', (server) => server.decorateRequest('a', 1, ['b']), 'ALC_ERR_DEC_MISSING_DEPENDENCY'],
  ['dependencies that are not an array', (server) => server.decorate('a', 1, 'b' as never), 'ALC_ERR_DEC_DEPENDENCY_INVALID_TYPE'],
  ['a property that every request has', (server) => server.decorateRequest('id', 1), 'ALC_ERR_DEC_ALREADY_PRESENT'],
  ['a property that every reply has', (server) => server.decorateReply('raw', 1), 'ALC_ERR_DEC_ALREADY_PRESENT'],
  ['an instance’s name twice', (server) => server.decorate('a', 1).decorate('a', 2), 'ALC_ERR_DEC_ALREADY_PRESENT'],
  ['an instance’s missing dependency', (server) => server.decorate('a', 1, ['b']), 'ALC_ERR_DEC_MISSING_DEPENDENCY'],
]

for (const [title, decorate, code] of refused) {
  test(`a decorator is refused: ${title}`, () => {
    assert.throws(() => decorate(createServer()), { code })
  })
}

describe('a request decorator', () => {
  test('that is added to a parent later reaches the contexts that exist already', async () => {
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

  test('may have a symbol as its name, and is not visible in a sibling context', async () => {
    const kUser = Symbol('user')
    const server = createServer()
    server.register(async (child: Server) => void child.decorateRequest(kUser, 1).get('/one', (request: any) => String(request[kUser])))
    server.register(async (child: Server) => void child.get('/two', (request: any) => String(request[kUser])))
    assert.equal((await server.inject('/one')).body, '1')
    assert.equal((await server.inject('/two')).body, 'undefined')
    await server.close()
  })
})

test('an instance may have an accessor, and its children read and write through it', async () => {
  const server: any = createServer()
  let value = 1
  server.decorate('own', {
    getter: () => value,
    setter: (given: number) => void (value = given),
  })
  server.register(async (child: any) => {
    assert.equal(child.own, 1)
    child.own = 2
  })
  await server.ready()
  assert.deepEqual([server.own, server.hasDecorator('own')], [2, true])
  await server.close()
})

test('a child may replace a method or an accessor of its ancestors, but not a value, which hooks above it set', async () => {
  const server: any = createServer()
  server.decorateRequest('value', 1)
  server.get('/above', (request: any) => request.say())
  server.decorateRequest('say', () => 'above')
  server.register(async (child: any) => {
    assert.throws(() => child.decorateRequest('value', 2), { code: 'ALC_ERR_DEC_ALREADY_PRESENT' })
    child.decorateRequest('say', () => 'below')
    child.get('/below', (request: any) => request.say())
  })
  assert.equal((await server.inject('/above')).body, 'above')
  assert.equal((await server.inject('/below')).body, 'below')
  await server.close()
})

test('some built-in methods of replies may be replaced by a decorator, other built-in members may not', async () => {
  const server = createServer()
  server.decorateReply('redirect', () => 'mine')
  server.get('/', (_request, reply) => ({ redirect: reply.redirect('/') }))
  for (const name of ['elapsedTime', 'statusCode', 'sent']) {
    assert.throws(() => server.decorateReply(name, null), { code: 'ALC_ERR_DEC_ALREADY_PRESENT' })
  }
  assert.throws(() => server.decorateReply('send', null), { code: 'ALC_ERR_DEC_ALREADY_PRESENT' })
  assert.deepEqual((await server.inject('/')).json(), { redirect: 'mine' })
})

describe('getDecorator', () => {
  test('returns the members that an instance, a request or a reply sees, and refuses those of other contexts', async () => {
    const server = createServer()
    server.decorate('own', 'instance').decorateRequest('own', 'request').decorateReply('own', 'reply')
    server.register(async (child: Server) => {
      child.decorate('below', 1).decorateRequest('below', 2).decorateReply('below', 3)
      child.get('/below', (request, reply) =>
        [child, request, reply].map((owner) => [owner.getDecorator('own'), owner.getDecorator('below')]),
      )
    })
    server.get('/above', (request, reply) => {
      const failures = [server, request, reply].map((owner) => codeAndMessage(() => owner.getDecorator('below')))
      return [...failures, codeAndMessage(() => request.setDecorator('below', 1))]
    })
    await server.listen({ port: 0, host: '127.0.0.1' })
    assert.deepEqual(await (await fetch(`${server.listeningOrigin}/below`)).json(), [
      ['instance', 1],
      ['request', 2],
      ['reply', 3],
    ])
    assert.deepEqual(
      await (await fetch(`${server.listeningOrigin}/above`)).json(),
      ['instance', 'request', 'reply', 'request'].map((kind) => [
        'ALC_ERR_DEC_UNDECLARED',
        `No decorator 'below' has been declared on ${kind}.`,
      ]),
    )
    await server.close()
  })

  test('binds functions to their owner, and calls a getter once', async () => {
    const server = createServer()
    let calls = 0
    server.decorate('self', function (this: unknown) {
      return this
    })
    server.decorate('made', {
      getter() {
        calls++
        return function (this: unknown) {
          return this
        }
      },
    })
    server.decorateRequest('self', function (this: unknown) {
      return this
    })
    server.get('/', (request, reply) => [
      request.getDecorator<() => unknown>('self')() === request,
      reply.getDecorator<(status: number) => unknown>('code')(201) === reply,
    ])
    assert.equal(server.getDecorator<() => unknown>('self')(), server)
    assert.equal(server.getDecorator<() => unknown>('made')(), server)
    assert.equal(calls, 1)
    const answer = await server.inject('/')
    assert.deepEqual([answer.statusCode, answer.json()], [201, [true, true]])
    await server.close()
  })
})

test('setDecorator sets the decoration of one request', async () => {
  const server = createServer()
  server.decorateRequest('user', null)
  server.addHook('onRequest', async (request) => {
    if (request.query.user) request.setDecorator('user', { name: request.query.user })
  })
  server.get('/', (request) => ({ user: request.getDecorator('user') }))
  assert.deepEqual((await server.inject('/?user=ada')).json(), { user: { name: 'ada' } })
  assert.deepEqual((await server.inject('/')).json(), { user: null })
  await server.close()
})

test('properties that every request or reply has count as decorators, also as dependencies', () => {
  const server = createServer()
  for (const name of ['id', 'params', 'raw', 'query', 'log', 'body']) {
    assert.equal(server.hasRequestDecorator(name), true, name)
    server.decorateRequest(`uses ${name}`, null, [name])
  }
  for (const name of ['raw', 'request', 'log']) {
    assert.equal(server.hasReplyDecorator(name), true, name)
    server.decorateReply(`uses ${name}`, null, [name])
  }
  assert.throws(() => server.decorateReply('other', null, ['body']), { code: 'ALC_ERR_DEC_MISSING_DEPENDENCY' })
})

function codeAndMessage(run: () => unknown): [code: string, message: string] | undefined {
  try {
    run()
  } catch (error) {
    return [(error as { code: string }).code, (error as Error).message]
  }
  return undefined
}
