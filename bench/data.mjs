/** What all servers share: the schemas, and what the handlers answer. */
import { readFileSync } from 'node:fs'

export const hello = /** @type {const} */ ({
  response: { 200: { type: 'object', properties: { hello: { type: 'string' } } } },
})

export const order = /** @type {const} */ ({
  params: { type: 'object', required: ['id'], properties: { id: { type: 'integer', minimum: 1 } } },
  querystring: {
    type: 'object',
    required: ['page'],
    properties: {
      page: { type: 'integer', minimum: 1 },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
      active: { type: 'boolean' },
      sort: { type: 'string', enum: ['name', 'price', 'date'] },
      minPrice: { type: 'number', minimum: 0 },
    },
  },
  response: {
    200: {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        page: { type: 'integer' },
        limit: { type: 'integer' },
        active: { type: 'boolean' },
        sort: { type: 'string' },
        minPrice: { type: 'number' },
        customer: { type: 'string' },
        status: { type: 'string' },
        currency: { type: 'string' },
        total: { type: 'number' },
        createdAt: { type: 'string' },
        note: { type: 'string' },
      },
    },
  },
})

/**
 * @param {number} id
 * @param {{ page: number, limit?: number, active?: boolean, sort?: string, minPrice?: number }} query
 */
export function findOrder(id, { page, limit = 20, active, sort, minPrice }) {
  return {
    id,
    page,
    limit,
    active,
    sort,
    minPrice,
    customer: 'Ada Lovelace',
    status: 'shipped',
    currency: 'EUR',
    total: 129.95,
    createdAt: '2024-05-17T09:30:00.000Z',
    note: 'leave it with the neighbours',
  }
}

const address = /** @type {const} */ ({
  type: 'object',
  required: ['street', 'city', 'zip', 'country'],
  additionalProperties: false,
  properties: {
    street: { type: 'string', minLength: 1, maxLength: 100 },
    city: { type: 'string', minLength: 1, maxLength: 100 },
    zip: { type: 'string', pattern: '^[0-9]{4,6}$' },
    country: { type: 'string', minLength: 2, maxLength: 2 },
  },
})

export const user = /** @type {const} */ ({
  body: {
    type: 'object',
    required: ['id', 'name', 'email', 'website', 'birthday', 'registeredAt', 'age', 'role', 'tags', 'address', 'bio'],
    additionalProperties: false,
    properties: {
      id: { type: 'string', format: 'uuid' },
      name: { type: 'string', minLength: 1, maxLength: 100 },
      email: { type: 'string', format: 'email' },
      website: { type: 'string', format: 'uri' },
      birthday: { type: 'string', format: 'date' },
      registeredAt: { type: 'string', format: 'date-time' },
      age: { type: 'integer', minimum: 0, maximum: 150 },
      role: { type: 'string', enum: ['admin', 'editor', 'reader'] },
      tags: { type: 'array', maxItems: 20, items: { type: 'string', minLength: 1, maxLength: 30 } },
      address,
      bio: { type: 'string', maxLength: 2000 },
    },
  },
  response: {
    201: {
      type: 'object',
      properties: {
        id: { type: 'string' },
        name: { type: 'string' },
        email: { type: 'string' },
        role: { type: 'string' },
        age: { type: 'integer' },
        city: { type: 'string' },
        tags: { type: 'array', items: { type: 'string' } },
      },
    },
  },
})

/** @param {{ id: string, name: string, email: string, role: string, age: number, address: { city: string }, tags: string[] }} body */
export function createUser({ id, name, email, role, age, address, tags }) {
  return { id, name, email, role, age, city: address.city, tags }
}

/** ms for which `wait` waits before it answers. */
export const WAIT = 4000

