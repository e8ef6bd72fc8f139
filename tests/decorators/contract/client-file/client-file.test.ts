/** Clients as files: they compile alone, are small, and call the server that they were written for. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { transform } from '@swc/core'
import {
  Action,
  bootstrap,
  Controller,
  createServer,
  Delete,
  Get,
  HttpError,
  Plugin,
  Post,
  ref,
  Route,
  type RouteRequest,
  Schema,
  stream,
  declareReplies,
} from 'alcove'
import { clientFile, describe } from 'alcove/contract'
import { FormApp } from '../../../fixtures/form-app.js'
import { project } from '../../../fixtures/project.js'

@Schema({
  $id: 'Article',
  type: 'object',
  required: ['slug', 'kind'],
  properties: {
    slug: { type: 'string' },
    kind: { enum: ['news', 'story'] },
    tags: { type: 'array', items: { type: 'string' }, default: [] },
    parent: { $ref: '#' },
  },
})
class Article {
  slug!: string
  kind!: 'news' | 'story'
  tags!: string[]
  parent?: Article
}

class RequireToken {
  static readonly responses = { 401: { type: 'object', required: ['reason'], properties: { reason: { type: 'string' } } } }
  static readonly security = { bearer: { type: 'http', scheme: 'bearer' } } as const
  onRequest({ headers }: { headers: { authorization?: string } }) {
    if (headers.authorization !== 'Bearer 1') throw new HttpError(401, 'Send the token', { body: { reason: 'no token' } })
  }
}

const find = {
  params: { slug: { type: 'string' } },
  querystring: { type: 'object', required: ['lang'], properties: { lang: { enum: ['de', 'en'] }, page: { type: 'integer', default: 1 } } },
  response: { 200: ref(Article), 404: { type: 'object', properties: { hint: { type: 'string' } } } },
} as const
const add = { body: ref(Article), response: { 201: ref(Article), '5xx': { type: 'string' } } } as const

@Controller('/articles', { docs: { tags: ['articles'] } })
class ArticlesController {
  @Get({ path: '/:slug', docs: { summary: 'One article' } }, find)
  find({ params, query }: RouteRequest<typeof find>): Article {
    return { slug: `${params.slug} ${query.lang} ${query.page}`, kind: 'news', tags: ['a'] }
  }
  @Post({ status: 201 }, add)
  add({ body }: RouteRequest<typeof add>) {
    return body
  }
  @Delete({ path: '/:slug', status: 204, deprecated: true }, { response: { 204: { type: 'null' } } })
  delete() {}
  @Action(['PUT', 'PATCH'], '/:slug/image', { consumes: ['image/png'], body: { type: 'string', format: 'binary' } })
  image() {
    return 'stored'
  }
  @Get('/changes', { response: { 200: stream(ref(Article)) } })
  async *changes() {
    yield { slug: 'a', kind: 'news', tags: [] } as const
  }
}

@Route({ method: 'GET', path: '/files/*' })
class GetFile {
  handle({ params }: RouteRequest) {
    return params['*']
  }
}

@Plugin({ schemas: [Article], hooks: { onRequest: RequireToken }, routes: [ArticlesController, GetFile] })
class App {}

// Inside of the project, so that the compiler finds the types of Node.
const directory = mkdtempSync(join(tmpdir(), 'alcove-client-'))
mkdirSync(join(directory, 'node_modules'))
symlinkSync(join(project, 'node_modules/@types'), join(directory, 'node_modules/@types'))
after(() => rmSync(directory, { recursive: true }))

function compile(files: Record<string, string>, options: object): string {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  const compilerOptions = {
    target: 'ES2022',
    module: 'ESNext',
    moduleResolution: 'Bundler',
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    ...options,
  }
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(files) }))
  try {
    execFileSync(process.execPath, [join(project, 'node_modules/typescript/bin/tsc'), '-p', directory, '--pretty', 'false'], {
      encoding: 'utf8',
    })
    return ''
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

const strictest = {
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  isolatedModules: true,
  isolatedDeclarations: true,
  declaration: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
}

const use = `
import { type Article, articlesFindRoute, type ArticleInput, bindRoutes, createClient, getFileRoute } from './client.js'
const api = createClient({ baseUrl: 'http://localhost' })
const reply = await api.articles.find({ params: { slug: 'a' }, query: { lang: 'de' } })
if (reply.status === 200) reply.body satisfies Article
else if (reply.status === 401) reply.body.reason satisfies string
else if (reply.status === 404) reply.body.hint satisfies string | undefined
else reply.body satisfies unknown
const added = await api.articles.add({ body: { slug: 'a', kind: 'news' } satisfies ArticleInput })
if (added.status === 201) added.body.tags satisfies string[]
if (added.status === 500) added.body satisfies string
;(await api.articles.delete({ params: { slug: 'a' } }).expect(204)) satisfies undefined
await api.articles.imagePut({ params: { slug: 'a' }, body: new Blob(['a']) })
for await (const article of await api.articles.changes().expect(200)) article satisfies Article
await api.getFile({ params: { '*': 'a/b' }, signal: AbortSignal.timeout(1) })
api.articles.find.url({ params: { slug: 'a' }, query: { lang: 'de' } }) satisfies string
const some = bindRoutes({ articles: { find: articlesFindRoute }, file: getFileRoute }, { baseUrl: 'http://localhost' })
some satisfies { readonly articles: { readonly find: typeof api.articles.find }; readonly file: typeof api.getFile }
// @ts-expect-error this client has no such route
some.articles.add
// @ts-expect-error an object is no route
bindRoutes({ file: { path: '/' } }, {}).file({})
api.articles.changes.url() satisfies string
// @ts-expect-error a URL has no headers
api.articles.changes.url({ headers: {} })
// @ts-expect-error the language is part of the URL
api.articles.find.url({ params: { slug: 'a' } })
// @ts-expect-error the language is needed
await api.articles.find({ params: { slug: 'a' } })
// @ts-expect-error there is no such language
await api.articles.find({ params: { slug: 'a' }, query: { lang: 'fr' } })
// @ts-expect-error the kind is missing
await api.articles.add({ body: { slug: 'a' } })
// @ts-expect-error there is no such route
await api.articles.remove()
// @ts-expect-error no tags before the status is known
reply.body.tags
`

test('a client compiles alone, under the strictest options, with the types of Node and with those of a browser', () => {
  const files = { 'client.ts': clientFile(App), 'use.ts': use }
  assert.equal(compile(files, { ...strictest, lib: ['ES2023'], types: ['node'] }), '')
  assert.equal(compile(files, { ...strictest, lib: ['ES2023', 'DOM', 'DOM.Iterable'], types: [] }), '')
})

async function load(text: string): Promise<any> {
  const file = join(directory, `client-${Math.random().toString(36).slice(2)}.mjs`)
  const { code } = await transform(text, { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' } })
  writeFileSync(file, code)
  return import(pathToFileURL(file).href)
}

test('a client calls the server that it was written for', async () => {
  const server = await bootstrap(App)
  const { createClient } = await load(clientFile(App))
  const api = createClient({ baseUrl: await server.listen({ port: 0 }), headers: () => ({ authorization: 'Bearer 1' }) })
  assert.deepEqual(await api.articles.find({ params: { slug: 'a b/c' }, query: { lang: 'de' } }).expect(200), {
    slug: 'a b/c de 1',
    kind: 'news',
    tags: ['a'],
  })
  assert.deepEqual(await api.articles.add({ body: { slug: 'a', kind: 'news' } }).expect(201), { slug: 'a', kind: 'news', tags: [] })
  assert.equal(await api.articles.delete({ params: { slug: 'a' } }).expect(204), undefined)
  assert.equal(
    await api.articles
      .imagePatch({ params: { slug: 'a' }, body: Buffer.from('png') })
      .expect(415)
      .then(() => 'refused'),
    'refused',
  )
  assert.equal(await api.getFile({ params: { '*': 'x y/z' } }).expect(200), 'x y/z')
  assert.equal(
    api.articles.find.url({ params: { slug: 'a b' }, query: { lang: 'de' } }),
    `${server.listeningOrigin}/articles/a%20b?lang=de`,
  )
  for await (const article of await api.articles.changes().expect(200)) assert.deepEqual(article, { slug: 'a', kind: 'news', tags: [] })
  const refused = await createClient({ baseUrl: server.listeningOrigin }).getFile({ params: { '*': 'x' } })
  assert.deepEqual([refused.status, refused.body], [401, { reason: 'no token' }])
  await server.close()
})

test('a client of some routes has these, by the names and in the groups that it gives them', async () => {
  const server = await bootstrap(App)
  const { bindRoutes, articlesFindRoute, getFileRoute } = await load(clientFile(App))
  const options = { baseUrl: await server.listen({ port: 0 }), headers: () => ({ authorization: 'Bearer 1' }) }
  const api = bindRoutes({ news: { find: articlesFindRoute }, file: getFileRoute }, options)
  assert.deepEqual([Object.keys(api), Object.keys(api.news)], [['news', 'file'], ['find']])
  assert.equal((await api.news.find({ params: { slug: 'a' }, query: { lang: 'de' } }).expect(200)).slug, 'a de 1')
  assert.equal(await api.file({ params: { '*': 'x' } }).expect(200), 'x')
  await server.close()
})

test('a client makes a form of an object, with files, for routes that take forms only and for those that take JSON too', async () => {
  const server = await bootstrap(FormApp)
  const { photos } = (await load(clientFile(server))).createClient({ baseUrl: await server.listen({ port: 0 }) })
  const body = {
    title: 'a',
    file: new Blob(['1']),
    pages: [new Uint8Array([50]), new File(['3'], 'b.png')],
    tags: ['x', 'y'],
    stars: undefined,
  }
  const received = { title: 'a', file: 'file 1', pages: ['file 2', 'file 3'], tags: ['x', 'y'], stars: 1 }
  for (const call of [photos.add, photos.replace]) {
    assert.deepEqual(await call({ body }).expect(200), received)
    assert.deepEqual(await call({ body: { ...body, tags: ['x'], stars: 5 } }).expect(200), { ...received, tags: ['x'], stars: 5 })
    assert.equal((await call({ body: { ...body, stars: 'many' } })).status, 400)
  }
  const asJson = { body: { title: 'a', file: '1' }, headers: { 'content-type': 'application/json' } }
  assert.deepEqual(await photos.replace(asJson).expect(200), { title: 'a', file: '1', stars: 1 })
  await server.close()
})

test('isServerError knows the errors of the application, whatever their status is, by the form of its format', async () => {
  for (const errors of ['default', 'problem'] as const) {
    const server = createServer({ errorFormat: errors })
    server.get('/teapot', () => Promise.reject(new HttpError(418, 'short and stout')))
    const baseUrl = await server.listen({ port: 0 })
    const text = clientFile(server)
    const message = errors === 'default' ? 'message' : 'detail'
    const use = `
      import { createClient, isServerError, ReplyError } from './client.js'
      const reply = await createClient({ baseUrl: '' }).getTeapot()
      // @ts-expect-error it may come from a proxy
      if (reply.status === 418) reply.body.${message}
      if (reply.status === 418 && isServerError(reply)) reply.body.${message} satisfies string | undefined
      const error: unknown = await Promise.reject().catch((reason: unknown) => reason)
      if (error instanceof ReplyError && isServerError(error)) error.body.${message} satisfies string | undefined
    `
    assert.equal(compile({ 'client.ts': text, 'use.ts': use }, { ...strictest, lib: ['ES2023', 'DOM', 'DOM.Iterable'], types: [] }), '')
    const { createClient, isServerError } = await load(text)
    const reply = await createClient({ baseUrl }).getTeapot()
    assert.equal(isServerError(reply), true)
    assert.equal(reply.body[message], 'short and stout')
    assert.equal(isServerError({ ...reply, status: 502 }), false)
    const { title: _title, message: _message, ...rest } = reply.body
    for (const body of [undefined, null, '<h1>Bad gateway</h1>', 1, {}, rest, { ...reply.body, code: 7 }])
      assert.equal(isServerError({ ...reply, body }), false, JSON.stringify(body))
    await server.close()
  }
})

test('a class and the server that it becomes have one client', async () => {
  const server = await bootstrap(App)
  assert.equal(clientFile(server), clientFile(App))
  await server.close()
})

test('routes without classes are functions, and options leave routes out', async () => {
  const server = createServer()
  const guard = declareReplies(async () => {}, { responses: { 418: { type: 'string' } } })
  server.get('/users/:id?', { onRequest: guard, schema: { headers: { 'x-tenant': { type: 'integer' } } } }, () => 'a user')
  server.get('/old', () => 'old')
  server.get('/hidden', { docs: { hide: true } }, () => 'hidden')
  await server.ready()
  const text = clientFile(server, { include: ({ url }) => url !== '/old' })
  assert.match(text, /getUsersById: RouteFunction<\{[^]*params\?: \{ id\?: string \| number/)
  assert.match(text, /HttpReply<418, string>/)
  assert.doesNotMatch(text, /getOld|getHidden/)
  await server.close()
})

/** The constants of the routes, without their types. */
function entriesOf(text: string): string[] {
  return [...text.matchAll(/^export const (\w+): RouteEntry<.*> = (.*)$/gm)].map(([, name, entry]) => `${name}: ${entry}`)
}

