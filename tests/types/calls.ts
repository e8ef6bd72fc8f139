/** Calls of a test server: what is sent has the types of the schemas before defaults and transformations, replies those of their statuses. */
import { Type } from '@sinclair/typebox'
import { Controller, Get, Model, Plugin, Post, ref, type Request, type RouteRequest, testServer } from 'alcove'
import { z } from 'zod'

class Article extends Model({
  $id: 'Article',
  type: 'object',
  required: ['slug', 'kind'],
  properties: {
    slug: { type: 'string' },
    kind: { enum: ['news', 'story'], default: 'news' },
    tags: { type: 'array', items: { type: 'string' }, default: [] },
  },
}) {
  toLine(): string {
    return `${this.slug} ${this.kind}`
  }
}

const find = {
  params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  querystring: {
    type: 'object',
    required: ['lang'],
    properties: { lang: { enum: ['de', 'en'] }, full: { type: 'boolean' }, page: { type: 'integer', default: 1 } },
  },
  headers: { type: 'object', properties: { 'X-Trace': { type: 'integer' } } },
  response: {
    200: { type: 'object', required: ['id', 'at'], properties: { id: { type: 'integer' }, at: { type: 'string', format: 'date-time' } } },
    404: { type: 'object', required: ['reason'], properties: { reason: { enum: ['gone', 'unknown'] } } },
  },
} as const
const add = {
  body: {
    type: 'object',
    required: ['name', 'role'],
    properties: {
      name: { type: 'string' },
      role: { type: 'string', default: 'reader' },
      tags: { type: 'array', items: { type: 'string' } },
      nested: { type: 'object', required: ['deep'], properties: { deep: { type: 'integer', default: 1 } } },
    },
  },
  headers: { type: 'object', required: ['x-tenant'], properties: { 'x-tenant': { type: 'integer' } } },
  response: { '2xx': { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }, default: { type: 'string' } },
} as const
const create = Post('/made', {
  body: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  response: { 201: { type: 'integer' } },
})
const transform = {
  querystring: z.object({ since: z.string().transform((text) => new Date(text)), limit: z.number().default(10) }),
  body: z.object({ count: z.string().transform(Number) }),
} as const
const shorthand = { querystring: { since: z.string().transform((text) => new Date(text)), limit: z.string().optional() } } as const
const box = { body: Type.Object({ name: Type.String(), tags: Type.Optional(Type.Array(Type.String())) }) } as const
const write = { body: ref(Article), response: { 201: ref(Article) } } as const
const upload = {
  body: {
    content: {
      'application/json': { schema: { type: 'object', properties: { a: { type: 'integer' } } } },
      'multipart/form-data': { schema: {} },
    },
  },
} as const
const file = { type: 'string', format: 'binary' } as const
const photo = {
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
const form = { body: { content: { 'multipart/form-data': { schema: photo } } } } as const
const consumed = { consumes: ['multipart/form-data'], body: photo } as const
const visit = {
  cookies: { type: 'object', required: ['session'], properties: { session: { type: 'string' }, page: { type: 'integer', default: 1 } } },
} as const
const clear = { body: { type: 'object', nullable: true, properties: { all: { type: 'boolean' } } } } as const

@Controller('/users')
class Users {
  readonly kind = 'users'
  @Get('/:id', find)
  find({ params }: RouteRequest<typeof find>) {
    return { id: params.id, at: new Date() }
  }
  @Post('', add)
  add(_request: RouteRequest<typeof add>) {
    return { id: 1 }
  }
  @create
  create({ body }: RouteRequest<typeof create>) {
    return body.name.length
  }
  @Get('/plain')
  plain() {
    return { at: new Date(), tags: ['a'], link: new URL('http://localhost'), line: () => 'a' }
  }
  @Post('/transformed', transform)
  transformed({ query, body }: RouteRequest<typeof transform>) {
    return query.since.getTime() + body.count
  }
  @Get('/shorthand', shorthand)
  shorthand({ query }: RouteRequest<typeof shorthand>) {
    return query.since.getTime()
  }
  @Post('/box', box)
  box({ body }: RouteRequest<typeof box>) {
    return body.name
  }
  @Post('/write', write)
  write({ body }: RouteRequest<typeof write>) {
    return body
  }
  @Post('/upload', upload)
  upload(_request: RouteRequest<typeof upload>) {}
  @Post('/form', form)
  form(_request: RouteRequest<typeof form>) {}
  @Post('/consumed', consumed)
  consumed(_request: RouteRequest<typeof consumed>) {}
  @Post('/clear', clear)
  clear(_request: RouteRequest<typeof clear>) {}
  @Get('/visit', visit)
  visit({ cookies }: RouteRequest<typeof visit>) {
    return cookies
  }
  @Get('/untyped/:id')
  untyped(_request: Request) {}
  @Post('/written/:id')
  written(_request: {
    params: { id: string }
    query: { q: string; n?: number }
    headers: { authorization: string }
    body: { list: string[] }
  }) {}
  helper(_count: number) {}
}

@Plugin({ schemas: [Article], routes: [Users] })
class App {}
await using app = await testServer(App)

// What is sent
await app.call(Users, 'find', { params: { id: 1 }, query: { lang: 'de', full: true }, headers: { 'x-trace': 1, 'x-other': 'b' } })
await app.call(Users, 'find', {
  params: { id: 1 },
  query: { lang: 'de', full: undefined },
  signal: AbortSignal.timeout(1),
  cookies: { a: '1' },
})
await app.call(Users, 'add', { headers: { 'x-tenant': 1 }, body: { name: 'a' } })
await app.call(Users, 'add', {
  headers: { 'x-tenant': 1 },
  body: { name: 'a', role: 'writer', nested: {}, tags: ['a'] as readonly string[] },
})
await app.call(Users, 'transformed', { query: { since: '2026-01-01' }, body: { count: '1' } })
await app.call(Users, 'shorthand', { query: { since: '2026-01-01', limit: undefined } })
await app.call(Users, 'box', { body: { name: 'a', tags: ['a'] as const } })
await app.call(Users, 'write', { body: { slug: 'a' } })
await app.call(Users, 'write', { body: { slug: 'a', kind: 'story', tags: [] } })
await app.call(Users, 'upload', { body: new FormData() })
await app.call(Users, 'upload', { body: { a: 1 } })
await app.call(Users, 'form', { body: new FormData() })
await app.call(Users, 'form', { body: { title: 'a', file: new Blob(['a']) } })
await app.call(Users, 'form', {
  body: { title: 'a', file: new File(['a'], 'a.txt'), stars: 1, pages: [new Uint8Array(1), new Blob([])] as const, tags: ['a'] },
})
await app.call(Users, 'consumed', { body: { title: 'a', file: new Uint8Array(1) } })
await app.call(Users, 'consumed', { body: { title: 'a', file: new Blob(['a']), pages: [] } })
await app.call(Users, 'clear')
await app.call(Users, 'untyped', { params: { id: 1 }, query: { a: ['b', 1] }, body: 'text' })
await app.call(Users, 'written', {
  params: { id: 'a' },
  query: { q: 'a', n: undefined },
  headers: { authorization: 'b' },
  body: { list: ['a'] as const },
})
await app.call(Users, 'plain')
await app.call(Users, 'plain', { cookies: { any: 'thing' } })
await app.call(Users, 'visit', { cookies: { session: 'a', page: 7 }, signal: AbortSignal.timeout(1) })
await app.call(Users, 'visit', { cookies: { session: 'a', page: undefined, other: 'b' } })

// @ts-expect-error the cookies are needed
await app.call(Users, 'visit')
// @ts-expect-error the page is an integer
await app.call(Users, 'visit', { cookies: { session: 'a', page: 'b' } })
// @ts-expect-error the session is needed
await app.call(Users, 'visit', { cookies: { page: 7 } })

// @ts-expect-error the parameters are needed
await app.call(Users, 'find', { query: { lang: 'de' } })
// @ts-expect-error the id is an integer
await app.call(Users, 'find', { params: { id: 'one' }, query: { lang: 'de' } })
// @ts-expect-error there is no such parameter
await app.call(Users, 'find', { params: { id: 1, name: 'a' }, query: { lang: 'de' } })
// @ts-expect-error the query is needed
await app.call(Users, 'find', { params: { id: 1 } })
// @ts-expect-error the language is needed
await app.call(Users, 'find', { params: { id: 1 }, query: { full: true } })
// @ts-expect-error there is no such language
await app.call(Users, 'find', { params: { id: 1 }, query: { lang: 'fr' } })
// @ts-expect-error full is a boolean
await app.call(Users, 'find', { params: { id: 1 }, query: { lang: 'de', full: 'yes' } })
// @ts-expect-error there is no such query parameter
await app.call(Users, 'find', { params: { id: 1 }, query: { lang: 'de', fool: true } })
// @ts-expect-error an optional header has the type of its schema
await app.call(Users, 'find', { params: { id: 1 }, query: { lang: 'de' }, headers: { 'x-trace': 'a' } })
// @ts-expect-error the part is called query
await app.call(Users, 'find', { params: { id: 1 }, querystring: { lang: 'de' } })
// @ts-expect-error the body needs a name
await app.call(Users, 'add', { headers: { 'x-tenant': 1 }, body: {} })
// @ts-expect-error the body is needed
await app.call(Users, 'add', { headers: { 'x-tenant': 1 } })
// @ts-expect-error the header is needed
await app.call(Users, 'add', { body: { name: 'a' } })
// @ts-expect-error the body has no such member
await app.call(Users, 'add', { headers: { 'x-tenant': 1 }, body: { name: 'a', nmae: 'b' } })
// @ts-expect-error the input is a text
await app.call(Users, 'transformed', { query: { since: '2026-01-01' }, body: { count: 1 } })
// @ts-expect-error the input is a text
await app.call(Users, 'transformed', { query: { since: new Date() }, body: { count: '1' } })
// @ts-expect-error the parameter is needed
await app.call(Users, 'shorthand', { query: {} })
// @ts-expect-error the input is a text
await app.call(Users, 'shorthand', { query: { since: new Date() } })
// @ts-expect-error the name is a text
await app.call(Users, 'box', { body: { name: 1 } })
// @ts-expect-error the slug is needed
await app.call(Users, 'write', { body: { kind: 'news' } })
// @ts-expect-error there is no such kind
await app.call(Users, 'write', { body: { slug: 'a', kind: 'poem' } })
// @ts-expect-error neither JSON nor a form
await app.call(Users, 'upload', { body: 'text' })
// @ts-expect-error a body is needed, whatever its members
await app.call(Users, 'upload')
// @ts-expect-error the file is needed
await app.call(Users, 'form', { body: { title: 'a' } })
// @ts-expect-error a file is no text
await app.call(Users, 'form', { body: { title: 'a', file: 'text' } })
// @ts-expect-error the title is a text
await app.call(Users, 'form', { body: { title: new Blob([]), file: new Blob([]) } })
// @ts-expect-error there is no such field
await app.call(Users, 'form', { body: { title: 'a', file: new Blob([]), tilte: 'b' } })
// @ts-expect-error the title is needed
await app.call(Users, 'consumed', { body: { file: new Blob([]) } })
// @ts-expect-error the member is a boolean
await app.call(Users, 'clear', { body: { all: 1 } })
// @ts-expect-error the query is needed
await app.call(Users, 'written', { params: { id: 'a' }, headers: { authorization: 'b' }, body: { list: [] } })
// @ts-expect-error the header is needed
await app.call(Users, 'written', { params: { id: 'a' }, query: { q: 'a' }, body: { list: [] } })
// @ts-expect-error there is no such method
await app.call(Users, 'remove', { params: { id: 1 } })
// @ts-expect-error a field is not a route
await app.call(Users, 'kind')
// @ts-expect-error a method that takes a number is not a route
await app.call(Users, 'helper')

// What is received
const found = await app.call(Users, 'find', { params: { id: 1 }, query: { lang: 'de' } })
if (found.status === 200) {
  found.body.id satisfies number
  found.body.at satisfies string
  found.response.statusCode satisfies number
} else if (found.status === 404) {
  found.body.reason satisfies 'gone' | 'unknown'
} else {
  found.body.message satisfies string | undefined
  // @ts-expect-error the statuses of the schema are those above
  found.status satisfies 200 | 404
}
const { status, body } = found
if (status === 404) body.reason satisfies string
const findOne = () => app.call(Users, 'find', { params: { id: 1 }, query: { lang: 'de' } })
;(await findOne().expect(200)).id satisfies number
;(await findOne().expect()).id satisfies number
;(await findOne().expect(200, 404)) satisfies { id: number } | { reason: string }
const added = await app.call(Users, 'add', { body: { name: 'a' }, headers: { 'x-tenant': 1 } })
if (added.status === 202) added.body.id satisfies number
if (added.status === 500) added.body satisfies string
;(await app.call(Users, 'create', { body: { name: 'a' } }).expect(201)) satisfies number
const plain = await app.call(Users, 'plain').expect(200)
plain.at satisfies string
plain.link satisfies string
// @ts-expect-error JSON has no methods
plain.line()
// @ts-expect-error the body is known when the status is
found.body.id satisfies number
// @ts-expect-error the reply of a 404 has no id
;(await findOne().expect(404)).id satisfies number
// @ts-expect-error a date arrives as a text
;(await findOne().expect(200)).at satisfies Date
// @ts-expect-error no reply has this status
await app.call(Users, 'create', { body: { name: 'a' } }).expect(100)
