/** A deprecation in descriptions, documents, client files, explanations and tests, and how it is read from a document again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bootstrap,
  Controller,
  createServer,
  declareReplies,
  type DeprecationDescription,
  explain,
  Get,
  Hook,
  Plugin,
  type Reply,
  type Request,
  type Server,
  testServer,
  use,
} from 'alcove'
import { clientFile, describe, openapi } from 'alcove/contract'
import { readDeprecation } from '../../../../decorators/contract/document/deprecation.js'

const since = '2026-06-30'
const dated = { since, sunset: new Date('2099-12-31T18:00:00Z'), link: '/changes' }
const described: DeprecationDescription = { since, sunset: '2099-12-31T18:00:00Z', link: '/changes' }

@Controller('/orders', { deprecated: dated })
class Orders {
  @Get('/all')
  all() {
    return []
  }
  @Get({ path: '/undated', deprecated: true })
  undated() {
    return []
  }
  @Get({ path: '/kept', deprecated: false })
  kept() {
    return []
  }
  @Get({ path: '/own', deprecated: { since: '2026-07-01' } })
  own() {
    return []
  }
}
@Plugin({ prefix: '/old', routes: [Orders] })
class Old {}

const legacy = (instance: Server): void => void instance.get('/legacy', () => 'text')

@Plugin({ imports: [Old, use(legacy, { prefix: '/fn' }, { deprecated: { since } })] })
class App {}

const info = { title: 'Orders', version: '1.0.0' }

test('a route is described with its deprecation, whose dates are texts', async () => {
  await using server = await bootstrap(App, { exposeHeadRoutes: false })
  const facts = describe(server).routes.map(({ url, deprecated, deprecation }) => [url, deprecated, deprecation])
  assert.deepEqual(facts, [
    ['/fn/legacy', true, { since }],
    ['/old/orders/all', true, described],
    ['/old/orders/undated', true, undefined],
    ['/old/orders/kept', false, undefined],
    ['/old/orders/own', true, { since: '2026-07-01' }],
  ])
  assert.deepEqual(
    describe(App, { exposeHeadRoutes: false }).routes.map(({ url, deprecated, deprecation }) => [url, deprecated, deprecation]),
    facts.slice(1),
  )
})

test('replies of the routes of a plugin function have the headers of its import', async () => {
  await using app = await testServer(App)
  const { headers } = await app.inject('/fn/legacy')
  assert.equal(headers['deprecation'], '@1782777600')
})

test('replies of the routes of a plugin function have the headers that declareReplies gives it', async () => {
  await using server = createServer()
  server.register(declareReplies(legacy, { deprecated: { since } }))
  assert.equal((await server.inject('/legacy')).headers['deprecation'], '@1782777600')
})

test('a document has the flag, and the dates and the link as extensions', () => {
  const { paths } = openapi(App, { info })
  const facts = Object.entries(paths).map(([path, { get }]) => [
    path,
    Object.fromEntries(Object.entries(get!).filter(([key]) => key === 'deprecated' || key.startsWith('x-'))),
  ])
  assert.deepEqual(Object.fromEntries(facts), {
    '/old/orders/all': {
      deprecated: true,
      'x-deprecated-since': since,
      'x-sunset': '2099-12-31T18:00:00Z',
      'x-deprecated-link': '/changes',
    },
    '/old/orders/undated': { deprecated: true },
    '/old/orders/kept': {},
    '/old/orders/own': { deprecated: true, 'x-deprecated-since': '2026-07-01' },
  })
})

test('a client file strikes the functions through, and says until when they can be called', () => {
  const tags = clientFile(App)
    .split('\n')
    .filter((line) => line.includes('@deprecated'))
    .map((line) => line.trim())
  assert.deepEqual(
    new Set(tags),
    new Set([
      '* @deprecated since 2026-06-30, may be gone from 2099-12-31T18:00:00Z on, see /changes',
      '* @deprecated',
      '* @deprecated since 2026-07-01',
    ]),
  )
})

test('explain says that a route is deprecated, as text, as data and on the page', async () => {
  await using server = await bootstrap(App)
  const explanation = explain(server)
  assert.match(String(explanation), /GET \/old\/orders\/all {2}\(deprecated\)\n/)
  assert.match(String(explanation), /GET \/old\/orders\/kept\n/)
  const route = explanation.route('GET /old/orders/all')
  const text = 'deprecated since 2026-06-30, may be gone from 2099-12-31T18:00:00Z on, see /changes'
  assert.ok(String(route).split('\n').includes(text), String(route))
  assert.deepEqual(JSON.parse(JSON.stringify(route)).deprecation, described)
  assert.ok(explanation.toHTML().includes('2099-12-31T18:00:00'))
})

test('a test fails if the application removes or replaces the headers of a deprecation', async () => {
  @Controller('/', { deprecated: { since, sunset: '2099-12-31' } })
  class Hidden {
    @Get('/removed')
    @Hook('onSend', async (_request: Request, reply: Reply) => void reply.removeHeader('sunset'))
    removed() {
      return 'text'
    }
    @Get('/replaced')
    replaced(_request: Request, reply: Reply) {
      reply.header('deprecation', 'true')
      return 'text'
    }
    @Get('/kept')
    kept() {
      return 'text'
    }
  }
  @Plugin({ routes: [Hidden] })
  class Shop {}
  await using app = await testServer(Shop)
  assert.equal((await app.inject('/kept')).statusCode, 200)
  await assert.rejects(app.inject('/removed'), {
    code: 'ALC_ERR_REPLY_UNDESCRIBED',
    message:
      /Hidden\.removed.* the reply 200 lacks the header 'sunset: Thu, 31 Dec 2099 00:00:00 GMT', which the option deprecated declares/,
  })
  await assert.rejects(app.inject('/replaced'), { message: /lacks the header 'deprecation: @1782777600'/ })
})

test('extensions of a document become the option again, if it takes their values', () => {
  const all = { 'x-deprecated-since': since, 'x-sunset': '2026-12-31', 'x-deprecated-link': '/changes', 'x-team': 'a' }
  assert.deepEqual(readDeprecation(true, all), {
    deprecated: { since, sunset: '2026-12-31', link: '/changes' },
    extensions: { 'x-team': 'a' },
  })
  const left: [boolean, object][] = [
    [true, { 'x-team': 'a' }],
    [true, { 'x-sunset': '2026-12-31' }],
    [true, { ...all, 'x-sunset': 'soon' }],
    [true, { ...all, 'x-sunset': '2026-01-01' }],
    [true, { ...all, 'x-deprecated-link': 'javascript:alert(1)' }],
    [true, { ...all, 'x-deprecated-since': null }],
    [false, all],
  ]
  for (const [isDeprecated, extensions] of left)
    assert.deepEqual(readDeprecation(isDeprecated, extensions), { deprecated: isDeprecated, extensions })
})
