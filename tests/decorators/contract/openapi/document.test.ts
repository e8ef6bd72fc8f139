import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenApiOptions } from '../../../../decorators/contract/openapi/document-types.js'
import { writeDocument } from '../../../../decorators/contract/openapi/document.js'
import type { ApplicationDescription, JsonSchema, RouteDescription } from '../../../../lib/index.js'

const text = { type: 'string' }
const info = { title: 'Shop', version: '1.0.0' }
const ok = { 200: { description: 'Found', content: { 'application/json': text }, from: ['route'] } }

/** A route with what a test says of it. */
function route(method: string, url: string, more: Partial<RouteDescription> = {}): RouteDescription {
  return {
    methods: [method],
    url,
    isAutomatic: false,
    place: `App > ItemsController.${method.toLowerCase()}${url.replaceAll(/\W/g, '')}`,
    context: 'App',
    status: 200,
    hooks: [],
    errorHandlers: [],
    engines: {},
    input: {},
    responses: ok,
    security: [],
    limits: {},
    deprecated: false,
    docs: {},
    ...more,
  }
}

function write(
  routes: readonly RouteDescription[],
  options: Partial<OpenApiOptions> = {},
  more: Partial<ApplicationDescription> = {},
): { document: any; warnings: string[]; gaps: string[] } {
  const found: Record<'lossy' | 'undescribed', string[]> = { lossy: [], undescribed: [] }
  const description = { name: 'App', routes, schemas: {}, securitySchemes: {}, mayAddRoutes: [], ...more }
  const onWarning: OpenApiOptions['onWarning'] = ({ kind, message }) => found[kind].push(message)
  return { document: writeDocument(description, { info, onWarning, ...options }), warnings: found.lossy, gaps: found.undescribed }
}

const query = (schema: JsonSchema) => write([route('GET', '/', { input: { querystring: schema } })])

test('a document has the version of OpenAPI, its info and the operations by path and method', () => {
  const { document, warnings, gaps } = write([route('GET', '/items'), route('POST', '/items'), route('GET', '/about')])
  assert.equal(document.openapi, '3.1.1')
  assert.deepEqual(document.info, info)
  assert.deepEqual(
    Object.entries<object>(document.paths).map(([path, item]) => [path, Object.keys(item)]),
    [
      ['/items', ['get', 'post']],
      ['/about', ['get']],
    ],
  )
  assert.deepEqual([warnings, gaps], [[], []])
})

test('HEAD routes that GET routes got and hidden routes are left out, and so are those that include refuses', () => {
  const { document } = write(
    [
      route('HEAD', '/a', { isAutomatic: true }),
      route('GET', '/a'),
      route('GET', '/hidden', { docs: { hide: true } }),
      route('GET', '/refused'),
      route('HEAD', '/own'),
    ],
    { include: ({ url }) => url !== '/refused' },
  )
  assert.deepEqual(Object.keys(document.paths), ['/a', '/own'])
  assert.deepEqual(Object.keys(document.paths['/a']), ['get'])
})

test('with a base path the routes below it are described, with paths relative to the server', () => {
  const { document } = write([route('GET', '/api'), route('GET', '/api/items'), route('GET', '/apis'), route('GET', '/health')], {
    basePath: '/api',
  })
  assert.deepEqual(Object.keys(document.paths), ['/', '/items'])
  assert.deepEqual(document.servers, [{ url: '/api' }])
  assert.deepEqual(write([]).document.servers, [{ url: '/' }])
  assert.deepEqual(write([], { basePath: '/api', servers: [{ url: 'https://a.example/api' }] }).document.servers, [
    { url: 'https://a.example/api' },
  ])
})

test('the operationId comes from class and method', () => {
  const { document } = write([
    route('GET', '/a', { place: 'App > UsersPlugin > UsersController.findOne' }),
    route('GET', '/b', { place: 'App > GetTwo' }),
    route('GET', '/users/:id', { place: 'anonymous' }),
    route('GET', '/c', { docs: { operationId: 'own' } }),
    route('GET', '/d/:id?', { place: 'App > Things.find' }),
    { ...route('PUT', '/e', { place: 'App > Things.save' }), methods: ['PUT', 'PATCH'] },
  ])
  const ids = Object.values<any>(document.paths).flatMap((item) => Object.values<any>(item).map(({ operationId }) => operationId))
  assert.deepEqual(ids, [
    'usersFindOne',
    'getTwo',
    'getUsersById',
    'own',
    'thingsFindWithoutId',
    'thingsFind',
    'thingsSavePut',
    'thingsSavePatch',
  ])
})

