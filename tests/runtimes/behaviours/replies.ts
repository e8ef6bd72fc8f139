import assert from 'node:assert/strict'
import { answers, type Behaviour } from '../client.js'

export const replies: readonly Behaviour[] = [
  answers('an object is sent as JSON', '/json', {
    json: { hello: 'world' },
    headers: { 'content-type': 'application/json; charset=utf-8' },
  }),
  answers('the length of a whole reply is stated', '/json', { headers: { 'content-length': '17' } }),
  answers('a string is sent as text', '/text', { body: 'text', headers: { 'content-type': 'text/plain; charset=utf-8' } }),
  answers('text is sent as UTF-8', '/unicode', { body: '¡héllo → 🌍!' }),
  {
    title: 'bytes are sent unchanged',
    async check(client) {
      const response = await client.send('/bytes')
      assert.equal(response.headers.get('content-type'), 'application/octet-stream')
      assert.deepEqual([...new Uint8Array(await response.arrayBuffer())], [0, 255, 10, 13])
    },
  },
  answers('null is sent as JSON', '/null', { body: 'null' }),
  answers('a reply without a payload is empty', '/empty', { body: '' }),
  answers('a reply with status 204 has no body', '/no-content', { status: 204, body: '', headers: { 'content-type': null } }),
  answers('a reply with status 304 has no body, and keeps its headers', '/not-modified', {
    status: 304,
    body: '',
    headers: { etag: '"1"' },
  }),
  answers('status and headers of a reply are chosen by the handler', '/created', {
    status: 201,
    json: { id: 1 },
    headers: { location: '/json' },
  }),
  answers('a redirect has a location', '/redirect', { status: 302, headers: { location: '/json' } }),
  answers('a redirect may state another status', 'POST /redirect', { status: 303, headers: { location: '/json?from=post' } }), // prettier-ignore
  answers('the media type of a reply is chosen by the handler', '/html', { body: '<p>hi</p>', headers: { 'content-type': 'text/html' } }),
  answers('several headers are sent', '/headers', { headers: { 'x-one': '1', 'x-two': 'two', 'cache-control': 'no-store' } }),
  answers('a header may have bytes of Latin-1', '/latin1', { headers: { 'x-name': 'caf\u00E9' } }),
  answers('a header with a line break is refused', '/invalid-header', { status: 500, headers: { 'x-a': null, 'x-b': null } }),
  answers('any status of a final response can be sent', '/teapot', { status: 418, json: { short: 'stout' } }),
  {
    title: 'the text of the status is sent',
    check: async (client) => assert.equal((await client.send('/status-text')).statusText, 'Mine'),
  },
  answers('a HEAD request gets the headers of the GET reply', 'HEAD /json', { body: '', headers: { 'content-length': '17' } }),
  answers('a HEAD request to a stream gets its headers', 'HEAD /streams/node', { body: '' }),
  answers('a returned Response is sent', '/web-response', { status: 202, body: 'from the web', headers: { 'x-from': 'web' } }),
  answers('a handler may write the raw response', '/raw/whole', { status: 203, body: 'raw', headers: { 'x-raw': 'yes' } }),
  answers('a handler may write the raw response in pieces', '/raw/pieces', {
    body: 'one two three',
    headers: { 'content-type': 'text/plain' },
  }),
  answers('headers of the raw response are sent too', '/raw/headers', {
    json: { names: ['x-set'], has: true, sent: false },
    headers: { 'x-set': '1, 2, 3', 'x-gone': null },
  }),
  {
    title: 'several cookies are sent',
    async check(client) {
      const response = await client.send('/cookies')
      assert.deepEqual(response.headers.getSetCookie(), ['a=1; Path=/; SameSite=Lax', 'b=x%20y; HttpOnly; SameSite=Lax'])
    },
  },
  {
    title: 'several cookies of a returned Response are sent',
    check: async (client) => assert.deepEqual((await client.send('/web-cookies')).headers.getSetCookie(), ['a=1', 'b=2']),
  },
  answers('cookies of the request are parsed', '/cookies/read', { json: { a: '1', b: 'x y' } }, { headers: { cookie: 'a=1; b=x%20y' } }),
  {
    title: 'a cookie that was set comes back',
    async check(client) {
      const set = (await client.send('/cookies')).headers.getSetCookie().map((each) => each.slice(0, each.indexOf(';')))
      const response = await client.send('/cookies/read', { headers: { cookie: set.join('; ') } })
      assert.deepEqual(await response.json(), { a: '1', b: 'x y' })
    },
  },
  {
    title: 'a cookie is cleared',
    async check(client) {
      const [cookie] = (await client.send('/cookies/clear')).headers.getSetCookie()
      assert.match(cookie ?? '', /^a=; .*Expires=Thu, 01 Jan 1970 00:00:00 GMT/)
    },
  },
]