test('a route at the prefix itself, which has a path with a slash and one without, is one function', async () => {
  @Controller('/')
  class NotesController {
    @Get()
    list() {}
  }
  @Plugin({ prefix: '/notes', routes: [NotesController] })
  class Notes {}
  assert.deepEqual(
    describe(Notes).routes.flatMap(({ isAutomatic, url }) => (isAutomatic ? [] : [url])),
    ['/notes', '/notes/'],
  )
  assert.deepEqual(entriesOf(clientFile(Notes)), ['notesListRoute: { method: "GET", path: ["/notes"] }'])
  const server = createServer()
  await server.register(async (scope) => void scope.post('/', () => 'made'), { prefix: '/made' })
  await server.ready()
  assert.deepEqual(entriesOf(clientFile(server)), ['postMadeRoute: { method: "POST", path: ["/made"] }'])
  await server.close()
})

test('an event stream is read by items, and a reply to HEAD has no body', async () => {
  const server = createServer()
  server.get('/ticks', { schema: { response: { 200: { content: { 'text/event-stream': { schema: { type: 'string' } } } } } } }, () => '')
  server.head('/size', { schema: { response: { 200: { type: 'integer' } } } }, () => 1)
  await server.ready()
  const text = clientFile(server)
  assert.match(text, /getTicks: .*HttpReply<200, EventStream<unknown>>/)
  assert.match(text, /headSize: .*HttpReply<200[^,]*, undefined>/)
  await server.close()
})