const idsOf = (document: any): string[] =>
  Object.values<any>(document.paths).flatMap((item) => Object.values<any>(item).map(({ operationId }) => operationId))

test('operations that want one operationId are told apart by the nearest contexts, and routes of other names keep theirs', () => {
  const find = (contexts: string, url: string) => route('GET', url, { place: `App > ${contexts} > UsersController.find` })
  assert.deepEqual(
    idsOf(write([find('AdminPlugin', '/a'), find('PublicPlugin', '/b'), route('GET', '/c', { place: 'App > Posts.find' })]).document),
    ['adminUsersFind', 'publicUsersFind', 'postsFind'],
  )
  assert.deepEqual(idsOf(write([find('V1 > Admin', '/a'), find('V2 > Admin', '/b'), find('Public', '/c')]).document), [
    'v1AdminUsersFind',
    'v2AdminUsersFind',
    'publicUsersFind',
  ])
})

test('operations of one context that want one operationId are told apart by what their paths differ in', () => {
  const find = (url: string) => route('GET', url, { place: 'App > Branch > UsersController.find' })
  assert.deepEqual(idsOf(write([find('/north/users/:id'), find('/south/users/:id'), find('/users/:id')]).document), [
    'northUsersFind',
    'southUsersFind',
    'usersFind',
  ])
  const ofFunctions = [route('GET', '/users/:id', { place: 'anonymous' }), route('GET', '/users/by-id', { place: 'anonymous' })]
  assert.deepEqual(idsOf(write(ofFunctions).document), ['getUsersById', 'appGetUsersById'])
})

test('an operationId that one declaration writes for several contexts is told apart too, and a default one gives way to it', () => {
  const find = (contexts: string, url: string) =>
    route('GET', url, { place: `App > ${contexts} > Users.find`, docs: { operationId: 'findUser' } })
  assert.deepEqual(idsOf(write([find('Admin', '/a'), find('Public', '/b')]).document), ['adminFindUser', 'publicFindUser'])
  const written = route('GET', '/a', { docs: { operationId: 'usersList' } })
  const other = route('GET', '/b', { place: 'App > Users.list' })
  assert.deepEqual(idsOf(write([other, written]).document), ['appUsersList', 'usersList'])
})

test('an operationId that the application writes for two declarations is a fault with both places and the cure, all at once', () => {
  const docs = { operationId: 'list' }
  const list = (name: string) => route('GET', `/${name}`, { place: `App > ${name}.list`, docs })
  assert.throws(() => write([list('Users'), list('Posts'), list('Tags')]), {
    name: 'WiringError',
    message: [
      'The wiring of App has 2 faults:',
      "  - Two operations have the operationId 'list': GET /Users (App > Users.list) and GET /Posts (App > Posts.list). Write another one for one of them, in its schema, in its docs, or in the option operationId of the document. A route without one is named after its class and method.",
      "  - Two operations have the operationId 'list': GET /Posts (App > Posts.list) and GET /Tags (App > Tags.list). Write another one for one of them, in its schema, in its docs, or in the option operationId of the document. A route without one is named after its class and method.",
      'For an explanation: npx alcove errors OPERATION_ID_REPEATED',
    ].join('\n'),
  })
  const { document } = write([list('Users'), route('GET', '/b', { place: 'App > Posts.list' })], { operationId: ({ url }) => url.slice(1) })
  assert.deepEqual(idsOf(document), ['list', 'b'])
})

