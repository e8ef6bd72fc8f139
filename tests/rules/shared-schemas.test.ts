/** Shared schemas: adding them, reading them, and using them in a custom engine. */
import assert from 'node:assert/strict'
import { Ajv } from 'ajv'
import type { Server } from 'alcove/lib'
import type { ContextSpec } from './faces.js'
import { rejectsBoot, rule, ruleOfServer } from './rule.js'

const text = (id: string): object => ({ $id: id, type: 'string' })
const idsRoute = { method: 'GET', path: '/', handler: ({ server }: any) => Object.keys(server.getSchemas()).sort() }

for (const id of ['plain', 'http://example.com/schemas/user.json', 'urn:example:user', 'with/slash']) {
  rule('Shared schema, $id', `a schema is referred to by the $id ${id}`, async (build) => {
    const server = await build({
      name: 'root',
      schemas: [{ $id: id, type: 'integer', maximum: 9 }],
      routes: [
        {
          method: 'GET',
          path: '/',
          schema: {
            querystring: { type: 'object', properties: { n: { $ref: `${id}#` } } },
            response: { 200: { type: 'object', properties: { n: { $ref: `${id}#` } } } },
          },
          handler: (request: any) => ({ n: request.query.n }),
        },
      ],
    })
    assert.equal((await server.inject('/?n=7')).payload, '{"n":7}')
    assert.equal((await server.inject('/?n=10')).json().message, 'querystring/n should be <= 9')
  })
}

rule('Shared schema, keywords', 'the other keys are the keywords of draft 7', async (build) => {
  const server = await build(
    {
      name: 'root',
      schemas: [{ $id: 'draft7', if: { type: 'string' }, then: { minLength: 2 }, else: { type: 'array', contains: { const: 'x' } } }],
      routes: [
        {
          method: 'POST',
          path: '/',
          schema: { body: { type: 'object', properties: { v: { $ref: 'draft7#' } } } },
          handler: () => ({ ok: true }),
        },
      ],
    },
    { jsv: { customOptions: { strictTypes: false, coerceTypes: false } } },
  )
  const status = async (v: unknown): Promise<number> => (await server.inject({ method: 'POST', url: '/', payload: { v } })).statusCode
  assert.deepEqual(await Promise.all([status('ab'), status('a'), status(['x']), status(['y'])]), [200, 400, 200, 400])
})

rule('Shared schema, encapsulation', 'each context has its own schemas and those of its ancestors', async (build) => {
  const context = (name: string, imports?: ContextSpec[]): ContextSpec => ({
    name,
    prefix: `/${name}`,
    schemas: [text(name)],
    routes: [idsRoute],
    ...(imports && { imports }),
  })
  const { prefix: _, ...root } = context('root', [context('child', [context('grandchild')]), context('sibling')])
  const server = await build(root)
  assert.deepEqual((await server.inject('/')).json(), ['root'])
  assert.deepEqual((await server.inject('/child')).json(), ['child', 'root'])
  assert.deepEqual((await server.inject('/child/grandchild')).json(), ['child', 'grandchild', 'root'])
  assert.deepEqual((await server.inject('/sibling')).json(), ['root', 'sibling'])
})

