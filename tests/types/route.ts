/** Route decorators that have the schemas of their route, and the requests that belong to them. */
import {
  Action,
  Controller,
  Get,
  Plugin,
  Post,
  type Reply,
  requestDecorator,
  Route,
  type RouteRequest,
  type RouteResult,
  Schema,
  testServer,
} from 'alcove'

const byId = {
  params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  response: { 200: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } } },
} as const
const User = requestDecorator('user', '')
const find = Get('/:id', byId)
const change = Action(['PUT', 'PATCH'], '/:id', { params: { id: { type: 'integer', minimum: 1 } } })
const replace = Post('/:id', { params: { id: { type: 'integer', minimum: 2 } } })

@Controller()
class Fits {
  @find
  find({ params }: RouteRequest<typeof find>) {
    return { text: params.id.toFixed() }
  }

  @change
  async change({ params }: RouteRequest<typeof change>, reply: Reply) {
    return reply.send(params.id?.toFixed())
  }

  @Get('/schema/:id', byId)
  schema({ params }: RouteRequest<typeof byId>) {
    return { text: params.id.toFixed() }
  }

  @find
  nothing() {
    return { text: '' }
  }

  @find
  async sent(_request: RouteRequest<typeof find>, reply: Reply<typeof find>) {
    return reply.send({ text: '' })
  }

  @find
  async named(): Promise<RouteResult<typeof find>> {
    return Promise.resolve({ text: '' })
  }

  @Get('/any')
  any(_request: any) {}

  @Get('/plain')
  plain(_request: RouteRequest, _reply: Reply) {}

  @Get('/user')
  user({ user }: RouteRequest<unknown, [typeof User]>) {
    return user
  }

  @Get('/own')
  own({ params }: { params: { id: string } }) {
    return params.id
  }

  // Only the schemas of a reply: the method reads no request.
  @Get('/reply')
  @Schema(byId)
  reply() {
    return { text: '' }
  }
}

@Controller()
export class Refused {
  // @ts-expect-error the request is that of `find`: without its schemas, nothing would validate it
  @Get('/x')
  forgotten({ params }: RouteRequest<typeof find>) {
    return params.id
  }

  // @ts-expect-error the same for a method that no other class sees
  @Get('/x')
  protected hidden(_request: RouteRequest<typeof find>) {}

  // No decorator sees another one, so this form is taken, and so is one without @Schema.
  @Get('/x')
  @Schema(byId)
  apart({ params }: RouteRequest<typeof byId>) {
    return { text: params.id.toFixed() }
  }

  // @ts-expect-error `@Schema` does not make it the route of `find`
  @Get('/x')
  @Schema(byId)
  beside({ params }: RouteRequest<typeof find>) {
    return { text: params.id.toFixed() }
  }

  @find
  wrongReply(_request: RouteRequest<typeof find>, reply: Reply<typeof find>) {
    // @ts-expect-error the text is a string
    return reply.send({ text: 1 })
  }

  // @ts-expect-error the reply is that of another route decorator
  @find
  otherReply(_request: RouteRequest<typeof find>, reply: Reply<typeof search>) {
    return reply.send({ text: '' })
  }

  // @ts-expect-error the types are the same, the schemas are not
  @replace
  similar({ params }: RouteRequest<typeof change>) {
    return params.id
  }

  // @ts-expect-error the text is a string
  @find
  wrongResult() {
    return { text: 1 }
  }

  // @ts-expect-error `params` is misspelt
  @Get('/:id', { parms: {} })
  misspelt() {}

  // @ts-expect-error there are no schemas
  @Get('/:id', undefined)
  undefined() {}
}

const search = Route({ method: 'GET', path: '/search' }, { querystring: { q: { type: 'string' } } })
@search
export class Search {
  handle({ query }: RouteRequest<typeof search>) {
    return query.q?.length
  }
}
// @ts-expect-error the request is that of `search`
@Route({ method: 'GET', path: '/search' })
export class Forgotten {
  handle({ query }: RouteRequest<typeof search>) {
    return query.q
  }
}
// @ts-expect-error the request is that of `find`
@search
export class OfAnother {
  handle({ params }: RouteRequest<typeof find>) {
    return { text: params.id.toFixed() }
  }
}

@Plugin({ decorateRequest: [User], routes: [Fits, Search] })
class App {}
await using app = await testServer(App)
await app.call(Fits, 'find', { params: { id: 1 } })
// @ts-expect-error the id is a number
await app.call(Fits, 'find', { params: { id: 'x' } })

// The names of Fastify's generics are not those of a schema.
// @ts-expect-error a schema is written as `schema: { body }`
createServer().post('/', { schema: { Body: { type: 'object' } } }, () => 'x')