const dated = {
  type: 'object',
  required: ['at'],
  properties: {
    at: { type: 'string', format: 'date-time' },
    gone: { type: 'string', format: 'date-time', nullable: true },
    seen: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
    text: { type: 'string' },
  },
} as const

@Controller('/dates')
class DatesController {
  @Get('/one', { response: { 200: dated } })
  one() {
    return { at: '2026-01-02T03:04:05.000Z', gone: null, seen: '2026-01-03T03:04:05.000Z', text: '2026-01-02T03:04:05.000Z' }
  }
  @Post('/echo', { body: dated, response: { 201: dated } })
  echo({ body }: { body: any }) {
    return body
  }
}

test('with dates, received texts of the format date-time are dates, and what is sent stays a text', async () => {
  @Plugin({ routes: [DatesController] })
  class DatesApp {}
  const text = clientFile(DatesApp, { dates: true })
  const dates = `
    import { createClient } from './client.js'
    const api = createClient({ baseUrl: '' })
    const one = await api.dates.one().expect(200)
    one.at satisfies Date
    one.gone satisfies Date | null | undefined
    one.seen satisfies Date | null | undefined
    one.text satisfies string | undefined
    await api.dates.echo({ body: { at: one.at.toISOString() } })
    // @ts-expect-error a date is sent as its text
    await api.dates.echo({ body: { at: one.at } })
  `
  assert.equal(compile({ 'client.ts': text, 'use.ts': dates }, { ...strictest, lib: ['ES2023'], types: ['node'] }), '')
  const server = await bootstrap(DatesApp)
  const api = (await load(text)).createClient({ baseUrl: await server.listen({ port: 0 }) })
  assert.deepEqual(await api.dates.one().expect(200), {
    at: new Date('2026-01-02T03:04:05.000Z'),
    gone: null,
    seen: new Date('2026-01-03T03:04:05.000Z'),
    text: '2026-01-02T03:04:05.000Z',
  })
  await server.close()
  assert.doesNotMatch(clientFile(DatesApp), /: Date\b/)
})

