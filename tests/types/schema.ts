/** What the types of schemas, handlers and decorators allow and refuse. */
import {
  Controller,
  createServer,
  factory,
  type FromSchema,
  Get,
  type Optional,
  Post,
  ref,
  type Reply,
  type Request,
  requestDecorator,
  Route,
  type RouteRequest,
  type RouteSchema,
  Schema,
  token,
} from 'alcove'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
declare function expectTrue<T extends true>(): T

// Types out of schemas
const user = {
  $id: 'User',
  type: 'object',
  required: ['id', 'tags'],
  properties: {
    id: { type: 'integer' },
    name: { type: 'string', nullable: true },
    role: { enum: ['admin', 'reader'], default: 'reader' },
    tags: { type: 'array', items: { type: 'string' } },
  },
} as const
expectTrue<Equal<FromSchema<typeof user>, { id: number; tags: string[]; role: 'admin' | 'reader'; name?: string | null }>>()
expectTrue<Equal<FromSchema<{ type: readonly ['string', 'null'] }>, string | null>>()
expectTrue<Equal<FromSchema<{ anyOf: readonly [{ type: 'string' }, { type: 'integer' }] }>, string | number>>()

// A library's own schemas
declare module 'alcove' {
  // eslint-disable-next-line typescript/no-unused-vars
  interface SchemaTypes<S> {
    mine: S extends { mine: infer T } ? T : never
  }
}
expectTrue<Equal<FromSchema<{ mine: Date }>, Date>>()

// Request parts: complete, shorthand, missing
const search = {
  querystring: { q: { type: 'string' }, page: { type: 'integer', default: 1 } },
  params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
} as const
declare const searched: RouteRequest<typeof search>
expectTrue<Equal<typeof searched.query, { page: number; q?: string }>>()
expectTrue<Equal<typeof searched.params, { id: number }>>()
expectTrue<Equal<typeof searched.body, unknown>>()

// An empty schema allows any value.
const anything = { body: {}, response: { 200: {} } } as const
declare const anySent: RouteRequest<typeof anything>
expectTrue<Equal<typeof anySent.body, unknown>>()

// Cookies: only of a schema that has them
// @ts-expect-error the schema has none
searched.cookies
const visit = {
  cookies: { type: 'object', required: ['session'], properties: { session: { type: 'string' }, page: { type: 'integer' } } },
} as const
declare const visited: RouteRequest<typeof visit>
expectTrue<Equal<typeof visited.cookies, { session: string; page?: number }>>()
export const asRequest: Request = visited
declare const visitedShort: RouteRequest<{ readonly cookies: { readonly page: { readonly type: 'integer' } } }>
expectTrue<Equal<typeof visitedShort.cookies, { page?: number }>>()
createServer().get('/', { schema: visit }, (request) => {
  expectTrue<Equal<typeof request.cookies, { session: string; page?: number }>>()
  // @ts-expect-error there is no such cookie
  return request.cookies.sesion
})
// @ts-expect-error the request of a route without schemas has no cookies
createServer().get('/', (request) => request.cookies)
@Controller()
export class Visits {
  @Get('/a', visit)
  find({ cookies }: RouteRequest<typeof visit>) {
    return cookies.session
  }
  @Get('/b', visit)
  written({ cookies }: { cookies: { session: string } }) {
    return cookies.session
  }
  // @ts-expect-error the page is an integer
  @Get('/c', visit)
  wrong({ cookies }: { cookies: { page?: string } }) {
    return cookies.page
  }
  // What a plugin has added is not compared if no schema describes it.
  @Get('/d', search)
  added({ cookies }: RouteRequest<typeof search> & { cookies: Record<string, string> }) {
    return cookies['session']
  }
}

// Request decorators
const Answer = requestDecorator('answer', 42)
const CurrentUser = requestDecorator('user', null).as<{ id: string } | null>()
declare const decorated: RouteRequest<unknown, [typeof Answer, Optional<typeof CurrentUser>]>
expectTrue<Equal<typeof decorated.answer, number>>()
expectTrue<Equal<typeof decorated.user, { id: string } | null | undefined>>()
// @ts-expect-error `user` was not asked for
void (null as unknown as RouteRequest<unknown, [typeof Answer]>).user

// A handler is held against its schemas
const create = {
  body: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  response: {
    201: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
    404: { type: 'object', properties: { reason: { type: 'string' } } },
  },
} as const

@Route({ method: 'POST', path: '/', status: 201 }, create)
export class Fits {
  handle({ body }: RouteRequest<typeof create>, reply: Reply<typeof create>) {
    if (body.name === '') return reply.code(404).send({ reason: 'empty' })
    return { id: body.name.length }
  }
}

// @ts-expect-error returns a string where the schema declares an integer
@Schema(create)
export class WrongResult {
  handle() {
    return { id: 'one' }
  }
}

// @ts-expect-error asks for a body that the schema does not describe
@Schema(create)
export class WrongBody {
  handle({ body }: { body: { name: number } }) {
    return { id: body.name }
  }
}

@Controller('/users')
export class Users {
  @Get('/:id', create)
  async one() {
    return Promise.resolve({ id: 1 })
  }