test('the tag of a route is the one that it declares or inherits, else its controller, else its plugin', () => {
  const { document } = write(
    [
      route('GET', '/a', { docs: { tags: ['Own'] } }),
      route('GET', '/b', { place: 'App > UsersPlugin > UsersController.list', context: 'App > UsersPlugin' }),
      route('GET', '/c', { place: 'App > BillingPlugin > GetInvoice', context: 'App > BillingPlugin' }),
    ],
    { tags: [{ name: 'Billing', description: 'Invoices' }] },
  )
  assert.deepEqual(
    Object.values<any>(document.paths).map(({ get }) => get.tags),
    [['Own'], ['Users'], ['Billing']],
  )
  assert.deepEqual(document.tags, [{ name: 'Billing', description: 'Invoices' }, { name: 'Own' }, { name: 'Users' }])
})

test('a route without a summary has its name in words', () => {
  const { document } = write([
    route('GET', '/a', { place: 'App > UsersController.findOne' }),
    route('GET', '/b', { place: 'App > GetTwo' }),
    route('GET', '/c', { place: 'anonymous' }),
  ])
  assert.deepEqual(
    Object.values<any>(document.paths).map(({ get }) => get.summary),
    ['Find one', 'Get two', 'GET /c'],
  )
})

test('texts, deprecation and x- fields are passed on', () => {
  const docs = { summary: 'S', description: 'D', externalDocs: { url: 'https://a.example' }, 'x-internal': [1] }
  const { document } = write([route('GET', '/', { docs, deprecated: true })], { 'x-logo': { url: 'logo.svg' } })
  const { responses: _responses, operationId: _id, tags: _tags, ...rest } = document.paths['/'].get
  assert.deepEqual(rest, { ...docs, deprecated: true })
  assert.deepEqual(document['x-logo'], { url: 'logo.svg' })
})

test('parameters of the path are required, and are strings with a warning if they have no schema', () => {
  const { document, gaps } = write([
    route('GET', '/users/:id/files/:name', {
      input: { params: { type: 'object', properties: { id: { type: 'integer', description: 'Its number' } } } },
    }),
  ])
  assert.deepEqual(document.paths['/users/{id}/files/{name}'].get.parameters, [
    { name: 'id', in: 'path', required: true, description: 'Its number', schema: { type: 'integer' } },
    { name: 'name', in: 'path', required: true, schema: text },
  ])
  assert.deepEqual(gaps, [
    "GET /users/:id/files/:name (App > ItemsController.getusersidfilesname): the parameter 'name' of the path has no schema, so it is a string. Add it to the schema of params.",
  ])
})

test('regular expressions, wildcards, escaped colons and several parameters in a segment become templates', () => {
  const { document, warnings } = write([
    route('GET', '/at/:hour(^\\d{2}$)h:minute(^\\d{2}$)m', { place: 'App > A.at' }),
    route('GET', '/near/:lat-:lng', { place: 'App > A.near' }),
    route('GET', '/files/*', { place: 'App > A.files' }),
    route('GET', '/v1::run', { place: 'App > A.run' }),
  ])
  assert.deepEqual(Object.keys(document.paths), ['/at/{hour}h{minute}m', '/near/{lat}-{lng}', '/files/{wildcard}', '/v1:run'])
  assert.deepEqual(document.paths['/at/{hour}h{minute}m'].get.parameters[0].schema, { type: 'string', pattern: '^\\d{2}$' })
  assert.deepEqual(warnings, [
    "GET /at/:hour(^\\d{2}$)h:minute(^\\d{2}$)m (App > A.at): the regular expression (^\\d{2}$) of the parameter 'hour' chooses the route; the document has it as a pattern.",
    "GET /at/:hour(^\\d{2}$)h:minute(^\\d{2}$)m (App > A.at): the regular expression (^\\d{2}$) of the parameter 'minute' chooses the route; the document has it as a pattern.",
    'GET /files/* (App > A.files): the wildcard of the path is the parameter {wildcard}, but OpenAPI does not let its value contain a slash.',
  ])
})

test('the warning about the regular expression of a number says that the document does not have it', () => {
  const params = { type: 'object', properties: { id: { type: 'integer' } } }
  const { document, warnings } = write([route('GET', '/users/:id(^\\d+$)', { place: 'App > A.find', input: { params } })])
  assert.deepEqual(document.paths['/users/{id}'].get.parameters[0].schema, { type: 'integer' })
  assert.deepEqual(warnings, [
    "GET /users/:id(^\\d+$) (App > A.find): the regular expression (^\\d+$) of the parameter 'id' chooses the route; the document does not have it.",
  ])
})

