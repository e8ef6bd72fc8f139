/** How are forms validated, described and called? By a schema, and the parser of their media type. */
// #region urlencoded
import formbody from '@fastify/formbody'
import { Controller, Plugin, Post, type RouteRequest, use } from 'alcove'

const subscription = {
  type: 'object',
  required: ['email', 'topics'],
  additionalProperties: false,
  properties: {
    email: { type: 'string', format: 'email' },
    topics: { type: 'array', items: { type: 'string', enum: ['news', 'offers'] }, minItems: 1 },
    age: { type: 'integer', minimum: 16 },
    weekly: { type: 'boolean', default: false },
  },
} as const
const subscribe = {
  body: { content: { 'application/x-www-form-urlencoded': { schema: subscription } } },
  response: {
    201: { type: 'object', properties: { topics: { type: 'integer' }, age: { type: 'integer' }, weekly: { type: 'boolean' } } },
  },
} as const

@Controller('/subscriptions')
export class SubscriptionsController {
  @Post({ status: 201 }, subscribe)
  create({ body }: RouteRequest<typeof subscribe>) {
    return { topics: body.topics.length, weekly: body.weekly, ...(body.age !== undefined && { age: body.age }) }
  }
}

@Plugin({ imports: [use(formbody, { bodyLimit: 10_000 })], routes: [SubscriptionsController] })
export class SubscriptionsPlugin {}
// #endregion

// #region multipart
import multipart from '@fastify/multipart'

const application = {
  type: 'object',
  required: ['name', 'letter'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 100 },
    years: { type: 'integer', minimum: 0 },
    letter: { type: 'string', format: 'binary' },
  },
} as const
const apply = {
  body: { content: { 'multipart/form-data': { schema: application } } },
  response: { 201: { type: 'object', properties: { name: { type: 'string' }, bytes: { type: 'integer' } } } },
} as const

@Controller('/applications')
export class ApplicationsController {
  @Post({ status: 201 }, apply)
  create({ body }: RouteRequest<typeof apply>) {
    const letter = typeof body.letter === 'string' ? Buffer.from(body.letter) : body.letter
    return { name: body.name, bytes: letter.byteLength }
  }
}

@Plugin({
  imports: [use(multipart, { attachFieldsToBody: 'keyValues', limits: { files: 1, fileSize: 1_000_000, fields: 10, fieldSize: 1000 } })],
  routes: [ApplicationsController],
})
export class ApplicationsPlugin {}

@Plugin({ imports: [SubscriptionsPlugin, ApplicationsPlugin] })
export class App {}
// #endregion
