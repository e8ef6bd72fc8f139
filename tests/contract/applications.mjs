/** The applications whose documents are looked at: the samples, an application with every kind of schema, and a large one. */
import { Type } from '@sinclair/typebox'
import { z } from 'zod'
import { Controller, createServer, Get, Plugin, Post, Schema, testServer, use } from '../../dist/decorators/index.js'
import { Hard } from './hard.mjs'
import { App as Contexts, SharingApp } from '../../dist/samples/contexts/app.js'
import { createProgrammatic } from '../../dist/samples/contexts/programmatic.js'
import { App as Configured, Settings } from '../../dist/samples/configuration/app.js'
import { App as Contracted } from '../../dist/samples/contract/app.js'
import { App as Events } from '../../dist/samples/events/app.js'
import { App as First } from '../../dist/samples/first/app.js'
import { App as FromFastify, createApp, TenantApp } from '../../dist/samples/coming-from/fastify.js'
import { App as FromNest } from '../../dist/samples/coming-from/nest.js'
import { App as Keys } from '../../dist/samples/how-to/api-key.js'
import { App as Notes } from '../../dist/samples/how-to/crud.js'
import { ProblemApp } from '../../dist/samples/how-to/error-responses.js'
import { App as Reminders } from '../../dist/samples/how-to/logging.js'
import { PrefixApp } from '../../dist/samples/how-to/versions.js'
import { App as Models } from '../../dist/samples/models/app.js'
import { App as Roles } from '../../dist/samples/roles/app.js'
import { UploadPlugin } from '../../dist/samples/upload/app.js'

class Upload {}
Plugin({ imports: [use(UploadPlugin, { directory: '/nonexistent/alcove', limit: 1000 })] })(Upload)

/**
 * The sample scheduler has no routes. `undeclared`: statuses of guards that declare nothing. `isEndless`: its replies are streams without end. `headers` are those that
 * every request carries. By name: a class, or a function that makes a server without classes. `tokens` are headers for the security schemes,
 * `module` the file below `samples` that exports the types of the controllers, `beyondTypes` those methods whose replies differ from what
 * the method returns. */
export const applications = [
  { name: 'contexts', App: Contexts, module: 'contexts/app', tokens: { bearer: { authorization: 'Bearer abc123' } } },
  { name: 'contexts, shared', App: SharingApp, tokens: { bearer: { authorization: 'Bearer abc123' } } },
  { name: 'contexts, programmatic', create: () => createProgrammatic(), undeclared: [401] },
  { name: 'configuration', App: Configured, provide: [[Settings, new Settings({ DATABASE_URL: 'https://a.example', GREETING: 'hello' })]] },
  { name: 'contract', App: Contracted, module: 'contract/app', tokens: { bearer: { authorization: 'Bearer letmein' } } },
  { name: 'events', App: Events, isEndless: true },
  { name: 'first', App: First, module: 'first/app' },
  { name: 'coming from Fastify', App: FromFastify, headers: { authorization: 'Bearer abc123' } },
  { name: 'coming from Fastify, programmatic', create: () => createApp(), headers: { authorization: 'Bearer abc123' } },
  { name: 'coming from Fastify, tenants', App: TenantApp },
  {
    name: 'coming from NestJS',
    App: FromNest,
    module: 'coming-from/nest',
    undeclared: [403, 409],
    // A hook puts the payload into another object. Without a schema a class cannot know.
    beyondTypes: ['WrappedController.index'],
  },
  { name: 'how to, keys', App: Keys, tokens: { apiKey: { 'x-api-key': 'demo-key' } } },
  { name: 'how to, notes', App: Notes },
  { name: 'how to, problem details', App: ProblemApp },
  { name: 'how to, logs', App: Reminders },
  { name: 'how to, versions', App: PrefixApp },
  // The type of a model has its getters, which replies do not have.
  { name: 'models', App: Models, module: 'models/app', beyondTypes: ['ArticlesController.list'] },
  { name: 'roles', App: Roles, module: 'roles/app', tokens: { key: { 'x-key': 'ada-key' } } },
  { name: 'upload', App: Upload, module: 'upload/app', undeclared: [500] },
  { name: 'all kinds of schemas', create: createRich },
  // A route that fails answers 500, which no document lists.
  { name: 'the hardest to say', App: Hard, undeclared: [500] },
]

/** Runs with the server of an application, which is ready. `testServer` overrides providers; `app.server` is the server itself. */
export async function withServer({ App, create, provide = [] }, run) {
  const app = App === undefined ? undefined : await testServer(App, { override: provide, server: { logger: false } })
  const server = app?.server ?? create()
  try {
    await server.ready()
    return await run(server)
  } finally {
    await (app ?? server).close()
  }
}

const id = { type: 'integer' }
/** Schemas of routes that send back what they receive. */
const echoed = {
  defaults: {
    type: 'object',
    required: ['id'],
    properties: { id, kind: { type: 'string', default: 'plain' }, tags: { type: 'array', items: id, default: [] } },
  },
  union: {
    oneOf: [
      { type: 'object', required: ['kind', 'radius'], properties: { kind: { const: 'circle' }, radius: { type: 'number' } } },
      { type: 'object', required: ['kind', 'text'], properties: { kind: { const: 'label' }, text: { type: 'string', nullable: true } } },
    ],
  },
  all: {
    allOf: [
      { type: 'object', required: ['id'], properties: { id } },
      { type: 'object', properties: { text: { type: ['string', 'null'] } } },
    ],
  },
  open: { type: 'object', required: ['id'], properties: { id }, additionalProperties: true },
  map: { type: 'object', additionalProperties: { type: 'integer' } },
  mixed: { type: 'object', required: ['id'], properties: { id }, additionalProperties: { type: 'string' } },
  pattern: { type: 'object', properties: { id }, patternProperties: { '^x-': { type: 'string' } } },
  choice: {
    type: 'object',
    required: ['one'],
    properties: { one: { enum: ['a', 'b', null] }, time: { type: 'string', format: 'date-time' } },
  },
  list: { type: 'array', maxItems: 3, items: { anyOf: [{ type: 'string' }, { type: 'object', properties: { id } }] } },
}