export const list = /** @type {const} */ ({
  response: {
    200: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          name: { type: 'string' },
          email: { type: 'string' },
          active: { type: 'boolean' },
          score: { type: 'number' },
          createdAt: { type: 'string' },
          tags: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
})

const people = Array.from({ length: 100 }, (_, index) => ({
  id: index + 1000,
  name: `Person Number ${index}`,
  email: `person.${index}@example.com`,
  active: index % 3 === 0,
  score: index * 1.25,
  createdAt: '2024-05-17T09:30:00.000Z',
  tags: ['red', 'green'],
}))

export function listPeople() {
  return people
}

export const account = /** @type {const} */ ({
  response: {
    200: {
      type: 'object',
      properties: { tenant: { type: 'string' }, locale: { type: 'string' }, user: { type: 'string' }, plan: { type: 'string' } },
    },
  },
})

const sessions = new Map([['secret-token', 'ada']])

/** The name of the user whose token it is. */
export function authenticate(authorization) {
  return authorization?.startsWith('Bearer ') ? sessions.get(authorization.slice(7)) : undefined
}

export class Plans {
  #plans = new Map([['ada', 'enterprise']])

  planOf(user) {
    return this.#plans.get(user)
  }
}

export const trace = /** @type {const} */ ({
  response: { 200: { type: 'object', properties: { url: { type: 'string' }, caller: { type: 'string' } } } },
})

/** What is made for each request, and ended with it. */
export class Trace {
  static open = 0

  constructor(url, caller) {
    Trace.open += 1
    this.url = url
    this.caller = caller
  }

  end() {
    Trace.open -= 1
  }
}

export const routeCount = 1000

/** The paths of the routes, ten folders of a hundred. */
export function routePath(index) {
  return `/folder${index % 10}/resource${index}`
}

export const resource = /** @type {const} */ ({
  params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  response: { 200: { type: 'object', properties: { route: { type: 'integer' }, id: { type: 'integer' } } } },
})

/** The schemas of a route that is only there to be booted; new objects each time, `suffix` tells them apart. */
export function bootSchema(suffix) {
  const named = (properties) => Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name + suffix, schema]))
  const body = named({
    id: { type: 'string', format: 'uuid' },
    name: { type: 'string', minLength: 1, maxLength: 100 },
    email: { type: 'string', format: 'email' },
    registeredAt: { type: 'string', format: 'date-time' },
    birthday: { type: 'string', format: 'date' },
    age: { type: 'integer', minimum: 0, maximum: 150 },
    score: { type: 'number' },
    isActive: { type: 'boolean' },
    role: { type: 'string', enum: ['admin', 'editor', 'reader'] },
    tags: { type: 'array', items: { type: 'string' } },
  })
  return {
    params: { type: 'object', required: ['key'], properties: { key: { type: 'integer' } } },
    querystring: { type: 'object', properties: named({ page: { type: 'integer', minimum: 1 }, sort: { type: 'string' } }) },
    body: { type: 'object', required: Object.keys(body), properties: body },
    response: { 200: { type: 'object', properties: body } },
  }
}

export function bootSuffix(kind, index) {
  return kind === 'distinct' ? String(index) : ''
}

export function bootBody(suffix) {
  return {
    [`id${suffix}`]: '0b9e8d1a-53c7-4e5f-9d57-3c2f6f6a1f10',
    [`name${suffix}`]: 'Ada Lovelace',
    [`email${suffix}`]: 'ada@example.com',
    [`registeredAt${suffix}`]: '2024-05-17T09:30:00.000Z',
    [`birthday${suffix}`]: '1990-12-10',
    [`age${suffix}`]: 36,
    [`score${suffix}`]: 9.5,
    [`isActive${suffix}`]: true,
    [`role${suffix}`]: 'editor',
    [`tags${suffix}`]: ['red', 'green'],
  }
}

/** The key and the certificate that prepare.mjs makes, beside the compiled copy of this file. */
export function certificate() {
  const read = (name) => readFileSync(new URL(`${name}.pem`, import.meta.url))
  return { key: read('key'), cert: read('certificate') }
}
