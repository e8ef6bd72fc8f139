/** The part `cookies` of a route's schema: how cookies are read, and what their validation leaves in `request.cookies`. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import cookie from '@fastify/cookie'
import { Type } from '@sinclair/typebox'
import { createServer, describeContexts, type Server, type ServerOptions } from 'alcove/lib'
import fastify from 'alcove/fastify'
import { z } from 'zod'

const properties = { session: { type: 'string', minLength: 3 }, page: { type: 'integer' } } as const
const cookies = { type: 'object', required: ['session'], properties } as const

/** A server whose route returns the cookies that its handler gets. */
function echo(schema: unknown, options: ServerOptions = {}): Server {
  const server = createServer(options)
  server.get('/', { schema: { cookies: schema } }, (request: any) => ({ ...request.cookies }))
  return server
}

/** The status and the cookies or the message of a reply. */
async function ask(server: Server, header?: string): Promise<[status: number, body: any]> {
  const reply = await server.inject({ url: '/', headers: header === undefined ? {} : { cookie: header } })
  const body = reply.json()
  return [reply.statusCode, body.message ?? body]
}

describe('the cookies of a request', () => {
  test('are read from the header, coerced as those of a query string are, and their names are case-sensitive', async () => {
    await using server = echo(cookies)
    assert.deepEqual(await ask(server, 'session=abcd; page=7'), [200, { session: 'abcd', page: 7 }])
    assert.deepEqual(await ask(server, 'session=a%20%3B%20b'), [200, { session: 'a ; b' }])
    assert.deepEqual(await ask(server, 'Session=abcd'), [400, "cookies should have required property 'session'"])
    assert.deepEqual(await ask(server, 'session=abcd; page=x'), [400, 'cookies/page should be integer'])
    assert.deepEqual(await ask(server), [400, "cookies should have required property 'session'"])
  })

  test('have the first value of a name that is sent twice, as its more specific path has', async () => {
    await using server = echo(cookies)
    assert.deepEqual(await ask(server, 'session=first; session=second'), [200, { session: 'first' }])
  })

  test('are an object without a prototype, which no name changes', async () => {
    await using server = createServer()
    server.get('/', { schema: { cookies: { type: 'object' } } }, ({ cookies }) => [
      Object.getPrototypeOf(cookies) === null,
      ...Object.entries(cookies as object),
    ])
    assert.deepEqual(await ask(server, '__proto__=a; constructor=b'), [200, [true, ['constructor', 'b']]])
    await using other = echo({ type: 'object', required: ['constructor'] })
    assert.deepEqual(await ask(other, 'a=b'), [400, "cookies should have required property 'constructor'"])
  })

  test('are those of the header as hooks have left it, also beside a schema that removes the header', async () => {
    const server = createServer()
    server.addHook('onRequest', (request, _reply, done) => {
      if (request.headers.cookie === undefined) request.headers = { cookie: 'session=of a hook' }
      done()
    })
    const headers = { type: 'object', additionalProperties: false, properties: {} } as const
    server.get('/', { schema: { cookies, headers } }, (request) => ({ ...request.cookies }))
    assert.deepEqual(await ask(server), [200, { session: 'of a hook' }])
    assert.deepEqual(await ask(server, 'session=abcd'), [200, { session: 'abcd' }])
    await server.close()
  })

  test('are not read for a route whose schema does not have them', async () => {
    await using server = createServer()
    server.get('/', { schema: { querystring: { type: 'object' } } }, (request) => ({ has: 'cookies' in request }))
    assert.deepEqual(await ask(server, 'session=abcd'), [200, { has: false }])
  })
})

