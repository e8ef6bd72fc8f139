/** The warning about a schema of status 400 that the error of an invalid request cannot meet. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { RouteOptions, Server, ServerOptions } from 'alcove/lib'
import { loggedServer, messages } from '../../fixtures/logged-server.js'

const params = { type: 'object', properties: { id: { type: 'integer' } } }
const reasons = { type: 'object', required: ['message', 'reason'], properties: { message: { type: 'string' }, reason: { type: 'string' } } }

/** What the log says when a route with these schemas is compiled. */
async function warningsOf(
  schema: object,
  given: Partial<RouteOptions> = {},
  options: ServerOptions = {},
  declare: (server: Server) => unknown = () => {},
): Promise<string[]> {
  const { server, lines } = loggedServer(options)
  declare(server)
  server.route({ method: 'GET', path: '/:id', exposeHeadRoute: false, ...given, schema: schema as never, handler: () => ({}) })
  await server.ready()
  await server.close()
  return messages(lines).filter((text) => text.includes('requires'))
}

describe('a route whose response 400 requires more members than the error of an invalid request has', () => {
  const warning =
    "GET /:id: the schema of its response 400 requires 'reason', which the error of an invalid request does not have. " +
    'Add it in a schemaErrorFormatter or an error handler, or take it out of required'

  test('is logged when the server boots, by whichever key the schema is declared', async () => {
    for (const response of [
      { 400: reasons },
      { '4xx': reasons },
      { default: reasons },
      { 400: { allOf: [reasons] } },
      { 400: { content: { 'application/json': { schema: reasons } } } },
    ])
      assert.deepEqual(await warningsOf({ params, response }), [warning], JSON.stringify(response))
    const addShared = (server: Server) => server.addSchema({ $id: 'Reasons', ...reasons })
    assert.deepEqual(await warningsOf({ params, response: { 400: { $ref: 'Reasons#' } } }, {}, {}, addShared), [warning])
  })

  test('is not logged if the member may be there, or no request is answered so', async () => {
    const response = { 400: reasons }
    assert.deepEqual(await warningsOf({ response }), [], 'nothing is validated')
    assert.deepEqual(await warningsOf({ params, response: { 404: reasons } }), [], 'another status')
    assert.deepEqual(await warningsOf({ params, response: { 400: { ...reasons, required: ['message', 'statusCode'] } } }), [])
    const withDefault = { ...reasons, properties: { reason: { type: 'string', default: 'unknown' } } }
    assert.deepEqual(await warningsOf({ params, response: { 400: withDefault } }), [], 'a default')
    assert.deepEqual(await warningsOf({ params, response }, { attachValidation: true }), [])
    assert.deepEqual(await warningsOf({ params, response }, { errorHandler: () => ({}) }), [])
    assert.deepEqual(await warningsOf({ params, response }, { schemaErrorFormatter: () => new Error('no') }), [])
    const setHandler = (server: Server) => server.setErrorHandler(() => ({}))
    assert.deepEqual(await warningsOf({ params, response }, {}, {}, setHandler), [])
    const formatter: ServerOptions = { schemaErrorFormatter: () => new Error('no') }
    assert.deepEqual(await warningsOf({ params, response }, {}, formatter), [])
  })

  test('is logged with the format problem only if the schema is that of problem details', async () => {
    const options: ServerOptions = { errorFormat: 'problem' }
    assert.deepEqual(await warningsOf({ params, response: { 400: reasons } }, {}, options), [])
    const problems = { type: 'object', required: ['title', 'reason'] }
    const content = { 'application/json': { schema: reasons }, 'application/problem+json': { schema: problems } }
    assert.deepEqual(await warningsOf({ params, response: { 400: { content } } }, {}, options), [warning])
  })
})
