/** Patterns of routes in access rules. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matcherOf } from '../../../../decorators/wiring/access/patterns.js'

const rows: readonly (readonly [pattern: string, matches: readonly string[], others: readonly string[]])[] = [
  ['/', ['GET /'], ['GET /a', 'GET *']],
  ['/users', ['GET /users', 'POST /users'], ['GET /users/', 'GET /users/:id', 'GET /usersx', 'GET /a/users', 'GET /USERS']],
  ['/users/:id', ['GET /users/:id'], ['GET /users/:name', 'GET /users/1', 'GET /users/:id/:x', 'GET /users/:idx']],
  ['/users/*', ['GET /users/:id', 'GET /users/*', 'GET /users/', 'GET /users/me'], ['GET /users', 'GET /users/:id/x']],
  ['/users/**', ['GET /users', 'GET /users/', 'GET /users/:id', 'GET /users/:id/x', 'GET /users/*'], ['GET /usersx', 'GET /a/users']],
  ['/**', ['GET /', 'GET /a/b', 'GET *', 'POST /users'], []],
  ['/**/edit', ['GET /edit', 'GET /a/edit', 'GET /a/b/edit'], ['GET /aedit', 'GET /a/edit/b', 'GET /a/editor']],
  ['/a/**/z', ['GET /a/z', 'GET /a/b/c/z'], ['GET /az', 'GET /a/bz']],
  ['/v*/users', ['GET /v1/users', 'GET /v/users'], ['GET /v1/x/users', 'GET /users']],
  ['GET /users', ['GET /users', 'GET,POST /users'], ['POST /users', 'GET /users/x']],
  ['post /users', ['POST /users'], ['GET /users']],
  ['DELETE /**', ['DELETE /a', 'DELETE *'], ['GET /a']],
  ['/:id(^\\d+$).png', ['GET /:id(^\\d+$).png'], ['GET /:idxd', 'GET /:id(^\\d+$)xpng']],
  ['/a.b', ['GET /a.b'], ['GET /axb']],
  ['users', [], ['GET /users', 'GET /']],
  ['**', ['GET /users', 'GET *'], []],
  ['', [], ['GET /', 'GET *']],
]

for (const [pattern, matches, others] of rows) {
  test(`'${pattern}' matches ${matches.join(', ') || 'nothing'}, and not ${others.join(', ') || 'nothing'}`, () => {
    const isMatch = (route: string): boolean => {
      const [methods, path] = route.split(' ') as [string, string]
      return matcherOf(pattern)({ methods: methods.split(','), path })
    }
    assert.deepEqual([...matches, ...others].filter(isMatch), matches)
  })
}