rule('Shared schema, encapsulation', 'a schema of a child cannot be referred to by ancestors or siblings', async (build) => {
  const using = {
    method: 'GET',
    path: '/use',
    schema: { querystring: { type: 'object', properties: { n: { $ref: 'secret#' } } } },
    handler: () => ({}),
  }
  const child: ContextSpec = { name: 'child', schemas: [text('secret')] }
  const inParent = await build({ name: 'root', routes: [using], imports: [child] })
  const error = { code: 'ALC_ERR_SCH_VALIDATION_BUILD', message: /secret#/ }
  const fault = { code: 'SCHEMA_NOT_VISIBLE', message: /'secret', which is not visible there\. It is declared in root > child/ } as const
  await rejectsBoot(async () => inParent.ready(), error, fault)
  const inSibling = await build({ name: 'root', imports: [child, { name: 'sibling', routes: [using] }] })
  await rejectsBoot(async () => inSibling.ready(), error, fault)
})

ruleOfServer('Schemas, addSchema', 'it returns the instance, so that calls can be chained', async (create) => {
  const server = create()
  assert.equal(server.addSchema(text('a')).addSchema(text('b')), server)
  assert.deepEqual(Object.keys(server.getSchemas()), ['a', 'b'])
})
ruleOfServer('Schemas, addSchema', 'it keeps a copy: later changes by the caller have no effect', async (create) => {
  const server = create()
  const schema = { $id: 'a', type: 'object', properties: { n: { type: 'integer' } } }
  server.addSchema(schema)
  schema.properties.n.type = 'string'
  assert.equal(server.getSchema('a').properties.n.type, 'integer')
  assert.equal(schema.$id, 'a')
})
ruleOfServer(
  'Schemas, addSchema',
  'it refuses a schema without $id, a second one with the same $id, and any schema after the boot',
  async (create) => {
    const server = create()
    assert.throws(() => server.addSchema({ type: 'string' }), { code: 'ALC_ERR_SCH_MISSING_ID' })
    server.addSchema(text('a'))
    assert.throws(() => server.addSchema(text('a')), { code: 'ALC_ERR_SCH_ALREADY_PRESENT', message: /'a'/ })
    await server.ready()
    assert.throws(() => server.addSchema(text('late')), { code: 'ALC_ERR_INSTANCE_ALREADY_LISTENING' })
  },
)
ruleOfServer('Schemas, addSchema', 'a child may not redeclare an inherited schema', async (create) => {
  const server = create()
  server.addSchema(text('a'))
  server.register(async (child: Server) => void child.addSchema(text('a')))
  await assert.rejects(async () => server.ready(), { code: 'ALC_ERR_SCH_ALREADY_PRESENT' })
})

rule('Schemas, getSchemas', 'the schemas are keyed by $id, and changing the result has no effect', async (build) => {
  const server = await build({ name: 'root', schemas: [text('a'), text('http://example.com/b.json')] })
  await server.ready()
  assert.deepEqual(server.getSchemas(), { a: text('a'), 'http://example.com/b.json': text('http://example.com/b.json') })
  delete server.getSchemas()['a']
  assert.ok('a' in server.getSchemas())
})
rule('Schemas, getSchema', 'the schema of an $id, or undefined', async (build) => {
  const server = await build({ name: 'root', schemas: [text('a')] })
  await server.ready()
  assert.deepEqual(server.getSchema('a'), text('a'))
  for (const unknown of ['b', 'toString', '__proto__']) assert.equal(server.getSchema(unknown), undefined)
})

ruleOfServer(
  'Schemas, custom engine',
  'a custom engine does not know the schemas of addSchema; getSchemas provides them',
  async (create) => {
    const route = { schema: { querystring: { type: 'object', properties: { n: { $ref: 'number#' } } } } } as const
    const deaf = create()
    deaf.addSchema({ $id: 'number', type: 'integer' })
    const empty = new Ajv({ coerceTypes: true })
    deaf.setValidatorCompiler(({ schema }) => empty.compile(schema as object))
    deaf.get('/', route, () => ({}))
    await assert.rejects(async () => deaf.ready(), { code: 'ALC_ERR_SCH_VALIDATION_BUILD', message: /number/ })

    const server = create()
    server.addSchema({ $id: 'number', type: 'integer' })
    const own = new Ajv({ coerceTypes: true })
    for (const schema of Object.values(server.getSchemas())) own.addSchema(schema)
    server.setValidatorCompiler(({ schema }) => own.compile(schema as object))
    server.get('/', route, (request: any) => ({ n: request.query.n }))
    assert.deepEqual((await server.inject('/?n=3')).json(), { n: 3 })
    assert.equal((await server.inject('/?n=x')).statusCode, 400)
  },
)
