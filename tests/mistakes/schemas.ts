/** Mistakes in the schemas of routes, and in what replies must be by them. */
import { type Class, Controller, extend, Model, pick, Post, ref, Schema } from 'alcove'
import { z } from 'zod'
import { plugin } from '../fixtures/applications.js'
import { boot, call, loose, type Mistake, request, short } from './mistake.js'

const object = { type: 'object' } as const

/** A controller with one route and these schemas. */
function posts(schema: unknown, handle: () => unknown = () => ({ a: 1 }), ...more: unknown[]): { routes: Class[] } {
  @Controller('/cats')
  class Cats {
    @Post()
    add() {
      return handle()
    }
  }
  const decorate = (Schema as (...schemas: unknown[]) => (...args: unknown[]) => void)(schema, ...more)
  decorate(Cats.prototype, 'add')
  return { routes: [Cats] }
}
const part = (says: string, schema: object, cure: string | RegExp): Mistake => boot(says, /App > Cats\.add/, cure, () => posts(schema))
/** A mistake within the schema of a body. */
const within = (says: string, schema: object, cure: string | RegExp): Mistake => part(says, { body: { ...object, ...schema } }, cure)
const property = (says: string, schema: unknown, cure: string | RegExp): Mistake => within(says, { properties: { a: schema } }, cure)

const parts: Mistake[] = [
  part('parms for params', { parms: object }, "Did you mean 'params'?"),
  part('querry for query', { querry: object }, "Did you mean 'query'?"),
  part('responses for response', { responses: { 200: object } }, "Did you mean 'response'?"),
  part('header for headers', { header: object }, "Did you mean 'headers'?"),
  part('Body with a capital', { Body: object }, "Did you mean 'body'?"),
  part('requestBody of OpenAPI', { requestBody: object }, 'Parts are: body, params'),
  part('parameters of OpenAPI', { parameters: [] }, 'Parts are: body, params'),
  part('a JSON Schema without its part', { ...object, properties: {} }, 'Parts are: body, params'),
  part('a body that is undefined', { body: undefined }, 'or leave the part out'),
  part('a response that is undefined', { response: { 200: undefined } }, 'or leave the part out'),
  part('all responses undefined', { response: undefined }, 'or leave the part out'),
  part('query and querystring', { query: { ...object }, querystring: { ...object } }, /query/),
  part('a response without a status', { response: { type: 'object', properties: {} } }, /status code/),
  part('a response with a status out of range', { response: { 999: object } }, /status code/),
  part('a media type without its schema', { response: { 200: { content: { 'text/csv': object } } } }, /[Ss]chema is missing/),
  part('a body that is a class', { body: class CreateCat {} }, /class/),
  part('a body that is a text', { body: 'CreateCat' }, /object|schema/),
  part('a body that is a list', { body: [object] }, /object|schema/),
  part('a body that is a function', { body: () => object }, /function/),
  part('a response that is a class', { response: { 200: class Cat {} } }, /class/),
  boot('two schemas in one @Schema', 'App > Cats.add', 'Keep one of them', () =>
    posts({ body: object }, undefined, { response: { 200: object } }),
  ),
  boot(
    'schemas that are undefined',
    'App > Cats.add has @Schema or @Get(path, schema) with undefined',
    'Declare what it names before the class',
    () => posts(undefined),
  ),
  boot('schemas that are a function', 'App > Cats.add', /object/, () => posts(() => ({ body: object }))),
  boot('schemas that are null', 'App > Cats.add has @Schema or @Get(path, schema) with null', 'Declare what it names', () => posts(null)),
  boot('schemas that are a schema of Zod instead of parts', 'App > Cats.add', /body/, () => posts(z.object({ a: z.string() }))),
]