test('paths that differ only in the names of their parameters are one path', () => {
  const { document } = write([route('GET', '/users/:id'), route('DELETE', '/users/:name')])
  assert.deepEqual(Object.keys(document.paths), ['/users/{id}'])
  assert.deepEqual(document.paths['/users/{id}'].delete.parameters[0].name, 'id')
})

test('a route that is declared with a slash at its end and without one is described once', () => {
  const { document } = write([
    route('POST', '/users', { place: 'App > Users.add' }),
    route('POST', '/users/', { place: 'App > Users.add' }),
    route('GET', '/other/', { place: 'App > Others.list' }),
  ])
  assert.deepEqual(Object.keys(document.paths), ['/users', '/other/'])
})

test('a route that needs the path and method of another one is left out with a warning', () => {
  const { document, warnings } = write([
    route('GET', '/a', { place: 'App > A.one', constraints: { version: '1.0.0' } }),
    route('GET', '/a', { place: 'App > A.two', constraints: { version: '2.0.0' } }),
  ])
  assert.deepEqual(document.paths['/a'].get.parameters, [
    {
      name: 'Accept-Version',
      in: 'header',
      required: true,
      description: 'Must match version 1.0.0.',
      schema: { type: 'string', examples: ['1.0.0'] },
    },
  ])
  assert.deepEqual(warnings, [
    'GET /a (App > A.two) is left out: a document can contain GET /a only once, and GET /a (App > A.one) is there. Write a document for each of them with the option include.',
  ])
})

test('a route with a host has a server of its own; other constraints are warnings', () => {
  const { document, warnings } = write([route('GET', '/', { place: 'App > A.b', constraints: { host: 'a.example', tenant: 'x' } })])
  assert.deepEqual(document.paths['/'].get.servers, [{ url: '//a.example' }])
  assert.deepEqual(warnings, [
    "GET / (App > A.b): OpenAPI cannot express its constraint 'tenant'. Describe it in the description of the route.",
  ])
  // The description of a route has a RegExp as its text.
  const pattern = write([route('GET', '/', { place: 'App > A.b', constraints: { host: '/^a\\.example$/' } })])
  assert.equal(pattern.document.paths['/'].get.servers, undefined)
  assert.ok(pattern.warnings.some((text) => text.includes("OpenAPI cannot express its constraint 'host'")))
})

test('QUERY and methods that OpenAPI does not name are in documents of 3.2, and left out of 3.1 with a warning', () => {
  const routes = [route('QUERY', '/a', { place: 'App > A.q' }), route('PROPFIND', '/a', { place: 'App > A.p' })]
  const { document, warnings } = write(routes)
  assert.deepEqual(document.paths, {})
  assert.deepEqual(warnings, [
    "QUERY /a (App > A.q) is left out: OpenAPI 3.1 has no operations for QUERY. Write the document with version: '3.2'.",
    "PROPFIND /a (App > A.p) is left out: OpenAPI 3.1 has no operations for PROPFIND. Write the document with version: '3.2'.",
  ])
  const later = write(routes, { version: '3.2' })
  assert.equal(later.document.openapi, '3.2.0')
  assert.deepEqual(Object.keys(later.document.paths['/a']), ['query', 'additionalOperations'])
  assert.deepEqual(Object.keys(later.document.paths['/a'].additionalOperations), ['PROPFIND'])
  assert.deepEqual(later.warnings, [])
})

test('of a route with several methods, those without a body have neither a body nor the replies to one', () => {
  const refused = { content: {}, from: ['alcove'] }
  const { document } = write([
    {
      ...route('GET', '/a', { input: { body: { 'application/json': { type: 'object' } } } }),
      methods: ['GET', 'POST'],
      methodsWithoutBody: ['GET'],
      responses: { ...ok, 400: refused, 413: { ...refused, from: ['App > guard'] }, 415: refused },
    },
  ])
  const { get, post } = document.paths['/a']
  assert.deepEqual([Object.keys(get.responses), get.requestBody], [['200', '413'], undefined])
  assert.deepEqual([Object.keys(post.responses), typeof post.requestBody], [['200', '400', '413', '415'], 'object'])
})