const datedTexts = {
  type: 'object',
  required: ['at', 'list', 'byName', 'texts', 'any'],
  properties: {
    at: { type: 'string', format: 'date-time' },
    list: { type: 'array', items: dated },
    byName: { type: 'object', additionalProperties: { $ref: 'Visit#' } },
    texts: { type: 'object', additionalProperties: { type: 'string' } },
    any: {},
  },
} as const

@Schema({
  $id: 'Visit',
  type: 'object',
  required: ['at'],
  properties: {
    at: { type: 'string', format: 'date-time' },
    next: { $ref: '#' },
    either: { anyOf: [{ type: 'null' }, dated] },
    branch: { anyOf: [{ $ref: '#' }, { type: 'object', properties: { twig: { $ref: '#' } } }] },
  },
})
class Visit {}

@Controller('/visits')
class VisitsController {
  @Get('/all', { response: { 200: datedTexts, '4xx': ref(Visit) } })
  all() {
    const at = '2026-01-02T03:04:05.000Z'
    return {
      at,
      list: [{ at }],
      byName: { at: { at, next: { at }, either: { at }, branch: { at, branch: { twig: { at } } } } },
      texts: { at: 'noon' },
      any: { at: 'noon' },
    } as any
  }
  @Get('/failed', { response: { 200: { type: 'object', properties: { at: { type: 'string' } } }, '4xx': ref(Visit) } })
  failed(): never {
    throw new HttpError(410, 'gone', { body: { at: '2026-01-02T03:04:05.000Z' } })
  }
  @Get('/ticks', { response: { 200: stream(dated) } })
  async *ticks() {
    yield { at: '2026-01-02T03:04:05.000Z' }
  }
}