  @Post()
  // @ts-expect-error an asynchronous result is held against the schema too
  @Schema(create)
  async two() {
    return Promise.resolve({ id: true })
  }
}

// `reply.code(n).send` takes the body declared for n
declare const reply: Reply<typeof create>
reply.code(201).send({ id: 1 })
// @ts-expect-error 201 declares an integer
reply.code(201).send({ id: 'x' })
reply.code(404).send({ reason: 'gone' })

// A reference keeps the model's type
@Schema({ $id: 'Tag', type: 'object', required: ['label'], properties: { label: { type: 'string' } } })
class Tag {
  label!: string
}
const tag = ref(Tag)
expectTrue<Equal<FromSchema<typeof tag>, Tag>>()

// Factories are checked against what is injected
class Config {
  url = ''
}
const DB = token<{ query: (sql: string) => string }>('DB')
factory(DB, [Config], (config) => ({ query: (sql) => config.url + sql }))
// @ts-expect-error the factory gives something else than the token stands for
factory(DB, [Config], () => ({ query: 1 }))

// The programmatic face infers from the route's schema
const server = createServer()
server.post(
  '/:id',
  { schema: { params: { id: { type: 'integer' } }, body: { type: 'object', required: ['a'], properties: { a: { type: 'boolean' } } } } },
  (request) => {
    expectTrue<Equal<typeof request.params, { id?: number }>>()
    expectTrue<Equal<typeof request.body, { a: boolean }>>()
    return {}
  },
)

// A schema that declares no response leaves the reply as it is.
@Controller()
export class Unspecified {
  @Get('/a', { summary: 'Anything' })
  any(_request: RouteRequest, reply: Reply) {
    return reply.code(503).send({ any: 'thing' })
  }
}

// The keys of a route's schemas: parts, descriptions and extensions.
Schema({ params: {}, query: {}, headers: {}, cookies: {}, response: { 200: {} }, tags: ['a'], 'x-internal': true })
Schema({ $id: 'Model', type: 'object', properties: {} })
// @ts-expect-error `params` is misspelt
Schema({ parms: {} })
// @ts-expect-error OpenAPI calls it so
Schema({ body: {}, responses: { 200: {} } })
// A schema whose keys are not known to the compiler is checked at boot.
declare const someSchema: RouteSchema
Schema(someSchema)

// A route may have options without a schema, such as a compiler of its own.
const compiled = createServer()
compiled.post(
  '/',
  {
    validatorCompiler:
      ({ schema }) =>
      () => ({ value: schema }),
  },
  (request, reply) => reply.code(201).send({ body: request.body, id: request.params['id'] }),
)
compiled.post('/', { validatorCompiler: () => () => true, attachValidation: true }, async (request, reply) => {
  reply.send(request.validationError?.message)
})
compiled.get('/', { preHandler: (_request, _reply, done) => done() }, (request: Request, reply: Reply) => reply.send(request.query))
compiled.get('/', { serializerCompiler: () => (data) => String(data), handler: (request, reply) => reply.send(request.id) })
const responding = { response: { 200: { type: 'object', properties: { a: { type: 'string' } } } } } as const
compiled.get('/', { schema: responding, preHandler: (_request, _reply, done) => done() }, (_request, reply) => reply.send({ a: 'x' }))
// @ts-expect-error: the response schema says string
compiled.get('/', { schema: responding, preHandler: (_request, _reply, done) => done() }, (_request, reply) => reply.send({ a: 5 }))

// A body that may be null may be absent: it is undefined then. `strictNullChecks` makes a handler look at it.
const absent = { body: { type: ['object', 'null'], properties: { a: { type: 'string' } } } } as const
declare const absentBody: RouteRequest<typeof absent>
expectTrue<Equal<typeof absentBody.body, { a?: string } | null | undefined>>()
// @ts-expect-error the body may be absent
if (absentBody.body !== null) absentBody.body.a
absentBody.body?.a satisfies string | undefined
declare const nullableBody: RouteRequest<{
  body: { type: 'object'; nullable: true; required: ['a']; properties: { a: { type: 'integer' } } }
}>
expectTrue<Equal<typeof nullableBody.body, { a: number } | null | undefined>>()
declare const contentBody: RouteRequest<{ body: { content: { 'application/json': { schema: { type: ['string', 'null'] } } } } }>
expectTrue<Equal<typeof contentBody.body, string | null | undefined>>()

// A standard header has the type of its schema. The others keep theirs.
const sized = {
  headers: {
    type: 'object',

    properties: { 'Content-Length': { type: 'integer' }, 'x-trace': { type: 'integer' } },
  },
} as const
declare const sizedRequest: RouteRequest<typeof sized>
expectTrue<Equal<(typeof sizedRequest.headers)['content-length'], number | undefined>>()
expectTrue<Equal<(typeof sizedRequest.headers)['x-trace'], number | undefined>>()
expectTrue<Equal<typeof sizedRequest.headers.authorization, string | undefined>>()
expectTrue<Equal<(typeof sizedRequest.headers)['x-other'], string | string[] | undefined>>()
declare const authorized: RouteRequest<{ headers: { authorization: { type: 'string' } } }>
authorized satisfies Request
