/** Calls of routes from outside: arguments and replies are those of the methods. */
import { Controller, Get, Plugin, Post, type RouteRequest, Schema, testServer } from 'alcove'
import { type Client, client, type ErrorPayload } from 'alcove/client'

const find = {
  params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  querystring: { type: 'object', properties: { full: { type: 'boolean' } } },
  response: {
    200: { type: 'object', required: ['id', 'at'], properties: { id: { type: 'integer' }, at: { type: 'string', format: 'date-time' } } },
    404: { type: 'object', required: ['reason'], properties: { reason: { enum: ['gone', 'unknown'] } } },
  },
} as const
const add = {
  body: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  headers: { type: 'object', required: ['x-tenant'], properties: { 'x-tenant': { type: 'integer' } } },
  response: { '2xx': { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }, default: { type: 'string' } },
} as const
const create = Post('/made', {
  body: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  response: { 201: { type: 'integer' } },
})

@Controller('/users')
class Users {
  readonly kind = 'users'
  @Get('/:id')
  @Schema(find)
  find({ params }: RouteRequest<typeof find>) {
    return { id: params.id, at: new Date() }
  }

  @Post()
  @Schema(add)
  add(_request: RouteRequest<typeof add>) {
    return { id: 1 }
  }

  @create
  create({ body }: RouteRequest<typeof create>) {
    return body.name.length
  }

  @Get('/plain')
  plain() {
    return { at: new Date(), tags: ['a'] }
  }
}

const users = client<Users>({}, { baseUrl: '' })
users satisfies Client<Users>

const found = await users.find({ params: { id: 1 }, query: { full: true }, timeout: 1000, signal: AbortSignal.timeout(1) })
if (found.status === 200) {
  found.body.id satisfies number
  found.body.at satisfies string
  found.headers.get('etag') satisfies string | null
} else if (found.status === 404) {
  found.body.reason satisfies 'gone' | 'unknown'
} else {
  found.body satisfies ErrorPayload
  // @ts-expect-error the statuses of the schema are those above
  found.status satisfies 200 | 404
}
const { status, body } = await users.find({ params: { id: 1 } })
if (status === 404) body.reason satisfies string
;(await users.find({ params: { id: 1 } }).expect(200)).id satisfies number
;(await users.find({ params: { id: 1 } }).expect()).id satisfies number
;(await users.find({ params: { id: 1 } }).expect(200, 404)) satisfies { id: number } | { reason: string }

const added = await users.add({ body: { name: 'a' }, headers: { 'x-tenant': 1, 'x-other': 'b' } })
if (added.status === 202) added.body.id satisfies number
if (added.status === 500) added.body satisfies string
;(await users.create({ body: { name: 'a' } }).expect(201)) satisfies number
const plain = await users.plain()
if (plain.status < 400) plain.headers satisfies Headers
;(await users.plain().expect(200)).at satisfies string
const other = await client<Users, { reason: string }>({}, { baseUrl: '' }).find({ params: { id: 1 } })
if (other.status === 500) other.body.reason satisfies string

// 1
// @ts-expect-error the parameters are needed
await users.find()
// 2
// @ts-expect-error the id is an integer
await users.find({ params: { id: 'one' } })
// 3
// @ts-expect-error there is no such parameter
await users.find({ params: { id: 1, name: 'a' } })
// 4
// @ts-expect-error full is a boolean
await users.find({ params: { id: 1 }, query: { full: 'yes' } })
// 5
// @ts-expect-error the body needs a name
await users.add({ body: {}, headers: { 'x-tenant': 1 } })
// 6
// @ts-expect-error the header is needed
await users.add({ body: { name: 'a' } })
// 7
// @ts-expect-error there is no such method
await users.remove({ params: { id: 1 } })
// 8
// @ts-expect-error a field is not a route
users.kind satisfies string
// 9
// @ts-expect-error the body is known when the status is
found.body.id satisfies number
// 10
// @ts-expect-error the reply of a 404 has no id
;(await users.find({ params: { id: 1 } }).expect(404)).id satisfies number
// 11
// @ts-expect-error a date arrives as a text
;(await users.find({ params: { id: 1 } }).expect(200)).at satisfies Date
// 12
// @ts-expect-error no reply has this status
await users.create({ body: { name: 'a' } }).expect(100)
// 13
// @ts-expect-error the option is called baseUrl
client<Users>({}, { baseURL: 'https://example.com' })
// 14
// @ts-expect-error a call has no such part
await users.find({ params: { id: 1 }, querystring: { full: true } })

@Plugin({ routes: [Users] })
class App {}

// The calls of a test server are the same, with the response of `inject`.
await using app = await testServer(App)
const injected = await app.call(Users, 'find', { params: { id: 1 } })
if (injected.status === 200) injected.body.id satisfies number
injected.response.statusCode satisfies number
;(await app.call(Users, 'create', { body: { name: 'a' } }).expect(201)) satisfies number
// @ts-expect-error the reply of a 404 has no id
;(await app.call(Users, 'find', { params: { id: 1 } }).expect(404)).id satisfies number
