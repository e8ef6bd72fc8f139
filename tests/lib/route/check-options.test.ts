/** The options of a route and the body limits that are refused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer } from 'alcove/lib'

const handler = (): string => ''

const refused: [title: string, declare: (server: any) => unknown, code: string][] = [
  ['null as its options', (server) => server.route(null), 'ALC_ERR_ROUTE_OPTIONS_NOT_OBJ'],
  ['a string as its options', (server) => server.route('/'), 'ALC_ERR_ROUTE_OPTIONS_NOT_OBJ'],
  ['a path that is not a string', (server) => server.get(7, handler), 'ALC_ERR_INVALID_URL'],
  ['a url that is not a string', (server) => server.route({ method: 'GET', url: 7, handler }), 'ALC_ERR_INVALID_URL'],
  ['a string between its path and its handler', (server) => server.get('/', 'x', handler), 'ALC_ERR_ROUTE_OPTIONS_NOT_OBJ'],
  ['two handlers', (server) => server.get('/', { handler }, handler), 'ALC_ERR_ROUTE_DUPLICATED_HANDLER'],
  ['two handlers, one of which is not a function', (server) => server.get('/', { handler: 'x' }, handler), 'ALC_ERR_ROUTE_HANDLER_NOT_FN'],
  ['no handler', (server) => server.get('/', {}), 'ALC_ERR_ROUTE_MISSING_HANDLER'],
  ['an errorHandler that is not a function', (server) => server.get('/', { errorHandler: 'x' }, handler), 'ALC_ERR_ROUTE_HANDLER_NOT_FN'],
  ['a method that is not a string', (server) => server.route({ method: 7, url: '/', handler }), 'ALC_ERR_ROUTE_METHOD_INVALID'],
  ['an unknown method', (server) => server.route({ method: 'BREW', url: '/', handler }), 'ALC_ERR_ROUTE_METHOD_NOT_SUPPORTED'],
  ['a hook that is not a function', (server) => server.get('/', { onRequest: 'x' }, handler), 'ALC_ERR_HOOK_INVALID_HANDLER'],
  [
    'a list of hooks with one that is not a function',
    (server) => server.get('/', { onRequest: [handler, {}] }, handler),
    'ALC_ERR_HOOK_INVALID_HANDLER',
  ],
  ['a handler that is not a function', (server) => server.get('/', {}, 'x'), 'ALC_ERR_ROUTE_MISSING_HANDLER'],
  ['a handler among the options that is not a function', (server) => server.get('/', { handler: 5 }), 'ALC_ERR_ROUTE_MISSING_HANDLER'],
  ['a path without its first slash', (server) => server.get('no-slash', handler), 'ERR_ASSERTION'],
]
for (const [title, declare, code] of refused) {
  test(`a route is refused: ${title}`, () => {
    assert.throws(() => declare(createServer()), { code })
  })
}

for (const bodyLimit of [-1, Number.NaN, Number.POSITIVE_INFINITY, '1mb']) {
  test(`a body limit of ${bodyLimit} for a content-type parser is refused`, () => {
    const add = (): unknown =>
      createServer().addContentTypeParser('text/csv', { parseAs: 'string', bodyLimit: bodyLimit as number }, (_request, _body, done) =>
        done(null),
      )
    assert.throws(add, { code: 'ALC_ERR_ROUTE_BODY_LIMIT_OPTION_NOT_INT' })
  })
}
