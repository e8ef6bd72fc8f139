/** Handlers of MSW for the routes of a client. `tests/contract/generators` runs them with the package itself. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mockRoutes } from '../../../decorators/client/mocks.js'
import type { RouteEntry } from '../../../decorators/client/runtime.js'

/** A handler as this `http` makes it. */
interface Handler {
  readonly by: string
  readonly path: string
  readonly resolve: (info: object) => Promise<Response | undefined>
}

const make =
  (by: string) =>
  (path: string, resolve: Handler['resolve']): Handler => ({ by, path, resolve })
const http = { all: make('all'), get: make('get'), post: make('post') }

function mock(entry: RouteEntry, answer: (request: any) => unknown): Handler {
  return mockRoutes({ users: { one: entry } }, http, { baseUrl: 'http://localhost:3000/api/' }).users.one(answer) as Handler
}

/** What the answer of a handler gets of a request. */
async function received(entry: RouteEntry, request: Request, params: object = {}): Promise<any> {
  let seen: unknown
  await mock(entry, (given) => {
    seen = given
    return { status: 200 }
  }).resolve({ request, params })
  return seen
}

const post: RouteEntry = { method: 'POST', path: ['/users'] }
const send = (body: NonNullable<RequestInit['body']>, type?: string): Request =>
  new Request('http://localhost', { method: 'POST', body, ...(type !== undefined && { headers: { 'content-type': type } }) })

for (const [title, path, pattern] of [
  ['a parameter', ['/users/', ':id'], '/users/:id'],
  ['an optional parameter', ['/users/', ':id?'], '/users/:id?'],
  ['a wildcard', ['/files/', '*'], '/files/*'],
  ['a letter behind a parameter', ['/at/', ':hour', 'h'], '/at/:hour([^/]+?)h'],
  ['characters with a meaning', ['/a(b)+c?:d'], '/a\\(b\\)\\+c\\?\\:d'],
] as const)
  test(`the pattern of a path with ${title} is that of MSW below the base URL`, () => {
    assert.equal(mock({ method: 'GET', path }, () => ({})).path, `http://localhost:3000/api${pattern}`)
  })

test('a method that MSW has no function for is compared with that of the request', async () => {
  const handler = mock({ method: 'QUERY', path: ['/users'] }, () => ({ status: 200, body: 1 }))
  assert.equal(handler.by, 'all')
  assert.equal(await handler.resolve({ request: new Request('http://localhost'), params: {} }), undefined)
  assert.equal((await handler.resolve({ request: new Request('http://localhost', { method: 'QUERY' }), params: {} }))!.status, 200)
  assert.equal(mock(post, () => ({})).by, 'post')
})

test('a request for another version of the route is left to the handlers behind', async () => {
  const handler = mock({ method: 'GET', path: ['/users'], headers: { 'accept-version': '1.0.0' } }, () => ({ status: 200 }))
  const ask = (headers: Record<string, string>) => handler.resolve({ request: new Request('http://localhost', { headers }), params: {} })
  assert.equal(await ask({}), undefined)
  assert.equal(await ask({ 'accept-version': '2.0.0' }), undefined)
  assert.equal((await ask({ 'accept-version': '1.0.0' }))!.status, 200)
})

test('a handler gets the body by its media type, and the request can still be read', async () => {
  const request = send('{"a":1}', 'application/json; charset=utf-8')
  assert.deepEqual((await received(post, request)).body, { a: 1 })
  assert.deepEqual(await request.json(), { a: 1 })
  assert.deepEqual((await received(post, send('{"a":1}', 'application/vnd.api+json'))).body, { a: 1 })
  assert.equal((await received(post, send('text', 'text/plain'))).body, 'text')
  assert.equal((await received(post, send('{}\n{}', 'application/jsonl'))).body, '{}\n{}')
  const form = new FormData()
  form.set('a', 'b')
  assert.equal((await received(post, send(form))).body.get('a'), 'b')
  assert.equal((await received(post, send(new URLSearchParams({ a: 'c' })))).body.get('a'), 'c')
  assert.equal((await received(post, new Request('http://localhost', { method: 'POST' }))).body, undefined)
})

test('a wildcard has the name that the route gives it', async () => {
  const entry = { method: 'GET', path: ['/', ':kind', '/', '*'] }
  const { params } = await received(entry, new Request('http://localhost'), { 0: 'a/b', kind: 'files' })
  assert.deepEqual(params, { kind: 'files', '*': 'a/b' })
})

test('a reply is sent as JSON, or as it is under another media type, and a Response untouched', async () => {
  const replyTo = async (reply: unknown): Promise<[number, string | null, string]> => {
    const response = (await mock(post, async () => reply).resolve({ request: send('a'), params: {} }))!
    return [response.status, response.headers.get('content-type'), await response.text()]
  }
  assert.deepEqual(await replyTo({ status: 201, body: { at: new Date(0) } }), [
    201,
    'application/json',
    '{"at":"1970-01-01T00:00:00.000Z"}',
  ])
  assert.deepEqual(await replyTo({ status: 200, body: 'a' }), [200, 'application/json', '"a"'])
  assert.deepEqual(await replyTo({ status: 200, body: 'a', headers: { 'Content-Type': 'text/csv' } }), [200, 'text/csv', 'a'])
  const lines = { status: 200, body: '{}\n{}\n', headers: { 'content-type': 'application/jsonl' } }
  assert.deepEqual(await replyTo(lines), [200, 'application/jsonl', '{}\n{}\n'])
  assert.deepEqual(await replyTo({ status: 409, body: {}, headers: { 'content-type': 'application/problem+json' } }), [
    409,
    'application/problem+json',
    '{}',
  ])
  assert.deepEqual(await replyTo({ status: 200, body: new Blob(['b'], { type: 'image/png' }) }), [200, 'image/png', 'b'])
  assert.deepEqual(await replyTo({ status: 200, body: new Uint8Array([98]) }), [200, 'application/octet-stream', 'b'])
  assert.deepEqual(await replyTo({ status: 200, body: new Blob(['b']).stream() }), [200, 'application/octet-stream', 'b'])
  assert.deepEqual(await replyTo({ status: 200, body: new Blob(['b']), headers: { 'content-type': 'image/png' } }), [200, 'image/png', 'b'])
  assert.deepEqual(await replyTo({ status: 204 }), [204, null, ''])
  assert.deepEqual(await replyTo(new Response('own', { status: 418 })), [418, 'text/plain;charset=UTF-8', 'own'])
})
