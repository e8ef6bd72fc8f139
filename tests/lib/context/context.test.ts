/** Schema controllers of an application: `setSchemaController` and the option of that name. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, type Server } from 'alcove/lib'

/** A bucket that marks each schema with its own name. */
function createBucket(name: string, log: string[]) {
  return (inherited: Record<string, object> = {}) => {
    log.push(`${name}(${Object.keys(inherited).join()})`)
    const schemas: Record<string, any> = { ...inherited }
    return {
      add: (schema: any) => void (schemas[schema.$id] = { ...schema, $comment: name }),
      getSchema: (id: string) => schemas[id],
      getSchemas: () => ({ ...schemas }),
    }
  }
}

const building = (name: string, log: string[]) => (shared: object) => {
  log.push(`${name}(${Object.keys(shared).join()})`)
  return () => (value: unknown) => ({ value: { by: name, value } })
}
const writing = (name: string, log: string[]) => (shared: object) => {
  log.push(`${name}(${Object.keys(shared).join()})`)
  return () => (value: any) => JSON.stringify({ written: name, ...value })
}

const schema = { querystring: { type: 'object' }, response: { 200: { type: 'object' } } }

describe('a schema controller', () => {
  test('in the options makes the bucket of every context and the compilers of the server', async () => {
    const log: string[] = []
    const server = createServer({
      schemaController: {
        bucket: createBucket('bucket', log),
        compilersFactory: { buildValidator: building('validator', log), buildSerializer: writing('serializer', log) },
      },
    })
    server.addSchema({ $id: 'a' })
    server.get('/', { schema }, ({ query }) => query)
    server.register(async (child: Server) => {
      assert.equal(child.getSchema('a').$comment, 'bucket')
      child.get('/child', { schema }, ({ query }) => query)
    })
    for (const url of ['/', '/child']) {
      assert.deepEqual((await server.inject(`${url}?n=1`)).json(), { written: 'serializer', by: 'validator', value: { n: '1' } })
    }
    // The child adds no schemas: the compilers are those of the root.
    assert.deepEqual(log, ['bucket()', 'bucket(a)', 'validator(a)', 'serializer(a)'])
    assert.ok(server.validatorCompiler !== undefined && server.serializerCompiler !== undefined)
    await server.close()
  })

  test('that is set in a context applies to this context and those below, and changes only the factories that it names', async () => {
    const log: string[] = []
    const server = createServer({ schemaController: { compilersFactory: { buildSerializer: writing('root', log) } } })
    server.addSchema({ $id: 'a' })
    server.get('/', { schema }, ({ query }) => query)
    server.register(
      async (child: Server) => {
        child.setSchemaController({ bucket: createBucket('own', log), compilersFactory: { buildValidator: building('own', log) } })
        child.addSchema({ $id: 'b' })
        assert.deepEqual(Object.keys(child.getSchemas()), ['a', 'b'])
        child.get('/', { schema }, ({ query }) => query)
        child.register(async (inner: Server) => void inner.get('/inner', { schema }, ({ query }) => query))
      },
      { prefix: '/child' },
    )
    const answers = await Promise.all(['/', '/child', '/child/inner'].map(async (url) => (await server.inject(`${url}?n=1`)).json()))
    assert.deepEqual(answers, [
      { written: 'root', n: '1' },
      { written: 'root', by: 'own', value: { n: '1' } },
      { written: 'root', by: 'own', value: { n: '1' } },
    ])
    assert.deepEqual(Object.keys(server.getSchemas()), ['a'])
    await server.close()
  })

  test('is not used if compilers are set, and the instance returns those that are set', async () => {
    const log: string[] = []
    const server: any = createServer({
      schemaController: { compilersFactory: { buildValidator: building('built', log), buildSerializer: writing('built', log) } },
    })
    const validator = () => (value: unknown) => ({ value: { by: 'set', value } })
    const serializer = () => (value: any) => JSON.stringify({ written: 'set', ...value })
    server.setValidatorCompiler(validator).setSerializerCompiler(serializer)
    server.get('/', { schema }, ({ query }: any) => query)
    assert.deepEqual((await server.inject('/?n=1')).json(), { written: 'set', by: 'set', value: { n: '1' } })
    assert.deepEqual([server.validatorCompiler, server.serializerCompiler, log], [validator, serializer, []])
    await server.close()
  })

  test('makes the compilers of a context that restores the default below one that has set its own', async () => {
    const log: string[] = []
    for (const compilersFactory of [{ buildValidator: building('built', log), buildSerializer: writing('built', log) }, {}]) {
      const server: any = createServer({ schemaController: { compilersFactory, coerceBodies: false } })
      const validator = () => () => true
      const serializer = () => () => '{"written":"set"}'
      server.setValidatorCompiler(validator).setSerializerCompiler(serializer)
      server.register(async (child: any) => {
        child.setValidatorCompiler(null).setSerializerCompiler(null)
        assert.deepEqual([child.validatorCompiler, child.serializerCompiler], [undefined, undefined])
        child.post(
          '/',
          { schema: { body: { type: 'object', required: ['n'], properties: { n: { type: 'number' } } }, ...schema } },
          () => ({}),
        )
        server.addHook('onReady', async () => {
          assert.notEqual(child.validatorCompiler, validator)
          assert.notEqual(child.serializerCompiler, serializer)
          // Like the compiler of the routes, it coerces no body.
          if (!('buildValidator' in compilersFactory)) {
            const validate = child.validatorCompiler({ schema: { type: 'number' }, method: 'POST', url: '/', httpPart: 'body' })
            assert.equal(validate('1'), false)
          }
        })
      })
      const reply = await server.inject({ method: 'POST', url: '/', payload: {} })
      if ('buildValidator' in compilersFactory) assert.deepEqual(reply.json(), { written: 'built' })
      else assert.equal(reply.statusCode, 400)
      await server.close()
    }
  })

  test('is refused if its bucket is not a function', () => {
    assert.throws(() => createServer({ schemaController: { bucket: 'x' } as never }), {
      code: 'ALC_ERR_SCHEMA_CONTROLLER_BUCKET_OPT_NOT_FN',
    })
  })
})
