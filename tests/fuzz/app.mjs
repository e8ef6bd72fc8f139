/** The app that is fuzzed, for any server with Fastify's interface. Handlers tell what reached them. */
import formbody from '@fastify/formbody'

export const shared = {
  tree: {
    $id: 'tree',
    type: 'object',
    required: ['value'],
    additionalProperties: false,
    properties: { value: { type: 'integer' }, children: { type: 'array', maxItems: 3, items: { $ref: 'tree#' } } },
  },
  money: {
    $id: 'money',
    type: 'object',
    required: ['amount', 'currency'],
    properties: { amount: { type: 'number', minimum: 0, maximum: 1000, multipleOf: 0.01 }, currency: { enum: ['EUR', 'USD'] } },
  },
}
export const references = { 'tree#': shared.tree, 'money#': shared.money }

const order = {
  type: 'object',
  required: ['id', 'items'],
  additionalProperties: false,
  properties: {
    id: { type: 'integer', minimum: 1 },
    name: { type: 'string', minLength: 1, maxLength: 20 },
    note: { type: 'string', nullable: true },
    day: { type: 'string', format: 'date' },
    key: { type: 'string', format: 'uuid' },
    ip: { type: 'string', format: 'ipv4' },
    mode: { enum: ['fast', 'slow', null, 3] },
    ratio: { type: 'number', minimum: 0, maximum: 1 },
    price: { $ref: 'money#' },
    done: { type: 'boolean', default: false },
    items: {
      type: 'array',
      minItems: 1,
      maxItems: 3,
      items: {
        type: 'object',
        required: ['sku'],
        properties: { sku: { type: 'string', pattern: '^[A-Z]{2}-\\d+$' }, count: { type: 'integer', minimum: 0, default: 1 } },
      },
    },
    tags: { type: 'array', uniqueItems: true, maxItems: 4, items: { type: 'string', maxLength: 5 } },
  },
}
const alternatives = {
  type: 'object',
  required: ['shape'],
  properties: {
    shape: {
      oneOf: [
        {
          type: 'object',
          required: ['kind', 'r'],
          additionalProperties: false,
          properties: { kind: { const: 'circle' }, r: { type: 'number', minimum: 0 } },
        },
        {
          type: 'object',
          required: ['kind', 'a', 'b'],
          additionalProperties: false,
          properties: { kind: { const: 'box' }, a: { type: 'number' }, b: { type: 'number' } },
        },
      ],
    },
    either: { oneOf: [{ type: 'integer' }, { type: 'string', maxLength: 4 }] },
    any: { anyOf: [{ type: 'string', format: 'date' }, { type: 'integer' }, { type: 'null' }] },
    no: { not: { type: 'string' } },
    both: {
      allOf: [
        { type: 'object', required: ['x'], properties: { x: { type: 'integer' } } },
        { type: 'object', properties: { y: { type: 'string' } } },
      ],
    },
  },
  if: { required: ['either'], properties: { either: { type: 'integer' } } },
  then: { required: ['both'] },
}
const map = {
  type: 'object',
  minProperties: 1,
  maxProperties: 4,
  propertyNames: { type: 'string', maxLength: 11 },
  patternProperties: { '^n_': { type: 'integer' } },
  additionalProperties: { type: ['string', 'boolean'] },
}
const names = {
  type: 'object',
  required: ['constructor'],
  properties: {
    constructor: { type: 'string' },
    toString: { type: 'integer' },
    valueOf: { type: 'boolean' },
    nested: { type: 'object', required: ['hasOwnProperty'], properties: { hasOwnProperty: { type: 'null' } } },
  },
}
const search = {
  type: 'object',
  required: ['page'],
  additionalProperties: false,
  properties: {
    page: { type: 'integer', minimum: 0, maximum: 1000 },
    size: { type: 'integer', default: 20 },
    ratio: { type: 'number', minimum: -1, maximum: 1 },
    on: { type: 'boolean' },
    mode: { type: 'string', enum: ['a', 'b'] },
    name: { type: 'string', minLength: 1, maxLength: 10 },
    tags: { type: 'array', maxItems: 3, items: { type: 'string' } },
    ids: { type: 'array', minItems: 1, uniqueItems: true, items: { type: 'integer' } },
    either: { oneOf: [{ type: 'integer' }, { type: 'string' }] },
    day: { type: 'string', format: 'date' },
  },
}
const form = {
  type: 'object',
  required: ['a'],
  additionalProperties: false,
  properties: { a: { type: 'integer' }, b: { type: 'array', items: { type: 'boolean' } }, c: { type: 'string' } },
}
const headers = {
  type: 'object',
  required: ['X-Key'],
  properties: {
    'X-Key': { type: 'integer', minimum: 1 },
    'X-Flag': { type: 'boolean' },
    'X-Mode': { enum: ['a', 'b'] },
    'X-Word': { type: 'string', pattern: '^[a-z]+$' },
  },
}
const params = (properties) => ({ type: 'object', required: Object.keys(properties), properties })

