/** What the schemas of a route say for documents alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, describeContexts, type RouteDescription } from 'alcove/lib'

async function describeOne(schema: object): Promise<RouteDescription> {
  const server = createServer({ logger: false })
  server.post('/', { schema }, () => '')
  await server.ready()
  const [route] = describeContexts(server).routes
  await server.close()
  return route!
}

const text = { type: 'string' } as const
const object = { type: 'object', properties: { a: text } } as const

test('what schemas say for documents alone is described, and keys that documents have no place for are named', async () => {
  const example = { a: 'x' }
  const links = { next: { operationId: 'find' } }
  const described = await describeOne({
    servers: [{ url: 'https://a.example' }],
    callbacks: { done: {} },
    schemes: ['https'],
    links: { 200: links, 201: links },
    body: {
      description: 'A form',
      content: {
        'multipart/form-data; a=b': { schema: object, example, encoding: { a: { contentType: 'text/plain' } }, sample: 1 },
      },
    },
    response: {
      200: { description: 'Done', headers: { 'x-a': text }, ...object },
      404: {
        description: 'None',
        'x-b': 1,
        links,
        other: 1,
        content: { 'application/json': { schema: object, examples: { one: { value: example } } } },
      },
    },
  })
  const { docs, bodyDocs, responses, leftOut } = described
  assert.deepEqual(docs, { servers: [{ url: 'https://a.example' }], callbacks: { done: {} } })
  assert.deepEqual(bodyDocs, {
    description: 'A form',
    media: { 'multipart/form-data': { example, encoding: { a: { contentType: 'text/plain' } } } },
  })
  assert.deepEqual(responses['200'], {
    description: 'Done',
    headers: { 'x-a': text },
    content: { 'application/json': { description: 'Done', ...object } },
    links,
    from: ['route'],
  })
  assert.deepEqual(responses['404'], {
    description: 'None',
    'x-b': 1,
    links,
    media: { 'application/json': { examples: { one: { value: example } } } },
    content: { 'application/json': object },
    from: ['route'],
  })
  assert.deepEqual(leftOut, ['schemes', 'body multipart/form-data; a=b > sample', 'response 404 > other', 'links > 201'])
})
