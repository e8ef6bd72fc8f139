/** What clients send and receive, against servers that listen. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pendingTimers } from '../../fixtures/pending-timers.js'
import { createServer, type RouteSchema } from 'alcove'
import fc from 'fast-check'
import { toRouteEntry } from '../../../decorators/client/route-entry.js'
import {
  bindRoutes,
  callRoute,
  encodeRequest,
  type CallParts,
  type ClientOptions,
  ReplyError,
  type RouteEntry,
} from '../../../decorators/client/runtime.js'
import { answer, listen } from '../../fixtures/listening-servers.js'

const get: RouteEntry = { method: 'GET', path: ['/'] }

test('parameters and query strings arrive as they were passed, whatever their texts', async () => {
  const server = createServer({ maxParamLength: 10_000 })
  const seen = async ({ params, query }: any): Promise<object> => ({ params, query })
  const paths = ['/one/:id', '/two/:a/:b', '/three/:a-:b', '/rest/*', '/café x/:id', '/maybe/:id?']
  for (const path of paths) server.get(path, seen)
  await using at = await listen(server)
  const text = fc.string({ unit: 'binary', maxLength: 12 })
  const isSegment = (value: string): boolean => value !== '.' && value !== '..'
  const segment = text.filter((value) => value !== '' && isSegment(value))
  // The router divides such a segment by a regular expression whose `.` matches no line terminator.
  const apart = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 5 })
    .filter((value) => !/[-\n\r\u2028\u2029]/.test(value) && isSegment(value))
  const rest = text.filter((value) => value.split('/').every(isSegment) && !value.startsWith('/'))
  const query = fc.dictionary(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 5 }).filter((name) => name !== '__proto__'),
    fc.oneof(text, fc.array(text, { minLength: 2, maxLength: 3 })),
    { maxKeys: 3 },
  )
  const calls = fc.oneof(
    fc.record({ path: fc.constantFrom('/one/:id', '/café x/:id', '/maybe/:id?'), params: fc.record({ id: segment }) }),
    fc.record({ path: fc.constant('/two/:a/:b'), params: fc.record({ a: segment, b: segment }) }),
    fc.record({ path: fc.constant('/three/:a-:b'), params: fc.record({ a: apart, b: apart }) }),
    fc.record({ path: fc.constant('/rest/*'), params: fc.record({ '*': rest }) }),
  )
  await fc.assert(
    fc.asyncProperty(calls, query, async ({ path, params }, parts) => {
      const body = await callRoute(toRouteEntry('GET', path), { params, query: parts }, at).expect(200)
      assert.deepEqual(body, { params: { ...params }, query: { ...parts } })
    }),
    { numRuns: 600 },
  )
})

test('numbers and booleans arrive as the schemas read them', async () => {
  const server = createServer()
  const schema = {
    params: { n: { type: 'number' } },
    querystring: {
      i: { type: 'integer' },
      yes: { type: 'boolean' },
      list: { type: 'array', items: { type: 'number' } },
      none: { type: 'integer', nullable: true },
    },
  } satisfies RouteSchema
  server.get('/:n', { schema }, ({ params, query }: any) => ({ n: params.n, ...query }))
  await using at = await listen(server)
  const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value))
  await fc.assert(
    fc.asyncProperty(
      number,
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.array(number, { minLength: 1, maxLength: 3 }),
      async (n, i, yes, list) => {
        const body = await callRoute(
          toRouteEntry('GET', '/:n'),
          { params: { n }, query: { i, yes, list, none: null, left: undefined } },
          at,
        ).expect(200)
        assert.deepEqual(body, { n, i, yes, list: [...list], none: null })
      },
    ),
    { numRuns: 200 },
  )
})

test('a parameter that is missing or empty, or that would change the path, is refused before anything is sent', async () => {
  const refused = async (path: string, params: object): Promise<void> => {
    const fetch = async (): Promise<Response> => assert.fail('it was sent')
    await assert.rejects(
      callRoute(toRouteEntry('GET', path), { params }, { baseUrl: 'http://localhost', fetch }),
      /^TypeError: GET .* has no URL for/,
    )
  }
  await refused('/users/:id', {})
  await refused('/users/:id', { id: null })
  // The collection, and not a user.
  await refused('/users/:id', { id: '' })
  await refused('/users/:id?', { id: '' })
  await refused('/users/:id/posts', { id: '' })
  await refused('/files/*', {})
  await refused('/users/:id', { id: '..' })
  await refused('/users/:id/posts', { id: '.' })
  await refused('/files/*', { '*': 'a/../../b' })
  await refused('/*', { '*': '/evil.example/path' })
  // `server.get('*')` has a path without a slash.
  await refused('*', { '*': '.evil.example/path' })
  await refused('*', { '*': 'evil' })
  await refused('*', { '*': '' })
})

test('whatever its parameters are, a request goes to the server of baseUrl', async () => {
  const paths = ['*', '/*', '/:id', '/:a/:b', '/:a-:b', '/:a.:b', '/x/:id?', '/:id(^\\d+$)', '/files/*', '/:a/*', '/']
  const hostile = ['.', '/', '\\', '@', ':', '#', '?', '%', ';', 'evil.example', '//', '/\\', ' ', '\t', '\n', '127.0.0.1']
  const value = fc.array(fc.constantFrom(...hostile), { maxLength: 5 }).map((parts) => parts.join(''))
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...paths),
      fc.record({ '*': value, id: value, a: value, b: value }),
      fc.constantFrom('https://api.example.com', 'https://api.example.com/', 'https://api.example.com/v1'),
      async (path, params, baseUrl) => {
        let asked: string | undefined
        const fetch = async (request: globalThis.Request): Promise<Response> => {
          asked = request.url
          return new Response()
        }
        // Some parameters have no URL.
        await callRoute(toRouteEntry('GET', path), { params }, { baseUrl, fetch }).catch((error: unknown) =>
          assert.ok(error instanceof TypeError),
        )
        if (asked !== undefined) assert.ok(asked.startsWith(`${baseUrl.replace(/\/$/, '')}/`), asked)
      },
    ),
    { numRuns: 2000 },
  )
})

test('without baseUrl a request goes to the server of the page, and outside of a page the error says what to write', async () => {
  const asked: string[] = []
  const fetch = async (request: globalThis.Request): Promise<Response> => (asked.push(request.url), new Response())
  await assert.rejects(callRoute(toRouteEntry('GET', '/users'), {}, { fetch }), /^TypeError: Write baseUrl/)
  Object.defineProperty(globalThis, 'location', { value: { origin: 'https://page.example' }, configurable: true })
  try {
    await callRoute(toRouteEntry('GET', '/users'), {}, { fetch })
  } finally {
    Reflect.deleteProperty(globalThis, 'location')
  }
  assert.deepEqual(asked, ['https://page.example/users'])
})

test('the function `headers` returns an object, a list or a Headers; undefined values are not sent', async () => {
  const sent: (string | null)[] = []
  const fetch = async ({ headers }: globalThis.Request): Promise<Response> => (sent.push(headers.get('authorization')), new Response())
  const token: string | undefined = 'a'
  for (const headers of [
    () => ({ authorization: 'a' }),
    async () => [['authorization', 'a']] as [string, string][],
    () => new Headers({ authorization: 'a' }),
    () => (token === 'a' ? { authorization: 'a' } : {}),
    () => ({ authorization: undefined }),
  ])
    await callRoute(toRouteEntry('GET', '/'), {}, { baseUrl: 'http://localhost', fetch, headers })
  assert.deepEqual(sent, ['a', 'a', 'a', 'a', null])
})

test('a body is written in the media type of the route', async () => {
  await using at = await answer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ type: request.headers['content-type'] ?? null, text: Buffer.concat(chunks).toString() }))
    })
  })
  const send = async (body: unknown, type?: string, headers?: object): Promise<any> =>
    callRoute({ method: 'POST', path: ['/'], ...(type !== undefined && { body: type }) }, { body, ...(headers && { headers }) }, at).expect(
      200,
    )
  class Article {
    title = 'a'
  }
  assert.deepEqual(await send({ a: 1 }), { type: 'application/json', text: '{"a":1}' })
  assert.deepEqual(await send(new Article()), { type: 'application/json', text: '{"title":"a"}' })
  assert.deepEqual(await send('text'), { type: 'application/json', text: '"text"' })
  assert.deepEqual(await send(null), { type: 'application/json', text: 'null' })
  assert.deepEqual(await send({ a: 1 }, 'application/merge-patch+json'), { type: 'application/merge-patch+json', text: '{"a":1}' })
  assert.deepEqual(await send({ a: 1 }, 'text/csv', { 'Content-Type': 'application/json' }), { type: 'application/json', text: '{"a":1}' })
  assert.deepEqual(await send('a,b', 'text/csv'), { type: 'text/csv', text: 'a,b' })
  assert.deepEqual(await send({ a: 'x y', b: [1, 2] }, 'application/x-www-form-urlencoded'), {
    type: 'application/x-www-form-urlencoded',
    text: 'a=x%20y&b=1&b=2',
  })
  assert.deepEqual(await send(new URLSearchParams({ a: '1' })), { type: 'application/x-www-form-urlencoded;charset=UTF-8', text: 'a=1' })
  assert.deepEqual(await send(Buffer.from('bytes'), 'application/pdf'), { type: 'application/pdf', text: 'bytes' })
  assert.deepEqual(await send(new Blob(['png'], { type: 'image/png' }), 'application/pdf'), { type: 'image/png', text: 'png' })
  assert.deepEqual(await send(new Blob(['text']).stream(), 'text/plain'), { type: 'text/plain', text: 'text' })
  assert.deepEqual(await send(undefined), { type: null, text: '' })
  const form = new FormData()
  form.append('file', new Blob(['abc']), 'a.txt')
  const { type, text } = await send(form)
  assert.match(type, /^multipart\/form-data; boundary=/)
  assert.match(text, /filename="a\.txt"/)
})

test('a payload is read as its media type says', async () => {
  const payloads: Record<string, [type: string | undefined, payload: string]> = {
    '/json': ['application/json; charset=utf-8', '{"a":1}'],
    '/problem': ['application/problem+json', '{"title":"No"}'],
    '/text': ['text/plain', 'text'],
    '/xml': ['application/xml', '<a/>'],
    '/svg': ['Image/SVG+XML', '<svg/>'],
    '/sheet': ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'zip'],
    '/untyped': [undefined, 'text'],
    '/bytes': ['image/png', 'png'],
    '/lines': ['application/jsonl', '{}\n{}\n'],
    '/sequence': ['application/json-seq', '\u001e{}\n'],
    '/empty': ['application/json', ''],
    '/empty-text': ['text/plain; charset=utf-8', ''],
    '/nothing': [undefined, ''],
  }
  await using at = await answer((request, response) => {
    const [type, payload] = payloads[request.url!]!
    if (type !== undefined) response.setHeader('content-type', type)
    response.end(payload)
  })
  const read = async (path: string): Promise<any> => (await callRoute({ method: 'GET', path: [path] }, {}, at)).body
  assert.deepEqual(await read('/json'), { a: 1 })
  assert.deepEqual(await read('/problem'), { title: 'No' })
  assert.equal(await read('/text'), 'text')
  assert.equal(await read('/xml'), '<a/>')
  assert.equal(await read('/svg'), '<svg/>')
  assert.equal(await ((await read('/sheet')) as Blob).text(), 'zip')
  assert.equal(await read('/untyped'), 'text')
  assert.equal(await ((await read('/bytes')) as Blob).text(), 'png')
  assert.equal(await ((await read('/lines')) as Blob).text(), '{}\n{}\n')
  assert.equal(await ((await read('/sequence')) as Blob).text(), '\u001e{}\n')
  assert.equal(await read('/empty'), undefined)
  assert.equal(await read('/empty-text'), '')
  assert.equal(await read('/nothing'), undefined)
})

test('expect resolves to the body of a status that is expected, and rejects with the reply of any other', async () => {
  const server = createServer()
  server.get('/found', async () => ({ id: 1 }))
  server.get('/missing', async (_request, reply) => reply.code(404).send({ message: 'No such user' }))
  server.get('/problem', async (_request, reply) =>
    reply.code(409).type('application/problem+json').send({ title: 'Conflict', detail: 'Taken' }),
  )
  server.get('/text', async (_request, reply) => reply.code(503).send('later'))
  await using at = await listen(server)
  const call = (path: string) => callRoute({ method: 'GET', path: [path] }, {}, at)
  assert.deepEqual(await call('/found').expect(), { id: 1 })
  assert.deepEqual(await call('/found').expect(200, 404), { id: 1 })
  assert.deepEqual(await call('/missing').expect(404), { message: 'No such user' })
  await assert.rejects(call('/missing').expect(200), (error: any) => {
    assert.ok(error instanceof ReplyError)
    assert.equal(String(error), 'ReplyError: GET /missing was answered 404: No such user')
    assert.deepEqual(
      [error.status, error.body, (error.headers as Headers).get('content-type')],
      [404, { message: 'No such user' }, 'application/json; charset=utf-8'],
    )
    return true
  })
  await assert.rejects(call('/problem').expect(), /was answered 409: Taken/)
  await assert.rejects(call('/text').expect(), /was answered 503/)
  await assert.rejects(call('/found').expect(201), /was answered 200/)
})

test('headers of the client and of the call, cookies, and headers of the route are sent', async () => {
  const server = createServer()
  server.get('/', async ({ headers }) => headers)
  await using at = await listen(server)
  let token = 0
  const options: ClientOptions = { ...at, headers: async () => ({ authorization: `Bearer ${++token}`, 'x-a': 'client' }) }
  const send = async (parts: CallParts, given = options): Promise<any> =>
    callRoute({ ...get, headers: { 'accept-version': '2.0.0' } }, parts, given).expect()
  const first = await send({ headers: { 'X-A': 'call', 'x-b': 7, 'x-c': undefined }, cookies: { session: 'a; b=c', other: '1' } })
  assert.deepEqual([first['x-a'], first['x-b'], first['x-c'], first['accept-version']], ['call', '7', undefined, '2.0.0'])
  assert.equal(first.cookie, 'session=a%3B%20b%3Dc; other=1')
  assert.equal((await send({})).authorization, 'Bearer 2')
  assert.equal((await send({}, { ...at, init: { headers: { 'x-a': 'always' } } }))['x-a'], 'always')
})

test('only calls that may be repeated are repeated', async () => {
  let requests = 0
  await using at = await answer((_request, response) => {
    requests++
    if (requests < 3) response.setHeader('retry-after', '0').writeHead(503).end()
    else response.end('done')
  })
  const send = async (method: string, parts: CallParts = {}): Promise<number[]> => {
    requests = 0
    const { status } = await callRoute({ method, path: ['/'] }, parts, { ...at, retries: 2 })
    return [status, requests]
  }
  assert.deepEqual(await send('GET'), [200, 3])
  assert.deepEqual(await send('PUT', { body: { a: 1 } }), [200, 3])
  assert.deepEqual(await send('DELETE', { retries: 1 }), [503, 2])
  assert.deepEqual(await send('GET', { retries: 0 }), [503, 1])
  assert.deepEqual(await send('GET', { retries: undefined }), [200, 3])
  assert.deepEqual(await send('POST', { body: {} }), [503, 1])
  assert.deepEqual(await send('PUT', { body: new Blob(['a']).stream() }), [503, 1])
  // Nobody listens there any more: the calls are repeated, and the error of the last is the one that is seen.
  let tries = 0
  const fetch = async (request: Request): Promise<Response> => (tries++, globalThis.fetch(request))
  await assert.rejects(callRoute(get, {}, { baseUrl: 'http://127.0.0.1:1', fetch, retries: 1 }), TypeError)
  assert.equal(tries, 2)
})

test('a call ends when its time is over, and when it is aborted, also while it waits for its next try', async () => {
  await using at = await answer((request, response) => {
    if (request.url === '/busy') response.setHeader('retry-after', '30').writeHead(503).end()
  })
  await assert.rejects(callRoute(get, { timeout: 50 }, at), { name: 'TimeoutError' })
  await assert.rejects(callRoute(get, {}, { ...at, timeout: 50 }), { name: 'TimeoutError' })
  await assert.rejects(callRoute(get, { timeout: undefined }, { ...at, timeout: 50 }), { name: 'TimeoutError' })
  const controller = new AbortController()
  setTimeout(() => controller.abort(new Error('left')), 50)
  await assert.rejects(callRoute(get, { signal: controller.signal }, at), /left/)
  const started = Date.now()
  const busy = { method: 'GET', path: ['/busy'] }
  await assert.rejects(callRoute(busy, { signal: AbortSignal.timeout(100), retries: 3 }, at), { name: 'TimeoutError' })
  assert.ok(Date.now() - started < 5000)
})

test('interceptors stand around each try, the first outermost', async () => {
  const server = createServer()
  server.get('/', async ({ headers }) => headers['x-order'])
  await using at = await listen(server)
  const order: string[] = []
  const add =
    (name: string) =>
    async (request: Request, next: (request: Request) => Promise<Response>): Promise<Response> => {
      order.push(`before ${name}`)
      request.headers.append('x-order', name)
      const response = await next(request)
      order.push(`after ${name}`)
      return response
    }
  assert.equal(await callRoute(get, {}, { ...at, interceptors: [add('a'), add('b')] }).expect(), 'a, b')
  assert.deepEqual(order, ['before a', 'before b', 'after b', 'after a'])
  const cached = await callRoute(get, {}, { ...at, interceptors: [async () => Response.json({ cached: true })] }).expect()
  assert.deepEqual(cached, { cached: true })
})

test('a payload that is not the JSON that its media type says rejects with the route, the status and the text', async () => {
  await using at = await answer((_request, response) => {
    response.setHeader('content-type', 'application/json').writeHead(502).end('<h1>Bad gateway</h1>')
  })
  const call = (path: string) => callRoute({ method: 'GET', path: [path] }, {}, at)
  await assert.rejects(call('/users'), (error: any) => {
    assert.ok(error instanceof ReplyError)
    assert.match(error.message, /^GET \/users was answered 502: SyntaxError: .*JSON/)
    assert.deepEqual([error.status, error.body, (error.response as Response).url], [502, '<h1>Bad gateway</h1>', `${at.baseUrl}/users`])
    return true
  })
})

test('a call waits until the date of Retry-After', async () => {
  const times: number[] = []
  const fetch = async (): Promise<Response> => {
    times.push(Date.now())
    if (times.length > 1) return new Response('done')
    return new Response('', { status: 503, headers: { 'retry-after': new Date(Date.now() + 1500).toUTCString() } })
  }
  assert.equal(await callRoute(get, { retries: 1 }, { baseUrl: 'http://localhost', fetch }).expect(200), 'done')
  // Dates have no parts of a second.
  assert.ok(times[1]! - times[0]! > 400, `after ${times[1]! - times[0]!} ms`)
})

test('the timer of a call ends with its reply and with its failure', async (context) => {
  const timers = pendingTimers(context, 60_000)
  const left = async (fetch: () => Promise<Response>): Promise<[unknown, number]> => {
    const body: unknown = await callRoute(get, { timeout: 60_000 }, { baseUrl: 'http://localhost', fetch }).expect().catch(String)
    return [body, timers.size]
  }
  // With a member of the name that iterators have.
  assert.deepEqual(await left(async () => Response.json({ next: 2 })), [{ next: 2 }, 0])
  assert.deepEqual(await left(async () => Promise.reject(new Error('no connection'))), ['Error: no connection', 0])
})

test('signals that are aborted before the call, and a time that is over, reject with their reasons', async () => {
  const fetch = async ({ signal }: globalThis.Request): Promise<Response> =>
    new Promise((_resolve, reject) => {
      const fail = (): void => reject(signal.reason)
      if (signal.aborted) fail()
      signal.addEventListener('abort', fail)
    })
  const options = { baseUrl: 'http://localhost', fetch }
  await assert.rejects(callRoute(get, { signal: AbortSignal.abort(new Error('left')) }, options), /left/)
  await assert.rejects(callRoute(get, {}, { ...options, signal: AbortSignal.abort(new Error('closed')) }), /closed/)
  await assert.rejects(callRoute(get, { timeout: 10 }, options), { name: 'TimeoutError', message: 'GET /' })
})

test('the URL of a route is that of its calls, and needs no request', () => {
  const api: any = bindRoutes({ users: { find: toRouteEntry('GET', '/users/:id') } }, { baseUrl: 'https://example.com/api/' })
  const { url } = api.users.find
  assert.equal(
    url({ params: { id: 'a/b' }, query: { tag: ['x y', 1], none: undefined } }),
    'https://example.com/api/users/a%2Fb?tag=x%20y&tag=1',
  )
  assert.throws(() => url({ params: { id: '' } }), /^TypeError: GET \/users\/:id has no URL for \{"id":""\}/)
  const relative: any = bindRoutes({ list: toRouteEntry('GET', '/users') }, { baseUrl: '' })
  assert.equal(relative.list.url(), '/users')
})

test('a call is repeated at once after Retry-After: 0 and a date that has passed, without a warning of Node', async (t) => {
  const waits = t.mock.method(globalThis, 'setTimeout')
  const values = ['0', new Date(0).toUTCString()]
  const fetch = async (): Promise<Response> => {
    const value = values.shift()
    return value === undefined ? new Response('done') : new Response('', { status: 503, headers: { 'retry-after': value } })
  }
  assert.equal(await callRoute(get, { retries: 2 }, { baseUrl: 'http://localhost', fetch }).expect(200), 'done')
  assert.deepEqual(
    waits.mock.calls.map(({ arguments: [, ms] }) => ms),
    [0, 0],
  )
})

test('an object in a query or a form is sent as JSON, and a date as an ISO text', async () => {
  const at = new Date(0)
  const query = { filter: { a: [1, 'é'] }, at, list: [{ b: 1 }, null] }
  const { path } = encodeRequest(get, { query })
  const found = new URL(path, 'http://localhost').searchParams
  assert.deepEqual(
    [found.get('filter'), found.get('at'), found.getAll('list')],
    ['{"a":[1,"é"]}', '1970-01-01T00:00:00.000Z', ['{"b":1}', '']],
  )
  const { body } = encodeRequest({ method: 'POST', path: ['/'], body: 'application/x-www-form-urlencoded' }, { body: { a: { b: 1 } } })
  assert.equal(body, `a=${encodeURIComponent('{"b":1}')}`)
})