/** Schemas are copied, since some compilers change them. */
export const routes = [
  {
    method: 'GET',
    url: '/typed/:id/:flag',
    schema: { params: params({ id: { type: 'integer', minimum: 1, maximum: 1_000_000 }, flag: { type: 'boolean' } }) },
  },
  {
    method: 'GET',
    url: '/multi/:a-:b.:c',
    schema: {
      params: params({
        a: { type: 'string', pattern: '^[a-z]+$' },
        b: { type: 'integer' },
        c: { type: 'string', minLength: 1, maxLength: 9 },
      }),
    },
  },
  { method: 'GET', url: '/regex/:n(^\\d+$)/x', schema: { params: params({ n: { type: 'integer', minimum: 0, maximum: 1e9 } }) } },
  { method: 'GET', url: '/search', schema: { querystring: search } },
  { method: 'POST', url: '/order', schema: { body: order, response: { 200: order } } },
  { method: 'POST', url: '/alternatives', schema: { body: alternatives } },
  { method: 'PUT', url: '/tree', schema: { body: { $ref: 'tree#' }, response: { 200: { $ref: 'tree#' } } } },
  { method: 'PATCH', url: '/map', schema: { body: map } },
  { method: 'POST', url: '/names', schema: { body: names, response: { 200: names } } },
  {
    method: 'POST',
    url: '/content',
    schema: {
      body: {
        content: {
          'application/json': { schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } },
          'application/vnd.list+json': { schema: { type: 'array', items: { type: 'integer', maximum: 10 } } },
          'text/plain': { schema: { type: 'string', maxLength: 6 } },
        },
      },
    },
  },
  { method: 'POST', url: '/form', schema: { consumes: ['application/x-www-form-urlencoded'], body: form } },
  { method: 'GET', url: '/headers', schema: { headers } },
  {
    method: 'POST',
    url: '/all/:id',
    schema: {
      params: params({ id: { type: 'integer' } }),
      querystring: form,
      body: { type: 'object', required: ['n'], properties: { n: { type: ['integer', 'string'], maximum: 5 } } },
      headers,
    },
  },
  { method: 'POST', url: '/free' },
  { method: 'DELETE', url: '/free' },
  { method: 'GET', url: '/free/*' },
  { method: 'GET', url: '/admin', guarded: true },
  { method: 'GET', url: '/admin/item/:id', guarded: true },
  { method: 'GET', url: '/admin/files/*', guarded: true },
  { method: 'POST', url: '/admin/order', guarded: true, schema: { body: order } },
  { method: 'OPTIONS', url: '/admin/item/:id', guarded: true },
  { method: 'GET', url: '/admin/deep/:tenant/secret', guarded: true },
]

/** What every handler does: it tells what reached it, and answers with it. */
export function handle({ method, url, schema }, request, reply) {
  if (schema?.body === undefined)
    return { route: `${method} ${url}`, params: request.params, query: request.query, body: request.body ?? null }
  reply.header('content-type', 'application/json; charset=utf-8')
  return schema.response === undefined ? { body: request.body ?? null, query: request.query, params: request.params } : (request.body ?? {})
}

/** The guard of `/admin`. */
export async function guard(request, reply) {
  if (request.headers['x-pass'] === 'no') return reply.code(401).send({ statusCode: 401, error: 'Unauthorized', message: 'guarded' })
  request.isGuarded = true
  reply.header('x-guarded', 'yes')
}

/** The reply of a not-found handler. */
export function notFound(reply, place) {
  reply.code(404).send({ statusCode: 404, error: 'Not Found', message: place })
}

/**
 * Declares the app.
 *
 * @param tell called by handlers with the route (`undefined`: a not-found handler), the request, and whether the guard ran
 * @param extra further routes, as `routes` has them
 */
export function declare(server, tell, extra = []) {
  for (const schema of Object.values(shared)) server.addSchema(structuredClone(schema))
  server.register(formbody)
  const add = (instance, route, prefix) => {
    const { method, url, schema } = route
    instance.route({
      method,
      url: url.slice(prefix.length) || '/',
      ...(schema && { schema: structuredClone(schema) }),
      handler(request, reply) {
        tell(route, request, request.isGuarded === true)
        return handle(route, request, reply)
      },
    })
  }
  server.setNotFoundHandler((request, reply) => {
    tell(undefined, request, true)
    notFound(reply, 'root')
  })
  server.register(async (open) => {
    for (const route of [...routes, ...extra]) if (route.guarded !== true) add(open, route, '')
  })
  server.register(
    async (guarded) => {
      guarded.decorateRequest('isGuarded', false)
      guarded.addHook('onRequest', guard)
      for (const route of routes) if (route.guarded === true) add(guarded, route, '/admin')
      guarded.setNotFoundHandler((request, reply) => {
        tell(undefined, request, request.isGuarded)
        notFound(reply, 'guarded')
      })
    },
    { prefix: '/admin' },
  )
  return server
}