test('properties of the query string are parameters; a list may be repeated, and one with a default may be absent', () => {
  const { document, warnings } = query({
    type: 'object',
    required: ['q', 'page'],
    properties: {
      q: { ...text, description: 'Words', deprecated: true },
      page: { type: 'integer', default: 1 },
      tag: { type: 'array', items: text },
    },
    additionalProperties: false,
  })
  assert.deepEqual(document.paths['/'].get.parameters, [
    { name: 'q', in: 'query', required: true, description: 'Words', deprecated: true, schema: text },
    { name: 'page', in: 'query', schema: { type: 'integer', default: 1 } },
    { name: 'tag', in: 'query', style: 'form', explode: true, schema: { type: 'array', items: text } },
  ])
  assert.deepEqual(warnings, [])
})

test('parameters come out of references, combinations and alternatives; the latter with a warning', () => {
  const shared = { Page: { $id: 'Page', type: 'object', required: ['page'], properties: { page: { type: 'integer' } } } }
  const querystring = {
    allOf: [{ $ref: 'Page#' }, { properties: { size: { type: 'integer' } } }],
    oneOf: [
      { required: ['a'], properties: { a: text } },
      { required: ['b'], properties: { b: text } },
    ],
  }
  const { document, warnings } = write(
    [route('GET', '/', { place: 'App > A.b', input: { querystring } })],
    {},
    { schemas: { App: shared } },
  )
  assert.deepEqual(document.paths['/'].get.parameters, [
    { name: 'page', in: 'query', required: true, schema: { type: 'integer' } },
    { name: 'size', in: 'query', schema: { type: 'integer' } },
    { name: 'a', in: 'query', schema: text },
    { name: 'b', in: 'query', schema: text },
  ])
  assert.equal(document.components, undefined)
  assert.deepEqual(warnings, [
    "GET / (App > A.b): the schema of querystring has the keyword 'oneOf' for several properties together, which parameters cannot express. Describe it in the description of the route.",
  ])
})

test('further parameters that have a schema are described as one object', () => {
  const { document } = query({ type: 'object', additionalProperties: { type: 'integer' } })
  assert.deepEqual(document.paths['/'].get.parameters, [
    {
      name: 'parameters',
      in: 'query',
      style: 'form',
      explode: true,
      schema: { type: 'object', additionalProperties: { type: 'integer' } },
    },
  ])
})

test('an object in the query string is a deepObject, with a warning', () => {
  const { document, warnings } = query({ properties: { filter: { type: 'object', properties: { a: text } } } })
  assert.deepEqual([document.paths['/'].get.parameters[0].style, warnings.length], ['deepObject', 1])
})

test('headers are parameters, except for those that OpenAPI describes elsewhere', () => {
  const headers = {
    type: 'object',
    required: ['X-Token'],
    properties: { 'X-Token': text, Accept: text, 'content-type': text, Authorization: text },
  }
  const { document, warnings } = write([
    route('GET', '/a', { place: 'App > A.a', input: { headers } }),
    route('GET', '/b', { input: { headers }, security: [{ bearer: [] }] }),
  ])
  assert.deepEqual(document.paths['/a'].get.parameters, [{ name: 'X-Token', in: 'header', required: true, schema: text }])
  assert.deepEqual(warnings, [
    "GET /a (App > A.a): OpenAPI describes the header 'Authorization' only by a security scheme. Declare one: static security = { bearer: { type: 'http', scheme: 'bearer' } } in the guard.",
  ])
})

test('bodies are described by media type, and may be absent only if null is valid', () => {
  const { document } = write([
    route('POST', '/a', { input: { body: { 'application/json': { type: 'object' }, 'text/plain': text } } }),
    route('POST', '/b', { input: { body: { 'application/json': { type: ['object', 'null'] } } } }),
  ])
  assert.deepEqual(document.paths['/a'].post.requestBody, {
    required: true,
    content: { 'application/json': { schema: { type: 'object' } }, 'text/plain': { schema: text } },
  })
  assert.equal(document.paths['/b'].post.requestBody.required, false)
})

