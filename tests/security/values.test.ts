/** Values: a handler receives exactly the values that its schema allows. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, type Server } from 'alcove/lib'
import { exchange, get, post, wireTest } from './wire.js'
import { processorTime } from '../fixtures/elapse.js'

type Case = [title: string, body: unknown, status: number, got?: unknown]

function bodies(title: string, schema: object, cases: readonly Case[]): void {
  wireTest(
    title,
    (server) => server.post('/', { schema: { body: schema } }, (request) => ({ got: request.body })),
    async ({ port }) => {
      for (const [name, body, status, got = body] of cases) {
        const [answer] = await exchange(port, post('/', 'application/json', JSON.stringify(body)))
        assert.equal(answer!.status, status, `${name}: ${answer!.body}`)
        if (status === 200) assert.deepEqual(JSON.parse(answer!.body), { got }, name)
      }
    },
  )
}

describe('coercion and removal', () => {
  bodies(
    'an alternative that fails does not change the values that the others validate',
    {
      type: 'object',
      additionalProperties: false,
      properties: {
        one: { oneOf: [{ type: 'integer' }, { type: 'string' }] },
        any: {
          anyOf: [
            { type: 'object', additionalProperties: false, required: ['a'], properties: { a: { type: 'integer' } } },
            { type: 'object', additionalProperties: false, required: ['b'], properties: { b: { type: 'integer' } } },
          ],
        },
        no: { not: { type: 'string' } },
        count: { type: 'integer' },
      },
    },
    [
      ['a number where a string is allowed too', { one: 5 }, 200],
      ['a string where a number is allowed too', { one: 'x' }, 200],
      ['a string of digits', { one: '5' }, 200],
      ['a property of the second alternative', { any: { b: 1 } }, 200],
      ['a value that is not a string', { no: 5 }, 200],
      ['a string', { no: 'x' }, 400],
      ['a value that is valid after a removal', { one: 5, more: 1 }, 200, { one: 5 }],
      ['a value that is valid beside one that is coerced', { one: 5, count: '3' }, 200, { one: 5, count: 3 }],
      ['a value that is valid after a coercion', { any: { b: '1' } }, 200, { any: { b: 1 } }],
    ],
  )
  bodies(
    'properties that are removed do not count for minProperties',
    { type: 'object', minProperties: 2, additionalProperties: false, properties: { a: { type: 'integer' }, b: { type: 'integer' } } },
    [
      ['two', { a: 1, b: 2 }, 200],
      ['one and another that is removed', { a: 1, c: 2 }, 400],
      ['two and another that is removed', { a: 1, b: '2', c: 3 }, 200, { a: 1, b: 2 }],
    ],
  )
  bodies(
    'a value that one keyword coerced is still validated by the other',
    { type: 'array', items: { type: 'string' }, contains: { type: 'integer' } },
    [['a string that could be a number', ['1'], 400]],
  )
  wireTest(
    'a query parameter that two alternatives could accept keeps the type that was sent',
    (server) =>
      server.get(
        '/',
        {
          schema: {
            querystring: {
              type: 'object',
              properties: { n: { type: 'integer' }, v: { oneOf: [{ type: 'integer' }, { type: 'string' }] } },
            },
          },
        },
        (request) => request.query,
      ),
    async ({ port }) => {
      assert.equal((await exchange(port, get('/?v=x')))[0]!.body, '{"v":"x"}')
      assert.equal((await exchange(port, get('/?v=5&n=5')))[0]!.body, '{"v":"5","n":5}')
    },
  )
  bodies(
    'a multiple is computed with the decimals as they are written',
    { type: 'object', properties: { v: { type: 'number', multipleOf: 0.01 } } },
    [
      ['cents', { v: 19.99 }, 200],
      ['a third', { v: 0.3 }, 200],
      ['large', { v: 1e21 }, 200],
      ['small', { v: 1e-7 }, 400],
      ['half a cent', { v: 19.995 }, 400],
    ],
  )
})

describe('equality', () => {
  const item = { type: 'object' } as const
  bodies(
    'does not call functions by names that a client sent',
    {
      type: 'object',
      properties: {
        list: { type: 'array', uniqueItems: true, items: item },
        one: { const: { toString: [1], a: 1 } },
        of: { enum: [{ valueOf: 1 }, [1], 'x'] },
      },
    },
    [
      ['different', { list: [{ toString: 1 }, { toString: 2 }, { valueOf: null }, { constructor: [] }] }, 200],
      ['the same', { list: [{ toString: 1 }, { toString: 1 }] }, 400],
      ['the same lists', { list: [{ constructor: [1] }, { constructor: [1] }] }, 400],
      [
        'the same in another order',
        {
          list: [
            { a: 1, b: 2 },
            { b: 2, a: 1 },
          ],
        },
        400,
      ],
      ['the constant', { one: { a: 1, toString: [1] } }, 200],
      ['another', { one: { a: 1, toString: [2] } }, 400],
      ['one of the list', { of: { valueOf: 1 } }, 200],
      ['a list of the list', { of: [1] }, 200],
      ['a value that is not in the list', { of: { valueOf: 2 } }, 400],
    ],
  )
  wireTest(
    'of the items of a long list is decided fast',
    (server) => server.post('/', { schema: { body: { type: 'array', uniqueItems: true } } }, (request) => request.body.length),
    async ({ port }) => {
      const list = Array.from({ length: 70_000 }, (_, index) => ({ n: index }))
      const start = processorTime()
      const [answer] = await exchange(port, post('/', 'application/json', JSON.stringify(list)), 5000)
      assert.equal(answer!.body, '70000')
      assert.ok(processorTime() - start < 3000)
    },
  )
  wireTest(
    'of each item of a long list with each of many objects is decided fast',
    (server) => {
      const many = Array.from({ length: 300 }, (_, n) => ({ n }))
      server.post('/', { schema: { body: { type: 'array', items: { enum: many } } as any } }, (request: any) => request.body.length)
    },
    async ({ port }) => {
      const list = Array.from({ length: 60_000 }, () => ({ n: 299 }))
      const start = processorTime()
      const [answer] = await exchange(port, post('/', 'application/json', JSON.stringify(list)), 5000)
      assert.equal(answer!.body, '60000')
      assert.ok(processorTime() - start < 1500)
      assert.equal((await exchange(port, post('/', 'application/json', '[{"n":299},{"n":300}]')))[0]!.status, 400)
    },
  )
})

describe('names that every object inherits', () => {
  bodies(
    'count as missing unless they were sent',
    { type: 'object', required: ['constructor'], properties: { constructor: { type: 'string' }, toString: { type: 'integer' } } },
    [
      ['neither', {}, 400],
      ['one', { constructor: 'x' }, 200],
      ['both', { constructor: 'x', toString: 1 }, 200],
    ],
  )
  test('are not written into replies', async () => {
    const server = createServer()
    const properties = { constructor: { type: 'string' }, list: { type: 'array', items: { type: 'object', properties: { valueOf: {} } } } }
    server.get('/', { schema: { response: { 200: { type: 'object', properties } } } }, () => ({ list: [{}, { valueOf: 1 }] }))
    assert.equal((await server.inject('/')).body, '{"list":[{},{"valueOf":1}]}')
  })
  wireTest(
    'a copy of a query or a form cannot get another prototype',
    (server: Server) => {
      server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) =>
        done(
          null,
          Object.assign(Object.create(null), Object.fromEntries([...new URLSearchParams(text as string)].map(([k, v]) => [k, [v]]))),
        ),
      )
      const show = (value: any): unknown => ({
        names: Object.keys(value),
        isPlain: !Array.isArray(Object.getPrototypeOf(Object.assign({}, value))),
      })
      server.get('/', (request) => show(request.query))
      server.post('/', (request) => show(request.body))
      server.setNotFoundHandler((request) => show(request.query))
    },
    async ({ port }) => {
      for (const query of ['__proto__=a&__proto__=b&x=1', '%5f_proto__=a&__proto__=b&x=1']) {
        for (const path of ['/', '/missing'])
          assert.equal((await exchange(port, get(`${path}?${query}`)))[0]!.body, '{"names":["x"],"isPlain":true}', path)
        const [form] = await exchange(port, post('/', 'application/x-www-form-urlencoded', query))
        assert.equal(form!.body, '{"names":["x"],"isPlain":true}')
      }
    },
  )
})

wireTest(
  'a number in JSON that no double can hold is refused, with and without a schema',
  (server) => {
    server.post('/free', (request) => ({ got: request.body }))
    server.post('/open', { schema: { body: { type: 'object' } } }, (request) => ({ got: request.body }))
  },
  async ({ port }) => {
    for (const path of ['/free', '/open']) {
      for (const number of ['1e400', '-1E+400', `1e0000309`, '9'.repeat(400), `${'9'.repeat(250)}e70`]) {
        const [answer] = await exchange(port, post(path, 'application/json', `{"a":[{"n":${number}}]}`))
        assert.equal(answer!.status, 400, `${path} ${number.slice(0, 20)}`)
      }
      for (const number of ['1e308', '1e-400', '"1e400"', '9'.repeat(300)]) {
        const [answer] = await exchange(port, post(path, 'application/json', `{"a":[{"n":${number}}]}`))
        assert.equal(answer!.status, 200, `${path} ${number.slice(0, 20)}`)
      }
    }
  },
)

wireTest(
  'a missing body does not pass a schema with required properties, whether or not the schema has a type',
  (server) => {
    server.post('/asks', { schema: { body: { properties: { a: {} }, required: ['a'] } } }, () => 'ok')
    server.post('/may', { schema: { body: { properties: { a: {} } } } }, () => 'ok')
    server.post('/null', { schema: { body: { type: ['object', 'null'], required: ['a'] } } }, () => 'ok')
  },
  async ({ port, server }) => {
    for (const [path, status] of [
      ['/asks', 400],
      ['/may', 200],
      ['/null', 200],
    ] as const) {
      const [answer] = await exchange(port, `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
      assert.equal(answer!.status, status, path)
      assert.equal((await server.inject({ method: 'POST', url: path })).statusCode, status, path)
    }
  },
)

wireTest(
  'patterns of header names match in any case of the request',
  (server) =>
    server.get(
      '/',
      { schema: { headers: { type: 'object', patternProperties: { '^x-\\d+-[a-z]': { type: 'integer' } } } } as any },
      () => 'ok',
    ),
  async ({ port }) => {
    assert.equal((await exchange(port, get('/', 'X-1-A: 5\r\n')))[0]!.status, 200)
    for (const name of ['X-1-A', 'x-1-a']) assert.equal((await exchange(port, get('/', `${name}: text\r\n`)))[0]!.status, 400, name)
  },
)

wireTest(
  'a parser for a media type with parameters is found in any case',
  (server) => {
    server.addContentTypeParser('text/csv; Header=Present', { parseAs: 'string' }, (_request, _body, done) => done(null, 'with header'))
    server.addContentTypeParser('text/csv', { parseAs: 'string' }, (_request, _body, done) => done(null, 'without'))
    server.post('/', (request) => request.body)
  },
  async ({ port }) => {
    for (const type of ['text/csv; header=present', 'text/csv; Header=Present', 'TEXT/CSV;HEADER="PRESENT"'])
      assert.equal((await exchange(port, post('/', type, 'a')))[0]!.body, 'with header', type)
    assert.equal((await exchange(port, post('/', 'text/csv; header=absent', 'a')))[0]!.body, 'without')
  },
)

describe('formats', () => {
  const formats = { type: 'object', properties: { url: { format: 'url', type: 'string' }, byte: { format: 'byte', type: 'string' } } }
  bodies('accept exactly the strings that they describe', formats, [
    ['a URL', { url: 'https://user:p@ss:word@example.com:8080/a@b?c#d' }, 200],
    ['a URL of an address', { url: 'http://a@223.255.255.254/' }, 200],
    ['a URL without a host', { url: 'http://user:password@' }, 400],
    ['a URL with a blank', { url: 'http://example.com/a b' }, 400],
    ['a URL with a line after it', { url: 'http://example.com/\n' }, 400],
    ['a URL with a blank after it', { url: 'http://example.com/ ' }, 400],
    ['base64', { byte: 'AAAA+/8=' }, 200],
    ['base64 of several groups', { byte: 'AbZ9AAAA' }, 200],
    ['base64 of one byte more', { byte: 'AAAAYQ==' }, 200],
    ['base64 of nothing', { byte: '' }, 200],
    ['base64 of half a byte', { byte: 'AAAAY' }, 400],
    ['base64 of one byte with one character', { byte: 'Y==' }, 400],
    ['other characters than those of base64', { byte: 'A-_A' }, 400],
    ['other characters before the padding', { byte: '-_==' }, 400],
    ['other characters before a single padding', { byte: '-_-=' }, 400],
    ['base64 in one of its lines', { byte: '<script>\nAAAA' }, 400],
    ['a last line that is empty', { byte: '<script>\n' }, 400],
  ])
  wireTest(
    'are decided in a time that is linear in the length of the string',
    (server) => server.post('/', { schema: { body: formats } }, () => 'ok'),
    async ({ port }) => {
      const texts = [`http://${':'.repeat(50_000)}@`, `http://${':a@a.aa/'.repeat(20_000)} `, `http://a@${'a-'.repeat(50_000)}`]
      for (const url of texts) {
        const start = processorTime()
        const [answer] = await exchange(port, post('/', 'application/json', JSON.stringify({ url })), 5000)
        assert.equal(answer!.status, 400)
        assert.ok(processorTime() - start < 1000, url.slice(0, 20))
      }
    },
  )
})