test('with dates, a text becomes a date where the schema has one, and nowhere else, whatever its name is', async () => {
  @Plugin({ schemas: [Visit], routes: [VisitsController] })
  class VisitsApp {}
  const text = clientFile(VisitsApp, { dates: true })
  const visits = `
    import { createClient } from './client.js'
    const all = await createClient({ baseUrl: '' }).visits.all().expect(200)
    all.at satisfies Date
    all.list[0]?.at satisfies Date | undefined
    all.byName['at']?.next?.at satisfies Date | undefined
    all.byName['at']?.either?.at satisfies Date | undefined
    all.texts['at'] satisfies string | undefined
  `
  assert.equal(compile({ 'client.ts': text, 'use.ts': visits }, { ...strictest, lib: ['ES2023'], types: ['node'] }), '')
  const server = await bootstrap(VisitsApp)
  const api = (await load(text)).createClient({ baseUrl: await server.listen({ port: 0 }) })
  const at = new Date('2026-01-02T03:04:05.000Z')
  assert.deepEqual(await api.visits.all().expect(200), {
    at,
    list: [{ at }],
    byName: { at: { at, next: { at }, either: { at }, branch: { at, branch: { twig: { at } } } } },
    texts: { at: 'noon' },
    any: { at: 'noon' },
  })
  assert.deepEqual(await api.visits.failed().expect(410), { at })
  for await (const tick of await api.visits.ticks().expect(200)) assert.deepEqual(tick, { at })
  await server.close()
})

