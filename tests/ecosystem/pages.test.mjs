import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { after, before, describe, it } from 'node:test'
import files5 from '@fastify/static'
import swagger5 from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import view from '@fastify/view'
import { Validator } from '@seriousme/openapi-schema-validator'
import ejs from 'ejs'
import files4 from 'static4'
import swagger4 from 'swagger4'
import { bootstrap, Plugin, ref, Route, Schema, use } from '../../dist/decorators/index.js'
import { eachFace, raw, Running, subjectTitle, testPlugin } from './harness.mjs'

const fixture = (name) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))

for (const [name, files] of [
  ['@fastify/static', files5],
  ['static4', files4],
]) {
  testPlugin(
    name,
    {
      application: () => ({
        plugins: [
          [
            files,
            { root: fixture('public'), prefix: '/public/', maxAge: '1h', setHeaders: (reply) => setHeader(reply, 'x-from', 'static') },
          ],
        ],
        setup(instance) {
          instance.setNotFoundHandler((_request, reply) => reply.code(404).send({ missing: 'at home' }))
          instance.register(
            async function inner(child) {
              child.setNotFoundHandler((_request, reply) => reply.code(404).send({ missing: 'further in' }))
              await child.register(files, { root: fixture('public/sub'), prefix: '/files', decorateReply: false })
            },
            { prefix: '/inner' },
          )
        },
        routes: [
          { method: 'GET', url: '/one-file', handler: (_request, reply) => reply.sendFile('sub/data.json') },
          { method: 'GET', url: '/attachment', handler: (_request, reply) => reply.download('digits.txt', 'numbers.txt') },
          { method: 'GET', url: '/no-such-file', handler: (_request, reply) => reply.sendFile('nothing.txt') },
        ],
      }),
      decorates: { reply: ['sendFile', 'download'] },
    },
    (app) => {
      it('serves a file with its type, its tag and the headers it is told', async () => {
        const { status, headers, text } = await app.ask('/public/digits.txt')
        assert.equal(status, 200)
        assert.equal(text, '0123456789')
        assert.match(headers.get('content-type'), /^text\/plain; charset=utf-8/i)
        assert.equal(headers.get('content-length'), '10')
        assert.equal(headers.get('cache-control'), 'public, max-age=3600')
        assert.equal(headers.get('x-from'), 'static')
        assert.ok(headers.get('etag'))
      })
      it('serves the index of a folder', async () => {
        assert.equal((await app.ask('/public/')).text, '<h1>Index</h1>\n')
      })
      it('answers 304 to who has the file already', async () => {
        const tag = (await app.ask('/public/digits.txt')).headers.get('etag')
        // Not by `fetch`, which asks caches to be left out as soon as it sees this header.
        const { status, bytes } = await raw(`${app.origin}/public/digits.txt`, { 'if-none-match': tag })
        assert.equal(status, 304)
        assert.equal(bytes.length, 0)
      })
      it('answers a range with 206, and 416 where there is none', async () => {
        const { status, headers, text } = await app.ask('/public/digits.txt', { headers: { range: 'bytes=2-4' } })
        assert.equal(status, 206)
        assert.equal(headers.get('content-range'), 'bytes 2-4/10')
        assert.equal(text, '234')
        assert.equal((await app.ask('/public/digits.txt', { headers: { range: 'bytes=20-' } })).status, 416)
      })
      it('answers HEAD with the headers of GET and no body', async () => {
        const { status, headers, text } = await app.ask('/public/digits.txt', { method: 'HEAD' })
        assert.equal(status, 200)
        assert.equal(headers.get('content-length'), '10')
        assert.equal(text, '')
      })
      it('hands a missing file over to the not-found handler of its context', async () => {
        for (const path of ['/public/nothing.txt', '/no-such-file']) {
          const { status, body } = await app.ask(path)
          assert.equal(status, 404, path)
          assert.deepEqual(body, { missing: 'at home' })
        }
      })
      it('is registered again in a context below, with another folder and its own not-found handler', async () => {
        assert.deepEqual((await app.ask('/inner/files/data.json')).body, { name: 'data' })
        assert.deepEqual((await app.ask('/inner/files/digits.txt')).body, { missing: 'further in' })
        assert.deepEqual((await app.ask('/inner/nothing')).body, { missing: 'further in' })
      })
      it('does not serve what lies outside its folder', async () => {
        for (const path of ['/public/..%2fviews/hello.ejs', '/public/%2e%2e/views/hello.ejs', '/public/..%5cviews%5chello.ejs']) {
          const { status, text } = await app.ask(path)
          assert.ok(status >= 400 && !text.includes('Hello'), path)
        }
      })
      it('sends one file from a handler, also as an attachment', async () => {
        assert.deepEqual((await app.ask('/one-file')).body, { name: 'data' })
        const { headers, text } = await app.ask('/attachment')
        assert.match(headers.get('content-disposition'), /^attachment; filename="?numbers\.txt"?$/)
        assert.equal(text, '0123456789')
      })
    },
  )
}

