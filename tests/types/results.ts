/** What a handler may return for a schema, beyond what clients receive: right programs that compile, and wrong ones that do not. */
import { Readable } from 'node:stream'
import { Controller, Get, Hook, Model, type Next, Post, ref, type Reply, type RouteRequest, type RouteResult, Schema, stream } from 'alcove'

const member = {
  type: 'object',
  required: ['id', 'role'],
  properties: {
    id: { type: 'integer' },
    role: { type: 'string', default: 'reader' },
    home: { type: 'string', format: 'uri' },
    at: { type: 'string', format: 'date-time' },
    tags: { type: 'array', items: { type: 'string' } },
  },
} as const
const members = { response: { 200: member } } as const
class Member extends Model({ $id: 'Member', ...member }) {}
const models = { response: { 200: ref(Member), 201: { type: 'array', items: ref(Member) } } } as const
declare const maybe: { home: string | undefined; id: number }

class Account {
  constructor(readonly key: number) {}
  toJSON() {
    return { id: this.key, role: 'reader' }
  }
}

@Controller('/right')
export class Right {
  @Get('/default', members) default() {
    return { id: 1 }
  }
  @Get('/model', models) model() {
    return { id: 1 }
  }
  @Get('/models', models) async models() {
    return [{ id: 1 }, { id: 2, role: 'admin', at: new Date() }] as const
  }
  @Get('/stream', { response: { 200: stream(Member) } }) async *stream() {
    yield { id: 1 }
  }
  @Get('/inline-stream', { response: { 200: stream(member) } }) async *inlineStream() {
    yield { id: 1, at: new Date() }
  }
  @Get('/bigint', members) bigint() {
    return { id: 10n }
  }
  @Get('/undefined', members) undefined() {
    return maybe
  }
  @Get('/url', members) url() {
    return { id: 1, home: new URL('https://example.com') }
  }
  @Get('/json', members) json() {
    return new Account(1)
  }
  @Get('/instance', models) instance() {
    return new Member({ id: 1 })
  }
  @Get('/annotated', members) async annotated(): Promise<RouteResult<typeof members>> {
    return Promise.resolve({ id: 1 })
  }
}
expectNumber((null as unknown as RouteResult<typeof members>).id)
expectText(new Member({ id: 1 }).role)
declare function expectNumber(given: number): void
declare function expectText(given: string): void

declare const reply: Reply<typeof members>
reply.send({ id: 10n, home: new URL('https://example.com'), at: new Date() })
reply.send(new Account(1))
reply.send({ id: 1, home: maybe.home })
// @ts-expect-error an id is required
reply.send({ role: 'admin' })
// @ts-expect-error a URL is no role
reply.send({ id: 1, role: new URL('https://example.com') })

// Bytes
const bytes = {
  body: { content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } },
  response: {
    200: { type: 'string', format: 'binary' },
    201: { content: { 'image/png': { schema: { type: 'string', format: 'binary' } } } },
  },
} as const
@Controller('/bytes')
export class Bytes {
  @Post('/buffer', bytes) buffer({ body }: RouteRequest<typeof bytes>) {
    return Buffer.from(body)
  }
  @Post('/text', bytes) async text({ body }: RouteRequest<typeof bytes>) {
    return Promise.resolve(typeof body === 'string' ? body : 'bytes')
  }
  @Post('/stream', bytes) stream() {
    return Readable.from(['a'])
  }
  @Post('/web', bytes) web() {
    return new Blob(['a']).stream()
  }
  @Post('/response', bytes) async response() {
    return new Response('a')
  }
  @Post('/wrong')
  // @ts-expect-error a number is not bytes
  @Schema(bytes)
  wrong() {
    return 1
  }
}

// Nothing
const removed = { response: { 204: { type: 'null' }, 404: member } } as const
const either = { response: { 200: member, 204: { type: 'null' } } } as const
const nullable = { response: { 200: { ...member, nullable: true } } } as const
@Controller('/nothing')
export class Nothing {
  @Get('/removed', removed) async removed() {}
  @Get('/either', either) either() {
    return Math.random() > 0.5 ? { id: 1 } : undefined
  }
  @Get('/nullable', nullable) nullable() {}
  @Get('/sent', members) async sent(_request: RouteRequest, reply: Reply<typeof members>) {
    reply.send({ id: 1 })
  }
  @Get('/later', members) later(_request: RouteRequest, reply: Reply<typeof members>) {
    setImmediate(() => reply.send({ id: 1 }))
  }
  @Get('/some', members) some(_request: RouteRequest, reply: Reply<typeof members>) {
    if (Math.random() > 0.5) return { id: 1 }
    reply.send({ id: 2 })
    return undefined
  }

  @Get('/forgotten')
  // @ts-expect-error `return` is missing
  @Schema(members)
  async forgotten() {}

  @Get('/not-asynchronous')
  // @ts-expect-error `return` is missing
  @Schema(members)
  notAsynchronous() {}

  @Get('/maybe')
  // @ts-expect-error the result may be nothing
  @Schema(members)
  async maybe(): Promise<{ id: number } | undefined> {
    return Promise.resolve(undefined)
  }

  // @ts-expect-error the result may be nothing
  @Get('/first', models) first() {
    return [{ id: 1 }].at(0)
  }
}

// Statuses and replies
reply.code(409).send(new Error('any error may be sent'))
reply.code(204).send()
// @ts-expect-error no response is declared for 409
reply.code(409).send({ id: 1 })
declare const status: number
reply.code(status).send({ message: 'a status that is not known is not checked' })

@Controller('/replies')
export class Replies {
  // A plain reply for headers only
  @Get('/headers', members) headers(_request: RouteRequest, reply: Reply) {
    reply.header('x', '1')
    return { id: 1 }
  }

  @Get('/plain')
  // @ts-expect-error the payload of a plain reply is not checked
  @Schema(members)
  plain(_request: RouteRequest, reply: Reply) {
    return reply.send({ name: 'no id' })
  }
}

// Hooks whose result counts
class Wraps {
  async around(_request: RouteRequest, next: Next) {
    return next()
  }
}
class Drops {
  async around(_request: RouteRequest, next: Next) {
    await next()
  }
}
class Adds {
  onSend(_request: RouteRequest, _reply: Reply, payload: unknown) {
    return typeof payload === 'string' ? Buffer.from(payload) : Readable.from(['a'])
  }
}
class Objects {
  async onSend() {
    return Promise.resolve({ wrapped: true })
  }
}
Hook('around', Wraps)
Hook('around', async (_request: RouteRequest, next: Next<unknown>) => next())
Hook('around', () => null)
// @ts-expect-error the result is lost
Hook('around', Drops)
Hook('onSend', Adds)
Hook('onSend', (_request, _reply, payload, done) => done(null, payload))
Hook('onSend', async (_request, _reply, payload) => payload)
// @ts-expect-error the payload is serialized already
Hook('onSend', Objects)