describe('a schema of cookies', () => {
  const sources: [string, unknown][] = [
    ['shorthand', { session: { type: 'string' }, page: { type: 'integer' } }],
    ['TypeBox', Type.Object({ session: Type.String(), page: Type.Integer() })],
    ['Zod', z.object({ session: z.string(), page: z.number().int() })],
    ['Zod with a rule of its own', z.object({ session: z.string(), page: z.number() }).refine(({ page }) => page > 0)],
    ['shorthand of Zod', { session: z.string(), page: z.number() }],
  ]
  for (const [title, schema] of sources) {
    test(`may be of ${title}`, async () => {
      await using server = echo(schema)
      const [status, got] = await ask(server, 'session=abcd; page=7')
      assert.deepEqual([status, got.session, got.page], [200, 'abcd', 7])
      const [refused, message] = await ask(server, 'session=abcd; page=x')
      assert.equal(refused, 400)
      assert.match(message, /^cookies\/page /)
    })
  }

  test('may be a shared one', async () => {
    const server = echo({ $ref: 'Cookies#' })
    server.addSchema({ $id: 'Cookies', ...cookies })
    assert.deepEqual(await ask(server, 'session=abcd; page=7'), [200, { session: 'abcd', page: 7 }])
    assert.equal((await ask(server))[0], 400)
    await server.close()
  })

  test('fills in defaults', async () => {
    await using server = echo({ theme: { type: 'string', default: 'light' } })
    assert.deepEqual(await ask(server), [200, { theme: 'light' }])
  })

  const closed = { ...cookies, additionalProperties: false } as const
  const strict: ServerOptions = { jsv: { customOptions: { removeAdditional: false } } }
  const closing: [string, unknown, ServerOptions?][] = [
    ['JSON Schema', closed],
    ['JSON Schema, also if ajv would refuse them', closed, strict],
    ['a shared schema, also if ajv would refuse them', { $ref: 'Closed#' }, strict],
    ['z.object', z.object({ session: z.string(), page: z.number().optional() })],
    ['z.strictObject', z.strictObject({ session: z.string(), page: z.number().optional() })],
  ]
  for (const [title, schema, options] of closing) {
    test(`that allows no further cookies removes those of other applications: ${title}`, async () => {
      const server = echo(schema, options)
      server.addSchema({ $id: 'Closed', ...closed })
      assert.deepEqual(await ask(server, '_ga=1; session=abcd; page=7'), [200, { session: 'abcd', page: 7 }])
      await server.close()
    })
  }

  test('that allows further cookies keeps them', async () => {
    await using server = echo(cookies)
    assert.deepEqual(await ask(server, '_ga=1; session=abcd'), [200, { _ga: '1', session: 'abcd' }])
  })

  test('is given to a validator compiler and to a formatter of errors under the name of its part', async () => {
    const server = createServer()
    const seen: unknown[] = []
    const options = {
      schema: { cookies },
      exposeHeadRoute: false,
      validatorCompiler: ({ httpPart }: { httpPart: string }) => {
        seen.push(httpPart)
        return ({ session }: any) => (session === 'abcd' ? { value: { user: 1 } } : false)
      },
      schemaErrorFormatter: (_errors: unknown, part: string) => new Error(`wrong ${part}`),
    }
    server.get('/', options as object, (request: any) => request.cookies)
    assert.deepEqual(await ask(server, 'session=abcd'), [200, { user: 1 }])
    assert.deepEqual(await ask(server, 'session=b'), [400, 'wrong cookies'])
    assert.deepEqual(seen, ['cookies'])
    await server.close()
  })

  test('that is misspelt or undefined fails the boot', async () => {
    for (const [schema, message] of [
      [{ cookie: {} }, /'cookie' is not a part of the schema\. Did you mean 'cookies'\?/],
      [{ cookies: undefined }, /the schema of cookies is undefined/],
    ] as const) {
      const server = createServer()
      server.get('/', { schema }, () => '')
      await assert.rejects(async () => server.ready(), { code: 'ALC_ERR_SCH_PARTS_INVALID', message })
    }
  })
})

describe('an invalid cookie', () => {
  test('is one of the errors of problem details, without its value', async () => {
    const server = echo(cookies, { errorFormat: 'problem' })
    const reply = await server.inject({ url: '/', headers: { cookie: 'session=abcd; page=secret' } })
    assert.deepEqual(reply.json().errors, [{ pointer: '/page', detail: 'should be integer', part: 'cookies' }])
    assert.doesNotMatch(reply.body, /secret/)
    await server.close()
  })

  test('has the context cookies, and is passed on with attachValidation', async () => {
    await using server = createServer()
    server.get('/', { schema: { cookies }, attachValidation: true }, (request) => ({ at: request.validationError?.validationContext }))
    assert.deepEqual(await ask(server), [200, { at: 'cookies' }])
  })
})

