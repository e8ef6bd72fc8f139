/** Handlers and models that do not fit their schemas. `messages.txt` is what the compiler says of them. */
import { Controller, extend, Get, Model, ref, type Reply, Route, type RouteRequest, Schema, stream } from 'alcove'

const named = { response: { 200: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } } } as const
const byId = { params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } } as const
const counted = { response: { 200: { type: 'object', required: ['count'], properties: { count: { type: 'integer' } } } } } as const

@Controller()
export class Refused {
  @Get('/result', named)
  result() {
    return { name: 1 }
  }

  @Get('/promise', named)
  async promise() {
    return { title: 'x' }
  }

  @Get('/request/:id', byId)
  request({ params }: { params: { id: string } }) {
    return params.id
  }

  @Get('/reply', named)
  reply(_request: RouteRequest<typeof named>, reply: Reply<typeof counted>) {
    return reply.send({ count: 1 })
  }
}

@Route({ method: 'GET', path: '/' }, named)
export class RefusedRoute {
  handle() {
    return { name: 1 }
  }
}

const user = { $id: 'User', type: 'object', required: ['id'], properties: { id: { type: 'integer' }, name: { type: 'string' } } } as const
@Schema(user)
export class RefusedModel {
  id!: string
  name?: string
}

const streamed = { response: { 200: stream({ type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }) } } as const
@Controller()
export class RefusedStream {
  @Get('/stream', streamed)
  async *stream() {
    yield { n: 'one' }
  }
}

class Article extends Model({ $id: 'Article', type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }) {}
const article = { response: { 200: ref(Article) } }

@Controller()
export class RefusedArticle {
  @Get('/article', article)
  article() {
    return { id: 'x' }
  }

  @Get('/text', article)
  text() {
    return 'an article'
  }
}

export class WithoutId extends Model({ type: 'object', properties: {} }) {}
export class NoObject extends Model({ $id: 'List', type: 'array', items: {} }) {}
export const repeated = extend(Article, { properties: { id: { type: 'string' } } })

@Controller()
export class RefusedNothing {
  @Get('/forgotten', named) async forgotten() {}

  @Get('/maybe', named)
  async maybe() {
    return [{ name: 'x' }].find(({ name }) => name === '')
  }

  @Get('/plain', named)
  plain(_request: RouteRequest<typeof named>, reply: Reply) {
    return reply.send({ name: 1 })
  }

  @Get('/plain-async', named)
  async plainAsync(_request: RouteRequest<typeof named>, reply: Reply) {
    return reply.send({ name: 1 })
  }
}
declare const reply: Reply<typeof named>
reply.code(409).send({ name: 'x' })
