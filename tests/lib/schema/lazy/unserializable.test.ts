/** An error of a serializer says which value of which response it could not write. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HttpError, httpError, type ServerOptions, stream } from 'alcove/lib'
import { listen, loggedServer } from '../../../fixtures/logged-server.js'

const integer = { type: 'integer' }
const id = { type: 'object', properties: { id: integer } }

/** The places that the log names if a route answers with these payloads, by the schema of 200. */
async function placesOf(
  schema: object,
  payloads: readonly unknown[],
  options: ServerOptions = {},
  shared: object[] = [],
): Promise<unknown[]> {
  const { server, lines } = loggedServer({ level: 'error', ...options })
  for (const each of shared) server.addSchema(each)
  let index = 0
  server.get('/r/:id', { schema: { response: { 200: schema } } }, () => payloads[index++])
  for (const _payload of payloads) assert.equal((await server.inject('/r/1')).statusCode, 500)
  await server.close()
  return lines.map(({ err }) => (err as { context?: string }).context)
}
const at = (property: string): string => `${property === '' ? '' : `property ${property} of `}the response 200 of GET /r/:id`

test('the text of the error stays, and its place is a member beside it', async () => {
  const { server, lines } = loggedServer({ level: 'error' })
  server.get('/', { schema: { response: { '2xx': id } } }, (_request, reply) => void reply.code(201).send({ id: 'seven' }))
  await server.inject('/')
  const err = lines[0]!.err as { message: string; context?: string }
  assert.deepEqual(
    [err.message, err.context],
    ['The value "seven" cannot be converted to an integer.', 'property /id of the response 201 of GET /'],
  )
  await server.close()
})

describe('the place is a pointer', () => {
  const cases: Readonly<Record<string, [schema: object, payload: unknown, pointer: string, shared?: object[]]>> = {
    'to the payload itself': [integer, {}, ''],
    'into an object': [{ type: 'object', properties: { a: integer, 'b/c': id } }, { a: 7, 'b/c': { id: 'x' } }, '/b~1c/id'],
    'into a list': [{ type: 'array', items: id }, [{ id: 1 }, { id: NaN }], '/1/id'],
    'into a list of several schemas': [
      { type: 'array', items: [integer, { type: 'object', properties: { id: integer } }] },
      [1, { id: 'x' }],
      '/1/id',
    ],
    'through a local reference': [
      { definitions: { id }, type: 'object', properties: { one: { $ref: '#/definitions/id' } } },
      { one: { id: 'x' } },
      '/one/id',
    ],
    'through a shared schema': [{ type: 'array', items: { $ref: 'User#' } }, [{ id: 'x' }], '/0/id', [{ $id: 'User', ...id }]],
    'through a schema that refers to itself': [
      { $ref: 'Node#' },
      { next: { next: { id: 'x' } } },
      '/next/next/id',
      [{ $id: 'Node', type: 'object', properties: { id: integer, next: { $ref: 'Node#' } } }],
    ],
    'through what is combined': [{ allOf: [{ type: 'object', properties: { id: integer } }] }, { id: 'x' }, '/id'],
    'into properties without a name of their own': [{ type: 'object', additionalProperties: integer }, { a: 1, b: 'x' }, '/b'],
    'into properties by a pattern': [{ type: 'object', patternProperties: { '^n': integer } }, { m: 'x', n: 'x' }, '/n'],
    'into properties by a pattern that is valid only without the flag u': [
      { type: 'object', patternProperties: { '^\\-n': integer } },
      { '-n': 'x' },
      '/-n',
    ],
    'to a number': [{ type: 'object', properties: { n: { type: 'number' } } }, { n: 'x' }, '/n'],
    'to a date': [{ type: 'object', properties: { at: { type: 'string', format: 'date-time' } } }, { at: 7 }, '/at'],
    'to what a toJSON returns': [id, { toJSON: () => ({ id: 'x' }) }, '/id'],
    'to a property that is missing': [{ type: 'array', items: { ...id, required: ['id', 'a"b'] } }, [{ id: 1 }], '/0/a"b'],
  }
  for (const [title, [schema, payload, pointer, shared]] of Object.entries(cases)) {
    test(title, async () => {
      for (const compileSchemas of ['lazy', 'boot'] as const)
        assert.deepEqual(await placesOf(schema, [payload, payload], { compileSchemas }, shared), [at(pointer), at(pointer)])
    })
  }

  test('and is left out if the text names the place in the schema', async () => {
    const nullable = { type: 'object', properties: { id: { type: ['integer', 'null'] } } }
    const { server, lines } = loggedServer({ level: 'error' })
    server.get('/r', { schema: { response: { 200: nullable } } }, () => ({ id: 'x' }))
    await server.inject('/r')
    const { message, context } = lines[0]!.err as { message: string; context?: string }
    assert.match(message, /^The value of '.*#\/properties\/id' does not match schema definition\.$/)
    assert.equal(context, 'the response 200 of GET /r')
    await server.close()
  })

  test('and is left out if the value is not found', async () => {
    let reads = 0
    const changing = {
      get id() {
        return reads++ % 2 === 0 ? 'x' : 7
      },
    }
    const throwing = {
      get id() {
        if (reads++ > 2) throw new Error('read twice')
        return 'x'
      },
    }
    assert.deepEqual(await placesOf(id, [changing, throwing]), [at(''), at('')])
  })

  test('which is looked for in a long payload for a limited time', async () => {
    const list = Array.from({ length: 300_000 }, () => 1) as unknown[]
    assert.deepEqual(await placesOf({ type: 'array', items: integer }, [[...list, 'x']]), [at('')])
  })
})

test('an error of the application has no place, nor has one of a serializer of its own', async () => {
  const payload = {
    get id() {
      throw new Error('of a getter')
    },
  }
  assert.deepEqual(await placesOf(id, [payload]), [undefined])
  const { server, lines } = loggedServer({ level: 'error' })
  server.get(
    '/',
    {
      schema: { response: { 200: id } },
      serializerCompiler: () => () => {
        throw new Error('The value "x" cannot be converted to an integer.')
      },
    },
    () => ({ id: 'x' }),
  )
  await server.inject('/')
  assert.equal((lines[0]!.err as { context?: string }).context, undefined)
  await server.close()
})

test('an item of a stream, and the payload of an error, have their place', async () => {
  const { server, lines } = loggedServer({ level: 'warn' })
  server.get('/stream', { schema: { response: { 200: stream(id as { type: 'object' }) } } }, async function* () {
    yield { id: 'x' }
  })
  class Late extends httpError(409, { type: 'object', properties: { days: integer } }) {}
  server.get('/class', { throws: [Late] }, () => {
    throw new Late({ days: 'x' })
  })
  server.get('/status', { schema: { response: { 409: { type: 'object', properties: { message: integer } } } } }, () => {
    throw new HttpError(409, 'x')
  })
  const port = await listen(server)
  await fetch(`http://127.0.0.1:${port}/stream`)
    .then(async (response) => response.text())
    .catch(() => {})
  for (const path of ['/class', '/status']) await server.inject(path)
  await server.close()
  assert.deepEqual(
    lines.map(({ err }) => (err as { context?: string } | undefined)?.context).filter((context) => context !== undefined),
    [
      'property /id of the response 200 of GET /stream',
      'property /days of the response 409 of GET /class',
      'property /message of the response 409 of GET /status',
    ],
  )
})
