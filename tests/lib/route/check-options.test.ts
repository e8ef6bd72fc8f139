import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer } from 'alcove/lib'

const handler = (): string => ''

const refused: [title: string, declare: (server: any) => unknown, code: string][] = [
  ['a route that is null', (server) => server.route(null), 'ALC_ERR_ROUTE_OPTIONS_NOT_OBJ'],
  ['a route that is a text', (server) => server.route('/'), 'ALC_ERR_ROUTE_OPTIONS_NOT_OBJ'],
  ['a path that is no text', (server) => server.get(7, handler), 'ALC_ERR_INVALID_URL'],
  ['a url that is no text', (server) => server.route({ method: 'GET', url: 7, handler }), 'ALC_ERR_INVALID_URL'],
  ['options of a route that are a text', (server) => server.get('/', 'x', handler), 'ALC_ERR_ROUTE_OPTIONS_NOT_OBJ'],
  ['two handlers of a route', (server) => server.get('/', { handler }, handler), 'ALC_ERR_ROUTE_DUPLICATED_HANDLER'],
  ['two handlers of which one is none', (server) => server.get('/', { handler: 'x' }, handler), 'ALC_ERR_ROUTE_HANDLER_NOT_FN'],
  ['a route without a handler', (server) => server.get('/', {}), 'ALC_ERR_ROUTE_MISSING_HANDLER'],
  ['an error handler of a route that is none', (server) => server.get('/', { errorHandler: 'x' }, handler), 'ALC_ERR_ROUTE_HANDLER_NOT_FN'],
  ['a method that is no text', (server) => server.route({ method: 7, url: '/', handler }), 'ALC_ERR_ROUTE_METHOD_INVALID'],
  ['a method that is not known', (server) => server.route({ method: 'BREW', url: '/', handler }), 'ALC_ERR_ROUTE_METHOD_NOT_SUPPORTED'],
  ['a hook of a route that is none', (server) => server.get('/', { onRequest: 'x' }, handler), 'ALC_ERR_HOOK_INVALID_HANDLER'],
  [
    'a hook in a list of a route that is none',
    (server) => server.get('/', { onRequest: [handler, {}] }, handler),
    'ALC_ERR_HOOK_INVALID_HANDLER',
  ],
  ['a handler that is none', (server) => server.get('/', {}, 'x'), 'ALC_ERR_ROUTE_MISSING_HANDLER'],
  ['a handler among the options that is none', (server) => server.get('/', { handler: 5 }), 'ALC_ERR_ROUTE_MISSING_HANDLER'],
  ['a path that is none', (server) => server.get('no-slash', handler), 'ERR_ASSERTION'],
]
for (const [title, declare, code] of refused) {
  test(`an instance refuses ${title}`, () => {
    assert.throws(() => declare(createServer()), { code })
  })
}

for (const bodyLimit of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '1mb']) {
  test(`a body limit of ${bodyLimit} for one parser is refused`, () => {
    const add = (): unknown =>
      createServer().addContentTypeParser('text/csv', { parseAs: 'string', bodyLimit: bodyLimit as number }, (_request, _body, done) =>
        done(null),
      )
    assert.throws(add, { code: 'ALC_ERR_ROUTE_BODY_LIMIT_OPTION_NOT_INT' })
  })
}
