/** The members of an instance: the values that they refuse, and the settings that they return. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { createServer, type Server } from 'alcove/lib'

const handler = (): string => ''

const refused: [title: string, declare: (server: any) => unknown, code: string][] = [
  ['an error handler that is not a function', (server) => server.setErrorHandler({}), 'ALC_ERR_ERROR_HANDLER_NOT_FN'],
  [
    'a second not-found handler',
    (server) => server.setNotFoundHandler(handler).setNotFoundHandler(handler),
    'ALC_ERR_NOT_FOUND_HANDLER_PRESENT',
  ],
  ['a not-found handler that is not a function', (server) => server.setNotFoundHandler('x'), 'ALC_ERR_NOT_FOUND_HANDLER_NOT_FN'],
  [
    'a not-found handler after its options that is not a function',
    (server) => server.setNotFoundHandler({}, 5),
    'ALC_ERR_NOT_FOUND_HANDLER_NOT_FN',
  ],
  [
    'a hook of a not-found handler that is not a function',
    (server) => server.setNotFoundHandler({ preHandler: 'x' }, handler),
    'ALC_ERR_HOOK_INVALID_HANDLER',
  ],
  ['an async function as genReqId', (server) => server.setGenReqId(async () => 'x'), 'ALC_ERR_SETTING_INVALID'],
  ['a child logger factory that is not a function', (server) => server.setChildLoggerFactory({}), 'ALC_ERR_SETTING_INVALID'],
  ['a bucket that is not a function', (server) => server.setSchemaController({ bucket: 5 }), 'ALC_ERR_SETTING_INVALID'],
  ['a reply serializer that is not a function', (server) => server.setReplySerializer(5), 'ALC_ERR_SETTING_INVALID'],
  ['a validator compiler that is not a function', (server) => server.setValidatorCompiler(5), 'ALC_ERR_SETTING_INVALID'],
  ['an async function as serializer compiler', (server) => server.setSerializerCompiler(async () => String), 'ALC_ERR_SETTING_INVALID'],
  ['a string as listen options', (server) => server.listen('3000'), 'ALC_ERR_LISTEN_OPTIONS_INVALID'],
]

for (const [title, declare, code] of refused) {
  test(`an instance refuses ${title}`, () => {
    assert.throws(() => declare(createServer()), { code })
  })
}

test('a setter that refuses its argument names the expected and the given value', () => {
  assert.throws(() => createServer().setGenReqId((async () => 'x') as never), {
    message: 'setGenReqId expects a synchronous function, got an async function',
  })
})

test('an instance that has started refuses further declarations', async () => {
  const server: any = createServer()
  await server.ready()
  for (const [code, declare] of [
    ['ALC_ERR_INSTANCE_ALREADY_LISTENING', () => server.get('/', handler)],
    ['ALC_ERR_INSTANCE_ALREADY_LISTENING', () => server.addHook('onRequest', handler)],
    ['ALC_ERR_DEC_AFTER_START', () => server.decorate('late', 1)],
    ['ALC_ERR_CTP_INSTANCE_ALREADY_STARTED', () => server.addContentTypeParser('a/b', handler)],
    ['ALC_ERR_CTP_INSTANCE_ALREADY_STARTED', () => server.removeContentTypeParser('a/b')],
    ['ALC_ERR_CTP_INSTANCE_ALREADY_STARTED', () => server.removeAllContentTypeParsers()],
  ] as [string, () => unknown][]) {
    assert.throws(declare, { code })
  }
  await server.close()
})

test('an instance returns the settings of its context', async () => {
  const server: any = createServer()
  const [factory, generate, inner, validator, serializer] = [
    (logger: any, bindings: any, options: any) => logger.child(bindings, options),
    () => 'own-id',
    () => 'inner',
    () => () => true,
    () => JSON.stringify,
  ]
  server.setChildLoggerFactory(factory)
  server.setValidatorCompiler(validator)
  server.register(async (child: any) => {
    child.setGenReqId(generate)
    child.setErrorHandler(inner)
    child.setSerializerCompiler(serializer)
    child.decorateReply('mark', 1)
    child.decorateRequest('user', null)
    assert.equal(child.childLoggerFactory, factory)
    assert.equal(child.validatorCompiler, validator)
    assert.equal(child.serializerCompiler, serializer)
    assert.equal(child.genReqId({ headers: {} }), 'own-id')
    assert.equal(child.errorHandler(), 'inner')
    assert.ok(child.hasReplyDecorator('mark') && child.hasRequestDecorator('user'))
    assert.equal(child.withTypeProvider(), child)
  })
  await server.ready()
  assert.deepEqual([server.hasReplyDecorator('mark'), server.hasRequestDecorator('user')], [false, false])
  assert.equal(server.genReqId({ headers: {} }), 'req-1')
  assert.equal(server.serializerCompiler, undefined)
  assert.equal(server.errorHandler.name, 'defaultErrorHandler')
  await server.close()
})

describe('listen', () => {
  test('accepts only a callback, and passes it the address', async () => {
    const server: any = createServer()
    const [error, address] = await new Promise<any[]>((resolve) => server.listen((...given: any[]) => resolve(given)))
    assert.equal(error, null)
    assert.equal(address, server.listeningOrigin)
    const { port } = server.server.address() as AddressInfo
    assert.match(address, new RegExp(`^http://.+:${port}$`))
    await server.close()
    assert.equal(server.listeningOrigin, 'null')
  })

  test('passes its error to the callback', async () => {
    const server: any = createServer()
    const [error, address] = await new Promise<any[]>((resolve) => server.listen({ port: -1 }, (...given: any[]) => resolve(given)))
    assert.deepEqual([error.code, address], ['ERR_SOCKET_BAD_PORT', null])
    await server.close()
  })
})

test('disposing of an instance closes the server', async () => {
  const server = createServer()
  let isClosed = false
  server.addHook('onClose', async () => void (isClosed = true))
  await server.listen({ port: 0, host: '127.0.0.1' })
  const closed = once(server.server, 'close')
  await server[Symbol.asyncDispose]()
  await closed
  assert.ok(isClosed)
})

describe('a second error handler of a context', () => {
  test('replaces the first, which gets the errors that it throws', async () => {
    const server = createServer()
    server.setErrorHandler((error, _request, reply) => reply.code(409).send(error.message))
    server.setErrorHandler((error) => {
      throw new Error(`${error.message}, passed on`)
    })
    server.get('/', () => {
      throw new Error('broken')
    })
    assert.equal((await server.inject('/')).body, 'broken, passed on')
    await server.close()
  })

  test('is refused if allowErrorHandlerOverride is false; each context below may set one', async () => {
    const server = createServer({ allowErrorHandlerOverride: false })
    server.setErrorHandler(() => 'above')
    server.register(async (child: Server) => {
      child.setErrorHandler(() => 'below')
      child.get('/below', () => {
        throw new Error('broken')
      })
      assert.throws(() => child.setErrorHandler(() => 'again'), { code: 'ALC_ERR_ERROR_HANDLER_ALREADY_SET' })
    })
    assert.throws(() => server.setErrorHandler(() => 'again'), { code: 'ALC_ERR_ERROR_HANDLER_ALREADY_SET' })
    assert.equal((await server.inject('/below')).body, 'below')
    await server.close()
  })
})
