/**
 * An application of the schemas that are hardest to describe in a document: two uses of one controller, several methods, versions, error formats
 * with schemas of their own, recursion of a schema library, alternatives, maps, tuples, `null` in every spelling, dates and large numbers.
 * Its handlers send back what they receive, so that a request that is taken wrongly shows in its reply.
 */
import {
  Action,
  arrayOf,
  Controller,
  Get,
  Hook,
  HttpError,
  httpError,
  Model,
  Plugin,
  Post,
  ref,
  Schema,
  use,
} from '../../dist/decorators/index.js'
import { z } from 'zod'

/** Declares a method of a class: these files have no decorator syntax. */
function declare(Class, name, method, ...decorators) {
  Object.defineProperty(Class.prototype, name, { value: method, writable: true, configurable: true })
  const descriptor = Object.getOwnPropertyDescriptor(Class.prototype, name)
  for (const decorate of decorators.toReversed()) decorate(Class.prototype, name, descriptor)
  Object.defineProperty(Class.prototype, name, descriptor)
}

const echo = ({ body }) => body
const id = { type: 'integer', minimum: 0, maximum: 1_000_000 }
const named = { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 1, maxLength: 9 } } }

/** Schemas of a body that are the schemas of its reply too, by name. */
const schemas = {
  nullableEnum: { type: 'object', required: ['e'], properties: { e: { type: 'string', enum: ['a', 'b'], nullable: true } } },
  nullableConst: { type: 'object', required: ['c'], properties: { c: { anyOf: [{ const: 'x' }, { type: 'null' }] } } },
  nullableList: { type: 'array', nullable: true, maxItems: 3, items: { type: ['integer', 'null'] } },
  listOfTypes: { type: 'object', required: ['v'], properties: { v: { type: ['boolean', 'number', 'null'] } } },
  tagged: {
    oneOf: [
      {
        type: 'object',
        required: ['kind', 'radius'],
        properties: { kind: { const: 'circle' }, radius: { type: 'number', exclusiveMinimum: 0 } },
      },
      { type: 'object', required: ['kind', 'side'], properties: { kind: { const: 'square' }, side: { type: 'number', multipleOf: 0.5 } } },
    ],
  },
  either: {
    anyOf: [
      { type: 'string', maxLength: 3 },
      { type: 'object', required: ['id'], properties: { id } },
    ],
  },
  both: { allOf: [named, { type: 'object', required: ['id'], properties: { id } }] },
  map: { type: 'object', maxProperties: 4, additionalProperties: { type: 'array', items: id, maxItems: 2 } },
  patterns: { type: 'object', properties: { id }, patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false },
  closed: { ...named, additionalProperties: false },
  tuple: { type: 'array', items: [{ type: 'string' }, id], additionalItems: { type: 'boolean' }, minItems: 2, maxItems: 4 },
  unique: { type: 'array', uniqueItems: true, minItems: 1, maxItems: 4, items: { enum: ['a', 'b', 'c', 1, null] } },
  dependent: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, dependencies: { a: ['b'] } },
  conditional: {
    type: 'object',
    required: ['kind'],
    properties: { kind: { enum: ['text', 'none'] }, text: { type: 'string' } },
    if: { properties: { kind: { const: 'text' } } },
    then: { required: ['text'] },
  },
  defaults: {
    type: 'object',
    required: ['id'],
    properties: { id, kind: { type: 'string', default: 'plain' }, tags: { type: 'array', items: id, default: [] } },
  },
  formats: {
    type: 'object',
    properties: {
      time: { type: 'string', format: 'date-time' },
      day: { type: 'string', format: 'date' },
      key: { type: 'string', format: 'uuid' },
      mail: { type: 'string', format: 'email' },
    },
  },
  nested: {
    type: 'object',
    required: ['items'],
    properties: { items: { type: 'array', minItems: 1, maxItems: 3, items: { ...named, properties: { ...named.properties, of: named } } } },
  },
}

class Echo {}
for (const [name, schema] of Object.entries(schemas))
  declare(Echo, name, echo, Post({ path: `/${name}`, status: 200 }), Schema({ body: schema, response: { 200: schema } }))
Controller('/echo')(Echo)

class Item extends Model({ $id: 'Item', ...named, properties: { ...named.properties, parent: { $ref: '#' } } }) {}
/** A model may have the name of a type of the client file. */
class Node extends Model({ $id: 'Node', type: 'object', required: ['value'], properties: { value: id } }) {}
const Tree = z.object({
  name: z.string().max(5),
  get children() {
    return z.array(Tree).max(2)
  },
})

