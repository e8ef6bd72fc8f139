/** URLs and guards: a guard protects its routes in every spelling of a URL. */
import assert from 'node:assert/strict'
import type { Server, ServerOptions } from 'alcove/lib'
import { exchange, get, wireTest } from './wire.js'
import { processorTime } from '../fixtures/elapse.js'

/** A guarded context beside an open one, each with its own not-found handler. */
function declareGuarded(server: Server): void {
  server.get('/open/:name', (request: any) => `open ${request.params.name}`)
  server.get('/open/:a-:b', (request: any) => `open ${request.params.a} ${request.params.b}`)
  server.setNotFoundHandler((_request, reply) => void reply.code(404).send('root not found'))
  server.register(
    async (guarded: Server) => {
      guarded.addHook('onRequest', async (_request, reply) => reply.code(401).send('guarded'))
      guarded.get('/', () => 'secret')
      guarded.get('/secret', () => 'secret')
      guarded.get('/item/:id', () => 'secret')
      guarded.get('/files/*', () => 'secret')
      guarded.options('/secret', () => 'secret')
      guarded.setNotFoundHandler(() => 'secret')
    },
    { prefix: '/admin' },
  )
}

const ways = [
  '/admin',
  '/admin/',
  '/admin/secret',
  '/admin/secret/',
  '/%61dmin/secret',
  '/admin/s%65cret',
  '/%61%64%6d%69%6e/%73%65%63%72%65%74',
  '//admin/secret',
  '/admin//secret',
  '///admin///secret',
  '/./admin/secret',
  '/open/../admin/secret',
  '/open/..%2fadmin/secret',
  '/open/%2e%2e/admin/secret',
  '/admin%2fsecret',
  '/admin%2Fsecret',
  '/admin/secret;x',
  '/admin;x/secret',
  '/;/admin/secret',
  '/admin/secret%00',
  '/admin%00/secret',
  '/%00/admin/secret',
  '/admin/secret%',
  '/admin/%',
  '/admin/%zz',
  '/admin/%c0%ae',
  '/admin/%ff',
  '/admin/item/%',
  '/admin/item/%2f',
  '/admin/files/%2e%2e/%2e%2e/x',
  '/ADMIN/secret',
  '/Admin/SECRET',
  '/admin/nothing',
  '/admin\\secret',
  '/admin/secret?x=%',
  '/admin/secret#x',
  '/admin/secret%3fx',
  '/admin%252fsecret',
  'http://other/admin/secret',
  'http://other/%61dmin/secret',
  'HTTP://other/admin/',
  'http://user@other/admin/secret',
  'admin/secret',
  '?/admin/secret',
  '/admin/' + 'x'.repeat(5000),
  '/admin/item/' + 'x'.repeat(5000),
  '/%',
  '/%2',
  '*',
]

const settings: Record<string, ServerOptions> = {
  'the default options': {},
  ignoreDuplicateSlashes: { ignoreDuplicateSlashes: true },
  ignoreTrailingSlash: { ignoreTrailingSlash: true },
  'caseSensitive: false': { caseSensitive: false },
  useSemicolonDelimiter: { useSemicolonDelimiter: true },
  'all leniency': { ignoreDuplicateSlashes: true, ignoreTrailingSlash: true, caseSensitive: false, useSemicolonDelimiter: true },
}