describe('with @fastify/cookie', () => {
  const secret = 'a secret of more than thirty-two characters'
  for (const hook of ['onRequest', 'preParsing', 'preValidation', 'preHandler', false] as const) {
    test(`cookies are validated whichever hook reads them (${String(hook)})`, async () => {
      const server = createServer()
      await server.register(cookie as any, { secret, hook })
      server.get('/', { schema: { cookies } }, (request) => ({ ...request.cookies }))
      assert.equal((await ask(server, 'session=ab'))[0], 400)
      const [status, got] = await ask(server, 'session=abcd; page=7')
      // A hook after the validation reads them once more.
      assert.deepEqual([status, got], [200, { session: 'abcd', page: hook === 'preHandler' ? '7' : 7 }])
      await server.close()
    })
  }

  test('the cookies that it has parsed are validated, and those that other code has kept stay texts', async () => {
    const server = createServer()
    await server.register(cookie as any, { parseOptions: { decode: (text: string) => text.toUpperCase() } })
    let kept: any
    server.addHook('onRequest', (request: any, _reply, done) => {
      kept = request.cookies
      done()
    })
    server.get('/', { schema: { cookies } }, (request) => ({ ...request.cookies, kept: kept.page }))
    assert.deepEqual(await ask(server, 'session=abcd; page=7'), [200, { session: 'ABCD', page: 7, kept: '7' }])
    await server.close()
  })

  test('a signed cookie is taken back by unsignCookie', async () => {
    const server = createServer()
    await server.register(cookie as any, { secret })
    server.get('/set', (_request, reply: any) => reply.setCookie('session', 'ada', { signed: true }).send(''))
    server.get('/', { schema: { cookies } }, (request: any) => request.unsignCookie(request.cookies.session))
    const [set] = (await server.inject('/set')).cookies as { value: string }[]
    const [, { valid, value }] = await ask(server, `session=${encodeURIComponent(set!.value)}`)
    assert.deepEqual([valid, value], [true, 'ada'])
    assert.equal((await ask(server, 'session=forged.abc'))[1].valid, false)
    await server.close()
  })
})

test('a getter that an application has decorated its requests with gives way to the validated cookies', async () => {
  const server = createServer()
  server.decorateRequest('cookies', { getter: () => ({ session: 'of a getter', page: '7' }) })
  server.get('/', { schema: { cookies } }, (request) => ({ ...request.cookies }))
  assert.deepEqual(await ask(server), [200, { session: 'of a getter', page: 7 }])
  await server.close()
})

describe('in alcove/fastify', () => {
  test('a schema of cookies describes them and validates nothing, as in Fastify', async () => {
    const server = fastify()
    for (const schema of [{ cookies }, { cookies: undefined }, { cookie: {} }])
      server.get(`/${Object.keys(schema)[0]}${String(schema.cookies === undefined)}`, { schema }, (request: any) => ({
        got: request.cookies ?? null,
      }))
    const reply = await server.inject({ url: '/cookiesfalse', headers: { cookie: 'page=x' } })
    assert.deepEqual([reply.statusCode, reply.json()], [200, { got: null }])
    const [described] = describeContexts(server).routes
    assert.deepEqual([described!.docs.cookies, described!.input, described!.engines], [cookies, {}, {}])
    await server.close()
  })
})

test('descriptions have the schema of cookies among those of the parts, its engine, and the 400 of an invalid one', async () => {
  const server = echo(cookies)
  await server.ready()
  const [{ input, engines, responses, docs }] = describeContexts(server).routes as any
  assert.deepEqual([input.cookies, engines, docs.cookies], [cookies, { cookies: 'ajv' }, undefined])
  assert.deepEqual(responses['400'].from, ['alcove'])
  await server.close()
})
