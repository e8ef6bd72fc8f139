/** Deprecated routes: the headers of their replies, which declaration counts, and which declarations are refused. */
import assert from 'node:assert/strict'
import { connect } from 'node:http2'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { AddressInfo } from 'node:net'
import type { Deprecation, Server } from 'alcove/lib'
import type { RouteSpec } from './faces.js'
import { rejectsBoot, rule } from './rule.js'

const deprecated: Deprecation = { since: '2023-07-01', sunset: '2099-12-31T12:00:00Z', link: 'https://example.com/changes' }
const links = '<https://example.com/changes>; rel="deprecation", <https://example.com/changes>; rel="sunset"'
const expected = { deprecation: '@1688169600', sunset: 'Thu, 31 Dec 2099 12:00:00 GMT', link: links }
const none = { deprecation: undefined, sunset: undefined, link: undefined }

const get = (path: string, options: Partial<RouteSpec> = {}): RouteSpec => ({ method: 'GET', path, handler: () => ({}), ...options })

function headersOf({ headers }: { readonly headers: Record<string, unknown> }) {
  const { deprecation, sunset, link } = headers
  return { deprecation, sunset, link }
}

async function ask(server: Server, url: string, method: 'GET' | 'HEAD' | 'POST' = 'GET', payload?: object) {
  const reply = await server.inject({ method, url, ...(payload && { payload }) })
  return { status: reply.statusCode, ...headersOf(reply) }
}