test('a body that is read and that nothing describes is a warning, unless requests of the method seldom have one', () => {
  const limits = { bodyLimit: 1000 }
  const { gaps } = write([route('POST', '/a', { limits, place: 'App > A.b' }), route('DELETE', '/b', { limits }), route('PUT', '/c')])
  assert.deepEqual(gaps, [
    "POST /a (App > A.b): it reads a body, of which nothing is said. Write body: … in the schema of the route, or body: { type: 'null' } if it takes none.",
  ])
})

test('the body of QUERY is required, whatever its schema accepts', () => {
  const { document } = write([route('QUERY', '/', { input: { body: { 'application/json': {} } } })], { version: '3.2' })
  assert.equal(document.paths['/'].query.requestBody.required, true)
})

test('whether a body may be absent is read through references, alternatives, conditions and lists of values', () => {
  const schemas = { App: { Maybe: { $id: 'Maybe', type: 'object', nullable: true, properties: { a: text } } } }
  const nothing = { type: 'null' }
  const maybe = { type: ['object', 'null'] }
  for (const [schema, isRequired] of [
    [{ anyOf: [text, nothing] }, false],
    [{ oneOf: [text, nothing] }, false],
    [{ anyOf: [text, { type: 'integer' }] }, true],
    [{ $ref: 'Maybe#' }, false],
    [{ allOf: [{ $ref: 'Maybe#' }, { type: 'object' }] }, true],
    [{ enum: ['a', null] }, false],
    [{ enum: ['a'] }, true],
    [{ const: null }, false],
    [{ properties: { a: text } }, false],
    [{ properties: { a: text }, required: ['a'] }, true],
    [{ not: nothing }, true],
    // Without a type, null is valid: the keywords are of objects.
    [{ ...maybe, not: { required: ['a'] } }, true],
    [{ ...maybe, oneOf: [{ required: ['a'] }, nothing] }, true],
    [{ ...maybe, if: nothing, then: false }, true],
    [{ ...maybe, if: { type: 'object' }, else: text }, true],
    [{ ...maybe, if: { required: ['a'] }, then: { required: ['b'] } }, false],
    [{ ...maybe, if: { required: ['a'] }, then: { type: 'object' } }, true],
    [{ ...maybe, if: nothing, else: false }, false],
    [true, false],
  ] as const) {
    const { document } = write([route('POST', '/', { input: { body: { 'application/json': schema } } })], {}, { schemas })
    assert.equal(document.paths['/'].post.requestBody.required, isRequired, JSON.stringify(schema))
  }
})

test('a part whose library offers no JSON Schema is a warning, and its body is required unless it may be absent', () => {
  const type = 'application/json'
  const said = { input: { body: { [type]: {} }, querystring: {} }, opaqueParts: ['body', 'querystring'] } as const
  const isRequired = (acceptsNoBody: Record<string, boolean>): boolean =>
    write([route('POST', '/', { ...said, acceptsNoBody })]).document.paths['/'].post.requestBody.required
  assert.deepEqual([isRequired({ [type]: false }), isRequired({ [type]: true })], [true, false])
  const { gaps } = write([route('POST', '/', said)])
  assert.deepEqual(gaps, [
    'POST / (App > ItemsController.post): the schema of body is of a library that offers no JSON Schema, so the body is any value. Wrap it, as toStandardJsonSchema of @valibot/to-json-schema does, or write JSON Schema.',
    'POST / (App > ItemsController.post): the schema of querystring is of a library that offers no JSON Schema, so its parameters are left out or of any value. Wrap it, as toStandardJsonSchema of @valibot/to-json-schema does, or write JSON Schema.',
  ])
})

test('cookies are parameters, of which a list is described by one of its values', () => {
  const cookies = {
    type: 'object',
    required: ['session'],
    properties: { session: { ...text, description: 'Of a log in' }, page: { type: 'integer' }, tags: { type: 'array', items: text } },
  }
  const { document, warnings } = write([route('GET', '/', { input: { cookies } })])
  assert.deepEqual(document.paths['/'].get.parameters, [
    { name: 'session', in: 'cookie', required: true, description: 'Of a log in', schema: text },
    { name: 'page', in: 'cookie', schema: { type: 'integer' } },
    { name: 'tags', in: 'cookie', schema: text },
  ])
  assert.equal(warnings.filter((warning) => warning.includes("'tags' is a list in the schema")).length, 1)
})