test('a property that is a date in one alternative of a reply and another text in another is refused', () => {
  const other = { type: 'object', properties: { at: { type: 'string' } } } as const
  @Controller('/texts')
  class TextsController {
    @Get('', { response: { 200: { anyOf: [dated, other] } } })
    one(): any {}
  }
  @Plugin({ routes: [TextsController] })
  class Mixed {}
  assert.throws(
    () => clientFile(Mixed, { dates: true }),
    /^TypeError: The property 'at' is a date-time in one alternative of a reply and may be another text in another/,
  )
})

test('a default in what a guard declares makes no member certain, because no schema serializes its replies', async () => {
  const server = createServer()
  const payload = {
    $id: 'Refusal',
    type: 'object',
    required: ['code'],
    properties: { code: { type: 'string' }, hint: { type: 'string', default: 'none' } },
  }
  server.addSchema(payload)
  const guard = declareReplies(async () => {}, { responses: { 401: { $ref: 'Refusal#' } } })
  server.get('/guarded', { onRequest: guard, schema: { response: { 200: { $ref: 'Refusal#' } } } }, () => ({ code: 'a' }))
  await server.ready()
  const text = clientFile(server)
  assert.match(text, /HttpReply<200, Refusal> \| HttpReply<401, RefusalWithoutDefaults>/)
  assert.match(text, /export interface Refusal \{ code: string; hint: string \}/)
  assert.match(text, /export interface RefusalWithoutDefaults \{ code: string; hint\?: string \}/)
  await server.close()
})

test('a body is tied to the media type that its header names, unless it is that of the route or the value names its own', async () => {
  const server = createServer()
  const note = { type: 'object', required: ['text'], properties: { text: { type: 'string' } } } as const
  // Both cover the bodies of this context.
  server.addContentTypeParser(['text/csv', 'image/png'], { parseAs: 'string' }, (_request: unknown, text: string, done: any) =>
    done(null, { text }),
  )
  const seen: unknown[] = []
  server.post('/notes', { schema: { body: note } }, async ({ body, mediaType }) => void seen.push([mediaType, body]))
  const baseUrl = await server.listen({ port: 0 })
  const text = clientFile(server)
  const calls = `
    import { createClient } from './client.js'
    const { postNotes } = createClient({ baseUrl: '' })
    void [
      postNotes({ body: { text: 'a' } }),
      postNotes({ body: 'a,b', headers: { 'content-type': 'text/csv; charset=utf-8' } }),
      postNotes({ body: new Blob(['a'], { type: 'image/png' }) }),
      postNotes({ body: new Uint8Array(1), headers: { 'content-type': 'image/png' } }),
    ]
    // @ts-expect-error a text is sent as JSON, which the route does not take
    postNotes({ body: 'text' })
    // @ts-expect-error bytes do not name their media type
    postNotes({ body: new Uint8Array(1) })
    // @ts-expect-error the route does not read this media type
    postNotes({ body: 'a,b', headers: { 'content-type': 'text/html' } })
  `
  assert.equal(compile({ 'client.ts': text, 'use.ts': calls }, { ...strictest, lib: ['ES2023', 'DOM'], types: [] }), '')
  const { postNotes } = (await load(text)).createClient({ baseUrl })
  await postNotes({ body: { text: 'a' } }).expect(200)
  await postNotes({ body: 'a,b', headers: { 'content-type': 'text/csv' } }).expect(200)
  await postNotes({ body: new Blob(['a'], { type: 'image/png' }) }).expect(200)
  assert.deepEqual(seen, [
    ['application/json', { text: 'a' }],
    ['text/csv', { text: 'a,b' }],
    ['image/png', { text: 'a' }],
  ])
  await server.close()
})