rule('Deprecation 1', 'replies with a text, JSON, a stream, a Response and no body, and those to HEAD, have the headers', async (build) => {
  const server = await build({
    name: 'root',
    routes: [
      get('/json', { deprecated }),
      get('/text', { deprecated, handler: () => 'text' }),
      get('/stream', { deprecated, handler: (_request, reply) => reply.send(Readable.from(['a'])) }),
      get('/response', { deprecated, handler: (_request, reply) => reply.send(new Response('a', { status: 201 })) }),
      get('/empty', { deprecated, handler: (_request, reply) => reply.code(204).send() }),
      get('/other'),
    ],
  })
  for (const [path, status] of Object.entries({ json: 200, text: 200, stream: 200, response: 201, empty: 204 })) {
    assert.deepEqual(await ask(server, `/${path}`), { status, ...expected }, path)
    assert.deepEqual(await ask(server, `/${path}`, 'HEAD'), { status, ...expected }, `HEAD ${path}`)
  }
  assert.deepEqual(await ask(server, '/other'), { status: 200, ...none })
})
rule(
  'Deprecation 1',
  'replies with errors have the headers: of hooks, validation, the handler, handlers of errors and the last resort',
  async (build) => {
    const fail = (message: string) => (): never => {
      throw Object.assign(new Error(message), { statusCode: 418 })
    }
    const server = await build(
      {
        name: 'root',
        routes: [
          get('/hook', { deprecated, onRequest: (_request, reply) => void reply.code(401).send({}) }),
          get('/failing-hook', {
            deprecated,
            onRequest: (_request, _reply, done) => done(Object.assign(new Error('no'), { statusCode: 403 })),
          }),
          get('/on-send', { deprecated, onSend: fail('in onSend') as never }),
          get('/invalid', { deprecated, schema: { querystring: { type: 'object', required: ['a'] } } }),
          get('/handler', { deprecated, handler: fail('in the handler') }),
          get('/handled', { deprecated, handler: fail('x'), errorHandler: (_error, _request, reply) => void reply.code(409).send({}) }),
          get('/not-found', { deprecated, handler: (_request, reply) => void reply.callNotFound() }),
          get('/slow', { deprecated, handlerTimeout: 20, handler: () => new Promise(() => {}) }),
          { method: 'POST', path: '/body', deprecated, bodyLimit: 10, handler: () => ({}) },
        ],
      },
      { logger: false },
    )
    const statuses = {
      hook: 401,
      'failing-hook': 403,
      'on-send': 418,
      invalid: 400,
      handler: 418,
      handled: 409,
      'not-found': 404,
      slow: 503,
    }
    for (const [path, status] of Object.entries(statuses)) assert.deepEqual(await ask(server, `/${path}`), { status, ...expected }, path)
    assert.deepEqual(await ask(server, '/body', 'POST', { text: 'longer than this' }), { status: 413, ...expected })
  },
)
rule('Deprecation 1', 'replies over a socket and over HTTP/2 have the headers', async (build) => {
  const spec = { name: 'root', routes: [get('/', { deprecated, handler: () => 'text' })] }
  const plain = await build(spec)
  await plain.listen({ port: 0 })
  const { headers } = await fetch(`http://127.0.0.1:${(plain.server.address() as AddressInfo).port}/`)
  assert.deepEqual(headersOf({ headers: Object.fromEntries(headers) }), expected)

  const server = await build(spec, { http2: true })
  await server.listen({ port: 0 })
  const session = connect(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}`)
  const stream = session.request({ ':path': '/' })
  const [answer] = await once(stream, 'response')
  session.close()
  assert.deepEqual(headersOf({ headers: answer }), expected)
})
rule('Deprecation 1', 'a Date and a day without a sunset or link have only the headers that they can have', async (build) => {
  const server = await build({
    name: 'root',
    routes: [
      get('/since', { deprecated: { since: new Date('2023-07-01T00:00:00.900Z') } }),
      get('/path', { deprecated: { since: '2023-07-01T02:00:00+02:00', link: '/changes?from=v1#end' } }),
      get('/true', { deprecated: true }),
    ],
  })
  assert.deepEqual(await ask(server, '/since'), { status: 200, ...none, deprecation: '@1688169600' })
  const link = '</changes?from=v1#end>; rel="deprecation"'
  assert.deepEqual(await ask(server, '/path'), { status: 200, ...none, deprecation: '@1688169600', link })
  assert.deepEqual(await ask(server, '/true'), { status: 200, ...none })
})
rule('Deprecation 2', 'a route has the declaration of its nearest context, and may replace it or end it', async (build) => {
  const server = await build({
    name: 'root',
    routes: [get('/root')],
    imports: [
      {
        name: 'old',
        prefix: '/old',
        deprecated: { since: '2023-07-01' },
        routes: [
          get('/inherited'),
          get('/own', { deprecated: { since: '2024-07-01' } }),
          get('/ended', { deprecated: false }),
          get('/documented', { schema: { deprecated: true } as never }),
          get('/ended-in-schema', { schema: { deprecated: false } as never }),
        ],
        imports: [
          { name: 'below', routes: [get('/below')] },
          { name: 'newer', deprecated: { since: '2025-07-01' }, routes: [get('/newer')] },
          { name: 'kept', deprecated: false, routes: [get('/kept')] },
        ],
      },
    ],
  })
  const found: Record<string, unknown> = {}
  for (const path of [
    '/root',
    ...['inherited', 'own', 'ended', 'documented', 'ended-in-schema', 'below', 'newer', 'kept'].map((each) => `/old/${each}`),
  ])
    found[path] = (await ask(server, path)).deprecation
  assert.deepEqual(found, {
    '/root': undefined,
    '/old/inherited': '@1688169600',
    '/old/own': '@1719792000',
    '/old/ended': undefined,
    '/old/documented': '@1688169600',
    '/old/ended-in-schema': undefined,
    '/old/below': '@1688169600',
    '/old/newer': '@1751328000',
    '/old/kept': undefined,
  })
})
rule('Deprecation 3', 'links that the application sets, in whatever way, are sent beside the links of the deprecation', async (build) => {
  const next = '</?page=2>; rel="next"'
  const answer =
    (set: (reply: any) => unknown): RouteSpec['handler'] =>
    (_request, reply) =>
      void reply.send(set(reply) === undefined ? {} : 'a')
  const server = await build({
    name: 'root',
    routes: [
      get('/header', { deprecated, handler: answer((reply) => void reply.header('Link', next)) }),
      get('/twice', { deprecated, handler: answer((reply) => void reply.header('link', 'x').header('link', next)) }),
      get('/joined', { deprecated, handler: answer((reply) => void reply.header('link', `${reply.getHeader('link')}, ${next}`)) }),
      get('/raw', { deprecated, handler: answer((reply) => void reply.raw.setHeader('link', next)) }),
      get('/list', { deprecated, handler: answer((reply) => void reply.header('link', [next])) }),
      get('/response', { deprecated, handler: (_request, reply) => reply.send(new Response('a', { headers: { link: next } })) }),
      get('/error', {
        deprecated,
        handler: (_request, reply) => {
          reply.header('link', next)
          throw new Error('later')
        },
      }),
      get('/removed', { deprecated, handler: answer((reply) => void reply.removeHeader('link')) }),
    ],
  })
  const all = `${links}, ${next}`
  for (const path of ['header', 'twice', 'joined', 'raw', 'response', 'error'])
    assert.equal((await ask(server, `/${path}`)).link, all, path)
  assert.deepEqual([(await ask(server, '/list')).link].flat().join(', '), all)
  assert.equal((await ask(server, '/removed')).link, undefined)
})

const refusals: [what: string, deprecated: unknown, message: RegExp][] = [
  ['a text', 'yes', /has a deprecated that is neither true, false nor an object/],
  ['no date of the beginning', { sunset: '2026-12-31' }, /has a deprecated without 'since'\. Write the day since which/],
  [
    'another key',
    { since: '2026-06-30', until: '2026-12-31' },
    /has 'until' in deprecated, which has no such key\. Keys are: since, sunset, link/,
  ],
  ['a day that does not exist', { since: '2026-02-30' }, /has a 'since' in deprecated that is not a date\. Write an ISO date/],
  ['a time without a zone', { since: '2026-06-30T10:00:00' }, /has a 'since' in deprecated that is not a date/],
  ['an hour that does not exist', { since: '2026-06-30T25:00:00Z' }, /has a 'since' in deprecated that is not a date/],
  ['a number', { since: 1_688_169_599 }, /has a 'since' in deprecated that is not a date/],
  ['an invalid Date', { since: new Date('x') }, /has a 'since' in deprecated that is not a date/],
  ['a text as the end', { since: '2026-06-30', sunset: 'soon' }, /has a 'sunset' in deprecated that is not a date/],
  ['an end before the beginning', { since: '2026-06-30', sunset: '2026-06-29' }, /has a 'sunset' in deprecated that is before its 'since'/],
  ['a relative link', { since: '2026-06-30', link: 'changes' }, /has a 'link' in deprecated that is neither an absolute URL nor a path/],
  ['a link to a script', { since: '2026-06-30', link: 'javascript:alert(1)' }, /has a 'link' in deprecated/],
  ['a link to another host without a scheme', { since: '2026-06-30', link: '//evil.example' }, /has a 'link' in deprecated/],
  ['a link that ends its brackets', { since: '2026-06-30', link: '/a>; rel="x' }, /has a 'link' in deprecated/],
  ['a link with a line break', { since: '2026-06-30', link: '/a\r\nset-cookie: a=b' }, /has a 'link' in deprecated/],
]
for (const [what, wrong, message] of refusals)
  rule('Deprecation 4', `${what} is refused on a route and on a context`, async (build) => {
    const error = { code: 'ALC_ERR_SETTING_INVALID', message }
    const fault = { code: 'DESCRIPTION_INVALID', message } as const
    const ofRoute = { name: 'root', routes: [get('/', { deprecated: wrong as Deprecation })] }
    await rejectsBoot(async () => (await build(ofRoute)).ready(), error, fault)
    const ofContext = { name: 'root', imports: [{ name: 'old', deprecated: wrong as Deprecation, routes: [get('/')] }] }
    await rejectsBoot(async () => (await build(ofContext)).ready(), error, fault)
  })
rule('Deprecation 4', 'deprecated in docs is refused, with the place where it belongs', async (build) => {
  const message = /has 'deprecated' in docs\. Write it beside docs, not in it/
  await rejectsBoot(
    async () => (await build({ name: 'root', routes: [get('/', { docs: { deprecated: true } as never })] })).ready(),
    { code: 'ALC_ERR_SETTING_INVALID', message },
    { code: 'DESCRIPTION_INVALID', message },
  )
})
rule('Deprecation 4', 'a hook onRoute that declares what is not correct fails the boot', async (build) => {
  const onRoute = (options: RouteSpec): void => void (options.deprecated = { since: 'yesterday' })
  const server = await build({ name: 'root', hooks: { onRoute }, routes: [get('/')] }).catch((error: unknown) => error as Server)
  await assert.rejects(async () => (server instanceof Error ? Promise.reject(server) : server.ready()), {
    code: 'ALC_ERR_SETTING_INVALID',
    message: /has a 'since' in deprecated that is not a date/,
  })
})
rule('Deprecation 5', 'a route past its sunset is served, and one line of the log names all of them', async (build) => {
  const lines: { readonly level: number; readonly msg: string }[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const over: Deprecation = { since: '2020-01-01', sunset: '2021-01-01' }
  const server = await build(
    {
      name: 'root',
      routes: [...Array.from({ length: 6 }, (_, index) => get(`/${index}`, { deprecated: over })), get('/later', { deprecated })],
    },
    { logger: { level: 'warn', stream } },
  )
  await server.ready()
  const shown = [0, 1, 2, 3, 4].map((index) => `GET /${index} (2021-01-01)`).join(', ')
  const text = `still served after their sunset: ${shown} and 1 more. Remove these routes, or write a later sunset.`
  assert.deepEqual(
    lines.map(({ level, msg }) => [level, msg]),
    [[40, text]],
  )
  assert.deepEqual(await ask(server, '/0'), { status: 200, ...none, deprecation: '@1577836800', sunset: 'Fri, 01 Jan 2021 00:00:00 GMT' })
})