test('examples, encodings, links, callbacks, servers and cookies are passed on, and what has no place is a warning', () => {
  const links = { next: { operationId: 'find' } }
  const { document, warnings } = write([
    route('POST', '/:id', {
      place: 'App > A.b',
      constraints: { host: 'b.example' },
      docs: { servers: [{ url: 'https://a.example' }], callbacks: { done: {} }, cookies: { session: { ...text, example: 'k' } } },
      input: { params: { properties: { id: { ...text, example: '7' } } }, body: { 'multipart/form-data': { type: 'object' } } },
      bodyDocs: { description: 'A form', media: { 'multipart/form-data': { encoding: { a: { contentType: 'text/plain' } } } } },
      responses: {
        200: {
          description: 'It',
          links,
          'x-b': 1,
          media: { 'application/json': { examples: ['x'] } },
          content: { 'application/json': text },
          from: ['route'],
        },
      },
      leftOut: ['schemes'],
    }),
  ])
  const { servers, callbacks, parameters, requestBody, responses } = document.paths['/{id}'].post
  assert.deepEqual([servers, callbacks], [[{ url: 'https://a.example' }], { done: {} }])
  assert.deepEqual(parameters, [
    { name: 'id', in: 'path', required: true, example: '7', schema: text },
    { name: 'session', in: 'cookie', example: 'k', schema: text },
  ])
  assert.deepEqual(requestBody, {
    description: 'A form',
    required: true,
    content: { 'multipart/form-data': { schema: { type: 'object' }, encoding: { a: { contentType: 'text/plain' } } } },
  })
  assert.deepEqual(responses['200'], {
    description: 'It',
    content: { 'application/json': { schema: text, examples: { example1: { value: 'x' } } } },
    links,
    'x-b': 1,
  })
  assert.deepEqual(warnings, [
    "POST /:id (App > A.b): OpenAPI has no place for 'schemes' of its schemas, so it is left out. Name it x-…, or write it in the description.",
  ])
})

test('bytes have no type: neither as a body, nor in a part of a form, nor in a reply', () => {
  const binary = { type: 'string', format: 'binary', description: 'A picture' }
  const form = { type: 'object', properties: { file: binary, more: { type: 'array', items: binary }, name: text } }
  const { document } = write([
    route('POST', '/', {
      input: { body: { 'application/octet-stream': binary, 'multipart/form-data': form, 'application/json': binary } },
      responses: { 200: { description: 'It', content: { 'image/png': binary }, from: ['route'] } },
    }),
  ])
  const { requestBody, responses } = document.paths['/'].post
  const part = { description: 'A picture', contentMediaType: 'application/octet-stream' }
  assert.deepEqual(requestBody.content, {
    'application/octet-stream': { schema: { description: 'A picture' } },
    'multipart/form-data': { schema: { type: 'object', properties: { file: part, more: { type: 'array', items: part }, name: text } } },
    'application/json': { schema: binary },
  })
  assert.deepEqual(responses[200].content, { 'image/png': { schema: { description: 'A picture' } } })
})

test('a form that refers to a shared schema has its files as bytes, and JSON keeps the component', () => {
  const file = { type: 'string', format: 'binary' }
  const Upload = { $id: 'Upload', type: 'object', properties: { file, more: { type: 'array', items: { $ref: 'File#' } }, name: text } }
  const schemas = { App: { Upload, File: { $id: 'File', ...file } } }
  const body = { 'multipart/form-data': { $ref: 'Upload#' }, 'multipart/mixed': { allOf: [{ $ref: 'Upload#' }] } }
  const { document } = write([route('POST', '/', { input: { body } })], {}, { schemas })
  const bytes = { contentMediaType: 'application/octet-stream' }
  const form = { type: 'object', properties: { file: bytes, more: { type: 'array', items: bytes }, name: text } }
  const { content } = document.paths['/'].post.requestBody
  assert.deepEqual(content, { 'multipart/form-data': { schema: form }, 'multipart/mixed': { schema: { allOf: [form] } } })
  assert.equal(document.components, undefined)
  const json = write([route('POST', '/', { input: { body: { 'application/json': { $ref: 'Upload#' } } } })], {}, { schemas })
  assert.deepEqual(json.document.components.schemas.Upload.properties.file, file)
})