const keywords: Mistake[] = [
  property('minLenght', { type: 'string', minLenght: 1 }, 'minLenght'),
  property('a type that does not exist', { type: 'sring' }, /type/),
  property('a type of TypeScript', { type: 'Date' }, /type/),
  property('required in a property', { type: 'string', required: true }, /required.*array/),
  property('a format that does not exist', { type: 'string', format: 'emial' }, 'emial'),
  property('a pattern that is not an expression', { type: 'string', pattern: '[' }, /regular expression|pattern/i),
  property('enum as a text', { enum: 'a' }, /enum.*array/),
  property('minimum as a text', { type: 'integer', minimum: '1' }, /minimum.*number/),
  property('exclusiveMinimum of draft 4', { type: 'integer', minimum: 1, exclusiveMinimum: true }, /exclusiveMinimum.*number/),
  property('nullable without a type', { nullable: true }, /nullable/),
  property('a property that is a text', 'string', /properties\/a/),
  property('a decorator of class-validator as a keyword', { type: 'string', IsEmail: true }, 'IsEmail'),
  property('a reference to a local definition that is not there', { $ref: '#/definitions/Cat' }, '#/definitions/Cat'),
  property('a schema of Zod within JSON Schema', z.string(), /Zod|zod|library|Standard/i),
  within('required as a text', { required: 'a' }, /required.*array/),
  within('a misspelt name in required', { required: ['nmae'], properties: { name: {} } }, "Did you mean 'name'?"),
  within('properties as a list', { properties: ['a'] }, /properties.*object/),
  within('additionalProperties as a text', { additionalProperties: 'false' }, /additionalProperties/),
  part('a type of a response that does not exist', { response: { 200: { type: 'objct' } } }, /objct|type/),
  part('a keyword of a response that does not exist', { response: { 200: { ...object, propertys: {} } } }, /propertys/),
  part('a body that mixes JSON Schema and Zod', { body: { type: 'object', a: z.string() } }, /./),
]

@Schema({ $id: 'Cat', type: 'object' })
class Cat {}

const references: Mistake[] = [
  call('ref() to a class without @Schema', 'ref(Dog)', "class Dog extends Model({ $id: 'Dog', … })", 'boot', () => ref(class Dog {})),
  call('ref() to a class whose @Schema has no $id', 'ref(Dog)', "@Schema({ $id: 'Dog', … }) above the class", 'boot', () => {
    class Dog {}
    Schema(loose({ type: 'object' }))(loose(Dog))
    return ref(Dog)
  }),
  call('ref() to undefined, of a circle of imports', 'ref(undefined)', /circle of imports/, 'boot', () => ref(loose(undefined))),
  call('ref() to the id of a schema', 'ref(Cat)', 'Pass the class itself', 'boot', () => ref(loose('Cat'))),
  part('$ref to a schema that no module lists', { body: { $ref: 'Dog#' } }, /Dog.*schemas/),
  boot('$ref to a class that a sibling module lists', 'App > Api > Cats.add', 'Declare it in an ancestor, or share that plugin', () => ({
    imports: [plugin('Models', { schemas: [Cat] }), plugin('Api', posts({ body: { $ref: 'Cat#' } }))],
  })),
  short(
    'ajv does not tell in which schema it found the keyword',
    boot('a shared schema with an unknown keyword', 'App > Cats.add', 'minLenght', () => ({
      schemas: [{ $id: 'Owner', type: 'string', minLenght: 1 }],
      ...posts({ body: { $ref: 'Owner#' } }),
    })),
  ),
  boot('a shared schema with a misspelt keyword, in a response', "the shared schema 'Owner'", 'Did you mean "properties"?', () => ({
    schemas: [{ $id: 'Owner', type: 'object', propertys: {} }],
    ...posts({ response: { 200: { $ref: 'Owner#' } } }),
  })),
  part('a reference to a part of a shared schema that is not there', { body: { $ref: '#/$defs/Cat' } }, '$defs/Cat'),
]

class Bird extends Model({ $id: 'Bird', type: 'object', required: ['name'], properties: { name: { type: 'string' } } }) {}
class Eagle extends Bird {}
const model = (says: string, schema: unknown, place: string, cure: string | RegExp): Mistake =>
  call(says, place, cure, 'boot', () => Model(loose(schema)))

