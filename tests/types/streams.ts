/** What the types of streams allow and refuse. */
import { Readable } from 'node:stream'
import {
  Controller,
  createServer,
  event,
  Get,
  Model,
  ref,
  type Reply,
  type ResponseBody,
  Route,
  type RouteRequest,
  Schema,
  stream,
  type StreamEvent,
} from 'alcove'
import { Type } from '@sinclair/typebox'
import { z } from 'zod'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
declare function expectTrue<T extends true>(): T

const tick = {
  $id: 'Tick',
  type: 'object',
  required: ['n', 'at'],
  properties: { n: { type: 'integer' }, at: { type: 'string', format: 'date-time' } },
} as const
@Schema(tick)
class Tick {
  n!: number
  at!: string
}
const ticks = { response: { 200: stream(ref(Tick)) } } as const
const inline = {
  response: { 200: stream(tick), 404: { type: 'object', required: ['why'], properties: { why: { type: 'string' } } } },
} as const
const kinds = { response: { 200: stream({ enum: ['up', 'down'] }) } } as const

// What a client receives
expectTrue<Equal<ResponseBody<typeof ticks, 200>, AsyncIterable<Tick>>>()
expectTrue<Equal<ResponseBody<typeof inline>, AsyncIterable<{ n: number; at: string }>>>()
const libraries = { response: { 200: stream(z.object({ n: z.number() })), 201: stream(Type.Object({ n: Type.Number() })) } }
expectTrue<Equal<ResponseBody<typeof libraries, 200>, AsyncIterable<{ n: number }>>>()
expectTrue<Equal<ResponseBody<typeof libraries, 201>, AsyncIterable<{ n: number }>>>()
class Tock extends Model({ $id: 'Tock', type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }) {}
const classes = { response: { 200: stream(Tick), 201: stream(Tock, { heartbeat: 0 }) } } as const
expectTrue<Equal<ResponseBody<typeof classes, 200>, AsyncIterable<Tick>>>()
expectTrue<Equal<ResponseBody<typeof classes, 201>, AsyncIterable<Tock>>>()
const item: StreamEvent<{ readonly n: 1 }> = event({ n: 1 }, { id: '1' })

@Controller()
class Allowed {
  @Get('/generator', ticks)
  async *generator({ signal }: RouteRequest<typeof ticks>) {
    while (!signal.aborted) yield { n: 1, at: '' }
  }
  // The serializer writes a date as text.
  @Get('/dates', inline)
  async *dates() {
    yield { n: 1, at: new Date() }
    yield event({ n: 2, at: new Date() }, { id: '2' })
  }
  @Get('/promise', ticks)
  async promise() {
    return this.generator({ signal: AbortSignal.abort() } as RouteRequest<typeof ticks>)
  }
  @Get('/objects', ticks)
  objects() {
    return Readable.from([])
  }
  @Get('/literals', kinds)
  async *literals() {
    yield 'up' as const
    yield event('down', { event: 'state' })
  }
  @Get('/reply', inline)
  reply(_request: RouteRequest<typeof inline>, reply: Reply<typeof inline>) {
    return Math.random() > 0.5 ? reply.code(404).send({ why: 'none' }) : this.dates()
  }
}

@Route({ method: 'GET', path: '/' }, inline)
class AllowedRoute {
  async *handle() {
    yield { n: 1, at: '' }
  }
}

@Controller()
class Refused {
  @Get('/item')
  // @ts-expect-error an item has another type
  @Schema(ticks)
  async *item() {
    yield { n: 'one', at: '' }
  }
  // @ts-expect-error the data of an event has another type
  @Get('/event', ticks)
  async *event() {
    yield event({ n: 1 }, { id: '1' })
  }
  @Get('/class')
  // @ts-expect-error an item has not the type of the class
  @Schema(classes)
  async *ofClass() {
    yield { n: 'one' }
  }
  // @ts-expect-error a list is not an async iterable
  @Get('/list', ticks)
  list() {
    return [{ n: 1, at: '' }]
  }
  // @ts-expect-error an item is not a stream of them
  @Get('/one', ticks)
  one() {
    return { n: 1, at: '' }
  }
}

// @ts-expect-error an id is a text
event({}, { id: 7 })
// @ts-expect-error there is no such field
event({}, { name: 'tick' })
// @ts-expect-error there is no such option
stream(tick, { heartbeet: 1 })

createServer().get('/', { schema: inline }, async function* (request) {
  yield { n: Number(request.id) }
})
async function* wrongItems() {
  yield { n: 'one' }
}
async function* rightItems() {
  yield event({ n: 1, at: '' }, {})
}
createServer().get('/', { schema: inline }, (_request, reply) => {
  // @ts-expect-error the items have another type
  reply.send(wrongItems())
  reply.send(rightItems())
})
void [item, Allowed, AllowedRoute, Refused]
