import assert from 'node:assert/strict'
import { answers, type Behaviour } from '../client.js'

const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'] as const

export const routing: readonly Behaviour[] = [
  answers('a static path goes before a parameter', '/routing/static', { body: 'static' }),
  answers('a parameter is decoded', '/routing/a%20b%2Fc', { json: { id: 'a b/c' } }),
  answers('a path may have several parameters', '/routing/x/y', { json: { a: 'x', b: 'y' } }),
  answers('a parameter may have a pattern', '/pattern/42', { json: { id: '42' } }),
  answers('a path that does not match the pattern is not found', '/pattern/4x', { status: 404 }),
  answers('a wildcard takes the rest of the path', '/routing/wild/a/b/c', { json: { '*': 'a/b/c' } }),
  answers('the query string is parsed', '/routing/query?a=1&b=x%20y&a=2', { json: { a: ['1', '2'], b: 'x y' } }),
  answers('a plus in the query string is a space', '/routing/query?q=a+b', { json: { q: 'a b' } }),
  answers('an empty query string has no members', '/routing/query?', { json: {} }),
  ...methods.map((method) => answers(`a route of the method ${method} answers`, `${method} /routing/methods`, { json: { method } })),
  answers('an unknown path is not found', '/nowhere', {
    status: 404,
    json: { statusCode: 404, error: 'Not Found', message: 'Route GET:/nowhere not found' },
  }),
  answers('another method of a known path is refused, with those that it has', 'POST /json', { status: 405, headers: { allow: 'GET, HEAD, OPTIONS' } }, { json: {} }), // prettier-ignore
  answers('another method of a hidden path is not found', 'POST /routing/hidden', { status: 404 }, { json: {} }),
  answers('a method that no route has is refused, with those that the path has', 'SEARCH /json', { status: 405, headers: { allow: 'GET, HEAD, OPTIONS' } }), // prettier-ignore
  answers('OPTIONS is answered with the methods of a path', 'OPTIONS /json', { status: 204, body: '', headers: { allow: 'GET, HEAD, OPTIONS' } }), // prettier-ignore
  answers('letters in paths have their case', '/JSON', { status: 404 }),
  answers('a trailing slash is another path', '/json/', { status: 404 }),
  answers('a doubled slash at the beginning is part of the path', '//json', { status: 404 }),
  answers('a path that cannot be decoded is refused', '/routing/%E0%A4%A', { status: 400 }),
  answers('an encoded slash stays in its parameter', '/pattern/4%2F2', { status: 404 }),
  answers('a plugin has a prefix', '/prefixed', { body: 'prefixed' }),
  answers('a plugin has its own not-found handler', '/prefixed/x?y=1', { status: 404, json: { nothingAt: '/prefixed/x?y=1' } }),
  answers('a handler may pass a request to the not-found handler', '/prefixed/pass', {
    status: 404,
    json: { nothingAt: '/prefixed/pass' },
  }),
  answers('a route may ask for a version', '/routing/versions', { body: 'v2' }, { headers: { 'accept-version': '2.x' } }),
  answers('a version that no route has is not found', '/routing/versions', { status: 404 }, { headers: { 'accept-version': '3.x' } }),
  answers('a host that no constraint names gets the other route', '/routing/own-host', { body: 'any' }),
  {
    title: 'a request tells its method, URL, host and protocol',
    async check(client) {
      const seen = (await (await client.send('/seen?a=1', { headers: { 'x-a': '1', 'X-B': 'two' } })).json()) as Record<string, unknown>
      const { host, port } = new URL(client.running.origin)
      assert.deepEqual(
        { ...seen, accept: undefined },
        {
          method: 'GET',
          url: '/seen?a=1',
          host,
          hostname: host,
          port: port === '' ? null : Number(port),
          protocol: 'http',
          a: '1',
          b: 'two',
          accept: undefined,
          version: '1.1',
          complete: seen['complete'],
        },
      )
    },
  },
  answers('a header that is sent twice is joined', '/seen', { has: { a: '1, 2' } }, { headers: [['x-a', '1'], ['x-a', '2']] }), // prettier-ignore
  answers('a fragment is no part of the URL', '/seen#part', { has: { url: '/seen' } }),
  answers('an encoded path is left as it is', '/seen?x=%41%2f', { has: { url: '/seen?x=%41%2f' } }),
]
