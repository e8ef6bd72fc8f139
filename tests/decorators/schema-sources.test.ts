/** One declaration gives types, validation and serialization, whichever library it is written in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type as Type034 } from '@sinclair/typebox'
import { createServer, Plugin, Route, type RouteRequest, testServer } from 'alcove'
import Type from 'typebox'
import { z } from 'zod'

const zodSchema = {
  params: z.object({ id: z.number().int() }),
  querystring: { page: z.number().default(1) },
  body: z.object({ name: z.string().min(2), tags: z.array(z.string()).optional() }),
  response: { 200: z.object({ id: z.number(), name: z.string(), page: z.number().optional() }) },
}
const typebox034 = {
  params: Type034.Object({ id: Type034.Integer() }),
  querystring: Type034.Object({ page: Type034.Number({ default: 1 }) }),
  body: Type034.Object({ name: Type034.String({ minLength: 2 }), tags: Type034.Optional(Type034.Array(Type034.String())) }),
  response: { 200: Type034.Object({ id: Type034.Number(), name: Type034.String(), page: Type034.Optional(Type034.Number()) }) },
}
const typebox1 = {
  params: Type.Object({ id: Type.Integer() }),
  querystring: Type.Object({ page: Type.Number({ default: 1 }) }),
  body: Type.Object({ name: Type.String({ minLength: 2 }), tags: Type.Optional(Type.Array(Type.String())) }),
  response: { 200: Type.Object({ id: Type.Number(), name: Type.String(), page: Type.Optional(Type.Number()) }) },
}
const jsonSchema = {
  params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  querystring: { page: { type: 'number', default: 1 } },
  body: {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string', minLength: 2 }, tags: { type: 'array', items: { type: 'string' } } },
  },
  response: {
    200: {
      type: 'object',
      required: ['id', 'name'],
      properties: { id: { type: 'number' }, name: { type: 'string' }, page: { type: 'number' } },
    },
  },
} as const

@Route({ method: 'POST', path: '/zod/:id' }, zodSchema)
class Zod {
  handle({ params, body, query }: RouteRequest<typeof zodSchema>) {
    return { id: params.id, name: body.name, page: query.page, secret: 'not in the schema' }
  }
}
@Route({ method: 'POST', path: '/typebox034/:id' }, typebox034)
class TypeBox034 {
  handle({ params, body, query }: RouteRequest<typeof typebox034>) {
    return { id: params.id, name: body.name, page: query.page, secret: 'not in the schema' }
  }
}
@Route({ method: 'POST', path: '/typebox1/:id' }, typebox1)
class TypeBox1 {
  handle({ params, body, query }: RouteRequest<typeof typebox1>) {
    return { id: params.id, name: body.name, page: query.page, secret: 'not in the schema' }
  }
}
@Route({ method: 'POST', path: '/json/:id' }, jsonSchema)
class Json {
  handle({ params, body, query }: RouteRequest<typeof jsonSchema>) {
    return { id: params.id, name: body.name, page: query.page, secret: 'not in the schema' }
  }
}

@Plugin({ routes: [Zod, TypeBox034, TypeBox1, Json] })
class App {}

for (const source of ['zod', 'typebox034', 'typebox1', 'json']) {
  test(`${source}: values are coerced, defaults filled in, errors answered, and undeclared properties kept back`, async () => {
    await using app = await testServer(App)
    const good = await app.inject({ method: 'POST', url: `/${source}/7`, payload: { name: 'Ada' } })
    assert.deepEqual(good.json(), { id: 7, name: 'Ada', page: 1 })
    const paged = await app.inject({ method: 'POST', url: `/${source}/7?page=3`, payload: { name: 'Ada' } })
    assert.equal(paged.json().page, 3)
    const short = await app.inject({ method: 'POST', url: `/${source}/7`, payload: { name: 'A' } })
    assert.deepEqual([short.statusCode, short.json().message], [400, 'body/name should NOT have fewer than 2 characters'])
    assert.equal((await app.inject({ method: 'POST', url: `/${source}/x`, payload: { name: 'Ada' } })).statusCode, 400)
  })
}

test('an engine of its own gets its schema objects as they were written', async () => {
  const seen: unknown[] = []
  const server = createServer()
  server.setValidatorCompiler(({ schema }: { schema: z.ZodType }) => {
    seen.push(schema)
    return (data: unknown) => {
      const { data: value, error } = schema.safeParse(data)
      return error === undefined ? { value } : { error }
    }
  })
  const body = z.object({ at: z.string().transform((text) => text.length) })
  server.post('/', { schema: { body } }, (request) => request.body)
  const response = await server.inject({ method: 'POST', url: '/', payload: { at: 'four' } })
  assert.deepEqual([response.json(), seen], [{ at: 4 }, [body]])
})