/** The newest version gives the reply, the older one the raw response. */
function setHeader(target, name, value) {
  if (typeof target.header === 'function') target.header(name, value)
  else target.setHeader(name, value)
}

testPlugin(
  '@fastify/view',
  {
    application: () => ({
      plugins: [[view, { engine: { ejs }, root: fixture('views'), defaultContext: { site: 'alcove' } }]],
      routes: [
        { method: 'GET', url: '/sync', handler: (_request, reply) => reply.view('hello.ejs', { name: 'Ada' }) },
        { method: 'GET', url: '/async', handler: (_request, reply) => reply.viewAsync('hello.ejs', { name: 'Eve' }) },
        { method: 'GET', url: '/text', handler: async (request) => ({ html: await request.server.view('hello.ejs', { name: '<Bob>' }) }) },
        { method: 'GET', url: '/broken', handler: (_request, reply) => reply.view('nothing.ejs', {}) },
      ],
    }),
    decorates: { server: ['view'], reply: ['view', 'viewAsync'] },
  },
  (app) => {
    it('renders a template as the reply', async () => {
      const { headers, text } = await app.ask('/sync')
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
      assert.equal(text, '<p>Hello, Ada of alcove</p>\n')
      assert.equal((await app.ask('/async')).text, '<p>Hello, Eve of alcove</p>\n')
    })
    it('renders to a text for the handler', async () => {
      assert.deepEqual((await app.ask('/text')).body, { html: '<p>Hello, &lt;Bob&gt; of alcove</p>\n' })
    })
    it('answers 500 for a template that does not exist, without its path', async () => {
      const { status, text } = await app.ask('/broken')
      assert.equal(status, 500)
      assert.ok(!text.includes('nothing.ejs'))
    })
  },
)

const money = {
  $id: 'Money',
  type: 'object',
  required: ['amount'],
  properties: { amount: { type: 'number' }, currency: { type: 'string' } },
}
const item = { $id: 'Item', type: 'object', properties: { name: { type: 'string' }, price: { $ref: 'Money#' } } }

// The documented way: registered in the root (here: the context `Home`), before the contexts that it describes.
const documented = (swagger) => ({
  plugins: [[swagger, { openapi: { openapi: '3.0.3', info: { title: 'Shop', version: '1.0.0' } } }]],
  rootSchemas: [money],
  setup(instance) {
    instance.addSchema(item)
    instance.register(
      async function below(child) {
        child.addSchema({ $id: 'Order', type: 'object', properties: { items: { type: 'array', items: { $ref: 'Item#' } } } })
        child.post(
          '/orders',
          {
            schema: {
              description: 'Places an order',
              tags: ['orders'],
              body: { $ref: 'Order#' },
              headers: { type: 'object', properties: { 'x-client': { type: 'string' } } },
              response: {
                201: { description: 'The order', $ref: 'Order#' },
                '4xx': { type: 'object', properties: { message: { type: 'string' } } },
              },
            },
          },
          (request, reply) => reply.code(201).send(request.body),
        )
        child.get('/hidden', { schema: { hide: true } }, () => 'hidden')
      },
      { prefix: '/below' },
    )
  },
  routes: [
    {
      method: 'GET',
      url: '/items/:id',
      schema: {
        params: { id: { type: 'integer' } },
        querystring: { full: { type: 'boolean' } },
        response: { 200: { description: 'An item', $ref: 'Item#' } },
      },
      handler: () => ({ name: 'pen', price: { amount: 1, currency: 'EUR' } }),
    },
  ],
})

for (const [name, swagger] of [
  ['@fastify/swagger', swagger5],
  ['swagger4', swagger4],
]) {
  testPlugin(name, { application: () => documented(swagger), decorates: { server: ['swagger'] } }, (app) => {
    it('describes the routes of its context and of those below, and no others', () => {
      const { paths } = app.home.swagger()
      assert.deepEqual(Object.keys(paths).toSorted(), ['/below/orders', '/items/{id}'])
    })
    it('describes parameters, bodies and replies, parts in shorthand included', () => {
      const { paths } = app.home.swagger()
      const get = paths['/items/{id}'].get
      assert.deepEqual(get.parameters.map(({ name, in: part, schema }) => [part, name, schema.type]).toSorted(), [
        ['path', 'id', 'integer'],
        ['query', 'full', 'boolean'],
      ])
      const post = paths['/below/orders'].post
      assert.equal(post.description, 'Places an order')
      assert.deepEqual(Object.keys(post.responses), ['201', '4XX'])
      assert.deepEqual(
        post.parameters.map((parameter) => parameter.name),
        ['x-client'],
      )
    })
    it('refers to shared schemas of all contexts', () => {
      const { paths, components } = app.home.swagger()
      const byTitle = Object.fromEntries(Object.entries(components.schemas).map(([key, schema]) => [schema.title, key]))
      assert.deepEqual(Object.keys(byTitle).toSorted(), ['Item', 'Money', 'Order'])
      assert.equal(paths['/below/orders'].post.requestBody.content['application/json'].schema.$ref, `#/components/schemas/${byTitle.Order}`)
      assert.equal(components.schemas[byTitle.Item].properties.price.$ref, `#/components/schemas/${byTitle.Money}`)
    })
    it('makes a valid OpenAPI document', async () => {
      const result = await new Validator().validate(structuredClone(app.home.swagger()))
      assert.deepEqual(result.errors, undefined)
      assert.equal(result.valid, true)
    })
    it('leaves the routes it describes working', async () => {
      assert.deepEqual((await app.ask('/items/1')).body, { name: 'pen', price: { amount: 1, currency: 'EUR' } })
      assert.equal((await app.ask('/items/one')).status, 400)
      assert.equal((await app.post('/below/orders', { items: [{ name: 'pen', price: { amount: 1 } }] })).status, 201)
      assert.equal((await app.post('/below/orders', { items: [{ price: {} }] })).status, 400)
    })
  })
}

