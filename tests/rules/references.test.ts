/** References: every form of the table, in every part, from the context itself or an ancestor, for both engines. */
import assert from 'node:assert/strict'
import type { ContextSpec } from './faces.js'
import { rule } from './rule.js'
import type { RuleId } from './rules.js'

const url = 'http://example.com/shared.json'
const positive = { type: 'integer', minimum: 1 }

/** A shared schema in which all that can be referred to describes the same. `id` is its `$id`. */
const shared = (id: string): object => ({
  $id: id,
  type: 'object',
  definitions: { named: positive, byId: { $id: '#byId', ...positive } },
  properties: { n: positive },
})

interface Form {
  readonly id: RuleId
  readonly title: string
  /** The schema of a part (or response) whose property `n` is a positive integer. */
  readonly schema: object
  readonly schemas: object[]
}

const withN = (ref: string, rest: object = {}): object => ({ type: 'object', properties: { n: { $ref: ref } }, ...rest })
const forms: Form[] = [
  {
    id: 'References, #name',
    title: '#name',
    schema: withN('#local', { definitions: { any: { $id: '#local', ...positive } } }),
    schemas: [],
  },
  {
    id: 'References, #/definitions',
    title: '#/definitions/name',
    schema: withN('#/definitions/local', { definitions: { local: positive } }),
    schemas: [],
  },
  { id: 'References, url#', title: 'url#', schema: withN(`${url}#`), schemas: [{ $id: url, ...positive }] },
  { id: 'References, url#', title: 'url without a fragment', schema: withN(url), schemas: [{ $id: url, ...positive }] },
  {
    id: 'References, url#/definitions',
    title: 'url#/definitions/name',
    schema: withN(`${url}#/definitions/named`),
    schemas: [shared(url)],
  },
  { id: 'References, url#name', title: 'url#name', schema: withN(`${url}#byId`), schemas: [shared(url)] },
  { id: 'References, plain id#', title: 'the whole part is id#', schema: { $ref: 'plain#' }, schemas: [shared('plain')] },
  { id: 'References, plain id#', title: 'the whole part is url#', schema: { $ref: `${url}#` }, schemas: [shared(url)] },
  { id: 'References, plain id#', title: 'id# in a property', schema: withN('plain#'), schemas: [{ $id: 'plain', ...positive }] },
  { id: 'References, plain id#', title: 'id#/definitions/name', schema: withN('plain#/definitions/named'), schemas: [shared('plain')] },
  { id: 'References, plain id#', title: 'id#name', schema: withN('plain#byId'), schemas: [shared('plain')] },
  { id: 'References, properties', title: 'url#/properties/name', schema: withN(`${url}#/properties/n`), schemas: [shared(url)] },
  { id: 'References, properties', title: 'id#/properties/name', schema: withN('plain#/properties/n'), schemas: [shared('plain')] },
  {
    id: 'References, url#',
    title: 'shared schemas that refer to each other',
    schema: withN('first#'),
    schemas: [
      { $id: 'first', $ref: 'second#/properties/deep' },
      { $id: 'second', type: 'object', properties: { deep: { $ref: `${url}#/definitions/named` } } },
      shared(url),
    ],
  },
  {
    id: 'References, properties',
    title: 'a shared schema that refers to its own definitions',
    schema: withN('self#/properties/n'),
    schemas: [{ $id: 'self', type: 'object', definitions: { d: positive }, properties: { n: { $ref: '#/definitions/d' } } }],
  },
  {
    id: 'References, properties',
    title: 'a URL that lacks the slash at the end of the $id',
    schema: withN('http://example.com#/properties/hello'),
    schemas: [{ $id: 'http://example.com/', type: 'object', properties: { hello: positive } }],
  },
  ...[url, `${url}#`, `${url}#/definitions/named`, `${url}#byId`].map((ref): Form => ({
    id: 'References, url#',
    title: `the $id ends with #, the reference is ${ref}`,
    schema: withN(ref),
    schemas: [{ ...shared(`${url}#`), ...(ref.replace(/#$/, '') === url && { ...positive, properties: undefined }) }],
  })),
  ...['b.json', '/b.json#', './b.json#/definitions/named', 'http://H:80/x/../b.json', '../b.json#byId'].map((ref): Form => ({
    id: 'References, both engines',
    title: `${ref}, relative to the $id of the schema that contains it,`,
    schema: withN('http://h/a.json#/definitions/there'),
    schemas: [
      { $id: 'http://h/a.json', definitions: { there: { $ref: ref } } },
      { ...positive, $id: 'http://h/b.json', definitions: { named: positive, byId: { $id: '#byId', ...positive } } },
    ],
  })),
  ...(
    [
      ['a~1b', 'a/b'],
      ['a~0b', 'a~b'],
      ['a%20b', 'a b'],
      ['%C3%BC', 'ü'],
      ['a%25b', 'a%b'],
      ['a~01b', 'a~1b'],
    ] as const
  ).flatMap(([escaped, name]): Form[] => [
    {
      id: 'References, url#/definitions',
      title: `the escaped name ${escaped} in a shared schema`,
      schema: withN(`esc#/definitions/${escaped}`),
      schemas: [{ $id: 'esc', definitions: { [name]: { allOf: [{ $ref: '#/definitions/local' }] }, local: positive } }],
    },
    {
      id: 'References, #/definitions',
      title: `the escaped name ${escaped} in the same schema`,
      schema: withN(`#/definitions/${escaped}`, { definitions: { [name]: positive } }),
      schemas: [],
    },
  ]),
  {
    id: 'References, plain id#',
    title: 'id# inside of a shared schema whose $id is a URL',
    schema: withN('http://h/a.json#/properties/u'),
    schemas: [
      { $id: 'http://h/a.json', type: 'object', properties: { u: { $ref: 'user#' } } },
      { $id: 'user', $ref: '#/definitions/n', definitions: { n: { $ref: 'plain#/definitions/byId' } } },
      shared('plain'),
    ],
  },
  {
    id: 'References, plain id#',
    title: 'id# inside of a schema of the route whose $id is a URL',
    schema: withN('plain#byId', { $id: 'http://h/route.json' }),
    schemas: [shared('plain')],
  },
  {
    id: 'References, both engines',
    title: 'the full URL of a schema with an $id of its own within a shared one',
    schema: withN('http://h/inner.json#/definitions/x'),
    schemas: [
      {
        $id: 'http://h/outer.json',
        definitions: { y: { $id: 'inner.json', definitions: { x: { $ref: '#/definitions/z' }, z: positive } }, z: false },
      },
    ],
  },
]

const parts = {
  body: (n: unknown) => ({ method: 'POST', url: '/1', payload: { n } }),
  querystring: (n: unknown) => ({ method: 'GET', url: `/1?n=${n}` }),
  params: (n: unknown) => ({ method: 'GET', url: `/${n}` }),
  headers: (n: unknown) => ({ method: 'GET', url: '/1', headers: { n: String(n) } }),
} as const

const owners = ['own', 'ancestor'] as const

/** The route's context declares the schemas itself, or its grandparent does. */
function app(owner: (typeof owners)[number], schemas: object[], route: NonNullable<ContextSpec['routes']>[number]): ContextSpec {
  if (schemas.length === 0 || owner === 'own') return { name: 'root', imports: [{ name: 'child', schemas, routes: [route] }] }
  return {
    name: 'root',
    schemas,
    imports: [{ name: 'child', imports: [{ name: 'grandchild', schemas: [{ $id: 'unrelated' }], routes: [route] }] }],
  }
}

for (const { id, title, schema, schemas } of forms) {
  for (const owner of schemas.length === 0 ? (['own'] as const) : owners) {
    const suffix = schemas.length === 0 ? '' : owner === 'own' ? ', shared in the same context' : ', shared by an ancestor'
    for (const [part, request] of Object.entries(parts)) {
      rule(id, `${title} in ${part}${suffix}, resolves for the validator`, async (build) => {
        const server = await build(
          app(owner, schemas, {
            method: part === 'body' ? 'POST' : 'GET',
            path: '/:n',
            schema: { [part]: schema },
            handler: ({ body, query, params, headers }: any) => ({ n: { body, querystring: query, params, headers }[part].n }),
          }),
        )
        assert.equal((await server.inject(request(5))).payload, '{"n":5}', 'coerced: the schema was applied')
        const reply = await server.inject(request(0))
        assert.equal(reply.statusCode, 400)
        assert.equal(reply.json().message, `${part}/n should be >= 1`)
      })
    }
    rule('References, both engines', `${title} in a response${suffix}, resolves for the serializer`, async (build) => {
      const server = await build(
        app(owner, schemas, {
          method: 'GET',
          path: '/',
          schema: { response: { '2xx': schema } },
          handler: () => ({ n: '5', secret: 'x' }),
        }),
      )
      const reply = await server.inject('/')
      assert.equal(reply.statusCode, 200)
      assert.equal(reply.payload, '{"n":5}', 'an integer, and nothing undeclared')
    })
  }
}

rule('References, both engines', 'one schema with all forms serves request and response', async (build) => {
  const all = {
    type: 'object',
    definitions: { local: positive, byId: { $id: '#localId', ...positive } },
    properties: {
      a: { $ref: '#/definitions/local' },
      b: { $ref: '#localId' },
      c: { $ref: `${url}#` },
      d: { $ref: 'plain#/definitions/named' },
      e: { $ref: 'plain#byId' },
      f: { type: 'array', items: { $ref: 'plain#/properties/n' } },
    },
  }
  const server = await build({
    name: 'root',
    schemas: [{ $id: url, ...positive }, shared('plain')],
    routes: [{ method: 'POST', path: '/', schema: { body: all, response: { 200: all } }, handler: (request: any) => request.body }],
  })
  const good = { a: 1, b: 2, c: 3, d: 4, e: 5, f: [6] }
  assert.deepEqual((await server.inject({ method: 'POST', url: '/', payload: { ...good, extra: 1 } })).json(), good)
  for (const key of Object.keys(good)) {
    assert.equal(
      (await server.inject({ method: 'POST', url: '/', payload: { ...good, [key]: key === 'f' ? [0] : 0 } })).statusCode,
      400,
      key,
    )
  }
})

rule('References, both engines', 'a schema without an $id may refer to itself as #', async (build) => {
  const tree = { type: 'object', required: ['v'], properties: { v: { type: 'integer' }, next: { $ref: '#' } } }
  const server = await build({
    name: 'root',
    routes: ['/a', '/b'].map((path) => ({
      method: 'POST',
      path,
      schema: { body: path === '/a' ? tree : structuredClone(tree), response: { 200: tree } },
      handler: (request: any) => request.body,
    })),
  })
  for (const url of ['/a', '/b']) {
    assert.deepEqual((await server.inject({ method: 'POST', url, payload: { v: 1, x: 1, next: { v: '2', x: 1 } } })).json(), {
      v: 1,
      next: { v: 2 },
    })
    assert.equal((await server.inject({ method: 'POST', url, payload: { v: 1, next: {} } })).statusCode, 400)
  }
})

rule('References, both engines', 'a schema may refer to itself by an escaped name', async (build) => {
  const node = { type: 'object', properties: { v: { type: 'integer' }, next: { $ref: '#/definitions/a~1b' } } }
  const tree = { ...node, definitions: { 'a/b': node } }
  const server = await build({
    name: 'root',
    routes: [{ method: 'POST', path: '/', schema: { body: tree, response: { 200: tree } }, handler: (request: any) => request.body }],
  })
  const reply = await server.inject({ method: 'POST', url: '/', payload: { v: 1, next: { v: '2', x: 1, next: { v: '3', x: 1 } } } })
  assert.deepEqual(reply.json(), { v: 1, next: { v: 2, next: { v: 3 } } })
})

rule('References, plain id#', 'of a plain $id and a relative URL, the plain $id counts for both engines', async (build) => {
  const all = { $id: 'http://h/a.json', type: 'object', properties: { n: { $ref: 'user#' } } }
  const server = await build({
    name: 'root',
    schemas: [
      { $id: 'user', type: 'integer' },
      { $id: 'http://h/user', type: 'boolean' },
    ],
    routes: [{ method: 'POST', path: '/', schema: { body: all, response: { 200: all } }, handler: (request: any) => request.body }],
  })
  assert.equal((await server.inject({ method: 'POST', url: '/', payload: { n: '7' } })).payload, '{"n":7}')
})

for (const ref of ['#/properties/X-Foo', '#/definitions/viaName', '#/allOf/0/properties/X-Deep', 'own.json#/properties/X-Foo']) {
  rule('Route schema, headers', `a header may refer to ${ref}, with capitals in the names`, async (build) => {
    const headers = {
      $id: 'http://h/own.json',
      type: 'object',
      definitions: { viaName: { $ref: '#/properties/X-Foo' } },
      properties: { 'X-Foo': positive, 'X-Bar': { $ref: ref } },
      allOf: [{ properties: { 'X-Deep': positive } }],
    }
    const server = await build({
      name: 'root',
      routes: [{ method: 'GET', path: '/', schema: { headers }, handler: (request: any) => ({ n: request.headers['x-bar'] }) }],
    })
    assert.equal((await server.inject({ url: '/', headers: { 'X-Bar': '5' } })).payload, '{"n":5}')
    const reply = await server.inject({ url: '/', headers: { 'X-Bar': '0' } })
    assert.deepEqual([reply.statusCode, reply.json().message], [400, 'headers/x-bar should be >= 1'])
  })
}

rule('References, both engines', 'a schema may refer to itself', async (build) => {
  const tree = { $id: 'tree', type: 'object', required: ['v'], properties: { v: { type: 'integer' }, next: { $ref: 'tree#' } } }
  const server = await build({
    name: 'root',
    schemas: [tree],
    routes: [
      {
        method: 'POST',
        path: '/',
        schema: { body: { $ref: 'tree#' }, response: { 200: { $ref: 'tree#' } } },
        handler: (request: any) => request.body,
      },
    ],
  })
  const send = (payload: object) => server.inject({ method: 'POST', url: '/', payload })
  assert.deepEqual((await send({ v: 1, x: 1, next: { v: 2, x: 1, next: { v: 3 } } })).json(), { v: 1, next: { v: 2, next: { v: 3 } } })
  assert.equal((await send({ v: 1, next: { v: 2, next: {} } })).statusCode, 400)
})

for (const ref of [
  '#nowhere',
  '#/definitions/nowhere',
  'nowhere#',
  'plain#/definitions/nowhere',
  'plain#nowhere',
  'http://example.com/nowhere.json#',
]) {
  for (const part of Object.keys(parts)) {
    rule('References, unresolvable', `${ref} in ${part} fails the boot`, async (build) => {
      const server = await build({
        name: 'root',
        schemas: [shared('plain')],
        routes: [{ method: part === 'body' ? 'POST' : 'GET', path: '/place/:n', schema: { [part]: withN(ref) }, handler: () => ({}) }],
      })
      await assert.rejects(
        async () => server.ready(),
        (error: any) => {
          assert.equal(error.code, 'ALC_ERR_SCH_VALIDATION_BUILD')
          for (const detail of [part === 'body' ? 'POST' : 'GET', '/place/:n', part, ref])
            assert.ok(error.message.includes(detail), `${detail} in: ${error.message}`)
          assert.equal(error.part, part)
          return true
        },
      )
    })
  }
  rule('References, unresolvable', `${ref} in a response fails the boot`, async (build) => {
    const server = await build({
      name: 'root',
      schemas: [shared('plain')],
      routes: [{ method: 'GET', path: '/place', schema: { response: { '2XX': withN(ref) } }, handler: () => ({}) }],
    })
    await assert.rejects(
      async () => server.ready(),
      (error: any) => {
        assert.equal(error.code, 'ALC_ERR_SCH_SERIALIZATION_BUILD')
        for (const detail of ['GET', '/place', 'response 2xx', ref.split('#')[0]!, ref.split('#')[1]!])
          assert.ok(error.message.includes(detail), `${detail} in: ${error.message}`)
        return true
      },
    )
  })
}
rule('References, unresolvable', 'all routes that fail are named together', async (build) => {
  const route = (path: string) => ({ method: 'GET', path, schema: { querystring: withN('nowhere#') }, handler: () => ({}) })
  const server = await build({ name: 'root', routes: [route('/a'), route('/b')] })
  await assert.rejects(
    async () => server.ready(),
    (error: any) => {
      assert.equal(error.code, 'ALC_ERR_SCH_VALIDATION_BUILD')
      assert.match(error.message, /^2 faults/)
      assert.match(error.message, /GET: \/a/)
      assert.match(error.message, /GET: \/b/)
      return true
    },
  )
})