class Items {}
declare(Items, 'list', () => [{ name: 'a' }], Get('/'), Schema({ response: { 200: arrayOf(Item) } }))
declare(Items, 'save', echo, Action(['PUT', 'PATCH'], '/'), Schema({ body: ref(Item), response: { 200: ref(Item) } }))
declare(Items, 'node', echo, Post({ path: '/node', status: 200 }), Schema({ body: ref(Node), response: { 200: ref(Node) } }))
declare(Items, 'tree', echo, Post({ path: '/tree', status: 200 }), Schema({ body: Tree, response: { 200: Tree } }))
declare(
  Items,
  'search',
  ({ query, headers }) => ({ ...query, tenant: headers['x-tenant'] }),
  Get('/search'),
  Schema({
    querystring: {
      type: 'object',
      required: ['q'],
      properties: {
        q: { type: 'string', minLength: 1 },
        page: { ...id, default: 1 },
        tag: { type: 'array', items: id },
        exact: { type: 'boolean' },
      },
    },
    headers: { type: 'object', required: ['x-tenant'], properties: { 'x-tenant': id } },
    response: {
      200: {
        type: 'object',
        required: ['q', 'page', 'tenant'],
        properties: { q: { type: 'string' }, page: id, tag: { type: 'array', items: id }, exact: { type: 'boolean' }, tenant: id },
      },
    },
  }),
)
declare(
  Items,
  'visit',
  ({ cookies }) => ({ ...cookies }),
  Get('/visit'),
  Schema({
    cookies: {
      type: 'object',
      required: ['session'],
      additionalProperties: false,
      properties: {
        session: { type: 'string', minLength: 1 },
        page: { ...id, default: 1 },
        exact: { type: 'boolean' },
        role: { enum: ['a', 'b c;d'] },
      },
    },
    response: {
      200: {
        type: 'object',
        required: ['session', 'page'],
        additionalProperties: false,
        properties: { session: { type: 'string' }, page: id, exact: { type: 'boolean' }, role: { type: 'string' } },
      },
    },
  }),
)
Controller('/items')(Items)

class North {}
Plugin({ prefix: '/north', routes: [Items], schemas: [Item, Node] })(North)
class South {}
Plugin({ prefix: '/south', routes: [Items], schemas: [Item, Node] })(South)
class Branch {}
Plugin({ routes: [Items], schemas: [Item, Node] })(Branch)

class Taken extends httpError(409, { type: 'object', required: ['by'], properties: { by: { type: 'string' } } }) {}
class Nobody extends httpError(401) {}
class Guard {
  static throws = [Nobody]
  onRequest({ headers }) {
    if (headers['x-nobody'] !== undefined) throw new Nobody()
  }
}

const failures = {
  taken: () => {
    throw new Taken({ by: 'ada' })
  },
  plain: () => {
    throw new HttpError(422, 'plain')
  },
  broken: () => {
    throw new Error('broken')
  },
}
const ofStatus = { 422: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } } }
const ofAll = { default: { type: 'object', properties: { message: { type: 'string' } } } }

function failing(name) {
  const Failing = { [name]: class {} }[name]
  for (const [failure, handler] of Object.entries(failures)) {
    declare(Failing, failure, handler, Get({ path: `/${failure}`, throws: [Taken] }), Schema({ response: { 200: named, ...ofStatus } }))
    declare(
      Failing,
      `${failure}Default`,
      handler,
      Get({ path: `/${failure}-default`, throws: [Taken] }),
      Schema({ response: { 200: named, ...ofAll } }),
    )
  }
  Controller('/failing')(Failing)
  Hook('onRequest', Guard)(Failing)
  return Failing
}

class Problems {}
Plugin({ prefix: '/problems', errorFormat: 'problem', routes: [failing('FailingProblems')] })(Problems)
class Plain {}
Plugin({ prefix: '/plain', routes: [failing('FailingPlain')] })(Plain)

class Versions {}
declare(
  Versions,
  'first',
  () => ({ name: 'first' }),
  Get({ path: '/v', constraints: { version: '1.0.0' } }),
  Schema({ response: { 200: named } }),
)
declare(
  Versions,
  'both',
  (request) => request.body ?? { name: request.method },
  Action(['GET', 'POST'], '/both'),
  Schema({ response: { 200: named } }),
)
declare(Versions, 'nothing', () => null, Get({ path: '/nothing', status: 204 }), Schema({ response: { 204: { type: 'null' } } }))
declare(
  Versions,
  'csv',
  (_request, reply) => reply.type('text/csv').send('a,b\n'),
  Get('/csv'),
  Schema({ response: { 200: { content: { 'text/csv': { schema: { type: 'string' } }, 'application/json': { schema: named } } } } }),
)
declare(
  Versions,
  'wildcard',
  ({ params }) => ({ name: String(params['*']).slice(0, 9) || '-' }),
  Get('/files/*'),
  Schema({ response: { 200: named } }),
)
declare(
  Versions,
  'typed',
  ({ params }) => ({ id: params.id }),
  Get('/typed/:id/:day'),
  Schema({
    params: { type: 'object', required: ['id', 'day'], properties: { id, day: { type: 'string', format: 'date' } } },
    response: { 200: { type: 'object', required: ['id'], properties: { id } } },
  }),
)
Controller('/other')(Versions)

export class Hard {}
Plugin({
  name: 'Hard',
  imports: [North, South, use(Branch, { prefix: '/east' }), use(Branch, { prefix: '/west' }), Problems, Plain],
  routes: [Echo, Versions],
})(Hard)