describe(subjectTitle('@fastify/swagger', 'in the root'), () => {
  eachFace((face, start) =>
    describe(face, () => {
      const app = new Running()
      before(() =>
        app.start(start, {
          plugins: [],
          rootPlugins: [[swagger5, { openapi: {} }]],
          routes: [{ method: 'GET', url: '/home', schema: { response: { 200: { type: 'object' } } }, handler: () => ({}) }],
        }),
      )
      after(() => app.close())
      it('describes the routes of every context', () => {
        assert.deepEqual(Object.keys(app.server.swagger().paths).toSorted(), ['/elsewhere', '/home'])
      })
    }),
  )
})

describe(subjectTitle('@fastify/swagger', 'in an application of classes'), () => {
  let server
  before(async () => {
    // What the decorators do, in a file that is not compiled.
    const decorated = (Class, ...decorators) => (decorators.toReversed().forEach((decorate) => decorate(Class)), Class)
    const User = decorated(class User {}, Schema({ $id: 'User', type: 'object', required: ['id'], properties: { id: { type: 'string' } } }))
    const GetUser = decorated(
      class GetUser {
        handle({ params }) {
          return { id: params.id }
        }
      },
      Route({ method: 'GET', path: '/:id' }),
      Schema({ params: { id: { type: 'string' } }, response: { 200: { description: 'A user', ...ref(User) } } }),
    )
    const Users = decorated(class Users {}, Plugin({ prefix: '/users', schemas: [User], routes: [GetUser] }))
    const App = decorated(
      class App {},
      Plugin({ imports: [use(swagger5, { openapi: { openapi: '3.0.3', info: { title: 'Users', version: '1' } } }), Users] }),
    )
    server = await bootstrap(App)
  })
  after(() => server.close())
  it('describes the routes of plugin classes, and refers to the schemas of model classes', async () => {
    const described = server.swagger()
    const [name] = Object.entries(described.components.schemas).find(([, schema]) => schema.title === 'User')
    const { schema } = described.paths['/users/{id}'].get.responses[200].content['application/json']
    assert.equal(schema.$ref, `#/components/schemas/${name}`)
    assert.equal((await new Validator().validate(structuredClone(described))).valid, true)
  })
})

testPlugin(
  '@fastify/swagger-ui',
  {
    application: () => {
      const { plugins, ...rest } = documented(swagger5)
      return {
        ...rest,
        plugins: [
          ...plugins,
          [
            swaggerUi,
            {
              routePrefix: '/docs',
              staticCSP: true,
              uiHooks: { onRequest: (request, reply, done) => (request.query.closed ? reply.code(403).send({ closed: true }) : done()) },
            },
          ],
        ],
      }
    },
    decorates: { server: ['swaggerCSP'] },
  },
  (app) => {
    it('serves its page and the files that it asks for', async () => {
      const page = await app.ask('/docs')
      const html =
        page.status === 302 ? (await app.ask(new URL(page.headers.get('location'), `${app.origin}/docs`).pathname)).text : page.text
      assert.match(html, /<title>Swagger UI<\/title>/)
      for (const [, path] of html.matchAll(/(?:src|href)="\.?\/?((?:docs\/)?static\/[^"]+)"/g)) {
        const file = await app.ask(path.startsWith('docs/') ? `/${path}` : `/docs/${path}`)
        assert.equal(file.status, 200, path)
      }
      assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'self'/)
    })
    it('serves the document as JSON and as YAML', async () => {
      const json = await app.ask('/docs/json')
      assert.deepEqual(Object.keys(json.body.paths).toSorted(), ['/below/orders', '/items/{id}'])
      const yaml = await app.ask('/docs/yaml')
      assert.match(yaml.text, /^openapi: 3\.0\.3/m)
    })
    it('runs its hooks on its own routes only', async () => {
      assert.equal((await app.ask('/docs/json?closed=1')).status, 403)
      assert.equal((await app.ask('/items/1?closed=1')).status, 200)
      assert.equal((await app.ask('/items/1')).headers.get('content-security-policy'), null)
    })
  },
)
