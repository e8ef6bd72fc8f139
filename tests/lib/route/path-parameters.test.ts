import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bootstrap, check, Controller, createServer, Get, Plugin, Schema, type Server, testServer } from 'alcove'
import findMyWay from 'find-my-way'
import { messages, using } from '../../fixtures/logged-server.js'
import { missingParameters, parameterNames, withoutParameterNames } from '../../../lib/route/path-parameters.js'

const paths = [
  ['/', []],
  ['/a/::b/c', []],
  ['/:id', ['id']],
  ['/:a/x/:b', ['a', 'b']],
  ['/:from-:to', ['from', 'to']],
  ['/:file.:ext', ['file', 'ext']],
  ['/at/:hour(^\\d+$)h:minute(^(?:00|30)$)m', ['hour', 'minute']],
  ['/files/*', ['*']],
  ['/:a(.*)', ['a']],
] as const

describe('the parameters of a path are those that the router finds', () => {
  for (const [path, names] of paths) {
    test(path, () => {
      const router = findMyWay()
      router.on('GET', path, () => {})
      assert.deepEqual(router.findRoute('GET', path)?.params, names)
      assert.deepEqual(parameterNames(path), names)
    })
  }

  test('and an optional one at the end, and a bare wildcard', () => {
    assert.deepEqual(parameterNames('*'), ['*'])
    assert.deepEqual(parameterNames('/a/:id?'), ['id'])
  })
})

test('a path without the names of its parameters keeps their places', () => {
  assert.equal(withoutParameterNames('/:a/::x/:hour(^\\d+$)h'), '/:/::x/:()h')
})

test('a parameter is missing if the schema requires it without a default, and the path does not have it', () => {
  const schema = { required: ['id', 'tenant', 'page'], properties: { page: { default: 1 } } }
  assert.deepEqual(missingParameters(schema, '/:id'), ['tenant'])
  assert.deepEqual(missingParameters({ properties: { id: {} } }, '/'), [])
  assert.deepEqual(missingParameters(undefined, '/'), [])
})

test('a parameter is missing too if a schema behind a reference or in allOf requires it', () => {
  const named: Record<string, unknown> = {
    'Ids#': { required: ['id', 'tenant'], allOf: [{ $ref: 'Ids#' }] },
    'Pages#': { required: ['page'], properties: { page: { default: 1 } } },
  }
  const schema = { allOf: [{ $ref: 'Ids#' }, { $ref: 'Pages#' }, { $ref: 'unknown#' }], required: ['area'] }
  assert.deepEqual(
    missingParameters(schema, '/:id', ({ $ref }) => named[$ref]),
    ['area', 'tenant'],
  )
})

describe('a route whose params schema requires what its path does not have', () => {
  const params = { type: 'object', required: ['tenant', 'id'], properties: { tenant: { type: 'string' }, id: { type: 'integer' } } }
  const files = { type: 'object', required: ['*'], properties: { '*': { type: 'string' } } }

  /** The warnings of a boot. */
  async function warningsOf(declare: (server: Server) => void): Promise<string[]> {
    const lines: string[] = []
    const stream = { write: (line: string) => void lines.push(JSON.parse(line).msg) }
    const server = createServer({ logger: { level: 'warn', stream } })
    declare(server)
    await server.ready()
    await server.close()
    return lines
  }

  test('is logged as a warning, once', async () => {
    assert.deepEqual(await warningsOf((server) => server.get('/things', { schema: { params } }, () => 'ok')), [
      "GET /things: the schema of params requires 'tenant', 'id', which the path does not have",
    ])
  })

  test('is logged if a shared schema requires it', async () => {
    const declare = (server: Server) => {
      server.addSchema({ $id: 'Things', ...params })
      server.get('/things/:id', { schema: { params: { $ref: 'Things#' } } }, () => 'ok')
    }
    assert.deepEqual(await warningsOf(declare), ["GET /things/:id: the schema of params requires 'tenant', which the path does not have"])
  })

  test('is not logged if its prefix or a wildcard has it, or another validator is used', async () => {
    const warnings = await warningsOf((server) => {
      server.register(async (tenants) => void tenants.get('/:id', { schema: { params } }, () => 'ok'), { prefix: '/:tenant' })
      server.get('/files/*', { schema: { params: files } }, () => 'ok')
      server.get('/own', { schema: { params }, validatorCompiler: () => () => true }, () => 'ok')
    })
    assert.deepEqual(warnings, [])
  })

  test('is a fault in classes, which takes the prefixes of plugin and controller into account', async () => {
    @Controller('/things')
    class Things {
      @Get('/:id')
      @Schema({ params } as const)
      find({ params }: { params: unknown }) {
        return params
      }
    }
    @Plugin({ routes: [Things] })
    class Api {}
    const refused = /Api > Things\.find requires 'tenant' in the schema of params, but its path \/things\/:id has no such parameter/
    assert.throws(() => check(Api), refused)
    @Plugin({ prefix: '/:tenant', imports: [Api] })
    class App {}
    const server = await bootstrap(App)
    try {
      const home = await server.listen({ port: 0 })
      assert.deepEqual(await (await fetch(`${home}/a/things/7`)).json(), { tenant: 'a', id: 7 })
    } finally {
      await server.close()
    }
    await using app = await testServer(Api, { prefix: '/:tenant' })
    assert.deepEqual((await app.call(Things, 'find', { params: { tenant: 'b', id: 8 } })).body, { tenant: 'b', id: 8 })
    // A part can be mounted without the prefixes of its ancestors; its other routes work.
    await using part = await testServer(Api)
    assert.equal((await part.inject('/things/8')).statusCode, 400)
  })
})

test('a parameter that a path has twice is logged when the server boots', () =>
  using(
    (server) => void server.get('/:id/posts/:id', (request) => request.params),
    async (server, lines) => {
      assert.equal((await server.inject('/1/posts/2')).body, '{"id":"2"}')
      assert.deepEqual(messages(lines), [
        "GET /:id/posts/:id: the path has the parameter 'id' twice, and a request has only the value of the last",
      ])
    },
  ))