/** Routes whose schemas use what samples do not. */
function createRich() {
  const server = createServer()
  server.addSchema({
    $id: 'Tree',
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string', nullable: true }, children: { type: 'array', maxItems: 2, items: { $ref: '#' } } },
  })
  server.addSchema({
    $id: 'http://schemas.example/pair.json',
    definitions: { text: { type: 'string', minLength: 1 } },
    type: 'object',
    required: ['pair'],
    properties: {
      pair: { items: [{ $ref: '#/definitions/text' }, { type: 'integer' }], additionalItems: false, minItems: 2, type: 'array' },
    },
  })
  const echo = async ({ body }) => body
  server.post('/trees', { schema: { body: { $ref: 'Tree#' }, response: { 200: { $ref: 'Tree#' } } } }, echo)
  server.post('/pairs', { schema: { body: { $ref: 'http://schemas.example/pair.json#' } } }, echo)
  server.post(
    '/dependent',
    { schema: { body: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, dependencies: { a: ['b'] } } } },
    echo,
  )
  server.get(
    '/search/:kind',
    {
      schema: {
        params: { kind: { enum: ['a', 'b'] } },
        querystring: {
          type: 'object',
          required: ['q'],
          properties: {
            q: { type: 'string' },
            page: { type: 'integer', minimum: 1, default: 1 },
            tag: { type: 'array', items: { type: 'integer' } },
            exact: { type: 'boolean' },
          },
        },
        headers: { type: 'object', required: ['x-tenant'], properties: { 'x-tenant': { type: 'integer' } } },
        response: {
          200: { type: 'object', properties: { page: { type: 'integer' }, tag: { type: 'array', items: { type: 'integer' } } } },
        },
      },
    },
    async ({ query }) => query,
  )
  server.post(
    '/zod',
    { schema: { body: z.object({ name: z.string().min(2), age: z.number().int().optional(), tags: z.array(z.enum(['x', 'y'])).max(3) }) } },
    echo,
  )
  server.get(
    '/zod',
    { schema: { querystring: { page: z.coerce.number().int().min(1), q: z.string().optional() } } },
    async ({ query }) => query,
  )
  const Item = Type.Object({
    id: Type.Integer(),
    name: Type.Optional(Type.String()),
    kind: Type.Union([Type.Literal('a'), Type.Literal('b')]),
  })
  server.post('/typebox', { schema: { body: Item, response: { 200: Item } } }, echo)
  server.get(
    '/files/*',
    { schema: { response: { 200: { content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } } } } },
    (_request, reply) => reply.type('application/octet-stream').send(Buffer.from('bytes')),
  )
  for (const [name, schema] of Object.entries(echoed))
    server.post(`/echo/${name}`, { schema: { body: schema, response: { 200: schema } } }, echo)
  const events = { content: { 'text/event-stream': { schema: { type: 'string' } } } }
  server.get('/events', { schema: { response: { 200: events } } }, (_request, reply) =>
    reply.type('text/event-stream').send('data: {"tick":1}\n\n'),
  )
  const message = { type: 'object', required: ['message'], properties: { message: { type: 'string' } } }
  server.register(async (problems) => {
    problems.setErrorFormat('problem')
    const params = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }
    problems.post(
      '/problems/:id',
      { schema: { params, body: { $ref: 'Tree#' }, response: { 200: { $ref: 'Tree#' }, default: message } } },
      echo,
    )
  })
  server.head('/trees', { schema: { response: { 200: { $ref: 'Tree#' } } } }, (_request, reply) => reply.send({ name: 'oak' }))
  server.put('/text', { schema: { body: { type: 'string', minLength: 1 } } }, echo)
  return server
}

/** A plugin class with so many routes, as large applications have them: in controllers of ten, with schemas of their own and shared ones. */
export function largeApplication(count) {
  const shared = { $id: 'Problem', type: 'object', properties: { message: { type: 'string' } } }
  const controllers = Array.from({ length: count / 10 }, (_, index) => {
    const Routes = { [`Things${index}Controller`]: class {} }[`Things${index}Controller`]
    for (let route = 0; route < 10; route++) {
      const name = `action${route}`
      Routes.prototype[name] = () => ({ id: 1 })
      const descriptor = Object.getOwnPropertyDescriptor(Routes.prototype, name)
      const item = {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'integer' }, [`name${route}`]: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
      }
      const response = { 200: { description: 'It', ...item }, 404: { description: 'None', $ref: 'Problem#' } }
      Schema({
        params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
        response,
        ...(route % 2 === 0
          ? { querystring: { type: 'object', properties: { page: { type: 'integer' }, q: { type: 'string' } } } }
          : { body: item }),
      })(Routes.prototype, name, descriptor)
      const Declare = route % 2 === 0 ? Get : Post
      Declare(`/${name}/:id`)(Routes.prototype, name, descriptor)
    }
    Controller(`/things${index}`)(Routes)
    return Routes
  })
  const Large = class Large {}
  Plugin({ routes: controllers, schemas: [shared] })(Large)
  return Large
}