for (const [name, options] of Object.entries(settings)) {
  wireTest(
    `no spelling of a URL passes a guard, under ${name}`,
    declareGuarded,
    async ({ port, server }) => {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE', 'PROPFIND', 'BREW']) {
        for (const way of ways) {
          const [answer] = await exchange(port, `${method} ${way} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
          assert.ok(answer !== undefined, `${method} ${way} was not answered`)
          assert.ok(
            !answer.body.includes('secret') || /^root not found|"Route /.test(answer.body) || answer.status === 400,
            `${method} ${way}: ${answer.body}`,
          )
          assert.ok([400, 401, 404].includes(answer.status), `${method} ${way}: ${answer.status}`)
          if (!method.startsWith('BREW') && way.startsWith('/') && method !== 'HEAD') {
            const injected = await server.inject({ method: method as any, url: way }).catch(() => undefined)
            if (injected !== undefined)
              assert.ok([400, 401, 404].includes(injected.statusCode), `injected ${method} ${way}: ${injected.statusCode}`)
          }
        }
      }
    },
    options,
  )
}

wireTest(
  'a guard also protects the not-found handler, HEAD twins, and replies of its context to other methods',
  declareGuarded,
  async ({ port }) => {
    for (const [method, path] of [
      ['GET', '/admin/nothing'],
      ['HEAD', '/admin/secret'],
      ['HEAD', '/admin'],
      ['POST', '/admin/secret'],
      ['OPTIONS', '/admin/nothing'],
      ['GET', 'http://b/admin/nothing'],
      ['GET', '/admin/nothing?a=%'],
    ]) {
      const [answer] = await exchange(port, `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
      assert.equal(answer!.status, 401, `${method} ${path}`)
    }
  },
)

wireTest(
  'with lenient URLs the not-found handler of a context answers to the same spellings as its routes',
  declareGuarded,
  async ({ port }) => {
    for (const path of ['/ADMIN/nothing', '//admin//nothing', '/admin;x']) {
      assert.equal((await exchange(port, get(path)))[0]!.status, 401, path)
    }
  },
  { caseSensitive: false, ignoreDuplicateSlashes: true, useSemicolonDelimiter: true },
)

wireTest(
  'a malformed URL is answered by the root with the hooks of the root, for every method',
  (server) => {
    let count = 0
    server.addHook('onRequest', async (_request, reply) => void reply.header('x-count', String(++count)))
    server.get('/two', () => 'two')
    server.options('/three', () => 'three')
  },
  async ({ port }) => {
    for (const method of ['GET', 'OPTIONS', 'POST', 'DELETE', 'PATCH']) {
      for (const path of ['/two/%', '/two/%zz', '/%ff', '/two%']) {
        const [answer] = await exchange(port, `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
        assert.ok([400, 404].includes(answer!.status), `${method} ${path}`)
        assert.ok(answer!.headers['x-count'] !== undefined, `${method} ${path}`)
      }
    }
  },
)

wireTest(
  'a parameter that is too long is answered 404, and no pattern is run on it',
  (server) => {
    declareGuarded(server)
    server.get('/pattern/:id(^[a-z]+$)', () => 'matched')
    server.get('/multi/:a.:b-:c_:d', () => 'matched')
  },
  async ({ port }) => {
    for (const path of [`/open/${'x'.repeat(101)}`, `/pattern/${'a'.repeat(10_000)}!`, `/multi/${'.-_'.repeat(3000)}`]) {
      const start = processorTime()
      const [answer] = await exchange(port, get(path))
      assert.ok([404, 414].includes(answer!.status), path.slice(0, 20))
      assert.ok(processorTime() - start < 1000, `${path.slice(0, 20)} took too long`)
    }
  },
)

wireTest(
  'parameters, queries and headers named like members of prototypes are plain values',
  (server) => {
    const keys = { type: 'object', properties: { a: { type: 'string' } } }
    server.get('/echo/:__proto__', (request: any) => ({ own: Object.keys(request.params), query: Object.entries(request.query) }))
    server.get('/c/:constructor/:toString', (request: any) => ({
      value: request.params['constructor'],
      is: typeof request.params.toString,
    }))
    server.get('/checked', { schema: { querystring: keys, headers: keys } }, (request: any) => ({
      a: request.query.a ?? 'none',
      h: request.headers.polluted ?? 'none',
    }))
  },
  async ({ port }) => {
    for (const path of ['/echo/x?__proto__=1&constructor=2&__proto__[polluted]=1', '/c/x/y', '/checked?__proto__[a]=1&__proto__=2']) {
      const [answer] = await exchange(
        port,
        get(path, '__proto__: x\r\nconstructor: y\r\nprototype: z\r\ntoString: a\r\nhasOwnProperty: b\r\n'),
      )
      assert.equal(answer!.status, 200, `${path}: ${answer!.body}`)
    }
    assert.equal(({} as any).polluted, undefined)
    assert.equal((await exchange(port, get('/checked?__proto__=a')))[0]!.body, '{"a":"none","h":"none"}')
  },
)

wireTest(
  '100,000 query keys are read fast',
  (server) => server.get('/', (request: any) => Object.keys(request.query).length),
  async ({ server }) => {
    const url = `/?${Array.from({ length: 100_000 }, (_, index) => `k${index}=1`).join('&')}`
    const start = processorTime()
    assert.equal((await server.inject(url)).body, '100000')
    assert.ok(processorTime() - start < 2000)
  },
)