const models: Mistake[] = [
  call('ref() to a subclass of a model', 'ref(Eagle)', 'class Eagle extends Model(extend(Bird', 'boot', () => ref(Eagle)),
  boot('a subclass of a model as a shared schema', 'App lists Eagle', 'class Eagle extends Model(extend(Bird', () => ({
    schemas: [Eagle],
  })),
  boot('a model without $id', 'App lists Anonymous', "Model({ $id: 'Anonymous'", () => {
    const modelOf = Model as unknown as (schema: object) => Class
    class Anonymous extends modelOf({ type: 'object', properties: {} }) {}
    return { schemas: [Anonymous] }
  }),
  boot('a model with @Schema', 'App > Twice', 'Keep one of them', () => {
    class Twice extends Model({ $id: 'Twice', type: 'object', properties: {} }) {}
    Schema({ $id: 'Other', type: 'object' })(Twice)
    return { schemas: [Twice] }
  }),
  boot('two models with one $id', 'App lists Other', 'another $id', () => {
    class Other extends Model({ $id: 'Bird', type: 'object', properties: {} }) {}
    return { schemas: [Bird, Other] }
  }),
  boot('a model that a plugin above lists too', 'App > Api lists Bird', 'keep one of the entries', () => ({
    schemas: [Bird],
    imports: [plugin('Api', { schemas: [Bird] })],
  })),
  part('ref() to a later class that is not there', { body: ref(() => loose(undefined)) }, 'Return a class that is declared'),
  part('ref() to a later class without a schema', { body: ref(() => class Dog {}) }, "class Dog extends Model({ $id: 'Dog'"),
  model('a model of a text', { $id: 'Name', type: 'string' }, 'Model', "type: 'object', properties"),
  model('a model that is undefined', undefined, 'Model', 'circle of imports'),
  model('a model of a class', Bird, 'Bird is a class', "type: 'object', properties"),
  model(
    'a class as a property of a model',
    { $id: 'Nest', type: 'object', properties: { bird: Bird } },
    "Model('Nest')",
    'Write ref(Bird)',
  ),
  model(
    'a property of a model that is undefined',
    { $id: 'Nest', type: 'object', properties: { bird: undefined } },
    "'bird'",
    'ref(() => …)',
  ),
  model('a schema of Zod that says more than JSON Schema', z.object({ mail: z.email() }), "'mail'", 'Write the model as JSON Schema'),
  call('a property that is not there in pick()', 'pick(Bird)', "Did you mean 'name'?", 'boot', () => pick(Bird, loose('nmae'))),
  call('a property that is there already in extend()', 'extend(Bird)', "omit(Bird, 'name')", 'boot', () =>
    extend(Bird, loose({ properties: { name: {} } })),
  ),
]

const standard = (vendor: string, more: object = {}) => ({
  '~standard': { version: 1, vendor, validate: (value: unknown) => ({ value }), ...more },
})

const replies: Mistake[] = [
  part('a response with a schema without JSON Schema', { response: { 200: standard('plain') } }, /JSON Schema/),
  boot('a validator compiler that returns nothing', 'App > Cats.add', /did not return a function/, () => ({
    ...posts({ body: object }),
    validatorCompiler: () => undefined,
  })),
  boot('a serializer compiler that returns nothing', 'App > Cats.add', /did not return a function/, () => ({
    ...posts({ response: { 200: object } }),
    serializerCompiler: () => undefined,
  })),
  request(
    'a reply with a value that is none of its schema',
    'property /a of the response 200 of App > Cats.add',
    'cannot be converted to an integer',
    () => posts({ response: { 200: { type: 'object', properties: { a: { type: 'integer' } } } } }, () => ({ a: 'seven' })),
    { path: '/cats', method: 'POST' },
  ),
  request(
    'a reply that lacks what its schema requires',
    'property /b of the response 200 of App > Cats.add',
    /"b" is required/,
    () => posts({ response: { 200: { ...object, required: ['b'], properties: { b: { type: 'string' } } } } }),
    {
      path: '/cats',
      method: 'POST',
    },
  ),
  request(
    'a reply of another type than its schema',
    'the response 200 of App > Cats.add',
    'does not match schema definition',
    () => posts({ response: { 200: { type: 'array', items: {} } } }),
    {
      path: '/cats',
      method: 'POST',
    },
  ),
  request(
    'a formatter of schema errors that returns a text',
    '/cats',
    /must return an Error/,
    () => ({ ...posts({ body: object }), schemaErrorFormatter: () => 'no' }),
    {
      path: '/cats',
      method: 'POST',
    },
  ),
  request(
    'a refinement that throws',
    '/cats',
    /no database/,
    () =>
      posts({
        body: z.object({}).refine(() => {
          throw new Error('no database')
        }),
      }),
    { path: '/cats', method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } },
  ),
  request(
    'a reply for a status that the schema does not declare, if such are refused',
    '/cats',
    'Declare one',
    () => posts({ response: { 201: object } }),
    {
      path: '/cats',
      method: 'POST',
      server: { undeclaredResponses: 'refuse' },
    },
  ),
]

export const schemas: readonly Mistake[] = [...parts, ...keywords, ...references, ...models, ...replies]
