/** How much of a request is repeated in its reply and in the log: a few bytes must not become many, and what a client wrote is shortened. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, type InjectOptions, type Server, type ServerOptions } from 'alcove/lib'
import fastify from '../../lib/fastify/index.js'

/** A schema in which each level of a value doubles the issues. */
const node = {
  $id: 'node',
  type: 'object',
  anyOf: [
    { required: ['a'], properties: { a: { $ref: 'node' } } },
    { required: ['a'], properties: { a: { $ref: 'node' } }, minProperties: 1 },
  ],
}
/** 2^14 issues */
const nested = JSON.parse(`${'{"a":'.repeat(14)}{}${'}'.repeat(14)}`) as object

interface Result {
  readonly status: number
  readonly payload: string
  readonly log: string
  readonly stacks: readonly string[]
}

async function send(
  make: (options: ServerOptions) => Server,
  options: ServerOptions,
  declare: (server: Server) => void,
  request: InjectOptions,
): Promise<Result> {
  let log = ''
  const stacks: string[] = []
  const server = make({ ...options, logger: { level: 'trace', stream: { write: (line: string) => void (log += line) } } })
  server.addHook('onError', async (_request, _reply, error) => void stacks.push(error.stack))
  declare(server)
  const { statusCode, payload } = await server.inject(request)
  await server.close()
  return { status: statusCode, payload, log, stacks }
}

const faces = { createServer, 'alcove/fastify': fastify as unknown as typeof createServer }

function declareNode(server: Server): void {
  server.addSchema(node)
  server.post('/', { schema: { body: { $ref: 'node#' } } }, () => 'valid')
}

for (const [face, make] of Object.entries(faces)) {
  for (const errors of ['default', 'problem'] as const) {
    test(`a small body that is invalid in thousands of ways has a small reply and a small log line: ${face}, ${errors}`, async () => {
      const { status, payload, log } = await send(make, { errorFormat: errors }, declareNode, { method: 'POST', url: '/', payload: nested })
      assert.equal(status, 400)
      assert.ok(payload.length < 40_000, String(payload.length))
      assert.ok(log.length < 80_000, String(log.length))
    })
  }

  test(`a formatter of the application gets at most 100 issues, and so does error.validation: ${face}`, async () => {
    const counts: number[] = []
    const options: ServerOptions = {
      schemaErrorFormatter(issues) {
        counts.push(issues.length)
        return new Error('invalid')
      },
    }
    await send(
      make,
      options,
      (server) => {
        declareNode(server)
        server.setErrorHandler((error: any) => {
          counts.push(error.validation.length)
          return 'handled'
        })
      },
      { method: 'POST', url: '/', payload: nested },
    )
    assert.equal(counts.length, 2)
    for (const count of counts) assert.ok(count >= 10 && count <= 100, String(count))
  })
}

test('the first issues are reported as they are', async () => {
  let reported: any[] = []
  const properties = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`p${index}`, { type: 'integer' }]))
  const options: ServerOptions = { jsv: { customOptions: { allErrors: true } } }
  await send(
    createServer,
    options,
    (server) => {
      server.post('/', { schema: { body: { type: 'object', properties } } }, () => 'valid')
      server.setErrorHandler((error: any) => {
        reported = error.validation
        return 'handled'
      })
    },
    { method: 'POST', url: '/', payload: Object.fromEntries(Object.keys(properties).map((name) => [name, 'x'])) },
  )
  assert.deepEqual(
    reported.map(({ instancePath }) => instancePath),
    Object.keys(properties).map((name) => `/${name}`),
  )
})

const long = 'x'.repeat(10_000)
const body = (schema: object) => (server: Server) => void server.post('/', { schema: { body: schema } }, () => 'valid')
const posts = (payload: object, headers = {}): InjectOptions => ({ method: 'POST', url: '/', payload, headers })
const typed = (contentType: string): InjectOptions => ({ method: 'POST', url: '/', payload: 'a', headers: { 'content-type': contentType } })

/** Requests with a long text, and how often the log of requests itself repeats it: as the URL of the request. */
const requests: Record<
  string,
  { declare: (server: Server) => void; request: InjectOptions; status: number; isUrl?: true; options?: ServerOptions }
> = {
  'a media type': { declare: body({ type: 'object' }), request: typed(`text/${long}`), status: 415 },
  'a media type that has a parser but no schema': {
    declare(server) {
      server.addContentTypeParser('*', (_request, _payload, done) => done(null, ''))
      body({ content: { 'application/json': { schema: { type: 'object' } } } })(server)
    },
    request: typed(`text/${long}`),
    status: 415,
  },
  'a content coding': { declare: body({ type: 'object' }), request: posts({}, { 'content-encoding': long }), status: 415 },
  'a path that cannot be decoded': { declare: body({ type: 'object' }), request: { url: `/${long}%zz` }, status: 400, isUrl: true },
  'a path without a route': { declare: body({ type: 'object' }), request: { url: `/${long}` }, status: 404, isUrl: true },
  'a parameter that is too long': {
    declare: (server) => void server.get('/:id', () => 'a'),
    request: { url: `/${long}` },
    status: 404,
    isUrl: true,
  },
  'an additional property': {
    declare: body({ type: 'object', additionalProperties: false }),
    request: posts({ [long]: 1 }),
    status: 400,
    options: { jsv: { customOptions: { removeAdditional: false } } },
  },
  'the name of a property': {
    declare: body({ type: 'object', propertyNames: { maxLength: 3 } }),
    request: posts({ [long]: 1 }),
    status: 400,
  },
  'the path of a value': {
    declare: body({ type: 'object', additionalProperties: { type: 'integer' } }),
    request: posts({ [long]: 'a' }),
    status: 400,
  },
  'the tag of a union': {
    declare: body({
      type: 'object',
      discriminator: { propertyName: 'kind' },
      required: ['kind'],
      oneOf: [{ properties: { kind: { const: 'a' } } }],
    }),
    request: posts({ kind: long }),
    status: 400,
    options: { jsv: { customOptions: { discriminator: true } } },
  },
  'the message of a library': {
    declare: body({
      '~standard': {
        version: 1,
        vendor: 'own',
        validate: (value: object) => ({ issues: [{ message: Object.keys(value)[0], path: Object.keys(value) }] }),
      },
    }),
    request: posts({ [long]: 1 }),
    status: 400,
  },
}

for (const [face, make] of Object.entries(faces)) {
  for (const [subject, { declare, request, status, isUrl, options = {} }] of Object.entries(requests)) {
    test(`${subject} is shortened in the reply, in the log and in the stack: ${face}`, async () => {
      const result = await send(make, options, declare, request)
      assert.equal(result.status, subject === 'a parameter that is too long' && face !== 'createServer' ? 414 : status)
      assert.ok(result.payload.length < 3_000, `reply: ${result.payload.length}`)
      for (const stack of result.stacks) assert.ok(stack.length < 4_000, `stack: ${stack.length}`)
      // The lines about a request have its URL, in one member.
      const log = isUrl ? result.log.replaceAll(/"url":"[^"]*"/g, '') : result.log
      assert.ok(!log.includes('x'.repeat(1_001)) && log.length < 12_000, `log: ${log.length}`)
    })
  }
}
