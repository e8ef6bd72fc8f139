/** Calls of a client file: the wrong ones do not compile, the right ones do, whatever a project says of optional properties. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Type } from '@sinclair/typebox'
import { createServer, HttpError, type RouteSchema, stream, declareReplies } from 'alcove'
import { clientFile } from 'alcove/contract'
import { z } from 'zod'
import { project } from '../../../fixtures/project.js'

const directory = mkdtempSync(join(tmpdir(), 'alcove-calls-'))
after(() => rmSync(directory, { recursive: true }))

async function writeClient(): Promise<string> {
  const server = createServer()
  const user = { type: 'object', required: ['id', 'name'], properties: { id: { type: 'integer' }, name: { type: 'string' } } } as const
  const guard = declareReplies(async () => {}, {
    responses: { 401: { type: 'object', required: ['reason'], properties: { reason: { type: 'string' } } } },
  })
  const route = (method: 'GET' | 'POST' | 'PUT', url: string, operationId: string, schema: RouteSchema): void =>
    void server.route({ method, url, docs: { operationId }, onRequest: guard, schema, handler: () => Promise.reject(new HttpError(404)) })
  route('GET', '/users/:id', 'find', {
    params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
    querystring: {
      type: 'object',
      required: ['lang'],
      properties: {
        lang: { enum: ['de', 'en'] },
        tags: { type: 'array', items: { type: 'string' } },
        page: { type: 'integer', default: 1 },
      },
    },
    headers: { type: 'object', required: ['x-tenant'], properties: { 'x-tenant': { type: 'integer' }, 'x-trace': { type: 'boolean' } } },
    response: { 200: user, 404: { type: 'object', required: ['hint'], properties: { hint: { type: 'string' } } } },
  })
  route('POST', '/users', 'add', {
    body: {
      type: 'object',
      required: ['name', 'role'],
      properties: {
        name: { type: 'string' },
        role: { enum: ['admin', 'reader'], default: 'reader' },
        tags: { type: 'array', items: { type: 'string' } },
        limits: { type: 'object', properties: { days: { type: 'integer' } }, additionalProperties: { type: 'string' } },
      },
    },
    response: { 201: user },
  })
  route('PUT', '/transformed', 'transformed', {
    querystring: z.object({ since: z.string().transform((text) => new Date(text)), limit: z.coerce.number().default(10) }),
    body: z.object({ count: z.string().transform(Number) }),
    response: { 204: { type: 'null' } },
  })
  route('PUT', '/box', 'box', { body: Type.Object({ name: Type.String(), age: Type.Optional(Type.Integer()) }), response: { 200: user } })
  route('PUT', '/maybe', 'maybe', { body: { ...user, nullable: true } })
  route('PUT', '/lacking', 'lacking', { body: z.object({ name: z.string() }).optional() })
  route('PUT', '/explicit', 'explicit', { body: z.object({ name: z.string() }).nullable() })
  route('GET', '/files/*', 'file', {})
  route('GET', '/posts/:year/:slug?', 'post', {})
  route('GET', '/ticks', 'ticks', {
    response: { 200: stream({ type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }) },
  })
  route('POST', '/upload', 'upload', { body: { content: { 'multipart/form-data': { schema: { type: 'object' } } } } })
  const file = { type: 'string', format: 'binary' } as const
  const photo = {
    $id: 'Photo',
    type: 'object',
    required: ['title', 'file'],
    properties: {
      title: { type: 'string' },
      file,
      stars: { type: 'integer', default: 0 },
      pages: { type: 'array', items: file },
      tags: { type: 'array', items: { type: 'string' } },
    },
  } as const
  server.addSchema(photo)
  route('POST', '/photo', 'photo', { body: { content: { 'multipart/form-data': { schema: { $ref: 'Photo#' } } } } })
  route('PUT', '/photo', 'consumed', { consumes: ['multipart/form-data'], body: { $ref: 'Photo#' } })
  route('POST', '/login', 'login', {
    body: {
      content: {
        'application/x-www-form-urlencoded': { schema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
      },
    },
  })
  route('POST', '/note', 'note', { body: { content: { 'text/plain': { schema: { type: 'string' } } } } })
  await server.ready()
  const text = clientFile(server)
  await server.close()
  return text
}

const right = [
  `find({ params: { id: 1 }, query: { lang: 'de' }, headers: { 'x-tenant': 1 } })`,
  `find({ params: { id: 1 }, query: { lang: 'de', page: 2, tags: ['a'] }, headers: { 'x-tenant': 1, 'x-trace': true, 'x-other': 'a' } })`,
  `find({ params: { id: 1 }, query: { lang: 'de', page: undefined, tags: undefined }, headers: { 'x-tenant': 1, 'x-trace': undefined } })`,
  `find({ params: { id: 1 }, query: { lang: 'de', tags: ['a', 'b'] as readonly string[] }, headers: { 'x-tenant': 1 } })`,
  `find({ params: { id: 1 }, query: { lang: 'de' }, headers: { 'x-tenant': 1 }, timeout: 10, retries: 1, cookies: { a: 'b' }, signal: AbortSignal.timeout(1) })`,
  `find.url({ params: { id: 1 }, query: { lang: 'de' } })`,
  `add({ body: { name: 'a' } })`,
  `add({ body: { name: 'a', role: 'admin', tags: ['a'] as const } })`,
  `add({ body: { name: 'a', limits: { days: 1, note: 'b' } }, query: { any: ['a', 1] } })`,
  `transformed({ query: { since: '2026-01-01' }, body: { count: '1' } })`,
  `transformed({ query: { since: '2026-01-01', limit: undefined }, body: { count: '1' } })`,
  `box({ body: { name: 'a' } })`,
  `box({ body: { name: 'a', age: 1 } })`,
  `maybe()`,
  `maybe({ body: null })`,
  `lacking()`,
  `explicit({ body: null })`,
  `maybe({ body: { id: 1, name: 'a' } })`,
  `file({ params: { '*': 'a/b' } })`,
  `post({ params: { year: 2026 } })`,
  `post({ params: { year: '2026', slug: undefined } })`,
  `ticks()`,
  `ticks({ headers: { 'last-event-id': '7' } })`,
  `upload({ body: new FormData() })`,
  `note({ body: 'text' })`,
  `ticks({ reconnect: true, timeout: 0 })`,
  `photo({ body: new FormData() })`,
  `photo({ body: { title: 'a', file: new Blob(['a']) } })`,
  `photo({ body: { title: 'a', file: new Uint8Array(1), stars: 1, pages: [new Blob(), new Uint8Array(1)] as const, tags: undefined } })`,
  `consumed({ body: { title: 'a', file: new Blob(['a']) } })`,
  `consumed({ body: { title: 'a', file: 'text' }, headers: { 'content-type': 'application/json' } })`,
  `login({ body: { name: 'a' } })`,
  `login({ body: new URLSearchParams() })`,
]

const wrong = [
  `find()`,
  `find({ params: { id: 1 }, headers: { 'x-tenant': 1 } })`,
  `find({ params: { id: 1 }, query: {}, headers: { 'x-tenant': 1 } })`,
  `find({ params: { id: 'one' }, query: { lang: 'de' }, headers: { 'x-tenant': 1 } })`,
  `find({ params: {}, query: { lang: 'de' }, headers: { 'x-tenant': 1 } })`,
  `find({ params: { id: 1, name: 'a' }, query: { lang: 'de' }, headers: { 'x-tenant': 1 } })`,
  `find({ params: { id: undefined }, query: { lang: 'de' }, headers: { 'x-tenant': 1 } })`,
  `find({ params: { id: 1 }, query: { lang: 'fr' }, headers: { 'x-tenant': 1 } })`,
  `find({ params: { id: 1 }, query: { lang: undefined }, headers: { 'x-tenant': 1 } })`,
  `find({ params: { id: 1 }, query: { lang: 'de', pages: 1 }, headers: { 'x-tenant': 1 } })`,
  `find({ params: { id: 1 }, query: { lang: 'de', page: 'two' }, headers: { 'x-tenant': 1 } })`,
  `find({ params: { id: 1 }, query: { lang: 'de', tags: 'a' }, headers: { 'x-tenant': 1 } })`,
  `find({ params: { id: 1 }, query: { lang: 'de' } })`,
  `find({ params: { id: 1 }, query: { lang: 'de' }, headers: {} })`,
  `find({ params: { id: 1 }, query: { lang: 'de' }, headers: { 'x-tenant': 'a' } })`,
  `find({ params: { id: 1 }, query: { lang: 'de' }, headers: { 'x-tenant': 1, 'x-trace': 'yes' } })`,
  `find({ params: { id: 1 }, query: { lang: 'de' }, headers: { 'x-tenant': 1 }, body: {} })`,
  `find({ params: { id: 1 }, querystring: { lang: 'de' }, headers: { 'x-tenant': 1 } })`,
  `find({ params: { id: 1 }, query: { lang: 'de' }, headers: { 'x-tenant': 1 }, timeout: '1s' })`,
  `find.url({ params: { id: 1 } })`,
  `add()`,
  `add({ body: {} })`,
  `add({ body: { name: 1 } })`,
  `add({ body: { name: 'a', role: 'owner' } })`,
  `add({ body: { name: 'a', nmae: 'b' } })`,
  `add({ body: 'text' })`,
  `add({ body: new FormData() })`,
  `add({ body: { name: 'a', limits: { days: 'b', note: 1 } } })`,
  `transformed({ query: { since: new Date() }, body: { count: '1' } })`,
  `transformed({ query: { since: '2026-01-01' }, body: { count: 1 } })`,
  `transformed({ body: { count: '1' } })`,
  `box({ body: { name: 'a', age: 'b' } })`,
  `box({ body: { age: 1 } })`,
  `maybe({ body: { id: 1 } })`,
  `explicit()`,
  `file()`,
  `file({ params: { path: 'a' } })`,
  `post()`,
  `post({ params: { slug: 'a' } })`,
  `upload({ body: { file: 'a' } })`,
  `upload({})`,
  `photo({ body: { title: 'a' } })`,
  `photo({ body: { title: 'a', file: 'text' } })`,
  `photo({ body: { title: new Blob(), file: new Blob() } })`,
  `photo({ body: { title: 'a', file: new Blob(), tilte: 'b' } })`,
  `photo({ body: { title: 'a', file: new Blob(), pages: new Blob() } })`,
  `photo({ body: 'text' })`,
  `consumed({ body: { title: 'a', file: 'text' } })`,
  `login({ body: { name: 1 } })`,
  `login({ body: new FormData() })`,
  `find({ params: { id: 1 }, query: { lang: 'de' }, headers: { 'x-tenant': 1 }, reconnect: true })`,
  `ticks({ reconnect: 3 })`,
  `note({ body: { text: 'a' } })`,
  `remove({ params: { id: 1 } })`,
  `Users.find()`,
]

const replies = `
const found = await api.find({ params: { id: 1 }, query: { lang: 'de' }, headers: { 'x-tenant': 1 } })
if (found.status === 200) found.body.name satisfies string
if (found.status === 401) found.body.reason satisfies string
if (found.status === 404) found.body.hint satisfies string
if (found.status === 503) found.body.message satisfies string
// @ts-expect-error the body is known when the status is
found.body.name
if (found.status === 200)
  // @ts-expect-error the schema lets no such member through
  found.body.secret
// @ts-expect-error no reply has this status
await api.add({ body: { name: 'a' } }).expect(100)
// @ts-expect-error this is the body of the status 201
;(await api.add({ body: { name: 'a' } }).expect(401)).id
;(await api.transformed({ query: { since: 'a' }, body: { count: '1' } }).expect(204)) satisfies undefined
for await (const { n } of await api.ticks().expect(200)) n satisfies number
for await (const { event, id, data } of (await api.ticks().expect(200)).events()) {
  event satisfies string
  id satisfies string | undefined
  data.n satisfies number
}
// @ts-expect-error a stream has no items before it is read
;(await api.ticks().expect(200)).n
// @ts-expect-error the option is called baseUrl
createClient({ baseURL: 'https://example.com' })
`

function compile(use: string, exactOptionalPropertyTypes: boolean): string {
  const compilerOptions = {
    target: 'ES2022',
    module: 'ESNext',
    moduleResolution: 'Bundler',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    types: [],
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes,
  }
  writeFileSync(join(directory, 'use.ts'), use)
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }))
  try {
    const compiler = join(project, 'node_modules/typescript/bin/tsc')
    return execFileSync(process.execPath, [compiler, '-p', directory, '--pretty', 'false'], { encoding: 'utf8' })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

for (const isExact of [true, false])
  test(`${right.length} right calls compile and ${wrong.length} wrong ones do not, ${isExact ? 'with' : 'without'} exactOptionalPropertyTypes`, async () => {
    writeFileSync(join(directory, 'client.ts'), await writeClient())
    const calls = [
      `import { createClient } from './client.js'\nconst api = createClient({ baseUrl: '' })`,
      ...right.map((call) => `api.${call}`),
      ...wrong.map((call) => `// @ts-expect-error\napi.${call}`),
      replies,
    ]
    assert.equal(compile(calls.join('\n'), isExact), '')
  })