test('models keep their names, unless the code of the client uses these', async () => {
  const words = [...new Set(readFileSync(join(project, 'decorators/client/runtime.ts'), 'utf8').match(/\b[A-Z]\w*/g))]
  const models = words.map(($id) => ({ $id, type: 'object', properties: { own: { type: 'string' } } }))
  const server = createServer()
  const parts = Object.fromEntries(models.map((model) => [model.$id, { $ref: `${model.$id}#` }]))
  for (const model of models) server.addSchema(model)
  server.get('/all', { schema: { response: { 200: { type: 'object', properties: parts } } } }, () => ({}))
  await server.ready()
  const text = clientFile(server)
  await server.close()
  for (const kept of ['Node', 'Form', 'Status', 'Class', 'Body', 'Text', 'Listed'])
    assert.match(text, new RegExp(`export interface ${kept} \\{`), kept)
  assert.match(text, /export interface Call2 \{/)
  assert.equal(compile({ 'client.ts': text }, { ...strictest, lib: ['ES2023', 'DOM', 'DOM.Iterable'], types: [] }), '')
})

test('statuses of a range are named by their first digit, and those beside it are left out', async () => {
  const server = createServer()
  const schema = {
    response: { 200: { type: 'null' }, 404: { type: 'string' }, '4xx': { type: 'object', properties: { a: { type: 'integer' } } } },
  } as const
  server.get('/range', { schema }, () => null)
  await server.ready()
  const text = clientFile(server)
  assert.match(text, /RangeReply<4, 404, \{ a\?: number \}>/)
  assert.match(text, /OtherReply<200 \| 404 \| 503, unknown, 4>/)
  const use = `
    import { createClient } from './client.js'
    const reply = await createClient({ baseUrl: '' }).getRange()
    if (reply.status === 404) reply.body satisfies string
    else if (reply.status === 409) reply.body.a satisfies number | undefined
    else if (reply.status === 501) {
      const isUnknown: unknown extends typeof reply.body ? true : false = true
      void isUnknown
    }
  `
  assert.equal(compile({ 'client.ts': text, 'use.ts': use }, { ...strictest, lib: ['ES2023'], types: ['node'] }), '')
  await server.close()
})

test('a file says what a call cannot do by itself: ask another host, or fulfil a constraint of the application', async () => {
  const server = createServer()
  server.get('/admin', { constraints: { host: 'admin.example.com' } }, () => 'admin')
  server.get('/versioned', { constraints: { version: '1.0.0' } }, () => 'versioned')
  await server.ready()
  const text = clientFile(server)
  assert.match(text, /\* Only at the host admin\.example\.com: make a client whose baseUrl has it\.\n[^]*getAdmin: /)
  assert.match(text, /getVersionedRoute: .* = \{ method: "GET", path: \["\/versioned"\], headers: \{ "accept-version": "1\.0\.0" \} \}/)
  assert.doesNotMatch(text, /constraint version/)
  await server.close()
})

test('each method of a route has a function', () => {
  const entries = entriesOf(clientFile(App))
  for (const method of ['Put', 'Patch'])
    assert.ok(entries.some((entry) => entry.startsWith(`articlesImage${method}Route: { method: "${method.toUpperCase()}"`)))
})

test('the file names what wrote it, is left out by linters, and has nothing of the server', () => {
  const text = clientFile(App)
  assert.match(text, /^\/\/ The client of App, written by `alcove client`\..*\n\/\* eslint-disable \*\/\n/)
  assert.doesNotMatch(text, /^import /m)
  assert.ok(text.includes(readFileSync(join(project, 'decorators/client/runtime.ts'), 'utf8').split('\n').at(-2)!))
})
