/** What a handler may send and return for each status, on both faces. */
import {
  Controller,
  createServer,
  Delete,
  Get,
  Plugin,
  Post,
  type Reply,
  type ResponseBody,
  Route,
  type RouteRequest,
  type RouteResult,
  Schema,
} from 'alcove'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
declare function expectTrue<T extends true>(): T

const text = { type: 'object', required: ['text'], properties: { text: { type: 'string' } } } as const
const count = { type: 'object', required: ['count'], properties: { count: { type: 'integer' } } } as const

const statuses = {
  response: { 200: text, 201: count, '4xx': { type: 'object', required: ['reason'], properties: { reason: { type: 'string' } } } },
} as const
declare const reply: Reply<typeof statuses>

// By exact code, then by range
reply.send({ text: '' })
reply.code(200).send({ text: '' })
reply.code(201).send({ count: 1 })
reply.status(404).send({ reason: '' })
reply.code(503).send(new Error('any error may be sent'))
// @ts-expect-error nothing is declared for 503
reply.code(503).send('anything')
reply.code(404).send(new Error('any error may be sent'))
// @ts-expect-error 200 declares a text
reply.send({ count: 1 })
// @ts-expect-error 201 declares a count
reply.code(201).send({ text: '' })
// @ts-expect-error what is required is missing
reply.code(201).send({})
// @ts-expect-error 404 is within 4xx
reply.status(404).send({ count: 1 })
// @ts-expect-error a header keeps the status
reply.code(201).header('x', '1').send({ text: '' })
// @ts-expect-error a status is a number
reply.code('201')

// What a handler may return: the bodies of the success statuses
expectTrue<Equal<RouteResult<typeof statuses>, { text: string } | { count: number }>>()
expectTrue<Equal<RouteResult<{ body: object }>, unknown>>()

const byId = { params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }, response: { 200: text } } as const

@Controller('/things')
export class Things {
  @Get('/:id', byId)
  one({ params }: RouteRequest<typeof byId>) {
    return { text: params.id.toFixed() }
  }

  @Get('/sent/:id', statuses)
  sent(_request: RouteRequest<typeof statuses>, reply: Reply<typeof statuses>) {
    return reply.code(404).send({ reason: 'none' })
  }

  @Delete('/:id')
  // @ts-expect-error the body of 200 is a text
  @Schema(byId)
  wrongResult() {
    return { text: 1 }
  }

  @Post('/:id')
  // @ts-expect-error the id is a number
  @Schema(byId)
  wrongParams({ params }: { params: { id: string } }) {
    return { text: params.id }
  }

  // @ts-expect-error the reply of another schema
  @Get('/reply/:id', byId)
  wrongReply(_request: RouteRequest<typeof byId>, reply: Reply<typeof statuses>) {
    return reply.code(201).send({ count: 1 })
  }
}

// With the plain `Reply`, nothing says what is sent, so a handler that has it returns the payload.
@Controller('/plain')
export class PlainReply {
  // @ts-expect-error an asynchronous handler returns nothing, so it sends what nothing describes
  @Get('/async', byId)
  async sends(_request: RouteRequest<typeof byId>, reply: Reply) {
    return reply.send({ text: 1 })
  }

  // @ts-expect-error the same without `return`
  @Get('/later', byId)
  later(_request: RouteRequest<typeof byId>, reply: Reply) {
    setTimeout(() => reply.send({ text: 1 }), 1)
  }

  // @ts-expect-error the same for one path of several
  @Get('/sometimes', byId)
  async sometimes({ params }: RouteRequest<typeof byId>, reply: Reply) {
    if (params.id === 1) return reply.code(404).send('none')
    return { text: '' }
  }

  @Get('/described', byId)
  async described(_request: RouteRequest<typeof byId>, reply: Reply<typeof byId>) {
    return reply.send({ text: '' })
  }

  @Get('/any', byId)
  async anyReply(_request: RouteRequest<typeof byId>, reply: any) {
    return reply.send({ text: '' })
  }

  // No success status describes a body, so there is nothing to compare.
  @Get('/errors', { response: { 404: text } })
  async errors(_request: RouteRequest, reply: Reply) {
    return reply.send({ text: 1 })
  }

  @Get({ path: '/empty', status: 204 }, { response: { 204: { type: 'null' } } })
  async empty(_request: RouteRequest, reply: Reply) {
    return reply.send()
  }
}

// A request of type `any` fits every schema, and so does the plain `Reply` if nothing is sent with it.
@Controller('/loose')
export class Loose {
  @Get('/request', byId)
  anyRequest(request: any) {
    return { text: String(request.id) }
  }

  @Get('/reply', statuses)
  plainReply(_request: RouteRequest<typeof statuses>, reply: Reply) {
    reply.header('x', '1')
    return { text: '' }
  }
}
@Route({ method: 'GET', path: '/' }, statuses)
class AnyHandle {
  declare handle: any
}
Plugin({ routes: [Loose, AnyHandle] })

// A `Date` may be sent for a string whose format is a date, and a readonly array for an array.
const dated = {
  response: {
    200: {
      type: 'object',
      required: ['at', 'day'],
      properties: {
        at: { type: 'string', format: 'date-time' },
        day: { type: 'string', format: 'date' },
        until: { type: ['string', 'null'], format: 'date-time' },
        tags: { type: 'array', items: { type: 'string' } },
        name: { type: 'string' },
      },
    },
  },
} as const
class Entity {
  readonly #secret = 1
  at = new Date()
  day = new Date()
  until: Date | null = null
  tags: readonly string[] = [`${this.#secret}`]
}

@Controller('/dated')
export class Dated {
  @Get('/entity', dated)
  entity() {
    return new Entity()
  }

  @Get('/text', dated)
  async text(): Promise<RouteResult<typeof dated>> {
    return Promise.resolve({ at: new Date(), day: '2026-01-01' })
  }

  @Get('/number')
  // @ts-expect-error a number is not a date
  @Schema(dated)
  number() {
    return { at: 0, day: '' }
  }

  @Get('/name')
  // @ts-expect-error the name has no format
  @Schema(dated)
  name() {
    return { at: '', day: '', name: new Date() }
  }
}
declare const datedReply: Reply<typeof dated>
datedReply.send({ at: new Date(), day: '', tags: [] as readonly string[] })
// @ts-expect-error a number is not a date
datedReply.send({ at: 0, day: '' })
// What a client receives is text.
expectTrue<Equal<ResponseBody<typeof dated>['at'], string>>()

// A decorator of a method does not fit a class, one of a class no method
export class Wrong {
  // @ts-expect-error @Controller is for classes
  @Controller('/x')
  method() {}

  // @ts-expect-error @Schema is for classes and methods
  @Schema(byId)
  field = 1
}

// The programmatic face
const server = createServer()
server.get('/', { schema: statuses }, (_request, reply) => {
  // @ts-expect-error 200 declares a text
  reply.send({ count: 1 })
  return reply.code(201).send({ count: 1 })
})
server.get('/:id', { schema: byId }, ({ params }) => {
  // @ts-expect-error the id is a number
  params.id.toUpperCase()
  // @ts-expect-error there is no such parameter
  void params.other
  return { text: '' }
})
// @ts-expect-error there is no such method
server.route({ method: 'FETCH', url: '/', handler: () => '' })
// @ts-expect-error a hook has a known name
server.addHook('onRequests', async () => {})
// @ts-expect-error there is no such option
createServer({ bodylimit: 1 })
