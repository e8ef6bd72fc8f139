/** What a handler may send and return for each status, on both faces. */
import { Controller, createServer, Delete, Get, Post, type Reply, type RouteRequest, type RouteResult, Schema } from 'alcove'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
declare function expectTrue<T extends true>(): T

const text = { type: 'object', required: ['text'], properties: { text: { type: 'string' } } } as const
const count = { type: 'object', required: ['count'], properties: { count: { type: 'integer' } } } as const

const statuses = {
  response: { 200: text, 201: count, '4xx': { type: 'object', required: ['reason'], properties: { reason: { type: 'string' } } } },
} as const
declare const reply: Reply<typeof statuses>

// By exact code, then by range, unchecked where nothing is declared
reply.send({ text: '' })
reply.code(200).send({ text: '' })
reply.code(201).send({ count: 1 })
reply.status(404).send({ reason: '' })
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
  @Get('/:id')
  @Schema(byId)
  one({ params }: RouteRequest<typeof byId>) {
    return { text: params.id.toFixed() }
  }

  @Get('/sent/:id')
  @Schema(statuses)
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

  @Get('/reply/:id')
  // @ts-expect-error the reply of another schema
  @Schema(byId)
  wrongReply(_request: RouteRequest<typeof byId>, reply: Reply<typeof statuses>) {
    return reply.code(201).send({ count: 1 })
  }
}

// A decorator of a method does not fit a class, one of a class no method
export class Wrong {
  // @ts-expect-error @Controller is for classes
  @Controller('/x')
  method() {}
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