test('responses have the text of their status if they have no description; unless the framework sends them, this is a warning', () => {
  const { document, gaps } = write([
    route('GET', '/', {
      place: 'App > A.b',
      responses: {
        200: { content: { 'application/json': text }, headers: { 'X-Rate': { type: 'integer', description: 'Left' } }, from: ['route'] },
        '4xx': { description: 'No', content: {}, from: ['App > Guard'] },
        413: { content: {}, from: ['alcove'] },
        500: { content: {}, from: ['App > Errors'], isUnknown: true },
        default: { content: {}, from: ['route'] },
      },
    }),
  ])
  assert.deepEqual(document.paths['/'].get.responses, {
    200: {
      description: 'OK',
      headers: { 'X-Rate': { description: 'Left', schema: { type: 'integer' } } },
      content: { 'application/json': { schema: text } },
    },
    '4XX': { description: 'No' },
    413: { description: 'Payload Too Large' },
    500: { description: 'Internal Server Error', content: { '*/*': {} } },
    default: { description: 'Any other reply' },
  })
  assert.deepEqual(gaps, [
    "GET / (App > A.b): the response 200 has no description, so it has the text of its status. Write { 200: { description: '…', … } }.",
    'GET / (App > A.b): what App > Errors answers with status 500 is not known. Declare it there: static responses = { 500: … }, or declareReplies for a function.',
    "GET / (App > A.b): the response default has no description, so it has the text of its status. Write { default: { description: '…', … } }.",
  ])
})

test('a route that describes no reply of its own has one of its status, which is a warning', () => {
  const { document, gaps } = write([
    route('POST', '/', { place: 'App > A.b', status: 201, responses: { 401: { description: 'No', content: {}, from: ['App > Guard'] } } }),
  ])
  assert.deepEqual(document.paths['/'].post.responses, {
    201: { description: 'Created', content: { '*/*': {} } },
    401: { description: 'No' },
  })
  assert.equal(gaps.length, 1)
})

test('a route that describes only errors answers something too, unless it describes a redirection or all statuses', () => {
  const described = (status: string) => ({ [status]: { description: 'Told', content: {}, from: ['route'] } })
  const statuses = (status: string): string[] =>
    Object.keys(write([route('GET', '/items', { responses: described(status) })]).document.paths['/items'].get.responses)
  assert.deepEqual(statuses('409'), ['200', '409'])
  assert.deepEqual(statuses('302'), ['302'])
  assert.deepEqual(statuses('default'), ['default'])
})

test('security requirements are those of the route, and only schemes that are used are components', () => {
  const securitySchemes = {
    bearer: { scheme: { type: 'http', scheme: 'bearer' }, from: ['App > Guard.onRequest'] },
    unused: { scheme: { type: 'http', scheme: 'basic' }, from: ['App > Other.onRequest'] },
  } as const
  const { document } = write([route('GET', '/a', { security: [{ bearer: [] }] }), route('GET', '/b')], {}, { securitySchemes })
  assert.deepEqual(document.paths['/a'].get.security, [{ bearer: [] }])
  assert.equal(document.paths['/b'].get.security, undefined)
  assert.deepEqual(document.security, [])
  assert.deepEqual(document.components, { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } })
})

test('a schema with an $id that two contexts declare differently is two components', () => {
  const of = (type: string) => ({ User: { $id: 'User', type } })
  const responses = { 200: { description: 'It', content: { 'application/json': { $ref: 'User#' } }, from: ['route'] } }
  const { document, warnings } = write(
    [route('GET', '/a', { context: 'App > A', responses }), route('GET', '/b', { context: 'App > B', responses })],
    {},
    { schemas: { 'App > A': of('string'), 'App > B': of('integer') } },
  )
  assert.deepEqual(document.components.schemas, { User: text, 'B.User': { type: 'integer' } })
  assert.equal(warnings.length, 1)
})
