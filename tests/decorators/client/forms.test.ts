/** Forms that clients make of objects, against a server that reads them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, type Server } from 'alcove'
import { toForm } from '../../../decorators/client/forms.js'
import { callRoute, type RouteEntry } from '../../../decorators/client/runtime.js'
import { listen } from '../../fixtures/listening-servers.js'

const route: RouteEntry = { method: 'POST', path: ['/'], body: 'multipart/form-data', form: toForm }

/** A server that answers with the fields of a form in their order. */
function formServer(): Server {
  const server = createServer()
  const parse = async (request: any, bytes: Buffer): Promise<unknown> => {
    const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': request.headers['content-type'] } }).formData()
    return Promise.all(
      [...form].map(async ([name, value]) =>
        typeof value === 'string' ? [name, value] : [name, value.name, value.type, await value.text()],
      ),
    )
  }
  server.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, parse as any)
  server.post('/', async ({ body }) => body)
  return server
}

test('the members of an object are the fields of a form; a Blob, a File and bytes are files, a list has a field for each item', async () => {
  await using at = await listen(formServer())
  const body = {
    title: 'a "title"\r\n\u00e9',
    count: 7,
    isPublic: false,
    none: null,
    left: undefined,
    tags: ['a', 'b', undefined],
    empty: [],
    place: { lat: 1 },
    text: new Blob(['text'], { type: 'text/plain' }),
    named: new File(['png'], 'a.png', { type: 'image/png' }),
    bytes: new TextEncoder().encode('bytes'),
    pages: [new Blob(['1']), new Blob(['2'])],
  }
  assert.deepEqual(await callRoute(route, { body }, at).expect(200), [
    ['title', 'a "title"\r\n\u00e9'],
    ['count', '7'],
    ['isPublic', 'false'],
    ['none', ''],
    ['tags', 'a'],
    ['tags', 'b'],
    ['place', '{"lat":1}'],
    ['text', 'blob', 'text/plain', 'text'],
    ['named', 'a.png', 'image/png', 'png'],
    ['bytes', 'blob', 'application/octet-stream', 'bytes'],
    ['pages', 'blob', 'application/octet-stream', '1'],
    ['pages', 'blob', 'application/octet-stream', '2'],
  ])
})

test('a header names the form if the route writes another media type, and JSON if it writes forms', async () => {
  await using at = await listen(formServer())
  const { body: _body, ...json } = route
  const headers = { 'Content-Type': 'multipart/form-data' }
  assert.deepEqual(await callRoute(json, { body: { a: 1 }, headers }, at).expect(200), [['a', '1']])
  assert.deepEqual(await callRoute(json, { body: { a: 1 } }, at).expect(200), { a: 1 })
  const asJson = { 'content-type': 'application/json' }
  assert.deepEqual(await callRoute(route, { body: { a: 1 }, headers: asJson }, at).expect(200), { a: 1 })
})

test('a FormData is sent as it is', async () => {
  await using at = await listen(formServer())
  const form = new FormData()
  form.append('a', '1')
  assert.deepEqual(await callRoute(route, { body: form }, at).expect(200), [['a', '1']])
})
